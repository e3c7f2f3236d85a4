#!/usr/bin/env python3
"""Tests which string evals of several profiles are the same function.

    evals.py xxy                  evals X X Y of one file and X Y X of another, Y the slow one
    evals.py random FIRST COUNT   COUNT random pairs of NYTProf files and as many of StatProfiler files, from seed FIRST on

The profiles are made here; what the programs say of them is computed from the files by the decoders below, which join evals by
their texts. Files are written to the current directory. Differences are printed; the exit status is 1 when there are any.
PROFUTILS_BIN is the directory of the programs.
"""
import collections
import itertools
import json
import os
import random
import re
import struct
import subprocess
import sys

BIN = os.environ["PROFUTILS_BIN"]
TICK = 100  # nanoseconds, of the NYTProf files
MAGIC = b"=statprofiler"


# ---- Names of evals ----


def find_eval(name, at=0):
    """The first eval in a name: its offset, the number, the place (None: no brackets), the offset after it."""
    found = re.compile(r"\(eval (\d+)\)").search(name, at)
    if not found:
        return None
    end, place = found.end(), None
    if name[end : end + 1] == "[":
        depth = 0
        for i in range(end, len(name)):
            depth += (name[i] == "[") - (name[i] == "]")
            if depth == 0:
                place, end = name[end + 1 : i], i + 1
                break
    more = re.compile(r" #\d+").match(name, end)
    return found.start(), int(found.group(1)), place, more.end() if more else end


def replace_evals(name, instead):
    """The name with instead(EVAL) for each outermost eval."""
    out, at = [], 0
    while (found := find_eval(name, at)) is not None:
        out += [name[at : found[0]], instead(name[found[0] : found[3]])]
        at = found[3]
    return "".join(out) + name[at:]


def short(name):
    """The name as the tests compare it: evals have their number, but no place and no ` #K`."""
    return replace_evals(name, lambda eval: "(eval %d)" % find_eval(eval)[1])


# ---- Files ----


class File:
    """What a profile says: texts of evals, lines of text by name; rows are (kind, names and numbers, amounts)."""

    def __init__(self):
        self.texts = collections.defaultdict(dict)
        self.rows = []

    def identity(self, name, rule):
        """A name with the identities of its evals. Rules: text; place: text at one place; apart: text and name."""
        return replace_evals(name, lambda eval: self.eval_identity(eval, rule))

    def eval_identity(self, eval, rule):
        text = self.texts.get(eval)
        where = self.place_identity(eval, rule, bool(text))
        if not text:
            return "{name %s}" % where
        return "{%r %s}" % (sorted(text.items()), where if rule == "apart" else where.split("@", 1)[1] if rule == "place" else "")

    def place_identity(self, eval, rule, has_text):
        _, number, place, end = find_eval(eval)
        where = "%d@%s" % (number, "" if place is None else self.identity(place, rule))
        return where if has_text else where + eval[len(eval.split(" #")[0]) :]


def numbers(value):
    """NYTProf's numbers of one to five bytes."""
    for more, limit, mark in ((0, 0x80, 0), (1, 0x4000, 0x80), (2, 0x200000, 0xC0), (3, 0x10000000, 0xE0)):
        if value < limit:
            return (value | mark << 8 * more).to_bytes(more + 1, "big")
    return b"\xff" + value.to_bytes(4, "big")


def nytprof(run):
    """A NYTProf file of a run: the main program is file 1, eval k is file k + 2."""
    text = lambda value: b"'" + numbers(len(value)) + value.encode()
    out = [b"NYTProf 5 0\n:basetime=1\n:application=x.pl\n:nv_size=8\n:ticks_per_sec=10000000\n!calls=1\n"]
    out.append(b"P" + numbers(77) + numbers(1) + struct.pack("<d", 1.0))
    names = ["x.pl", "y.pl"] + [eval.name for eval in run]
    files = [(0, 0, "x.pl"), (0, 0, "y.pl")] + [(names.index(e.file) + 1, e.line, e.name) for e in run]
    for fid, (outer, line, name) in enumerate(files, 1):
        out.append(b"@" + b"".join(map(numbers, (fid, outer, line, 0x112 if outer else 0x12, 0, 0))) + text(name))
    for fid, eval in enumerate(run, 3):
        for line, ticks in eval.ticks:
            out.append(b"+" + numbers(ticks) + numbers(fid) + numbers(line))
    for fid, eval in enumerate(run, 3):
        for line, source in eval.text if eval.known else ():
            out.append(b"S" + numbers(fid) + numbers(line) + text(source))
    for fid, eval in enumerate(run, 3):
        sub = "main::__ANON__[%s:1]" % eval.name
        out.append(b"s" + numbers(fid) + text(sub) + numbers(1) + numbers(2))
        out.append(b"c" + numbers(names.index(eval.file) + 1) + numbers(eval.line) + text("main::RUNTIME") + numbers(eval.calls)
                   + struct.pack("<3d", eval.calls / 1e6, eval.calls / 1e6, 0) + numbers(0) + text(sub))
    out.append(b"p" + numbers(77) + struct.pack("<d", 2.0))
    return b"".join(out)


def decode_nytprof(data):
    """Lines with statements and ticks, and calls."""
    file, at, names = File(), 0, {}

    def number():
        nonlocal at
        first = data[at]
        more = 0 if first < 0x80 else 1 if first < 0xC0 else 2 if first < 0xE0 else 3 if first < 0xFF else 4
        value = int.from_bytes(data[at : at + more + 1], "big") & ((1 << (8 * more + (7, 6, 5, 4, 0)[more])) - 1)
        at += more + 1
        return value

    def text():
        nonlocal at
        at += 1
        size = number()
        at += size
        return data[at - size : at].decode()

    def skip(size):
        nonlocal at
        at += size

    while at < len(data):
        tag = chr(data[at])
        if tag in "N#:!":
            at = data.index(b"\n", at) + 1
            continue
        at += 1
        if tag == "P":
            number(), number(), skip(8)
        elif tag == "p":
            number(), skip(8)
        elif tag == "@":
            fid = [number() for _ in range(6)][0]
            names[fid] = text()
        elif tag == "+":
            ticks, fid, line = number(), number(), number()
            file.rows.append(("line", (fid, line), (1, ticks)))
        elif tag == "-":
            pass
        elif tag == "S":
            fid, line = number(), number()
            file.texts[names[fid]][line] = text()
        elif tag == "s":
            number(), text(), number(), number()
        elif tag == "c":
            fid, line, caller, count = number(), number(), text(), number()
            skip(24), number()
            file.rows.append(("call", (fid, line, caller, text()), (count,)))
        else:
            raise SystemExit("tag %r at %d" % (tag, at))
    file.rows = [(kind, (names.get(key[0], ""),) + key[1:], values) for kind, key, values in file.rows]
    return file


def statprofiler(run, order):
    """A StatProfiler file: each tick of an eval is a sample; random numbers of `order` decide where the texts are."""
    def varint(value):
        out = [value & 0x7F]
        while value >> 7:
            value >>= 7
            out.insert(0, value & 0x7F | 0x80)
        return bytes(out)

    text = lambda value: b"\0" + varint(len(value)) + value.encode()
    record = lambda tag, payload, strings: bytes([tag]) + varint(len(payload) - strings) + payload
    process = struct.pack("<6I", run[0].seed, 2, 0x55AA0000, 1, 2, run[0].seed)
    out = [MAGIC + b"\1", bytes([201, 5, 36, 0, 202]) + varint(1000) + bytes([203, 20, 205]) + b"\1\0" + process + bytes(24), b"\xfe"]
    samples, sources = [], []
    by_name = {eval.name: eval for eval in run}
    for eval in run:
        chain, at = [], eval
        while at:
            chain.append(at)
            at = by_name.get(at.file)
        for line, ticks in eval.ticks:
            frames = record(3, text("main") + text("f") + text(eval.name) + varint(line) + varint(1), 3)
            for k, frame in enumerate(chain):
                frames += record(4, text(frame.name) + varint(line if k == 0 else chain[k - 1].line), 1)
            frames += record(6, text(chain[-1].file) + varint(chain[-1].line), 1)
            samples.append(record(1, varint(ticks) + text("op"), 1) + frames + b"\2\0")
        if eval.known:
            number = find_eval(eval.name)[1]
            source = "\n".join("%d %s" % pair for pair in eval.text)
            sources.append((order.random(), record(8, text(source) + varint(number), 1)))
    events = [((k + 0.5) / len(samples), sample) for k, sample in enumerate(samples)] + sources
    return b"".join(out + [event for _, event in sorted(events, key=lambda pair: pair[0])] + [b"\xc5\0"])


def decode_statprofiler(data):
    """Stacks, root first, with their ticks."""
    file, at, sample = File(), 14, None

    def varint():
        nonlocal at
        value = 0
        while True:
            value = value << 7 | data[at] & 0x7F
            at += 1
            if data[at - 1] < 128:
                return value

    def text():
        nonlocal at
        at += 1
        size = varint()
        at += size
        return data[at - size : at].decode()

    at += 5  # 201, the version of Perl, 202
    varint()
    at += 1  # 203
    varint()
    at += 1  # 205
    varint(), varint()
    at += 49  # two ids, 254
    while at < len(data):
        tag = data[at]
        at += 1
        varint()
        if tag == 1:
            sample = (varint(), text(), [])
        elif tag == 2:
            file.rows.append(("stack", tuple(reversed(sample[2])), (sample[0],)))
        elif tag == 3:
            package, sub, name = text(), text(), text()
            sample[2].append((package + "::" + sub, name, varint()))
            varint()
        elif tag in (4, 6):
            name = text()
            sample[2].append(("(eval)" if tag == 4 else "(main)", name, varint()))
        elif tag == 8:
            source = text()
            file.texts["(eval %d)" % varint()][0] = source
    return file


# ---- What the programs must say ----


def map_names(key, name):
    """A key of rows with name(NAME) for its strings."""
    return tuple(map_names(part, name) if isinstance(part, tuple) else name(part) if isinstance(part, str) else part for part in key)


class Joined:
    """The evals of several files: which evals are the same, and the least number of each eval."""

    def __init__(self, files, rule, bare_join):
        self.files, self.rule = files, rule
        self.least, named = {}, collections.defaultdict(set)
        for file in files:
            for eval in self.evals(file):
                identity, number = file.eval_identity(eval, rule), find_eval(eval)[1]
                self.least[identity] = min(number, self.least.get(identity, number))
                named[file.place_identity(eval, rule, True)].add(identity)
        self.instead = {}
        for identity in list(self.least):
            if bare_join and identity.startswith("{name "):
                texts = [other for other in named[identity[6:-1]] if not other.startswith("{name ")]
                if len(texts) == 1:
                    self.instead[identity] = texts[0]

    @staticmethod
    def evals(file):
        """All evals of a file, with those around them."""
        found, queue = set(), list(file.texts)

        def strings(key):
            for part in key:
                if isinstance(part, tuple):
                    yield from strings(part)
                elif isinstance(part, str):
                    yield part

        for _, key, _ in file.rows:
            queue += strings(key)
        while queue:
            name, at = queue.pop(), 0
            while (eval := find_eval(name, at)) is not None:
                found.add(name[eval[0] : eval[3]])
                queue.append(eval[2] or "")
                at = eval[3]
        return found

    def name(self, file, name):
        """A name that tells evals apart."""
        def one(eval):
            identity = file.eval_identity(eval, self.rule)
            return self.instead.get(identity, identity)

        return replace_evals(name, one)

    def shown(self, file, name):
        """The short name of the least form."""
        def one(eval):
            identity = file.eval_identity(eval, self.rule)
            return "(eval %d)" % self.least[self.instead.get(identity, identity)]

        return replace_evals(name, one)

    def sums(self, file, kind, key=lambda key: [key]):
        """Amounts by what key(KEY) gives for a row, with the shown names beside; each of these counts once for a row."""
        sums = collections.Counter()
        for row_kind, names, values in file.rows:
            if row_kind != kind:
                continue
            told = map_names(names, lambda name: self.name(file, name) + "\0" + self.shown(file, name))
            for one in set(key(told)):
                for k, value in enumerate(values):
                    sums[one, k] += value
        return sums

    def all(self, kind, key=lambda key: [key]):
        return sum((self.sums(file, kind, key) for file in self.files), collections.Counter())


def plain(sums):
    """Sums as lines: the shown names and the amounts."""
    rows = collections.defaultdict(list)
    for (key, k), value in sorted(sums.items(), key=lambda item: item[0][1]):
        rows[key].append(value)
    return sorted(repr((map_names(key, lambda name: name.split("\0")[-1]), *values)) for key, values in rows.items())


# ---- Running the programs ----


bad = 0


def run(*command, data=None, status=0):
    done = subprocess.run((os.path.join(BIN, command[0]),) + command[1:], input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != status:
        raise SystemExit("%s: exit %d: %s" % (" ".join(command), done.returncode, done.stderr.decode()))
    return done.stdout


def equal(what, got, want):
    global bad
    if got == want:
        return
    bad += 1
    print("%s:" % what)
    if isinstance(got, list):
        for mark, lines, others in (("-", want, got), ("+", got, want)):
            left = collections.Counter(lines) - collections.Counter(others)
            for line in list(left.elements())[:8]:
                print("  %s %s" % (mark, line))


def table(*command, columns=("file", "flat")):
    """Rows of a table in TSV, without the total and those whose amounts are 0."""
    lines = run(*command).decode().splitlines()
    head, rows = lines[0].split("\t"), []
    for line in lines[1:]:
        cells = dict(zip(head, line.split("\t")))
        values = [int(cells[column]) for column in columns[1:]]
        if any(values) and cells.get("row") != "total":
            rows.append(repr((short(cells[columns[0]]), *values)))
    return sorted(rows)


def file_amounts(sums, unit):
    """Sums by file as `table` has them."""
    rows = collections.Counter()
    for (key, k), value in sums.items():
        rows[key] += value * unit
    return sorted(repr((name.split("\0")[-1], value)) for name, value in rows.items() if value)


def check_tables(what, kind, decode, names, pair):
    """proftop and profdiff: amounts by file."""
    unit = TICK if kind == "line" else 1000000
    column = lambda key: [key[0]] if kind == "line" else [key[-1][1]]
    pick = lambda sums: {key: value for key, value in sums.items() if key[1] == (kind == "line")}
    options = ["-q", "--by=file", "-t", "tsv", "-n0"] + (["--kind=flat"] if kind == "line" else [])
    for rule in ("joined", "apart"):
        joined = Joined(pair, "text" if rule == "joined" else "apart", rule == "joined")
        evals = "--evals=%s" % rule
        equal("%s: proftop %s" % (what, evals), table("proftop", evals, *options, *names),
              file_amounts(pick(joined.all(kind, column)), unit))
        if kind == "stack":
            files = lambda key: [frame[1] for frame in key]
            equal("%s: proftop %s, cum" % (what, evals), table("proftop", evals, *options, *names, columns=("file", "cum")),
                  file_amounts(joined.all(kind, files), unit))
        want = collections.defaultdict(lambda: [0, 0])
        for side, file in enumerate(pair):
            for (key, k), value in pick(joined.sums(file, kind, column)).items():
                want[key][side] += value * unit
        equal("%s: profdiff %s" % (what, evals),
              table("profdiff", evals, "--min-percent=0", *options, *names, columns=("file", "flat_before", "flat_after")),
              sorted(repr((key.split("\0")[-1], *values)) for key, values in want.items() if any(values)))
    single = Joined(pair[:1], "place" if kind == "line" else "text", False)
    equal("%s: proftop of one file" % what, table("proftop", *options, names[0]),
          file_amounts(pick(single.all(kind, column)), unit))


def check_merge(what, names, pair, decode):
    """profmerge: sums by text, as the decoder reads them from the merged file."""
    joined = Joined(pair, "text", False)
    if decode is decode_nytprof:
        merged = decode(run("profmerge", "-q", "-z0", "-t", "nytprof", *names))
        again = Joined([merged], "text", False)
        for kind in ("line", "call"):
            name = lambda sums: sorted((repr(map_names(key, lambda part: part.split("\0")[0])), k, value)
                                       for (key, k), value in sums.items())
            equal("%s: profmerge, %ss" % (what, kind), name(again.all(kind)), name(joined.all(kind)))
        return
    rows = collections.Counter()
    for line in run("profmerge", "-q", "-t", "ndjson", *names).decode().splitlines():
        row = json.loads(line)
        if "stack" in row:
            rows[repr((tuple((f["function"], short(f["file"]), f["line"]) for f in row["stack"][::-1]),
                       row["values"]["wall"] // 1000000))] += 1
    want = []
    for (key, k), value in joined.all("stack").items():
        want.append(repr((map_names(key, lambda part: part.split("\0")[-1]), value)))
    equal("%s: profmerge" % what, sorted(rows.elements()), sorted(want))


def merge(*names):
    return run("profmerge", "-q", "--canonical", "-t", "pfs", *names)


def amounts(data):
    """The records of a stream without its metadata, sorted."""
    return sorted(re.sub(rb'^\{"id":\d+,', b"{", line) for line in run("profcat", "-q", "-t", "ndjson", "-", data=data).splitlines())


def check_laws(what, names, mixed=False):
    """Every order and every tree of merges gives the same. `mixed`: some evals have a text, others have none."""
    whole = amounts(merge(*names))
    for order in itertools.permutations(names):
        equal("%s: merge of %s" % (what, " ".join(order)), amounts(merge(*order)), whole)
    parts = []
    for k, name in enumerate(names):
        parts.append("alone%d.pfs" % k)
        with open(parts[-1], "wb") as file:
            file.write(merge(name))
    for trees in (parts, names):
        with open("two.pfs", "wb") as file:
            file.write(merge(*trees[:2]))
        equal("%s: merge of a merge" % what, amounts(merge("two.pfs", *trees[2:])), whole)
        equal("%s: merge with a merge" % what, amounts(merge(*trees[2:], "two.pfs")), whole)
    equal("%s: merges of single files" % what, amounts(merge(*parts)), whole)
    equal("%s: bytes of a tree" % what, merge("two.pfs", *names[2:]), merge(*names))
    streams = b"".join(run("profcat", "-q", "-t", "pfs", name) for name in names)
    equal("%s: merge of a stream" % what, amounts(run("profmerge", "-q", "--canonical", "-t", "pfs", "-", data=streams)), whole)
    for threads in ("1", "2", "4"):
        equal("%s: -j%s" % (what, threads), run("profmerge", "-q", "-j", threads, "--canonical", "-t", "pfs", *names), merge(*names))
    if mixed:  # a merge does not keep the numbers that proftop would use for evals without a text
        return
    equal("%s: a table of a merge" % what, table("proftop", "-q", "-t", "tsv", "-n0", "--by=file", "two.pfs"),
          table("proftop", "-q", "-t", "tsv", "-n0", "--by=file", *names[:2]))


# ---- Random profiles ----


class Eval:
    def __init__(self, name, file, line, text, known, rng, seed):
        self.name, self.file, self.line, self.text, self.known, self.seed = name, file, line, text, known, seed
        self.ticks = [(line, rng.randint(1, 10**6)) for line in range(1, 1 + rng.randint(1, 2))]
        self.calls = rng.randint(1, 50)


def random_run(rng, texts, brackets, known, seed):
    """Evals of a run in the order of their numbers. Some are inside others, some have no text (`known`: the share that has)."""
    evals, number = [], rng.randint(0, 2)
    for _ in range(rng.randint(2, 7)):
        number += rng.choice((1, 1, 1, 2))
        outer = rng.choice(evals) if evals and rng.random() < 0.3 else None
        file, line = (outer.name, 1) if outer else rng.choice((("x.pl", 3), ("x.pl", 3), ("x.pl", 8), ("y.pl", 3)))
        name = "(eval %d)[%s:%d]" % (number, file, line) if brackets else "(eval %d)" % number
        evals.append(Eval(name, file, line, rng.choice(texts), rng.random() < known, rng, seed))
    return evals


def random_text(rng):
    return [(line, rng.choice(("f();", "1;", "sub { 2 }", "g();")) + "\n") for line in range(1, 1 + rng.randint(1, 3))]


def write(name, data):
    with open(name, "wb") as file:
        file.write(data)
    return name


def random_files(seed):
    """Three NYTProf files and three StatProfiler files, and what they say."""
    rng = random.Random(seed)
    for brackets, ending in ((True, "nyt"), (False, "out")):
        texts = [random_text(rng) for _ in range(rng.randint(2, 4))]
        known = rng.choice((1, 1, 1, 0.7, 0))
        names, files = [], []
        for k in range(3):
            run = random_run(rng, texts, brackets, known, seed * 10 + k + 1)
            data = nytprof(run) if brackets else statprofiler(run, rng)
            names.append(write("%d-%d.%s" % (seed, k, ending), data))
            files.append((decode_nytprof if brackets else decode_statprofiler)(data))
        yield names, files, "line" if brackets else "stack", known not in (0, 1)


def check_random(first, count):
    for seed in range(first, first + count):
        for names, files, kind, mixed in random_files(seed):
            what = "seed %d, %s" % (seed, names[0][-3:])
            decode = decode_nytprof if kind == "line" else decode_statprofiler
            check_tables(what, kind, decode, names[:2], files[:2])
            check_merge(what, names[:2], files[:2], decode)
            check_laws(what, names, mixed)


# ---- X X Y ----


def check_xxy():
    """X takes 10 ticks a call, Y 1000, in evals of three numbers, at one line of a program."""
    rng, lines, results = random.Random(1), {"X": [(1, "x();\n")], "Y": [(1, "y();\n")]}, {}
    for ending in ("nyt", "out"):
        names = []
        for k, order in enumerate(("XXY", "XYX", "YXX")):
            run = []
            for number, text in enumerate(order, 1):
                name = "(eval %d)%s" % (number, "[x.pl:3]" if ending == "nyt" else "")
                run.append(Eval(name, "x.pl", 3, lines[text], True, rng, 7 + k))
                run[-1].ticks = [(1, 10 if text == "X" else 1000)]
            names.append(write("xxy%d.%s" % (k, ending), nytprof(run) if ending == "nyt" else statprofiler(run, rng)))
        unit, kind = (TICK, ["--kind=flat"]) if ending == "nyt" else (1000000, [])
        options = ["-q", "--by=file", "-t", "tsv", "-n0"] + kind
        for pair in itertools.permutations(names, 2):
            # four calls of X take 40 ticks, two calls of Y 2000
            numbers = (1, 1) if names[2] in pair else (1, 2)
            want = sorted(repr(("(eval %d)" % number, ticks * unit)) for number, ticks in zip(numbers, (40, 2000)))
            equal("proftop %s %s" % pair, table("proftop", *options, *pair), want)
            merged = [write("merged%d.pfs" % k, run_merge(name)) for k, name in enumerate(pair)]
            equal("proftop of merges of %s %s" % pair, table("proftop", *options, *merged), want)
            equal("profmerge %s %s" % pair, table("proftop", *options, write("both.pfs", merge(*pair))), want)
            equal("profmerge of merges of %s %s" % pair, table("proftop", *options, write("both.pfs", merge(*merged))), want)
            want = sorted(repr(("(eval %d)" % number, ticks * unit, ticks * unit)) for number, ticks in zip(numbers, (20, 1000)))
            equal("profdiff %s %s" % pair, table("profdiff", "--min-percent=0", *options, *pair, columns=("file", "flat_before", "flat_after")), want)
        check_laws("X X Y, " + ending, names)


def run_merge(name):
    return run("profmerge", "-q", "-t", "pfs", name)


if __name__ == "__main__":
    if sys.argv[1:2] == ["xxy"]:
        check_xxy()
    else:
        check_random(int(sys.argv[2]), int(sys.argv[3]))
    sys.exit(bad > 0)
