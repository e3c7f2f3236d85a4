#!/usr/bin/env python3
"""Tests the programs with StatProfiler files whose content is known.

    statprofiler.py read MODE DIR     profcat's samples and metadata are those of NAME.expected.json[.gz], which the profiler's
                                      own reader made; MODE: direct, or through the formats pfs, statprofiler, both
    statprofiler.py series DIR        the files of each process, in random order, give ID.series.expected.json[.gz]
    statprofiler.py written DIR       the output of -t statprofiler has the right form, byte by byte, and loses nothing
    statprofiler.py plan DIR          the same for dialect=plan, except what it cannot hold
    statprofiler.py sums DIR          proftop and proffilter --section give the sums of the expected samples
    statprofiler.py edge DIR          files of DIR/edge give the results in the table below
    statprofiler.py made TMP          generated forms of the file that no corpus has

The decoder and the encoder below are written from the format's description, not from the programs. Differences are
printed; the exit status is 1 when there are any. PROFUTILS_BIN is the directory of the programs.
"""
import gzip
import json
import os
import re
import struct
import subprocess
import sys

BIN = os.environ["PROFUTILS_BIN"]
MAGIC = b"=statprofiler"


class Damage(Exception):
    pass


# ---- Decoder: the profiler's own form only ----


def unsnap(block):
    """Decompresses raw snappy."""
    size = shift = at = 0
    while True:
        byte = block[at]
        at += 1
        size |= (byte & 0x7F) << shift
        shift += 7
        if byte < 128:
            break
    out = bytearray()
    while at < len(block):
        tag = block[at]
        at += 1
        if tag & 3 == 0:
            length = tag >> 2
            if length >= 60:
                width = length - 59
                length = int.from_bytes(block[at : at + width], "little")
                at += width
            out += block[at : at + length + 1]
            at += length + 1
            continue
        if tag & 3 == 1:
            length, offset, at = 4 + (tag >> 2 & 7), tag >> 5 << 8 | block[at], at + 1
        elif tag & 3 == 2:
            length, offset, at = 1 + (tag >> 2), int.from_bytes(block[at : at + 2], "little"), at + 2
        else:
            length, offset, at = 1 + (tag >> 2), int.from_bytes(block[at : at + 4], "little"), at + 4
        if not 0 < offset <= len(out):
            raise Damage("snappy offset")
        for _ in range(length):
            out.append(out[-offset])
    if len(out) != size:
        raise Damage("snappy size")
    return bytes(out)


def unpack(data):
    """Blocks of a file, uncompressed, and whether the file ends inside one. A plain file is one block."""
    if data[14:15] and data[14] >= 200:
        return [data[14:]], False
    blocks, at = [], 14
    while at < len(data):
        size = int.from_bytes(data[at : at + 2], "big")
        if at + 2 + size > len(data):
            return blocks, True
        blocks.append(unsnap(data[at + 2 : at + 2 + size]))
        at += 2 + size
    return blocks, False


class Records:
    """Fields of a record stream. `strict` also checks the rules for writers."""

    def __init__(self, data, strict, lsb=False):
        self.data, self.at, self.strict, self.lsb = data, 0, strict, lsb
        self.counted = 0  # bytes of the fields as the profiler counts them

    def take(self, size):
        if self.at + size > len(self.data):
            raise Damage("cut")
        self.at += size
        return self.data[self.at - size : self.at]

    def varint(self):
        start, value = self.at, 0
        while True:
            byte = self.take(1)[0]
            value = value << 7 | byte & 0x7F
            if byte < 128:
                break
        size = self.at - start
        if self.strict and (size > 5 or size > 1 and self.data[start] == 0x80):
            raise Damage("varint is not shortest")
        self.counted += min(size, 4)
        return value & 0xFFFFFFFF

    def signed(self):
        value = self.varint()
        return value - (1 << 32) if value >> 31 else value

    def string(self):
        flag = self.take(1)[0]
        if self.strict and flag > 1:
            raise Damage("string flag %d" % flag)
        body = self.take(self.varint())
        self.counted += len(body)
        return shown(body), len(body)

    def text(self):
        return self.string()[0]


def shown(body):
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        return body.decode("latin-1")


def words(body):
    return "".join("%08x" % word for word in struct.unpack("<6I", body))


def decode(data, strict=False):
    """Header, events in order, and whether the records end correctly."""
    if data[:14] != MAGIC + b"\1":
        raise Damage("magic")
    blocks, cut = unpack(data)
    records = Records(b"".join(blocks), strict)
    header, events, order = {}, [], []
    while True:
        tag = records.take(1)[0]
        order.append(tag)
        if tag == 254:
            break
        if tag == 201:
            header["perl_version"] = "%d.%d.%d" % (records.varint(), records.varint(), records.varint())
        elif tag == 202:
            header["tick_us"] = records.varint()
        elif tag == 203:
            header["depth"] = records.varint()
        elif tag == 205:
            header["ordinal"], header["parent_ordinal"] = records.varint(), records.varint()
            header["process_id"], header["parent_id"] = words(records.take(24)), words(records.take(24))
        elif tag == 200:
            length = records.varint()
            (key, one), (value, two) = records.string(), records.string()
            if strict and length != one + two:
                raise Damage("length of header metadata")
            events.append(("header", key, value))
        else:
            raise Damage("header tag %d" % tag)
    if strict:
        if [t for t in order if t != 200] != [201, 202, 203, 205, 254]:
            raise Damage("header order %r" % order)
        if data[14] < 200 and records.at != len(blocks[0]):
            raise Damage("the header is not the first block")
        if max(map(len, blocks)) > 32000 and data[14] < 200:
            raise Damage("block size")
    sample = None
    try:
        while records.at < len(records.data):
            at = records.at
            tag, length = records.take(1)[0], records.varint()
            records.counted = 0
            if tag == 1:
                sample = (records.varint(), records.text(), [])
            elif tag == 2:
                events.append(("sample",) + sample)
                sample = None
            elif tag == 3:
                package, sub, file = records.text(), records.text(), records.text()
                sample[2].append((package, sub, file, records.signed(), records.signed()))
            elif tag in (4, 6):
                file = records.text()
                sample[2].append(("(eval)" if tag == 4 else "(main)", file, records.signed()))
            elif tag == 5:
                sample[2].append((records.text(), records.text()))
            elif tag == 7:
                source = records.text()
                events.append(("source", records.text(), source))
            elif tag == 8:
                source = records.text()
                events.append(("source", "(eval %d)" % records.varint(), source))
            elif tag in (198, 199):
                events.append(("start" if tag == 198 else "end", records.text()))
            elif tag == 200:
                (key, one), (value, two) = records.string(), records.string()
                events.append(("body", key, value))
                records.counted = one + two
            elif tag in (196, 197):
                events.append(("finish", tag))
            else:
                raise Damage("tag %d" % tag)
            if strict and tag != 7 and length != records.counted:
                raise Damage("length of tag %d at %d: %d, not %d" % (tag, at, length, records.counted))
    except Damage as why:
        if strict:
            raise
        cut = cut or str(why)
    return header, events, bool(cut)


# ---- Encoder, for forms that no corpus has ----


def msb(value):
    out = [value & 0x7F]
    while value >> 7:
        value >>= 7
        out.insert(0, value & 0x7F | 0x80)
    return bytes(out)


def string(text):
    body = text.encode()
    return bytes([0 if text.isascii() else 1]) + msb(len(body)) + body


def record(tag, payload, strings):
    return bytes([tag]) + msb(len(payload) - strings) + payload


def start(weight, op="nextstate"):
    return record(1, msb(weight) + string(op), 1)


def sub(package, name, file, line, *first):
    numbers = b"".join(msb(n & 0xFFFFFFFF) for n in (line,) + first)
    counted = sum(min(4, len(msb(n & 0xFFFFFFFF))) for n in (line,) + first)
    strings = string(package) + string(name) + string(file)
    return bytes([3]) + msb(len(strings) - 3 + counted) + strings + numbers


END = b"\2\0"


def facts(ordinal=1, process=(0x1234, 2, 0x55AA0000, 1, 2, 3), order="<"):
    ids = struct.pack(order + "6I", *process) + bytes(24)
    return (
        bytes([201, 5, 36, 0, 202]) + msb(1000) + bytes([203, 20, 205]) + msb(ordinal) + b"\0" + ids
    )


def block(data):
    """One snappy block of literals."""
    size, body = len(data), bytearray()
    while size > 127:
        body.append(size & 0x7F | 0x80)
        size >>= 7
    body.append(size)
    for at in range(0, len(data), 60):
        piece = data[at : at + 60]
        body += bytes([len(piece) - 1 << 2]) + piece
    return struct.pack(">H", len(body)) + bytes(body)


# ---- Running the programs ----


class Run:
    """Runs a pipe of programs: the output of the last, the status of the first, the messages of all."""

    def __init__(self, *stages):
        children, source = [], subprocess.DEVNULL
        for stage in stages:
            child = subprocess.Popen(
                [os.path.join(BIN, stage[0])] + list(stage[1:]),
                stdin=source, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            if source != subprocess.DEVNULL:
                source.close()
            source = child.stdout
            children.append(child)
        import threading

        texts = [b""] * len(children)

        def drain(number):
            texts[number] = children[number].stderr.read()

        threads = [threading.Thread(target=drain, args=(n,)) for n in range(len(children))]
        for thread in threads:
            thread.start()
        self.out = source.read()
        for thread in threads:
            thread.join()
        for child in children:
            child.wait()
            child.stderr.close()
        source.close()
        self.status = children[0].returncode
        self.text = b"".join(texts).decode("utf-8", "replace")


THROUGH = {
    "direct": [],
    "pfs": [("profcat", "-t", "pfs")],
    "statprofiler": [("profcat", "-t", "statprofiler")],
    "both": [("profcat", "-t", "statprofiler"), ("profcat", "-t", "pfs")],
}


def stages(mode, files, *last):
    """The pipe that converts files through the formats of a mode and ends with profcat LAST."""
    chain = [list(stage) for stage in THROUGH[mode]] + [["profcat"] + list(last)]
    chain[0] += files
    return [tuple(stage) for stage in chain]


def rows_of(run):
    return [json.loads(line) for line in run.out.splitlines()]


class Report:
    def __init__(self):
        self.bad = self.count = 0

    def differ(self, name, *what):
        self.bad += 1
        if self.bad <= 20:
            print(os.path.basename(name) + ":", *what)

    def equal(self, name, what, got, want):
        if got != want:
            self.differ(name, "%s is %r, not %r" % (what, got, want))
            return False
        return True

    def leave(self, least=1):
        if self.count < least:
            print("only %d files were looked at" % self.count)
        sys.exit(self.bad > 0 or self.count < least)


# ---- Expected results ----


def load(path):
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    with gzip.open(path + ".gz", "rt", encoding="utf-8") as file:
        return json.load(file)


def profiles(folder):
    """Files with an expected result."""
    folder = os.path.join(folder, "statprofiler")
    found = []
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if os.path.exists(path + ".expected.json") or os.path.exists(path + ".expected.json.gz"):
            found.append(path)
    return found


def frame_key(frame):
    """Function, file and line of an expected frame, as the programs print them."""
    if frame["kind"] in ("main", "eval"):
        return ("(%s)" % frame["kind"], frame["file"], max(frame["line"], 0))
    name = frame["package"] + "::" + frame["sub"] if frame["package"] else frame["sub"]
    if frame["kind"] == "xsub":
        return (name, "", 0)
    return (name, frame["file"], max(frame["line"], 0))


def expected_samples(result):
    return [s for s in result["samples"] if "synthetic" not in s]


def sections_of(sample):
    return sorted(name for name, depth in sample["sections"].items() for _ in range(depth))


def as_reader(stack):
    """Drops a main or eval frame right after a BEGIN, as the profiler's reader does."""
    return [
        f for i, f in enumerate(stack)
        if not (f[0] in ("(main)", "(eval)") and i and stack[i - 1][0].endswith("::BEGIN"))
    ]


def row_stack(row):
    return [(f["function"], f["file"], f["line"]) for f in row["stack"]]


def row_facts(row, tick_us):
    ops = row["labels"].get("op", [""])
    wall = row["values"].get("wall", 0)
    return wall / (tick_us * 1000), ops[0] if len(ops) == 1 else ops, sorted(row["sections"])


def compare_samples(report, name, rows, samples, tick_us, given_up):
    for number, (row, sample) in enumerate(zip(rows, samples)):
        want = (sample["weight"], sample["op"], sections_of(sample))
        if not report.equal(name, "sample %d" % number, row_facts(row, tick_us), want):
            return
        stack, frames = row_stack(row), [frame_key(f) for f in sample["frames"]]
        if frames != stack and frames != as_reader(stack):
            report.differ(name, "stack of sample %d is %r, not %r" % (number, stack, frames))
            return
        counted = int(bool(stack) or sample["weight"] > 0)
        if not report.equal(name, "samples of sample %d" % number, row["values"].get("samples", 0), counted):
            return
    if len(rows) != len(samples) and not (given_up and len(rows) > len(samples)):
        report.differ(name, "%d samples, not %d" % (len(rows), len(samples)))


HEADER = ("perl_version", "tick_us", "depth", "process_id", "ordinal", "parent_id", "parent_ordinal")


def compare_metadata(report, name, document, result):
    listed = document["meta"]["metadata"]
    header = {m["key"]: m["value"] for m in listed if m["origin"] == "statprofiler"}
    for key in HEADER:
        report.equal(name, key, header.get(key), str(result["header"][key]))
    if not result["end"].get("error"):
        custom = {m["key"]: m["value"] for m in listed if m["origin"] == "statprofiler.custom"}
        report.equal(name, "metadata", custom, result["end"]["metadata"])


def check_read(mode, folder):
    report = Report()
    for path in profiles(folder):
        report.count += 1
        result = load(path + ".expected.json")["files"][0]
        rows = Run(*stages(mode, [path], "-t", "ndjson"))
        cut = decode(open(path, "rb").read())[2]
        report.equal(path, "exit status", rows.status, 3 if cut else 0)
        if cut and "offset" not in rows.text:
            report.differ(path, "no offset in the message:", rows.text)
        samples = expected_samples(result)
        given_up = cut or result["end"].get("error")
        compare_samples(report, path, rows_of(rows), samples, result["header"]["tick_us"], given_up)
        whole = Run(*stages(mode, [path], "-t", "json"))
        compare_metadata(report, path, json.loads(whole.out), result)
    report.leave()


def check_series(folder):
    report = Report()
    folder = os.path.join(folder, "statprofiler")
    for name in sorted(os.listdir(folder)):
        found = re.match(r"(.*)\.series\.expected\.json(\.gz)?$", name)
        if not found:
            continue
        report.count += 1
        files = load(os.path.join(folder, found[1] + ".series.expected.json"))["files"]
        names = [os.path.join(folder, f["header"]["name"]) for f in files]
        samples, given_up = [], False
        for one in files:
            samples += expected_samples(one)
            given_up = one["end"].get("error")
            if given_up:
                break
        tick_us = files[0]["header"]["tick_us"]
        for mode in THROUGH:
            run = Run(*stages(mode, names[1::2] + names[0::2][::-1], "-t", "ndjson"))
            compare_samples(report, name + " " + mode, rows_of(run), samples, tick_us, given_up)
        if len(names) > 2:
            run = Run(("profcat", "-c", names[0], names[-1]))
            if not re.search(r"\b2\b", run.text):
                report.differ(name, "no word of the missing ordinal:", run.text)
    report.leave()


# ---- Written files ----


def split_events(events):
    """Sources, other events, and the end, separately. Sources may be written earlier, because they do not split samples; and the
    profiler may write an empty sample after the end."""
    sources = [e for e in events if e[0] == "source"]
    return sources, [e for e in events if e[0] not in ("source", "finish")], [e for e in events if e[0] == "finish"]


def check_written(folder):
    report = Report()
    for path in profiles(folder):
        header, events, cut = decode(open(path, "rb").read())
        for options in ([], ["-z", "0"]):
            report.count += 1
            run = Run(("profcat", "-t", "statprofiler", path) + tuple(options))
            data = run.out
            if cut:
                report.equal(path, "exit status", run.status, 3)
            if options and data[14] != 201:
                report.differ(path, "-z 0 is not plain")
            try:
                header2, events2, cut2 = decode(data, True)
            except Damage as why:
                report.differ(path, "written file:", why)
                continue
            report.equal(path, "header", header2, header)
            report.equal(path, "end inside a record", cut2, False)
            sources, rest, finish = split_events(events)
            sources2, rest2, finish2 = split_events(events2)
            report.equal(path, "sources", sources2, sources)
            report.equal(path, "end", finish2, finish)
            if rest != rest2:
                at = next((i for i, (a, b) in enumerate(zip(rest, rest2)) if a != b), min(len(rest), len(rest2)))
                report.differ(path, "event %d is %r, not %r" % (at, rest2[at : at + 1], rest[at : at + 1]))
    report.leave()


def without_first_lines(rows):
    """Rows as the plan dialect and the text form hold them: without first lines; evals under another name become main."""
    for row in rows:
        for frame in row["stack"]:
            frame["start_line"] = 0
            if frame["function"] == "(eval)" and not frame["file"].startswith("(eval "):
                frame["function"], frame["frame_kind"] = "(main)", "main"
    return rows


def check_plan(folder):
    """Tests that names, files, lines, ops, sections and metadata are kept; evals under another name become main."""
    report = Report()
    for path in profiles(folder):
        report.count += 1
        plain = without_first_lines(rows_of(Run(("profcat", "-t", "ndjson", path))))
        run = Run(("profcat", "-t", "statprofiler:dialect=plan", path), ("profcat", "-t", "ndjson"))
        rows = rows_of(run)
        report.equal(path, "plan", [r for r in rows if r not in plain], [])
        report.equal(path, "number of records", len(rows), len(plain))
        if "plan" not in run.text:
            report.differ(path, "no word of what is lost")
    report.leave()


# ---- Sums ----


def anonymous(function):
    return function.rpartition("::")[2] in ("__ANON__", "BEGIN", "UNITCHECK", "CHECK", "INIT", "END")


def first_lines(samples):
    """The first lines of anonymous functions, by function, file and line of a frame."""
    frames = [f for s in samples for f in s["frames"] if f["kind"] == "sub"]
    return {(f["package"] + "::" + f["sub"], f["file"], f["line"]): max(f["first_line"], 0) for f in frames
            if anonymous(f["sub"])}


def add_sums(samples, stacks, tick_ns, section):
    total, flat, cum = 0, {}, {}
    for sample, stack in zip(samples, stacks):
        if section is not None and section not in sample["sections"]:
            continue
        value = sample["weight"] * tick_ns
        total += value
        if stack:
            flat[stack[0]] = flat.get(stack[0], 0) + value
        for key in set(stack):
            cum[key] = cum.get(key, 0) + value
    return total, {key: (flat.get(key, 0), value) for key, value in cum.items() if value}


def top_sums(document):
    rows = [r for r in document["rows"] if r["measure"] == "wall"]
    total = next((m["total"] for m in document["measures"] if m["name"] == "wall"), 0)
    return total, {(r["function"], r["file"], r["line"] if anonymous(r["function"]) else 0): (r["flat"], r["cum"])
                   for r in rows if r["flat"] or r["cum"]}


def check_sums(folder):
    report = Report()
    for path in profiles(folder):
        result = load(path + ".expected.json")["files"][0]
        if result["end"].get("error") or decode(open(path, "rb").read())[2]:
            continue
        report.count += 1
        samples, tick_ns = expected_samples(result), result["header"]["tick_us"] * 1000
        rows = rows_of(Run(("profcat", "-t", "ndjson", path)))
        # The frames that the profiler's reader drops are put back; check_read compares the others.
        first = first_lines(samples)
        stacks = [[f[:2] + (first.get(f, 0),) for f in row_stack(row)] for row in rows]
        names = sorted({name for s in samples for name in s["sections"]})
        for section in [None] + names:
            last = ("proftop", "-n", "0", "-t", "json")
            if section is None:
                run = Run(last + (path,))
            elif re.search(r"[][*?\\\0]", section) or not section:
                continue
            else:
                run = Run(("proffilter", "--section=" + section, path), last)
            total, sums = add_sums(samples, stacks, tick_ns, section)
            got_total, got = top_sums(json.loads(run.out))
            report.equal(path, "total in section %r" % section, got_total, total)
            for key in sorted(set(sums) | set(got)):
                report.equal(path, "flat and cum of %r in section %r" % (key, section), got.get(key), sums.get(key))
    report.leave()


# ---- Edge files ----

FRAMES = [["main::leaf", "main::top", "(main)"]]
# name: status, weights, sections of each sample (None: not compared), words of the message
EDGE = {
    "01-plan-literal-msb": (0, [1, 300, 2], [[], ["req"], ["db", "req"]], ""),
    "02-plan-literal-lsb": (0, [1, 300, 2], [[], ["req"], ["db", "req"]], ""),
    "04-real-uncompressed": (0, [3, 2], [["req"], []], ""),
    "05-text": (0, [3, 1, 1, 2], [[], [], [], []], ""),
    "10-empty-profile": (0, [], [], ""),
    "11-header-only": (0, [], [], "without an end record"),
    "12-zero-bytes": (3, [], [], "empty|no bytes|nothing"),
    "13-magic-only": (3, [], [], "offset 13: the file ends before its format version"),
    "15-truncated-mid-record": (3, [3, 5], [[], ["req"]], "offset .*ends inside a record.*offset 219 once uncompressed"),
    "16-truncated-mid-block": (3, [3], [[]], "offset 160: the file ends inside a block"),
    "18-no-end-record": (0, [3, 5], [[], ["req"]], "without an end record"),
    "20-unknown-tag": (0, [1, 2], [[], []], "unknown tag 100"),
    "22-unknown-header-tag": (3, [], [], "offset 14: unknown tag 206 .*offset 60"),
    "24-varint-overlong": (0, [1], [[]], ""),
    "26-varint-endless": (3, [], [], "offset .*a number has more than 32 bits"),
    "27-five-byte-varint": (0, [4294967295], [[]], ""),
    "29-huge-record-length": (3, [1], [[]], "offset .*ends inside a record"),
    "32-snappy-bad-offset": (3, [], [], "offset 80: damaged snappy block"),
    "33-many-small-blocks": (0, [1], [[]], ""),
    "40-section-end-without-start": (0, [1, 2], [[], []], "end of section 'req' which was not started"),
    "41-nested-sections": (
        0, [1, 2, 4, 8, 16, 32, 64],
        [[], ["req"], ["db", "req"], ["db", "req", "req"], ["db", "req"], ["db"], []], ""),
    "42-section-inside-sample": (0, [1, 2], [[], ["req"]], "section mark inside a sample"),
    "43-section-left-open": (0, [1], [["req"]], ""),
    "44-continuation-ordinal2": (0, [2, 4], [[], []], "ordinal 1 is missing(.|\n)*'req' which was not started"),
    "46-stray-sample-end": (0, [2], [[]], "sample end without a sample"),
    "48-empty-sample": (0, [0, 2, 0], [[], [], []], ""),
    "50-eval-string-tag7": (0, [1], [[]], ""),
    "51-eval-seq-tag8": (0, [1], [[]], ""),
    "53-metadata-bad-length": (0, [1, 2], [[], []], ""),
    "60-after-stream-end": (0, [1, 2], [[], []], "after the end"),
    "62-version-2": (3, [], [], "offset 13: .*version 2"),
    "63-version-0": (3, [], [], "offset 13: .*version 0"),
    "65-crlf-damaged": (3, [], None, "offset .*carriage return"),
}


def look_edge(report, folder, name, status, weights, sections, words_):
    path = os.path.join(folder, name + ".out")
    run = Run(("profcat", "-t", "ndjson", path))
    rows = rows_of(run)
    tick = 10000000 if "plan" in name else 1 if "text" in name else 1000000
    report.equal(name, "exit status", run.status, status)
    report.equal(name, "weights", [r["values"].get("wall", 0) // tick for r in rows], weights)
    if sections is not None:
        report.equal(name, "sections", [sorted(r["sections"]) for r in rows], sections)
    if not re.search(words_, run.text):
        report.differ(name, "the message is", repr(run.text))
    if not words_ and run.text:
        report.differ(name, "a message:", repr(run.text))
    if status == 3 and rows:
        salvaged = Run(("profcat", "--salvage", "-t", "ndjson", path))
        report.equal(name, "status of --salvage", salvaged.status, 0)
        report.equal(name, "rows of --salvage", rows_of(salvaged), rows)
    return rows


def check_edge(folder):
    report = Report()
    folder = os.path.join(folder, "statprofiler", "edge")
    stacks = {}
    for name, row in EDGE.items():
        report.count += 1
        stacks[name] = [row_stack(r) for r in look_edge(report, folder, name, *row)]
    plan = [("main::leaf", "a.pl", 3), ("Ünï::top", "a.pl", 200), ("(main)", "a.pl", 20)]
    report.equal("01", "stacks", stacks["01-plan-literal-msb"], [plan] * 3)
    report.equal("02", "stacks", stacks["02-plan-literal-lsb"], [plan] * 3)
    ours = [("main::leaf", "a.pl", 3), ("main::top", "a.pl", 9), ("(main)", "a.pl", 20)]
    report.equal("04", "stacks", stacks["04-real-uncompressed"], [ours] * 2)
    report.equal("05", "stacks", stacks["05-text"],
                 [ours, [("Time::HiRes::usleep", "", 0)] + ours[1:], ours[2:], [("(eval)", "(eval 1)", 2), ours[2]]])
    report.equal("24", "stack", stacks["24-varint-overlong"], [[("(main)", "a.pl", 5)]])
    report.equal("27", "stack", stacks["27-five-byte-varint"], [[("main::f", "a.pl", 300000001)]])
    report.equal("48", "stacks", stacks["48-empty-sample"], [[], ours, []])
    pair = [os.path.join(folder, n + ".out") for n in ("44-continuation-ordinal2", "43-section-left-open")]
    run = Run(("profcat", "-t", "ndjson", *pair))
    got = [(r["values"]["wall"] // 1000000, r["sections"]) for r in rows_of(run)]
    report.equal("43 and 44", "weights and sections", got, [(1, ["req"]), (2, ["req"]), (4, [])])
    report.equal("43 and 44", "message", run.text, "")
    for name in ("50-eval-string-tag7", "51-eval-seq-tag8"):
        run = Run(("profcat", "-t", "statprofiler", os.path.join(folder, name + ".out")))
        report.equal(name, "source", split_events(decode(run.out, True)[1])[0], [("source", "(eval 1)", "1+1")])
    report.leave(len(EDGE))


# ---- Forms that no corpus has ----


def main_frame(file, line):
    return record(6, string(file) + msb(line), 1)


def old_samples():
    """Samples of the development versions that wrote each frame as a sub, without a first line."""
    return (
        start(3) + sub("main", "f", "a.pl", 3) + sub("", "", "a.pl", 300000001) + END
        + start(1) + sub("A", "x", "", -1) + sub("main", "g", "a.pl", 7) + sub("", "", "(eval 3)", 1) + END
    )


OLD_STACKS = [
    [("main::f", "a.pl", 3), ("(main)", "a.pl", 300000001)],
    [("A::x", "", 0), ("main::g", "a.pl", 7), ("(eval)", "(eval 3)", 1)],
]


def lsb(value):
    out = []
    while value > 127:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out + [value])


def plan_file(varint, zeros, names):
    """A file of the plan dialect: `names` strings for a frame's name, with or without the length of empty records."""

    def text(value):
        return bytes([int(not value.isascii())]) + varint(len(value.encode())) + value.encode()

    def whole(tag, payload):
        return bytes([tag]) + varint(len(payload)) + payload

    bare = b"\0" if zeros else b""
    name = text("main") + text("x" * 300) if names == 2 else text("main::" + "x" * 300)
    frame = whole(3, name + text("a.pl") + varint(200))
    top = whole(3, (text("") * names) + text("a.pl") + varint(9))
    head = whole(201, varint(5) + varint(18) + varint(2)) + whole(202, varint(10000000)) + whole(203, varint(20))
    body = whole(1, varint(300) + varint(2) + text("const")) + frame + top + b"\2" + bare
    return MAGIC + b"\1" + head + b"\xfe" + bare + body * 2 + whole(99, b"unknown") + body + b"\xfe" + bare


TEXT = """3;8,main::leaf,a.pl,3;0,,a.pl,20
1;8,main::a;b,dir;1,2/x.pl,7;8,main::top,a.pl,9;0,,a.pl,20;entersub
7;
2;11,,a.pl,4;nextstate
"""


def made_files():
    """Name, bytes, and stacks of each generated file."""
    one = start(2) + sub("main", "f", "a.pl", 3, 1) + main_frame("a.pl", 9) + END
    stack = [[("main::f", "a.pl", 3), ("(main)", "a.pl", 9)]]
    header, finish = facts() + b"\xfe", b"\xc5\0"
    yield "headerless", MAGIC + b"\1" + old_samples(), OLD_STACKS
    yield "only a header end", MAGIC + b"\1\xfe" + old_samples(), OLD_STACKS
    yield "before genealogy", MAGIC + b"\1" + facts()[:-51] + b"\xfe" + old_samples() + finish, OLD_STACKS
    long_name = start(2) + sub("main", "n" * 70000, "a.pl", 3, 1) + END
    blocks = b"".join(block(long_name[at : at + 20000]) for at in range(0, len(long_name), 20000))
    yield "string over many blocks", MAGIC + b"\1" + block(header) + blocks + block(finish), [
        [("main::" + "n" * 70000, "a.pl", 3)]]
    yield "empty block", MAGIC + b"\1" + block(header) + block(b"") + block(one + finish), stack
    odd = [("A:", "b"), ("A", ":b"), ("A", "b::c"), ("", "f"), ("", "f::g"), ("A", ""), ("\u00dcn\u00ef", "f"), ("A", "gr\u00f6\u00dfe")]
    frames = b"".join(sub(p, n, "a;,\n\0.pl", 1, 1) for p, n in odd)
    yield "names that :: cannot split", MAGIC + b"\1" + block(header + start(1) + frames + END + finish), [
        [((p + "::" if p else "") + n, "a;,\n\0.pl", 1) for p, n in odd]]
    yield "big-endian ids", MAGIC + b"\1" + block(facts(order=">") + b"\xfe" + one + finish), stack
    yield "depth of 5000", MAGIC + b"\1" + header + start(1) + sub("main", "f", "a.pl", 3, 1) * 5000 + END + finish, [
        [("main::f", "a.pl", 3)] * 5000]
    for varint in (msb, lsb):
        for names in (1, 2):
            yield "plan with %s, %d" % (varint.__name__, names), plan_file(varint, names == 1, names), [
                [("main::" + "x" * 300, "a.pl", 200), ("(main)", "a.pl", 9)]] * 3
    yield "text", TEXT.encode(), [
        [("main::leaf", "a.pl", 3), ("(main)", "a.pl", 20)],
        [("main::a;b", "dir;1,2/x.pl", 7), ("main::top", "a.pl", 9), ("(main)", "a.pl", 20)],
        [],
        [("(main)", "a.pl", 4)],
    ]


def check_ids(report, path):
    """Tests the byte order of ids: it is found from the time in them, or from the thread if the time is possible in both orders."""
    for start in (0x55AA0000, 0x55AA0052):
        for order in "<>":
            with open(path, "wb") as file:
                file.write(MAGIC + b"\1" + facts(process=(0x1234, 2, start, 1, 2, 3), order=order) + b"\xfe\xc5\0")
            run = Run(("profcat", "-H", path))
            report.equal("ids", "%s%08x" % (order, start), b"process_id 0000123400000002%08x" % start in run.out, True)


def check_nameless(report, path):
    """Tests that a sub without a name is shown as unknown, and is written without a name."""
    with open(path, "wb") as file:
        file.write(MAGIC + b"\1" + facts() + b"\xfe" + start(1) + sub("", "", "a.pl", 3, 1) + END + b"\xc5\0")
    _, events, _ = decode(Run(("profcat", "-t", "statprofiler", path)).out, True)
    report.equal("nameless", "record", events[0], ("sample", 1, "nextstate", [("", "", "a.pl", 3, 1)]))


def check_made(folder):
    report = Report()
    path = os.path.join(folder, "made.out")
    for name, data, want in made_files():
        report.count += 1
        with open(path, "wb") as file:
            file.write(data)
        for mode in THROUGH:
            run = Run(*stages(mode, [path], "-t", "ndjson"))
            report.equal(name + " " + mode, "status", run.status, 0)
            report.equal(name + " " + mode, "stacks", [row_stack(r) for r in rows_of(run)], want)
        document = json.loads(Run(("profcat", "-t", "json", path)).out)
        ids = [m["value"] for m in document["meta"]["metadata"] if m["key"] == "process_id"]
        if facts()[:4] in data and name != "before genealogy":
            report.equal(name, "process", ids, ["000012340000000255aa0000000000010000000200000003"])
    check_ids(report, path)
    check_nameless(report, path)
    report.leave()


def main(what, *arguments):
    checks = {
        "read": check_read, "series": check_series, "written": check_written, "plan": check_plan, "sums": check_sums,
        "edge": check_edge, "made": check_made,
    }
    checks[what](*arguments)


if __name__ == "__main__":
    main(*sys.argv[1:])
