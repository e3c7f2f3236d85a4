#!/usr/bin/env python3
"""Compares the labels of --label-meta with the metadata that StatProfiler's own reader returned.

    label_meta.py DIR     each NAME.expected.json[.gz] and ID.series.expected.json[.gz] in DIR: every record has the values
                          that the reader gave up to this sample; read directly, by threads, through streams, and with
                          labels set before a merge

Differences are printed; the exit status is 1 when there are any. PROFUTILS_BIN is the directory of the programs.
"""
import collections
import glob
import gzip
import json
import os
import subprocess
import sys

BIN = os.environ["PROFUTILS_BIN"]


def run(words, data=None):
    return subprocess.run([os.path.join(BIN, words[0]), *words[1:]], input=data, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout


def expected(path):
    """Weight and metadata in force of each sample, and the keys."""
    with (gzip.open if path.endswith(".gz") else open)(path) as file:
        document = json.load(file)
    samples, force = [], {}
    for part in document["files"]:
        for sample in part["samples"]:
            force.update(sample.get("metadata", {}))
            if "synthetic" not in sample:
                samples.append((sample["weight"], dict(force)))
    return document, samples, sorted(key for key in force if key and "\0" not in key)


def records(stream, keys):
    found = []
    for line in run(["profcat", "-q", "-t", "ndjson"], stream).splitlines():
        record = json.loads(line)
        if "kind" in record:
            labels = record["labels"]
            found.append((record["values"].get("samples", 0), {key: labels[key][0] for key in keys if key in labels}))
    return found


def sums(stream, key):
    """Records by value; weights are in units of a tick, which cancel out."""
    total = collections.Counter()
    for count, labels in records(stream, [key]):
        total[labels.get(key)] += count
    return +total


def routes(option, files):
    yield "direct", run(["profcat", "-q", option, *files])
    yield "threads", run(["profcat", "-q", "-j4", option, *files])
    yield "stream", run(["profcat", "-q", option], run(["profcat", "-q", *files]))
    yield "filter", run(["proffilter", "-q", option], run(["proffilter", "-q"], run(["profcat", "-q", "-z1", *files])))


def check(path, files):
    document, samples, keys = expected(path)
    bad = 0
    if any(part["end"].get("error") for part in document["files"]) or not keys:
        return 0, 0
    option = "--label-meta=" + ",".join(key.replace("\\", "\\\\").replace(",", "\\,") for key in keys)
    want = [{key: force[key] for key in keys if key in force} for _, force in samples]
    for name, stream in routes(option, files):
        got = [labels for _, labels in records(stream, keys)]
        if got != want:
            bad += 1
            where = [k for k in range(min(len(got), len(want))) if got[k] != want[k]][:1]
            print("%s, %s: %d records, expected %d; first difference at %s" % (path, name, len(got), len(want), where))
    for key in keys:
        total = collections.Counter()
        for weight, force in samples:
            total[force.get(key)] += weight > 0
        merged = run(["profmerge", "-q", "--label-meta=" + key.replace(",", "\\,"), *files])
        if sums(merged, key) != +total:
            bad += 1
            print("%s, merge: %s, expected %s" % (path, sums(merged, key), +total))
    return 1, bad


def main(folder):
    done = bad = 0
    for path in sorted(glob.glob(os.path.join(folder, "*.expected.json*"))):
        name = path[: path.index(".expected.json")]
        files = sorted(glob.glob(glob.escape(name[: -len(".series")]) + ".0*")) if name.endswith(".series") else [name]
        files = [file for file in files if ".expected." not in file]
        some, wrong = check(path, files)
        done, bad = done + some, bad + wrong
    if done < 8:
        print("%d profiles with metadata, expected 8 or more" % done)
    print("%d profiles" % done)
    sys.exit(bad > 0 or done < 8)


if __name__ == "__main__":
    main(sys.argv[1])
