#!/usr/bin/env python3
"""Tests the programs with dumps of Python's profilers, which Python's own marshal and pstats read for comparison.

    pystats.py read MODE DIR    records of every dump; MODE: direct or pfs
    pystats.py tables DIR       flat and cumulative values and calls of functions are those of pstats
    pystats.py packages DIR     the time of packages is that of the modules of Python
    pystats.py written DIR      values of subs in NYTProf and Pynytprof files written from the dumps are those of pstats, by name; decoders
                                are those of nytprof.py and pynytprof.py, and Devel::NYTProf if installed
    pystats.py made .           generated dumps in all versions of marshal, and of Python 2 and profile

Differences are printed; the exit status is 1 when there are any. PROFUTILS_BIN is the directory of the programs.
"""
import cProfile
import collections
import fractions
import glob
import io
import json
import marshal
import os
import profile
import pstats
import re
import struct
import subprocess
import sys

import nytprof
import pynytprof

BIN = os.environ["PROFUTILS_BIN"]
NAMES = ("calls", "primitive_calls", "tt", "ct")
failed = False


def differ(*what):
    global failed
    failed = True
    print(*what)


def nanoseconds(seconds):
    return round(fractions.Fraction(seconds) * 10**9)


def module(file, name):
    """The module of a function, as `import` names it."""
    if file == "~":
        built_in = re.match(r"<built-in method (?:([^ ]*)\.)?[^. ]*( of type object.*)?>$", name)
        method = re.match(r"<(?:method|slot wrapper) '.*' of '(?:(.*)\.)?[^.]*' objects>$", name)
        if method:
            return method[1] or "builtins"
        return built_in[1] or ("builtins" if built_in[2] else "")
    frozen = re.match("<frozen (.*)>$", file)
    if frozen:
        return frozen[1]
    if file.startswith("<"):
        return ""
    for known in (r".*/(?:site|dist)-packages/", r".*/lib/python\d+\.\d+/", r".*/src/", r"(?:\.\.?/)*(?!/)"):
        path = re.match(known, file)
        if path:
            return re.sub(r"(/__init__)?\.py$", "", file[path.end() :]).replace("/", ".")
    return file[: -len(".py")]


def rows(stats):
    flat, edge = {}, {}
    for function, (primitive, calls, own, cumulative, callers) in stats.items():
        flat[function] = (calls, primitive, nanoseconds(own), nanoseconds(cumulative))
        for caller, value in callers.items():
            if isinstance(value, int):
                value = (value, 0, 0, 0)
            edge[caller, function] = (value[0], value[1], nanoseconds(value[2]), nanoseconds(value[3]))
    return flat, edge


def run(*stages):
    out = b""
    for stage in stages:
        done = subprocess.run([os.path.join(BIN, stage[0])] + list(stage[1:]), input=out, capture_output=True, check=False, timeout=60)
        out = done.stdout
        if done.returncode:
            differ(stage, done.returncode, done.stderr.decode("utf-8", "replace"))
    return out


def records(path, mode):
    stages = [["profcat", "-t", "pfs", path], ["profcat", "-t", "ndjson"]] if mode == "pfs" else [["profcat", "-t", "ndjson", path]]
    flat, edge = {}, {}
    for row in map(json.loads, run(*stages).splitlines()):
        places = [(frame["file"], frame["line"], frame["function"]) for frame in row["stack"]]
        values = tuple(row["values"].get(name, 0) for name in NAMES)
        if row["kind"] == "flat":
            flat[places[0]] = values
        else:
            edge[places[1], places[0]] = values
    return flat, edge


def compare(path, stats, mode="direct"):
    for what, have, want in zip(("flat", "edge"), records(path, mode), rows(stats)):
        for key in sorted(set(have) | set(want), key=str):
            if have.get(key) != want.get(key):
                differ(path, what, key, "profcat:", have.get(key), "pstats:", want.get(key))


def dumps(directory):
    return sorted(path for folder in ("pstats", "python") for path in glob.glob(os.path.join(directory, folder, "*.pstats")))


def check_read(mode, directory):
    if not dumps(directory):
        differ("no dump in", directory)
    for path in dumps(directory):
        with open(path, "rb") as file:
            compare(path, marshal.load(file), mode)


def table(path, *options):
    return json.loads(run(["proftop", "-t", "json", "-n", "0", "--min-percent=0", *options, path]))


def key_of(file, line, name):
    """The key of a function. An anonymous one, such as a lambda, is identified by its first line too."""
    return file, name, line if name.startswith("<") and name != "<module>" else 0


def check_tables(directory):
    for path in dumps(directory):
        if "made_" in path:
            continue  # their numbers are inconsistent
        stats = pstats.Stats(path, stream=io.StringIO())
        total = sum(nanoseconds(entry[2]) for entry in stats.stats.values())
        want = collections.defaultdict(lambda: [0, 0, 0])
        for place, entry in stats.stats.items():
            for k, number in enumerate((nanoseconds(entry[2]), nanoseconds(entry[3]), entry[1])):
                want[key_of(*place)][k] += number
        got = table(path)
        if got["measures"][0]["total"] != total:
            differ(path, "total", got["measures"][0]["total"], total)
        have = {key_of(row["file"], row["line"], row["function"]): [row["flat"], row["cum"], row["calls"]] for row in got["rows"]}
        for key in set(want) | set(have):
            want[key][1] = min(want[key][1], total)
            if have.get(key) != want[key]:
                differ(path, key, "proftop:", have.get(key), "pstats:", want[key])
        for measure, item in (("calls", 1), ("primitive_calls", 0)):
            got = table(path, "--kind=edge", "-m", measure)["measures"][0]["total"]
            if got != sum(entry[item] for entry in stats.stats.values()):
                differ(path, measure, got)


def check_packages(directory):
    for path in dumps(directory):
        want = collections.Counter()
        with open(path, "rb") as file:
            for (source, _, name), entry in marshal.load(file).items():
                want[module(source, name)] += nanoseconds(entry[2])
        have = {row["package"]: row["flat"] for row in table(path, "--kind=flat", "-m", "tt", "--by=package")["rows"]}
        for key in sorted(have.keys() | want.keys()):
            if have.get(key, 0) != want[key]:
                differ(path, key, "proftop:", have.get(key), "pstats:", want[key])


def of_name(stats):
    """Calls, own and cumulative seconds by name, because subs have no other key; and the number of added entries by name."""
    want, terms = collections.defaultdict(lambda: [0, 0, 0]), collections.Counter()
    for (_, _, name), entry in stats.items():
        want[name] = [sum(pair) for pair in zip(want[name], entry[1:4])]
        terms[name] += len(entry[4]) + 1
    return want, terms


def nytprof_subs(data):
    found = collections.defaultdict(lambda: [0, 0, 0])
    for row in nytprof.records(data):
        if row[0] == "c":
            _, _, _, _, count, inclusive, own, _, _, name = row
            name = name[1] if isinstance(name, tuple) else name
            found[name.decode()] = [sum(pair) for pair in zip(found[name.decode()], (count, own, inclusive))]
    return found


def loaded_subs(path):
    load = os.path.join(os.path.dirname(os.path.abspath(__file__)), "nytprof_load.pl")
    done = subprocess.run(["perl", load, path], capture_output=True, check=True, timeout=60)
    got = json.loads(done.stdout)
    if got["load_error"] or got["warnings"]:
        differ(path, got["load_error"], got["warnings"])
    return {name: [sub["calls"], sub["excl_time"], sub["incl_time"]] for name, sub in got["subs"].items()}


def pynytprof_subs(data):
    profile, found = pynytprof.decode(data), collections.defaultdict(lambda: [0, 0, 0])
    for _, sid, calls, inclusive, own in profile.edges:
        name = pynytprof.sub_name(profile, sid)
        found[name] = [sum(pair) for pair in zip(found[name], (calls, own / profile.ticks(), inclusive / profile.ticks()))]
    return found


def compare_subs(what, want, terms, have, step):
    for name in want:
        numbers, far = have.get(name, [0, 0, 0]), (terms[name] + 1) * step
        if numbers[0] != want[name][0] or any(abs(a - b) > far for a, b in zip(numbers[1:], want[name][1:])):
            differ(what, name, "written:", numbers, "pstats:", want[name])


def check_written(directory):
    for number, profiler in enumerate((profile.Profile(), cProfile.Profile())):
        profiler.runcall(work)
        profiler.create_stats()
        # `profile` has no file for functions in C, but a line cannot be written without a file
        filed = lambda key: (key[0] or "~", *key[1:])
        stats = {filed(key): (*entry[:4], {filed(caller): value for caller, value in entry[4].items()}) for key, entry in profiler.stats.items()}
        with open("made%d.pstats" % number, "wb") as file:
            file.write(marshal.dumps(stats))
    library = subprocess.run(["perl", "-MDevel::NYTProf::Data", "-e1"], capture_output=True, check=False).returncode == 0
    for path in dumps(directory) + ["made0.pstats", "made1.pstats"]:
        if "made_" in path:
            continue
        with open(path, "rb") as file:
            want, terms = of_name(marshal.load(file))
        for stages in ([["profcat", "-q", path, "-t", "nytprof"]], [["profcat", path, "-t", "pfs"], ["profcat", "-q", "-t", "nytprof"]]):
            data = run(*stages)
            compare_subs((path, "nytprof"), want, terms, nytprof_subs(data), 1e-9)
        with open("written.nyt", "wb") as file:
            file.write(data)
        if library:
            compare_subs((path, "Devel::NYTProf"), want, terms, loaded_subs("written.nyt"), 1e-9)
        compare_subs((path, "pynytprof"), want, terms, pynytprof_subs(run(["profcat", "-q", path, "-t", "pynytprof"])), 1e-7)


def old(value):
    """Encodes as Python 2's marshal does: byte strings, interned strings by number, 64-bit integers."""
    interned = {}

    def put(value):
        if isinstance(value, str):
            data = value.encode()
            if data in interned:
                return b"R" + struct.pack("<I", interned[data])
            if len(data) % 2:
                return b"s" + struct.pack("<I", len(data)) + data
            interned[data] = len(interned)
            return b"t" + struct.pack("<I", len(data)) + data
        if isinstance(value, bool):
            return b"T" if value else b"F"
        if isinstance(value, int):
            return b"I" + struct.pack("<q", value)
        if isinstance(value, float):
            return b"f" + bytes([len(repr(value))]) + repr(value).encode()
        if isinstance(value, tuple):
            return b"(" + struct.pack("<I", len(value)) + b"".join(map(put, value))
        return b"{" + b"".join(put(k) + put(v) for k, v in value.items()) + b"0"

    return put(value)


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def even(n):
    return n == 0 or odd(n - 1)


def odd(n):
    return n != 0 and even(n - 1)


def work():
    return sorted((fib(k) for k in range(9)), key=lambda n: -n) + [even(9), odd(4)]


def made_stats(many=2**40):
    shared = ("ä.py", 3, "größe")
    return {
        shared: (1, True, 0.1, 1e-10, {}),
        ("~", 0, "<built-in method builtins.sum>"): (many // 512, many, 1.5e-9, 2.5e-9, {shared: (many, many // 512, 1.5e-9, 123456789.987654321)}),
        ("x" * 300 + ".py", 1, "<lambda>"): (3, 5, 0.0, 1e-300, {shared: (5, 3, 0.0, 1e-9), ("~", 0, "f"): (1, 1, 5e-10, 3e-5)}),
        ("x.py", 2, "<lambda>"): (0, 0, -0.25, 0, {("x.py", 2, "<lambda>"): (7, 6, 0.3, 0.7)}),
    }


def check_made():
    for version in range(5):
        path = "made.%d" % version
        with open(path, "wb") as file:
            file.write(marshal.dumps(made_stats(), version))
        compare(path, made_stats())
    with open("made.old", "wb") as file:
        file.write(old(made_stats()))
    compare("made.old", made_stats())
    for name, profiler in (("c.pstats", cProfile.Profile()), ("py.pstats", profile.Profile())):
        profiler.runcall(work)
        profiler.dump_stats(name)
        with open(name, "rb") as file:
            compare(name, marshal.load(file))
    with open("empty.pstats", "wb") as file:
        file.write(marshal.dumps({}))
    run(["profcat", "-c", "empty.pstats"])


def main():
    if sys.argv[1] == "read":
        check_read(sys.argv[2], sys.argv[3])
    elif sys.argv[1] == "tables":
        check_tables(sys.argv[2])
    elif sys.argv[1] == "packages":
        check_packages(sys.argv[2])
    elif sys.argv[1] == "written":
        check_written(sys.argv[2])
    else:
        check_made()
    sys.exit(1 if failed else 0)


main()
