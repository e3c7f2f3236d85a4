#!/usr/bin/env python3
"""Tests the programs with Pynytprof files whose content is known.

    pynytprof.py read MODE DIR    profcat's lines, edges and metadata are those of the decoder below, and the decoder's are those of
                                  NAME.expected.json; MODE: direct, or through pfs, pynytprof, both
    pynytprof.py written DIR      the output of -t pynytprof has the described layout, byte by byte, and loses nothing
    pynytprof.py bad DIR          exit status and message for damaged and odd files are those of the table below
    pynytprof.py made .           generated forms of the file that no corpus has

The decoder is written from the format's description, not from the programs. Differences are printed; the exit status is 1 when
there are any. PROFUTILS_BIN is the directory of the programs.
"""
import collections
import glob
import json
import os
import re
import struct
import subprocess
import sys

BIN = os.environ["PROFUTILS_BIN"]
ATTRIBUTES = ["basetime", "application", "perl_version", "nv_size", "clock_mod", "ticks_per_sec", "osname", "hz"]
OPTIONS = [
    "subs=1", "blocks=0", "leave=1", "expand=0", "trace=0", "use_db_sub=0", "compress=0", "clock=1", "stmts=1", "slowops=2",
    "findcaller=0", "forkdepth=-1", "perldb=0", "nameevals=1", "nameanonsubs=1", "calls=1", "evals=0",
]  # fmt: skip
TAGS = b"FSDCEAHBTP"


# ---- Decoder ----


class Profile:
    def __init__(self):
        self.lines, self.edges = [], []  # (fid, line, calls, incl, excl); (from, to, calls, incl, excl)
        self.files, self.subs, self.order = {}, {}, []
        self.attributes, self.options, self.chunk = [], [], []
        self.wide = self.events = self.ended = self.cut = False
        self.tags, self.blanks = "", 0

    def ticks(self):
        told = [v for k, v in self.attributes + self.chunk if k == "ticks_per_sec"]
        return int(told[-1]) if told else 10000000


def text(body):
    return body.decode("utf-8", "replace")


def records(body, head):
    """Numbers and name of each record; ValueError if one is incomplete."""
    out, at = [], 0
    while at < len(body):
        end = body.index(b"\0", at + head)
        out.append(struct.unpack_from("<%dI" % (head // 4), body, at) + (text(body[at + head : end]),))
        at = end + 1
    return out


def plausible(found):
    return all(row[-1] and row[-1].isprintable() for row in found)


def subs(profile, body):
    if len(body) % 17 == 1 and body[-1] == 0 and all(body[at] == 1 for at in range(0, len(body) - 1, 17)):
        profile.events = True
        return
    found = {}
    for head in (8, 16):
        try:
            found[head] = records(body, head)
        except (ValueError, struct.error):
            pass
    narrow = 8 in found and (plausible(found[8]) or 16 not in found)
    if not found:
        return
    profile.wide = not narrow
    for row in found[8 if narrow else 16]:
        profile.subs[row[0]] = row[1:]
        profile.order.append(row)


def chunk(profile, tag, body):
    if tag == "F":
        try:
            for row in records(body, 16):
                profile.files[row[0]] = row[1:]
        except (ValueError, struct.error):
            pass
    elif tag in "SC":
        rows = profile.lines if tag == "S" else profile.edges
        rows.extend(struct.unpack_from("<IIIQQ", body, at) for at in range(0, len(body) - 27, 28))
    elif tag == "D":
        subs(profile, body)
    elif tag in "AH" and (tag == "A" or len(body) != 8):
        profile.chunk += [tuple(text(item).split("=", 1)) for item in body.split(b"\0") if b"=" in item]


def chunks(profile, data, at):
    while at < len(data):
        tag = chr(data[at])
        size = struct.unpack_from("<I", data, at + 1)[0] if at + 5 <= len(data) else None
        if tag == "P" and size != 16:
            profile.tags += "p"
            at += 17
            continue
        if tag == "E" and at + 1 == len(data):
            profile.ended = True
            return
        if size is None or not tag.isalpha() or tag == "T":
            profile.cut = True
            return
        profile.tags += tag
        body = data[at + 5 : at + 5 + size]
        chunk(profile, tag, body)
        at += 5 + size
        if len(body) < size:
            profile.cut = True
            return
        if tag == "E":
            profile.ended = True
            return


def decode(data):
    profile = Profile()
    if data.startswith(b"NYTPROF\0"):
        at = 16
        if data[16] == 0:
            at = 20 + struct.unpack_from("<Q", data, 12)[0]
            chunk(profile, "A", data[20:at])
        while re.match(rb"[a-z_]+=[^\0]*\0", data[at:]):
            end = data.index(b"\0", at)
            chunk(profile, "A", data[at:end])
            at = end + 1
        chunks(profile, data, at)
        return profile
    at = data.find(b"\n") + 1
    while at and at < len(data) and data[at] in b"#:!\n":
        end = data.find(b"\n", at)
        if end < 0:
            return profile
        line = text(data[at + 1 : end])
        if end == at:
            profile.blanks += 1
        elif data[at] == ord(":") and "=" in line:
            profile.attributes.append(tuple(line.split("=", 1)))
        elif data[at] == ord("!") and "=" in line:
            profile.options.append(tuple(line.split("=", 1)))
        at = end + 1
    if at:
        chunks(profile, data, at)
    return profile


# ---- Expected output of the programs ----


def nanoseconds(profile, ticks):
    return ticks * 1000000000 // profile.ticks()


def file_name(profile, fid):
    return (profile.files[fid][-1] if fid in profile.files else "") or "(file %d)" % fid


def sub_name(profile, sid):
    return (profile.subs[sid][-1] if sid in profile.subs else "") or "(sub %d)" % sid


def line_sums(profile):
    sums = collections.defaultdict(lambda: [0, 0, 0])
    for fid, line, calls, incl, excl in profile.lines:
        row = sums[file_name(profile, fid), line]
        row[0] += calls
        row[1] += nanoseconds(profile, incl)
        row[2] += nanoseconds(profile, excl)
    return dict(sums)


def edge_sums(profile):
    """Sums of calls. If both times are equal for every call, the exclusive times are unknown and count as 0."""
    known = any(incl != excl for _, _, _, incl, excl in profile.edges)
    sums = collections.defaultdict(lambda: [0, 0, 0])
    for one, two, three, incl, excl in profile.edges:
        if profile.wide:
            key, calls = ("[unknown]", file_name(profile, one), two, sub_name(profile, three)), 0
        else:
            key, calls = (sub_name(profile, one), "", 0, sub_name(profile, two)), three
        row = sums[key]
        row[0] += calls
        row[1] += nanoseconds(profile, incl)
        row[2] += nanoseconds(profile, excl) if known else 0
    return dict(sums)


# ---- Running the programs ----


class Run:
    """Runs a pipe of programs: the output of the last, the status of the first, the messages of all."""

    def __init__(self, *stages):
        self.out, self.text, self.status = b"", "", None
        for stage in stages:
            done = subprocess.run(
                [os.path.join(BIN, stage[0])] + list(stage[1:]), input=self.out, capture_output=True, check=False)
            self.out = done.stdout
            self.text += done.stderr.decode("utf-8", "replace")
            self.status = done.returncode if self.status is None else self.status


# Files cut in or after the first line, where they look the same as NYTProf's.
BARE = {"hand_banner_line1", "hand_line1_nonl"}


def operand(path):
    return (["-f", "pynytprof"] if name_of(path) in BARE else []) + [path]


THROUGH = {
    "direct": [],
    "pfs": [("profcat", "-t", "pfs")],
    "pynytprof": [("profcat", "-t", "pynytprof")],
    "both": [("profcat", "-t", "pynytprof"), ("profcat", "-t", "pfs")],
}


def through(mode, path, *last):
    chain = [list(stage) for stage in THROUGH[mode]] + [["profcat"] + list(last)]
    chain[0] += operand(path)
    return Run(*chain)


def sums_of(run):
    lines = collections.defaultdict(lambda: [0, 0, 0])
    edges = collections.defaultdict(lambda: [0, 0, 0])
    for row in map(json.loads, run.out.splitlines()):
        frame = row["stack"][0]
        if row["kind"] == "flat":
            sums = lines[frame["file"], frame["line"]]
        else:
            caller = row["stack"][1]
            sums = edges[caller["function"], caller["file"], caller["line"], frame["function"]]
        for k, name in enumerate(("calls", "incl", "excl")):
            sums[k] += row["values"].get(name, 0)
    return dict(lines), dict(edges)


def metadata_of(run):
    rows = json.loads(run.out)["meta"]["metadata"]
    return [(row["origin"], row["key"], row["value"]) for row in rows]


class Report:
    def __init__(self):
        self.count = self.wrong = 0

    def equal(self, name, what, got, expected):
        self.count += 1
        if got != expected:
            self.wrong += 1
            print("%s: %s: got %s, expected %s" % (os.path.basename(name), what, str(got)[:600], str(expected)[:600]))

    def leave(self):
        if not self.count:
            print("nothing was checked")
        sys.exit(self.wrong > 0 or not self.count)


def profiles(folder):
    found = sorted(glob.glob(os.path.join(folder, "pynytprof", "**", "*.nyt"), recursive=True))
    return [path for path in found if os.path.basename(path)[:-4] not in OTHERS]


def name_of(path):
    return os.path.basename(path)[:-4]


# ---- Checks ----


# Files of other formats: tags of NYTProf, or records without tags.
OTHERS = {"hist_f362938", "hist_fa38dfd"}
# Status and message for files that are not perfect. 3: damaged; all whole records before the damage are read, and nothing after it.
BAD = {
    "hand_D_short": (3, "offset 421: chunk D ends inside the numbers"),
    "hand_F_unterm": (3, "offset 421: chunk F ends inside a name"),
    "hand_S_not28": (3, "offset 487: chunk S has 31 bytes, not a multiple of 28"),
    "hand_banner_line1": (3, "offset 12: the file ends without its end chunk"),
    "hand_binhdr_996afac": (0, "warning: .*binary header"),
    "hand_binhdr_notereader": (0, "warning: .*binary header"),
    "hand_crlf": (3, "offset 442: byte 0x0d, expected the start of a chunk: lines end in CR LF"),
    "hand_header_noblank_only": (3, "offset 415: the file ends without its end chunk"),
    "hand_header_only": (3, "offset 416: the file ends without its end chunk"),
    "hand_len_overflow": (3, "offset 454: chunk S of 4294967295 bytes: the file ends 4294967267 bytes before its end"),
    "hand_line1_nonl": (3, "offset 0: the file ends inside a line of its banner"),
    "hand_noE": (3, "offset 543: the file ends without its end chunk"),
    "hand_trailing": (0, "warning: .*offset 730: 55 bytes after the end chunk"),
    "hand_trunc_E": (3, "offset 725: the file ends inside the head of chunk E"),
    "hand_trunc_F": (3, "offset 416: chunk F of 33 bytes: the file ends 18 bytes before its end"),
    "hand_trunc_S_exact": (3, "offset 454: chunk S of 84 bytes: the file ends 56 bytes before its end"),
    "hand_trunc_chunkhdr": (3, "offset 543: the file ends inside the head of chunk D"),
    "hand_unknown_lower": (0, "warning: .*offset 454: unknown chunk q of 0 bytes: skipped"),
    "hand_unknown_tok": (0, "warning: .*offset 454: unknown chunk Z of 5 bytes: skipped"),
    "hist_01698ea": (0, "warning: .*chunk F names no files"),
    "hist_3983e6f": (0, "warning: .*chunk F names no files"),
    "hist_a986d58": (0, "warning: .*chunk F names no files"),
    "hist_af137e2": (0, "warning: .*chunk F names no files"),
    "hist_e600f6e": (0, "warning: .*chunk F names no files"),
    "hist_f446268": (0, "warning: .*chunk F names no files"),
    "notew_writerpy_T": (3, "offset 224: chunk T"),
}


def check_decoder(report, path, profile):
    """Compares the decoder with the corpus' expected results, except where those read events as names."""
    with open(path[:-4] + ".expected.json", "rb") as file:
        expected = json.load(file)
    if (expected["error"] or "").startswith(("binary", "header")):
        return
    lines = collections.defaultdict(lambda: [0, 0, 0])
    for fid, line, *values in profile.lines:
        sums = lines["%d:%d" % (fid, line)]
        for k in range(3):
            sums[k] += values[k]
    report.equal(path, "lines of the decoder", dict(lines), expected["lines"])
    report.equal(path, "edges of the decoder", [list(row) for row in profile.edges], expected["edges"])
    if not profile.events:
        report.equal(path, "subs of the decoder", {str(k): v[-1] for k, v in profile.subs.items()},
                     {k: v["name"] for k, v in expected["subs"].items()})
    report.equal(path, "files of the decoder", {str(k): v[-1] for k, v in profile.files.items()},
                 {k: v["path"] for k, v in expected["files"].items()})
    report.equal(path, "options of the decoder", dict(profile.options), expected["opt"])


def check_read(mode, folder):
    report = Report()
    for path in profiles(folder):
        with open(path, "rb") as file:
            profile = decode(file.read())
        status = BAD.get(name_of(path), (0,))[0]
        if status and mode not in ("direct", "pfs"):
            continue
        if mode == "direct":
            check_decoder(report, path, profile)
        run = through(mode, path, "-t", "ndjson")
        report.equal(path, "exit status", run.status, status)
        lines, edges = sums_of(run)
        if profile.wide and mode in ("pynytprof", "both"):
            # The format has no field for the lines of calls.
            summed = collections.defaultdict(lambda: [0, 0, 0])
            for key, row in edge_sums(profile).items():
                for k in range(3):
                    summed[key[3]][k] += row[k]
            report.equal(path, "edges", {key[3]: row for key, row in edges.items()}, dict(summed))
        else:
            report.equal(path, "edges", edges, edge_sums(profile))
        report.equal(path, "lines", lines, line_sums(profile))
        if status:
            salvaged = Run(("profcat", "-t", "ndjson", "--salvage", *operand(path)))
            hopeless = name_of(path) in ("notew_writerpy_T", "hand_line1_nonl")
            report.equal(path, "status of salvage", salvaged.status, 3 if hopeless else 0)
            report.equal(path, "what salvage keeps", sums_of(salvaged), (lines, edges))
            continue
        meta = metadata_of(through(mode, path, "-t", "json"))
        told = [(key, value) for origin, key, value in meta if origin == "pynytprof"]
        options = [(key, value) for origin, key, value in meta if origin == "pynytprof.option"]
        if mode in ("direct", "pfs"):
            report.equal(path, "attributes", told, profile.attributes)
            report.equal(path, "options", options, profile.options)
        else:
            kept = [(k, "10000000" if k == "ticks_per_sec" else v) for k, v in profile.attributes]
            report.equal(path, "attributes", [item for item in told if item in kept], kept)
            report.equal(path, "options", [item for item in options if item in profile.options], profile.options)
    report.leave()


def check_written(folder):
    report = Report()
    for path in profiles(folder):
        with open(path, "rb") as file:
            data = file.read()
        profile = decode(data)
        run = Run(("profcat", "-t", "pynytprof", *operand(path)))
        if BAD.get(name_of(path), (0,))[0]:
            if run.out:
                report.equal(path, "no end of what a damaged input left", decode(run.out).ended, False)
            continue
        out = decode(run.out)
        report.equal(path, "chunks", out.tags, "FSDCE")
        report.equal(path, "blank lines", out.blanks, 1)
        report.equal(path, "first line", run.out[:12], b"NYTProf 5 0\n")
        report.equal(path, "comment", bool(re.search(
            rb"\n#Perl profile database. Generated by Pynytprof on [A-Za-z]{3}, [0-9]{2} [A-Za-z]{3} [0-9]{4} [0-9:]{8} [-+][0-9]{4}\n",
            run.out)), True)
        keys = [key for key, value in out.attributes]
        report.equal(path, "attributes of the note", [key for key in ATTRIBUTES if keys.count(key) != 1], [])
        report.equal(path, "ticks", out.ticks(), 10000000)
        written = ["%s=%s" % item for item in out.options]
        report.equal(path, "options of the note", [item for item in OPTIONS if item not in written], [])
        report.equal(path, "lines", line_sums(out), line_sums(profile))
        report.equal(path, "one record for each line", len(out.lines), len({row[:2] for row in profile.lines}))
        if not profile.wide:
            report.equal(path, "edges", edge_sums(out), edge_sums(profile))
            report.equal(path, "subs", out.subs, profile.subs)
            report.equal(path, "order of subs", out.order, profile.order)
        report.equal(path, "files", out.files, profile.files)
        usual = profile.tags == "FSDCE" and profile.blanks == 1 and profile.ticks() == 10000000 and b"NYTProf 5 0" in data
        repeated = len({row[:2] for row in profile.lines}) < len(profile.lines)
        if usual and not repeated and len(profile.attributes) == 8:
            report.equal(path, "same bytes", data.startswith(run.out), True)
        again = Run(("profcat", "-t", "pfs", path), ("profcat", "-t", "pynytprof"), ("profcat", "-t", "pynytprof"))
        report.equal(path, "same bytes through pfs and once more", again.out == run.out, True)
    report.leave()


def check_bad(folder):
    report = Report()
    for path in profiles(folder):
        run = Run(("profcat", "-t", "ndjson", *operand(path)))
        status, words = BAD.get(name_of(path), (0, "^$"))
        if words == "^$":
            odd = sum(excl > incl for _, _, _, incl, excl in decode(open(path, "rb").read()).lines)
            words = "^profcat: warning: .*: %d lines? ha(s|ve) more exclusive than inclusive time\\n$" % odd if odd else words
        report.equal(path, "exit status", run.status, status)
        report.equal(path, "words", (re.search(words, run.text) is not None) or run.text, True)
    report.leave()


# ---- Files made here ----


def banner(blank=1, extra=b"", ticks=10000000):
    lines = [":%s=%s" % (key, ticks if key == "ticks_per_sec" else 8) for key in ATTRIBUTES] + ["!" + item for item in OPTIONS]
    head = b"NYTProf 5 0\n#Perl profile database. Generated by Pynytprof on Tue, 08 Jul 2025 19:08:29 +0000\n"
    return head + ("\n".join(lines) + "\n").encode() + extra + b"\n" * blank


def piece(tag, body=b""):
    return tag.encode() + struct.pack("<I", len(body)) + body


def names(*rows):
    return b"".join(struct.pack("<%dI" % (len(row) - 1), *row[:-1]) + row[-1] + b"\0" for row in rows)


def rows(*found):
    return b"".join(struct.pack("<IIIQQ", *row) for row in found)


FILES = piece("F", names((0, 16, 1, 2, b"/a.py"), (4, 0, 0, 0, b"/a.py"), (9, 16, 3, 4, b"/\xff\xe9.py")))
LINES = piece("S", rows((0, 1, 1, 50, 40), (4, 1, 2, 60, 30), (9, 7, 4294967295, 2**63 - 1, 0)))
SUBS = piece("D", names((0, 0, b"f"), (1, 7, b"f"), (4000000000, 0, b"g")))
EDGES = piece("C", rows((0, 1, 1, 10, 9), (1, 0, 2, 20, 19), (4000000000, 1, 3, 30, 29), (77, 78, 1, 1, 1)))
END = piece("E")


def check_made(_folder):
    report = Report()

    def look(name, data, status, words):
        with open(name + ".nyt", "wb") as file:
            file.write(data)
        run = Run(("profcat", "-t", "pynytprof", name + ".nyt"))
        report.equal(name, "exit status", run.status, status)
        report.equal(name, "words", (re.search(words, run.text) is not None) or run.text, True)
        return run

    whole = banner() + FILES + LINES + SUBS + EDGES + END
    run = look("twins", whole, 0, "^$")
    report.equal("twins", "same bytes", run.out == whole, True)
    odd = banner(1, b":a=b=c\n:no value\n!=x\n#\n#comment\r\n:twice=1\n:twice=2\n") + FILES + LINES + SUBS + EDGES + END
    run = look("odd lines", odd, 0, "^$")
    report.equal("odd lines", "same bytes", run.out == odd, True)
    look("process 16", banner(0) + b"P" + struct.pack("<IId", 16, 1, 1.75e9) + FILES + LINES + END, 0, "^$")
    look("two clocks", banner() + piece("A", b"ticks_per_sec=1000\0") + FILES + LINES + END, 3, "too large")
    look("ticks", banner(ticks="many") + FILES + LINES + END, 0, "ticks_per_sec is 'many'")
    run = look("fine ticks", banner(ticks=3000000000) + piece("S", rows((0, 1, 1, 449, 450))) + END, 0, "rounded to ticks of 100 ns")
    report.equal("fine ticks", "rounded once", decode(run.out).lines, [(0, 1, 1, 1, 2)])
    run = look("too big", banner() + piece("S", rows((0, 1, 1, 2**63, 0), (0, 2, 1, 5, 5))) + END, 3, "offset 393: .*more than 63 bits")
    report.equal("too big", "the rest", decode(run.out).lines, [(0, 2, 1, 5, 5)])
    look("overflow", banner() + piece("S", rows((0, 1, 4294967295, 0, 0), (0, 1, 1, 0, 0))) + END, 2,
         "pynytprof holds counts of 32 bits, and a sum of 'calls' is larger")
    look("version 6", b"NYTProf 6 0" + whole[11:], 3, "unknown format version 6")
    look("two in one", whole + whole, 0, "%d bytes after the end chunk are not read" % len(whole))
    look("stub", b"NYTPROF\0" + struct.pack("<II", 5, 0) + END, 0, "binary header")
    look("H", b"NYTPROF\0" + struct.pack("<II", 5, 0) + piece("H", struct.pack("<II", 5, 0)) + FILES + LINES + END, 0, "binary header")
    head = b"ticks_per_sec=10000000\0file=x"
    look("kv", b"NYTPROF\0" + struct.pack("<IQ", 5, len(head)) + head + FILES + LINES + END, 0, "binary header")
    # Ranges that can be read as names of subs with the short head.
    wide = piece("D", names((0, 0, 33, 40, b"main"), (1, 0, 65, 66, b"other")))
    run = look("ranges", banner() + FILES + wide + piece("C", rows((0, 34, 1, 5, 4))) + LINES + END, 0, "^$")
    report.equal("ranges", "subs", sorted(row[-1] for row in decode(run.out).subs.values()), ["[unknown]", "other"])
    look("no end of a path", banner() + piece("F", struct.pack("<4I", 0, 16, 1, 1750000000) + b"/abcdefg") + LINES + END, 3,
         "chunk F ends inside a name")
    look("no names", banner() + piece("F", struct.pack("<4I", 0, 16, 1, 17)) + LINES + END, 0, "chunk F names no files")
    # Names that can be read as ranges.
    long = piece("D", names((0, 0, b"long_enough"), (1, 0, b"also_long_enough")))
    run = look("long names", banner() + FILES + LINES + long + piece("C", rows((0, 1, 3, 5, 4))) + END, 0, "^$")
    report.equal("long names", "edges", list(edge_sums(decode(run.out))), [("long_enough", "", 0, "also_long_enough")])
    # Two files together: numbers in use by the first are changed in the second.
    other = banner() + piece("F", names((0, 16, 5, 6, b"/b.py"))) + piece("S", rows((0, 1, 1, 5, 4), (3, 1, 1, 5, 4))) + \
        piece("D", names((0, 0, b"h"), (1, 0, b"f"))) + piece("C", rows((0, 1, 3, 5, 4))) + END
    with open("other.nyt", "wb") as file:
        file.write(other)
    run = Run(("profcat", "-t", "pynytprof", "twins.nyt", "other.nyt"))
    both = decode(run.out)
    report.equal("both", "status", run.status, 0)
    report.equal("both", "files", sorted((k, v[-1]) for k, v in both.files.items()), [(0, "/a.py"), (1, "/b.py"), (4, "/a.py"), (9, text(b"/\xff\xe9.py"))])
    report.equal("both", "edges", edge_sums(both)["h", "", 0, "f"], [3, 500, 400])
    report.equal("both", "attributes", len(both.attributes), 8)
    report.leave()


if __name__ == "__main__":
    globals()["check_" + sys.argv[1]](*sys.argv[2:])
