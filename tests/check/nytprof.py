#!/usr/bin/env python3
"""Tests the programs with NYTProf files whose content is known.

    nytprof.py read MODE DIR      profcat's lines, callers and metadata are those of NAME.expected.json[.gz], which Devel::NYTProf made,
                                  and all records are those of the decoder below; MODE: direct, or through pfs, nytprof (deflated),
                                  plain, both
    nytprof.py calls MODE DIR     call stacks are those that nytprofcalls printed
    nytprof.py tables DIR         proftop's functions and lines are those of NAME.expected.json[.gz]
    nytprof.py written MODE DIR   the output of -t nytprof, decoded: files, subs, sources, metadata, processes and all sums
    nytprof.py made TMP           generated forms of the file that no corpus has

The decoder is written from the format's description, not from the programs. Differences are printed; the exit status is 1 when
there are any. PROFUTILS_BIN is the directory of the programs.
"""
import collections
import gzip
import json
import os
import re
import struct
import subprocess
import sys
import zlib

BIN = os.environ["PROFUTILS_BIN"]
UNKNOWN = "[unknown]"


# ---- Decoder ----


class Short(Exception):
    pass


class Wrong(Exception):
    pass


class Stream:
    """Fields of a record stream; `rest` says how the deflated data end."""

    def __init__(self, data):
        self.data, self.at, self.nv, self.rest = data, 0, "<d", "plain"

    def take(self, size):
        if self.at + size > len(self.data):
            raise Short
        self.at += size
        return self.data[self.at - size : self.at]

    def line(self):
        end = self.data.find(b"\n", self.at)
        if end < 0:
            raise Short
        text = self.data[self.at : end]
        self.at = end + 1
        return text

    def u32(self):
        first = self.take(1)[0]
        if first < 0x80:
            return first
        if first < 0xC0:
            more, value = 1, first & 0x3F
        elif first < 0xE0:
            more, value = 2, first & 0x1F
        elif first < 0xFF:
            more, value = 3, first & 0x0F
        else:
            more, value = 4, 0
        return value << 8 * more | int.from_bytes(self.take(more), "big")

    def i32(self):
        value = self.u32()
        return value - (1 << 32) if value >> 31 else value

    def real(self):
        return struct.unpack(self.nv, self.take(struct.calcsize(self.nv)))[0]

    def text(self):
        tag = self.take(1)
        if tag not in (b"'", b'"'):
            raise Wrong
        body = self.take(self.u32())
        return body if tag == b"'" or body.isascii() else ("utf8", body)

    def inflate(self):
        machine, raw, out = zlib.decompressobj(), self.data[self.at :], []
        try:
            for at in range(0, len(raw), 512):
                out.append(machine.decompress(raw[at : at + 512]))
            self.rest = "whole" if machine.eof else "cut"
        except zlib.error:
            self.rest = "damaged"
        self.data, self.at = b"".join(out), 0


FIELDS = {
    ord("+"): "iuu", ord("*"): "iuuuu", ord("@"): "uuuuuut", ord("S"): "uut", ord("s"): "utuu", ord("c"): "uuturrrut",
    ord("P"): "uur", ord("p"): "ur", ord(">"): "uu", ord("<"): "urrt", ord("-"): "",
}


def records(data):
    """Tuples of tag and fields; the last is ("end",) or an error."""
    stream = Stream(data)
    take = {"u": stream.u32, "i": stream.i32, "r": stream.real, "t": stream.text}
    if not stream.line().startswith(b"NYTProf "):
        raise Wrong
    while True:
        if stream.at == len(stream.data):
            yield ("end" if stream.rest != "damaged" else "damaged",)
            return
        tag = stream.take(1)[0]
        try:
            if tag in b":!#":
                yield (chr(tag), stream.line())
            elif tag == ord("z"):
                stream.inflate()
                yield ("z",)
            elif tag in FIELDS:
                yield (chr(tag), *[take[kind]() for kind in FIELDS[tag]])
            else:
                raise Wrong
        except Short:
            yield ("short",)
            return
        except Wrong:
            yield ("wrong",)
            return


class Profile:
    """The sums of a file's records."""

    def __init__(self, data):
        self.attributes, self.options, self.comments, self.order = {}, {}, [], []
        self.files, self.subs, self.sources, self.processes = [], [], [], []
        self.lines = collections.defaultdict(lambda: [0, 0])
        self.blocks = collections.defaultdict(lambda: [0, 0])
        self.edges = collections.defaultdict(lambda: [0, 0.0, 0.0, 0.0, 0])
        self.returns = collections.Counter()
        self.markers, self.ends, self.discounts = set(), "end", 0
        self.stacks = collections.defaultdict(lambda: [0, 0.0])
        self.deflated = False
        discount, pending = False, {}
        for record in records(data):
            tag, fields = record[0], record[1:]
            if tag in (":", "!") and b"=" in fields[0]:
                key, value = fields[0].split(b"=", 1)
                (self.attributes if tag == ":" else self.options)[key] = value
                self.order.append((tag, fields[0]))
            elif tag == "#":
                self.comments.append(fields[0])
                self.order.append((tag, fields[0]))
            elif tag == "z":
                self.deflated = True
            elif tag == "-":
                discount = True
            elif tag in ("+", "*"):
                ticks, fid, line = fields[:3]
                self.discounts += discount
                for key in [fields[1:3] + ((0, 0) if tag == "+" else fields[3:5])]:
                    self.blocks[key][0] += not discount
                    self.blocks[key][1] += ticks
                self.lines[fid, line][0] += not discount
                self.lines[fid, line][1] += ticks
                discount = False
            elif tag == "@":
                self.files.append(fields)
            elif tag == "s":
                self.subs.append(fields)
            elif tag == "S":
                self.sources.append(fields)
            elif tag in ("P", "p"):
                self.settle(pending)
                self.processes.append(record)
            elif tag == "c":
                self.callers(*fields)
            elif tag == "<":
                self.back(pending, *fields)
            elif tag in ("end", "short", "wrong", "damaged"):
                self.ends = tag
        self.settle(pending)
        self.tps = int(self.attributes.get(b"ticks_per_sec", 0))
        self.names = {fields[0]: fields[6] for fields in self.files}

    def callers(self, fid, line, caller, count, incl, excl, reci, depth, called):
        if not fid and not line and not count:
            self.markers.add(called)
            return
        sums = self.edges[fid, line, caller, called]
        for at, value in enumerate((count, incl, excl, reci)):
            sums[at] += value
        sums[4] = max(sums[4], depth)

    def back(self, pending, depth, _incl, excl, name):
        """A call returns. pending: depth -> list of (path below, calls, ticks); the paths are completed on the way to the root."""
        deeper = sorted(d for d in pending if d > depth)
        below = []
        for level in deeper:
            gap = ("",) * (level - depth - 1)
            below += [(gap + path, calls, ticks) for path, calls, ticks in pending.pop(level)]
        level = pending.setdefault(depth, [])
        level.append(((name,), 1, excl))
        level += [((name,) + path, calls, ticks) for path, calls, ticks in below]
        if depth == 1:
            self.settle(pending)

    def settle(self, pending):
        for depth, rows in pending.items():
            for path, calls, ticks in rows:
                sums = self.stacks[("",) * (depth - 1) + path]
                sums[0] += calls
                sums[1] += ticks
        pending.clear()


def shown(text):
    """Bytes as the programs print them."""
    if isinstance(text, tuple):
        return text[1].decode("utf-8", "replace")
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        return text.decode("latin-1")


# ---- Running the programs ----


def run(stages, **options):
    """Runs a pipe of programs. Returns the output of the last, the status of the first, and all messages."""
    children, source = [], subprocess.DEVNULL
    with open("messages", "w+b") as messages:
        for stage in stages:
            children.append(subprocess.Popen([os.path.join(BIN, stage[0])] + list(stage[1:]), stdin=source,
                                             stdout=subprocess.PIPE, stderr=messages, **options))
            if source != subprocess.DEVNULL:
                source.close()
            source = children[-1].stdout
        out = source.read()
        source.close()
        for child in children:
            child.wait()
        messages.seek(0)
        return out, children[0].returncode, messages.read().decode("utf-8", "replace")


THROUGH = {
    "direct": [],
    "pfs": [("profcat", "-t", "pfs")],
    "nytprof": [("profcat", "-t", "nytprof")],
    "plain": [("profcat", "-t", "nytprof", "-z", "0")],
    "both": [("profcat", "-t", "nytprof"), ("profcat", "-t", "pfs"), ("profcat", "-t", "nytprof", "-z", "0")],
}


def through(mode, path, *last):
    chain = [list(stage) for stage in THROUGH[mode]] + [list(last)]
    chain[0] += ["--salvage", path]
    return run(chain)


class Report:
    def __init__(self):
        self.bad = self.count = 0

    def differ(self, name, *what):
        self.bad += 1
        if self.bad <= 20:
            print(os.path.basename(name) + ":", *what)

    def equal(self, name, what, got, want):
        if got != want:
            self.differ(name, "%s is %.400r, not %.400r" % (what, got, want))
            return False
        return True

    def sums(self, name, what, got, want):
        """Compares tables of lists of numbers: whole numbers exactly, others to half a nanosecond or a double's precision."""
        for key in sorted(set(got) | set(want), key=repr):
            ours, theirs = got.get(key), want.get(key)
            if ours is None or theirs is None or len(ours) != len(theirs) or not all(map(near, ours, theirs)):
                self.differ(name, "%s of %r: %r, not %r" % (what, key, ours, theirs))

    def leave(self, least=1):
        if self.count < least:
            print("only %d files were looked at" % self.count)
        sys.exit(self.bad > 0 or self.count < least)


def near(a, b):
    if isinstance(a, int) and isinstance(b, int):
        return a == b
    return abs(a - b) <= 0.6e-9 + 1e-9 * max(abs(a), abs(b))


def load(path):
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    with gzip.open(path + ".gz", "rt", encoding="utf-8") as file:
        return json.load(file)


def profiles(folder):
    """Path, bytes and expected result of every file that can be read."""
    folder = os.path.join(folder, "nytprof")
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        base = path[:-4] + ".expected.json"
        if not name.endswith(".nyt") or not (os.path.exists(base) or os.path.exists(base + ".gz")):
            continue
        with open(path, "rb") as file:
            data = file.read()
        if data.startswith(b"NYTProf "):
            yield path, data, load(base)


# ---- Reading ----


class Rows:
    """profcat's records as sums, by the file numbers of a decoded profile."""

    def __init__(self, out, profile):
        fids = {}
        for fid, name in sorted(profile.names.items(), reverse=True):
            fids[shown(name)] = fid
        for fields in reversed(profile.files):
            if profile.names[fields[0]] == fields[6]:
                fids[shown(fields[6])] = fields[0]
        self.lines = collections.defaultdict(lambda: [0, 0.0])
        self.blocks = collections.defaultdict(lambda: [0, 0.0])
        self.block_time, self.sub_time = collections.defaultdict(float), collections.defaultdict(float)
        self.edges, self.stacks = {}, {}
        for text in out.splitlines():
            row = json.loads(text)
            getattr(self, row["kind"])(row, fids)

    @staticmethod
    def seconds(row, name):
        value = row["values"].get(name, 0)
        return value / 1e9 if row["units"].get(name, "nanoseconds") == "nanoseconds" else value

    @staticmethod
    def fid(row, frame, fids):
        label = row["labels"].get("fid")
        return label[0]["num"] if label else fids.get(frame["file"], 0)

    def flat(self, row, fids):
        frame = row["stack"][0]
        fid = self.fid(row, frame, fids)
        place = (fid, frame["line"])
        if row["values"].get("block_time") or row["values"].get("sub_time"):
            self.block_time[place] += self.seconds(row, "block_time")
            self.sub_time[place] += self.seconds(row, "sub_time")
            return
        labels = [row["labels"].get(key, [{"num": 0}])[0]["num"] for key in ("block", "sub")]
        for sums in (self.lines[place], self.blocks[place + tuple(labels)]):
            sums[0] += row["values"].get("stmts", 0)
            sums[1] += self.seconds(row, "time")

    def edge(self, row, fids):
        callee, caller = row["stack"][0], row["stack"][1] if len(row["stack"]) > 1 else {"function": "", "file": "", "line": 0}
        key = (self.fid(row, caller, fids), caller["line"], caller["function"], callee["function"])
        key = key[:2] + tuple("" if name == UNKNOWN else name for name in key[2:])
        self.edges[key] = [row["values"].get("calls", 0)] + [self.seconds(row, name) for name in ("incl", "excl", "reci")] + [
            row["values"].get("depth", 0)]

    def sample(self, row, _fids):
        path = tuple("" if frame["function"] == UNKNOWN else frame["function"] for frame in reversed(row["stack"]))
        self.stacks[path] = [row["values"].get("calls", 0), self.seconds(row, "excl")]


def decoded_sums(profile):
    """The tables of a decoded profile in the form of Rows."""
    tick = 1 / profile.tps if profile.tps else 1
    lines = {key: [count, ticks * tick] for key, (count, ticks) in profile.lines.items()}
    blocks = {key: [count, ticks * tick] for key, (count, ticks) in profile.blocks.items()}
    edges = {key[:2] + (shown(key[2]), shown(key[3])): value for key, value in profile.edges.items()}
    stacks = {}
    for path, (calls, ticks) in profile.stacks.items():
        if calls:
            stacks[tuple(shown(name) if name else "" for name in path)] = [calls, ticks * tick]
    return lines, blocks, edges, stacks


def compare_decoded(report, path, rows, profile):
    lines, blocks, edges, stacks = decoded_sums(profile)
    report.sums(path, "line", rows.lines, lines)
    report.sums(path, "block", rows.blocks, blocks)
    report.sums(path, "call", rows.edges, edges)
    report.sums(path, "stack", rows.stacks, stacks)


def place(text):
    return tuple(int(number) for number in text.split(":"))


def compare_expected(report, path, rows, profile, expected):
    """Compares with the results of the profiler's own loader, except after two DISCOUNT in a row, which the loader counts differently."""
    if "discount" not in path:
        want = {place(key): value for key, value in expected["fid_line_time"].items()}
        report.sums(path, "loaded line", rows.lines, want)
    for name, got in (("block", rows.block_time), ("sub", rows.sub_time)):
        want = {place(key): [value[1]] for key, value in (expected.get("fid_%s_time" % name) or {}).items()}
        if profile.lines and not any(key[2:] != (0, 0) for key in profile.blocks):
            want = {}
        report.sums(path, "loaded %s time" % name, {key: [value] for key, value in got.items() if value},
                    {key: value for key, value in want.items() if value[0]})
    calls = collections.defaultdict(lambda: [0, 0.0, 0.0, 0.0, 0])
    for (fid, line, _caller, called), value in rows.edges.items():
        sums = calls[called, fid, line]
        for at in range(4):
            sums[at] += value[at]
        sums[4] = max(sums[4], value[4])
    want = {}
    for called, callers in expected["callers"].items():
        for key, value in callers.items():
            want[(called,) + place(key)] = [value[field] for field in ("count", "incl", "excl", "reci", "depth")]
    if "utf8" not in path:
        report.sums(path, "loaded call", calls, want)


def compare_header(report, path, mode, profile, expected):
    out, _, _ = through(mode, path, "profcat", "-t", "json")
    rows = json.loads(out)["meta"]["metadata"]
    got = {origin: {row["key"]: row["value"] for row in rows if row["origin"] == origin} for origin in ("nytprof", "nytprof.option")}
    for origin, own, loaded in (("nytprof", profile.attributes, "attributes"), ("nytprof.option", profile.options, "options")):
        own = {shown(key): shown(value) for key, value in own.items()}
        report.equal(path, loaded, got[origin], own)
        if "load_error" in expected and not expected["load_error"]:
            both = {key: value for key, value in expected.get(loaded, {}).items() if key in own}
            report.equal(path, "loaded " + loaded, got[origin], both)
    comments = [row["value"] for row in rows if row["origin"] == "nytprof.comment"]
    want = [shown(text) for text in profile.comments]
    if mode not in ("direct", "pfs"):
        comments, want = ([text for text in texts if not text.startswith("Compressed at level")] for texts in (comments, want))
    report.equal(path, "comments", comments, want)


def check_read(report, mode, folder):
    for path, data, expected in profiles(folder):
        profile = Profile(data)
        out, status, text = through(mode, path, "profcat", "-t", "ndjson")
        report.count += 1
        report.equal(path, "status (%s)" % text, status, 0)
        rows = Rows(out, profile)
        compare_decoded(report, path, rows, profile)
        if not expected["stream_error"] and not expected["load_error"]:
            compare_expected(report, path, rows, profile, expected)
        compare_header(report, path, mode, profile, expected)


# ---- Call stacks ----


def folded_eval(path):
    """Joins evals of one line, as nytprofcalls does."""
    return re.sub(r"\((\w*eval)\s\d+\)(?=\[.+?:\d+\])", r"(\1 0)", path)


def check_calls(report, mode, folder):
    for path, data, _ in profiles(folder):
        expected = path[:-4] + ".expected.calls.txt"
        if not os.path.exists(expected):
            continue
        with open(expected, "rb") as file:
            lines = file.read().splitlines()
        if any(line.startswith(b"FAILED") for line in lines):
            continue
        profile = Profile(data)
        tps = int(profile.attributes.get(b"ticks_per_sec", 1000000000))
        odd = {shown(name) for stack in profile.stacks for name in stack if name and b";" in name}
        chain = [list(stage) for stage in THROUGH[mode]] + [["proffilter", "--kind=sample"], ["profcat", "-t", "folded"]]
        chain[0].append(path)
        out, _, _ = run(chain)
        got, want = collections.Counter(), collections.Counter()
        for line in out.splitlines():
            stack, value = line.rsplit(b" ", 1)
            got[folded_eval(shown(stack))] += int(value)
        for line in lines:
            stack, value = shown(line).rsplit(" ", 1)
            for name in odd:
                stack = stack.replace(name, name.replace(";", ":"))
            want[stack] += int(value)
        report.count += 1
        for stack in set(got) | set(want):
            report.equal(path, "stack " + stack, int(got[stack] * tps / 1e9), want[stack])


def main(words):
    report = Report()
    if words[0] == "read":
        check_read(report, words[1], words[2])
    elif words[0] == "calls":
        check_calls(report, words[1], words[2])
    else:
        sys.exit(__doc__)
    report.leave()


if __name__ == "__main__":
    main(sys.argv[1:])
