#!/usr/bin/env python3
"""Tests the programs with pprof files whose content is known.

    pprof.py read DIR           totals, flat and cumulative values of functions are those that `go tool pprof -raw` and `-top` printed,
                                and those of the decoder below
    pprof.py written HOW DIR    a file that is read and written again has the same messages. HOW: pprof, plain, pfs, twice
    pprof.py made HOW .         the same for generated profiles: all fields, in any order, packed or not, with unknown fields between
    pprof.py joined .           several profiles in one file, and profiles merged
    pprof.py orders .           several profiles in one file, their fields in many orders
    pprof.py bad .              exit status and message for damaged and odd files
    pprof.py salvaged .         records before damage are read
    pprof.py cut DIR            a file cut anywhere is refused, unless the rest is a profile
    pprof.py drop .             frames that a profile says to leave out; also compared with `go tool pprof`, if go is installed
    pprof.py foreign DIR        profiles of other formats, written as pprof
    pprof.py client DIR         `go tool pprof` reads the written files (needs go)
    pprof.py names DIR          names in files written from other formats
    pprof.py shown_names DIR    `go tool pprof` shows names whole (needs go)

The decoder is written from profile.proto's description, not from the programs. Differences are printed; the exit status is 1 when
there are any. PROFUTILS_BIN is the directory of the programs.
"""
import collections
import glob
import gzip
import json
import os
import random
import re
import shutil
import subprocess
import sys

BIN = os.environ["PROFUTILS_BIN"]
SCALARS = {7: "drop_frames", 8: "keep_frames", 9: "time", 10: "duration", 12: "period", 14: "default", 15: "doc_url"}
STRINGS = ("drop_frames", "keep_frames", "default", "doc_url")
problems = 0


def differ(*what):
    global problems
    problems += 1
    print(*(str(part)[:300] for part in what))


def narrow(a, b):
    """The first items in which two nested tuples or lists differ."""
    while isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)) and len(a) == len(b):
        a, b = next((pair for pair in zip(a, b) if pair[0] != pair[1]), (None, None))
    return a, b


def run(*arguments, data=None, status=0):
    done = subprocess.run([os.path.join(BIN, arguments[0]), *arguments[1:]], input=data, capture_output=True, timeout=60, check=False)
    if status is not None and done.returncode != status:
        differ(" ".join(arguments), "exit", done.returncode, done.stderr.decode("utf-8", "replace").strip()[:300])
    return done


# ---- Decoder ----


class Damaged(Exception):
    pass


def varint(data, at):
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise Damaged("varint")
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value & (1 << 64) - 1, at


def signed(value):
    return value - (1 << 64) if value >> 63 else value


def fields(data):
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        number, wire = tag >> 3, tag & 7
        if number == 0 or wire not in (0, 1, 2, 5):
            raise Damaged("tag")
        if wire == 0:
            value, at = varint(data, at)
        else:
            size = {1: 8, 5: 4}.get(wire)
            if size is None:
                size, at = varint(data, at)
            value = data[at : at + size]
            at += size
            if at > len(data):
                raise Damaged("cut")
        yield number, wire, value


def numbers(items, number):
    out = []
    for found, wire, value in items:
        if found == number and wire == 0:
            out.append(value)
        elif found == number:
            at = 0
            while at < len(value):
                item, at = varint(value, at)
                out.append(item)
    return out


def one(items, number):
    found = [value for n, _, value in items if n == number]
    return found[-1] if found else 0


class Profile:
    """The content of a profile, without its ids."""

    def __init__(self, data):
        top = list(fields(data))
        self.strings = [value.decode("utf-8", "surrogateescape") for n, _, value in top if n == 6]
        if not self.strings or self.strings[0]:
            raise Damaged("no table of strings")
        parts = {n: [list(fields(v)) for k, _, v in top if k == n] for n in (1, 2, 3, 4, 5, 11)}
        self.types = [(self.string(one(t, 1)), self.string(one(t, 2))) for t in parts[1]]
        self.mappings = [self.mapping(m) for m in parts[3]]
        by_id = {one(m, 1): row for m, row in zip(parts[3], self.mappings)}
        functions = {one(f, 1): self.function(f) for f in parts[5]}
        self.locations = {one(x, 1): self.location(x, by_id, functions) for x in parts[4]}
        self.samples = [self.sample(s) for s in parts[2]]
        self.facts = {name: signed(one(top, n)) for n, name in SCALARS.items()}
        for name in STRINGS:
            self.facts[name] = self.string(self.facts[name])
        self.facts["period_type"] = tuple((self.string(one(t, 1)), self.string(one(t, 2))) for t in parts[11][-1:] if t)
        self.facts["comments"] = [self.string(c) for c in numbers(top, 13)]

    def string(self, number):
        try:
            return self.strings[number]
        except IndexError as error:
            raise Damaged("string") from error

    def mapping(self, m):
        flags = tuple(bool(one(m, n)) for n in (7, 8, 9, 10))
        return (one(m, 2), one(m, 3), one(m, 4), self.string(one(m, 5)), self.string(one(m, 6))) + flags

    def function(self, f):
        return (self.string(one(f, 2)), self.string(one(f, 3)), self.string(one(f, 4)), signed(one(f, 5)))

    def location(self, x, mappings, functions):
        lines = [list(fields(v)) for n, _, v in x if n == 4]
        told = tuple((functions.get(one(i, 1)), signed(one(i, 2)), signed(one(i, 3))) for i in lines)
        return (mappings.get(one(x, 2)), one(x, 3), told, bool(one(x, 5)))

    def sample(self, s):
        values = tuple(map(signed, numbers(s, 2)))
        if len(values) != len(self.types):
            raise Damaged("values")
        labels = []
        for n, _, value in s:
            if n == 3:
                label = list(fields(value))
                key, text, number = self.string(one(label, 1)), one(label, 2), signed(one(label, 3))
                if text:
                    labels.append((key, self.string(text)))
                if not text and key == "section" and not number:
                    labels.append((key, ""))
                elif not text or number or one(label, 4):
                    labels.append((key, number, self.string(one(label, 4))))
        try:
            stack = tuple(self.locations[i] for i in numbers(s, 1))
        except KeyError as error:
            raise Damaged("location") from error
        return stack, values, tuple(sorted(set(labels), key=repr))

    def same(self, other, name):
        for what in ("types", "mappings", "facts", "samples"):
            mine, theirs = getattr(self, what), getattr(other, what)
            if mine == theirs:
                continue
            if isinstance(mine, dict):
                mine, theirs = sorted(mine.items(), key=str), sorted(theirs.items(), key=str)
            was, now = narrow(mine, theirs)
            differ(name, what, "was:", was, "is:", now)


def frames(stack):
    """The names of the frames, leaf first, as in a table."""
    for _, address, lines, _ in stack:
        for function, _, _ in lines or ((None, 0, 0),):
            if function and function[0]:
                yield function[0]
            else:
                yield "0x%x" % address if address else "[unknown]"


def tally(samples, column):
    """Flat and cumulative values of each name; a stack counts a name once."""
    flat, cum = collections.Counter(), collections.Counter()
    for stack, values, _ in samples:
        names = list(frames(stack))
        if names:
            flat[names[0]] += values[column]
        for name in set(names):
            cum[name] += values[column]
    return flat, cum


def read(path):
    with open(path, "rb") as stream:
        data = stream.read()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def corpus(directory):
    found = sorted(glob.glob(os.path.join(directory, "pprof", "**", "*.pb*"), recursive=True))
    found = [path for path in found if ".expected." not in path]
    wild = [os.path.join(directory, "..", "wild", "pprof-legacy", name) for name in ("speedscope-simple.pb.prof", "go.nomappings.crash")]
    found += filter(os.path.exists, wild)
    if not found:
        differ("no file in", directory)
    return found


# ---- Reading ----


def raw_profile(path):
    """The samples that `go tool pprof -raw` printed, in the decoder's form, without mappings and labels."""
    head, rest = open(path, encoding="utf-8").read().split("\nLocations\n")
    locations = {}
    for line in rest.split("Mappings\n")[0].splitlines():
        begin = re.match(r" *(\d+): 0x([0-9a-f]+)(?: M=\d+)?(?: \[F\])?(.*)", line)
        if begin:
            at = int(begin[1])
            locations[at] = (None, int(begin[2], 16), (), False)
        told = (begin[3] if begin else line).strip()
        if told:
            name = re.match(r"(.*?) \S*:(-?\d+)(?::\d+)? s=-?\d+$", told)
            _, address, lines, folded = locations[at]
            locations[at] = (None, address, lines + (((name[1], "", "", 0), int(name[2]), 0),), folded)
    samples, types = [], None
    for line in head.split("\nSamples:\n")[1].splitlines():
        if types is None:
            types = [t.removesuffix("[dflt]") for t in line.split()]
        elif re.match(r" *-?\d+( +-?\d+)*: ", line + " "):
            values, ids = line.split(":", 1)
            samples.append((tuple(locations[int(i)] for i in ids.split()), tuple(map(int, values.split())), ()))
    return types, samples


def table(path, measure, *options):
    document = json.loads(run("proftop", "-t", "json", "-n", "0", "--by=name", "--min-percent=0", "-m", measure, *options, path).stdout)
    rows = {row["function"]: (row["flat"], row["cum"]) for row in document["rows"]}
    return document["measures"][0]["total"], {name: row for name, row in rows.items() if row != (0, 0)}


UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "mins": 60e9, "": 1, "B": 1, "kB": 1024, "MB": 1 << 20}


def shown(text, amount):
    """True if pprof's rounded amount stands for this one."""
    number, unit = re.fullmatch(r"(-?[0-9.]+)([a-zA-Z]*)", text).groups()
    half = 0.5 * 10 ** -len(number.partition(".")[2])
    return abs(float(number) * UNITS[unit] - amount) <= half * UNITS[unit] + 1e-6


def check_top(path, expected, rows):
    seen = 0
    for line in open(expected, encoding="utf-8"):
        row = re.match(r" *(\S+) +[0-9.]+% +[0-9.]+% +(\S+) +[0-9.]+%  (.*?)(?: \(inline\)| \(partial-inline\))?$", line)
        if row:
            flat, cum = rows.get(row[3], (0, 0))
            seen += 1
            if row[3] != "<unknown>" and not (shown(row[1], flat) and shown(row[2], cum)):
                differ(expected, row[3], "expected", row[1], row[2], "got", flat, cum)
    if seen == 0 and rows and "of 0 total" not in open(expected, encoding="utf-8").read():
        differ(path, expected, "has no rows")


def check_read(directory):
    for path in corpus(directory):
        profile = Profile(read(path))
        sources = [([t for t, _ in profile.types], profile.samples)]
        if os.path.exists(path + ".expected.raw.txt"):
            types, samples = raw_profile(path + ".expected.raw.txt")
            sources.append(([t.split("/")[0] for t in types], samples))
        for column, (name, _) in enumerate(profile.types):
            total, rows = table(path, name)
            for types, samples in sources:
                flat, cum = tally(samples, column)
                wanted = {n: (flat[n], cum[n]) for n in cum if flat[n] or cum[n]}
                if wanted != rows:
                    differ(path, name, "rows differ:", sorted(set(wanted.items()) ^ set(rows.items()))[:4])
                if samples and types[column] != name:
                    differ(path, types, "are not", profile.types)
            if total != sum(values[column] for _, values, _ in profile.samples):
                differ(path, name, "total", total)
            for expected in [path + ".expected.top.txt"] * (column + 1 == len(profile.types)) + [path + f".expected.top.{name}.txt"]:
                if os.path.exists(expected):
                    check_top(path, expected, rows)


# ---- Writing ----


def written(how, path):
    if how == "plain":
        return run("profcat", "-z", "0", "-t", "pprof", path).stdout
    data = run("profcat", "-t", "pfs", path).stdout if how in ("pfs", "twice") else None
    data = run("profcat", "-t", "pprof", *([path] if data is None else []), data=data).stdout
    if how == "twice":
        data = run("profcat", "-t", "pprof", data=run("profcat", "-t", "pfs", data=data).stdout).stdout
    if data[:2] != b"\x1f\x8b":
        differ(path, "is not gzip")
        return b""
    return gzip.decompress(data)


def check_written(how, directory):
    for path in corpus(directory):
        Profile(read(path)).same(Profile(written(how, path)), f"{path} ({how})")


# ---- Made here ----


def put(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def number_field(number, value):
    return put(number << 3) + put(value) if value else b""


def bytes_field(number, body):
    return put(number << 3 | 2) + put(len(body)) + body


class Maker:
    """Makes a random profile, encoded in one of many ways."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.table = [""]
        self.sparse, self.packed, self.bare = (self.random.random() < 0.5 for _ in range(3))
        self.used = set()

    def string(self, text):
        if text not in self.table:
            self.table.append(text)
        return self.table.index(text)

    def word(self, *more):
        return self.random.choice(("", "a", "main", "f;g", "größe", "x\0y", "C<int>::operator()", "x" * 300) + more)

    def new_id(self, count):
        while True:
            found = self.random.choice((self.random.randrange(1, 1 << 63), self.random.randrange(1, 1 << 14))) if self.sparse else count + 1
            if found not in self.used:
                self.used.add(found)
                return found

    def numbers(self, number, values):
        """A repeated number, packed, one by one, or some of each."""
        if self.packed:
            return bytes_field(number, b"".join(map(put, values))) if values else b""
        cut = self.random.randrange(len(values) + 1)
        packed = bytes_field(number, b"".join(map(put, values[cut:]))) if values[cut:] else b""
        return b"".join(put(number << 3) + put(v) for v in values[:cut]) + packed

    def shuffled(self, *parts):
        parts = [part for part in parts if part]
        self.random.shuffle(parts)
        return b"".join(parts)

    def unknown(self):
        number = self.random.randrange(16, 5000)
        return self.random.choice((b"", put(number << 3) + put(self.random.getrandbits(64)), put(number << 3 | 1) + b"8 bytes.",
                                   put(number << 3 | 5) + b"four", bytes_field(number, b"\xff" * self.random.randrange(300))))  # fmt: skip

    def mapping(self, at):
        if self.random.random() < 0.2:  # only an id
            return self.shuffled(number_field(1, at), self.unknown())
        start = self.random.choice((0, 0x400000, 1 << 63))
        return self.shuffled(number_field(1, at), number_field(2, start), number_field(3, start + self.random.randrange(1 << 30)),
                             number_field(4, self.random.choice((0, 4096))), number_field(5, self.string(self.word("/bin/app", "//anon"))),
                             number_field(6, self.string(self.word("c0ffee"))), self.unknown(),
                             *(number_field(n, self.random.randrange(2)) for n in (7, 8, 9, 10)))  # fmt: skip

    def function(self, at):
        name = self.word(f"f{at}")
        system = name if not self.bare or self.random.random() < 0.5 else self.word()
        return self.shuffled(number_field(1, at), number_field(2, self.string(name)), number_field(3, self.string(system)), self.unknown(),
                             number_field(4, self.string(self.word("/src/a.c"))),
                             number_field(5, self.random.choice((7, -1) + (0,) * (name + system != ""))))  # fmt: skip

    def location(self, at, mappings, functions):
        lines = []
        for _ in range(self.random.choice((0, 1, 1, 1, 2, 3))):
            line = number_field(2, self.random.choice((1, 17, -1, 1 << 40))) + number_field(3, self.random.choice((0, 9)))
            lines.append(bytes_field(4, number_field(1, self.random.choice(functions)) + line))
        address = self.random.choice((0, self.random.getrandbits(32), (1 << 64) - self.random.getrandbits(32)))
        folded = number_field(5, address > 0 and self.random.random() < 0.1)  # two places that differ only in this are one
        return self.shuffled(number_field(1, at), number_field(2, self.random.choice(mappings + [0])), number_field(3, address),
                             b"".join(lines), self.unknown(), folded)  # fmt: skip

    def label(self):
        key = number_field(1, self.string(self.word("thread", "section", "bytes")))
        if self.random.random() < 0.5:
            return key + number_field(2, self.string(self.random.choice(("a", "b", "größe"))))
        return key + number_field(3, self.random.choice((0, 1, -5, (1 << 63) - 1))) + number_field(4, self.string(self.word("bytes")))

    def sample(self, types, locations):
        stack = [self.random.choice(locations) for _ in range(self.random.choice((0, 1, 3, 40)))]
        values = [self.random.choice((0, 1, -1, 12345, (1 << 62) - 1, -(1 << 62))) for _ in range(types)]
        labels = [bytes_field(3, self.label()) for _ in range(self.random.choice((0, 1, 3)))]
        return self.shuffled(self.numbers(1, stack), self.numbers(2, values), *labels, self.unknown())

    def ids(self, count):
        self.used = set()
        return [self.new_id(k) for k in range(count)]

    def profile(self):
        types = self.random.sample([("samples", "count"), ("cpu", "nanoseconds"), ("wall", "microseconds"), ("mem", "bytes"), ("x", "widgets"),
                                    ("big", "kilobytes"), ("größe", "")], self.random.randrange(1, 5))  # fmt: skip
        mappings, functions = self.ids(self.random.randrange(4)), self.ids(self.random.randrange(1, 9))
        tables = [[bytes_field(3, self.mapping(at)) for at in mappings], [bytes_field(5, self.function(at)) for at in functions]]
        locations = self.ids(self.random.randrange(1, 20))
        tables.append([bytes_field(4, self.location(at, mappings, functions)) for at in locations])
        tables.append([bytes_field(2, self.sample(len(types), locations)) for _ in range(self.random.randrange(60))])
        tables.append([bytes_field(1, number_field(1, self.string(t)) + number_field(2, self.string(u))) for t, u in types])
        comments = [self.string(self.word("a comment")) for _ in range(self.random.randrange(3))]
        default = self.random.choice(types)[0] if self.random.random() < 0.5 else ""
        facts = [number_field(7, self.string("^drop")), number_field(9, 1 << 60), number_field(10, self.random.choice((0, 10**10))),
                 bytes_field(11, number_field(1, self.string("cpu/x y")) + number_field(2, self.string("%/s"))), number_field(12, 5000),
                 self.numbers(13, comments), number_field(14, self.string(default)), number_field(15, self.string("http://x/")),
                 number_field(8, self.string("keep"))]  # fmt: skip
        tables.append([fact for fact in facts if self.random.random() < 0.7] + [self.unknown()])
        tables.append([bytes_field(6, text.encode()) for text in self.table])
        if self.random.random() < 0.3:  # rows of all tables mixed, but each table's rows in order
            order = [k for k, rows in enumerate(tables) for _ in rows]
            self.random.shuffle(order)
            left = [iter(rows) for rows in tables]
            return b"".join(next(left[k]) for k in order)
        self.random.shuffle(tables)
        return b"".join(b"".join(rows) for rows in tables)


def check_made(how, directory):
    for seed in range(60):
        data = Maker(seed).profile()
        path = os.path.join(directory, "made.pb")
        with open(path, "wb") as stream:
            stream.write(data)
        was = Profile(data)
        # Of rows that no sample uses, only mappings must be kept; a repeated mapping counts once.
        was.mappings = list(dict.fromkeys(was.mappings))
        was.same(Profile(written(how, path)), f"seed {seed} ({how})")


# ---- Several ----


def simple(strings_first=False, time=1000, start=0x400000, value=3, name="f", extra=b"", comment="", build="c0ffee", types=(("n", "count"),), labels=b""):
    table = ["", "/bin/app", build, name, comment] + [x for t in types for x in t]
    facts = number_field(9, time) + number_field(10, 500) + number_field(12, time // 10) + number_field(13, 4 if comment else 0) + extra
    body = b"".join(bytes_field(1, number_field(1, 5 + 2 * k) + number_field(2, 6 + 2 * k)) for k in range(len(types)))
    body += bytes_field(2, bytes_field(1, put(1)) + bytes_field(2, b"".join(put(value + k) for k in range(len(types)))) + labels)
    body += bytes_field(3, number_field(1, 1) + number_field(2, start) + number_field(3, start + 4096) + number_field(5, 1) + number_field(6, 2))
    body += bytes_field(4, number_field(1, 1) + number_field(2, 1) + number_field(3, start + 16) + bytes_field(4, number_field(1, 1) + number_field(2, 7)))
    body += bytes_field(5, number_field(1, 1) + number_field(2, 3) + number_field(3, 3))
    strings = b"".join(bytes_field(6, text.encode()) for text in table)
    return strings + body + facts if strings_first else body + strings + facts


def go_order(data):
    """Time first and strings last, as Go writes them."""
    parts = [(n, bytes_field(n, v) if w == 2 else put(n << 3 | w) + put(v)) for n, w, v in fields(data)]
    rank = {9: 0, 1: 1, 11: 2, 12: 3, 6: 9}
    return b"".join(part for _, part in sorted(parts, key=lambda row: rank.get(row[0], 5)))


def check_types(directory):
    """Sample types with the same name stay separate: of the same unit, of two units of time, and beside a type named NAME#2."""
    cases = [
        ((("n", "count"), ("n", "count")), {"n": 3, "n#2": 4}),
        ((("n", "count"), ("n", "count"), ("n#2", "count")), {"n": 3, "n#2": 4, "n#2#2": 5}),
        ((("n#2", "count"), ("n", "count"), ("n", "count")), {"n#2": 3, "n": 4, "n#3": 5}),
        ((("cpu", "microseconds"), ("cpu", "nanoseconds")), {"cpu": 3000, "cpu#2": 4}),
        ((("n", "count"), ("n", "bytes")), {"n": 3, "n/bytes": 4}),
    ]
    for number, (types, expected) in enumerate(cases):
        path = save(directory, f"types{number}.pb", simple(types=types))
        stream = run("profcat", "-t", "pfs", path).stdout
        for how, data in (("file", open(path, "rb").read()), ("stream", stream)):
            values = json.loads(run("profcat", "-t", "ndjson", data=data).stdout)["values"]
            if values != expected:
                differ("types", types, how, values)


def save(directory, name, data):
    path = os.path.join(directory, name)
    with open(path, "wb") as stream:
        stream.write(data)
    return path


def values_of(path, *options):
    rows = [json.loads(row) for row in run("profcat", "-t", "ndjson", *options, path).stdout.splitlines()]
    return [(tuple(f["function"] for f in row["stack"]), tuple(filter(None, row["values"].values()))) for row in rows]


def check_joined(directory):
    a, b, c = simple(name="f", value=3), simple(name="g", value=4, time=2000), simple(name="h", value=5, types=(("m", "bytes"),))
    layouts = {"as it is": lambda x: x, "go": go_order}
    for first, one_way in layouts.items():
        for second, other_way in layouts.items():
            path = save(directory, "two.pb", one_way(a) + other_way(b) + one_way(c))
            found = values_of(path)
            if found != [(("f",), (3,)), (("g",), (4,)), (("h",), (5,))]:
                differ("three profiles in a file,", first, second, found)
    path = save(directory, "first.pb", simple(True, name="f") + simple(True, name="g"))
    if [row[0] for row in values_of(path)] != [("f",), ("g",)]:
        differ("strings first", values_of(path))
    members = save(directory, "members.pb.gz", gzip.compress(go_order(a)) + gzip.compress(go_order(b)))
    if values_of(members) != [(("f",), (3,)), (("g",), (4,))]:
        differ("gzip members", values_of(members))
    empty = save(directory, "empty.pb", a + bytes_field(6, b"more") + bytes_field(6, b""))
    if values_of(empty) != [(("f",), (3,))]:
        differ("a second empty string is no second profile", values_of(empty))
    check_merged(directory)


def laid_out(rng, tag, order, types, sparse):
    """A profile with its fields in the given order, and its samples. One letter for each kind; * for functions, locations and samples in
    turns."""
    table = [""]

    def string(text):
        if text not in table:
            table.append(text)
        return table.index(text)

    count = rng.randrange(1, 6)
    at = [rng.sample(range(1, 1 << 40), count) if sparse else list(range(1, count + 1)) for _ in range(3)]
    names = [f"{tag}{k}" for k in range(count)]
    parts = {"T": [bytes_field(1, number_field(1, string(t)) + number_field(2, string("count"))) for t in types], "S": [], "*": []}
    parts["F"] = [bytes_field(5, number_field(1, at[0][k]) + number_field(2, string(names[k])) + number_field(3, string(names[k]))) for k in range(count)]
    parts["L"] = [bytes_field(4, number_field(1, at[1][k]) + number_field(2, at[2][0]) + number_field(3, 4096 + k) +
                              bytes_field(4, number_field(1, at[0][k]))) for k in range(count)]  # fmt: skip
    parts["P"] = [bytes_field(3, number_field(1, at[2][0]) + number_field(2, 4096) + number_field(3, 8192) + number_field(5, string("/bin/" + tag)))]
    parts["M"] = [number_field(9, rng.randrange(1, 9)), number_field(10, rng.randrange(2)), number_field(14, string(rng.choice(types))),
                  bytes_field(11, number_field(1, string("period of " + tag)))][rng.randrange(2) : rng.randrange(2, 5)]  # fmt: skip
    found = []
    for k in range(count):
        parts["*"] += [parts["F"][k], parts["L"][k]]
        for _ in range(rng.randrange(1, 3)):
            stack, values = [rng.randrange(k + 1) for _ in range(2)], [rng.randrange(1, 99) for _ in types]
            label = bytes_field(3, number_field(1, string("key")) + number_field(2, string("of " + tag)))
            parts["S"].append(bytes_field(2, b"".join(put(8) + put(at[1][i]) for i in stack) + bytes_field(2, b"".join(map(put, values))) + label))
            parts["*"].append(parts["S"][-1])
            found.append((tuple(names[i] for i in stack), "of " + tag, tuple(sorted(zip(types, values)))))
    parts["X"] = [bytes_field(6, text.encode()) for text in table]
    return b"".join(b"".join(parts[letter]) for letter in order), found


def read_samples(path):
    done = run("profcat", "-f", "pprof", "-t", "ndjson", path, status=None)
    rows = [json.loads(row) for row in done.stdout.splitlines()]
    found = [(tuple(f["function"] for f in row["stack"]), row["labels"].get("key", [""])[0],
              tuple(sorted((k, v) for k, v in row["values"].items() if v))) for row in rows]  # fmt: skip
    return done.returncode, sorted(found), done.stderr.decode()


def join(directory, seed, orders, members, sparse=False):
    """Reads profiles written one after the other. Returns True if they could be separated; otherwise they must be refused."""
    rng = random.Random(seed)
    choices = (("n",), ("n", "m"), ("x", "y", "z"))
    usual = rng.choice(choices)
    made = [laid_out(rng, "abc"[k], order, rng.choice((usual, usual, rng.choice(choices))), sparse) for k, order in enumerate(orders)]
    path = save(directory, "joined.pb", b"".join(gzip.compress(data) if members else data for data, _ in made))
    wanted = collections.Counter(row for _, rows in made for row in rows)
    status, found, message = read_samples(path)
    told = status == 3 and "the boundary is unclear" in message or "may belong to either" in message and not members
    if (status != 0 or collections.Counter(found) != wanted) and not (told and not collections.Counter(found) - wanted):
        differ("profiles in one file:", seed, orders, "in gzip" if members else "plain", status, message, found)
    return status == 0


def check_orders(directory):
    usual = ["MT*PX", "TSPLFXM", "XTFLSPM", "XMTFLPS", "STPLFXM", "XMT*P", "MTSXLFP", "TMXFPLS"]
    for seed, orders in enumerate((a, b) for a in usual for b in usual):
        for members in (False, True):
            if not join(directory, seed, orders, members) and not (orders[0][-1] == "S" and orders[1][0] == "S"):
                differ("not told apart:", orders, members)
    read = 0
    for seed in range(80):
        rng = random.Random(seed)
        orders = ["".join(rng.sample("TSLFPMX", 7)) for _ in range(rng.choice((2, 3)))]
        sparse = rng.random() < 0.3
        join(directory, seed, orders, True, sparse)
        join(directory, seed, orders[:1] * 2 + ["MT*PX"], True, sparse)
        read += join(directory, seed, orders, False, sparse) + join(directory, seed, orders[:1] * 3, False, sparse)
    if read < 140:
        differ("of 160 inputs only", read, "are told apart")
    # If the samples of two profiles follow each other directly, nothing separates them.
    if join(directory, 1, ("XTFLPMS", "STXFLPM"), False):
        differ("samples without a seam were read")
    # A profile in many gzip members is one profile, even if a member ends at the end of a field.
    rng = random.Random(7)
    data, wanted = laid_out(rng, "a", "XT*PM", ("n",), False)
    for size in (1, 2, 5, 40):
        pieces = b"".join(gzip.compress(data[k : k + size]) for k in range(0, len(data), size))
        if read_samples(save(directory, "pieces.pb.gz", pieces))[:2] != (0, sorted(wanted)):
            differ("a profile in members of", size, "bytes")
    pieces = b"".join(gzip.compress(put(n << 3 | w) + (put(v) if w == 0 else put(len(v)) + v)) for n, w, v in fields(data))
    if read_samples(save(directory, "pieces.pb.gz", pieces))[:2] != (0, sorted(wanted)):
        differ("a profile of a member for each field")


def check_merged(directory):
    made = [simple(start=0x7000, comment="one"), simple(start=0x5000, time=900, comment="two"), simple(start=0x9000, time=2000, comment="one", value=10),
            simple(start=0x5000, build="other", value=1)]  # fmt: skip
    paths = [save(directory, f"m{k}.pb", data) for k, data in enumerate(made)]
    for order in (paths, paths[::-1], paths[1:] + paths[:1]):
        merged = Profile(gzip.decompress(run("profmerge", "-t", "pprof", *order).stdout))
        places = sorted((stack[0][0][0], stack[0][0][4], stack[0][1], values[0]) for stack, values, _ in merged.samples)
        if places != [(0x5000, "c0ffee", 0x5010, 16), (0x5000, "other", 0x5010, 1)]:
            differ("merged places", places)
        facts = merged.facts
        if (facts["time"], facts["duration"], facts["period"]) != (900, 2000, 200) or sorted(facts["comments"]) != ["one", "two"]:
            differ("merged facts", facts)
    twice = run("profmerge", "-t", "pfs", paths[0], paths[1]).stdout
    nested = run("profmerge", "--canonical", "-t", "pprof", "-z0", "-", *paths[2:], data=twice).stdout
    if nested != run("profmerge", "--canonical", "-t", "pprof", "-z0", *paths).stdout:
        differ("merging in two steps is not merging at once")


# ---- Damage ----

LONG = [("n" * 100_000, "count")]


def check_bad(directory):
    good = simple()
    def sample(body):
        return good + bytes_field(2, body)

    two = number_field(1, 1) + number_field(2, 5) + number_field(2, 6)
    cases = [
        ("values", sample(two), 3, r"offset %d: a sample of 2 values, expected 1 as there are types" % len(good)),
        ("none", sample(number_field(1, 1)), 3, r"offset %d: a sample of 0 values, expected 1 as there are types" % len(good)),
        ("location", sample(number_field(1, 77) + number_field(2, 5)), 3, r"offset %d: .* location 77, which is not there" % len(good)),
        ("string", good + bytes_field(5, number_field(1, 9) + number_field(2, 700)), 3, r"offset %d: string 700 is missing" % len(good)),
        ("twice", good + bytes_field(5, number_field(1, 1)), 3, r"offset %d: function 1 is defined twice" % len(good)),
        ("no id", good + bytes_field(4, number_field(3, 1)), 3, r"offset %d: a location without an id" % len(good)),
        ("group", good + b"\x1b\x08\x01\x1c", 3, r"offset %d: a group" % len(good)),
        ("type", good + b"\x37", 3, r"offset %d: a field of an unknown type" % len(good)),
        ("number", good + b"\x00\x01", 3, r"offset %d: a field without a valid number" % len(good)),
        ("long", good + b"\x48" + b"\x80" * 10 + b"\x01", 3, r"offset %d: a number of more than 10 bytes" % len(good)),
        ("claim", good + b"\x12\xff\xff\xff\xff\x0f", 3, r"offset %d: a field of 4294967295 bytes; at most" % len(good)),
        ("behind", good + b"\x12\xff\xff\x0f", 3, r"offset %d: a field ends after the file" % len(good)),
        ("skipped", good + b"\xa2\x06\xff\xff\x0f", 3, r"offset %d: a field ends after the file" % len(good)),
        ("no strings", b"".join(bytes_field(n, v) for n, w, v in fields(good) if w == 2 and n != 6), 3, "the table of strings is missing"),
        ("table", good.replace(bytes_field(6, b""), bytes_field(6, b"x"), 1), 3, "begins with 'x', not with an empty one"),
        ("types", simple(types=[(f"t{k}", "count") for k in range(1025)]), 3, "offset [0-9]+: more than 1024 sample types"),
        # the time for many types must not depend on the number of samples or names
        ("many types", simple(types=LONG) + bytes_field(2, bytes_field(2, bytes(300_000))) + bytes_field(1, number_field(1, 5)) * 100_000, 3, "sample types"),
        ("many functions", good + bytes_field(5, number_field(1, 2) + number_field(2, 700)) * 100_000 + bytes_field(6, b"") +
         bytes_field(6, b"b") + bytes_field(6, b"") + (bytes_field(1, number_field(1, 5)) + number_field(10, 5)) * 100_000, 3, "string 700 is missing, the profile has 7"),
        ("column", good + bytes_field(4, number_field(1, 2) + bytes_field(4, number_field(3, -1))), 3, "column -1 does not fit 32 bits"),
        ("label", sample(number_field(2, 1) + bytes_field(3, number_field(1, 99))), 3, r"offset %d: string 99" % len(good)),
        ("mapping", good + bytes_field(4, number_field(1, 2) + number_field(2, 55)), 0, "warning: .*1 references to mappings or functions"),
    ]  # fmt: skip
    for name, data, status, message in cases:
        path = save(directory, "bad.pb", data)
        done = run("profcat", "-f", "pprof", "-t", "pprof", path, "-o", os.path.join(directory, "out.pb.gz"), status=status)
        if not re.search(message, done.stderr.decode("utf-8", "replace")):
            differ(name, "expected", message, "got", done.stderr.decode("utf-8", "replace").strip())
    # Good records before the damage are read, and no reader takes the file written from them for whole.
    path = save(directory, "bad.pb", sample(two))
    kept = run("profcat", "--salvage", "-t", "pprof", "-z0", path).stdout
    Profile(good).same(Profile(kept), "salvaged")
    torn = run("profcat", "-t", "pprof", "-z0", path, status=3).stdout
    run("profcat", "-f", "pprof", save(directory, "torn.pb", torn), status=3)
    long = save(directory, "long.pb", simple(name="f" * 100_000, types=LONG))
    if values_of(long) != [(("f" * 100_000,), (3,))]:
        differ("a name of 100 KB")
    deep = simple() + bytes_field(2, bytes_field(1, b"\x01" * 100_000) + number_field(2, 1))
    if len(values_of(save(directory, "deep.pb", deep))[1][0]) != 100_000:
        differ("a stack of 100,000 frames")
    over = simple(value=(1 << 63) - 1)
    paths = [save(directory, f"over{k}.pb", over) for k in range(2)]
    if b"overflows 64 bits" not in run("profmerge", *paths, status=3).stderr:
        differ("a sum of 2^64 passed")


def three_places(damage, extra=b"", cut=0):
    """A profile: samples of f, g and f again, then `damage`, a sample of f, `extra`, and last the strings."""
    table = ["", "n", "count", "f", "k", "g", "h", "v"]
    rows = b"".join(bytes_field(5, number_field(1, k + 1) + number_field(2, at) + number_field(3, at)) for k, at in enumerate((3, 5, 6)))
    rows += b"".join(bytes_field(4, number_field(1, k) + bytes_field(4, number_field(1, k))) for k in (1, 2))
    rows += bytes_field(3, number_field(1, 1))
    at_f, at_g, labelled = (bytes_field(2, number_field(1, k) + number_field(2, v) + label) for k, v, label in
                            ((1, 10, b""), (2, 20, b""), (1, 30, bytes_field(3, number_field(1, 4) + number_field(2, 7)))))  # fmt: skip
    before = bytes_field(1, number_field(1, 1) + number_field(2, 2)) + rows + at_f + at_g + labelled + labelled
    data = before + damage + at_f + extra + b"".join(bytes_field(6, text.encode()) for text in table)
    return data[: len(data) - cut], len(before)


def check_salvaged(directory):
    """Tests that --salvage gives the whole samples before the damage and none after it. The first row with an id names it."""
    f, g, labelled = (("f",), (10,)), (("g",), (20,)), (("f",), (30,))
    of_h = bytes_field(4, number_field(1, 3) + bytes_field(4, number_field(1, 3)))
    cases = [
        ("function twice", bytes_field(5, number_field(1, 1) + number_field(2, 6)), b"", [f, g, labelled, labelled], "function 1 is defined twice"),
        ("location twice", bytes_field(4, number_field(1, 2)), b"", [f, g, labelled, labelled], "location 2 is defined twice"),
        ("mapping twice", bytes_field(3, number_field(1, 1)), b"", [f, g, labelled, labelled], "mapping 1 is defined twice"),
        ("no id", bytes_field(4, number_field(3, 1)), b"", [f, g, labelled, labelled], "a location without an id"),
        ("two damages", bytes_field(3, number_field(1, 1)), bytes_field(5, number_field(1, 1)), [f, g, labelled, labelled], "mapping 1 is defined twice"),
        ("a name", bytes_field(5, number_field(1, 4) + number_field(2, 700)), b"", [f, g, labelled, labelled, f], "ends before string 700"),
        ("a file", bytes_field(3, number_field(1, 2) + number_field(5, 701)), b"", [f, g, labelled, labelled, f], "ends before string 701"),
        ("a column", bytes_field(4, number_field(1, 3) + bytes_field(4, number_field(3, -1))), b"", [f, g, labelled, labelled], "column -1 does"),
        ("a place", bytes_field(2, number_field(1, 3) + number_field(2, 5)), b"", [f, g, labelled, labelled], "a sample refers to location 3, which is not there"),
        ("a name in use", bytes_field(2, number_field(1, 3) + number_field(2, 40)), bytes_field(5, number_field(1, 4) + number_field(2, 700)) +
         bytes_field(4, number_field(1, 3) + bytes_field(4, number_field(1, 4))), [f, g, labelled, labelled, f], "ends before string 700"),
        ("a name with fields behind the names", bytes_field(5, number_field(1, 4) + number_field(2, 700)), b"", [f, g, labelled, labelled],
         "string 700 is missing, the profile has 8"),
        ("a comment", number_field(13, 99), b"", [f, g, labelled, labelled, f], "ends before string 99"),
        ("strings cut by 1", b"", of_h, [f, g, f], "a field ends after the file"),
        ("strings cut by 3", b"", of_h, [f, g, f], "ends before string 7"),
        ("strings cut by 6", b"", of_h, [f, g, f], "ends before string 6"),
        ("strings cut by 7", b"", of_h, [f, f], "a field ends after the file"),
        ("strings cut by 9", b"", of_h, [f, f], "ends before string 5"),
    ]  # fmt: skip
    for name, damage, extra, wanted, message in cases:
        cut = int(name.split()[-1]) if "cut" in name else 0
        data, offset = three_places(damage, extra, cut)
        data += number_field(10, 5) if "behind" in name else b""
        path = save(directory, "damaged.pb", data)
        for options, status in ((("--salvage",), 0), ((), 3)):
            done = run("profcat", "-f", "pprof", "-t", "ndjson", *options, path, status=status)
            rows = [json.loads(row) for row in done.stdout.splitlines()]
            found = [(tuple(x["function"] for x in row["stack"]), tuple(row["values"].values())) for row in rows]
            offset = len(data) if "ends before" in message else data.rindex(b"\x32") if cut else offset
            where = "offset %d: (?:the table of strings )?" % offset
            if found != wanted or not re.search(where + message, done.stderr.decode()):
                differ("damage:", name, *options, "gave", found, done.stderr.decode())
        kept = run("profcat", "--salvage", "-f", "pprof", "-t", "pfs", path).stdout
        run("profcat", "-t", "ndjson", data=kept)
        run("profcat", "-t", "ndjson", data=run("profcat", "-f", "pprof", "-t", "pfs", path, status=3).stdout, status=3)


def check_cut(directory):
    for name in ("cpu_labels_plain.pb", "goroutine.pb.gz"):
        data = read(os.path.join(directory, "pprof", name))
        step = max(1, len(data) // 150)
        for size in range(1, len(data), step):
            path = save(".", "cut.pb", data[:size])
            done = run("profcat", "-f", "pprof", "-t", "pprof", "-z0", path, status=None)
            try:
                left = Profile(data[:size])
            except Damaged:
                left = None
            if done.returncode != (3 if left is None else 0):
                differ(name, "cut at", size, "exit", done.returncode, done.stderr)
            if left:
                left.same(Profile(done.stdout), f"{name} cut at {size}")


# ---- Frames not to be shown ----


def plain_name(name):
    """A name without its arguments, as Prune of pprof's profile package uses it."""
    return re.match(r"\.?((?:\(anonymous namespace\)|operator\(\)|[^(])*)", name)[1]


def uninteresting(location, drop, keep):
    """The index of the location's outermost line to leave out, or None."""
    for k in reversed(range(len(location[2]))):
        name = plain_name(location[2][k][0][0])
        if name and re.fullmatch(drop, name) and not (keep and re.fullmatch(keep, name)):
            return k
    return None


def pruned(samples, drop, keep):
    """Stacks, leaf first, as pprof prunes them. A location is left out with all that it calls if it has a line to leave out and is
    called, directly or not, by a location without such a line. A part of a location stays if only some of its lines are left out."""
    for stack, values, labels in samples:
        found = [uninteresting(location, drop, keep) for location in stack]
        outer = max((k for k, line in enumerate(found) if line is None), default=0)
        cut = max((k for k, line in enumerate(found[:outer]) if line is not None), default=-1)
        left = []
        for k, (location, line) in enumerate(zip(stack, found)):
            whole = line is not None and line + 1 == len(location[2])
            if k > cut or (k == cut and not whole):
                left.append(location if line is None or whole else (*location[:2], location[2][line + 1 :], location[3]))
        yield tuple(left), values, labels


def check_drop(directory):
    """Tests random stacks with names to leave out."""
    environment = dict(os.environ, HOME=os.getcwd(), PPROF_TMPDIR=os.getcwd())
    names = ["main", "run", "malloc", ".malloc", "operator new(unsigned long)", "(anonymous namespace)::Pool::get(int)", "Pool::operator()(int)", "memalign"]
    for seed in range(60):
        rng = random.Random(seed)
        drop = rng.choice(("malloc", "m.*|operator new", r"\(anonymous namespace\)::Pool::get|run", r"Pool::operator\(\)", "alloc", "main"))
        keep = rng.choice(("", "memalign", "m[ae].*"))
        text = ["", "samples", "count", drop, keep] + names
        body = bytes_field(1, number_field(1, 1) + number_field(2, 2)) + number_field(7, 3) + (number_field(8, 4) if keep else b"")
        for _ in range(12):
            stack = b"".join(put(rng.randrange(1, 11)) for _ in range(rng.choice((0, 1, 3, 9))))
            body += bytes_field(2, bytes_field(1, stack) + bytes_field(2, put(rng.randrange(1, 99))))
        for k in range(1, 11):
            lines = [bytes_field(4, number_field(1, rng.randrange(1, len(names) + 1)) + number_field(2, k)) for _ in range(rng.choice((1, 1, 2, 3)))]
            body += bytes_field(4, number_field(1, k) + number_field(3, 4096 + k) + b"".join(lines))
        for k in range(len(names)):
            body += bytes_field(5, number_field(1, k + 1) + number_field(2, k + 5) + number_field(3, k + 5))
        path = save(directory, "drop.pb", body + b"".join(bytes_field(6, t.encode()) for t in text))
        samples = Profile(read(path)).samples
        sources = [pruned(samples, drop, keep)]
        if shutil.which("go"):
            done = subprocess.run(["go", "tool", "pprof", "-symbolize=none", "-raw", path], capture_output=True, env=environment, timeout=60, check=False)
            with open("raw.txt", "wb") as out:
                out.write(done.stdout)
            sources.append(raw_profile("raw.txt")[1])
        for wanted in sources:
            flat, cum = tally(list(wanted), 0)
            _, rows = table(path, "samples", "-f", "pprof:drop")
            if {n: (flat[n], cum[n]) for n in cum} != rows:
                differ(f"seed {seed}, without {drop!r} but {keep!r}:", sorted(set(rows.items()) ^ {(n, (flat[n], cum[n])) for n in cum})[:4])
        flat, cum = tally(samples, 0)
        if {n: (flat[n], cum[n]) for n in cum} != table(path, "samples")[1]:
            differ(f"seed {seed}: frames are dropped though nobody asked")
    bad = save(directory, "bad.pb", simple(extra=number_field(7, 3), name="a["))
    done = run("profcat", "-f", "pprof:drop", bad, status=3)
    if b"drop_frames is not a regular expression" not in done.stderr:
        differ("drop_frames that is none:", done.stderr)


# ---- Other formats ----


def records(path, *options):
    return [json.loads(row) for row in run("profcat", "-t", "ndjson", *options, path).stdout.splitlines()]


def check_foreign(directory):
    """Tests that StatProfiler's samples are written as profcat prints them, and lines and addresses as stacks of one frame."""
    for path in sorted(glob.glob(os.path.join(directory, "statprofiler", "*.out"))):
        wanted = records(path)
        profile = Profile(gzip.decompress(run("profcat", "-q", "-t", "pprof", path).stdout))
        if profile.types != [("wall", "nanoseconds"), ("samples", "count")] or profile.facts["default"] != "wall":
            differ(path, profile.types, profile.facts["default"])
        if len(wanted) != len(profile.samples):
            differ(path, len(wanted), "records,", len(profile.samples), "samples")
        for row, (stack, values, labels) in zip(wanted, profile.samples):
            sections = sorted(t for k, t, *_ in labels if k == "section")
            lines = [(f[0], f[2], n) for _, _, told, _ in stack for f, n, _ in told]
            if lines != [(f["function"], f["file"], f["line"]) for f in row["stack"]] or sections != sorted(set(row["sections"])):
                differ(path, row["id"], lines, row["stack"])
            if values != (row["values"]["wall"], row["values"]["samples"]):
                differ(path, row["id"], values, row["values"])
    for name in ("dcpi/valid/v02_multi_chunk.prof", "nytprof/synth_minor1.nyt"):
        path = os.path.join(directory, name)
        if not os.path.exists(path):
            continue
        wanted = collections.Counter((row["stack"][0]["function"], tuple(row["values"].values())) for row in records(path))
        profile = Profile(gzip.decompress(run("profcat", "-q", "-t", "pprof", path).stdout))
        found = collections.Counter((next(frames(stack)), values) for stack, values, _ in profile.samples)
        if wanted != found:
            differ(path, wanted, found)


def check_client(directory):
    """Compares with the numbers of `go tool pprof -top`, rounded in the same way."""
    inputs = corpus(directory) + sorted(glob.glob(os.path.join(directory, "statprofiler", "*.out")))[:4]
    inputs += sorted(glob.glob(os.path.join(directory, "folded", "*.folded")))[:4]
    # -raw prints local times; what is expected was printed in UTC
    environment = dict(os.environ, HOME=os.getcwd(), PPROF_TMPDIR=os.getcwd(), TZ="UTC0")
    for path in inputs:
        if run("profcat", "-q", "-o", "client.pb.gz", "-t", "pprof", path, status=None).returncode:
            continue
        profile = Profile(read("client.pb.gz"))
        if any(not stack or values.count(0) == len(values) for stack, values, _ in profile.samples) or " " in profile.types[0][1]:
            continue  # pprof leaves out samples without stack or values, and its table cannot show a unit of two words
        names = {t for t, _ in profile.types}
        main = profile.facts["default"] if profile.facts["default"] in names else profile.types[-1][0]
        _, rows = table(path, main)
        done = subprocess.run(["go", "tool", "pprof", "-top", "-nodecount=0", "-nodefraction=0", "-edgefraction=0", "client.pb.gz"],
                              capture_output=True, env=environment, timeout=60, check=False)  # fmt: skip
        if done.returncode:
            differ(path, "go tool pprof:", done.stderr.decode())
        with open("client.txt", "wb") as out:
            out.write(done.stdout)
        check_top(path, "client.txt", rows)
        raw = path + ".expected.raw.txt"
        if os.path.exists(raw):
            done = subprocess.run(["go", "tool", "pprof", "-raw", "client.pb.gz"], capture_output=True, env=environment, timeout=60, check=False)
            if done.stdout not in open(raw, "rb").read():
                differ(path, "go tool pprof -raw of what was written differs from that of the file")


# Names that pprof shortens if they equal the system name, or that it takes for mangled.
NAMES = ("<lambda>", "<module>", "<T as Display>::fmt", "<alloc::vec::Vec<T> as SpecExtend<T, I>>::from_iter", "operator<", "Set::operator<",
         "std::vector<int>::push_back", "Store<int, double>::at(unsigned long)", "geo::(anonymous namespace)::total", "Map<K, V>.get", "Main.<init>",
         "_ZNSt6vectorIiSaIiEE9push_backEOi", "__ZN3foo3barEv", "_RNvCs1234_7mycrate3foo", "main.(*Tree[...]).Walk", "main.Map[go.shape.int]",
         "main::__ANON__[(eval 14)[/a b.pl:12]:1]", "<built-in method builtins.len>", "block (2 levels) in <main>", "[memfd:jit (deleted)]",
         "two words", "A>B<C", "Größe<T>::fmt")  # fmt: skip


def top_names(*paths):
    """The names of `go tool pprof -top` for files together."""
    environment = dict(os.environ, HOME=os.getcwd(), PPROF_TMPDIR=os.getcwd())
    done = subprocess.run(["go", "tool", "pprof", "-top", "-nodecount=0", "-nodefraction=0", "-edgefraction=0", *paths],
                          capture_output=True, env=environment, timeout=60, check=False)  # fmt: skip
    if done.returncode:
        differ(*paths, "go tool pprof:", done.stderr.decode())
    rows = re.findall(r"(?m)^ *\S+ +[0-9.]+% +[0-9.]+% +\S+ +[0-9.]+%  (.*)$", done.stdout.decode())
    return sorted(rows)


def check_shown_names(directory):
    """Tests that pprof shows every name whole: also after a second writing, a merge, and beside a profile of Go."""
    with open("names.folded", "w", encoding="utf-8") as out:
        out.writelines(f"{name} {k + 1}\n" for k, name in enumerate(NAMES))
    with open("merge.folded", "w", encoding="utf-8") as out:
        out.write("merge<int>::work 1\n")
    go = os.path.join(directory, "pprof", "goroutine.pb.gz")
    run("profcat", "-q", "-t", "pprof", "-o", "names.pb.gz", "names.folded")
    run("profcat", "-q", "-t", "pprof", "-o", "again.pb.gz", "names.pb.gz")
    run("profmerge", "-q", "-t", "pprof", "-o", "merged.pb.gz", "names.pb.gz", "merge.folded", go)
    for path, names in (("names.pb.gz", NAMES), ("again.pb.gz", NAMES), ("merged.pb.gz", NAMES + ("merge<int>::work",))):
        found = top_names("-sample_index=samples", path)
        if found != sorted(names):
            differ(path, "pprof shows", sorted(set(found) - set(names)), "instead of", sorted(set(names) - set(found)))


def check_names(directory):
    """Tests the functions of what is written from other formats: a system name only if it differs, each line with a function, all in UTF-8."""
    seen = 0
    for path in sorted(glob.glob(os.path.join(directory, "**", "*"), recursive=True)):
        if os.path.isdir(path) or ".expected" in path or os.path.join(directory, "pprof") + os.sep in path:
            continue
        if run("profcat", "-q", "-z0", "-t", "pprof", "-o", "names.pb", path, status=None).returncode:
            if run("profcat", "-q", "-z0", "-t", "pprof", "-o", "names.pb", "--expand-edges", path, status=None).returncode:
                continue
        seen += 1
        data = read("names.pb")
        for row in (list(fields(v)) for n, _, v in fields(data) if n == 5):
            if one(row, 2) == one(row, 3) != 0:
                differ(path, "has a function whose system name is its name:", Profile(data).string(one(row, 2)))
        profile = Profile(data)
        if any(function is None for _, _, lines, _ in profile.locations.values() for function, _, _ in lines):
            differ(path, "has a line without a function, which pprof refuses")
        for text in profile.strings:
            if any("\udc80" <= c <= "\udcff" for c in text):
                differ(path, "has a string that is not UTF-8:", ascii(text))
    if seen == 0:
        differ("no file of", directory, "becomes pprof")


def main():
    what, *rest = sys.argv[1:]
    {"read": check_read, "written": check_written, "made": check_made, "types": check_types, "joined": check_joined, "orders": check_orders, "bad": check_bad,
     "salvaged": check_salvaged, "cut": check_cut, "drop": check_drop, "foreign": check_foreign, "client": check_client, "names": check_names,
     "shown_names": check_shown_names}[what](*rest)  # fmt: skip
    sys.exit(1 if problems else 0)


main()
