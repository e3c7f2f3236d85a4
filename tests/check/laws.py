#!/usr/bin/env python3
"""Writes profiles in every format that can be written and read, and reads them back.

    laws.py random PART FIRST LAST     random profiles of these seeds
    laws.py files PART STEP DIR...     every STEPth file below that is a profile

PART is 1/2 or 2/2, for two processes that run at the same time, or 1/1.

Each profile X is written in each format, the result is read without -f as Y, and Y is written and read again as Z. The outcome is one of:

    refused     the writer says why (status 2, or 3 for sums that are too large) and leaves no file
    equal       Y has the measures and records of X, in the same order
    declared    Y differs from X, and --formats -v says what the format cannot hold. Z has the same amounts as Y, for each place and set
                of labels. For each stack of names, a measure of Y has the same amount as a measure of X

Any other outcome fails. tests/reference/pfs.py decodes the streams. The last lines are a table: format, equal, declared, refused.
"""
import collections
import fractions
import os
import random
import re
import struct
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import make_stream  # noqa: E402

pfs = make_stream.pfs
BIN = os.environ["PROFUTILS_BIN"]
KINDS = ("sample", "flat", "edge")
# Formats that keep all measures and their names; the others keep some, or have their own measures.
KEEPS_MEASURES = {"pfs", "json", "ndjson", "pprof", "speedscope"}
# Formats whose stacks and places have names, which must be those of X.
KEEPS_NAMES = {"pfs", "json", "ndjson", "pprof", "speedscope", "folded", "cpuprofile", "heapprofile", "callgrind"}
# Reads names as they are, without the changes of FlameGraph's scripts to perf's names.
OPTIONS = {"folded": "folded:plain=yes"}
REASON = re.compile(r"hold|no whole number|not counted in whole numbers|is no |have no |needs?|only|is not |has none|missing in earlier|overflows? 64 bits|"
                    r"too great|below 0|too many|NUL|too large|have none|would have|different|negative|cannot|not a|no room|at most|more than|larger|greater", re.I)


class Row(tuple):
    def __radd__(self, words):
        return words  # where pfs.Reader makes a line of the row


class Whole(pfs.Reader):
    """All of a stream: measures and records as tuples."""

    def __init__(self, data):
        self.records = []
        super().__init__(data)
        if self.result != "whole":
            raise Wrong("the stream is %s: %s" % (self.result, getattr(self, "why", "")))

    def measure(self, name, unit, kind, role, nature, aggregation, num, den, period, raw_unit, main, parts=0, side=0, runs=0):
        self.segment.totals.append(None if aggregation else 0)
        return kind, aggregation, Row((self.string(name), self.string(unit), KINDS[kind], role, nature, aggregation, num or 1, den or 1,
                                   period, self.string(raw_unit), main, parts or 1, side or pfs.side_of(self.string(name))))

    def string(self, number):
        return self.segment.get(pfs.STRINGS, number) or b""

    def image(self, name, identifier, *numbers):
        return (self.string(name), self.string(identifier)) + numbers

    def function(self, name, system_name, file, line):
        return self.string(name), self.string(system_name), self.string(file), pfs.signed(line)

    def location(self, function, line, image, address, column, kind, inlined):
        return (self.segment.get(pfs.FUNCTIONS, function) or (b"", b"", b"", 0), self.segment.get(pfs.IMAGES, image) or (b"", b"") + (0,) * 6,
                pfs.signed(line), address, column, kind, inlined)

    def label(self, parent, key, text, numeric, number):
        return (self.segment.get(pfs.LABELS, parent) or ()) + ((self.string(key), self.string(text), numeric, pfs.signed(number)),)

    def block(self, frame):
        segment, kind = self.segment, frame.domain - 1
        found, _ = pfs.columns_of(frame, lambda number: True)
        zeros = [0] * frame.rows
        values = [(segment.get(pfs.MEASURES, n - 255)[2], found[n]) for n in sorted(found) if n >= 256]
        self.totals(kind, frame.rows, {n - 256: found[n] for n in found if n >= 256})
        stack, labels, location, callee, time = [found.get(number, zeros) for number in range(1, 6)]
        for i in range(frame.rows):
            place = segment.get(pfs.STACKS, stack[i]) or () if kind == 0 else \
                tuple(segment.get(pfs.LOCATIONS, at[i]) or NOWHERE for at in ((location,), (location, callee))[kind - 1])
            sums = collections.Counter()
            for measure, column in values:
                if pfs.signed(column[i]):
                    sums[measure] += pfs.signed(column[i])
            self.records.append((KINDS[kind], pfs.signed(time[i]), ordered(segment.get(pfs.LABELS, labels[i]) or ()), place, sums))
        segment.records += frame.rows

    def metadata(self, frame):
        pass

    def texts(self, frame):
        pass

    def barrier(self):
        pass


NOWHERE = ((b"", b"", b"", 0), (b"", b"") + (0,) * 6, 0, 0, 0, 0, 0)


def ordered(labels):
    """Labels in a fixed order: sections in the order of opening, then the others, sorted and once each."""
    sections = tuple(label for label in labels if label[0] == b"section" and not label[2])
    return sections + tuple(sorted(set(labels) - set(sections)))


def run(*command, data=None):
    done = subprocess.run([os.path.join(BIN, command[0]), *command[1:]], input=data, capture_output=True, timeout=300, check=False)
    return done.returncode, done.stdout, done.stderr.decode(errors="replace")


def read(path, *options):
    """(the profile, messages), and its stream in PATH.pfs. The profile is None if it cannot be read completely."""
    status, out, said = run("profcat", *options, "-t", "pfs", path)
    with open(path + ".pfs", "wb") as stream:
        stream.write(out)
    return (Whole(out) if status == 0 else None), said


pfs.show = lambda data, flag: data


# --- amounts to compare ---


def text(name):
    """A name as text formats hold it: invalid UTF-8 is read as Latin-1; characters that break a line's fields become one '_'."""
    try:
        name = name.decode()
    except UnicodeDecodeError:
        name = name.decode("latin-1")
    return re.sub(r"[\0-\x20\x7f;:]+", "_", name)


def frame_name(location):
    (name, *_), image, line, address = location[:4]
    known = address or (image[6] and not image[5] and not any(location[0]) and not line)
    return text(name) or ("0x%x" % address if known else "[unknown]")


def amounts(profile, kinds, raw_units=False, joined=None):
    """{(kind, measure, unit): {names: amount}} in base units, and with raw_units also in raw units, for formats without scales. `joined`:
    for measures that are not summed, takes first the maximum of each stack of "names" or "places", as formats that join equal
    records do."""
    places = {}
    for number, (kind, _, _, place, values) in enumerate(profile.records):
        frames = tuple((frame_name(frame), *((frame[0][2], frame[2], frame[4]) if joined == "places" else ())) for frame in place)
        for measure, value in values.items():
            if measure[2] not in kinds:
                continue
            base, raw, greatest = text(measure[1]), text(measure[9]), joined is not None and measure[5] != 0  # PF_MAX
            add = [(base, fractions.Fraction(value * measure[6], measure[7]))]
            add += [(raw, value)] if raw_units and raw not in (base, "") else []
            for unit, amount in add:
                of = places.setdefault((kind, text(measure[0]), unit), {})
                key = frames if greatest else frames + (number,)
                of[key] = max(of[key], amount) if key in of else amount
    sums = {}
    for key, of in places.items():
        names = sums.setdefault(key, collections.Counter())
        for frames, amount in of.items():
            names[tuple(frame[0] for frame in frames if isinstance(frame, tuple))] += amount
    return {key: {names: amount for names, amount in of.items() if amount} for key, of in sums.items()}


def blanks(sums):
    found = collections.Counter()
    for names, amount in sums.items():
        found[tuple(name.strip("_") or "[unknown]" for name in names)] += amount
    return found


def measures_of(profile):
    return {measure for *_, values in profile.records for measure in values}


def differs(a, b, rounding, itself):
    """The first names whose amounts differ. Without `itself`, edges from a function to itself are not compared: callgrind's reader makes
    such edges for lines from other files."""
    for names in sorted(a.keys() | b.keys()):
        if not itself and len(names) == 2 and names[0] == names[1]:
            continue
        if abs(a.get(names, 0) - b.get(names, 0)) > rounding:
            return names, a.get(names, 0), b.get(names, 0)
    return None


def strict(profile):
    return [(kind, labels, place, sorted(values.items())) for kind, _, labels, place, values in profile.records]


def sums(profile):
    """{(kind, labels, place, measure): amount in base units}, because formats may join records, sort them, and choose scales."""
    found = collections.Counter()
    for kind, _, labels, place, values in profile.records:
        for measure, value in values.items():
            found[kind, labels, place, measure[:6] + measure[8:9] + measure[10:]] += fractions.Fraction(value * measure[6], measure[7])
    return {key: amount for key, amount in found.items() if amount}


def first_difference(x, y):
    for i, (a, b) in enumerate(zip(x, y)):
        if a != b:
            return "record %d: %s\n    and %s" % (i + 1, a, b)
    return "%d records and %d" % (len(x), len(y))


# --- the laws ---


class Laws:
    def __init__(self):
        self.scratch = os.environ.get("BATS_TEST_TMPDIR", ".")
        self.formats, name = {}, None
        for line in run("profcat", "--formats", "-v")[1].decode().splitlines():
            if not line.startswith(" "):
                name, modes = line.split()[:2]
                if modes == "rw":
                    self.formats[name] = [set(word for word in line[16:34].split() if word in KINDS), False]
            elif line.strip().startswith("cannot hold:") and name in self.formats:
                self.formats[name][1] = True
        self.table = {name: collections.Counter() for name in self.formats}
        self.bad = []

    def path(self, name):
        return os.path.join(self.scratch, name)

    def write(self, form, source, target):
        """Writes source as target. Returns None, or the message of the refusal."""
        target = self.path(target)
        if os.path.exists(target):
            os.remove(target)
        status, _, said = run("profcat", "-t", OPTIONS.get(form, form), "-o", target, self.path(source))
        if status == 0:
            return None
        if os.path.exists(target):
            raise Wrong("refused, but there is a file")
        if status not in (2, 3) or not REASON.search(said):
            raise Wrong("status %d: %s" % (status, said))
        return said

    def back(self, form, name, sides=False):
        """Reads back a file in format `form`; `sides`: it has the two sides of a difference."""
        options, nul = (), False
        if form == "folded":
            with open(self.path(name), "rb") as lines:
                nul = b"\0" in lines.read()  # with a NUL, a short text is recognized only with -f
                lines.seek(0)
                if nul:
                    options = "-f", "folded"
                if not sides and all(re.search(rb" -?[0-9.]+ -?[0-9.]+$", line) for line in lines):
                    options = "-f", "folded:columns=1"  # the writer asks for this option
        y, said = read(self.path(name), *options)
        if y is None and form == "nytprof" and "overflows 64 bits" in said:
            return None  # the sum of calls of one place can overflow
        if y is None:
            raise Wrong("what was written cannot be read: " + said)
        probe = run("profcat", "--probe", self.path(name))[1].decode(errors="replace")
        if not nul and not re.search(r": %s\b" % re.escape(form), probe):
            raise Wrong("what was written is taken for another format: " + probe[:200])
        return y

    def outcome(self, form, x):
        kinds, loses = self.formats[form]
        if self.write(form, "x.pfs", "y"):
            return "refused"
        if os.path.getsize(self.path("y")) == 0 and form in ("folded", "dcpicat", "ndjson"):
            return "declared"  # without values, these formats write nothing
        with open(self.path("y"), "rb") as written:
            if form == "folded" and re.fullmatch(rb"-?[0-9.]+\n", written.read(64)):
                return "declared"  # no frames: a single number may be of any format
        sides = any(re.search(r"^(.*\.)?before$", text(measure[0]), re.S) for measure in measures_of(x))
        y = self.back(form, "y", sides)
        if y is None:
            return "refused"
        if strict(x) == strict(y):
            return "equal"
        if not loses:
            raise Wrong("differs, and the format declares no loss: " + first_difference(strict(x), strict(y)))
        again = self.write(form, "y.pfs", "z")
        if again and "64 bits" not in again:  # the finest number of a column sets the scale of all its numbers
            raise Wrong("what was written and read is refused: " + again)
        if not again and (os.path.getsize(self.path("z")) or form not in ("folded", "dcpicat", "ndjson")):
            z = self.back(form, "z", sides)
            once, twice = sums(y), sums(z)
            if once != twice:
                one = sorted(set(once.items()) ^ set(twice.items()), key=repr)[:2]
                raise Wrong("another time round it differs: " + "\n    and ".join(map(str, one)))
        self.check_amounts(form, x, y, kinds)
        return "declared"

    def check_amounts(self, form, x, y, kinds):
        befores, after = [amounts(x, kinds, True, joined) for joined in (None, "names", "places")], amounts(y, kinds)
        if form not in KEEPS_NAMES:
            return
        for key, sums in after.items():
            if form == "folded":  # the format loses blanks at the ends of lines
                befores = [{of: blanks(sums) for of, sums in before.items()} for before in befores]
                sums = blanks(sums)
            made = any(name.startswith("line_") for _, name, _ in after) or form == "callgrind" and any(kind == "sample" or (kind == "edge" and name == "excl") for kind, name, _ in befores[0])
            if made or key[0] not in {of[0] for of in befores[0]} and form == "pprof":
                continue
            same = [before[of] for before in befores for of in before if of[0] == key[0] and (of[1:] == key[1:] or form not in KEEPS_MEASURES)]
            wrong = [differs(of, sums, self.rounding(form, x), form != "callgrind" or key[0] != "edge") for of in same]
            if wrong and all(wrong) or not wrong and any(sums.values()) and form in KEEPS_MEASURES:
                raise Wrong("%s of %s: no measure of X has these amounts: %s" % (key[1], key[0], wrong[:3]))
        if form in KEEPS_MEASURES:
            there = {key[:2] for key in after}
            lost = [key for key, sums in befores[0].items() if key[:2] not in there and any(sums.values()) and not (form == "pprof" and key[0] != "sample")]
            if lost:
                raise Wrong("measures are gone: %s" % lost)

    @staticmethod
    def rounding(form, x):
        """The allowed difference: half a unit (nanosecond, millionth, byte) for each record, if the format rounds."""
        fine = any(measure[7] != 1 for measure in measures_of(x))
        return fractions.Fraction(len(x.records) + 1, 2) if fine and form != "pfs" else 0

    def profile(self, what, x):
        for form in self.formats:
            try:
                self.table[form][self.outcome(form, x)] += 1
            except Wrong as wrong:
                self.table[form]["wrong"] += 1
                self.bad.append("%s: %s: %s" % (what, form, wrong))

    def report(self):
        for line in self.bad:
            print(line)
        print("%-14s %7s %9s %8s" % ("format", "equal", "declared", "refused"))
        for form, of in self.table.items():
            print("%-14s %7d %9d %8d%s" % (form, of["equal"], of["declared"], of["refused"], "  %d wrong" % of["wrong"] if of["wrong"] else ""))
        print("%d wrong" % len(self.bad))
        return bool(self.bad)


class Wrong(Exception):
    pass


# --- random profiles ---

PLAIN = ["main", "Foo::bar", "main::work", "f", "operator new(unsigned long)", "(eval 12)", "Foo::__ANON__", "(main)", "std::vector<int, a>::at"]
ODD = ["", " ", "a;b", "a b 5", "tab\there", "line\nfeed", "cr\rhere", "nul\0here", "\x1b[31mred", "grüße", "日本", [0xff, 0xfe], [0xe9, 0xff],
       '"quoted"', "back\\slash", "-", "0x10", "[unknown]", "100 200", "# comment", "a:3", "x" * 300, "\u202eright", "\x85c1", "{", "]"]
MEASURES = {
    "samples": {"name": "samples", "role": "count", "nature": "sampled"},
    "wall": {"name": "wall", "unit": "nanoseconds", "num": 10000000, "raw_unit": "tick", "nature": "sampled"},
    "cpu": {"name": "cpu", "unit": "nanoseconds", "nature": "timed"},
    "third": {"name": "third", "unit": "nanoseconds", "den": 3, "raw_unit": "third"},
    "bytes": {"name": "inuse_space", "unit": "bytes"},
    "parts": {"name": "share", "den": 3, "raw_unit": "1/3 count"},
    "cycles": {"name": "cycles", "period": 63488, "nature": "sampled"},
    "depth": {"name": "depth", "aggregation": "max", "role": "count"},
    "calls": {"name": "calls", "role": "count", "nature": "exact"},
    "incl": {"name": "incl", "unit": "nanoseconds", "role": "inclusive", "num": 100, "raw_unit": "tick", "nature": "timed"},
    "excl": {"name": "excl", "unit": "nanoseconds", "num": 100, "raw_unit": "tick", "nature": "timed"},
    "odd": {"name": "a b;c", "unit": "ünit", "raw_unit": "q"},
}
SHAPES = [  # kinds, measures by kind
    {"sample": ["samples"]}, {"sample": ["wall", "samples"]}, {"sample": ["bytes"]}, {"sample": ["cpu"]},
    {"sample": ["wall", "bytes", "cycles", "depth"]}, {"sample": ["third", "parts", "odd"]}, {"flat": ["cycles"]},
    {"flat": ["calls", "incl", "excl"], "edge": ["calls", "incl", "excl"]}, {"flat": ["cpu"], "edge": ["calls", "incl"]},
    {"sample": ["excl", "calls"], "flat": ["excl"], "edge": ["calls", "incl", "excl", "depth"]}, {"edge": ["calls"]},
    {"flat": ["cycles"], "addresses": True},
]


class Maker:
    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.odd = self.chance.random() < 0.6
        self.shape = dict(SHAPES[seed % len(SHAPES)])
        self.addresses = self.shape.pop("addresses", False)
        self.frames = [self.frame() for _ in range(self.chance.randint(1, 9))]

    def name(self):
        return self.chance.choice(ODD if self.odd and self.chance.random() < 0.4 else PLAIN)

    def some(self, value, share=0.5):
        return value if self.chance.random() < share else 0

    def frame(self):
        chance = self.chance
        if self.addresses:  # as DCPI does
            image = ("/vmunix", "0000123456789abc", 0, 0, 0, 0x10000, 0x40000, 0)
            return {"image": image, "address": 0x10000 + 4 * chance.randint(0, 0xffff)}
        frame = {"name": self.name(), "file": self.some(self.name(), 0.7) or "", "line": self.some(chance.randint(1, 99)), "start": self.some(chance.randint(1, 50))}
        if chance.random() < 0.3:
            frame.update(image=("/lib/x.so", "/bin/prog")[chance.randint(0, 1)], address=self.some(chance.randint(1, 1 << 40)))
        if self.odd and chance.random() < 0.3:
            frame.update(chance.choice(({"system": "_Zx"}, {"column": 7}, {"kind": chance.randint(1, 7)}, {"line": -1}, {"start": -1}, {"name": ""},
                                        {"inlined": 1}, {"name": "", "file": "", "line": 0, "start": 0})))
        return frame if any(frame.values()) else dict(frame, kind=5)  # a stack cannot hold an empty frame

    def labels(self):
        out, chance = [], self.chance
        for key in chance.sample(["host", "op", "pid", "section", "thread", "size"], chance.choice((0, 0, 1, 2))):
            if key in ("pid", "size"):
                out.append([key, {"num": chance.choice((0, 5, -7, (1 << 63) - 1)), "unit": chance.choice(("", "bytes"))}])
            else:
                out += [[key, self.name()] for _ in range(chance.choice((1, 1, 2)))]
        return sorted(out, key=lambda label: label[0])

    def value(self):
        chance = self.chance
        if self.odd and chance.random() < 0.15:
            return chance.choice(((1 << 63) - 1, 1 << 62, -(1 << 62), -1, -300, 0))
        return chance.choice((0, 1, 1, 2, 7, 300, chance.randint(0, 1 << (20 if self.addresses else 33))))

    def about(self):
        chance, measures, records = self.chance, [], []
        for kind, names in self.shape.items():
            measures += [dict(MEASURES[name], kind=kind, main=int(i == 0 and chance.random() < 0.5)) for i, name in enumerate(names)]
            for _ in range(chance.choice((0, 1, 3, 12))):
                values = {MEASURES[name]["name"]: self.value() for name in names if chance.random() < 0.9}
                record = {"kind": kind, "values": values, "labels": self.labels() if self.odd or chance.random() < 0.2 else []}
                pick = lambda: chance.choice(self.frames)  # noqa: E731
                record.update({"sample": lambda: {"stack": [pick() for _ in range(chance.choice((0, 1, 2, 5)))]},
                               "flat": lambda: {"at": pick()}, "edge": lambda: {"caller": pick(), "callee": pick()}}[kind]())
                records.append(record)
        return {"measures": measures, "records": records}


def below(*tops):
    for top in tops:
        if os.path.isfile(top):
            yield top
        for folder, folders, names in os.walk(top):
            folders.sort()
            yield from (os.path.join(folder, name) for name in sorted(names))


def main(words):
    if len(words) < 4:
        sys.exit(__doc__)
    laws, (part, parts) = Laws(), map(int, words[1].split("/"))
    if words[0] == "random":
        for seed in range(int(words[2]) + part - 1, int(words[3]) + 1, parts):
            with open(laws.path("x.pfs"), "wb") as out:
                out.write(make_stream.stream(Maker(seed).about()))
            x, said = read(laws.path("x.pfs"))
            if x is None:
                sys.exit("seed %d: %s" % (seed, said))
            laws.profile("seed %d" % seed, x)
    elif words[0] == "files":
        for path in list(below(*words[3:]))[part - 1::parts][::int(words[2])]:
            status, out, _ = run("profcat", "-q", "-t", "pfs", path)
            if status != 0 or len(out) > 400000:
                continue
            with open(laws.path("x.pfs"), "wb") as stream:
                stream.write(out)
            laws.profile(path, Whole(out))
    else:
        sys.exit(__doc__)
    return laws.report()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
