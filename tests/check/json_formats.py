#!/usr/bin/env python3
"""Tests the programs with JSON profiles: those of speedscope, V8 and stackprof, Chrome's traces, and the project's own records.

    json_formats.py read MODE DIR     profcat's rows of every file of DIR are those of the decoder below; MODE: direct, or through a
                                      format, for the profiles that it can hold: pfs, json, ndjson, speedscope, cpuprofile, heapprofile
    json_formats.py expected DIR      sums per function are those that the profilers' own tools printed (*.expected.*)
    json_formats.py urls              URLs of files become paths, and URLs again
    json_formats.py written DIR       written files have the form that clients demand
    json_formats.py made              generated forms of the files that no corpus has
    json_formats.py wild DIR          files of other projects give the same as in their viewers

The decoder loads whole documents and is written from the formats' descriptions, not from the programs. Differences are printed; the
exit status is 1 when there are any. PROFUTILS_BIN is the directory of the programs.
"""
import collections
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.parse
from fractions import Fraction

BIN = os.environ["PROFUTILS_BIN"]
UNITS = {"none": ("hits", 1), "nanoseconds": ("wall", 1), "microseconds": ("wall", 10**3), "milliseconds": ("wall", 10**6),
         "seconds": ("wall", 10**9), "bytes": ("bytes", 1)}  # fmt: skip
wrong = 0


def report(*words):
    global wrong
    wrong += 1
    print(*words)


def profcat(*arguments, data=None, status=0):
    got = subprocess.run([os.path.join(BIN, "profcat"), *arguments], input=data, capture_output=True, timeout=60)
    if got.returncode != status:
        report("status", got.returncode, "of profcat", *arguments, got.stderr.decode()[-300:])
    return got.stdout, got.stderr.decode("utf-8", "replace")


# ---- Decoder: lists of (kind, stack root first, labels, {measure: Fraction}); a frame is (name, file, line, column) ----


def load(path):
    with open(path, "rb") as file:
        data = file.read().decode("utf-8-sig", "replace")
    loads = json.JSONDecoder(parse_float=Fraction).decode
    try:
        document = loads(data)
    except ValueError:
        document = loads(data.rstrip().rstrip(",") + "]")  # a trace whose array is not closed
    return document


def name(value, other="[unknown]"):
    return re.sub("[\ud800-\udfff]", "\ufffd", value) if value else other


def speedscope(document):
    frames = [(name(f.get("name")), path_of(f.get("file") or ""), f.get("line") or 0, f.get("col") or 0) for f in document["shared"]["frames"]]
    rows, units = [], [UNITS[p["unit"]][0] for p in document["profiles"]]
    for profile in document["profiles"]:
        measure, factor = UNITS[profile["unit"]]
        labels = {"thread": [profile["name"]]} if units.count(measure) > 1 else {}
        if profile["type"] == "sampled":
            for sample, weight in zip(profile["samples"], profile["weights"]):
                rows.append(("sample", [frames[k] for k in sample], labels, {measure: Fraction(weight) * factor}))
            continue
        stack, last = [], None
        for event in profile["events"]:
            at = Fraction(event["at"])
            if stack:
                rows.append(("sample", [frames[k] for k in stack], labels, {measure: (at - last) * factor}))
            if event["type"] == "O":
                stack.append(event["frame"])
            else:
                assert stack.pop() == event["frame"]
            last = at
    return rows


def path_of(url):
    """The path of a file's URL, by Python's own parser; other URLs, and those with a query, stay."""
    parts = urllib.parse.urlsplit(url) if url.startswith("file://") else None
    if not parts or parts.netloc not in ("", "localhost") or "?" in url or "#" in url or re.search("(?i)%(00|2f)", url):
        return url
    path = urllib.parse.unquote(parts.path, errors="surrogateescape")
    return path[1:] if re.match("/[A-Za-z]:/", path) else path


def call_frame(node, shift=1):
    frame = node.get("callFrame", node)
    line, column = frame.get("lineNumber", -1) + shift, frame.get("columnNumber", -1) + shift
    return (name(frame["functionName"], "(anonymous)"), path_of(frame["url"]), max(line, 0), max(column, 0))


def flatten(head, shift, parent=None, nodes=None):
    nodes = {} if nodes is None else nodes
    todo = [(head, parent)]
    while todo:
        node, parent = todo.pop()
        nodes[node["id"]] = (parent, call_frame(node, shift), node)
        todo += [(child, node["id"]) for child in node.get("children", ())]
    return nodes


def stack_of(nodes, number):
    if number not in nodes:
        return [("[unknown]", "", 0, 0)]
    stack = []
    while number is not None:
        number, frame, _ = nodes[number]
        if number is not None or frame[0] != "(root)":
            stack.insert(0, frame)
    return stack


def timed(samples, deltas, span):
    """Samples in order of time, each with the time to the next one. The last lasts to the end of the profile, or the mean time."""
    time, order = Fraction(0), []
    for number, delta in zip(samples, deltas):
        time += Fraction(delta)
        order.append((max(time, 0), number))
    order.sort(key=lambda row: row[0])
    times = [time for time, _ in order]
    if span is not None and times and span >= times[-1]:
        times.append(span)
    elif times:
        times.append(times[-1] + (times[-1] - times[0]) / max(len(times) - 1, 1))
    for (time, number), after in zip(order, times[1:]):
        yield number, after - time


def cpuprofile(document):
    if "head" in document:
        nodes = flatten(document["head"], 0)
        before = Fraction(document["startTime"]) * 10**6
        deltas = []
        for stamp in document["timestamps"]:
            deltas.append(stamp - before)
            before = Fraction(stamp)
    else:
        before = document.get("startTime")
        parents = {child: node["id"] for node in document["nodes"] for child in node.get("children", ())}
        nodes = {n["id"]: (parents.get(n["id"], n.get("parent")), call_frame(n), n) for n in document["nodes"]}
        deltas = document.get("timeDeltas")
    if "samples" not in document:
        span, total = Fraction(document["endTime"] - document["startTime"]), sum(n["hitCount"] for n in document["nodes"])
        return [("sample", stack_of(nodes, k), {}, {"hits": Fraction(n[2]["hitCount"]), "wall": span * 1000 * n[2]["hitCount"] / total})
                for k, n in nodes.items() if n[2]["hitCount"]]  # fmt: skip
    span = None
    if None not in (document.get("startTime"), document.get("endTime")):
        span = (Fraction(document["endTime"]) - Fraction(document["startTime"])) * (10**6 if "head" in document else 1)
    return [("sample", stack_of(nodes, k), {}, {"hits": Fraction(1), "wall": time * 1000}) for k, time in timed(document["samples"], deltas, span)]


def heapprofile(document):
    nodes = flatten(document["head"], 1)
    return [("sample", stack_of(nodes, k), {}, {"inuse_space": Fraction(n[2]["selfSize"])}) for k, n in nodes.items() if n[2]["selfSize"]]


def stackprof(document):
    frames = {int(k): (name(f.get("name")), f.get("file") or "", f.get("line") or 0) for k, f in document["frames"].items()}
    extra = {"cpu": 1000, "wall": 1000, "object": 1}.get(document["mode"])

    def values(samples):
        found = {"samples": Fraction(samples)}
        if extra:
            found["objects" if document["mode"] == "object" else document["mode"]] = Fraction(samples) * document["interval"] * extra
        return found

    rows, raw, lines = [], document.get("raw") or [], list(document.get("raw_lines") or [])
    at = 0
    while at < len(raw):
        stack = []
        for number in raw[at + 1 : at + 1 + raw[at]]:
            stack.append((frames[number][0], frames[number][1], lines.pop(0) if lines else 0, 0))
        rows.append(("sample", stack, {}, values(raw[at + 1 + raw[at]])))
        at += raw[at] + 2
    if not raw:
        for number, frame in document["frames"].items():
            place = frames[int(number)]
            if "lines" in frame:
                rows += [("flat", [(place[0], place[1], int(line), 0)], {}, values(counts[1])) for line, counts in frame["lines"].items() if counts[1]]
            elif frame["samples"]:
                rows.append(("flat", [(*place, 0)], {}, values(frame["samples"])))
            for callee, samples in frame.get("edges", {}).items():
                rows.append(("edge", [(place[0], place[1], 0, 0), (*frames[int(callee)], 0)], {}, values(samples)))
    return rows


def thread_labels(events, pid, tid):
    labels = {key: [{"num": int(v), "unit": ""} if re.fullmatch(r"-?\d+", str(v)) else str(v)] for key, v in (("pid", pid), ("tid", tid)) if v is not None}
    for event in events:
        if event.get("ph") == "M" and str(event.get("pid")) == str(pid):
            if event["name"] == "process_name":
                labels["process"] = [event["args"]["name"]]
            elif event["name"] == "thread_name" and str(event.get("tid")) == str(tid):
                labels["thread"] = [event["args"]["name"]]
    return labels


def nested(spans):
    """Self times of spans (begin, end, order, frame) of one thread, each cut at the end of its parent."""
    spans.sort(key=lambda s: (s[0], -s[1], s[2]))
    marks, stack, rows = sorted({t for s in spans for t in s[:2]}), [], []
    at = 0
    for begin, end in zip(marks, marks[1:]):
        stack = [s for s in stack if s[1] > begin]
        while at < len(spans) and spans[at][0] <= begin:
            span = spans[at]
            at += 1
            if span[1] > span[0]:
                stack.append((span[0], min(span[1], stack[-1][1]) if stack else span[1], span[3]))
        if stack:
            rows.append(([s[2] for s in stack], end - begin))
    return rows


def chrometrace(document):
    document = {"traceEvents": document} if isinstance(document, list) else document
    events, rows = document["traceEvents"], []
    chunks = collections.OrderedDict()
    for event in events:
        if event.get("name") in ("Profile", "ProfileChunk"):
            chunks.setdefault((event["pid"], event["id"]), []).append(event)
    for (pid, _), parts in chunks.items():
        data = [part["args"]["data"] for part in parts]
        document = {"nodes": [n for d in data for n in d.get("cpuProfile", {}).get("nodes", ())],
                    "samples": [s for d in data for s in d.get("cpuProfile", {}).get("samples", ())],
                    "timeDeltas": [t for d in data for t in d.get("timeDeltas", ())],
                    **{key: d[key] for d in data for key in ("startTime", "endTime") if key in d}}  # fmt: skip
        rows += [(kind, stack, thread_labels(events, pid, parts[0]["tid"]), values) for kind, stack, _, values in cpuprofile(document)]
    if rows:
        return rows
    if document.get("samples"):
        frames, threads = {str(k): f for k, f in document["stackFrames"].items()}, collections.defaultdict(list)
        for sample in document["samples"]:
            threads[(sample.get("pid"), str(sample["tid"]))].append(sample)
        for (pid, tid), samples in threads.items():
            samples.sort(key=lambda s: Fraction(s["ts"]))
            for sample, after in zip(samples, samples[1:] + [None]):
                stack, frame = [], str(sample["sf"])
                while frame in frames:
                    stack.insert(0, (frames[frame]["name"], "", 0, 0))
                    frame = str(frames[frame].get("parent"))
                passed = Fraction(after["ts"]) - Fraction(sample["ts"]) if after else Fraction(0)
                rows.append(("sample", stack or [("[unknown]", "", 0, 0)], thread_labels(events, pid, tid), {"hits": Fraction(sample["weight"]), "wall": passed * 1000}))
        return rows
    threads = collections.defaultdict(list)
    for order, event in enumerate(events):
        if event.get("ph") in "XBE" and not ("avg ms" in event.get("args", ()) and event["name"].startswith("Total ")):
            threads[(event.get("pid"), str(event["tid"]))].append((Fraction(event["ts"]) * 1000, order, event))
    for (pid, tid), found in threads.items():
        spans, open_ones = [], []
        last = max(t + Fraction(e.get("dur", e.get("tdur", 0))) * 1000 for t, _, e in found)
        for time, order, event in sorted(found, key=lambda f: (f[0], f[1])):
            args = event.get("args", {})
            frame = (event.get("name"), path_of(args.get("url") or ""), (args.get("line") or 0) if "url" in args else 0, (args.get("column") or 0) if "url" in args else 0)
            if event["ph"] == "X":
                spans.append((time, time + Fraction(event.get("dur", event.get("tdur", 0))) * 1000, order, frame))
            elif event["ph"] == "B":
                open_ones.append((time, order, frame))
            else:
                fitting = [k for k, one in enumerate(open_ones) if event.get("name") in (None, one[2][0])]
                if fitting:
                    begin, order, frame = open_ones.pop(fitting[-1])
                    spans.append((begin, time, order, frame))
        spans += [(begin, last, order, frame) for begin, order, frame in open_ones]
        rows += [("sample", stack, thread_labels(events, pid, tid), {"wall": passed}) for stack, passed in nested(spans)]
    return rows


# other names of the formats' folders, by producer
PRODUCERS = {"cpuprofile": "v8/*.cpuprofile", "stackprof": "ruby/*.json", "chrometrace": "chrome-trace/*.json"}
DECODERS = {"speedscope": speedscope, "cpuprofile": cpuprofile, "heapprofile": heapprofile, "stackprof": stackprof, "chrometrace": chrometrace}


# ---- profcat's output ----


def sums(rows, bare=False):
    """Amounts by kind, stack, labels and measure; `bare`: frames have only names."""
    found = collections.defaultdict(Fraction)
    for kind, stack, labels, values in rows:
        key = (kind, tuple((f[0],) if bare else tuple(f) for f in stack), "" if bare else json.dumps(labels, sort_keys=True))
        for measure, value in values.items():
            found[(*key, measure)] += value
    return {key: value for key, value in found.items() if value}


def rows_of(ndjson):
    for line in ndjson.decode().split("\n")[:-1]:
        row = json.loads(line)
        stack = [(f["function"], f["file"], f["line"], f["column"]) for f in reversed(row["stack"])]
        yield row["kind"], stack, row["labels"], {m: Fraction(v) for m, v in row["values"].items()}


def compare(title, expected, got, slack):
    for key in sorted(set(expected) | set(got), key=str):
        if abs(expected.get(key, 0) - got.get(key, 0)) > slack:
            report(f"{title}: {key}: {float(expected.get(key, 0))} expected, {float(got.get(key, 0))} read")


def files(directory, *formats):
    for form in formats or DECODERS:
        for path in sorted(glob.glob(os.path.join(directory, form, "*")) + glob.glob(os.path.join(directory, PRODUCERS.get(form, form)))):
            if os.path.isfile(path) and ".expected." not in path and not path.endswith(".md"):
                yield form, path


def read(mode, directory):
    only = {"cpuprofile": ["cpuprofile"], "heapprofile": ["heapprofile"], "speedscope": ["speedscope", "cpuprofile", "heapprofile"]}
    count = 0
    for form, path in files(directory, *only.get(mode, ())):
        expected = sums(DECODERS[form](load(path)))
        data = profcat(path, "-t", mode)[0] if mode != "direct" else None
        got, said = profcat("-t", "ndjson", *([] if data else [path]), data=data)
        # amounts finer than a nanosecond are rounded
        compare(f"{path} ({mode})", expected, sums(rows_of(got)), Fraction(1, 2) if any(v.denominator > 1 for v in expected.values()) else 0)
        count += 1
    print(count, "files read")
    return count > 0


# ---- Expected by the profilers' own tools ----


def expected(directory):
    count = 0
    for form, path in files(directory, "cpuprofile", "stackprof"):
        stem = path if os.path.exists(path + ".expected.txt") else os.path.splitext(path)[0]
        stem = stem if os.path.exists(stem + ".expected.txt") else stem + ".dump"
        own, total = collections.Counter(), collections.Counter()
        for _, stack, _, values in rows_of(profcat("-t", "ndjson", path)[0]):
            for value in values.items():
                own[(stack[-1] if stack else None, value[0])] += value[1]
                for frame in {f[0] for f in stack}:
                    total[(frame, value[0])] += value[1]
        if form == "cpuprofile" and os.path.exists(stem + ".expected.txt"):
            for line in open(stem + ".expected.txt"):
                found = re.match(r"(\d+) (.*?) ?(\S*):(\d+):(\d+)$", line)
                if found:
                    frame = (name(found[2], "(anonymous)"), path_of(found[3]), int(found[4]), int(found[5]))
                    if own[(frame, "wall")] != int(found[1]) * 1000:
                        report(f"{path}: {frame}: {found[1]} us expected, {own[(frame, 'wall')]} ns read")
                    count += 1
        if form == "stackprof" and os.path.exists(stem + ".expected.txt"):
            for line in open(stem + ".expected.txt"):
                found = re.match(r"\s*(\d+)\s+\([\d.]+%\)\s+(\d+)\s+\([\d.]+%\)\s+(.*)$", line)
                if found and found[3] != "<main>":  # two functions of one name
                    flat = sum(v for (frame, measure), v in own.items() if frame and frame[0] == found[3] and measure == "samples")
                    if (total[(found[3], "samples")], flat) != (int(found[1]), int(found[2])):
                        report(f"{path}: {line.strip()}: {total[(found[3], 'samples')]} and {flat} read")
                    count += 1
        if os.path.exists(stem + ".expected.folded"):
            folded = collections.Counter()
            for line in open(stem + ".expected.folded"):
                stack, samples = line.rstrip("\n").rsplit(" ", 1)
                folded[stack] += int(samples)
            got = dict(line.rsplit(" ", 1) for line in profcat("-t", "folded", path)[0].decode().splitlines())
            if got != {stack: str(samples) for stack, samples in folded.items()}:
                report(f"{path}: folded differs from {stem}.expected.folded")
            count += 1
    print(count, "numbers of the profilers' tools")
    return count > 0


# ---- Written files ----


def check_speedscope(path, document):
    if document["$schema"] != "https://www.speedscope.app/file-format-schema.json" or not document["profiles"]:
        report(path, "is no speedscope file")
    for profile in document["profiles"]:
        if profile["type"] != "sampled" or profile["unit"] not in UNITS or len(profile["samples"]) != len(profile["weights"]):
            report(path, "has a profile the viewer refuses")
        if any(not 0 <= k < len(document["shared"]["frames"]) for sample in profile["samples"] for k in sample):
            report(path, "names frames it does not have")
        if min(profile["weights"]) < 0 or Fraction(str(profile["endValue"])) != sum(Fraction(str(w)) for w in profile["weights"]):
            report(path, "has weights that are no times of", profile["name"])


def check_cpuprofile(path, document):
    nodes = {node["id"]: node for node in document["nodes"]}
    children = [child for node in document["nodes"] for child in node["children"]]
    if document["nodes"][0]["callFrame"]["functionName"] != "(root)" or sorted([1] + children) != sorted(nodes):
        report(path, "is no tree")
    if len(document["samples"]) != len(document["timeDeltas"]) or any(s not in nodes for s in document["samples"]):
        report(path, "has samples of no node")
    # a client that adds the time before a sample and one that adds the time after it get the same sums
    before, behind = collections.Counter(), collections.Counter()
    for k, sample in enumerate(document["samples"]):
        before[sample] += document["timeDeltas"][k]
        behind[sample] += (document["timeDeltas"] + [0])[k + 1]
    if before != behind:
        report(path, "is read differently by the DevTools")
    if abs(sum(document["timeDeltas"]) - (document["endTime"] - document["startTime"])) > 1:
        report(path, "does not end where its samples do")
    if document["endTime"] - document["startTime"] < sum(document["timeDeltas"]) - 1e-6:
        report(path, "ends before its last sample")


def check_heapprofile(path, document):
    nodes = flatten(document["head"], 1)
    if document["head"]["callFrame"]["functionName"] != "(root)" or any(s["nodeId"] not in nodes for s in document["samples"]):
        report(path, "has samples of no node")
    if sum(s["size"] for s in document["samples"]) != sum(n[2]["selfSize"] for n in nodes.values()):
        report(path, "has samples of another size than its nodes")


# URLs, and the names of their files in tables
URLS = {"file:///x/app.js": "/x/app.js", "file:///x/a%20b%25.js": "/x/a b%.js", "file:///x/gr%C3%B6%c3%9fe.mjs": "/x/größe.mjs", "file://localhost/x/l.js": "/x/l.js",
        "file:///C:/x/w.js": "C:/x/w.js"}  # fmt: skip
URLS.update((name, name) for name in (
    "node:internal/timers", "https://x.org/a%20b.js", "file://host/x/share.js", "file:///x/q.mjs?v=1", "file:///x/q.mjs#v", "file:///x/a%2Fb.js", "file:///x/a%00.js",
    "file:///x/%zz.js", "file:///x/%4", "file://", "webpack:///x.js", "/x/plain%20.js"))  # fmt: skip


def written_urls(form, data):
    document = json.loads(data)
    if form == "speedscope":
        return sorted(frame["file"] for frame in document["shared"]["frames"])
    nodes = document["nodes"] if form == "cpuprofile" else [document["head"], *document["head"]["children"]]
    return sorted(filter(None, (node["callFrame"]["url"] for node in nodes)))


def urls():
    frames = [{"functionName": "f%d" % k, "scriptId": "0", "url": url, "lineNumber": 0, "columnNumber": 0} for k, url in enumerate(URLS)]
    root = {"functionName": "(root)", "scriptId": "0", "url": "", "lineNumber": -1, "columnNumber": -1}
    documents = {
        "cpuprofile": {"nodes": [{"id": k, "hitCount": 1, "callFrame": frame} for k, frame in enumerate(frames)], "startTime": 0, "endTime": 90},
        "heapprofile": {"head": {"id": 1, "selfSize": 0, "callFrame": root,
                                 "children": [{"id": 2 + k, "selfSize": 9, "callFrame": frame, "children": []} for k, frame in enumerate(frames)]}},
        "speedscope": {"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": [{"name": "f", "file": url} for url in URLS]},
                       "profiles": [{"type": "sampled", "name": "", "unit": "none", "startValue": 0, "endValue": 99, "samples": [[k] for k in range(len(URLS))],
                                     "weights": [1] * len(URLS)}]},
    }  # fmt: skip
    for form, document in documents.items():
        data = json.dumps(document).encode()
        with open("urls.json", "wb") as file:
            file.write(data)
        for other in ("ndjson", "pfs", "folded", "pprof"):
            found, _ = profcat("-q", "-z0", "-t", other, "urls.json")
            if other == "ndjson" and sorted(frame["file"] for row in map(json.loads, found.splitlines()) for frame in row["stack"]) != sorted(URLS.values()):
                report(form, "has the files", found.decode())
            if other == "pprof" and (b"/x/a b%.js" not in found or b"file:///x/app" in found):
                report(form, "has other files in pprof")
        stream, _ = profcat("-t", "pfs", "urls.json")
        merged = subprocess.run([os.path.join(BIN, "profmerge"), "-t", "pfs", "urls.json", "urls.json"], capture_output=True, check=True).stdout
        for how in (data, stream, merged):
            found = written_urls(form, profcat("-q", "-t", form, data=how)[0])
            if found != sorted(URLS):
                report(form, "has the URLs", sorted(set(URLS) ^ set(found)))
    spans = [{"ph": "X", "name": "f%d" % k, "pid": 1, "tid": 1, "ts": 10 * k, "dur": 9, "args": {"url": url, "line": 1}} for k, url in enumerate(URLS)]
    found = {frame["file"] for row in profcat("-t", "ndjson", data=json.dumps(spans).encode())[0].splitlines() for frame in json.loads(row)["stack"]}
    if found != set(URLS.values()):
        report("spans have the files", sorted(found))
    return True


def written(directory):
    sources = [path for _, path in files(directory, "speedscope", "cpuprofile", "heapprofile", "chrometrace")]
    sources += sorted(glob.glob(os.path.join(directory, "statprofiler", "*.out")))[:3] + glob.glob(os.path.join(directory, "folded", "plain.folded"))
    for path in sources:
        check_speedscope(path, json.loads(profcat("-t", "speedscope", path)[0]))
        if "heapprofile" in path:
            check_heapprofile(path, json.loads(profcat("-t", "heapprofile", path)[0]))
        else:
            check_cpuprofile(path, json.loads(profcat("-t", "cpuprofile", path)[0]))
    print(len(sources), "files written")
    return len(sources) > 5


# ---- Made here ----


def scope(frames, *profiles, **more):
    return {"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": [{"name": f} for f in frames]},
            "profiles": [dict({"type": "sampled", "name": "n", "unit": "none", "startValue": 0, "endValue": 0}, **p) for p in profiles], **more}  # fmt: skip


def table(data, *options, status=0):
    data = data if isinstance(data, bytes) else json.dumps(data).encode()
    out, said = profcat("-t", "ndjson", *options, data=data, status=status)
    return [(tuple(f[0] for f in stack), {m: int(v) for m, v in values.items()}) for _, stack, _, values in rows_of(out)], said


def expect(title, got, rows, said=""):
    if got[0] != rows:
        report(f"{title}: {str(got[0])[:300]}, expected {str(rows)[:300]}")
    if said and not re.search(said, got[1]):
        report(f"{title}: said {got[1]!r}, expected {said!r}")


def made():
    names = ["x" * 100_000, "nul\0in", "ö\u2028"]
    expect("names", table(scope(names, {"samples": [[0, 1, 2]], "weights": [1]})), [(tuple(names), {"hits": 1})])
    expect("64 bits", table(scope("a", {"samples": [[0]], "weights": [2**63 - 1]})), [(("a",), {"hits": 2**63 - 1})])
    expect("more", table(scope("a", {"samples": [[0], [0]], "weights": [1, 2**63]}), status=3), [(("a",), {"hits": 1})], "record 2: .*64 bits")
    deep = scope("a", {"samples": [[0] * 20_000], "weights": [3]})
    expect("deep", table(deep), [(("a",) * 20_000, {"hits": 3})])
    expect("seconds", table(scope("a", {"unit": "seconds", "samples": [[0]] * 3, "weights": [0.1, 0.25, 1e-9]})),
           [(("a",), {"wall": 10**8}), (("a",), {"wall": 25 * 10**7}), (("a",), {"wall": 1})])  # fmt: skip
    expect("no frames", table(scope("a", {"samples": [[], [0]], "weights": [2, 3]})), [((), {"hits": 2}), (("a",), {"hits": 3})])
    expect("missing frame", table(scope("a", {"samples": [[0], [7]], "weights": [1, 1]}), status=3), [(("a",), {"hits": 1})], "offset .*frame 7")
    expect("no weights", table(scope("a", {"samples": [[0]], "weights": []}), status=3), [], "1 samples and 0 weights")
    expect("before 0.1", table({"version": "0.0.1", "shared": {"frames": [{"name": "a"}]}, "profiles": [{"frames": []}]}, status=3), [], "before its file format")
    expect("negative", table(scope("a", {"unit": "none", "samples": [[0]], "weights": [-4]})), [(("a",), {"hits": -4})])
    tree = {"callFrame": {"functionName": "deepest", "url": "", "lineNumber": 0, "columnNumber": 0}, "selfSize": 5, "id": 1, "children": []}
    whole = '{"callFrame":{"functionName":"f","url":""},"selfSize":0,"id":%d,"children":['
    nest = "".join(whole % (k + 2) for k in range(50_000)) + json.dumps(tree) + "]}" * 50_000
    expect("nested", table(b'{"head":' + nest.encode() + b"}"), [(("f",) * 50_000 + ("deepest",), {"inuse_space": 5})])
    expect("too deep", table(b'{"$schema":"https://www.speedscope.app/x","x":' + b"[" * 1_200_000, status=3), [], "levels of nesting")
    frame = {"functionName": "f", "url": "", "lineNumber": 0, "columnNumber": 0}
    loop = {"nodes": [{"id": 1, "callFrame": frame, "hitCount": 1, "children": [2]}, {"id": 2, "callFrame": frame, "hitCount": 1, "children": [1]}],
            "samples": [1], "timeDeltas": [1], "startTime": 0, "endTime": 1}  # fmt: skip
    expect("a loop", table(loop, status=3), [], "offset .*own ancestor")
    loop["nodes"][1]["id"] = 1
    expect("a node twice", table(loop, status=3), [], "offset .*node 1 is defined twice")
    good = {"nodes": [{"id": 1, "callFrame": dict(frame, functionName="(root)"), "children": [2]}, {"id": 2, "callFrame": frame}],
            "samples": [2, 2, 1], "timeDeltas": [5, 7, 9], "startTime": 0, "endTime": 25}  # fmt: skip
    expect("before", table(good, "-f", "cpuprofile:deltas=before"), [(("f",), {"hits": 1, "wall": 5000}), (("f",), {"hits": 1, "wall": 7000}), ((), {"hits": 1, "wall": 9000})])
    # samples at 5, 12 and 21. The profile ends at 25; if its end is unknown or before the third sample, that lasts the mean of 7 and 9
    for title, change, last in (("to the end", {}, 4000), ("fine end", {"endTime": 25.25}, 4250), ("no end", {"endTime": None}, 8000),
                                ("early end", {"endTime": 20}, 8000), ("no start", {"startTime": None}, 8000), ("at once", {"endTime": 21}, 0)):  # fmt: skip
        profile = {key: value for key, value in dict(good, **change).items() if value is not None}
        rows = [(("f",), {"hits": 1, "wall": 7000}), (("f",), {"hits": 1, "wall": 9000}), ((), {"hits": 1, "wall": last})]
        expect(title, table(profile), rows)
        expect(title + ", asked for", table(profile, "-f", "cpuprofile:deltas=next"), table(profile)[0])
    lone = dict(good, samples=[2], timeDeltas=[5])
    expect("one sample", table(lone), [(("f",), {"hits": 1, "wall": 20000})])
    chunk = {"ph": "P", "name": "ProfileChunk", "pid": 1, "tid": 1, "ts": 0, "id": "1",
             "args": {"data": {"cpuProfile": {"nodes": [{"id": 1, "callFrame": frame}], "samples": [1, 1]}, "timeDeltas": [50, 3]}}}  # fmt: skip
    end = {**chunk, "args": {"data": {"startTime": 100, "endTime": 157.5}}}
    expect("a trace", table([chunk]), [(("f",), {"hits": 1, "wall": 3000})] * 2)
    expect("a trace to its end", table([chunk, end]), [(("f",), {"hits": 1, "wall": 3000}), (("f",), {"hits": 1, "wall": 4500})])
    expect("a trace, before", table([end, chunk], "-f", "chrometrace:deltas=before"), [(("f",), {"hits": 1, "wall": 50000}), (("f",), {"hits": 1, "wall": 3000})])
    crlf = json.dumps(good, indent=2).replace("\n", "\r\n").encode()
    expect("CRLF", table(b"\xef\xbb\xbf" + crlf), table(good)[0])
    cut = crlf[: crlf.index(b'"timeDeltas"') + 30]
    expect("cut", table(cut, status=3), table(cut, status=3)[0], "offset [0-9]+: the JSON text ends")
    span = {"ph": "X", "pid": 1, "tid": 1, "name": "a", "ts": 0, "dur": 9007199254740993}
    expect("2^53", table([span]), [(("a",), {"wall": 9007199254740993000})])
    expect("no 64 bits", table([dict(span, ts=9223372036854775)], status=3), [], "64 bits")
    for data, word in (({"meta": {"processType": 0, "preprocessedProfileVersion": 47}, "threads": []}, "Firefox"), ({"root_frame": None}, "pyinstrument"),
                       ({"resourceProfiles": []}, "OTLP"), ({"linux-perf-json-version": 1}, "perf script"), ({"schema": "profutils.top/1"}, "samples/1")):  # fmt: skip
        expect(word, table(data, status=3), [], word)
    data = json.dumps(scope("ab", {"samples": [[0], [0, 1]], "weights": [1, 2]})).encode()
    rows = profcat("-t", "ndjson:explode", data=data)[0]
    expect("explode", table(rows, status=3), [], "whole stacks")
    folded = b"a;b 5\na;c -7\n"
    expect("both signs", table(profcat("-t", "speedscope", data=folded)[0]), [(("a", "b"), {"samples": 5}), (("a", "c"), {"samples": -7})])
    for form, word in (("cpuprofile", "negative"), ("heapprofile", "bytes")):
        out, said = profcat("-t", form, data=folded, status=2)
        if word not in said:
            report(form, said)
    return True


# ---- Other projects' files: as the importer of speedscope 1.25 reads them under node, except spans cut at their parent's end ----

WILD = {
    "speedscope/0.0.1-simple.json": "a;b 5|a;b;c 5|a;b;d 4",
    "speedscope/0.6.0-two-sampled.json": "a;b 10000000000|a;b;c 10000000000|a;b;d 8000000000",
    "chrome-trace/hermes-multiple-frames.json": "[root] 4000|[root];beta 1000|[root];gamma 3000|[root];gamma;beta 6000",
    "chrome-trace/invalid-x-nesting.json": "alpha 5000|alpha;beta 5000",
    "chrome-trace/matching-x.json": "alpha 8000|alpha;beta;gamma 1000|alpha;gamma;beta 1000",
    "chrome-trace/multi-thread-with-samples.json": "[root thread 2] 30770000|[root thread 2];function3 13326000|[root thread 2];function4 10000000|"
    "[root] 20770000|[root];function1 13326000",
    "chrome-trace/out-of-order-unbalanced-name.json": "alpha 1000|alpha;beta 8000",
    "chrome-trace/simple-partial-trailing-comma.json": "alpha 2000|alpha;beta 3000|alpha;beta;epsilon 4000|alpha;beta;gamma 5000",
    "chrome-trace/too-many-end-events.json": "alpha 2000|alpha;beta 12000",
}


def wild(directory):
    for path, folded in WILD.items():
        got = profcat("-t", "folded", os.path.join(directory, path))[0].decode()
        if got.splitlines() != folded.split("|"):
            report(path, got)
    for form, path in (("cpuprofile", "cpuprofile/chrome65-simple.cpuprofile"), ("stackprof", "stackprof/last-frame-no-name.json")):
        path = os.path.join(directory, path)
        compare(path, sums(DECODERS[form](load(path))), sums(rows_of(profcat("-t", "ndjson", path)[0])), 0)
    for path, word in (("invalid/speedscope-out-of-order.json", "frame 1 closes, but frame 0 is the open frame"), ("firefox/ff61-recursion.json", "Firefox")):
        said = profcat("-t", "folded", os.path.join(directory, path), status=3)[1]
        if word not in said:
            report(path, said)
    return True


if __name__ == "__main__":
    done = {"read": read, "urls": urls, "expected": expected, "written": written, "made": made, "wild": wild}[sys.argv[1]](*sys.argv[2:])
    sys.exit(0 if done and not wrong else 1)
