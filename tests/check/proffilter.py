#!/usr/bin/env python3
"""Compares proffilter with a second implementation, written from proffilter(1), that works on the rows of profcat -t ndjson.

    proffilter.py stream SEED FILE    write a random native stream of all kinds of records
    proffilter.py cases SEED COUNT FILE...
                                      compare COUNT random command lines on each file
    proffilter.py case FILE OPTION... compare one command line

Programs are found through $PATH. Regular expressions here are those that Python and POSIX have in common.
"""
import copy
import fnmatch
import json
import os
import random
import re
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "reference"))
sys.dont_write_bytecode = True
import pfs  # noqa: E402

# --- a stream with everything in it ---


class Tables:
    """Tables of the native stream: each distinct row once, numbered from 1."""

    def __init__(self):
        self.rows = {domain: {} for domain in range(1, 8)}

    def add(self, domain, row):
        rows = self.rows[domain]
        return 0 if not any(row) else rows.setdefault(row, len(rows) + 1)

    def string(self, text):
        data = text.encode() if isinstance(text, str) else text
        return self.add(pfs.STRINGS, (data, 0 if data.isascii() else 1)) if data else 0

    def frames(self):
        strings = list(self.rows[pfs.STRINGS])
        ends = [sum(len(data) for data, _ in strings[:i + 1]) for i in range(len(strings))]
        payload = pfs.column_bytes(1, ends) + pfs.column_bytes(2, [flag for _, flag in strings])
        out = pfs.frame_bytes("D", pfs.STRINGS, payload + b"".join(data for data, _ in strings), len(strings), 1)
        for domain in range(pfs.MEASURES, pfs.LABELS + 1):
            rows = list(self.rows[domain])
            if rows:
                payload = b"".join(pfs.column_bytes(i + 1, list(column)) for i, column in enumerate(zip(*rows)))
                out += pfs.frame_bytes("D", domain, payload, len(rows), 1)
        return out


FUNCTIONS = ["main", "run", "My::Sub", "My::Other", "a,b", "f", "fib", "écrire", "x y", "$^*(", "nul\0nul"]
FILES = ["/usr/lib/a.pm", "/usr/lib/b.pm", "lib/c.c", "/home/x/d.c", ""]
IMAGES = ["/bin/prog", "libc.so", ""]
MAXIMA = ("depth",)  # measures that are not summed: their total is the greatest value


class Stream:
    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.tables = Tables()
        add, string = self.tables.add, self.tables.string

        def measure(name, unit, kind, num, raw, main):
            return add(pfs.MEASURES, (string(name), string(unit), kind, 0, 1, int(name in MAXIMA), num, 1, 0, string(raw), main)) - 1

        self.measures = [[measure("samples", "count", 0, 1, "", 0), measure("wall", "nanoseconds", 0, 1000000, "tick", 1)],
                         [measure("cycles", "count", 1, 1, "", 0)],
                         [measure("calls", "count", 2, 1, "", 0), measure("incl", "nanoseconds", 2, 1, "", 0),
                          measure("depth", "count", 2, 1, "", 0)]]
        self.places = [self.place() for _ in range(25)]
        self.sets = [self.labels() for _ in range(12)] + [0]
        self.times = {}
        self.blocks = b""
        for kind in (0, 2, 1, 0):
            self.blocks += self.block(kind, self.chance.choice((1, 40)))
        self.meta = b"".join(pfs.column_bytes(i + 1, [string(text)]) for i, text in enumerate(("test", "kept", "as it is")))

    def place(self):
        pick, add, string = self.chance.choice, self.tables.add, self.tables.string
        image = pick(IMAGES)
        image = add(pfs.IMAGES, (string(image), 0, 4096, 8192, 0, 0, 0, 0)) if image else 0
        if self.chance.random() < 0.1:
            return add(pfs.LOCATIONS, (0, 0, image, pick((0x1234, 0xabcd)), 0, 0, 0))
        function = add(pfs.FUNCTIONS, (string(pick(FUNCTIONS)), 0, string(pick(FILES)), 0))
        return add(pfs.LOCATIONS, (function, pick((0, 1, 2, 30)), image, pick((0, 0, 0x1000, 0x1008)), pick((0, 7)),
                                   pick((0, 0, 5)), pick((0, 0, 0, 1))))

    def labels(self):
        """Sorted by key and value, sections in order of opening, as the dictionary keeps them."""
        pick, chance = self.chance.choice, self.chance.random
        labels = []
        if chance() < 0.5:
            labels.append(("host", pick(("a", "b", "web 1")), None))
        if chance() < 0.4:
            labels += [("op", text, None) for text in sorted(set(pick(("read", "write", "10")) for _ in range(2)))]
        for _ in range(pick((0, 0, 1, 1, 2, 3))):
            labels.append(("section", pick(("req", "db", "render", "re*", "")), None))
        if chance() < 0.4:
            labels.append(("size", pick(("bytes", "")), pick((-3, 0, 5, 1000, 4000))))
        at = 0
        for key, text, number in labels:
            at = self.tables.add(pfs.LABELS, (at, self.tables.string(key), self.tables.string(text), int(number is not None),
                                              number or 0))
        return at

    def block(self, kind, rows):
        pick, add = self.chance.choice, self.tables.add

        def stack():
            at = 0
            for _ in range(pick((0, 1, 2, 4, 7))):
                at = add(pfs.STACKS, (at, pick(self.places)))
            return at

        columns = [(2, [pick(self.sets) for _ in range(rows)])]
        if kind == 0:
            columns.append((1, [stack() for _ in range(rows)]))
        else:
            columns.append((3, [pick(self.places) if kind == 1 or self.chance.random() < 0.9 else 0 for _ in range(rows)]))
        if kind == 2:
            columns.append((4, [pick(self.places) for _ in range(rows)]))
        if rows > 1:
            columns.append((5, [pick((0, 5, 1000, 2000000, 3000000000)) for _ in range(rows)]))
        for k in self.measures[kind]:
            columns.append((256 + k, [pick((0, 1, 1, 2, 3, 10, 77, 1000)) for _ in range(rows)]))
        self.records = getattr(self, "records", []) + [(kind, rows)]
        return pfs.frame_bytes("B", kind + 1, b"".join(pfs.column_bytes(n, v) for n, v in sorted(columns)), rows, 0)

    def bytes(self):
        """The stream's bytes. All tables come before the blocks, so each block gives the number of all stacks."""
        out = pfs.frame_bytes("H", 0, struct.pack("<BB6x", 1, 0)) + self.tables.frames()
        out += pfs.frame_bytes("M", 0, self.meta, 1, 0)
        at, stacks = 0, len(self.tables.rows[pfs.STACKS]) + 1
        while at < len(self.blocks):
            frame = pfs.Frame(self.blocks, at)
            payload = self.blocks[at + 32:at + 32 + frame.size]
            out += pfs.frame_bytes("B", frame.domain, payload, frame.rows, stacks)
            at += frame.total
        payload = struct.pack("<Q", sum(rows for _, rows in self.records))
        payload += struct.pack("<Q", len(out) + 32 + len(payload) + 8)
        return out + pfs.frame_bytes("E", 0, payload, sum(rows for _, rows in self.records), 2)


# --- the manual page's rules, applied to rows ---

NO_FRAME = {"function": "[unknown]", "file": "", "line": 0, "column": 0, "image": "", "address": "", "inlined": False,
            "start_line": 0, "frame_kind": ""}
MAIN = {"sample": ("wall", "samples"), "flat": ("cycles",), "edge": ("incl", "samples")}


def as_bytes(text):
    """A string with a character for each byte."""
    return text.encode().decode("latin-1")


class Expressions:
    def __init__(self, options):
        self.of = {}
        for name, value in options:
            self.of.setdefault(name, []).append(value)
        self.flags = re.IGNORECASE if "ignore-case" in self.of else 0

    def has(self, name):
        return name in self.of

    def compile(self, text):
        return re.compile(re.escape(text) if "fixed-strings" in self.of else text, self.flags)

    def any_frame(self, name, frame):
        """True if one of the option's expressions matches the frame."""
        return any(self.search(text, field) for text in self.of.get(name, ())
                   for field in (frame["function"], frame["file"], frame["image"]) if field)

    def search(self, text, name):
        """True if an expression matches, byte by byte. No expression matches a NUL; ^ and $ (here only at the end of an expression) are the
        ends of the name."""
        expression, name, start = self.compile(as_bytes(text)), as_bytes(name), 0
        for part in name.split("\0"):
            end = start + len(part)
            if expression.search(name, start, end) and (not text.endswith("$") or "fixed-strings" in self.of or end == len(name)):
                return True
            start = end + 1
        return False

    def glob(self, text, name):
        if "fixed-strings" in self.of:
            return text == name
        return re.match(fnmatch.translate(text), name, self.flags) is not None

    def label(self, text, row):
        key, equals, rule = text.partition("=")
        values = row["sections"] if key == "section" else row["labels"].get(key, [])
        if not equals:
            return bool(values)
        bounds = re.match(r"^(-?[0-9]*)(k?):(-?[0-9]*)(k?)$", rule)
        if bounds and rule != ":" and "fixed-strings" not in self.of:
            low, low_k, high, high_k = bounds.groups()
            low = int(low) * (1000 if low_k else 1) if low else -1 << 63
            high = int(high) * (1000 if high_k else 1) if high else 1 << 63
            numbers = [v["num"] if isinstance(v, dict) else int(v) for v in values
                       if isinstance(v, dict) or re.match(r"^[-+]?[0-9]+$", v)]
            return any(low <= number <= high for number in numbers)
        return any(self.search(rule, str(v["num"]) if isinstance(v, dict) else v) for v in values)


def amount(text):
    number, suffix = re.match(r"^([0-9.]+)([a-z]*)$", text).groups()
    return int(float(number) * {"": 1, "k": 1000, "ns": 1, "us": 1000, "ms": 10 ** 6, "s": 10 ** 9}[suffix])


def real_frames(row):
    """The frames, outermost first. An edge without a caller has one frame, a sample may have none."""
    return [frame for frame in reversed(row["stack"]) if frame != NO_FRAME]


def main_measure(row):
    return next(name for name in ("wall", "incl", "cycles", "samples") if name in row["values"])


def selects(row, x, totals, times):
    frames = real_frames(row)
    caller = row["kind"] != "edge" or row["stack"][1] != NO_FRAME
    ends = {"root": frames[0] if frames and caller else None, "leaf": frames[-1] if frames else None}
    sections = row["sections"]
    tests = []
    if x.has("section"):
        tests.append(any(x.glob(glob, name) for glob in x.of["section"] for name in sections))
    if x.has("no-section"):
        tests.append(not sections)
    if x.has("label"):
        tests.append(any(x.label(text, row) for text in x.of["label"]))
    if x.has("ignore-label"):
        tests.append(not any(x.label(text, row) for text in x.of["ignore-label"]))
    if x.has("focus"):
        tests.append(any(x.any_frame("focus", frame) for frame in frames))
    if x.has("ignore"):
        tests.append(not any(x.any_frame("ignore", frame) for frame in frames))
    for end, frame in ends.items():
        if x.has(end):
            tests.append(frame is not None and x.any_frame(end, frame))
    if x.has("kind"):
        tests.append(row["kind"] in x.of["kind"])
    if x.has("time"):
        low, _, high = x.of["time"][-1].partition(",")
        time = times.get(row["id"])
        tests.append(time is not None and (not low or time >= amount(low)) and (not high or time < amount(high)))
    if x.has("min-value"):
        text, value = x.of["min-value"][-1], abs(row["values"][main_measure(row)])
        if text.endswith("%"):
            # Exact, in millionths of a percent
            tests.append(value * 10 ** 8 >= abs(totals[row["kind"]]) * round(float(text[:-1]) * 10 ** 6))
        else:
            tests.append(value >= amount(text))
    return all(tests) != x.has("invert")


def coarse(frame, what):
    frame = dict(frame)
    named = not (frame["function"].startswith("0x") and frame["address"])
    if what == "file" and frame["file"]:
        return dict(NO_FRAME, function=frame["file"], file=frame["file"])
    if what == "image" and frame["image"]:
        return dict(NO_FRAME, function=frame["image"], image=frame["image"])
    if what and named:
        frame.update(column=0, address="")
        if what != "line":
            frame["line"] = 0
    return frame


def same_function(a, b):
    if not (a["function"].startswith("0x") or b["function"].startswith("0x")):
        return (a["function"], a["file"], a["image"]) == (b["function"], b["file"], b["image"])
    return (a["function"], a["address"], a["image"], a["line"]) == (b["function"], b["address"], b["image"], b["line"])


def trim(name, x):
    for path in x.of.get("trim-path", ()):
        path = path.rstrip("/")
        if name.startswith(path + "/"):
            return name[len(path):].lstrip("/")
    return name


def sed(x, command, name):
    return sed_bytes(x, as_bytes(command), as_bytes(name)).encode("latin-1").decode(errors="replace")


def sed_bytes(x, command, name):
    delimiter = command[1]
    expression, text, flags = command[2:].split(delimiter)
    text = re.sub(r"(?<!\\)&", r"\\g<0>", text)
    parts = re.compile(expression, x.flags | (re.IGNORECASE if "i" in flags else 0))
    if expression in ("^", "$"):
        return text + name if expression == "^" else name + text
    if "\0" in name and "g" not in flags:
        for k, part in enumerate(name.split("\0")):
            if parts.search(part):
                return "\0".join(parts.sub(text, p, 1) if i == k else p for i, p in enumerate(name.split("\0")))
        return name
    return "\0".join(parts.sub(text, part, 0 if "g" in flags else 1) for part in name.split("\0"))


def rename(x, target, name, key=None):
    for command in x.of.get("rename", ()):
        prefix = re.match(r"^(function|file|image|label):", command)
        of, rest = (prefix.group(1), command[prefix.end():]) if prefix else ("function", command)
        if of == "label":
            label, rest = rest.split(":", 1)
            if target == "label" and label == key:
                name = sed(x, rest, name)
        elif of == target:
            name = sed(x, rest, name)
    return name


def named(frame, x, what):
    frame = dict(frame)
    unnamed = frame["function"].startswith("0x") and frame["address"]
    file = rename(x, "file", trim(frame["file"], x)) if frame["file"] else ""
    image = rename(x, "image", frame["image"]) if frame["image"] else ""
    function = frame["function"]
    if what == "file" and function == frame["file"]:
        function = file
    if what == "image" and function == frame["image"] and not frame["file"]:
        function = image
    frame.update(file=file if not unnamed else frame["file"], image=image,
                 function=function if unnamed else rename(x, "function", function))
    return frame


def cut(frames, x):
    """Applies show, hide, show-from and prune-from to the frames, outermost first."""
    kept = [(not x.has("show") or x.any_frame("show", f)) and not (x.has("hide") and x.any_frame("hide", f)) for f in frames]
    if x.has("show-from"):
        first = next((i for i, f in enumerate(frames) if kept[i] and x.any_frame("show-from", f)), len(frames))
        kept = [k and i >= first for i, k in enumerate(kept)]
    if x.has("prune-from"):
        last = max((i for i, f in enumerate(frames) if kept[i] and x.any_frame("prune-from", f)), default=len(frames))
        kept = [k and i <= last for i, k in enumerate(kept)]
    out = []
    for i, frame in enumerate(frames):
        if kept[i]:
            out.append(dict(frame, inlined=frame["inlined"] and (i == 0 or kept[i - 1])))
    return out, kept


def collapse(frames):
    out = []
    for frame in frames:
        if out and same_function(out[-1], frame):
            out[-1] = dict(frame, inlined=out[-1]["inlined"])
        else:
            out.append(frame)
    return out


def label_frames(x, option, row):
    out = []
    for key in x.of.get(option, ()):
        for value in row["sections"] if key == "section" else row["labels"].get(key, []):
            if isinstance(value, dict):
                value = str(value["num"]) + (" " + value["unit"] if value["unit"] else "")
            out.append(dict(NO_FRAME, function=value or "''"))
    return out


def edit(row, x):
    """The row with its frames edited, or None if it is removed."""
    row = copy.deepcopy(row)
    what = x.of.get("granularity", [None])[-1]
    frames, wants = real_frames(row), x.has("show") or x.has("show-from")
    if row["kind"] == "sample":
        out, _ = cut(frames, x)
        if not out and (frames or wants):
            return None
        out = [coarse(frame, what) for frame in out]
        if x.has("collapse-recursion"):
            out = collapse(out)
        if x.has("max-depth"):
            out = out[:int(x.of["max-depth"][-1])]
        out = [named(frame, x, what) for frame in out]
    else:
        _, kept = cut(frames, x)
        if not kept or not kept[-1]:
            return None
        out = [named(coarse(frame, what), x, what) for frame in frames]
        if row["kind"] == "edge" and (len(frames) < 2 or not kept[0]):
            out = [NO_FRAME, out[-1]]
    for key, values in row["labels"].items():
        changed = [v if isinstance(v, dict) else rename(x, "label", v, key) for v in values]
        row["labels"][key] = sorted(set(changed)) if all(isinstance(v, str) for v in changed) else changed
    row["sections"] = [rename(x, "label", name, "section") for name in row["sections"]]
    if row["kind"] == "sample":
        out = label_frames(x, "root-label", row) + out + label_frames(x, "leaf-label", row)
    row["stack"] = out[::-1]
    return row


def evaluate(rows, options, times):
    x = Expressions(options)
    totals = {}
    for row in rows:
        totals[row["kind"]] = totals.get(row["kind"], 0) + row["values"][main_measure(row)]
    edited = (edit(row, x) for row in rows if selects(row, x, totals, times))
    return [row for row in edited if row is not None]


# --- comparison with the program ---

EDITS = ("show", "hide", "show-from", "prune-from", "granularity", "collapse-recursion", "max-depth", "trim-path", "rename",
         "root-label", "leaf-label")


def output(*words, **more):
    return subprocess.run(words, stdout=subprocess.PIPE, check=True, **more).stdout


def rows_of(*words, **more):
    """The rows without the field `removed`, which removed_of checks."""
    rows = [json.loads(line) for line in output(*words, **more).decode().split("\n") if line]
    for row in rows:
        del row["removed"]
    return rows


def total(name, values):
    return max(values) if name in MAXIMA else sum(values)


def removed_of(stream):
    """Removed amounts and records from the metadata rows, by kind and measure, in base units."""
    gone = {}
    for line in output("profcat", "-t", "text", input=stream).decode("latin-1").split("\n"):
        words = line.split()
        if words[:3] == ["metadata", "profutils", "removed"]:
            kind, name, _, raw, scale, records = words[3:]
            num, den = map(int, scale.split("/"))
            was = gone.get((kind, name), (0, 0))
            gone[kind, name] = (total(name, (was[0], int(raw) * num // den)), was[1] + int(records))
    return gone


def sums_of(rows):
    sums = {}
    for row in rows:
        for name, value in row["values"].items():
            was = sums.get((row["kind"], name), (0, 0))
            sums[row["kind"], name] = (total(name, (was[0], value)), was[1] + 1)
    return sums


def command_line(options):
    return ["--" + name + ("" if value is None else "=" + value) for name, value in options]


def plain(row):
    return {key: value for key, value in row.items() if key != "id"}


def hold(file, rows, options, times):
    words = command_line(options)
    stream = output("proffilter", *words, file, stderr=subprocess.DEVNULL)
    got = rows_of("profcat", "-t", "ndjson", input=stream)
    want = evaluate(rows, options, times)
    # The stream keeps the order only within records of one kind.
    got, want = (sorted(of, key=lambda row: row["kind"]) for of in (got, want))
    if [plain(row) for row in got] != [plain(row) for row in want]:
        for a, b in zip(got + [None], want + [None]):
            if a is None or b is None or plain(a) != plain(b):
                sys.exit("proffilter %s %s: %d rows, expected %d\n got      %s\n expected %s" %
                         (file, words, len(got), len(want), json.dumps(a), json.dumps(b)))
    before, after, gone = sums_of(rows), sums_of(want), removed_of(stream)
    for key, was in before.items():
        left, went = after.get(key, (0, 0)), gone.get(key, (0, 0))
        if (total(key[1], (left[0], went[0])), left[1] + went[1]) != was:
            sys.exit("proffilter %s %s: %s of %s before, %s left, %s removed" % (file, words, key, was, left, went))
    if not any(name in EDITS for name, _ in options):
        other = [option for option in options if option[0] != "invert"] if ("invert", None) in options else options + [("invert", None)]
        rest = rows_of("proffilter", *command_line(other), "-t", "ndjson", file, stderr=subprocess.DEVNULL)
        if sorted(json.dumps(plain(row)) for row in rest + got) != sorted(json.dumps(plain(row)) for row in rows):
            sys.exit("proffilter %s %s: with --invert they are not the whole" % (file, words))


def random_options(chance, rows):
    """A few options with values that occur in the rows."""
    frames = [frame for row in rows for frame in row["stack"]] or [NO_FRAME]

    def name():
        frame = chance.choice(frames)
        text = chance.choice([frame["function"], frame["file"] or "x", frame["image"] or "y"])
        text = text.split("\0")[0]
        text = text[:chance.randint(1, 9)] if chance.random() < 0.5 else text
        return chance.choice(("%s", "%s", "^%s", "%s$", "^%s$", "zz|%s")) % re.escape(text).replace("\\ ", " ").replace("\\,", ",")

    sections = [name for row in rows for name in row["sections"]] or ["req"]
    glob = lambda: chance.choice((chance.choice(sections), chance.choice(sections)[:2] + "*", "?[a-f]*", "*", "[!r]*"))
    labels = sorted({key for row in rows for key in row["labels"]}) or ["op"]
    label = lambda: chance.choice((chance.choice(labels), chance.choice(labels) + "=^[a-r1]", "size=1:", "size=:1k", "size=0:4k",
                                   "section=d", "section=^re.$"))
    letters = lambda: chance.choice(("s/a/b/", "s/[a-f]+/<&>/g", "s|(.)(.)|\\2\\1|", "s/^/X/", "s,$,!,", "s/MAIN/m/i", "s/./_/g"))
    pool = [("section", glob), ("section", glob), ("no-section", None), ("label", label), ("ignore-label", label), ("focus", name),
            ("focus", name), ("ignore", name), ("leaf", name), ("root", name), ("kind", lambda: chance.choice(tuple(MAIN))),
            ("time", lambda: chance.choice(("0,1us", "5,", ",2ms", "1ms,3s", "5,2000001"))),
            ("min-value", lambda: chance.choice(("1", "2k", "77", "3%", "0.5%", "12.345678%", "1k"))),
            ("show", name), ("hide", name), ("show-from", name), ("prune-from", name), ("collapse-recursion", None),
            ("granularity", lambda: chance.choice(("function", "file", "line", "image"))),
            ("max-depth", lambda: str(chance.randint(1, 5))), ("trim-path", lambda: chance.choice(("/usr", "/usr/lib/", "lib", "/"))),
            ("rename", letters), ("rename", lambda: "file:" + letters()), ("rename", lambda: "image:" + letters()),
            ("rename", lambda: "label:" + chance.choice(labels + ["section"]) + ":" + letters()),
            ("root-label", lambda: chance.choice(labels + ["section"])), ("leaf-label", lambda: chance.choice(labels + ["section"]))]
    chosen = chance.sample(pool, chance.choice((1, 1, 1, 2, 2, 3, 5)))
    if any(name == "no-section" for name, _ in chosen):
        chosen = [option for option in chosen if option[0] != "section"]
    options = [(name, value and value()) for name, value in chosen]
    if chance.random() < 0.2:
        options.append(("ignore-case", None))
    if chance.random() < 0.3 and not any(name in EDITS for name, _ in options):
        options.append(("invert", None))
    return options


def times_of(file):
    """Times by row, in nanoseconds, read by tests/reference/pfs.py."""
    if not file.endswith(".pfs"):
        return {}
    with open(file, "rb") as opened:
        data = opened.read()
    times, at, row = {}, 0, 0
    while at < len(data):
        frame = pfs.Frame(data, at)
        if frame.type == "B":
            payload, place, column = data[at + 32:at + 32 + frame.size], 0, None
            while place < len(payload):
                number, _, width, size, low = struct.unpack_from("<HBBIQ", payload, place)
                if number == 5:
                    cells = payload[place + 16:place + 16 + size]
                    column = [low + (int.from_bytes(cells[i * width:(i + 1) * width], "little") if width else 0)
                              for i in range(frame.rows)]
                place += 16 + (size + 7) // 8 * 8
            for i in range(frame.rows):
                row += 1
                if column is not None:
                    times[row] = column[i]
        at += frame.total
    return times


def main(words):
    if len(words) == 3 and words[0] == "stream":
        with open(words[2], "wb") as file:
            file.write(Stream(int(words[1])).bytes())
    elif len(words) > 3 and words[0] == "cases":
        chance = random.Random(int(words[1]))
        for file in words[3:]:
            rows, times = rows_of("profcat", "-t", "ndjson", file), times_of(file)
            for _ in range(int(words[2])):
                hold(file, rows, random_options(chance, rows), times)
    elif len(words) > 1 and words[0] == "case":
        options = [(name[2:], value if equals else None) for name, equals, value in (word.partition("=") for word in words[2:])]
        hold(words[1], rows_of("profcat", "-t", "ndjson", words[1]), options, times_of(words[1]))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
