#!/usr/bin/env python3
"""Measures how processor time grows with each dimension of a profile: scaling.py BIN [DIMENSION...].

Each dimension doubles from 1,000 until a program takes 0.5 s, or to the limit given here. A program
fails if for two doublings in a row, each to above 0.05 s, the time grows more than 2.6 times; a
failure is tried twice more. Processor time hardly depends on other work on the machine. Prints a
table: dimension, program, largest size, seconds, factor of the last doubling above 0.05 s.
"""
import importlib.util
import json
import os
import resource
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, "..", "reference", "pfs.py")
spec = importlib.util.spec_from_file_location("pfs", SOURCE)
pfs = importlib.util.module_from_spec(spec)
spec.loader.exec_module(pfs)

FIRST, MOST, ENOUGH, COUNTS, FACTOR, TRIES = 1000, 256_000, 0.5, 0.05, 2.6, 3
BIN = sys.argv[1]


# --- inputs ---


def lines(text, n):
    return "".join(text(k) for k in range(n)).encode()


def record(labels=None, values=None, frames=()):
    stack = [{"function": name} for name in frames]
    return json.dumps({"kind": "sample", "labels": labels or {}, "stack": stack,
                       "values": values or {"wall": 1}}) + "\n"


def tree(n):
    """A tree in random order; one node in three is a child of a recent one."""
    paths = ["main"]
    for k in range(1, n):
        paths.append(f"{paths[k * 7919 % k] if k % 3 else paths[0]};f{k % 977}_{k}")
    return "".join(f"{path} 1\n" for path in paths).encode()


def callgrind(line):
    return lambda n: b"# callgrind format\nevents: Ir\n" + lines(line, n)


def rows(letter, domain, columns, count, base, tail=b""):
    payload = b"".join(pfs.column_bytes(number, list(values)) for number, values in columns)
    return pfs.frame_bytes(letter, domain, payload + tail, count, base)


def table(domain, columns):
    """A table of a native stream, in frames of 8192 rows; columns is [(number, values)]."""
    out, count = b"", len(columns[0][1])
    for first in range(0, count, 8192):
        part = [(number, values[first:first + 8192]) for number, values in columns]
        out += rows("D", domain, part, len(part[0][1]), first + 1)
    return out


def native(strings, measures, functions, labels, blocks, totals):
    """A native stream; each function has a location and a stack. blocks is [(bytes, records)]."""
    out = pfs.frame_bytes("H", 0, struct.pack("<BB6x", 1, 0))
    for first in range(0, len(strings), 8192):
        part, ends = strings[first:first + 8192], [0]
        for text in part:
            ends.append(ends[-1] + len(text))
        columns = [(1, ends[1:]), (2, [1] * len(part))]
        out += rows("D", pfs.STRINGS, columns, len(part), first + 1, b"".join(part))
    ones, numbers = [1] * len(measures), range(1, len(functions) + 1)
    main = [1] + [0] * (len(measures) - 1)
    out += table(pfs.MEASURES, [(1, measures), (2, ones), (7, ones), (8, ones), (11, main)])
    out += table(pfs.FUNCTIONS, [(1, functions)]) + table(pfs.LOCATIONS, [(1, numbers)])
    out += table(pfs.STACKS, [(2, numbers)])
    if labels:
        out += table(pfs.LABELS, labels)
    out = b"".join([out, *(data for data, _ in blocks)])
    records = sum(count for _, count in blocks)
    end = struct.pack("<Q", records) + b"".join(n.to_bytes(16, "little") for n in totals)
    end += struct.pack("<Q", len(out) + 32 + len(end) + 8)
    return out + pfs.frame_bytes("E", 0, end, records & 0xFFFFFFFF, 0)


def samples(n):
    """Repeats the same block of records."""
    count = min(n, 8000)
    stacks = [k * 7919 % 1000 + 1 for k in range(count)]
    values = [k % 9 + 1 for k in range(count)]
    block = rows("B", 1, [(1, stacks), (256, values)], count, 1001)
    names = [b"count", b"wall"] + [b"f%d" % k for k in range(1000)]
    total = sum(values) * (n // count)
    return native(names, [2], range(3, 1003), None, [(block, count)] * (n // count), [total])


def sections(n):
    """Record k is in sections 0 to k, each inside the other."""
    names = [b"count", b"wall", b"f", b"section"] + [b"s%d" % k for k in range(n)]
    labels, blocks = [(1, range(n)), (2, [4] * n), (3, range(5, n + 5))], []
    for first in range(0, n, 8192):
        ids = range(first + 1, min(first + 8192, n) + 1)
        columns = [(1, [1] * len(ids)), (2, ids), (256, [1] * len(ids))]
        blocks.append((rows("B", 1, columns, len(ids), 2), len(ids)))
    return native(names, [2], [3], labels, blocks, [n])


def measures(n, records=True):
    """Measures, 1,000 in each segment (the limit is 1,024); records in all segments, or only in the first."""
    out = b""
    for first in range(0, n, 1000):
        names = [b"count", b"f"] + [b"m%d" % k for k in range(first, first + 1000)]
        columns = [(1, [1, 1])] + [(256 + k, [k + 1, 1]) for k in range(1000)]
        given = first == 0 or records
        block = [(rows("B", 1, columns, 2, 2), 2)] if given else []
        totals = [(k + 2) * given for k in range(1000)]
        out += native(names, range(3, 1003), [2], None, block, totals)
    return out


def collisions(n):
    """Names of 8 bytes that XXH3 without a seed puts into one slot, found by inverting the hash."""
    mask, prime = (1 << 64) - 1, 0x9FB21C651E98DF25
    inverse = pow(prime, -1, 1 << 64)
    secret = struct.unpack("<2Q", bytes.fromhex("7c01812cf721ad1cded46de9839097db"))

    def name(number):
        number ^= number >> 28 ^ number >> 56
        number = number * inverse & mask
        number ^= (number >> 35) + 8
        number = number * inverse & mask
        # x ^ x<<<49 ^ x<<<24, applied 64 times, is x
        for shift in (1, 2, 4, 8, 16, 32):
            turns = (49 * shift % 64, 24 * shift % 64)
            one, two = ((number << turn | number >> (64 - turn)) & mask for turn in turns)
            number ^= one ^ two
        number ^= secret[0] ^ secret[1]
        return struct.pack("<II", number >> 32, number & 0xFFFFFFFF)

    names = (name(0x12345678 << 32 | k << 13 | 77) for k in range(2 * n))
    good = (text for text in names if not set(text) & set(b"\0\n\r\t ;#@"))
    return b"".join(text + b" 1\n" for text, _ in zip(good, range(n)))


# IN stands for the input as a native stream, RAW for the input itself.
TOP, TREE, MERGE, DIFF = "proftop IN", "proftop --tree IN", "profmerge IN IN", "profdiff IN IN"
FILTER, READ = "proffilter --focus=f IN", "profcat -t pfs RAW"
NDJSON = "profcat -f ndjson -t pfs RAW"


def to(formats):
    return [f"profcat -q -t {name} IN" for name in formats.split()]


ALL = to("folded pprof callgrind speedscope ndjson csv html svg statprofiler")

NAMED = [TOP, TREE, "proftop --by=package IN", "proftop --by=file IN", MERGE, DIFF, FILTER,
         "proffilter --rename=function:s/a/b/g IN", *ALL]

# Dimension: the function that makes an input of size n, the largest size, the commands to measure.
DIMENSIONS = {
    "samples": (samples, 8_192_000, [TOP, MERGE, DIFF, FILTER, *to("csv folded pprof")]),
    "depth": (
        lambda n: (";".join(f"f{k}" for k in range(n)) + " 1\n").encode(), MOST,
        [READ, TOP, TREE, "proftop --callers=f7 IN", MERGE, DIFF, FILTER, *ALL]),
    "recursion": (
        lambda n: (";".join(f"f{k % 3}" for k in range(n)) + " 1\n").encode(), MOST,
        [TOP, TREE, "proftop --callers=f1 IN", "proffilter --collapse-recursion IN"]),
    "nodes of a tree": (
        tree, MOST, [READ, TOP, TREE, "proftop --edges IN", MERGE, DIFF, FILTER, *ALL]),
    "sections open": (
        sections, 64_000,
        [TOP, "proftop --by=section IN", MERGE, "profmerge --labels=none IN",
         "profdiff --by=section IN IN", "proffilter --section=s7 IN",
         "proffilter --root-label=section IN", "proffilter --rename=label:section:s/s/t/ IN",
         "proffilter --split=section -o %s.pfs IN", *to("html speedscope:by=section")]),
    "labels a record": (
        lambda n: record({f"k{k}": [f"v{k}"] for k in range(n)}).encode(), 64_000,
        [NDJSON, TOP, "proftop --by=label:k7 IN", MERGE, "proffilter --label=k7 IN",
         *to("ndjson pprof csv")]),
    "label values": (
        lambda n: lines(lambda k: record({"op": [f"v{k}"]}, frames=("f",)), n), 64_000,
        [NDJSON, "proftop --by=label:op IN", MERGE, "profdiff --by=label:op IN IN",
         "proffilter --label=op=7 IN", "proffilter --root-label=op IN", *to("html pprof csv")]),
    "measures": (measures, 32_000, [TOP, "proftop -m m7 IN", DIFF]),
    "columns of a table": (
        lambda n: measures(n, False), 32_000, [*to("ndjson csv tsv"), "profcat --probe IN"]),
    "files": (
        callgrind(lambda k: f"fl=f{k}\nfn=g{k}\n1 1\n"), MOST,
        [READ, TOP, "proftop --by=file IN", MERGE, DIFF, *to("callgrind pprof")]),
    "images": (
        callgrind(lambda k: f"ob=o{k}\nfn=g{k}\n1 1\n"), MOST,
        [READ, "proftop --by=image IN", MERGE, DIFF, *to("callgrind pprof")]),
    "images of dcpicat text": (
        lambda n: lines(
            lambda k: f"name v\nimage 20010904031500{k:08x}\npath /v\nepoch 200109050607\nplatform w\n"
                      "text_start 0x1000\ntext_size 0x1000\nevent 1 cycles:63488:10000\n0x1000 1\n", n), MOST,
        [READ, "proftop --by=image IN", MERGE, *to("dcpicat")]),
    "profiles of a document": (
        lambda n: b'{"shared":{"frames":[{"name":"a"}]},"profiles":[' + b",".join(
            [b'{"type":"sampled","name":"p","unit":"none","samples":[[0]],"weights":[1]}'] * n) + b"]}", MOST,
        ["profcat -f speedscope -t pfs RAW", TOP, *to("speedscope pprof")]),
    "evals": (
        lambda n: lines(lambda k: f"main;(eval {k})[x.pl:{k % 77}] 1\n", n), MOST,
        [TOP, MERGE, DIFF, "proftop --by=name IN"]),
    "length of a name": (
        lambda n: b"main;" + b"a" * n + b"\xe9 1\n", 8_192_000,
        [READ, *NAMED]),
    "scopes of a name": (
        lambda n: b"main;" + b"A<b(" * n + b"::" * n + b"f)>" * n + b" 1\n", 1_024_000,
        [READ, *NAMED]),
    "colliding names": (collisions, MOST, ["profcat -f folded -t pfs RAW", TOP, MERGE]),
}


# --- measuring ---


def processor_time(command):
    child = os.fork()
    if child == 0:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
        os.execv(command[0], command)
    _, status, usage = os.wait4(child, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        sys.exit(f"{' '.join(command)}: status {os.waitstatus_to_exitcode(status)}")
    # the kernel knows the sum exactly, and estimates each part by clock ticks
    return usage.ru_utime + usage.ru_stime


class Inputs:
    """The inputs of one dimension by size, made when first used."""

    def __init__(self, folder, name, make):
        self.folder, self.make, self.name, self.made = folder, make, name.replace(" ", "_"), {}

    def paths(self, size):
        if size not in self.made:
            raw = os.path.join(self.folder, f"{self.name}.{size}.raw")
            native = os.path.join(self.folder, f"{self.name}.{size}.pfs")
            with open(raw, "wb") as file:
                file.write(self.make(size))
            fixed = ["-f", "folded"] if self.name == "colliding_names" else []
            if self.make(FIRST)[:1] == b"{":
                fixed = ["-f", "ndjson"]
            command = [os.path.join(BIN, "profcat"), "-q", *fixed, "-o", native, raw]
            subprocess.run(command, check=True)
            self.made[size] = {"RAW": raw, "IN": native}
        return self.made[size]

    def command(self, words, size):
        program, *rest = words.split()
        paths = self.paths(size)
        return [os.path.join(BIN, program), *[paths.get(word, word) for word in rest]]


def grow(inputs, words, most):
    """[(size, seconds)], and the factors of two doublings that are too high, if any."""
    times, size = [], FIRST
    while True:
        times.append((size, processor_time(inputs.command(words, size))))
        factors = [b[1] / max(a[1], 1e-3) for a, b in zip(times, times[1:]) if b[1] > COUNTS]
        if len(factors) > 1 and min(factors[-2:]) > FACTOR:
            return times, factors[-2:]
        if times[-1][1] > ENOUGH or size * 2 > most:
            return times, None
        size *= 2


def main():
    failed = []
    print(f"{'dimension':22} {'program':45} {'largest':>8} {'seconds':>8} {'factor':>7}")
    for name, (make, most, commands) in DIMENSIONS.items():
        if sys.argv[2:] and name not in sys.argv[2:]:
            continue
        with tempfile.TemporaryDirectory() as folder:
            inputs = Inputs(folder, name, make)
            for words in commands:
                for _ in range(TRIES):
                    times, excess = grow(inputs, words, most)
                    if excess is None:
                        break
                size, seconds = times[-1]
                factor = f"{seconds / max(times[-2][1], 1e-3):.2f}" if seconds > COUNTS else "-"
                print(f"{name:22} {words:45} {size:8} {seconds:8.3f} {factor:>7}"
                      f"{'  TOO MUCH' if excess else ''}", flush=True)
                if excess:
                    failed.append(f"{name}, {words}: {excess[0]:.1f} and {excess[1]:.1f} times, "
                                  f"to {size}")
    sys.exit("\n".join(failed) if failed else 0)


main()
