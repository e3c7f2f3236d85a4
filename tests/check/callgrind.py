#!/usr/bin/env python3
"""Tests the programs with callgrind and cachegrind profiles.

    callgrind.py read MODE DIR    records of every file are those of the decoder below; MODE: direct, or through pfs, callgrind, both
    callgrind.py tables DIR       totals, flat and cumulative values of functions are those that callgrind_annotate and cg_annotate
                                  printed (NAME.expected*.txt)
    callgrind.py annotate DIR     callgrind_annotate, if installed, reads the output of -t callgrind for every file
    callgrind.py stacks DIR       edges made from stacks are those of an independent sum

The decoder is written from the format's description. Differences are printed; the exit status is 1 when there are any.
PROFUTILS_BIN is the directory of the programs.
"""
import collections
import fractions
import glob
import json
import os
import re
import shutil
import subprocess
import sys

BIN = os.environ["PROFUTILS_BIN"]
JUMPS = ["jumps", "branches", "branches_taken"]


# ---- Decoder ----


def number(word):
    return int(word, 16) if word[:2].lower() == "0x" else int(word)


class Profile:
    """Sums of all parts by place and by call. A place is (object, file, function, line, address, inlined)."""

    def __init__(self, data):
        self.flat, self.edge = collections.defaultdict(lambda: collections.Counter()), collections.defaultdict(
            lambda: collections.Counter())
        self.header, self.calls_zero = [], set()
        self.names = {"ob": {}, "fl": {}, "fn": {}}
        self.events, self.order, self.last = [], ["line"], {"instr": 0, "line": 0}
        self.object = self.file = self.owner = self.function = ""
        self.callee, self.waiting, self.relative, self.before = {}, None, False, []
        for line in data.split("\n"):
            self.line(line.rstrip("\r"))

    def name(self, kind, text):
        found = re.match(r" *\((\d+)\)", text)
        if not found:
            return text
        rest = text[found.end() :]
        if rest:
            self.names[kind][found[1]] = rest[1:] if rest[0] == " " else rest
        return self.names[kind][found[1]]

    def position(self, words, start):
        out = dict(start)
        for which in self.order:
            if not words:
                break
            word = words.pop(0)
            if word == "*":
                out[which] = self.last[which]
            elif word[0] in "+-":
                out[which] = self.last[which] + int(word)
            else:
                out[which] = number(word)
        return out

    def costs(self, words):
        out = []
        for k, word in enumerate(words):
            self.relative = self.relative or word == "*" or word[0] == "+"
            if word == "*":
                out.append(self.before[k])
            elif word[0] == "+" or (self.relative and word[0] == "-"):
                out.append(self.before[k] + int(word))
            else:
                out.append(0 if word == "." else number(word))
        out += [0] * (len(self.events) - len(out))
        self.before = out
        return collections.Counter(dict(zip(self.events, out)))

    def place(self, position=None, obj=None, file=None, function=None):
        file = self.file if file is None else file
        position = position or {"line": 0, "instr": 0}
        return (self.object if obj is None else obj, file, self.function if function is None else function, position["line"],
                position["instr"], function is None and file != self.owner)

    def add(self, sums, key, values):
        for name, value in values.items():
            sums[key][name] += value

    def cost_line(self, words):
        here = self.position(words, self.last)
        waiting, self.waiting, self.last = self.waiting, None, here
        if waiting and waiting[0] == "jump":
            values = collections.Counter(waiting[1])
        else:
            values = self.costs(words)
            if self.file != self.owner:
                outer = self.place(file=self.owner)
                self.add(self.edge, (outer[:5] + (False,), self.place()), values)
        if not waiting:
            self.add(self.flat, self.place(here), values)
            return
        if waiting[0] == "calls":
            values["calls"] = waiting[1]
            if waiting[1] == 0:
                self.calls_zero.add((self.file, self.function))
        callee = self.place(waiting[2], self.callee.get("ob"), self.callee.get("fl"), self.callee.get("fn"))
        self.add(self.edge, (self.place(here), callee), values)
        self.callee = {}

    def line(self, line):
        words = line.split()
        if not words or line.startswith("====") or line[0] == "#":
            return
        if re.match(r"[-+*0-9]", words[0]):
            self.cost_line(words)
            return
        spec = re.match(r"(\w+)=(.*)", line)
        if spec:
            self.spec(*spec.groups())
            return
        key, value = line.split(":", 1)
        value = value[1:] if value[:1] == " " else value
        if key == "events":
            self.events = [event_name(word) for word in value.split()]
        elif key == "positions":
            self.order = value.split()
        elif key != "totals":
            self.header.append((key, value))

    def spec(self, word, text):
        kinds = {"o": "ob", "fi": "fl", "fe": "fl", "fl": "fl", "fn": "fn"}
        if word in ("calls", "jump", "jcnd"):
            words = text.split()
            count = words.pop(0)
            target = self.position(words, {"line": 0, "instr": 0})
            if word == "calls":
                self.waiting = ("calls", int(count), target)
            elif word == "jump":
                self.waiting = ("jump", {"jumps": int(count)}, target)
            else:
                taken, reached = map(int, count.split("/"))
                self.waiting = ("jump", {"branches": reached, "branches_taken": taken}, target)
        elif word[0] in "cj":
            kind = kinds.get(word[1:], "ob")
            self.callee[kind] = self.name(kind, text)
        elif word == "ob":
            self.object = self.name("ob", text)
        elif word == "fn":
            self.function, self.owner = self.name("fn", text), self.file
        else:
            self.file = self.name("fl", text)
            if word == "fl":
                self.owner = self.file


SCALES = {"10ns": 10, "ns": 1, "us": 1000, "ms": 1000000, "bytes": 1}


def event_name(word):
    found = re.fullmatch(r"(.+?)_?\(([-\w]+)\)", word)
    return found[1] if found else word


def factor(word):
    found = re.fullmatch(r"(.+?)_?\(([-\w]+)\)", word)
    parts = re.fullmatch(r"1e-(\d+)count", found[2]) if found else None
    if parts:
        return fractions.Fraction(1, 10 ** int(parts[1]))
    return SCALES.get(found[2], 1) if found else 1000 if word == "wall_time" else 1


def scales(data):
    out = {}
    for line in re.findall(r"^events:(.*)$", data, re.M):
        out.update({event_name(word): factor(word) for word in line.split()})
    for name, unit in re.findall(r"^event: (\w+) :.*[ (](\w+)\)\r?$", data, re.M):
        if name in out:
            out[name] = SCALES[unit]
    return out


def decode(path):
    with open(path, "rb") as file:
        data = file.read().decode("utf-8", "replace")
    profile = Profile(data)
    factors = scales(data)
    for sums in (profile.flat, profile.edge):
        for values in sums.values():
            for name, scale in factors.items():
                values[name] *= scale
    return profile


# ---- Running the programs ----

THROUGH = {
    "direct": [],
    "pfs": [["profcat", "-t", "pfs"]],
    "callgrind": [["profcat", "-t", "callgrind"]],
    "both": [["profcat", "-t", "callgrind"], ["profcat", "-t", "pfs"], ["profcat", "-t", "callgrind"]],
}
failed = False


def differ(*what):
    global failed
    failed = True
    print(*what)


def run(path, *stages, ok=(0,)):
    out = b""
    for k, stage in enumerate(stages):
        command = [os.path.join(BIN, stage[0])] + list(stage[1:]) + ([path] if k == 0 else [])
        done = subprocess.run(command, input=out if k else None, capture_output=True, check=False, timeout=60)
        out = done.stdout
        if done.returncode not in ok:
            differ(path, " ".join(stage), "status", done.returncode, done.stderr.decode("utf-8", "replace"))
    return out


def frame(row):
    address = int(row["address"], 16) if row["address"] else 0
    return (row["image"], row["file"], row["function"], row["line"], address, row["inlined"])


def sums_of(out):
    flat, edge = collections.defaultdict(collections.Counter), collections.defaultdict(collections.Counter)
    for row in (json.loads(row, parse_float=fractions.Fraction) for row in out.splitlines()):
        frames = [frame(each) for each in row["stack"]]
        sums = flat[frames[0]] if row["kind"] == "flat" else edge[frames[1], frames[0]]
        for name, value in row["values"].items():
            sums[name] += value
    return flat, edge


def compare(what, ours, theirs):
    for key in sorted(set(ours) | set(theirs), key=str):
        a = {k: v for k, v in ours.get(key, {}).items() if v}
        b = {k: v for k, v in theirs.get(key, {}).items() if v}
        if a != b:
            differ(what, key, "profcat:", a, "decoder:", b)


def profiles(directory):
    found = []
    for folder in ("callgrind", "cachegrind", "php-xdebug"):
        found += glob.glob(os.path.join(directory, folder, "*.out")) + glob.glob(os.path.join(directory, folder, "*.out.[0-9]"))
    return sorted(found)


def check_read(mode, directory):
    for path in profiles(directory):
        want = decode(path)
        out = run(path, *THROUGH[mode], ["profcat", "-t", "ndjson"])
        flat, edge = sums_of(out)
        compare(path + " flat", flat, want.flat)
        compare(path + " edge", edge, want.edge)
        meta = json.loads(run(path, *THROUGH[mode], ["profcat", "-t", "json"]))["meta"]["metadata"]
        got = [(row["key"], row["value"]) for row in meta if row["origin"] in ("callgrind", "cachegrind")
               and row["key"] != "comment"]
        kept = [row for row in want.header if mode in ("direct", "pfs") or row[0] != "summary"]
        missing = [row for row in kept if row not in got]
        if missing or (mode in ("direct", "pfs") and got != want.header):
            differ(path, "metadata", got, "decoder:", want.header)


# ---- Listings of the tools ----


def annotated(path):
    """Events, totals, and values of each function in a listing of callgrind_annotate or cg_annotate."""
    events, totals, rows, state = [], None, {}, ""
    for line in open(path, encoding="utf-8", errors="replace"):
        line = line.rstrip("\n")
        if line.startswith("Events shown:"):
            events = line.split(":", 1)[1].split()
        if line.startswith("-- Auto-annotated") or line.startswith("The following files"):
            break
        found = re.match(r"\s*((?:-?[\d,]+ (?:\([ \d.]+%\))?\s*)+?)\s*(\S.*)$", line)
        values = re.findall(r"(-?[\d,]+)(?: \([ -]*[\d.]+%\)|(?= ))", line)[: len(events)]
        if "PROGRAM TOTALS" in line:
            totals = [int(v.replace(",", "")) for v in values]
            state = "rows"
        elif state == "rows" and found and len(values) == len(events) and ":" in line:
            rest = line
            for _ in events:
                rest = re.sub(r"^\s*-?[\d,]+(?: \([ -]*[\d.]+%\))?", "", rest, count=1)
            name = re.sub(r" \[[^\]]*\]$", "", rest.strip())
            rows[name] = [int(v.replace(",", "")) for v in values]
    return events, totals, rows


def top(path, measure, *options, through=()):
    out = run(path, *through, ["proftop", "-t", "json", "-n", "0", "--min-percent=0", "-m", measure, *options])
    document = json.loads(out, parse_float=fractions.Fraction)
    rows = collections.defaultdict(lambda: [0, 0])
    for row in document["rows"]:
        name = row["file"] + ":" + row["function"]
        rows[name][0] += row["flat"]
        rows[name][1] += row["cum"]
    return document["measures"][0]["total"], rows


def with_unknown_part(profile, event):
    """Functions (file:name) whose calls cost more than the functions and their callees. callgrind_annotate shows the cost of
    the calls, proftop the cost of the functions."""
    called, spent = collections.Counter(), collections.Counter()
    for place, values in profile.flat.items():
        spent[place[1] + ":" + place[2]] += values[event]
    for (caller, callee), values in profile.edge.items():
        spent[caller[1] + ":" + caller[2]] += values[event]
        called[callee[1] + ":" + callee[2]] += values[event]
    return {name for name, value in called.items() if value > spent[name]}


def on_cycles(profile):
    """Functions (file:name) that call themselves directly or indirectly, and names that several functions share."""
    calls, objects = collections.defaultdict(set), collections.defaultdict(set)
    for (caller, callee), _ in profile.edge.items():
        a, b = caller[1] + ":" + caller[2], callee[1] + ":" + callee[2]
        calls[a].add(b)
        objects[a].add(caller[0])
        objects[b].add(callee[0])
    found = set(name for name, where in objects.items() if len(where) > 1)
    for name in list(calls):
        seen, todo = set(), [name]
        while todo:
            for callee in calls.get(todo.pop(), ()):
                if callee not in seen:
                    seen.add(callee)
                    todo.append(callee)
        if name in seen:
            found.add(name)
    return found


def annotated_lines(path):
    """Cost of each source line in a listing, with the calls made there, for one event: (file, line) -> cost."""
    costs, file, number = collections.Counter(), None, 0
    for line in open(path, encoding="utf-8", errors="replace"):
        found = re.match(r"-- (Auto|User)-annotated source: (.*)", line)
        file, number = (found[2], 0) if found else (file, number)
        marker = re.match(r"-- line (\d+) -+$", line)
        found = re.match(r" *(\.|[\d,]+(?: \([ \d.]+%\))?) (.*)", line)
        if line.startswith("The following files"):
            break
        if marker:
            number = int(marker[1]) - 1
        elif file is not None and found:
            call = found[2].lstrip().startswith("=> ")
            number += not call
            costs[file, number] += 0 if found[1] == "." else int(found[1].split()[0].replace(",", ""))
    return costs


def check_lines(path, listing, event, cycles):
    """Compares lines of functions that are on no cycle, in the sources that the tool found."""
    theirs, ours, passed = annotated_lines(listing), collections.Counter(), set()
    files = {file for file, _ in theirs}
    out = run(path, ["proftop", "-t", "json", "-n", "0", "--min-percent=0", "-m", event_name(event), "--by=line"])
    for row in json.loads(out)["rows"]:
        ours[row["file"], row["line"]] += row["cum"]
        if row["file"] + ":" + row["function"] in cycles:
            passed.add((row["file"], row["line"]))
    compared = 0
    for place in sorted(set(theirs) | {place for place in ours if place[0] in files and place[1] > 0}):
        if place not in passed:
            compared += theirs[place] > 0
            if ours[place] != theirs[place]:
                differ(path, place, "cum of a line", ours[place], "tool:", theirs[place])
    if theirs and not compared:
        differ(path, "no line compared")
    return compared


def check_tables(directory):
    compared = 0
    for path in profiles(directory):
        listing = path + ".expected.txt"
        if not os.path.exists(listing):
            continue
        profile = decode(path)
        events, totals, rows = annotated(listing)
        with open(path, encoding="utf-8", errors="replace") as file:
            factors = scales(file.read())
        zero = {a + ":" + b for a, b in profile.calls_zero}
        for k, event in enumerate(map(event_name, events)):
            total, ours = top(path, event)
            own = sum(values[event] for values in profile.flat.values())
            listed = None if re.search("xdebug|cachesim", path) else totals[k]  # the tool shows the file's summary line, which is higher
            if total != own or total != (own if listed is None else listed):
                differ(path, event, "total", total, "lines:", own, "tool:", totals[k])
            for name, values in rows.items():
                if name not in zero:
                    compared += 1
                    if ours.get(name, [0])[0] != values[k] * factors[event]:
                        differ(path, event, name, "flat", ours.get(name), "tool:", values[k] * factors[event])
            if any(row[1] > total > 0 for row in ours.values()):
                differ(path, event, "a cum above the total")
        listing = path + ".expected.inclusive.txt"
        if os.path.exists(listing):
            cycles = on_cycles(profile)
            _, ours = top(path, event_name(events[0]))
            for name, values in annotated(listing)[2].items():
                if name not in cycles:
                    compared += 1
                    if ours[name][1] != values[0]:
                        differ(path, name, "cum", ours[name], "tool:", values[0])
            compared += check_lines(path, listing, events[0], cycles)
    print(compared, "values compared", file=sys.stderr)
    if compared < 100:
        differ("only", compared, "values compared")


# ---- Listings of written files ----


def written(path):
    """Events, totals and rows of callgrind_annotate, self and inclusive, for the output of -t callgrind."""
    name = "written.callgrind"
    with open(name, "wb") as file:
        file.write(run(path, ["profcat", "-q", "-t", "callgrind"]))
    out = []
    for option in ("--inclusive=no", "--inclusive=yes"):
        done = subprocess.run(["callgrind_annotate", "--auto=no", "--threshold=100", option, name], capture_output=True, check=False,
                              timeout=60)
        if done.returncode or done.stderr:
            differ(path, "callgrind_annotate:", done.returncode, done.stderr.decode("utf-8", "replace")[:500])
        with open("listing.txt", "wb") as file:
            file.write(done.stdout)
        out.append(annotated("listing.txt"))
    return name, out[0], out[1]


def check_annotate(directory):
    if not shutil.which("callgrind_annotate"):
        print("no callgrind_annotate")
        return
    compared = 0
    for folder in ("callgrind", "cachegrind", "php-xdebug", "statprofiler", "folded", "nytprof", "pynytprof"):
        found = [path for path in profiles(directory) if os.path.basename(os.path.dirname(path)) == folder]
        if not found:
            found = sorted(path for end in ("out", "nyt", "folded") for path in glob.glob(os.path.join(directory, folder, "[!o]*." + end)))
            found = [path for path in found if readable(path)][:12]
        for path in found:
            with open(path, "rb") as file:
                if re.search(rb"^events:(.*\n)*events:|^x-unknown", file.read(), re.M):
                    continue  # the file has several parts, or a line that the tool does not know
            name, (events, totals, rows), (_, _, inclusive) = written(path)
            profile = decode(name)
            zero = {a + ":" + b for a, b in profile.calls_zero}
            cycles = on_cycles(profile)
            if not any(any(values.values()) for values in profile.flat.values()):
                continue
            for k, event in enumerate(events):
                total, ours = top(name, event_name(event))
                if total != totals[k] * factor(event):
                    differ(path, event, "total", total, "tool:", totals[k])
                if sum(values[event_name(event)] for values in profile.flat.values()) != total:
                    differ(path, event, "total", total, "lines differ")
                for function, values in rows.items():
                    compared += 1
                    if function not in zero and ours.get(function, [0])[0] != values[k] * factor(event):
                        differ(path, event, function, "flat", ours.get(function), "tool:", values)
            called = {callee[1] + ":" + callee[2] for _, callee in profile.edge}
            roots = {a[1] + ":" + a[2] for a, b in profile.edge if b[5]} - called  # the tool leaves out inlined lines of these functions
            if folder == "pynytprof":  # some of these files have calls without exclusive times
                roots |= with_unknown_part(profile, event_name(events[0]))
            for function, values in inclusive.items():
                if function not in zero | cycles | roots and ours and k == 0 and ours[function][1] != values[0] * factor(events[0]):
                    differ(path, function, "cum", ours[function], "tool:", values)
    if compared < 100:
        differ("only", compared, "values compared")


def readable(path):
    done = subprocess.run([os.path.join(BIN, "profcat"), "-q", "--probe", path], capture_output=True, check=False, timeout=60)
    return done.returncode == 0 and not re.search(rb"(samples|edges|flats) +0\n", done.stdout) and b"measure" in done.stdout


# ---- Stacks ----


def stack_sums(path):
    """Self values of functions and values of calls in folded stacks. A stack counts each pair of functions once."""
    own, pairs = collections.Counter(), collections.defaultdict(lambda: [0, 0])
    for line in open(path, encoding="utf-8"):
        stack, _, count = line.rstrip("\n").rpartition(" ")
        frames = re.sub("_\\[[kij]\\]", "", stack).split(";")
        own[frames[-1]] += int(count)
        for pair in set(zip(frames, frames[1:])):
            pairs[pair][0] += int(count)
            pairs[pair][1] += int(count)
    return own, pairs


STACKS = """a;b;c 5
a;b;a;b;c 7
a;a;a 2
a;b 3
x;y z;<w> 1
a;b;c 4
rec;rec;leaf 6
"""


def check_stacks(directory):
    with open("stacks.folded", "w") as file:
        file.write(STACKS)
    for path in ["stacks.folded"] + glob.glob(os.path.join(directory, "folded", "plain*.folded")):
        own, pairs = stack_sums(path)
        with open("stacks.callgrind", "wb") as file:
            file.write(run(path, ["profcat", "-t", "callgrind"]))
        profile = decode("stacks.callgrind")
        flat, edge = collections.Counter(), collections.defaultdict(lambda: [0, 0])
        for place, values in profile.flat.items():
            flat[place[2]] += values["samples"]
        for (caller, callee), values in profile.edge.items():
            edge[caller[2], callee[2]][0] += values["samples"]
            edge[caller[2], callee[2]][1] += values["calls"]
        if +flat != +own or dict(edge) != dict(pairs):
            differ(path, "written:", dict(flat), dict(edge), "sums:", dict(own), dict(pairs))


def main():
    if sys.argv[1] == "annotate":
        check_annotate(sys.argv[2])
    if sys.argv[1] == "stacks":
        check_stacks(sys.argv[2])
    if sys.argv[1] == "read":
        check_read(sys.argv[2], sys.argv[3])
    elif sys.argv[1] == "tables":
        check_tables(sys.argv[2])
    sys.exit(1 if failed else 0)


main()
