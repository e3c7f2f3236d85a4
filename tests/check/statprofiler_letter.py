#!/usr/bin/env python3
"""Tests the programs against the plan of StatProfiler's format (libcommon/format/statprofiler/FORMAT.md, section 10), rule by
rule, and against its text form (section 9 there).

    statprofiler_letter.py DIR TMP    DIR: the corpora; TMP: where files are made

Expected bytes and offsets come from the encoder of statprofiler.py. PROFUTILS_BIN is the directory of the programs.
"""
import os
import re
import sys

from statprofiler import MAGIC, Report, Run, load, msb, profiles, row_stack, rows_of, string, without_first_lines


def plan_record(tag, *fields):
    """A record with the length of its payload. Fields are numbers, texts, or raw bytes."""
    payload = b"".join(
        msb(f) if isinstance(f, int) else string(f) if isinstance(f, str) else f for f in fields)
    return bytes([tag]) + msb(len(payload)) + payload


PLAN_HEADER = {201: (5, 18, 2), 202: (10000000,), 203: (20,), 204: (0, 1)}


def plan_head(*lacking):
    return MAGIC + b"\1" + b"".join(plan_record(t, *f) for t, f in PLAN_HEADER.items() if t not in lacking) + b"\xfe"


def plan_sample(weight, count, *frames):
    return plan_record(1, weight, count, "const") + b"".join(frames) + b"\2"


def plan_frame(name, file, line):
    return plan_record(3, name, file, line)


def plan_cases():
    """Name, bytes, stacks, and a pattern for the complete messages."""
    f, top = plan_frame("A::f", "a.pl", 3), plan_frame("", "a.pl", 9)
    shown, last = ("A::f", "a.pl", 3), ("(main)", "a.pl", 9)
    at = len(plan_head())
    yield "eval frames", plan_head() + plan_sample(3, 3, f, plan_record(4, "(eval 7)", 2), top) + plan_sample(
        1, 2, plan_record(4, b"anything else"), top) + plan_sample(2, 2, plan_record(4), plan_record(4, "b.pl", 7)) + b"\xfe", [
            [shown, ("(eval)", "(eval 7)", 2), last], [("(eval)", "", 0), last],
            [("(eval)", "", 0), ("(eval)", "b.pl", 7)]], "$"
    whole = plan_sample(3, 2, f, top)
    yield "a frame too few", plan_head() + whole + plan_sample(1, 3, f, top) + b"\xfe", [[shown, last]] * 2, (
        r".*: offset %d: sample start announces 3 frames, 2 found\n$" % (at + len(whole)))
    yield "three wrong counts", plan_head() + plan_sample(1, 0, f) + plan_sample(1, 2, f) + plan_sample(1, 1) + b"\xfe", [
        [shown], [shown], []], (
            r".*: offset %d: sample start announces 0 frames, 1 found\n"
            r".*: sample starts with a wrong number of frames: 3 in all\n$" % at)
    names = {201: "Perl version", 202: "tick duration", 203: "stack depth", 204: "Devel::StatProfiler version"}
    for lacking in ((201,), (202, 204), (203,), tuple(names)):
        listed = ", ".join("%s \\(tag %d\\)" % (names[t], t) for t in lacking)
        yield "without %r" % (lacking,), plan_head(*lacking) + whole * 2 + b"\xfe", [[shown, last]] * 2, (
            r".*: the header lacks mandatory records: %s\n$" % listed)


def check_plan_letter(report, folder, path):
    for name, data, stacks, said in plan_cases():
        report.count += 1
        with open(path, "wb") as file:
            file.write(data)
        run = Run(("profcat", "-t", "ndjson", path))
        report.equal(name, "stacks", [row_stack(r) for r in rows_of(run)], stacks)
        if not re.match(said, run.text):
            report.differ(name, "the messages are", repr(run.text))
    for dialect, frame in (("plan", ("main::f", "a.pl", 200)), ("plan,names=split", ("main", "f", "a.pl", 200))):
        want = plan_head() + plan_record(198, "req") + plan_sample(
            300, 2, plan_record(3, *frame), plan_record(3, *([""] * (len(frame) - 2)), "a.pl", 9))
        want += plan_record(199, "req") + b"\xfe"
        with open(path, "wb") as file:
            file.write(want)
        run = Run(("profcat", "-t", "statprofiler:dialect=" + dialect, path))
        report.equal(dialect, "the file", run.out, want)
    edge = os.path.join(folder, "statprofiler", "edge")
    for name, dialect in (("01-plan-literal-msb.out", "plan,names=split"), ("05-text.out", "text")):
        with open(os.path.join(edge, name), "rb") as file:
            want = file.read()
        run = Run(("profcat", "-t", "statprofiler:dialect=" + dialect, os.path.join(edge, name)))
        report.equal(name, "written as " + dialect, run.out, want)


def check_text_form(report, folder, path):
    """Tests that everything the text form holds is kept, and that names that break its fields are refused."""
    for source in profiles(folder):
        report.count += 1
        plain = without_first_lines(rows_of(Run(("profcat", "-t", "ndjson", source))))
        tick = load(source + ".expected.json")["files"][0]["header"]["tick_us"]
        run = Run(("profcat", "-t", "statprofiler:dialect=text", source),
                  ("profcat", "-f", "statprofiler:tick=%d" % tick, "-t", "ndjson"))
        if run.status == 2:
            report.equal(source, "refusal", "separate fields" in run.text and "unicode" in source, True)
            continue
        for row in plain:
            row["sections"] = []
        report.equal(source, "text", [r for r in rows_of(run) if r not in plain], [])
    for head, found in ((b"7;\n", True), (b"5;nextstate\n" * 20000, False), (b"0;\n3;_xsub\n" * 2000, True), (b"1;2;3\n", False)):
        report.count += 1
        with open(path, "wb") as file:
            file.write(head + b"3;8,main::f,a.pl,3;const\n")
        run = Run(("profcat", "-t", "ndjson", path))
        report.equal("text after %r" % head[:12], "status", run.status, 0 if found else 3)


def main(folder, scratch):
    report = Report()
    path = os.path.join(scratch, "letter.out")
    check_plan_letter(report, folder, path)
    check_text_form(report, folder, path)
    report.leave()


if __name__ == "__main__":
    main(*sys.argv[1:])
