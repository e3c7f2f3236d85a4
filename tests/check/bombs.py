#!/usr/bin/env python3
"""Inputs that pack to almost nothing: bombs.py BIN.

A program takes at most 64 MiB and 16 times the decompressed size. --max-input refuses larger
inputs, in whichever layer they are unpacked.
"""
import gzip
import os
import subprocess
import sys
import tempfile
import zlib

SIZE = 6_000_000
BIN = sys.argv[1]


def repeat(head, unit, tail=b""):
    return head + unit * (SIZE // len(unit)) + tail


def message(tag, body):
    size, number = b"", len(body)
    while number > 127:
        size += bytes([number & 127 | 128])
        number >>= 7
    return bytes([tag]) + size + bytes([number]) + body


def pprof(body):
    return b"\x32\x00\x0a\x04\x08\x01\x10\x02" + body + b"\x32\x01a\x32\x01b"


SPEEDSCOPE = (b'{"$schema":"https://www.speedscope.app/file-format-schema.json",'
              b'"shared":{"frames":[')
V8 = (b'{"nodes":[{"id":1,"callFrame":{"functionName":"a","url":"","lineNumber":1,'
      b'"columnNumber":1,"scriptId":"0"}}],"startTime":0,"endTime":1,"samples":[')

# Name: bytes and exit status (None: 0 or 3).
BOMBS = {
    "pprof, empty mappings": (pprof(repeat(b"", b"\x1a\x00")), 3),
    "pprof, empty locations": (pprof(repeat(b"", b"\x22\x00")), 3),
    "pprof, empty functions": (pprof(repeat(b"", b"\x2a\x00")), 3),
    "pprof, empty sample types": (pprof(repeat(b"", b"\x0a\x00")), 3),
    "pprof, one mapping again and again": (pprof(repeat(b"", b"\x1a\x02\x08\x01")), 3),
    "pprof, one location again and again": (pprof(repeat(b"", b"\x22\x02\x08\x01")), 3),
    "pprof, comments": (pprof(message(0x6A, b"\x01" * SIZE)), 3),
    "pprof, labels of one sample": (
        pprof(message(0x12, repeat(b"\x10\x01", b"\x1a\x02\x08\x01"))), 3),
    "pprof, samples without values": (pprof(repeat(b"", b"\x12\x00")), 3),
    "folded, one line again and again": (repeat(b"", b"a 1\n"), 0),
    "folded, deep stacks": (repeat(b"", b"a;" * 100000 + b"a 1\n"), 0),
    "callgrind, one line again and again": (
        repeat(b"# callgrind format\nevents: Ir\nfn=a\n", b"1 1\n"), 0),
    "speedscope, empty frames": (
        repeat(SPEEDSCOPE, b'{"name":""},', b'{"name":"a"}]},"profiles":[]}'), None),
    "V8, samples": (repeat(V8, b"1,", b'1],"timeDeltas":[1]}'), None),
}


def run(path, program="profcat", *options):
    """Exit status, largest resident set in MiB, messages."""
    errors = tempfile.TemporaryFile()
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(errors.fileno(), 2)
        view = ["-t", "pfs" if program == "profcat" else "csv"]
        os.execv(os.path.join(BIN, program), [program, *view, *options, path])
    _, status, usage = os.wait4(child, 0)
    errors.seek(0)
    said = errors.read().decode(errors="replace")
    return os.waitstatus_to_exitcode(status), usage.ru_maxrss / 1024, said[:200]


def check_memory(folder, problems):
    for name, (data, expected) in BOMBS.items():
        path = os.path.join(folder, "bomb.gz")
        with open(path, "wb") as file:
            file.write(gzip.compress(data, 9))
        for program in ("profcat", "proftop"):
            status, memory, said = run(path, program)
            most = 64 + 16 * len(data) / 2**20
            if memory > most or status not in ((0, 3) if expected is None else (expected,)):
                problems.append(f"{program}, {name}: exit {status}, {memory:.0f} MiB "
                                f"of at most {most:.0f}: {said}")


def layers(folder):
    """The same 3,000 folded lines in every layer: their contents are larger than 20,000 bytes."""
    plain = os.path.join(folder, "plain.folded")
    with open(plain, "w", encoding="ascii") as file:
        file.writelines(f"main;function_{k % 50};leaf_{k} {k + 1}\n" for k in range(3000))
    with open(plain, "rb") as file, gzip.open(os.path.join(folder, "packed.gz"), "wb") as packed:
        packed.write(file.read())
    yield plain
    yield os.path.join(folder, "packed.gz")
    packers = {"deflated.pfs": ["-t", "pfs", "-z", "9"], "snappy.out": ["-t", "statprofiler"],
               "x.pb.gz": ["-t", "pprof"]}
    for name, options in packers.items():
        path = os.path.join(folder, name)
        command = [os.path.join(BIN, "profcat"), "-q", *options, "-o", path, plain]
        subprocess.run(command, check=True)
        yield path


def nytprof(folder):
    """A NYTProf file of comments, deflated: its bytes are a hundredth of what they unpack to."""
    head = (b"NYTProf 5 0\n#Perl profile database\n:basetime=1\n:ticks_per_sec=10000000\n"
            b":nv_size=8\n")
    comment = b"#" + b"x" * 99 + b"\n"
    path = os.path.join(folder, "nytprof.out")
    with open(path, "wb") as file:
        file.write(head + b"z" + zlib.compress(comment * 2000, 9))
    return path


def check_limit(folder, problems):
    for path in [*layers(folder), nytprof(folder)]:
        name = os.path.basename(path)
        for limit, expected in (("20k", 3), ("1G", 0)):
            for options in ([], ["-j", "2"]):
                status, _, said = run(path, "profcat", f"--max-input={limit}", *options)
                named = "--max-input" in said
                if status != expected or named != (expected == 3):
                    problems.append(f"{name}, --max-input={limit} {options}: exit {status}, "
                                    f"expected {expected}: {said}")


def main():
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        check_memory(folder, problems)
        check_limit(folder, problems)
    print("\n".join(problems))
    sys.exit(bool(problems))


main()
