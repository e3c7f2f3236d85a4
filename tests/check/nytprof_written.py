#!/usr/bin/env python3
"""Compares NYTProf files that profcat writes with the originals, through the profiler's own library and tools.

    nytprof_written.py loaded MODE DIR    Devel::NYTProf::Data (nytprof_load.pl) loads every rewritten file and gives the same as
                                          NAME.expected.json[.gz], which it made from the original
    nytprof_written.py same DIR           read(write(x)) = x, plain and deflated: all records, and the bytes of a second writing
    nytprof_written.py tools DIR [NAME]...   nytprofcsv, nytprofcg and nytprofhtml print the same for the rewritten file as for the
                                          original, and no other complaints
    nytprof_written.py calls DIR          nytprofcalls finds the same stacks in the rewritten file and the original
    nytprof_written.py joined DIR         two files written as one have the sums of both, and those of nytprofmerge
    nytprof_written.py made               the same for generated files: any times, rates and orders of calls
MODE: nytprof, plain or both, as in nytprof.py. Differences are printed; the exit status is 1 if there are any.
"""
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys

import nytprof

LOAD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "nytprof_load.pl")


def write(mode, path, target):
    """Rewrites a file with --salvage, so that cut files can be used too."""
    chain = [list(stage) for stage in nytprof.THROUGH[mode]]
    chain[0] += ["--salvage", path]
    out, status, messages = nytprof.run(chain)
    with open(target, "wb") as file:
        file.write(out)
    return status, messages


def close(a, b):
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return abs(a - b) <= 2e-12 + 1e-12 * max(abs(a), abs(b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(close(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(close, a, b))
    if isinstance(a, str) and isinstance(b, str) and a != b:
        try:
            return abs(float(a) - float(b)) <= 1e-9 * max(abs(float(a)), abs(float(b)))
        except ValueError:
            return False
    return a == b


def same_warnings(ours, theirs):
    """True if the original has all warnings of the rewritten file, apart from places in the file and repeats."""
    def plain(warnings):
        return {re.sub(r" at \S+ line \d+\.?$", "", line.strip()) for line in warnings if line.strip()}

    return plain(ours) - plain(theirs) == set()


PARTS = ("attributes", "options", "fids", "fid_line_time", "fid_block_time", "fid_sub_time", "srclines_per_fid", "subs", "callers")


def compare_loaded(report, path, ours, theirs, expected):
    if ours["load_error"]:
        if not expected["load_error"]:
            report.differ(path, "does not load:", ours["load_error"])
        return
    if expected["load_error"] or expected["stream_error"]:
        return
    if not same_warnings(ours["warnings"], theirs["warnings"]):
        report.differ(path, "warnings:", ours["warnings"], "not", theirs["warnings"])
    for part in PARTS:
        got, want = ours.get(part) or {}, expected.get(part) or {}
        # The loader counts several DISCOUNT in a row differently: by the rule only one counts.
        if "discount" in path and part in ("attributes", "fid_line_time"):
            continue
        for key in sorted(set(got) | set(want)):
            if not close(got.get(key), want.get(key)):
                report.differ(path, "%s %s: %r, not %r" % (part, key, got.get(key), want.get(key)))


def check_loaded(report, mode, folder):
    os.makedirs("written", exist_ok=True)
    wanted = []
    for path, _, expected in nytprof.profiles(folder):
        target = os.path.join("written", os.path.basename(path))
        status, messages = write(mode, path, target)
        report.equal(path, "status (%s)" % messages, status, 0)
        wanted.append((path, target, expected))
    files = [target for _, target, _ in wanted] + [path for path, _, _ in wanted]
    result = subprocess.run(["perl", LOAD] + files, stdout=subprocess.PIPE, check=False, timeout=300)
    report.equal(LOAD, "status", result.returncode, 0)
    rows = {row["file"]: row for row in map(json.loads, result.stdout.splitlines())}
    for path, target, expected in wanted:
        report.count += 1
        if target in rows:
            compare_loaded(report, path, rows[target], rows[path], expected)
        else:
            report.differ(path, "was not loaded")


# ---- Twice ----


def dump(path):
    out, status, messages = nytprof.run([("profcat", "--salvage", "-t", "text", path)])
    lines = [line for line in out.splitlines() if b"Compressed at level" not in line and b"profutils  input" not in line]
    return lines, status, messages


def check_same(report, folder):
    for path, _, _ in nytprof.profiles(folder):
        want, _, _ = dump(path)
        for mode in ("nytprof", "plain", "both"):
            write(mode, path, "first.nyt")
            report.count += 1
            got, status, messages = dump("first.nyt")
            report.equal(path, "status (%s)" % messages, status, 0)
            for ours, theirs in zip(got + [b""] * (len(want) - len(got)), want + [b""] * (len(got) - len(want))):
                if not report.equal(path, "a record (%s)" % mode, ours, theirs):
                    break
            write("nytprof" if mode == "nytprof" else "plain", "first.nyt", "second.nyt")
            with open("first.nyt", "rb") as first, open("second.nyt", "rb") as second:
                if first.read() != second.read():
                    report.differ(path, "written twice it is another file (%s)" % mode)


# ---- Files made here ----


def varint(number):
    number &= 0xFFFFFFFF
    if number < 0x80:
        return bytes([number])
    if number < 0x4000:
        return (number | 0x8000).to_bytes(2, "big")
    if number < 0x200000:
        return (number | 0xC00000).to_bytes(3, "big")
    if number < 0x10000000:
        return (number | 0xE0000000).to_bytes(4, "big")
    return b"\xff" + number.to_bytes(4, "big")


def text(body):
    return b"'" + varint(len(body)) + body


def random_profile(chance, order):
    def real(value):
        return struct.pack(order + "d", value)

    rate = chance.choice([1000000, 10000000, 3579545, 1000000000])
    parts = [b"NYTProf 5 0\n#made\n:application=a b\n:nv_size=8\n:ticks_per_sec=%d\n!calls=2\n" % rate]
    subs = [b"P%d::s%d" % (k % 3, k) for k in range(12)]
    for process in range(chance.randint(1, 3)):
        parts.append(b"P" + varint(10 + process) + varint(1) + real(1.7e9 + process / 7))
        for fid in range(1, 6) if process == 0 else []:
            parts.append(b"@" + b"".join(map(varint, (fid, 0, 0, 18, 100 * fid, 0))) + text(b"/f%d.pl" % fid))
        depth = 0
        for _ in range(chance.randint(0, 300)):
            fid, line, ticks = chance.randint(1, 5), chance.randint(1, 9), chance.choice([0, 1, 77, -3, 2**31 - 1, -(2**31), 70000])
            if chance.random() < 0.4:
                parts.append((b"-" if chance.random() < 0.2 else b"") + b"+" + varint(ticks) + varint(fid) + varint(line))
            elif chance.random() < 0.2:
                parts.append(b"*" + b"".join(map(varint, (ticks, fid, line, max(line - 1, 1), 1))))
            else:
                # Calls mostly return in order; sometimes calls that never returned remain.
                step = chance.choice([0, 0, 1, 1, 1, -1, -1, -1, 2, 3, -2])
                depth = min(max(depth + step, 1), 40)
                self = chance.choice([ticks, chance.random() * 1e6, chance.randint(0, 2**32), chance.random()])
                parts.append(b"<" + varint(depth) + real(self) + real(self) + text(chance.choice(subs)))
        parts.append(b"p" + varint(10 + process) + real(1.7e9 + process / 7 + 1))
    for at, name in enumerate(subs[:9]):
        parts.append(b"s" + varint(at % 5 + 1) + text(name) + varint(at + 1) + varint(at + 3))
    for _ in range(chance.randint(0, 60)):
        times = [chance.choice([chance.randint(-5, 2**30) / rate, chance.random() * 9, chance.random() * 1e-6]) for _ in range(3)]
        if chance.random() < 0.5:
            times = [chance.randint(0, 2**31) / rate for _ in times]
        parts.append(b"c" + varint(chance.randint(1, 5)) + varint(chance.randint(1, 9)) + text(chance.choice(subs))
                     + varint(chance.choice([0, 1, 5, 2**32 - 1])) + b"".join(map(real, times)) + varint(chance.randint(0, 9))
                     + text(chance.choice(subs)))
    return b"".join(parts)


def check_made(report):
    # The greatest file number
    last = 2**32 - 1
    with open("last.nyt", "wb") as file:
        file.write(b"NYTProf 5 0\n:nv_size=8\n:ticks_per_sec=10000000\n@" + b"".join(map(varint, (last, 0, 0, 0, 0, 0))) + text(b"/b.pl")
                   + b"+" + b"".join(map(varint, (5, last, 1))))
    write("plain", "last.nyt", "first.nyt")
    profile = nytprof.Profile(open("first.nyt", "rb").read())
    report.equal("last", "files", [(row[0], row[6]) for row in profile.files], [(last, b"/b.pl")])
    report.equal("last", "lines", dict(profile.lines), {(last, 1): [1, 5]})
    for seed in range(150):
        chance = random.Random(seed)
        with open("made.nyt", "wb") as file:
            file.write(random_profile(chance, chance.choice("<<>")))
        want, status, messages = dump("made.nyt")
        report.equal("seed %d" % seed, "status (%s)" % messages, status, 0)
        write("plain", "made.nyt", "first.nyt")
        got, status, messages = dump("first.nyt")
        report.count += 1
        report.equal("seed %d" % seed, "status (%s)" % messages, status, 0)
        report.equal("seed %d" % seed, "number of lines", len(got), len(want))
        for ours, theirs in zip(got, want):
            if not report.equal("seed %d" % seed, "a record", ours, theirs):
                break


# ---- Tools ----


def tool(name, path):
    """Runs a tool. Returns its output files as text, and its messages."""
    shutil.rmtree("tool", ignore_errors=True)
    options = {"nytprofcsv": ["-o", "tool", "-f"], "nytprofcg": ["-o", "tool", "-f"], "nytprofhtml": ["--no-flame", "-o", "tool", "-f"]}
    result = subprocess.run([name] + options[name] + [path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=120)
    said = [line for line in result.stdout.decode("utf-8", "replace").splitlines() if re.search(r"\bat \S+ line \d+|warn|error|Fid|fid ", line)]
    texts = {}
    for folder, _, names in os.walk("tool"):
        for entry in names:
            with open(os.path.join(folder, entry), "rb") as file:
                texts[os.path.relpath(os.path.join(folder, entry), "tool")] = file.read()
    if os.path.isfile("tool"):
        with open("tool", "rb") as file:
            texts["tool"] = file.read()
        os.unlink("tool")
    return result.returncode, said, texts


def same_text(ours, theirs):
    """True if two outputs are the same except for the names of files, times, and the last digit of sums of doubles."""
    def lines(text):
        return [line for line in text.splitlines() if not re.match(rb"(# |cmd|creator|version|pid|part)", line)]

    def fields(line):
        return [float(text) if re.fullmatch(rb"\d+\.\d{6}", text) else text for text in line.split(b",")]

    def equal(a, b):
        return a == b or isinstance(a, float) and isinstance(b, float) and abs(a - b) < 1.5e-6

    ours, theirs = lines(ours), lines(theirs)
    if sorted(ours) == sorted(theirs):
        return True
    return len(ours) == len(theirs) and all(
        len(fields(a)) == len(fields(b)) and all(map(equal, fields(a), fields(b))) for a, b in zip(ours, theirs))


def check_tools(report, folder, names):
    for path, _, expected in nytprof.profiles(folder):
        if expected["load_error"] or expected["stream_error"] or (names and os.path.basename(path) not in names):
            continue
        status, messages = write("nytprof", path, "written.nyt")
        report.equal(path, "status (%s)" % messages, status, 0)
        report.count += 1
        for name in ("nytprofcsv", "nytprofcg", "nytprofhtml"):
            status, said, texts = tool(name, "written.nyt")
            before, said_before, texts_before = tool(name, path)
            if status and not before:
                report.differ(path, name, "gives", status, said)
            if not same_warnings(said, said_before):
                report.differ(path, name, "says", said, "not", said_before)
            if name == "nytprofhtml":
                report.equal(path, "pages", sorted(texts), sorted(texts_before))
                continue
            if "discount" in path:
                continue
            for entry in sorted(set(texts) | set(texts_before)):
                if not same_text(texts.get(entry, b""), texts_before.get(entry, b"")):
                    report.differ(path, name, "has another", entry)


# ---- Calls ----


def check_calls(report, folder):
    for path, _, _ in nytprof.profiles(folder):
        wanted = path[:-4] + ".expected.calls.txt"
        if not os.path.exists(wanted):
            continue
        with open(wanted, "rb") as file:
            theirs = dict(line.rsplit(b" ", 1) for line in file.read().splitlines())
        if b"FAILED" in next(iter(theirs), b""):
            continue
        write("nytprof", path, "written.nyt")
        result = subprocess.run(["nytprofcalls", "--stable", "written.nyt"], stdout=subprocess.PIPE, check=False, timeout=60)
        report.equal(path, "nytprofcalls' status", result.returncode, 0)
        ours = dict(line.rsplit(b" ", 1) for line in result.stdout.splitlines())
        report.count += 1
        report.equal(path, "stacks", sorted(ours), sorted(theirs))
        for stack in ours.keys() & theirs.keys():
            # nytprofcalls truncates sums of doubles to whole ticks.
            if abs(int(ours[stack]) - int(theirs[stack])) > 1:
                report.differ(path, stack, "has", ours[stack], "not", theirs[stack])


# ---- Several inputs ----

JOINED = [("recurse_calls2.nyt", "gotos_z.nyt"), ("gotos_z.nyt", "gotos_blocks.nyt"), ("recurse_c1.nyt", "multi_init.nyt")]


def by_name(row):
    """Lines and callers by names of files instead of numbers."""
    def place(key):
        fid, line = key.split(":")
        return row["fids"][fid]["name"] + ":" + line

    tables = {part: {place(key): value for key, value in row[part].items()} for part in ("fid_line_time", "fid_block_time", "fid_sub_time")}
    callers = {sub: {place(key): value for key, value in places.items()} for sub, places in row["callers"].items()}
    files = {file["name"]: {key: file[key] for key in ("flags", "size", "mtime")} for file in row["fids"].values()}
    attributes = {key: value for key, value in row["attributes"].items() if not key.startswith("profiler_end")}
    return dict(tables, callers=callers, files=files, attributes=attributes, options=row["options"])


def added(a, b):
    """Sums of two tables or calls; of two depths the greater."""
    if isinstance(a, dict) and isinstance(b, dict):
        return {key: max(a[key], b[key]) if key == "depth" else added(a[key], b[key]) if key in a and key in b else a.get(key, b.get(key))
                for key in a.keys() | b.keys()}
    if isinstance(a, list) and all(isinstance(entry, str) for entry in a):
        return sorted(set(a) | set(b))
    return [x + y for x, y in zip(a, b)] if isinstance(a, list) else a + b


def check_joined(report, folder):
    for names in JOINED:
        paths = [os.path.join(folder, "nytprof", name) for name in names]
        out, status, messages = nytprof.run([("profcat", "-t", "nytprof", *paths)])
        report.equal(paths[0], "status (%s)" % messages, status, 0)
        with open("ours.nyt", "wb") as file:
            file.write(out)
        subprocess.run(["nytprofmerge", "-o", "theirs.nyt"] + paths, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True,
                       timeout=60)
        result = subprocess.run(["perl", LOAD, "ours.nyt", "theirs.nyt"] + paths, stdout=subprocess.PIPE, check=True, timeout=60)
        ours, theirs, first, second = map(by_name, map(json.loads, result.stdout.splitlines()))
        report.count += 1
        # nytprofmerge lets a DISCOUNT at the end of the first file discount a statement of the second: lines are those of both.
        for part in ("fid_line_time", "fid_block_time", "fid_sub_time", "callers"):
            theirs[part] = added(first[part], second[part])
        del theirs["attributes"]["total_stmts_discounted"], ours["attributes"]["total_stmts_discounted"]
        for part, want in theirs.items():
            for key in sorted(set(want) | set(ours[part])):
                if not close(ours[part].get(key), want.get(key)):
                    report.differ(" and ".join(names), "%s %s: %r, not %r" % (part, key, ours[part].get(key), want.get(key)))


def main(words):
    report = nytprof.Report()
    if words[0] == "loaded":
        check_loaded(report, words[1], words[2])
    elif words[0] == "same":
        check_same(report, words[1])
    elif words[0] == "made":
        check_made(report)
    elif words[0] == "tools":
        check_tools(report, words[1], words[2:])
    elif words[0] == "calls":
        check_calls(report, words[1])
    elif words[0] == "joined":
        check_joined(report, words[1])
    else:
        sys.exit(__doc__)
    report.leave()


if __name__ == "__main__":
    main(sys.argv[1:])
