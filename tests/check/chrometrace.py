#!/usr/bin/env python3
"""Tests spans of Chrome's traces, random ones and the smallest cases, against the arithmetic of intervals.

    chrometrace.py

The model pairs events by searching lists, finds the parent of every span, and subtracts the times of its children from its own. Unlike the
reader it does not go through the events in order of time. Each random thread has different names, so that one trace can hold all threads.
Differences are printed; the exit status is 1 if there are any. PROFUTILS_BIN is the directory of the programs.
"""
import collections
import json
import os
import random
import re
import subprocess
import sys

THREADS = 3000


def paired(events):
    """Spans (begin, end or None, order, name) of one thread, and the number of end events without a begin event."""
    ranked = sorted(enumerate(events), key=lambda item: (item[1]["ts"], item[0]))
    spans, open_ones, orphans = [], [], 0

    def close(event):
        for k in reversed(range(len(open_ones))):
            if "name" not in event or open_ones[k][2] == event["name"]:
                begin, order, name = open_ones.pop(k)
                spans.append((begin, event["ts"], order, name))
                return True
        return False

    for moment in sorted({event["ts"] for event in events}):
        later = []
        for order, event in [item for item in ranked if item[1]["ts"] == moment]:
            if event["ph"] == "X":
                spans.append((moment, moment + event["dur"], order, event["name"]))
            elif event["ph"] == "B":
                open_ones.append((moment, order, event["name"]))
            elif not close(event):
                later.append(event)
        orphans += sum(not close(event) for event in later)
    return spans + [(begin, None, order, name) for begin, order, name in open_ones], orphans


def own_times(events):
    """Time by path, and (number of cut spans, time cut off, orphans, unclosed)."""
    spans, orphans = paired(events)
    last = max(event["ts"] + event.get("dur", 0) for event in events)
    spans.sort(key=lambda s: (s[0], -float("inf") if s[1] is None else -s[1], s[2]))
    placed, cut, lost = [], 0, 0
    for begin, end, _, name in spans:
        if end == begin:
            continue
        around = [p for p in placed if p["begin"] <= begin < p["end"]]
        limit = around[-1]["end"] if around else last
        if end is not None and end > limit:
            cut, lost = cut + 1, lost + end - limit
        end = limit if end is None else min(end, limit)
        if around:
            around[-1]["own"] -= end - begin
        placed.append({"begin": begin, "end": end, "own": end - begin, "path": (around[-1]["path"] if around else ()) + (name,)})
    times = collections.Counter()
    for span in placed:
        times[span["path"]] += span["own"]
    return times, (cut, lost, orphans, sum(span[1] is None for span in spans))


def random_thread(rng, number):
    names = [f"{letter}{number}" for letter in "abc"[: rng.randint(1, 3)]]
    longest = rng.choice((4, 12, 40))
    events = []
    for _ in range(rng.randint(1, 9)):
        begin, kind = rng.randint(0, longest), rng.random()
        name = rng.choice(names)
        end = min(longest, begin + rng.randint(0, longest // 2))
        if kind < 0.35:
            events.append({"ph": "X", "ts": begin, "dur": end - begin, "name": name})
        if 0.35 <= kind < 0.95:
            events.append({"ph": "B", "ts": begin, "name": name})
        if 0.4 <= kind:
            events.append({"ph": "E", "ts": end, **({"name": name} if rng.random() < 0.85 else {})})
    if rng.random() < 0.5:
        events.sort(key=lambda e: e["ts"])  # as tracers write them
    else:
        rng.shuffle(events)
    return events


def read(threads):
    """profcat's time by path in microseconds, and its warnings."""
    trace = [dict(event, pid=1, tid=number) for number, events in enumerate(threads) for event in events]
    got = subprocess.run([os.path.join(os.environ["PROFUTILS_BIN"], "profcat"), "-f", "chrometrace", "-t", "folded"],
                         input=json.dumps(trace).encode(), capture_output=True, timeout=60)  # fmt: skip
    if got.returncode:
        print("status", got.returncode, got.stderr.decode())
    times = {}
    for line in got.stdout.decode().splitlines():
        path, amount = line.rsplit(" ", 1)
        times[tuple(path.split(";"))] = int(amount) / 1000
    said = got.stderr.decode()
    patterns = r"span around them: (\d+)", r"(\d+)000 nanoseconds left out", r"span of their name: (\d+)", r"without an end event: (\d+)"
    found = [re.search(pattern, said) for pattern in patterns]
    return times, tuple(int(match[1]) if match else 0 for match in found)


def compare(title, threads, expected=None):
    times, said = collections.Counter(), [0, 0, 0, 0]
    for events in threads:
        of_thread, counts = own_times(events)
        times.update(of_thread)
        said = [a + b for a, b in zip(said, counts)]
    times = {path: time for path, time in times.items() if time}
    got, warned = read(threads)
    got = {path: time for path, time in got.items() if time}
    good = got == times and warned == tuple(said) and (expected is None or (times, tuple(said)) == expected)
    if not good:
        different = [path for path in set(got) | set(times) if got.get(path) != times.get(path)][:5]
        print(f"{title}: warned {warned}, expected {said};", [(";".join(p), times.get(p), got.get(p)) for p in different])
        print(f"  by hand: {expected}")
    return good


def event(text):
    """Makes an event from text such as `X x 180+275`, `B b 180`, `E b 424` or `E - 424`."""
    phase, name, when = text.split()
    begin, _, duration = when.partition("+")
    return {"ph": phase, "ts": int(begin), **({"dur": int(duration)} if duration else {}), **({} if name == "-" else {"name": name})}


# events; self times worked out by hand; cut spans, the time cut off, orphans, unclosed
CASES = [
    ("X x 180+275,B b 180,E b 424,X later 9000+10", {"x": 31, "x;b": 244, "later": 10}, (0, 0, 0, 0)),
    ("X x 100+50,B b 120,E b 150,X later 9000+10", {"x": 20, "x;b": 30, "later": 10}, (0, 0, 0, 0)),
    ("X x 100+50,B b 120,E b 151,X later 9000+10", {"x": 20, "x;b": 30, "later": 10}, (1, 1, 0, 0)),
    ("B b 120,X x 130+50,E b 150,X later 9000+10", {"b": 10, "b;x": 20, "later": 10}, (1, 30, 0, 0)),
    ("X x 100+50,X y 120+31,X later 9000+10", {"x": 20, "x;y": 30, "later": 10}, (1, 1, 0, 0)),
    ("B a 0,B b 1,E a 9,E b 10,X later 9000+10", {"a": 1, "a;b": 8, "later": 10}, (1, 1, 0, 0)),
    ("B a 0,B a 10,E a 20,E a 30,X later 9000+10", {"a": 20, "a;a": 10, "later": 10}, (0, 0, 0, 0)),
    ("B a 0,B b 5,E - 7,E a 10,X later 9000+10", {"a": 8, "a;b": 2, "later": 10}, (0, 0, 0, 0)),
    ("B a 0,E a 10,B a 10,E a 30,X later 9000+10", {"a": 30, "later": 10}, (0, 0, 0, 0)),
    ("E z 10,B z 10,X later 9000+10", {"later": 10}, (0, 0, 0, 0)),
    ("E b 5,X x 0+10,B c 2,X later 20+10", {"x": 2, "x;c": 8, "later": 10}, (0, 0, 1, 1)),
]


def main():
    good = True
    for text, times, counts in CASES:
        expected = ({tuple(path.split(";")): time for path, time in times.items()}, counts)
        good = compare(text, [[event(part) for part in text.split(",")]], expected) and good
    for seed in range(2):
        rng = random.Random(seed)
        good = compare(f"seed {seed}", [random_thread(rng, number) for number in range(THREADS)]) and good
    return good


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
