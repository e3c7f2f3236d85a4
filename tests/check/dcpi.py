#!/usr/bin/env python3
"""Tests the programs with DCPI files whose content is known.

    dcpi.py valid DIR        every file of DIR/dcpi/valid: records, metadata and warnings are those of NAME.json and the decoder below;
                             copies, direct, through records and through pfs, have the same bytes
    dcpi.py malformed DIR    every file of DIR/dcpi/malformed is refused with its class of error, and no whole file is written
    dcpi.py ops DIR          files of DIR/dcpi/ops joined by profcat: counts, header lines and chunks, or the class of error
    dcpi.py cut DIR          every file of DIR/dcpi/valid cut at every byte is refused, and so is the output made from it
    dcpi.py random .         generated files joined, with strides; canonical chunks
    dcpi.py split .          files of several events and images read together, then separated again
    dcpi.py text .           dcpicat text: read, written back, converted to dcpi and back
    dcpi.py slow .           a producer that writes byte by byte
    dcpi.py tables .         proftop by address and image, --unit=events, --symbols

The decoder and the encoder are written from dcpiformat(4), not from the programs. Differences are printed; the exit status is 1 when
there are any. PROFUTILS_BIN is the directory of the programs.
"""
import glob
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

BIN = os.environ["PROFUTILS_BIN"]
U32 = 0xFFFFFFFF
HEAD = [
    ["image", " ", "19970328081403c0c18b"],
    ["epoch", " ", "9805191724"],
    ["platform", " ", "walnut"],
    ["event", " ", "cycles"],
    ["period", " ", "63488"],
    ["tsize", " ", "8388608"],
    ["cpuspeed", " ", "333"],
]

# ---- Decoder and encoder ----


class Refused(Exception):
    pass


class Profile:
    def __init__(self, lines, chunks, pad=""):
        self.lines, self.chunks, self.pad = lines, chunks, pad

    def value(self, word):
        return next((line[2] for line in self.lines if line[0] == word), None)

    def counts(self, stride=1):
        return {at + stride * k: n for at, row in self.chunks for k, n in enumerate(row) if n}

    def start(self):
        return int(self.value("tstart") or "0", 16)

    def header(self):
        return ("".join(map("".join, (line + ["\n"] for line in self.lines))) + "samples" + self.pad + "\n").encode("latin-1")

    def encode(self):
        flat = [n for _, row in self.chunks for n in row]
        body = b"".join(struct.pack("<%dI" % (len(row) + 2), at, len(row), *row) for at, row in self.chunks)
        return self.header() + body + struct.pack("<2I", sum(n > 0 for n in flat), sum(flat))


def decode(data):
    lines, at = [], 0
    while True:
        end = data.find(b"\n", at)
        if end < 0:
            raise Refused("no terminator")
        line, at = data[at:end].decode("latin-1"), end + 1
        if re.fullmatch(r"samples[ \t]*", line):
            break
        parts = re.fullmatch(r"([^ \t\n]+)([ \t]+)([^ \t\n].*)", line)
        if not parts or "\0" in line or line.endswith("\r"):
            raise Refused("line")
        lines.append(list(parts.groups()))
    body, chunks, end, last = data[at:], [], 0, -1
    while len(body) > 8:
        offset, number = struct.unpack_from("<2I", body)
        if number == 0 or offset < end or offset <= last or offset + number > U32 + 1 or len(body) < 8 + 4 * number:
            raise Refused("chunk")
        chunks.append((offset, list(struct.unpack_from("<%dI" % number, body, 8))))
        body, end, last = body[8 + 4 * number :], offset + number, offset
    flat = [n for _, row in chunks for n in row]
    if len(body) != 8 or struct.unpack("<2I", body) != (sum(n > 0 for n in flat), sum(flat)):
        raise Refused("footer")
    return Profile(lines, chunks, line[7:])


def canonical(counts, stride):
    """Chunks in canonical form: a new one begins only after more than two absent counts."""
    chunks = []
    for at in sorted(counts):
        gap = at - (chunks[-1][0] + stride * len(chunks[-1][1])) if chunks else -1
        if gap >= 0 and gap % stride == 0 and gap <= 2 * stride:
            chunks[-1][1].extend([0] * (gap // stride) + [counts[at]])
        else:
            chunks.append((at, [counts[at]]))
    return chunks


# ---- Running ----

problems = []


def differ(what, got, wanted):
    if got != wanted:
        problems.append("%s\n     got %s\n  wanted %s" % (what, str(got)[:600], str(wanted)[:600]))


def run(program, *args, given=b"", cwd=None):
    done = subprocess.run([os.path.join(BIN, program), *args], input=given, capture_output=True, cwd=cwd)
    return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace")


def good(program, *args, given=b""):
    status, out, err = run(program, *args, given=given)
    if status:
        problems.append("%s %s: status %d: %s" % (program, " ".join(args), status, err.strip()))
    return out


def names(directory, kind, ending):
    found = sorted(glob.glob(os.path.join(directory, "dcpi", kind, ending)))
    if not found:
        problems.append("no files in %s/dcpi/%s" % (directory, kind))
    return found


def expectation(path):
    with open(path) as file:
        return json.load(file)


def content(path):
    with open(path, "rb") as file:
        return file.read()


def plain(text):
    return text if isinstance(text, str) else bytes.fromhex(text["hex"]).decode("latin-1")


def as_utf8(text):
    return text.encode("latin-1").decode("utf-8", "replace")


def records(args, given=b""):
    """profcat's records: {(image, address): {measure: value}}."""
    found = {}
    for line in good("profcat", "-q", "-t", "ndjson", *args, given=given).decode().splitlines():
        row = json.loads(line)
        frame = row["stack"][0]
        cell = found.setdefault((frame["image"], int(frame["address"], 16)), {})
        differ("kind", row["kind"], "flat")
        for name, value in row["values"].items():
            if value:
                cell[name] = cell.get(name, 0) + value
    return found


# ---- Files of the corpus ----

WARNINGS = {
    "epoch-12-digits": "the epoch has 12 digits",
    "chunk-beyond-tsize": "beyond the",
    "samples-as-unknown": "header line 'samples'",
    "duplicate-optional-cpucount": "more than one line 'cpucount'",
}


def valid(directory):
    for path in names(directory, "valid", "*.prof"):
        wanted, data = expectation(path[:-5] + ".json"), content(path)
        profile = decode(data)
        differ(path + ": lines", profile.lines, [[plain(part) for part in line] for line in wanted["lines"]])
        differ(path + ": chunks", profile.chunks, [(c["offset"], c["counts"]) for c in wanted["chunks"]])
        differ(path + ": encoder", profile.encode(), data)
        for args in (["-t", "dcpi"], ["-f", "dcpi:stride=1", "-t", "dcpi"]):
            differ("%s: %s" % (path, args), good("profcat", "-q", *args, path), data)
        differ(path + ": after pfs", good("profcat", "-q", "-t", "dcpi", given=good("profcat", "-q", path)), data)
        differ(path + ": packed pfs", good("profcat", "-q", "-t", "dcpi", given=good("profcat", "-q", "-z", "6", path)), data)
        # Canonical order sorts the header lines and drops metadata that only this format has.
        for out in (good("profcat", "-q", "--canonical", "-t", "dcpi", path),
                    good("profcat", "-q", "-t", "dcpi", given=good("profcat", "-q", "--canonical", path))):  # fmt: skip
            differ(path + ": canonical counts", decode(out).counts(), profile.counts())
            known = sorted([word, value] for word, _, value in profile.lines if word not in ("path", "cpucount"))
            differ(path + ": canonical lines", sorted([w, v] for w, _, v in decode(out).lines if w not in ("path", "cpucount")),
                   [pair for k, pair in enumerate(known) if k == 0 or pair != known[k - 1]])  # fmt: skip
        status, out, err = run("profcat", "-t", "json", path)
        said = [w for w in WARNINGS if WARNINGS[w] in err]
        differ(path + ": warnings", sorted(said), sorted(w for w in wanted["warnings"] if w in WARNINGS))
        meta = [m for m in json.loads(out)["meta"]["metadata"] if m["origin"] != "profutils"]
        differ(path + ": metadata", [(m["origin"], m["key"], m["value"]) for m in meta],
               [("dcpi", as_utf8(line[0]), as_utf8(line[2])) for line in profile.lines])  # fmt: skip
        for stride in [1, 4] if wanted["stride4_ok"] else [1]:
            got = records(["-f", "dcpi:stride=%d" % stride, path])
            image = as_utf8(profile.value("path") or profile.value("image"))
            event = as_utf8(profile.value("event"))
            differ("%s: records at stride %d" % (path, stride), got,
                   {(image, profile.start() + at): {event: n} for at, n in profile.counts(stride).items()})  # fmt: skip
            differ("%s: at stride %d" % (path, stride), good("profcat", "-q", "-f", "dcpi:stride=%d" % stride, "-t", "dcpi", path), data)


def refused(path, data):
    try:
        decode(data)
    except Refused:
        return
    problems.append("%s: what was written can be taken for whole" % path)


def malformed(directory):
    for path in names(directory, "malformed", "*.prof"):
        wanted = expectation(path[:-5] + ".json")
        classes = [wanted["error"]] + wanted["also_acceptable"]
        for args in (["-f", "dcpi"], []):
            for program in "profcat", "proffilter", "proftop":
                status, out, err = run(program, *args, path)
                differ("%s %s: status" % (program, path), status, 3)
                # Without -f an empty file, or one of zeros only, belongs to no format.
                if args or wanted["error"] not in ("empty-input", "header-nul"):
                    if not any("%s: " % c in err for c in classes) or "offset" not in err:
                        problems.append("%s %s: not %s: %s" % (program, path, classes, err))
        for args in (["-t", "dcpi"], ["-f", "dcpi:stride=1", "-t", "dcpi"]):
            status, out, err = run("profcat", *args, path)
            differ(path + ": status", status, 3)
            refused(path, out)
        status, out, err = run("profcat", "-f", "dcpi", path)
        status, out, err = run("profcat", "-t", "dcpi", given=out)
        differ(path + ": later stage", status, 3)
        refused(path, out)


def ops(directory):
    for path in names(directory, "ops", "*/expect.json"):
        wanted = expectation(path)
        if wanted["op"] != "merge" or "weights" in wanted:
            continue
        inputs = [os.path.join(os.path.dirname(path), name) for name in wanted["inputs"]]
        stride = "dcpi:stride=%d" % wanted.get("stride", 1)
        status, out, err = run("profcat", "-q", "-f", stride, "-t", "dcpi", *inputs)
        if wanted.get("error"):
            differ(path + ": status", status, 2)
            differ(path + ": output", out, b"")
            if wanted["error"] + ": " not in err:
                problems.append("%s: not %s: %s" % (path, wanted["error"], err))
            continue
        profile, expect = decode(out), wanted["expect"]
        differ(path + ": counts", sorted(profile.counts(wanted.get("stride", 1)).items()), [tuple(c) for c in expect["counts"]])
        differ(path + ": lines", profile.lines, [[plain(part) for part in line] for line in expect["lines"]])
        differ(path + ": bytes", out, content(os.path.join(os.path.dirname(path), wanted["expect_file"])))


def cut(directory):
    for path in names(directory, "valid", "*.prof"):
        data = content(path)
        if len(data) > 400:
            continue
        for size in range(1, len(data)):
            part, args = data[:size], ["-f", ["dcpi", "dcpi:stride=1"][size % 2], "-t", "dcpi"]
            status, out, err = run("profcat", "-q", *args, given=part)
            try:
                decode(part)
                differ("%s cut at %d: status" % (path, size), status, 0)
            except Refused:
                differ("%s cut at %d: status" % (path, size), status, 3)
                refused("%s cut at %d" % (path, size), out)


# ---- Made files ----


class Directory:
    def __enter__(self):
        self.directory = tempfile.TemporaryDirectory(dir=".")
        return self

    def __exit__(self, *_):
        self.directory.cleanup()

    def file(self, name, data):
        path = os.path.join(self.directory.name, name)
        with open(path, "wb") as file:
            file.write(data)
        return path


def made_header(**values):
    return [[word, sep, values.get(word, value)] for word, sep, value in HEAD] + [
        [word, "\t", value] for word, value in values.items() if word not in [line[0] for line in HEAD]
    ]


def made(choose, stride=1, **values):
    chunks, at = [], 0
    for _ in range(choose.randrange(0, 30)):
        at += choose.choice([0, 1, 2, 3, 4, 100]) * stride
        row = [choose.choice([0, 0, 1, 2, 70000]) for _ in range(choose.randrange(1, 9))]
        chunks.append((at, row))
        at += len(row) * stride
    profile = Profile(made_header(**values), [c for k, c in enumerate(chunks) if k == 0 or c[0] > chunks[k - 1][0]])
    profile.pad = " " * (-len(profile.header()) % 4)
    return profile


def random_files(_):
    choose = random.Random(7)
    with Directory() as made_in:
        for turn in range(60):
            stride = choose.choice([1, 1, 4])
            parts = [made(choose, stride, tstart="120000000") for _ in range(choose.randrange(2, 5))]
            paths = [made_in.file("%d" % k, part.encode()) for k, part in enumerate(parts)]
            wanted = {}
            for part in parts:
                for at, count in part.counts(stride).items():
                    wanted[at] = wanted.get(at, 0) + count
            args = ["-f", "dcpi:stride=%d" % stride, "-t", "dcpi"]
            got = decode(good("profcat", *args, *paths))
            differ("turn %d: counts" % turn, got.counts(stride), wanted)
            differ("turn %d: chunks" % turn, got.chunks, canonical(wanted, stride))
            differ("turn %d: header" % turn, got.header(), parts[0].header())
            stream = b"".join(good("profcat", *args[:2], path) for path in paths)
            differ("turn %d: streams" % turn, decode(good("profcat", "-t", "dcpi", given=stream)).chunks, got.chunks)
            # Joining an empty file only makes the chunks canonical.
            empty = made_in.file("empty", Profile(parts[0].lines, []).encode())
            differ("turn %d: empty" % turn, decode(good("profcat", *args, empty, paths[0])).chunks,
                   canonical(parts[0].counts(stride), stride))  # fmt: skip
    # With another stride the addresses of two chunks overlap.
    wide = Profile(made_header(), [(0, [1, 2, 3]), (4, [5])]).encode()
    status, out, err = run("profcat", "-f", "dcpi:stride=4", given=wide)
    differ("stride that does not fit: status", status, 3)
    differ("stride that does not fit", "stride-overlap: " in err, True)
    # The last 64-bit address and the address after it. The error is at the chunk's head, right after the header.
    for start, wanted in (2**64 - 6, 0), (2**64 - 5, 3):
        high = Profile(made_header(tstart="%x" % start), [(3, [1, 2, 3])])
        differ("text at %x" % start, records(["-f", "dcpi"], given=high.encode()) if wanted == 0 else {},
               {(HEAD[0][2], start + at): {"cycles": n} for at, n in high.counts().items()} if wanted == 0 else {})  # fmt: skip
        for target in "json", "dcpi":
            status, out, err = run("profcat", "-f", "dcpi", "-t", target, given=high.encode())
            differ("text at %x: status" % start, status, wanted)
            differ("text at %x" % start, "offset %d: address-overflow: " % len(high.header()) in err, wanted == 3)
    for bad in "0", "x", "-1", "99999999999999999999":
        differ("stride=" + bad, run("profcat", "-f", "dcpi:stride=" + bad, given=wide)[0], 2)


def split(_):
    choose = random.Random(3)
    with Directory() as made_in:
        files = {}
        for image in "ab12", "AB13":
            for event, period in ("cycles", "63488"), ("imiss", "4096"), ("retired ^taken", "0"):
                files[image, event] = made(choose, image=image, event=event, period=period, path="/bin/" + image, label=event)
        paths = {key: made_in.file("%s-%s" % key, files[key].encode()) for key in files}
        for image in "ab12", "AB13":
            mine = [paths[key] for key in paths if key[0] == image]
            together = good("profcat", *mine)
            wanted = {}
            for key in files:
                for at, count in files[key].counts().items() if key[0] == image else ():
                    wanted.setdefault(("/bin/" + image, at), {})[key[1]] = count
            differ(image + ": measures", records(mine), wanted)
            for key in files:
                if key[0] == image:
                    for args in (["proffilter", "-m", key[1]], ["profcat", "-m", key[1]]):
                        got = good(*args, "-t", "dcpi", given=together)
                        differ("%s %s: taken apart" % (key, args[0]), got, files[key].encode())
            status, out, err = run("profcat", "-t", "dcpi", given=together)
            differ("several events", (status, out, "file holds one event" in err), (2, b"", True))
        everything = good("profcat", "-m", "cycles", *paths.values())
        status, out, err = run("profcat", "-t", "dcpi", given=everything)
        differ("several images", (status, out, "file holds one image" in err), (2, b"", True))
        where = os.path.join(made_in.directory.name, "%s.dcpi")
        good("proffilter", "--split=image", "-o", where, given=everything)
        for image in "ab12", "AB13":
            differ("split by image", content(where % ("%2Fbin%2F" + image)), files[image, "cycles"].encode())
        # Identifiers are compared without case; a message names other differences.
        other = made(choose, image="AB12", path="/other", label="cycles")
        got = decode(good("profcat", "-t", "dcpi", paths["ab12", "cycles"], made_in.file("other", other.encode())))
        differ("letter case", got.lines, files["ab12", "cycles"].lines + [["path", "\t", "/other"]])
        changed = good("proffilter", "--invert", "-F", "/bin/ab12", "-t", "dcpi", given=good("profcat", paths["ab12", "cycles"]))
        differ("nothing left", changed, Profile(files["ab12", "cycles"].lines, [], files["ab12", "cycles"].pad).encode())
        for lines in (HEAD[:-1], HEAD + [["label", " ", "x"]]):
            status, out, err = run("profcat", "-t", "dcpi", given=b"main;work 3\n")
            differ("samples", (status, "cannot hold sample records" in err), (2, True))


# ---- dcpicat ----


def parse_text(text):
    blocks = []
    for line in text.splitlines():
        word, _, value = line.partition(" ")
        if word == "name":
            blocks.append({"head": [], "events": [], "rows": {}})
        if word == "event":
            total, name = value.split(None, 1)
            blocks[-1]["events"].append((int(total), *name.rsplit(":", 2)))
        elif word.startswith("0x"):
            blocks[-1]["rows"][int(word, 16)] = [int(n) for n in value.split()]
        else:
            blocks[-1]["head"].append((word, value.strip()))
    return blocks


TEXT = """\
name                 editor
image                20010904031500a1b2c3
label                before
path                 /usr/bin/editor
path                 /mnt/usr/bin/editor
epoch                200109050607
platform             elm
text_start           0x000120000000
text_size            0x000000400000
event                112 cycles:63488:10000
event                25 imiss:4096:2500
0x000120001000      99      20
0x000120001004       1       0
0x000120001010       0       5
0x000120003ffc      12       0
name                 libc.so
image                20010101000000ffffff
path                 /shlib/libc.so
epoch                200109050607
platform             elm
text_start           0x03ff80080000
text_size            0x000000100000
event                3 retired^!taken:count:1024:10000
0x03ff80080000       3
"""


def text(_):
    data = TEXT.encode()
    differ("text as it was", good("profcat", "-t", "dcpicat", given=data), data)
    differ("after pfs", good("profcat", "-t", "dcpicat", given=good("profcat", given=data)), data)
    # Each profile may have its columns in another order.
    first = TEXT[: TEXT.index("name ", 1)]
    lines = first.replace("editor", "viewer").replace("a1b2c3", "a1b2c4").splitlines()
    lines[9], lines[10] = lines[10], lines[9]
    rows = ["%s %7s %7s" % (row[0], row[2], row[1]) for row in map(str.split, lines[11:])]
    both = (first + "\n".join(lines[:11] + rows) + "\n").encode()
    differ("columns", good("profcat", "-t", "dcpicat", given=both), both)
    differ("columns after pfs", good("profcat", "-t", "dcpicat", given=good("profcat", given=both)), both)
    # Header lines that the text form does not have
    odd = made_header(weird="1 2", label="L", cpucount="4", path="/x")
    status, out, err = run("profcat", "-t", "dcpicat", given=Profile(odd, [(0, [1])]).encode())
    differ("lines without a place", (status, err.split(": ", 1)[1:]),
           (0, ["warning: dcpicat: metadata have no place and are left out: cpuspeed, weird, cpucount\n"]))  # fmt: skip
    differ("lines that have one", run("profcat", "-t", "dcpicat", given=data)[2], "")
    # Profiles without records keep their header lines.
    heads = re.sub("event +[0-9]+", "event                0", re.sub("0x.* [0-9]+\n", "", TEXT)).encode()
    differ("heads alone", good("profcat", "-t", "dcpicat", given=heads), heads)
    differ("heads after pfs", good("profcat", "-t", "dcpicat", given=good("profcat", given=heads)), heads)
    empty = Profile(made_header(tstart="1000", tsize="32"), []).encode()
    head = good("profcat", "-q", "-t", "dcpicat", given=good("profcat", given=empty)).decode()
    differ("head of a file", [" ".join(line.split()) for line in head.splitlines()][-3:],
           ["text_start 0x000000001000", "text_size 0x000000000020", "event 0 %s:%s:10000" % tuple(
               value for word, _, value in made_header() if word in ("event", "period"))])  # fmt: skip
    one = TEXT[: TEXT.rindex("name ")].encode()
    sorted_lines = good("profcat", "-t", "dcpicat", given=good("profcat", "--canonical", given=one)).splitlines()
    differ("canonical order", sorted(sorted_lines), sorted(one.splitlines()))
    crlf = good("profcat", "-t", "dcpicat", given=data.replace(b"\n", b"\r\n"))
    differ("carriage returns", crlf, data)
    got = records([], given=data)
    wanted = {}
    for block in parse_text(TEXT):
        path = dict(reversed(block["head"]))["path"]
        for address, row in block["rows"].items():
            wanted[path, address] = {e[1]: n for e, n in zip(block["events"], row) if n}
    differ("records", got, wanted)
    # One event of one image is enough for a file; only the processor's speed is missing.
    status, out, err = run("profcat", "-m", "cycles", "-t", "dcpi:stride=4", given=one)
    profile = decode(out)
    differ("speed", "speed of the processor" in err, True)
    differ("lines", [tuple(line) for line in profile.lines], [tuple(line.split(" ", 1)[:1] + [" "] + line.split(" ", 1)[1:]) for line in (
        "version pdb-0.07", "image 20010904031500a1b2c3", "epoch 0109050607", "platform elm", "event cycles", "period 63488",
        "tstart 120000000", "tsize 4194304", "cpuspeed 0", "label before", "path /usr/bin/editor", "path /mnt/usr/bin/editor")])  # fmt: skip
    differ("chunks", profile.chunks, [(0x1000, [99, 1]), (0x3FFC, [12])])
    with Directory() as made_in:
        cycles = made_in.file("cycles", out)
        imiss = made_in.file("imiss", good("profcat", "-q", "-m", "imiss", "-t", "dcpi:stride=4", given=one))
        both = good("profcat", "-f", "dcpi:stride=4", "-t", "dcpicat", cycles, imiss).decode()
        # DCPI has no line for the share: the period that gives the same number of events is 4096 * 10000 / 2500
        differ("of two files", both, one.decode().replace("4096:2500", "16384:10000"))
    status, out, err = run("profcat", "-t", "dcpi", given=data)
    differ("several events", (status, out), (2, b""))
    bad = [
        ("0x000120001004       1       0", "0x000120001004       1", "fewer counts", 3),
        ("0x000120001004       1       0", "0x000120001004 1 0 0", "more counts", 3),
        ("0x000120001004       1       0", "0x000120001004 1 x", "not a decimal number", 3),
        ("0x000120001004       1       0", "0x000120001000 1 0", "increasing order", 3),
        ("0x000120001004       1       0", "0x00001 1 0", "before the start", 3),
        ("0x000120001004       1       0", "0xg 1 0", "expected an address", 3),
        ("0x000120001004       1       0", "work 1 0", None, 3),
        ("text_start           0x000120000000", "text_start 120000000", "as text_start", 3),
        ("image                20010904031500a1b2c3", "image editor", "no line `image`", 3),
        ("event                25 imiss:4096:2500", "event imiss", "an event TOTAL", 3),
        ("event                25 imiss:4096:2500", "event 1 cycles:1:1", "already has a column", 3),
        ("event                25 imiss:4096:2500", "event 26 imiss:4096:2500", "sum to 25, the head says 26", 0),
    ]
    for old, new, message, wanted_status in bad:
        status, out, err = run("profcat", "-f", "dcpicat", given=TEXT.replace(old, new, 1).encode())
        differ("%s: status" % new, status, wanted_status)
        if message and message not in err:
            problems.append("%s: not '%s': %s" % (new, message, err))
    for path in glob.glob(os.path.join(os.environ.get("CORPUS", ""), "dcpi", "valid", "*.prof")):
        profile = decode(content(path))
        (block,) = parse_text(good("profcat", "-q", "-t", "dcpicat", path).decode("latin-1"))
        head = dict(block["head"])
        differ(path + ": rows", {a: [n] for a, n in profile.counts().items()}, {a - profile.start(): n for a, n in block["rows"].items()})
        differ(path + ": event", block["events"][0],
               (sum(profile.counts().values()), profile.value("event"), str(int(profile.value("period"))), "10000"))  # fmt: skip
        differ(path + ": head", (head["image"], int(head["text_size"], 16), head["epoch"][-10:][:4]),
               (profile.value("image"), int(profile.value("tsize")), (profile.value("epoch")[-10:])[:4] if len(profile.value("epoch")) == 10
                else head["epoch"][-10:][:4]))  # fmt: skip


# ---- Pipes, tables ----


def slow(_):
    """Bytes that have not arrived yet must not mislead the guess of the format or the search for the footer."""
    choose = random.Random(11)
    # fmt: off
    for data, args in ((made(choose).encode(), ["-t", "dcpi"]), (Profile(HEAD, [(4, [1, 2])]).encode(), ["-t", "dcpi"]),
                       (TEXT.encode(), ["-t", "dcpicat"]), (Profile(HEAD, [(4, [1, 2])]).encode(), ["-t", "pfs"])):
        child = subprocess.Popen([os.path.join(BIN, "profcat"), *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for k in range(len(data)):
            child.stdin.write(data[k : k + 1])
            child.stdin.flush()
        child.stdin.close()
        out = child.stdout.read()
        differ("status", child.wait(), 0)
        differ("slow %s" % args, out if args[1] != "pfs" else good("profcat", "-t", "dcpi", given=out), data)
    # fmt: on


def tables(_):
    profile = Profile(made_header(tstart="120000000", path="/bin/x"), [(0, [5, 0, 7]), (64, [100])])
    data = profile.encode()
    rows = json.loads(good("proftop", "-t", "json", "--by=address", "-n", "0", given=data))["rows"]
    differ("addresses", [(r["address"], r["flat"], r["image"], r["unit"]) for r in rows],
           [("0x120000040", 100, "/bin/x", "count"), ("0x120000002", 7, "/bin/x", "count"), ("0x120000000", 5, "/bin/x", "count")])  # fmt: skip
    rows = json.loads(good("proftop", "-t", "json", "--by=image", given=data))["rows"]
    differ("images", [(r["image"], r["flat"]) for r in rows], [("/bin/x", 112)])
    rows = json.loads(good("proftop", "-t", "json", "--by=image", "-u", "events", given=data))["rows"]
    differ("events", [(r["flat"], r["unit"]) for r in rows], [(112 * 63488, "events")])
    at_zero = Profile(HEAD, [(0, [5])]).encode()
    rows = json.loads(good("proftop", "-t", "json", "--by=address", given=at_zero))["rows"]
    differ("an address of 0", [(r["function"], r["address"]) for r in rows], [("0x0", "0x0")])
    nm = "                 U printf\n0000000120000000 T main\n0000000120000002 0000000000000010 t helper\t/src/h.c:12\n0000000120000800 D data\n"
    perf = "120000000 2 one two\n120000002 1 three\n"
    with Directory() as made_in:
        for file, wanted in (
            (made_in.file("nm", nm.encode()), [("0x120000040", "", 0), ("helper", "/src/h.c", 12), ("main", "", 0)]),
            (made_in.file("map", perf.encode()), [("0x120000040", "", 0), ("three", "", 0), ("one two", "", 0)]),
        ):
            rows = json.loads(good("proftop", "-t", "json", "--symbols", file, given=data))["rows"]
            differ(file, [(r["function"], r["file"], r["line"]) for r in rows], wanted)
            differ(file + ": back", good("profcat", "-t", "dcpi", "--symbols", file, given=data), data)
            stream = good("profcat", "--symbols", file, given=data)
            differ(file + ": as stream", good("profcat", "-t", "dcpi", given=stream), data)
            differ(file + ": joined", decode(good("profcat", "-t", "dcpi", given=stream + good("profcat", given=data))).counts(),
                   {at: 2 * n for at, n in profile.counts().items()})  # fmt: skip
        status, out, err = run("profcat", "--symbols", made_in.file("none", b"no symbols\n"), given=data)
        differ("no symbols", (status, "no line has the form of nm" in err), (3, True))
        status, out, err = run("profcat", "--symbols", made_in.file("else", b"0000000000000010 T f\n0000000000000020 B end\n"), given=data)
        differ("other symbols", (status, "none of the 3 unnamed addresses" in err), (0, True))


def main():
    what = {
        "valid": valid, "malformed": malformed, "ops": ops, "cut": cut, "random": random_files, "split": split, "text": text,
        "slow": slow, "tables": tables,
    }  # fmt: skip
    what[sys.argv[1]](sys.argv[2])
    for problem in problems[:20]:
        print(problem)
    if len(problems) > 20:
        print("... and %d more" % (len(problems) - 20))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
