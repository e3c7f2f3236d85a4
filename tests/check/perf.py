#!/usr/bin/env python3
"""Tests the programs with texts of perf script and other stack printers whose content is known.

    perf.py folded DIR     every text of DIR/perf-script (or DIR/perf/script) folds to NAME.expected.folded, which stackcollapse-perf.pl made
    perf.py counts DIR     samples and sums of periods by event and command are those of COUNTS.expected.tsv, also through pfs
    perf.py records DIR    every record is the same as in the decoder below: stack, labels, time, values; also through pfs
    perf.py hostile .      commands, symbols and images that look like other fields; all sets of fields that -F can print
    perf.py cut DIR        a text cut at every byte gives the events before the cut, and fails if an event is cut
    perf.py bpftrace DIR   texts fold as with stackcollapse-bpftrace.pl, except for what that script loses
    perf.py wild .         third-party texts in $PROFUTILS_WILD fold to their expected results

The decoder is written from perf's output, not from the programs. Differences are printed; the exit status is 1 if there are any.
PROFUTILS_BIN is the directory of the programs.
"""
import glob
import json
import os
import random
import re
import subprocess
import sys
import tempfile

BIN = os.environ["PROFUTILS_BIN"]


def run(*command, stdin=None):
    done = subprocess.run([os.path.join(BIN, command[0]), *command[1:]], input=stdin, capture_output=True, timeout=60, check=False)
    return done.returncode, done.stdout, done.stderr.decode(errors="replace")


def good(*command, stdin=None):
    status, out, err = run(*command, stdin=stdin)
    if status != 0:
        raise SystemExit(f"{' '.join(command)}: status {status}: {err}")
    return out


def texts(top):
    found = sorted(glob.glob(os.path.join(top, "perf-script", "*.perf.txt")) + glob.glob(os.path.join(top, "perf", "script", "*.perf.txt")))
    if not found:
        raise SystemExit(f"no texts in {top}")
    return found


def rows(path, *options, through=False):
    if through:
        stream = good("profcat", *options, "-t", "pfs", path)
        return [json.loads(line) for line in good("profcat", "-t", "ndjson", stdin=stream).splitlines()]
    return [json.loads(line) for line in good("profcat", *options, "-t", "ndjson", path).splitlines()]


# ---- folded ----


def lines_of(data):
    return sorted(data.splitlines())


def java(line):
    """Java's methods as we name them: stackcollapse-perf.pl writes org/x/Y:::m, without a package LY:::m."""
    return re.sub(rb"(?<=;)L?((?:[\w$]+/)*[\w$]+):::", lambda name: name[1].replace(b"/", b".") + b".", line)


def compare(name, got, want):
    extra, missing = set(got) - set(want), set(want) - set(got)
    return [f"{name}: not expected: {line}" for line in sorted(extra)[:3]] + [f"{name}: missing: {line}" for line in sorted(missing)[:3]]


def check_folded(top):
    bad, seen = [], 0
    for path in texts(top):
        if "srcline" in path:
            continue  # stackcollapse-perf.pl reads source lines as frames
        for suffix, to in (("", "folded"), (".all_tid_addrs", "folded:annotate,tid,addresses")):
            expected = f"{path[:-4]}.expected{suffix}.folded"
            if not os.path.exists(expected):
                continue
            seen += 1
            with open(expected, "rb") as stream:
                want = lines_of(stream.read())
            # stackcollapse-perf.pl folds the first event, the programs prefer one that counts time
            event = next(name for name, value in rows(path)[0]["values"].items() if name != "samples" and value != 0)
            choice = [] if event.startswith(("cpu-clock", "task-clock")) else ["-m", event]
            bad += compare(path, lines_of(good("profcat", "-t", to, *choice, path)), want)
            stream = good("profcat", "-t", "pfs", path)
            bad += compare(path + " through pfs", lines_of(good("profcat", "-t", to, *choice, stdin=stream)), want)
    return bad + ([] if seen else ["nothing to compare with"])


# ---- sums ----


def check_counts(top):
    want, bad = {}, []
    with open(glob.glob(os.path.join(os.path.dirname(texts(top)[0]), "COUNTS.expected.tsv"))[0], encoding="utf-8") as stream:
        for line in list(stream)[1:]:
            name, event, comm, samples, period = line.rstrip("\n").split("\t")
            want.setdefault(name, {})[event, comm] = (int(samples), int(period))
    for path in texts(top):
        stem = os.path.basename(path).split(".")[0]
        for through in (False, True):
            got = {}
            for row in rows(path, through=through):
                event = next(name for name in row["values"] if name != "samples" and row["values"][name] != 0)
                comm = row["labels"].get("comm", [""])[0]
                had = got.get((event, comm), (0, 0))
                got[event, comm] = (had[0] + row["values"]["samples"], had[1] + row["values"][event])
            expected = want[stem]
            if ".min." in path:
                expected = {}
                for (event, _), (samples, period) in want[stem].items():
                    had = expected.get((event, ""), (0, 0))
                    expected[event, ""] = (had[0] + samples, had[1] + period)
            if got != expected:
                bad.append(f"{path}: {got}, expected {expected}")
    return bad


# ---- records ----

HEAD = re.compile(rb"^(?P<comm>.*?)\s+(?:(?P<pid>-?\d+)/)?(?P<tid>-?\d+)(?:\s+\[(?P<cpu>\d+)\])?\s+(?P<time>\d+\.\d{6}):\s+(?:(?P<period>\d+)\s+)?"
                  rb"(?P<event>\S+):(?:\s+(?P<rest>[0-9a-f]+ .*))?\s*$")
SHORT = re.compile(rb"^\s*(?P<period>\d+)\s+(?P<event>\S+):\s*$")


def basename(path):
    return path.rsplit("/", 1)[-1]


def decode_frame(line):
    address, rest = re.match(r"\s*([0-9a-f]+) ?(.*)$", line).groups()
    match = re.match(r"(.*)\+0x[0-9a-f]+ \((.*)\)$", rest) or re.match(r"(\[unknown\]|\S*) \((.*)\)$", rest)
    symbol, image = match.groups() if match else (re.sub(r"\+0x[0-9a-f]+$", "", rest), "")
    inlined = image == "inlined"
    frame = {"address": hex(int(address, 16)) if int(address, 16) else "", "function": symbol, "image": "" if inlined else image, "file": "",
             "line": 0, "inlined": inlined}
    if symbol == "[unknown]" and image not in ("", "[unknown]"):
        frame["function"] = f"[{basename(image)}]"
    if image == "[unknown]":
        frame["image"] = ""
    return frame


def decode(data):
    """Events of perf script's text: header, and frames with the innermost first."""
    events, current = [], None
    for raw in data.split(b"\n"):
        line = raw.decode()
        if not line.strip() or line.startswith("#"):
            current = None
            continue
        match = HEAD.match(raw) or (SHORT.match(raw) if current is None else None)
        if match and not line.startswith("\t"):
            current = {key: value.decode() for key, value in match.groupdict().items() if value is not None}
            current["frames"] = [decode_frame(current["rest"])] if "rest" in current else []
            events.append(current)
        elif line.startswith("\t"):
            current["frames"].append(decode_frame(line))
        else:
            frame = current["frames"][-1]
            text = line.strip()
            frame["inlined"] |= text.endswith(" (inlined)")
            place = re.match(r"(.*):(\d+)$", text.replace(" (inlined)", ""))
            if place and place.group(1) != "??":
                frame["file"], frame["line"] = place.group(1), int(place.group(2))
    for event in events:
        outer = {}
        for frame in reversed(event["frames"]):
            if frame["inlined"]:
                frame["image"] = frame["image"] or outer.get(frame["address"], "")
            else:
                outer = {frame["address"]: frame["image"]}
    return events


def check_event(event, row):
    stack = [{key: frame[key] for key in ("address", "function", "image", "file", "line", "inlined")} for frame in row["stack"]]
    if stack != event["frames"]:
        return f"stack {stack}, expected {event['frames']}"
    labels = {key: [event["comm"].strip()] if key == "comm" else [{"num": int(event[key]), "unit": ""}]
              for key in ("comm", "pid", "tid", "cpu") if key in event}
    if row["labels"] != labels:
        return f"labels {row['labels']}, expected {labels}"
    values = {name: value for name, value in row["values"].items() if value}
    if values != {event["event"]: int(event.get("period", 1)), "samples": 1}:
        return f"values {values} of {event}"
    return None


def check_records(top):
    bad = []
    for path in texts(top):
        with open(path, "rb") as stream:
            events = decode(stream.read())
        for through in (False, True):
            got = rows(path, through=through)
            if len(got) != len(events):
                bad.append(f"{path}: {len(got)} records, expected {len(events)}")
            wrong = [text for text in map(check_event, events, got) if text]
            bad += [f"{path}: {text}" for text in wrong[:2]]
        timed = [event for event in events if "time" in event]
        if not timed:
            continue
        times = sorted(int(event["time"].replace(".", "")) * 1000 for event in timed)
        low, high = times[len(times) // 4], times[len(times) // 2]
        want = sum(low <= time < high for time in times)
        count = int(good("profcat", "-c", stdin=good("proffilter", f"--time={low},{high}", path)).split()[0])
        stream = good("profcat", "-f", "perf-script:time", "-t", "pfs", path)
        again = int(good("profcat", "-c", stdin=good("proffilter", f"--time={low}ns,{high}ns", stdin=stream)).split()[0])
        if (count, again) != (want, want):
            bad.append(f"{path}: {count} and {again} records from {low} to {high}, expected {want}")
    return bad


# ---- hostile names ----

COMMS = ["a 12 [003] 4.500000:", "x: 7 cycles: y", " lead", "#hash", "a;b", "tab\there", "Chrome IO thr", "kworker/0:1", "12", "[004]", "1/2",
         ":-1", "sh -c 9.000001: 1 cpu-clock:", "U", "\u00e9t\u00e9"]
SYMBOLS = ["f", "operator()", "A::b(int) const", "[unknown]", "f(x)+0x1 (y)", "a b", "{{closure}}", "\u00fc"]
IMAGES = ["/bin/x", "/tmp/dir with (parens) x/my prog (v1)", "/x (deleted)", "[kernel.kallsyms]", "[vdso]", "/tmp/perf-12.map"]


def header(choose, fields, comm, event, period):
    parts = [comm]
    want = {"comm": [comm.strip()]}
    if fields["tid"]:
        tid = choose.randrange(100000)
        parts.append(f"{choose.randrange(100000):5}/{tid:<5}" if fields["pid"] else f"{tid:5}")
        if fields["pid"]:
            want["pid"] = [{"num": int(parts[-1].split("/")[0]), "unit": ""}]
        want["tid"] = [{"num": tid, "unit": ""}]
    if fields["cpu"]:
        cpu = choose.randrange(64)
        parts.append(f"[{cpu:03}]")
        want["cpu"] = [{"num": cpu, "unit": ""}]
    parts.append(f"{choose.randrange(100000):5}.{choose.randrange(1000000):06}:")
    if fields["period"]:
        parts.append(f"{period:10}")
    return " ".join(parts) + f" {event}: ", want


def make_text(choose, fields):
    text, want = [], []
    for _ in range(40):
        event = choose.choice(["cycles:uppp", "sched:sched_switch", "cpu/event=0x3c,umask=0x0/u", "cpu-clock"])
        period = choose.randrange(1, 1 << 40)
        line, labels = header(choose, fields, choose.choice(COMMS), event, period)
        if event.startswith("sched:"):
            line += "prev_comm=a prev_pid=1 prev_state=S ==> next_comm=b: 2 x: y"
        frames = [(choose.choice(SYMBOLS), choose.choice(IMAGES), choose.randrange(1, 1 << 47)) for _ in range(choose.randrange(1, 6))]
        text.append(line)
        text += [f"\t{address:16x} {symbol}{'' if symbol == '[unknown]' else '+0x1f'} ({image})" for symbol, image, address in frames]
        text.append("")
        want.append((labels, event, period if fields["period"] else 1,
                     [(f"[{basename(image)}]" if symbol == "[unknown]" else symbol, image, hex(address)) for symbol, image, address in frames]))
    return "\n".join(text) + "\n", want


def check_hostile(_):
    bad, choose = [], random.Random(7)
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "in")
        for number in range(16):
            fields = {"tid": True, "pid": number & 1, "cpu": number & 2, "period": number & 4}
            text, want = make_text(choose, fields)
            if number & 8:
                text = text.replace("\n", "\r\n")
            with open(path, "w", encoding="utf-8", newline="") as stream:
                stream.write(text)
            got = [(row["labels"], *next((k, v) for k, v in row["values"].items() if k != "samples" and v),
                    [(frame["function"], frame["image"], frame["address"]) for frame in row["stack"]]) for row in rows(path, "-f", "perf-script")]
            for one, other in zip(got, want):
                if one != other:
                    bad.append(f"{fields}: {one}, expected {other}")
            if len(got) != len(want):
                bad.append(f"{fields}: {len(got)} records, expected {len(want)}")
    return bad[:10]


# ---- cuts ----


def check_cut(top):
    bad = []
    path = next(path for path in texts(top) if "perl" in path)
    with open(path, "rb") as stream:
        data = stream.read()[:3000]
    blocks = [m.end() for m in re.finditer(rb"\n\n", data)]
    for size in range(1, len(data), 4):
        status, out, err = run("profcat", "-f", "perf-script", "-t", "ndjson", stdin=data[:size])
        whole = sum(end <= size for end in blocks)
        text = data[(blocks[whole - 1] if whole else 0):size]
        inside = text.strip(b"\n") != b""
        torn = inside and not text.endswith(b"\n") and not (text.endswith(b")") and text.startswith(b"\t", text.rfind(b"\n") + 1))
        expected = whole + (inside and not torn)
        if (status, out.count(b"\n")) != (3 if torn else 0, expected) or (torn and "offset" not in err):
            bad.append(f"cut at {size}: status {status}, {out.count(bytes([10]))} records, expected {expected}: {err}")
    return bad[:5]


# ---- others ----


def check_bpftrace(top):
    path = os.path.join(top, "bpftrace", "stacks.bpftrace")
    with open((glob.glob(path + ".txt.expected.folded") + glob.glob(path + ".expected.folded"))[0], encoding="utf-8") as stream:
        want = {}
        for line in stream:
            stack, count = line.rstrip("\n").rsplit(" ", 1)
            stack = ";".join(frame for frame in stack.split(";") if frame != ", ")
            want[stack] = want.get(stack, 0) + int(count)
    got = dict(line.rsplit(" ", 1) for line in good("profcat", "-t", "folded", path + ".txt").decode().splitlines())
    bad = [f"{stack}: {got.get(stack)}, expected {count}" for stack, count in want.items() if got.get(stack) != str(count)]
    # stackcollapse-bpftrace.pl skips entries without a kernel stack
    with open(path + ".txt", encoding="utf-8") as stream:
        total = sum(int(n) for n in re.findall(r"\]: (\d+)$", stream.read(), re.M))
    if sum(map(int, got.values())) != total:
        bad.append(f"{sum(map(int, got.values()))} in all, expected {total}")
    return bad


def check_wild(_):
    top, bad, seen = os.environ["PROFUTILS_WILD"], [], 0
    for expected in glob.glob(os.path.join(top, "perf-script", "*.expected.folded")) + glob.glob(os.path.join(top, "dtrace", "*.expected.folded")):
        path = expected.replace(".expected.folded", ".txt")
        seen += 1
        with open(expected, "rb") as stream:
            bad += compare(path, lines_of(good("profcat", "-t", "folded", path)), sorted(map(java, lines_of(stream.read()))))
    want = os.path.join(top, "diff", "expected.default.folded")
    with open(want, "rb") as stream:
        bad += compare(want, lines_of(good("profdiff", "-t", "folded", os.path.join(top, "diff", "before.txt"), os.path.join(top, "diff", "after.txt"))),
                       lines_of(stream.read()))
    return bad + ([] if seen else ["nothing to compare with"])


def main():
    bad = globals()["check_" + sys.argv[1]](sys.argv[2])
    print("\n".join(bad))
    sys.exit(bool(bad))


main()
