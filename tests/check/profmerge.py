#!/usr/bin/env python3
"""Compares profmerge with a second computation.

    profmerge.py weights SEED RUNS     weighted sums, means and clamping of random native streams, computed with fractions
    profmerge.py sums [-g] FILE...     every row of a merge is the sum of the rows of the inputs; with -g, of rows without lines
    profmerge.py nytprof EXPECTED FILE...
                                       lines, callers and subs of a merge are those that Devel::NYTProf finds in nytprofmerge's
    profmerge.py loaded EXPECTED FILE...
                                       the same for the results of Devel::NYTProf on a merge written as NYTProf
    profmerge.py random SEED FILE      write a random native stream
    profmerge.py slid DIRECTORY        write the same samples of a program whose libraries were mapped at other places, run0 and run1
    profmerge.py builds DIRECTORY      write samples of two builds of a program, build0 and build1

Programs are found through $PATH.
"""
import fractions
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
from fractions import Fraction

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "reference")]
import pfs  # noqa: E402
from proffilter import Stream, Tables  # noqa: E402

MAX, MIN = 2 ** 63 - 1, -2 ** 63


def run(*command):
    return subprocess.run(command, capture_output=True, timeout=60, check=False)


def rows_of(*command):
    done = run(*command)
    if done.returncode != 0:
        sys.exit(f"status {done.returncode}: {' '.join(command)}: {done.stderr.decode()}")
    return [json.loads(line, parse_float=fractions.Fraction) for line in done.stdout.decode().splitlines()]


# --- weights ---


def stream(values, measures=(("cycles", 0),)):
    """A native stream of flat records: record k is function f<k> and has values[m][k] of measure m."""
    tables = Tables()
    numbers = [tables.add(pfs.MEASURES, (tables.string(name), tables.string("count"), 1, 0, 3, greatest, 1, 1, 0, 0, 0)) - 1
               for name, greatest in measures]
    places = []
    for k in range(len(values[0])):
        function = tables.add(pfs.FUNCTIONS, (tables.string(f"f{k}"), 0, tables.string("x.c"), 0))
        places.append(tables.add(pfs.LOCATIONS, (function, 0, 0, 0, 0, 0, 0)))
    columns = [(3, places)] + [(256 + n, list(column)) for n, column in zip(numbers, values)]
    rows = len(places)
    out = pfs.frame_bytes("H", 0, struct.pack("<BB6x", 1, 0)) + tables.frames()
    out += pfs.frame_bytes("B", 2, b"".join(pfs.column_bytes(n, v) for n, v in columns), rows, 1)
    payload = struct.pack("<Q", rows)
    return out + pfs.frame_bytes("E", 0, payload + struct.pack("<Q", len(out) + 32 + len(payload) + 8), rows, 2)


def half_even(value):
    return round(value)  # a Fraction rounds half to even


def random_weight(choose):
    kind = choose.randrange(6)
    if kind == 0:
        return str(choose.choice((0, 1, 1, 2, 3, 7, 1000, -1, -2)))
    if kind == 1:
        return f"{choose.randrange(-3, 4)}.{choose.randrange(1000):03}".replace("-0.", "-1.")
    if kind == 2:
        return f"{choose.randrange(-9, 10)}/{choose.choice((2, 3, 4, 6, 7, 8, 9, 12))}"
    return choose.choice(("1", "0.5", "1/3", "2/3", "0.25", "-0.5", "+1", "1.0"))


def random_value(choose):
    size = choose.choice((1, 3, 8, 30, 62))
    return choose.randrange(-2 ** size, 2 ** size + 1)


def merge_values(options, operands):
    """Values by function, or the error message."""
    done = run("profmerge", *options, *operands, "-t", "ndjson")
    if done.returncode != 0:
        return done.returncode, done.stderr.decode()
    rows = [json.loads(line, parse_float=fractions.Fraction) for line in done.stdout.decode().splitlines()]
    return 0, {row["stack"][0]["function"]: row["values"] for row in rows}


def one_run(choose, directory):
    """Compares random cases with fractions. Returns their number."""
    inputs, records, cases = choose.randrange(1, 6), choose.randrange(1, 60), 0
    weights = [random_weight(choose) for _ in range(inputs)]
    amounts = [Fraction(weight) for weight in weights]
    mean = choose.random() < 0.3 and sum(amounts) != 0
    values = [[[random_value(choose) for _ in range(records)], [choose.randrange(100) for _ in range(records)]] for _ in range(inputs)]
    operands = []
    for k in range(inputs):
        path = os.path.join(directory, f"{k}.pfs")
        with open(path, "wb") as out:
            out.write(stream(values[k], (("cycles", 0), ("depth", 1))))
        operands += ["-w", f"{weights[k]}:{path}"]
    met = [k for k in range(inputs) if amounts[k] != 0]
    want = {}
    for record in range(records):
        exact = sum((amounts[k] * values[k][0][record] for k in met), Fraction(0))
        want[f"f{record}"] = half_even(exact / sum(amounts) if mean else exact)
    leaves = {name for name, value in want.items() if not MIN <= value <= MAX}
    options = ["--mean"] if mean else []
    status, got = merge_values(options, operands)
    if leaves:
        if status != 3 or "'cycles' overflows 64 bits" not in got or not re.search(r"record \d+, of 'f\d+'", got):
            sys.exit(f"{weights}: a sum overflows 64 bits: status {status}: {got}")
        if re.search(r"of '(f\d+)'", got).group(1) not in leaves:
            sys.exit(f"{weights}: {got.strip()}: not one of {sorted(leaves)}")
        status, got = merge_values(options + ["--saturate", "-q"], operands)
        want = {name: max(MIN, min(MAX, value)) for name, value in want.items()}
    if status != 0:
        sys.exit(f"status {status}: {options} {operands}: {got}")
    for name, value in want.items() if met else ():
        cases += 1
        if got[name]["cycles"] != value:
            sys.exit(f"{weights} {options}: {name} is {got[name]['cycles']}, expected {value}")
        depth = max(values[k][1][int(name[1:])] for k in met)
        if got[name]["depth"] != depth:
            sys.exit(f"{weights}: the greatest of {name} is {got[name]['depth']}, expected {depth}")
    if not met and got:
        sys.exit(f"{weights}: weight 0 leaves records: {got}")
    return cases


def weights(seed, runs):
    choose, cases = random.Random(int(seed)), 0
    with tempfile.TemporaryDirectory() as directory:
        for _ in range(int(runs)):
            cases += one_run(choose, directory)
    print(f"{cases} weighted sums are exact")


# --- sums of rows ---

GREATEST = ("depth",)


def key_of(row, coarse):
    def frame(one):
        fields = dict(one, image="")  # which may have another name in each input
        if coarse:
            fields.update(line=0, column=0, address="")
        text = json.dumps(fields, sort_keys=True)
        # evals with the same text are one eval, whatever their numbers (check/evals.py)
        return re.sub(r"\(eval \d+\)|(?<=\]) #\d+|(?<=\d\)) #\d+", lambda m: "(eval)" * m.group().startswith("("), text)

    labels = {key: value for key, value in row["labels"].items() if key != "fid"}
    return row["kind"], tuple(frame(one) for one in row["stack"]), tuple(row["sections"]), json.dumps(labels, sort_keys=True)


def add_rows(sums, rows, coarse=False):
    for row in rows:
        values = sums.setdefault(key_of(row, coarse), {})
        for name, value in row["values"].items():
            known = (name, row["units"][name])
            old = values.get(known, 0)
            values[known] = max(old, value) if name in GREATEST else old + value


def sums(*files):
    coarse = files[0] == "-g"
    files = files[1:] if coarse else files
    want, got = {}, {}
    for file in files:
        add_rows(want, rows_of("profcat", "-q", "-t", "ndjson", file), coarse)
    add_rows(got, rows_of("profmerge", "-q", *(["-g", "function"] if coarse else []), "-t", "ndjson", *files), coarse)
    if any(unit == "raw" for values in got.values() for _, unit in values):
        return  # decimal counts: their rows have different units
    for key in want.keys() | got.keys():
        a, b = want.get(key), got.get(key)
        # a measure that an input does not have counts as 0
        if a is None or b is None or any(a.get(name, 0) != b.get(name, 0) for name in a.keys() | b.keys()):
            sys.exit(f"{' '.join(files)}: {key}: {b}, expected {a}")


# --- NYTProf ---


def seconds(value):
    return Fraction(value).limit_denominator(10 ** 9)


def json_of(path):
    with open(path, encoding="utf-8") as stream_of:
        return json.load(stream_of)


def lines_of(profiles):
    lines = {}
    for told in profiles:
        for place, (count, time) in told["fid_line_time"].items():
            fid, line = place.split(":")
            old = lines.setdefault((told["fids"][fid]["name"], int(line)), [0, Fraction(0)])
            old[0] += count
            old[1] += seconds(time)
    return {place: [count, round(time * 10 ** 9)] for place, (count, time) in lines.items()}


def nytprof(expected, *files):
    told = json_of(expected)
    names = {fid: row["name"] for fid, row in told["fids"].items()}
    lines, edges, subs = {}, {}, {}
    for row in rows_of("profmerge", "-q", "-t", "ndjson", *files):
        values, frame = row["values"], row["stack"][0]
        if row["kind"] == "flat":
            old = lines.setdefault((frame["file"], frame["line"]), [0, 0])
            old[0] += values["stmts"]
            old[1] += values["time"]
        elif row["kind"] == "edge":
            caller = row["stack"][1]
            old = edges.setdefault((frame["function"], caller["file"], caller["line"]), [0, 0, 0, 0, 0])
            total = subs.setdefault(frame["function"], [0, 0, 0, 0, 0])
            for to in (old, total):
                for k, name in enumerate(("calls", "incl", "excl", "reci")):
                    to[k] += values[name]
                to[4] = max(to[4], values["depth"])
    want, parts = lines_of([told]), lines_of([json_of(re.sub(r"\.nyt$", ".expected.json", file)) for file in files])
    for place, (count, _) in want.items():
        if parts[place][0] > count:  # nytprofmerge applies a discount at the end of one file to the first line of the next
            want[place][0] = parts[place][0]
    compare("line", want, lines)
    want = {}
    for sub, places in told["callers"].items():
        for place, call in places.items():
            fid, line = place.split(":")
            if call["count"]:
                want[sub, names.get(fid, ""), int(line)] = [call["count"]] + [round(seconds(call[key]) * 10 ** 9)
                                                                              for key in ("incl", "excl", "reci")] + [call["depth"]]
    compare("caller", want, edges)
    want = {name: [sub["calls"]] + [round(seconds(sub[key]) * 10 ** 9) for key in ("incl_time", "excl_time", "reci_time")] +
            [sub["rec_depth"]] for name, sub in told["subs"].items() if sub["calls"]}
    compare("sub", want, subs)


def callers_of(told):
    names = {fid: row["name"] for fid, row in told["fids"].items()}
    return {(sub, names.get(place.split(":")[0], ""), place.split(":")[1]):
            [call["count"], call["depth"], *(round(seconds(call[key]) * 10 ** 9) for key in ("incl", "excl", "reci")), call["caller_subs"]]
            for sub, places in told["callers"].items() for place, call in places.items() if call["count"]}


def loaded(expected, *files):
    told = json_of(expected)
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "merged.nyt")
        done = run("profmerge", "-q", "-t", "nytprof", "-o", path, *files)
        if done.returncode != 0:
            sys.exit(f"status {done.returncode}: {done.stderr.decode()}")
        got = json.loads(run("perl", os.path.join(HERE, "nytprof_load.pl"), path).stdout)
    want, parts = lines_of([told]), lines_of([json_of(re.sub(r"\.nyt$", ".expected.json", file)) for file in files])
    for place, (count, _) in want.items():
        if parts[place][0] > count:
            want[place][0] = parts[place][0]
    compare("line", {place: value for place, value in want.items() if value != [0, 0]},
            {place: value for place, value in lines_of([got]).items() if value != [0, 0]})
    compare("caller", callers_of(told), callers_of(got))
    for key in ("application", "basetime", "complete", "cumulative_overhead_ticks", "profiler_duration", "ticks_per_sec", "total_sub_calls"):
        if got["attributes"].get(key) != told["attributes"].get(key):
            sys.exit(f"attribute {key}: {got['attributes'].get(key)}, expected {told['attributes'].get(key)}")


def compare(what, want, got):
    for key in want.keys() | got.keys():
        if want.get(key) != got.get(key):
            sys.exit(f"{what} {key}: {got.get(key)}, expected {want.get(key)}")


# --- places ---


def slid(directory):
    """Writes two runs of one program with three samples each: in a library with a build id, in one without, and in memory without a file."""
    for number, start in enumerate((0x7f0000400000, 0x7f0000100000)):
        tables = Tables()
        string, add = tables.string, tables.add
        measure = add(pfs.MEASURES, (string("samples"), string("count"), 0, 2, 1, 0, 1, 1, 0, 0, 1)) - 1
        images = [add(pfs.IMAGES, (string(f"/tmp/{number}/lib.so" if build else name), string(build), begin, begin + 0x2000, offset, 0, 0, 0))
                  for name, build, begin, offset in (("", "abc123", start, 0x1000), ("/lib/plain.so", "", start + 0x10000, 0),
                                                     ("//anon", "", start + 0x20000, 0))]
        stacks = [add(pfs.STACKS, (0, add(pfs.LOCATIONS, (0, 0, image, start + 0x10000 * k + 0x123, 0, 0, 0))))
                  for k, image in enumerate(images)]
        out = pfs.frame_bytes("H", 0, struct.pack("<BB6x", 1, 0)) + tables.frames()
        out += pfs.frame_bytes("B", 1, pfs.column_bytes(1, stacks) + pfs.column_bytes(256 + measure, [1, 10, 100]), 3, len(stacks) + 1)
        payload = struct.pack("<Q", 3)
        out += pfs.frame_bytes("E", 0, payload + struct.pack("<Q", len(out) + 32 + len(payload) + 8), 3, 2)
        with open(os.path.join(directory, f"run{number}.pfs"), "wb") as to:
            to.write(out)


def builds(directory):
    """Writes two builds of one program: f moved by two lines, a function without a name is new, g stayed."""
    places = ([("f", 8, 10, 1), ("Perl::__ANON__", 30, 31, 10), ("g", 4, 5, 100)],
              [("f", 9, 12, 1), ("Perl::__ANON__", 30, 31, 10), ("Perl::__ANON__", 40, 41, 1000), ("g", 4, 5, 100)])
    for number, rows in enumerate(places):
        tables = Tables()
        string, add = tables.string, tables.add
        measure = add(pfs.MEASURES, (string("samples"), string("count"), 0, 2, 1, 0, 1, 1, 0, 0, 1)) - 1
        image = add(pfs.IMAGES, (string("/bin/x"), string(f"build{number}"), 0x1000, 0x2000, 0, 0, 0, 0))
        stacks = []
        for k, (name, first, line, _) in enumerate(rows):
            function = add(pfs.FUNCTIONS, (string(name), 0, string("x.c"), first))
            stacks.append(add(pfs.STACKS, (0, add(pfs.LOCATIONS, (function, line, image, 0x1000 + 16 * k + number, 0, 0, 0)))))
        out = pfs.frame_bytes("H", 0, struct.pack("<BB6x", 1, 0)) + tables.frames()
        values = pfs.column_bytes(256 + measure, [row[3] for row in rows])
        out += pfs.frame_bytes("B", 1, pfs.column_bytes(1, stacks) + values, len(rows), len(stacks) + 1)
        payload = struct.pack("<Q", len(rows))
        out += pfs.frame_bytes("E", 0, payload + struct.pack("<Q", len(out) + 32 + len(payload) + 8), len(rows), 2)
        with open(os.path.join(directory, f"build{number}.pfs"), "wb") as to:
            to.write(out)


def random_file(seed, path):
    with open(path, "wb") as to:
        to.write(Stream(int(seed)).bytes())


if __name__ == "__main__":
    {"weights": weights, "sums": sums, "nytprof": nytprof, "loaded": loaded, "random": random_file, "slid": slid,
     "builds": builds}[sys.argv[1]](*sys.argv[2:])
