#!/usr/bin/env python3
"""Converts profiles of every format that is read into every format that is written.

    cross.py DIR    DIR/FORMAT holds profiles of a format; formats without such a folder are fed by conversion

Each pair either converts (status 0) or is refused: status 2, or 3 for sums that are too large for the format; no output file, and a message
that says what the format holds or cannot hold. If the output can be read again, it has no total that the input does not have, and if all
kinds of records were converted, the main measure's total is the same. --formats -v must list what a format loses.
"""
import glob
import fractions
import json
import os
import re
import subprocess
import sys

BIN = os.environ["PROFUTILS_BIN"]
FILES = 6  # of each format
COUNTS_RECORDS = {"statprofiler": "samples"}  # measures that a format makes by counting records
REASON = re.compile(r"hold|no whole number of ticks|not counted in whole numbers|is no |have no |needs?|only|is not |has none|missing in earlier")
TOO_GREAT = re.compile(r"too large for|would have \d{13}|different lengths")  # messages about sums that are too large for the format


def run(*command):
    done = subprocess.run([os.path.join(BIN, command[0]), *command[1:]], capture_output=True, timeout=60, check=False)
    return done.returncode, done.stdout, done.stderr.decode(errors="replace")


def formats():
    """Returns name -> (is read, is written, kinds, has losses)."""
    found, name = {}, None
    for line in run("profcat", "--formats", "-v")[1].decode().splitlines():
        if line.startswith(" "):
            if line.strip().startswith("cannot hold:"):
                found[name][3] = True
            continue
        name, modes = line.split()[:2]
        kinds = [word for word in line[16:34].split() if word in ("sample", "flat", "edge")]
        found[name] = ["r" in modes, "w" in modes, kinds, False]
    return found


def totals(path, form):
    """Returns (kind, unit) -> {measure: total}; None if the profile is damaged."""
    status, out, _ = run("profcat", "-q", "-f", form, "-t", "ndjson", path)
    if status != 0:
        return None
    sums = {}
    for line in out.decode().splitlines():
        row = json.loads(line, parse_float=fractions.Fraction)
        for name, value in row["values"].items():
            of = sums.setdefault((row["kind"], row["units"][name]), {})
            of[name] = max(of.get(name, 0), value) if name == "depth" else of.get(name, 0) + value
    return sums


def amounts(sums):
    return {total for of in sums.values() for total in of.values()}


def records(path, form):
    return int(run("profcat", "-q", "-c", "-f", form, path)[1].split()[0])


def inputs(top, form, known, scratch):
    files = [path for path in glob.glob(os.path.join(top, form, "**"), recursive=True)
             if os.path.isfile(path) and not re.search(r"expected|\.json|\.md$|\.txt\.|README", path)]
    files.sort(key=lambda path: (os.path.getsize(path), path))
    good = [path for path in files if totals(path, form)]
    if good:
        return good[:: max(1, len(good) // FILES)][:FILES]
    made = []
    for other, path in known.items():
        out = os.path.join(scratch, f"{form}-{other}")
        if run("profcat", "-q", "-t", form, "-o", out, path)[0] == 0:
            made.append(out)
    return made[:FILES]


def check_pair(path, form, to, facts, scratch):
    out = os.path.join(scratch, "out")
    if os.path.exists(out):
        os.remove(out)
    status, _, err = run("profcat", "-f", form, "-t", to, "-o", out, path)
    where = f"{path}: {form} to {to}"
    if status == 2 or status == 3 and TOO_GREAT.search(err):
        if os.path.exists(out):
            return f"{where}: refused, but there is a file"
        return None if status == 3 or REASON.search(err) else f"{where}: refused without a reason: {err}"
    if status != 0:
        return f"{where}: status {status}: {err}"
    if not facts[0]:
        return None
    before, after = totals(path, form), totals(out, to)
    if after is None:
        return f"{where}: what was written cannot be read"
    if form != to and to in COUNTS_RECORDS:
        after.get(("sample", "count"), {}).pop(COUNTS_RECORDS[to], None)
    # If there are only stacks, nytprof's writer makes lines and callers from them, and one call for each.
    if form != to and to == "nytprof" and all(kind == "sample" for kind, _ in before):
        after = {key: of for key, of in after.items() if key == ("sample", "nanoseconds")}
    # callgrind's writer makes lines with the totals of the stacks, and calls with other totals.
    stacks_become_calls = form != to and to == "callgrind" and any(kind == "sample" for kind, _ in before)
    if stacks_become_calls and all(kind == "sample" for kind, _ in before):
        after = {key: of for key, of in after.items() if key[0] == "flat"}
    strange = amounts(after) - amounts(before) - {0}
    # pstats knows more about functions than about calls, so the calls are adapted to the functions: see check/pystats.py.
    if form == "pstats" and to in ("nytprof", "pynytprof"):
        strange -= amounts({key: of for key, of in after.items() if key[0] == "edge"})
    if to == "pynytprof":  # ticks of 100 ns: each record may be rounded by one
        strange = {total for total in strange if not any(abs(total - other) < 100 * records(path, form) for other in amounts(before))}
    if strange:
        return f"{where}: totals that were not there: {sorted(strange)} of {after}, had {before}"
    lost = {kind for kind, _ in before} - {kind for kind, _ in after}
    if stacks_become_calls and any(kind == "flat" for kind, _ in after):
        lost.discard("sample")
    # Flat records become samples of one frame, but are left out if there are samples.
    if to == "pprof" and any(kind == "sample" for kind, _ in after):
        lost.discard("flat")
    if lost & set(facts[2]) and any(value for (kind, _), of in before.items() if kind in lost for value in of.values()):
        return f"{where}: all {sorted(lost)} records are gone"
    if not facts[3] and before != after:
        return f"{where}: says it loses nothing: {before} became {after}"
    return None


def main():
    top, scratch, known, bad, pairs = sys.argv[1], os.environ["BATS_TEST_TMPDIR"], {}, [], 0
    all_formats = formats()
    own = os.path.join(os.environ["PROFUTILS_SRC"], "tests", "corpus")  # formats that have other names in DIR
    for form, facts in sorted(all_formats.items(), key=lambda item: not os.path.isdir(os.path.join(top, item[0]))):
        if not facts[0]:
            continue
        files = inputs(top, form, known, scratch) or inputs(own, form, known, scratch)
        if not files:
            bad.append(f"{form}: no profile to begin with")
            continue
        known[form] = files[len(files) // 2]
        for path in files:
            for to, target in all_formats.items():
                if target[1]:
                    pairs += 1
                    bad.append(check_pair(path, form, to, target, scratch))
    bad = [text for text in bad if text]
    print("\n".join(bad))
    print(f"{pairs} pairs, {len(bad)} wrong")
    return bool(bad) or pairs == 0


if __name__ == "__main__":
    sys.exit(main())
