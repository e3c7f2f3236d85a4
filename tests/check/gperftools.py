#!/usr/bin/env python3
"""Tests the programs with profiles of gperftools, Go, jemalloc and Java.

    gperftools.py raw DIR...     samples, addresses, images and labels of every FILE are those of FILE.expected.raw.txt (pprof -raw)
    gperftools.py decoded DIR    every CPU profile gives the same as the decoder below, directly and through pfs
    gperftools.py comments DIR   Go's texts: every symbol of the comments, labels, MemStats
    gperftools.py live .         generated profiles, of all forms that pprof reads, give the same as go tool pprof -raw, if installed
    gperftools.py made .         generated forms that no corpus has: words of every size and order, jemalloc, labels, damage

The decoders are written from the formats' descriptions, not from the programs. Differences are printed; the exit status is 1 when there
are any. PROFUTILS_BIN is the directory of the programs.
"""
import collections
import glob
import json
import math
import os
import random
import re
import shutil
import struct
import subprocess
import sys

BIN = os.environ["PROFUTILS_BIN"]
failures = 0


def differ(what, found, expected):
    global failures
    if found != expected:
        failures += 1
        print("%s: found %.2000r\n    expected %.2000r" % (what, found, expected))


def run(*args, given=None):
    done = subprocess.run([os.path.join(BIN, args[0])] + list(args[1:]), input=given, capture_output=True, timeout=20)
    return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace")


def good(*args, given=None):
    status, out, err = run(*args, given=given)
    if status != 0 or err:
        differ(" ".join(args), (status, err), (0, ""))
    return out


def rows(*args, given=None):
    return [json.loads(line) for line in good("profcat", "-t", "ndjson", *args, given=given).splitlines()]


# ---- pprof -raw ----


def raw(text):
    """Types, samples as (values, frames, bytes label); a frame is (address, image) or (function, file, line)."""
    places, images, samples, part, types = {}, {}, [], "", []
    for line in text.splitlines():
        if line in ("Samples:", "Locations", "Mappings"):
            part = line
        elif part == "Samples:" and not types:
            types = line.replace("[dflt]", "").split()
        elif part == "Samples:" and re.match(r"^ *-?\d[-\d ]*:", line):
            values, ids = line.split(":")
            samples.append([[int(v) for v in values.split()], [int(i) for i in ids.split()], None])
        elif part == "Samples:" and "bytes:[" in line:
            samples[-1][2] = int(re.search(r"bytes:\[(\d+)\]", line).group(1))
        elif part == "Locations":
            found = re.match(r"^ *(\d+): 0x([0-9a-f]+) M=(\d+) ?(.*)$", line)
            if found:
                places[int(found.group(1))] = (int(found.group(2), 16), int(found.group(3)), found.group(4))
        elif part == "Mappings":
            found = re.match(r"^(\d+): 0x([0-9a-f]+)/0x([0-9a-f]+)/0x([0-9a-f]+) (\S*)", line)
            if found:
                images[int(found.group(1))] = found.group(5)
    out = collections.Counter()
    for values, ids, size in samples:
        frames = []
        for i in ids:
            address, image, name = places[i]
            if address == 0:
                name = re.match(r"^(.*) (.*):(-?\d+) s=0$", name)
                frames.append((name.group(1), name.group(2), max(0, int(name.group(3)))))
            else:
                frames.append((address, images[image]))
        if any(values):
            out[(tuple(frames), size, tuple(values))] += 1
    return types, out


def ours(found, types):
    out = collections.Counter()
    for row in found:
        frames = []
        for frame in row["stack"]:
            if frame["inlined"]:
                continue
            if frame["address"]:
                frames.append((int(frame["address"], 16), frame["image"]))
            else:
                frames.append((frame["function"], frame["file"], frame["line"]))
        size = row["labels"].get("bytes", [None])[0]
        values = tuple(row["values"].get(t.split("/")[0], 0) for t in types)
        if any(values) and frames:  # pprof drops samples without values or frames
            out[(tuple(frames), size["num"] if size else None, values)] += 1
    return out


SCALE = {"microseconds": 1000}


def check_raw(directories):
    files = 0
    for directory in directories:
        for path in sorted(glob.glob(directory + "/**/*.expected.raw.txt", recursive=True)):
            file = path[: -len(".expected.raw.txt")]
            if not os.path.exists(file):
                continue
            with open(path, errors="replace") as text:
                text = text.read()
            if "Samples:" not in text or b": gperftools," not in run("profcat", "--probe", file)[1]:
                continue
            types, expected = raw(text)
            scaled = collections.Counter()
            for (frames, size, values), times in expected.items():
                values = tuple(v * SCALE.get(t.split("/")[1], 1) for v, t in zip(values, types))
                scaled[(frames, size, values)] += times
            files += 1
            for args in ((file,), ("-",)):
                given = good("profcat", "-t", "pfs", file) if args == ("-",) else None
                found = ours(rows(*args, given=given), types)
                differ(file + ": only found", sorted((found - scaled).elements()), [])
                differ(file + ": not found", sorted((scaled - found).elements()), [])
    differ("number of files", files > 0, True)


# ---- CPU profiles ----


def decode_cpu(data):
    for size, order in ((4, "<"), (4, ">"), (8, "<"), (8, ">")):
        word = order + "%d" + ("I" if size == 4 else "Q")
        head = struct.unpack_from(word % 5, data)
        if head[0] == 0 and 3 <= head[1] <= 1024 and head[2] in (0, 1) and head[3] > 0 and head[4] == 0:
            break
    at, out, ended = (2 + head[1]) * size, [], False
    while at < len(data):
        count, depth = struct.unpack_from(word % 2, data, at)
        pcs = struct.unpack_from(word % depth, data, at + 2 * size)
        at += (2 + depth) * size
        if count == 0 and pcs == (0,):
            ended = True
            break
        out.append((count, pcs))
    return head[3] * 1000, out, head[2] == 1


def strip(stacks):
    """Changes stacks as pprof does: addresses of calls, without frames of the signal handler and repeated leaves."""
    stacks = [(count, [pc - (k > 0) for k, pc in enumerate(pcs)]) for count, pcs in stacks]
    for _ in range(2):
        seconds = collections.Counter(pcs[1] for _, pcs in stacks if len(pcs) > 1)
        for address, times in seconds.items():
            if times >= len(stacks) - len(stacks) // 32:
                stacks = [(c, p[:1] + p[2:] if len(p) > 1 and p[1] == address else p) for c, p in stacks]
                break
    return [(c, p[:1] + p[2:] if len(p) > 1 and p[0] == p[1] + 1 else p) for c, p in stacks]


def check_cpu(name, data, args=(), given=None):
    period, stacks, java = decode_cpu(data)
    expected = collections.Counter()
    for count, pcs in stacks if java else strip(stacks):
        expected[tuple(pcs)] += count
    found = collections.Counter()
    for row in rows(*args, given=given):
        found[tuple(int(f["address"] or "0", 16) for f in row["stack"])] += row["values"]["samples"]
        differ(name + ": time", row["values"]["cpu"], row["values"]["samples"] * period)
    differ(name, found, +expected)


def check_decoded(directories):
    for directory in directories:
        for file in sorted(glob.glob(directory + "/**/*", recursive=True)):
            if os.path.isdir(file) or not file.endswith((".prof", ".cpu")):
                continue
            with open(file, "rb") as data:
                data = data.read()
            if data[:4] != b"\0\0\0\0" or "java" in file:
                continue
            check_cpu(file, data, (file,))
            check_cpu(file + " from pfs", data, given=good("profcat", "-t", "pfs", file))


# ---- Go's texts ----


def check_comments(directories):
    for directory in directories:
        for file in sorted(glob.glob(directory + "/**/*.debug1.txt", recursive=True)):
            with open(file) as text:
                text = text.read()
            names, stacks = {}, []
            for line in text.splitlines():
                found = re.match(r"^#\t0x([0-9a-f]+)\t(.*?)\+0x[0-9a-f]+\t+(.*):(\d+)$", line)
                if found:
                    names[int(found.group(1), 16)] = (found.group(2), found.group(3), int(found.group(4)))
            for row in rows(file):
                for frame in row["stack"]:
                    name = names.get(int(frame["address"], 16), (frame["address"], "", 0))
                    differ(file, (frame["function"], frame["file"], frame["line"]), name)
            meta = json.loads(good("profcat", "-H", "-t", "json", file))
            told = {row["key"]: row["value"] for row in meta["rows"] if row["origin"] == "gperftools.MemStats"}
            stats = dict(re.findall(r"^# (\w+) = (.*)$", text, re.M))
            differ(file + ": MemStats", told, stats)


        for file in sorted(glob.glob(directory + "/**/*.debug2.txt", recursive=True)):
            with open(file) as text:
                blocks = [b for b in text.read().split("\n\n") if b.startswith("goroutine ")]
            expected = []
            for block in blocks:
                frames = re.findall(r"^([^\n\t]*)\(.*\)\n\t(.*):(\d+)(?: \+0x.*)?$", block, re.M)
                expected.append(([re.search(r"\[([^,\]]*)", block).group(1)], [(n, f, int(l)) for n, f, l in frames]))
            found = [(r["labels"]["state"], [(f["function"], f["file"], f["line"]) for f in r["stack"]]) for r in rows(file)]
            differ(file, found, expected)


# ---- made here ----


def cpu(size, order, records, header=(0, 3, 0, 10000, 0), tail=b""):
    letter = "I" if size == 4 else "Q"
    words = list(header)
    for count, pcs in records:
        words += [count, len(pcs)] + list(pcs)
    return struct.pack("%s%d%s" % (order, len(words), letter), *words) + tail


def unsample(count, size, period):
    if count == 0 or size == 0 or period <= 1:
        return count, size
    scale = 1 / (1 - math.exp(-(size / count) / period))
    return int(count * scale), int(size * scale)


def failing(data, *words):
    status, out, err = run("profcat", "-t", "ndjson", given=data)
    differ("status of %.60r" % data, status, 3)
    for word in words:
        differ("message of %.60r: %s" % (data, err), word in err, True)
    return [json.loads(line) for line in out.splitlines()]


MAPS = b"""build=/srv/app
00400000-00500000 r-xp 00000000 08:01 12 $build/bin/prog (deleted)
00500000-00600000 r-xp 00100000 08:01 12 $build/bin/prog (deleted)
00600000-00700000 rw-p 00200000 08:01 12 $build/bin/prog
7f0000001000-7f0000002000: /lib/with space.so (@1000)
7f0000003000-7f0000004000 r-xp 00000000 00:00 0
"""


def check_made():
    records = [(3, (0x400010, 0x400021, 0x500000)), (1, (0x400010, 0x400099)), (1, (0x7F000010,)), (4, (0x400010, 0x400021, 0x500000))]
    for size in (4, 8):
        for order in "<>":
            for header in ((0, 3, 0, 10000, 0), (0, 5, 0, 1, 0, 7, 9)):
                for tail in ([], [(0, (0,))]):
                    data = cpu(size, order, records + tail, header)
                    check_cpu("made %d %s %r" % (size, order, header), data, given=data)
    check_cpu("no record", cpu(8, "<", [(0, (0,))]), given=cpu(8, "<", [(0, (0,))]))
    # the handler's frame in nearly all records, a repeated leaf
    handler = [(1, (k, 0x99, 0x400001 + k)) for k in range(1, 64)] + [(1, (5, 0x400007, 0x400008))]
    check_cpu("handler", cpu(8, "<", handler), given=cpu(8, "<", handler))
    check_cpu("twice", cpu(8, "<", [(1, (5, 5, 9)), (1, (6, 9))]), given=cpu(8, "<", [(1, (5, 5, 9)), (1, (6, 9))]))
    # mappings
    found = rows(given=cpu(8, "<", [(1, (0x500010, 0x7F0000001235)), (1, (0x7F0000003001,)), (0, (0,))], tail=MAPS))
    images = [f["image"] for row in found for f in row["stack"]]
    differ("maps", images, ["/srv/app/bin/prog", "/lib/with space.so", ""])
    # damage: the records before it are read
    data = cpu(8, "<", records)
    differ("cut", len(failing(data[:-3], "offset", "ends within a record")), 3)
    failing(cpu(8, "<", [(1, (1,)), (2**63, (2,))]), "overflow 64 bits")
    failing(cpu(8, "<", [(2**62, (7,))], (0, 3, 0, 100, 0)), "overflow 64 bits")
    most = cpu(8, "<", [(9223372036854, (7,)), (9223372036854, (7,))], (0, 3, 0, 1000, 0))
    failing(most, "offset 64", "overflows 64 bits")
    failing(struct.pack("<7Q", 0, 3, 0, 100, 0, 1, 2**60), "1048575")

    # heaps: exact, sampled, and some without allocations
    def heap(kind, inuse, alloc, apart=False):
        return b"heap profile: %d: %d [%d: %d] @ %s\n%d: %d [%d: %d] @ 0x11 0x21\n" % (*inuse, *(alloc if apart else inuse), kind, *inuse, *alloc)

    for kind, period in ((b"heapprofile", 1), (b"heap/8192", 4096), (b"heap_v2/524288", 524288), (b"heapz_v2/1", 1), (b"heap/2", 1)):
        for apart in (False, True):
            for inuse, alloc in (((3, 4096), (7, 99999)), ((0, 0), (1, 48)), ((2**40, 2**50), (2**40, 2**50))):
                row = rows(given=heap(kind, inuse, alloc, apart))[0]
                both = kind.startswith(b"heap/") or (apart and inuse != alloc)
                names = ["alloc_objects", "alloc_space", "inuse_objects", "inuse_space"] if both else ["objects", "space"]
                numbers = (unsample(*alloc, period) if both else ()) + unsample(*inuse, period)
                differ("heap %r %r" % (kind, apart), [row["values"].get(n, 0) for n in names], list(numbers))
                differ("heap %r: measures" % kind, sorted(row["values"]), sorted(names))
                differ("heap: bytes", row["labels"]["bytes"], [{"num": inuse[1] // inuse[0] if inuse[0] else alloc[1] // alloc[0] if both else 0, "unit": "bytes"}])
                differ("heap: addresses", [f["address"] for f in row["stack"]], ["0x10", "0x20"])
    failing(heap(b"heap/8192", (0, 5), (0, 0)), "offset", "5 bytes in 0 objects")
    failing(heap(b"heap_v2/524288", (2**62, 2**62), (1, 1)), "overflow 64 bits")
    failing(heap(b"heapstatz", (1, 5), (1, 5)), "kind 'heapstatz'")

    # jemalloc
    data = b"heap_v2/524288\n  t*: 4: 9000 [0: 0]\n  t0: 1: 1000 [0: 0]\n  t3: 3: 8000 [0: 0]\n@ 0x11 0x21\n  t*: 3: 8000 [5: 9000]\n  t3: 3: 8000 [5: 9000]\n"
    data += b"@ 0x31\n  t*: 1: 1000 [0: 0]\n  t0: 1: 1000 [0: 0]\n\nMAPPED_LIBRARIES:\n00000000-00000020 r-xp 00000000 08:01 12 /prog\n"
    found = rows(given=data)
    differ("jemalloc", [(r["values"]["inuse_objects"], r["values"]["inuse_space"]) for r in found], [unsample(3, 8000, 524288), unsample(1, 1000, 524288)])
    differ("jemalloc: allocated", [r["values"]["alloc_objects"] for r in found], [unsample(5, 9000, 524288)[0], 0])
    differ("jemalloc: images", [[f["image"] for f in r["stack"]] for r in found], [["/prog", ""], [""]])
    found = rows("-f", "gperftools:threads", given=data)
    differ("jemalloc: threads", [r["labels"]["thread"] for r in found], [["t3"], ["t0"]])
    failing(b"heap_v2/1\n@ 0x1\n  t*: 1 1 [0: 0]\n", "offset 16", "tTHREAD")

    # Go: labels, inlined calls, an empty stack, contention
    data = b'goroutine profile: total 9\n2 @ 0x12 0x22\n# labels: {"a":"b\\"\\u00e9", "n":"\\x01"}\n#\t0x11\tmain.in+0x1\t\t/a b/x.go:3\n#\t0x11\tmain.f[go.shape.struct { x int }]+0x2\t/x.go:4\n'
    data += b"#\t0x21\tmain.main+0x3\t\t/x.go:9\n\n5 @\n#\t0x0\n\n2 @ 0x32 0x32\n#\t0x31\tmain.r+0x1\t/x.go:1\n#\t0x31\tmain.r+0x1\t/x.go:1\n\n"
    found = rows(given=data.replace(b"\n", b"\r\n") if False else data)
    differ("labels", found[0]["labels"], {"a": ['b"é'], "n": ["\x01"]})
    differ("inlined", [(f["function"], f["file"], f["line"], f["inlined"]) for f in found[0]["stack"]],
           [("main.in", "/a b/x.go", 3, True), ("main.f[go.shape.struct { x int }]", "/x.go", 4, False), ("main.main", "/x.go", 9, False)])
    differ("empty", (found[1]["stack"], found[1]["values"]), ([], {"goroutine": 5}))
    differ("recursion", [(f["function"], f["inlined"]) for f in found[2]["stack"]], [("main.r", False)] * 2)
    differ("CRLF", rows(given=data.replace(b"\n", b"\r\n")), found)
    status, out, err = run("profcat", "-t", "ndjson", given=data[: data.index(b"2 @ 0x32")])
    differ("cut", (status, "may be cut" in err), (0, True))
    failing(b"goroutine profile: total 1\n1 @ 0x12 zz\n", "offset 27", "addresses")
    failing(b"goroutine profile: total 1\n1 @ 0x11112222333344445\n", "offset 27", "addresses")
    failing(b"goroutine profile: total 1\n%d @ 0x1\n%d @ 0x1\n" % (2**62, 2**62), "overflows 64 bits")
    for head, period, hz in ((b"--- mutex:\ncycles/second=2595000000\nsampling period=7\n", 7, 2595000000), (b"--- contention:\ncycles/second=3\n", 1, 3), (b"--- contentionz 1 ---\ncycles/second = 1000000000\nsampling period = 1\nms since reset = 5\n", 1, 10**9)):
        row = rows(given=head + b"  19490304       27 @ 0x12\n#\t0x11\tsync.(*Mutex).Unlock+0x1\t/m.go:3\n")[0]
        differ("contention", row["values"], {"contentions": 27 * period, "delay": int(19490304 * period / (hz / 1e9))})
        differ("contention", row["stack"][0]["function"], "sync.(*Mutex).Unlock")
    failing(b"--- mutex:\ncycles/second=1\nsampling period=1000000\n9223372036854775807 2 @ 0x1\n", "overflow 64 bits")
    # stacks of all goroutines
    data = b"goroutine 7 gp=0xc000 m=0 [chan receive, 5 minutes, locked to thread]:\nmain.(*T).f(0xc0, {0x1?, 0x2})\n\t/a b/x.go:12 +0x45\nmain.g(...)\n\t/x.go:3\n"
    data += b"...additional frames elided...\ncreated by main.main in goroutine 1\n\t/x.go:9 +0x1\n\ngoroutine 8 [running]:\n\tgoroutine running on other thread; stack unavailable\ncreated by main.q\n\t/x.go:1 +0x2\nexit status 2\n"
    found = rows(given=data)
    differ("dump", [(f["function"], f["file"], f["line"]) for f in found[0]["stack"]], [("main.(*T).f", "/a b/x.go", 12), ("main.g", "/x.go", 3)])
    differ("dump: labels", found[0]["labels"], {"created by": ["main.main in goroutine 1"], "minutes": [{"num": 5, "unit": "minutes"}], "state": ["chan receive", "locked to thread"]})
    differ("dump: no frames", (found[1]["stack"], found[1]["labels"]), ([], {"created by": ["main.q"], "state": ["running"]}))
    # google-pprof --raw: names come first, and the outermost of inlined calls first
    names = b"--- symbol\nbinary=/srv/prog\n0x400010 in::ner\n0x400020 outer--mid--inner-most\n0x10 alloc\n---\n"
    for marker, data in ((b"profile", cpu(8, "<", [(3, (0x400010, 0x400021)), (1, (7,)), (0, (0,))])), (b"heap", heap(b"heapprofile", (1, 2), (1, 2)).replace(b"0x11 0x21", b"0x400011 0x400021"))):
        row = rows(given=names + b"--- " + marker + b"\n" + data)[0]
        differ("symbols", [(f["function"], f["inlined"]) for f in row["stack"]], [("in::ner", False), ("inner-most", True), ("mid", True), ("outer", False)])
    failing(names, "before the profile")
    # any number of inlined calls, but no more frames than a stack may have
    calls = [b"f%d" % k for k in range(100)]
    row = rows(given=b"--- symbol\n0x400010 " + b"--".join(calls) + b"\n---\n--- profile\n" + cpu(8, "<", [(3, (0x400010,)), (0, (0,))]))[0]
    differ("100 inlined", [(f["function"], f["inlined"]) for f in row["stack"]], [("f%d" % k, k > 0) for k in range(99, -1, -1)])
    data = b"goroutine profile: total 1\n1 @ 0x12 0x22\n" + b"".join(b"#\t0x%x\t%s+0x1\t/x.go:1\n" % (0x21 if k == 99 else 0x11, calls[k]) for k in range(100))
    differ("99 inlined", [(f["function"], f["inlined"]) for f in rows(given=data)[0]["stack"]], [("f%d" % k, k < 98) for k in range(100)])
    symbols, head = b"--- symbol\n0x10 a--b\n---\n", b"--- heap\nheap profile: 2: 2 [2: 2] @ heapprofile\n1: 1 [1: 1] @ 0x11\n"
    data = symbols + head + b"1: 1 [1: 1] @" + b" 0x11" * 524288 + b"\n"
    differ("of two stacks one is too deep", len(failing(data, "offset %d:" % len(symbols + head), "more than 1048575 frames")), 1)
    # the time is not quadratic in the size
    data = b"goroutine profile: total 1\n1 @" + b" 0x11" * 200000 + b"\n" + b"".join(b"#\t0x%x\tf+0x1\t/x.go:1\n" % (2 * k + 0x100) for k in range(200000))
    differ("comments of addresses that are not there", len(rows(given=data)[0]["stack"]), 200000)
    maps = heap(b"heapprofile", (1, 2), (1, 2)) + b"\nMAPPED_LIBRARIES:\n"
    data = maps + b"".join(b"n%d=x\n" % k for k in range(120000)) + b"0-30: /" + b"$" * 120000 + b"$n7/a\n"
    differ("many names", rows(given=data)[0]["stack"][0]["image"], "/" + "$" * 120000 + "x/a")
    data = maps + b"n7=x\nn=y\nn77=z\n0-30: /$n77/$n8\n"
    differ("names that begin alike", rows(given=data)[0]["stack"][0]["image"], "/x7/y8")
    lines = b"a=" + b"x" * 4096 + b"\n"
    failing(maps + lines + b"$a" * 4097 + b"\n", "offset %d: " % len(maps + lines), "16 MiB")
    failing(maps + lines + b"$a\n" * 4097, "offset ", "16 MiB")
    # threads
    data = b"--- threadz 1 ---\n\n--- Thread 7f794ab90940 (name: main/14748) stack: ---\n  PC: 0x11 0x22\n    0x33\n--- Thread 7f794ab90941 (name: a/1) stack: ---\n  [same as previous thread]\n--- Thread 7f794ab90942 (name: b/1) stack: ---\n 0x41\n--- Memory map: ---\n  00000000-00000030: /prog\n"
    found = [([(f["address"], f["image"]) for f in r["stack"]], r["values"]["thread"]) for r in rows(given=data)]
    differ("threads", found, [([("0x11", "/prog"), ("0x21", "/prog"), ("0x32", "")], 2), ([("0x41", "")], 1)])
    head = b"--- threadz 1 ---\n\n--- Thread 7f1 (name: main/1) stack: ---\n"
    next_head = b"--- Thread 7f2 (name: a/2) stack: ---\n"
    for text, stack in (
        (b"  PC: 0x11: helper(arg *)\n  0x22: main\n", [("helper(arg *)", "0x11"), ("main", "0x21")]),
        (b"  PC: 0x11 helper+0x5\n  @ 0x22 a::b\n", [("helper", "0x11"), ("a::b", "0x21")]),
        (b"  PC: waits(int, char)\n  main\n", [("waits(int, char)", ""), ("main", "")]),
        (b"  main + 0x15\n  a::b\n", [("main + 0x15", ""), ("a::b", "")]),
        (b"  PC: 0x11: f\n  0x12: g\n  creator: 0x22, 0x33\n", [("f", "0x11"), ("g", "0x11"), ("0x21", "0x21"), ("0x32", "0x32")]),
        (b"  0x11: inner\n  0x11: outer\n", [("inner", "0x11"), ("outer", "0x10")]),
        (b"  0x11\n  0x11\n", [("0x11", "0x11")]),
    ):
        found = [([(f["function"], f["address"]) for f in r["stack"]], r["values"]["thread"]) for r in rows(given=head + text + next_head + b"  0x99\n")]
        differ("thread of %r" % text, found, [(stack, 1), ([("0x99", "0x99")], 1)])
    four = b"--- threadz 1 ---\n" + b"".join(b"--- Thread 7f%d (name: t/%d) stack: ---\n  PC: 0x1%d: f%d(int)\n" % (k, k, k, k) for k in range(4))
    differ("four threads", [([f["function"] for f in r["stack"]], r["values"]["thread"]) for r in rows(given=four)], [(["f%d(int)" % k], 1) for k in range(4)])
    same = head + b"  0x11\n" + next_head + b"---- no stack trace for 7f2\n"
    differ("no stack", [(len(r["stack"]), r["values"]["thread"]) for r in rows(given=same)], [(1, 1), (0, 1)])
    differ("before the first thread", len(rows(given=b"--- threadz 1 ---\n  0x11\n" + head[19:] + b"  0x22\n")), 1)
    for bad, word in ((b"0x10000000000000000", "an address of 64 bits"), (b"0x8000000000000005", "addresses of a program")):
        failing(head + b"  0x11\n" + next_head + b"  PC: 0x1 " + bad + b"\n", "offset %d:" % len(head + b"  0x11\n" + next_head), word)
    # odd names: 100 KB, NUL, invalid UTF-8
    for name in (b"f" * 100000, b"a\0b", "é".encode(), b"\xff\xfe"):
        data = b"goroutine profile: total 1\n1 @ 0x12\n#\t0x11\t" + name + b"+0x1\t\t/x.go:3\n"
        shown = rows(given=data)[0]["stack"][0]["function"]
        if name != b"\xff\xfe":
            differ("name", shown, name.decode("utf-8"))
        stream = good("profcat", "-t", "pfs", given=data)
        differ("name kept", name in stream, True)


# ---- pprof itself ----

MAPPED = b"""00400000-00500000 r-xp 00000000 08:01 12 /bin/prog
00600000-00601000 rw-p 00200000 08:01 12 /bin/prog
7f0000001000-7f0000009000 r-xp 00001000 08:01 9                          /lib/x.so
"""


def any_pcs(count=None):
    places = (lambda: 0x400000 + random.randrange(300), lambda: 0x7F0000001000 + random.randrange(200), lambda: 0x999)
    return [random.choice(places)() for _ in range(count or random.randrange(1, 9))]


def any_lines(form, count=30):
    return "".join(form % (random.randrange(10**9), random.randrange(1, 99), " ".join(map(hex, any_pcs()))) for _ in range(count))


def any_cpu(size, order):
    records = []
    for _ in range(random.choice((2, 5, 40, 200))):
        records.append((random.randrange(1, 9), [pc & (1 << 8 * size) - 1 for pc in any_pcs()]))
    if random.random() < 0.5:
        records = [(c, p[:1] + [0x400777] + p[1:]) for c, p in records]
    if random.random() < 0.5:
        records = [(c, p[:1] + p) for c, p in records]
    return cpu(size, order, records + [(0, (0,))], (0, 3, 0, random.choice((1000, 10000)), 0), tail=MAPPED)


def any_heap(kind):
    lines, total = [], [0] * 4
    for _ in range(40):
        alloc = random.randrange(50)
        inuse = random.randrange(alloc + 1)
        numbers = (inuse, inuse * random.randrange(1, 100000), alloc, alloc * random.randrange(1, 100000))
        total = [a + b for a, b in zip(total, numbers)]
        lines.append("%d: %d [%d: %d] @ %s\n" % (*numbers, " ".join(map(hex, any_pcs()))))
    head = "heap profile: %d: %d [%d: %d] @ %s\n" % (*total[:2], *random.choice((total[:2], total[2:])), kind)
    return (head + "".join(lines)).encode() + b"MAPPED_LIBRARIES:\n" + MAPPED


def sums(found):
    out = collections.Counter()
    for (frames, size, values), times in found.items():
        for k, value in enumerate(values):
            out[(frames, size, k)] += value * times
    return +out


def check_live(_):
    if not shutil.which("go") or subprocess.run(["go", "tool", "-n", "pprof"], capture_output=True).returncode != 0:
        return
    random.seed(5)
    files = {"cpu%d%d" % (size, order == "<"): any_cpu(size, order) for size in (4, 8) for order in "<>"}
    for kind in ("heapprofile", "heap/1048576", "heap_v2/524288", "heapz_v2/4096", "growthz", "fragmentationz"):
        files[kind.replace("/", "-")] = any_heap(kind)
    maps = "--- Memory map: ---\n  00400000-00fcb000: cppbench_server_main\n"
    files["contention"] = ("--- contentionz 1 ---\ncycles/second = 3201000000\nsampling period = 100\nms since reset = 16502830\ndiscarded samples = 0\n" + any_lines("%10d %5d @ %s\n") + maps).encode()
    files["mutex"] = ("--- mutex:\ncycles/second=2595000000\nsampling period=5\n" + any_lines("%d %d @ %s\n#\t0x1\tf+0x1\t/x.go:3\n\n")).encode()
    files["block"] = ("--- contention:\ncycles/second=2595000000\n" + any_lines("%d %d @ %s\n")).encode()
    head = "--- Thread 7f794ab909%02x (name: main/14748) stack: ---\n"
    threads = ((head + "  PC: 0x%x 0x%x 0x%x\n") % (k, *any_pcs(3)) if k % 3 else head % k + "    [same as previous thread]\n" for k in range(1, 12))
    files["threads"] = ("--- threadz 1 ---\n\n" + "".join(threads) + maps).encode()
    for name, data in files.items():
        with open(name, "wb") as out:
            out.write(data)
        done = subprocess.run(["go", "tool", "pprof", "-symbolize=none", "-raw", name], capture_output=True, text=True, timeout=20)
        differ(name + ": pprof", "Samples:" in done.stdout, True)
        types, expected = raw(done.stdout)
        if name.startswith("heap-") and len(types) == 2:  # Go's heap profiles always have four types here
            types = ["inuse_" + t for t in types]
        found, expected = sums(ours(rows(name), types)), sums(expected)
        differ(name + ": only found", sorted((found - expected).items())[:5], [])
        differ(name + ": not found", sorted((expected - found).items())[:5], [])


def main():
    what, directories = sys.argv[1], sys.argv[2:]
    {"raw": check_raw, "decoded": check_decoded, "comments": check_comments, "live": check_live, "made": lambda _: check_made()}[what](directories)
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
