#!/usr/bin/env python3
"""Tests gmon.out files generated here: every size and order of words, bins of any width, blocks, damage.

    gmon.py made .

The expected results follow the format's description and gprof's rule for bins: the time of a narrow bin is divided equally among its units
of two bytes. Differences are printed; the exit status is 1 if there are any. PROFUTILS_BIN is the directory of the programs.
"""
import collections
import fractions
import json
import os
import struct
import subprocess
import sys

BIN = os.environ["PROFUTILS_BIN"]
failures = 0


def differ(what, found, expected):
    global failures
    if found != expected:
        failures += 1
        print("%s: found %.1500r\n    expected %.1500r" % (what, found, expected))


def run(*args, given=None):
    done = subprocess.run([os.path.join(BIN, args[0])] + list(args[1:]), input=given, capture_output=True, timeout=20)
    return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace")


def histogram(order, word, low, high, rate, bins, dimension=b"seconds"):
    head = struct.pack(order + "B" + word * 2 + "II15sc", 0, low, high, len(bins), rate, dimension, dimension[:1])
    return head + struct.pack("%s%dH" % (order, len(bins)), *bins)


def arc(order, word, caller, callee, count):
    return struct.pack(order + "B" + word * 2 + "I", 1, caller, callee, count)


def blocks(order, word, counts):
    return struct.pack(order + "BI", 2, len(counts)) + b"".join(struct.pack(order + word * 2, a, c) for a, c in counts)


def gmon(order, *records):
    return b"gmon" + struct.pack(order + "I12x", 1) + b"".join(records)


def shares(low, high, bins, rate):
    """Nanoseconds by address of each unit of two bytes. If bins have more than 16 units, the first unit gets the whole bin."""
    out, units = collections.Counter(), (high - low) // 2
    for k, count in enumerate(bins):
        first, last = low // 2 + units * k // len(bins), low // 2 + units * (k + 1) // len(bins)
        most = -(-units // len(bins))
        if most > 16 or last == first:
            last = first + 1
        for unit in range(first, last):
            if count:
                out[unit * 2 + 1] += fractions.Fraction(count * 10**9, rate * (last - first))
    return out


def check(what, data, times, samples, calls=None, counted=None, rate=100):
    status, out, err = run("profcat", "-t", "ndjson", given=data)
    differ(what, (status, err), (0, ""))
    found, hits, edges, executed = collections.Counter(), 0, collections.Counter(), {}
    for row in map(json.loads, out.splitlines()):
        address = [int(f["address"], 16) for f in row["stack"]]
        if row["kind"] == "edge":
            edges[tuple(address[::-1])] += row["values"]["calls"]
        elif "blocks" in row["values"] and row["values"]["blocks"]:
            executed[address[0]] = row["values"]["blocks"]
        else:
            unit, time = row["units"]["time"], row["values"]["time"]
            # a time that is not a whole number of nanoseconds is given in parts of a tick
            found[address[0]] += time if unit == "nanoseconds" else fractions.Fraction(time * 10**9, rate * int((unit + "/1").split("/")[1]))
            hits += row["values"]["samples"]
    differ(what + ": time", dict(found), dict(times))
    differ(what + ": samples", hits, samples)
    differ(what + ": calls", dict(edges), calls or {})
    differ(what + ": blocks", executed, counted or {})


def check_table(what, data, times):
    """proftop's tables show seconds even if a tick is not a whole number of nanoseconds."""
    status, out, err = run("proftop", "-t", "ndjson", "-n", "0", given=data)
    differ(what, (status, err), (0, ""))
    rows = [json.loads(line) for line in out.splitlines()]
    differ(what + ": units", {row["unit"] for row in rows}, {"nanoseconds"})
    differ(what + ": table", {int(row["function"], 16): row["flat"] for row in rows}, {address: round(time) for address, time in times.items()})


def main():
    bins = [0, 65535, 0, 7, 1, 0, 3, 9]
    for order in "<>":
        for word in "QI":
            for low, high in ((0x401000, 0x401000 + 8 * 4), (0x401000, 0x401000 + 8 * 4 - 2), (0x401000, 0x401000 + 8 * 2), (0x401000, 0x401000 + 8 * 12), (0, 8 * 1000)):
                data = gmon(order, histogram(order, word, low, high, 100, bins), arc(order, word, 0x401005, 0x401010, 4000000000),
                            arc(order, word, 0x401005, 0x401010, 4000000000), blocks(order, word, [(0x401004, 77), (0x401008, 0)]))
                check("%s%s %x" % (order, word, high), data, shares(low, high, bins, 100), sum(bins), {(0x401005, 0x401010): 8000000000}, {0x401004: 77})
            check("arcs %s%s" % (order, word), gmon(order, *[arc(order, word, 16 + k, 8, k) for k in range(1, 9)]), {}, 0, {(16 + k, 8): k for k in range(1, 9)})
    two = gmon("<", histogram("<", "Q", 0, 64, 100, [1] * 16), histogram("<", "Q", 1 << 20, (1 << 20) + 64, 100, [2] * 16))
    check("two histograms", two, shares(0, 64, [1] * 16, 100) + shares(1 << 20, (1 << 20) + 64, [2] * 16, 100), 48)
    check("nothing", gmon("<"), {}, 0)
    check("no bins", gmon("<", histogram("<", "Q", 0, 0, 100, [])), {}, 0)
    many = [k % 3 for k in range(30000)]
    check("many", gmon("<", histogram("<", "Q", 0, 120000, 1000, many)), shares(0, 120000, many, 1000), sum(many), rate=1000)
    for rate in (60, 128, 1024, 3, 7, 8128):
        data = gmon("<", histogram("<", "Q", 0x401000, 0x401000 + 8 * 6, rate, bins))
        times = shares(0x401000, 0x401000 + 8 * 6, bins, rate)
        check("records at %d" % rate, data, times, sum(bins), rate=rate)
        check_table("table at %d" % rate, data, times)
    # damage
    whole = gmon("<", histogram("<", "Q", 0x1000, 0x1020, 100, [5] * 8), arc("<", "Q", 1, 2, 3))
    for size, word in ((10, "offset 0"), (len(whole) - 2, "within an arc"), (20 + 41 + 5, "within a histogram"), (25, "within the head")):
        status, _, err = run("profcat", "-f", "gmon", "-t", "ndjson", given=whole[:size])
        differ("cut at %d: %s" % (size, err), (status, word in err), (3, True))
    status, _, err = run("profcat", "-t", "ndjson", given=whole + b"\x07")
    differ("tag: " + err, (status, "tag 7" in err, "offset %d" % len(whole) in err), (3, True, True))
    status, _, err = run("profcat", "-t", "ndjson", given=b"gmon\2\0\0\0" + bytes(40))
    differ("version: " + err, (status, "version 2" in err), (3, True))
    status, _, err = run("profcat", "-t", "ndjson", given=gmon("<", blocks("<", "Q", [(1, 1 << 63)])))
    differ("blocks: " + err, (status, "overflows 64 bits" in err), (3, True))
    status, _, err = run("profcat", "-t", "ndjson", given=gmon("<", histogram("<", "Q", 0x1000, 0x900, 100, [5])))
    differ("order: " + err, (status, "bad histogram" in err), (3, True))
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
