#!/usr/bin/env python3
"""Compares profmerge --keep-share with a second computation.

    rollup.py random SEED RUNS    merges of random profiles with labels, several measures and negative weights: each record of the
                                  result is computed with fractions from the records of the inputs
    rollup.py again SHARE FILE    a merge with this share, merged again with the same share, is the same

Programs are found through $PATH.
"""
import json
import os
import random
import subprocess
import sys
import tempfile
from fractions import Fraction

HERE = os.path.dirname(os.path.abspath(__file__))
MEASURES = [{"name": "depth", "aggregation": "max"}, {"name": "hits", "role": "count"},
            {"name": "wall", "unit": "nanoseconds", "num": 1000, "raw_unit": "tick", "main": 1, "nature": "timed"},
            {"name": "lines", "kind": "flat"}, {"name": "calls", "kind": "edge"}]
NAMES = ["a", "b", "c", "(other)"]


def run(*command, data=None):
    done = subprocess.run(command, input=data, capture_output=True, timeout=60, check=False)
    if done.returncode != 0:
        sys.exit(f"status {done.returncode}: {' '.join(command)}: {done.stderr.decode()}")
    return done.stdout


def random_records(choose):
    """Samples of few frames whose values differ by orders of magnitude, and some records of other kinds."""
    records = []
    for _ in range(choose.randrange(1, 60)):
        stack = [[choose.choice(NAMES)] for _ in range(choose.randrange(6))]
        value = choose.choice((0, 1, 1, 2, 5, 10, 100, 1000, 10 ** choose.randrange(12)))
        records.append({"stack": stack, "labels": [["host", choose.choice("xyz")]] if choose.randrange(2) else [],
                        "values": {"wall": value, "hits": choose.randrange(9), "depth": choose.randrange(99)}})
    for _ in range(choose.randrange(4)):
        records.append({"kind": "flat", "at": [choose.choice(NAMES)], "values": {"lines": choose.randrange(3)}})
        records.append({"kind": "edge", "caller": [choose.choice(NAMES)], "callee": ["a"], "values": {"calls": 1}})
    return records


def add(sums, key, values):
    old = sums.setdefault(key, {})
    for name, value in values.items():
        old[name] = max(old.get(name, 0), value) if name == "depth" else old.get(name, 0) + value


def sum_up(inputs):
    """The records of the merge: (kind, frames, labels) and their values."""
    sums = {}
    for weight, records in inputs:
        for record in records if weight != 0 else ():
            kind = record.get("kind", "sample")
            frames = record["stack"] if kind == "sample" else [record["at"]] if kind == "flat" else [record["caller"], record["callee"]]
            values = {name: value if name == "depth" else value * weight for name, value in record["values"].items()}
            add(sums, (kind, tuple(name for name, in frames), tuple(value for _, value in record.get("labels", []))), values)
    return sums


def roll_up(sums, share):
    amounts, result = {}, {}
    for (kind, frames, _), values in sums.items():
        for depth in range(len(frames) + 1) if kind == "sample" else ():
            amounts[frames[:depth]] = amounts.get(frames[:depth], 0) + abs(values["wall"])
    least = share / 100 * amounts.get((), 0)
    for (kind, frames, labels), values in sums.items():
        small = [depth for depth in range(1, len(frames) + 1) if kind == "sample" and amounts[frames[:depth]] < least]
        kept = frames[:small[0] - 1] + ("(other)",) if small else frames
        add(result, (kind, kept, labels), values)
    return result


def rows_of(text):
    rows = {}
    for line in text.decode().splitlines():
        row = json.loads(line)
        frames = tuple(frame["function"] for frame in reversed(row["stack"]))
        key = row["kind"], frames, tuple(row["labels"].get("host", ()))
        if key in rows:
            sys.exit(f"two records of {key}")
        factors = {name: row["measures"][name].get("num", 1) for name in row["values"]}
        rows[key] = {name: Fraction(value, factors[name]) for name, value in row["values"].items()}
    return rows


def same(want, got):
    for key in want.keys() | got.keys():
        if key not in want or key not in got or any(want[key].get(name, 0) != got[key].get(name, 0) for name in want[key] | got[key]):
            return f"{key}: {got.get(key)}, expected {want.get(key)}"
    return None


def one_run(choose, directory):
    inputs, operands = [], []
    for number in range(choose.randrange(1, 4)):
        weight = choose.choice((1, 1, 1, 2, -1, 0))
        records = random_records(choose)
        path = os.path.join(directory, f"{number}.ndjson")
        stream = run(sys.executable, os.path.join(HERE, "make_stream.py"), data=json.dumps({"measures": MEASURES, "records": records}).encode())
        with open(path, "wb") as out:  # as NDJSON, whose names are UTF-8, as the name (other) of profmerge is
            out.write(run("profcat", "-t", "ndjson", "-", data=stream))
        inputs.append((weight, records))
        operands += ["-w", f"{weight}:{path}"]
    share = choose.choice(("0", "0.01", "1%", "2.5%", "10%", "33.333333%", "50%", "99.99%", "100%", f"{choose.randrange(10 ** 8) / 10 ** 6}%"))
    sums = sum_up(inputs)
    want = roll_up(sums, Fraction(share.rstrip("%")))
    got = rows_of(run("profmerge", "-q", f"--keep-share={share}", "-t", "ndjson", *operands))
    wrong = same(want, got)
    if wrong:
        sys.exit(f"--keep-share={share} {' '.join(operands)}: {wrong}")
    return len(sums) - len(want)


def random_runs(seed, runs):
    choose, fewer = random.Random(int(seed)), 0
    with tempfile.TemporaryDirectory() as directory:
        for _ in range(int(runs)):
            fewer += one_run(choose, directory)
    if fewer == 0:
        sys.exit("no record was summed up")


def again(share, path):
    once = run("profmerge", "-q", "--canonical", f"--keep-share={share}", "-t", "pfs", path)
    twice = run("profmerge", "-q", "--canonical", f"--keep-share={share}", "-t", "pfs", "-", data=once)
    first, second = (run("profcat", "-q", "-t", "ndjson", "-", data=stream) for stream in (once, twice))
    if first != second:
        sys.exit(f"{path}: --keep-share={share} of its own output is different")


if __name__ == "__main__":
    {"random": random_runs, "again": again}[sys.argv[1]](*sys.argv[2:])
