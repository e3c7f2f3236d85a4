#!/usr/bin/env python3
"""Inputs that compress to almost nothing: bombs.py BIN [MEGABYTES].

A program may use at most 64 MiB plus 16 times the decompressed size, plus 400 bytes for each distinct
name, place, stack or set of labels. The inputs here have a valid beginning and then the shortest
repetition of their format. Without MEGABYTES they are small, and 24 instead of 64 MiB must be enough.
Every format that is read has a line. --max-input must refuse larger inputs, in each layer of compression.
"""
import gzip
import os
import struct
import subprocess
import sys
import tempfile
import zlib

BIN = sys.argv[1]
SIZE = int(float(sys.argv[2]) * 1e6) if len(sys.argv) > 2 else 1_500_000
ROOM = 64 if len(sys.argv) > 2 else 24  # MiB
DISTINCT = 400  # bytes


def same(head, unit, tail=b""):
    """Repeats the unit: nothing is distinct."""
    return lambda: (head + unit * (SIZE // len(unit)) + tail, 0)


def each(head, unit, tail=b""):
    """Repeats the unit with a different number each time, in hexadecimal for each %x."""
    marks = unit.count(b"%")

    def make():
        count = SIZE // (len(unit % ((0,) * marks)) + 4)
        units = b"".join(unit % ((k,) * marks) for k in range(1, count))
        return head + units + tail, count

    return make


def packed(head, unit, tail=b""):
    """Repeats a binary unit that is made from a different number each time."""
    def make():
        count = SIZE // len(unit(1 << 16))
        return head + b"".join(unit(k) for k in range(1, count)) + tail, count

    return make


def varint(number):
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def message(tag, body):
    return bytes([tag]) + varint(len(body)) + body


PPROF = b"\x32\x00\x0a\x04\x08\x01\x10\x02\x32\x01a\x32\x01b"


def written(name, lines):
    """The output of profcat for folded stacks that are all different."""
    def make():
        count = SIZE // lines
        text = b"".join(b"main;%x 1\n" % k for k in range(count))
        command = [os.path.join(BIN, "profcat"), "-q", "-f", "folded", "-t", name]
        data = subprocess.run(command, input=text, stdout=subprocess.PIPE, check=True).stdout
        return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data, count

    return make


def pynytprof(tag, unit):
    def make():
        with open(os.path.join(os.environ["PROFUTILS_SRC"], "tests/corpus/pynytprof",
                               "hand_P_raw.nyt"), "rb") as file:
            head = file.read()
        body, count = packed(b"", unit)()
        head = head[:head.index(b"ST\0\0\0\0\0\0\0")]
        return head + tag + struct.pack("<Q", len(body)) + body + b"E\0\0\0\0", count

    return make


def dcpi():
    count = SIZE // 4
    head = (b"image 19970328081403c0c18b\nepoch 9805191724\nplatform walnut\nevent cycles\n"
            b"period 63488\ntsize %d\ncpuspeed 333\nsamples\n" % (4 * count))
    body = struct.pack("<2I", 0, count) + struct.pack("<I", 1) * count
    return head + body + struct.pack("<2I", count, count), count


def dcpicat():
    count = SIZE // 19
    head = (b"name a\nimage 20010904031500a1b2c3\nepoch 200109050607\nplatform elm\n"
            b"text_start 0x000120000000\ntext_size 0x000009000000\n"
            b"event %d cycles:63488:10000\n" % count)
    return head + b"".join(b"0x%012x 1\n" % (0x120000000 + 4 * k) for k in range(count)), count


def gmon_histogram():
    head = GMON + b"\0" + struct.pack("<2Q2I", 4096, 4096 + SIZE, SIZE // 2, 100)
    return head + b"seconds".ljust(15, b"\0") + b"s" + b"\1\0" * (SIZE // 2), SIZE // 2


def names_of_one_line(size, frame, tail, limit=1_000_000):
    def make():
        count = min(SIZE // size, limit)
        return frame.join(b"%x" % k for k in range(count)) + tail, count

    return make


CALLGRIND = b"# callgrind format\nevents: Ir\n"
CACHEGRIND = b"desc: a\ncmd: ./p\nevents: Ir\nfl=a.c\nfn=main\n"
AUSTIN = b"# austin: 3.6.0\n# mode: wall\n"
SPEEDSCOPE = b'{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":['
SAMPLED = SPEEDSCOPE + (b'{"name":"a"}]},"profiles":[{"type":"sampled","unit":"none","name":"n",'
                        b'"startValue":0,"endValue":3,')
FRAME = (b'"callFrame":{"functionName":"a","url":"","lineNumber":1,"columnNumber":1,'
         b'"scriptId":"0"}')
V8 = b'{"nodes":[{"id":1,' + FRAME + b'}],"startTime":0,"endTime":1,"samples":['
NODES = (b'{"startTime":0,"endTime":1,"samples":[1],"timeDeltas":[1],"nodes":[{"id":0,' + FRAME +
         b"}")
HEAP = b'{"head":{' + FRAME + b',"selfSize":1,"id":0,"children":[{' + FRAME + b',"selfSize":1,"id":0'
STACKPROF = (b'{"version":1.2,"mode":"cpu","interval":1000,"samples":50,"gc_samples":0,'
             b'"missed_samples":0,"metadata":{},')
ONE = b'"frames":{"1":{"name":"a","file":"b","line":1,"total_samples":1,"samples":1'
TRACE = b'[{"ph":"X","pid":1,"tid":1,"ts":180,"dur":275,"name":"x"}'
BPFTRACE = b"Attaching 1 probe...\n\n@[\n    f+1\n]: 1\n"
ROW = b'{"id":1,"kind":"sample","sections":[],"labels":{},"stack":["a"],"values":{"w":1},' \
      b'"units":{"w":"count"}}'
CPU = struct.pack("<5I", 0, 3, 0, 10000, 0)
GMON = b"gmon" + struct.pack("<I", 1) + bytes(12)
NYTPROF = (b"NYTProf 5 0\n#Perl profile database\n:basetime=1\n:ticks_per_sec=10000000\n:nv_size=8\n"
           b"P\x05\x01" + struct.pack("<d", 1.0) + b"@\x01\0\0\x10\0\0'\x05/a.pl")
FUNCTION = b")\x03z\x01ai\x01\0\0\0z\x01b"
PSTATS = b"{" + FUNCTION + b")\x05" + b"i\1\0\0\0" * 2 + b"f\x033.0" * 2

# (Format, what repeats): a function that returns the bytes and the number of distinct things, and the
# expected exit status (None: 0 or 3).
BOMBS = {
    ("pprof", "empty mappings"): (same(PPROF, b"\x1a\x00"), 3),
    ("pprof", "empty locations"): (same(PPROF, b"\x22\x00"), 3),
    ("pprof", "empty functions"): (same(PPROF, b"\x2a\x00"), 3),
    ("pprof", "empty sample types"): (same(PPROF, b"\x0a\x00"), 3),
    ("pprof", "one mapping"): (same(PPROF, b"\x1a\x02\x08\x01"), 3),
    ("pprof", "one location"): (same(PPROF, b"\x22\x02\x08\x01"), 3),
    ("pprof", "a comment"): (lambda: (PPROF + message(0x6A, b"\x01" * SIZE), 0), 3),
    ("pprof", "labels of one sample"): (
        lambda: (PPROF + message(0x12, b"\x10\x01" + b"\x1a\x02\x08\x01" * (SIZE // 4)), 0), 3),
    ("pprof", "samples without values"): (same(PPROF, b"\x12\x00"), 3),
    ("pprof", "samples"): (same(PPROF + b"\x22\x02\x08\x01", b"\x12\x04\x08\x01\x10\x01"), 0),
    ("pprof", "lines of one location"): (
        lambda: (PPROF + b"\x2a\x02\x08\x01" + b"\x12\x04\x08\x01\x10\x01" +
                 message(0x22, b"\x08\x01" + b"\x22\x02\x08\x01" * (SIZE // 4)), 0), None),
    ("pprof", "functions"): (
        packed(PPROF, lambda k: message(0x2A, b"\x08" + varint(k))), 0),
    ("pprof", "locations"): (
        packed(PPROF, lambda k: message(0x22, b"\x08" + varint(k))), 0),
    ("pprof", "mappings"): (
        packed(PPROF, lambda k: message(0x1A, b"\x08" + varint(k))), 0),
    ("folded", "one line"): (same(b"", b"a 1\n"), 0),
    ("folded", "deep stacks"): (same(b"", b"a;" * 100000 + b"a 1\n"), 0),
    ("folded", "names"): (each(b"", b"%x 1\n"), 0),
    ("folded", "two columns"): (each(b"", b"%x 1 2\n"), 0),
    ("folded", "names of one stack"): (names_of_one_line(6, b";", b" 1\n"), None),
    ("callgrind", "one line"): (same(CALLGRIND + b"fn=a\n", b"1 1\n"), 0),
    ("callgrind", "next lines"): (same(CALLGRIND + b"fn=a\n", b"+1 1\n"), 0),
    ("callgrind", "functions"): (each(CALLGRIND, b"fn=%x\n1 1\n"), 0),
    ("callgrind", "calls"): (each(CALLGRIND + b"fn=a\n", b"cfn=%x\ncalls=1 1\n1 1\n"), 0),
    ("cachegrind", "lines"): (each(CACHEGRIND, b"%d 1\n", b"summary: 1\n"), 0),
    ("cachegrind", "functions"): (each(CACHEGRIND, b"fn=%x\n1 1\n", b"summary: 1\n"), 0),
    ("perf-script", "one sample"): (same(b"", b"a 1 1.0: 1 c: \n\t1 f (x)\n\n"), 0),
    ("perf-script", "frames"): (same(b"a 1 1.0: 1 c: \n", b"\t1 f (x)\n", b"\n"), 0),
    ("perf-script", "names"): (each(b"", b"%x 1 1.0: 1 c: \n\t1 %x (x)\n\n"), 0),
    ("perf-script", "names of one stack"): (each(b"a 1 1.0: 1 c: \n", b"\t1 %x (x)\n", b"\n"), 0),
    ("bpftrace", "one entry"): (same(BPFTRACE, b"@[\n    f+1\n]: 1\n"), 0),
    ("bpftrace", "names"): (each(BPFTRACE, b"@[\n    %x\n]: 1\n"), 0),
    ("bpftrace", "parts of one key"): (
        each(BPFTRACE + b"@[\n    f\n", b", %x", b"]: 1\n"), 3),
    ("bpftrace", "maps"): (each(BPFTRACE, b"@%x[\n    f\n]: 1\n"), None),
    ("dtrace", "one stack"): (same(b"", b"  a`f+0x1\n  1\n\n"), 0),
    ("dtrace", "names"): (each(b"  a`f+0x1\n  1\n\n", b" %x\n 1\n\n"), 0),
    ("austin", "one sample"): (same(AUSTIN, b"P1;T1;/a.py:f:1 5\n"), 0),
    ("austin", "names"): (each(AUSTIN, b"P1;T1;a:%x:1 5\n"), 0),
    ("austin", "threads"): (each(AUSTIN, b"P1;T%x;a:f:1 5\n"), 0),
    ("stackprof", "one sample"): (
        same(STACKPROF + ONE + b'}},"raw":[', b"1,1,1,", b"1,1,1]}"), 0),
    ("stackprof", "frames"): (
        each(STACKPROF + b'"raw":[1,1,1],' + ONE + b"}", b',"%d":{"name":"%x"}', b"}}"), 0),
    ("stackprof", "edges"): (
        each(STACKPROF + ONE + b',"edges":{"1":1', b',"%d":1', b"}}}}"), 0),
    ("speedscope", "frames without names"): (
        same(SPEEDSCOPE, b'{"name":""},', b'{"name":"a"}]},"profiles":[]}'), None),
    ("speedscope", "frames"): (
        each(SPEEDSCOPE, b'{"name":"%x"},', b'{"name":"a"}]},"profiles":[]}'), None),
    ("speedscope", "samples"): (
        same(SAMPLED + b'"weights":[1],"samples":[', b"[0],", b"[0]]}]}"), 3),
    ("speedscope", "weights"): (same(SAMPLED + b'"samples":[[0]],"weights":[', b"1,", b"1]}]}"), 3),
    ("cpuprofile", "samples"): (same(V8, b"1,", b'1],"timeDeltas":[1]}'), 0),
    ("cpuprofile", "times"): (same(V8 + b'1],"timeDeltas":[', b"1,", b"1]}"), 0),
    ("cpuprofile", "nodes"): (
        each(NODES, b',{"id":%d,"parent":0,"callFrame":{"functionName":"%x"}}', b"]}"), 0),
    ("cpuprofile", "own samples"): (written("cpuprofile", 120), 0),
    ("heapprofile", "nodes"): (
        each(HEAP + b',"children":[]}', b',{"callFrame":{"functionName":"%x"},"selfSize":1,"id":%d}',
             b"]}}"), None),
    ("chrometrace", "spans"): (each(TRACE, b',{"ph":"X","ts":%d,"dur":1,"name":"%x"}', b"]"), 0),
    ("chrometrace", "begins"): (same(TRACE, b',{"ph":"B","ts":1,"name":""}', b"]"), 0),
    ("chrometrace", "ends"): (same(TRACE, b',{"ph":"E","ts":1}', b"]"), 0),
    ("chrometrace", "threads"): (each(TRACE, b',{"ph":"B","ts":1,"tid":%d}', b"]"), 0),
    ("chrometrace", "profiles"): (each(TRACE, b',{"ph":"P","name":"Profile","id":"%x"}', b"]"), 0),
    ("chrometrace", "frames"): (
        each(b'{"traceEvents":[],"samples":[{"cpu":0,"tid":1,"ts":10,"name":"s","sf":1,"weight":1}],'
             b'"stackFrames":{"0":{"name":"r"}', b',"%d":{"name":"%x"}', b"}}"), 0),
    ("ndjson", "one row"): (same(b"", ROW + b"\n"), 0),
    ("ndjson", "names"): (each(ROW + b"\n", ROW.replace(b'"a"', b'"%x"') + b"\n"), 0),
    ("ndjson", "names of one stack"): (
        each(ROW + b"\n" + ROW[:ROW.index(b'"a"')] + b'"a"', b',"%x"', ROW[ROW.index(b"],\"val"):]),
        None),
    ("ndjson", "labels of one row"): (
        each(ROW + b"\n" + ROW[:ROW.index(b"{},")] + b'{"a":["b"]', b',"%x":["b"]', b"}}\n"), 3),
    ("ndjson", "sections of one row"): (
        each(ROW + b"\n" + ROW[:ROW.index(b"],\"labels")] + b'"a"', b',"%x"', b"]}\n"), 3),
    ("json", "rows"): (
        each(b'{"schema":"profutils.samples/1","rows":[\n' + ROW,
             b"," + ROW.replace(b'"a"', b'"%x"'), b"]}"), 0),
    ("gperftools", "one record"): (same(CPU, struct.pack("<3I", 1, 1, 16)), None),
    ("gperftools", "addresses"): (
        packed(CPU, lambda k: struct.pack("<3I", 1, 1, k), struct.pack("<3I", 0, 1, 0)), 0),
    ("gperftools", "heap"): (each(b"heap profile: 1: 1 [1: 1] @ heapprofile\n",
                                  b"1: 1 [1: 1] @ 0x%x\n"), 0),
    ("gperftools", "Go's addresses"): (each(b"goroutine profile: total 1\n", b"1 @ 0x%x\n"), 0),
    ("gperftools", "Go's labels"): (
        each(b"goroutine profile: total 1\n1 @ 0x1\n# labels: {", b'"%x":"",', b'"a":""}\n'), None),
    ("gperftools", "Go's stacks"): (each(b"", b"goroutine 1 [running]:\n%x()\n\ta:1\n\n"), 0),
    ("gperftools", "threads"): (
        each(b"--- threadz 1 ---\n\n", b"--- Thread %x (name: %x/1) stack: ---\n  PC: 0x%x\n"), 0),
    ("gmon", "bins"): (gmon_histogram, 0),
    ("gmon", "arcs"): (packed(GMON, lambda k: b"\1" + struct.pack("<2QI", k, 8192, 1)), 0),
    ("pstats", "a list"): (
        lambda: (PSTATS[:-10] + b"[" + struct.pack("<I", SIZE) + b"N" * SIZE, 0), 3),
    ("pstats", "callers"): (same(PSTATS + b"{", FUNCTION + b"i\1\0\0\0", b"00"), 0),
    ("pstats", "callers that may be referred to"): (
        same(PSTATS + b"{", FUNCTION + b"\xe9\1\0\0\0", b"00"), 0),
    ("dcpi", "counts"): (dcpi, 0),
    ("dcpicat", "counts"): (dcpicat, 0),
    ("dcpicat", "images"): (
        each(b"", b"name a\nimage %x\nepoch 200109050607\nplatform e\nevent 3 c:1:1\n0x10 3\n"), 0),
    ("nytprof", "one time"): (same(NYTPROF, b"+\1\1\1"), 0),
    ("nytprof", "lines"): (
        packed(NYTPROF, lambda k: b"+\1\1\xff" + struct.pack(">I", k)), 0),
    ("nytprof", "names"): (
        packed(NYTPROF, lambda k: b"s\1'\x08%08x\1\2" % k), 0),
    ("pynytprof", "lines"): (
        pynytprof(b"S", lambda k: struct.pack("<2I2QI", k, 1, 1, 1, 0)), None),
    ("pynytprof", "names"): (
        pynytprof(b"D", lambda k: struct.pack("<2I", k, 0) + b"a\0b\0"), None),
    ("statprofiler", "names"): (written("statprofiler", 12), 0),
    ("pfs", "names"): (written("pfs", 12), 0),
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


def write_bomb(make, path):
    """Writes a bomb. Returns the decompressed size and the number of distinct things. Runs in its own process, because a
    child starts with the memory of its parent."""
    get, put = os.pipe()
    child = os.fork()
    if child == 0:
        data, count = make()
        with open(path, "wb") as file:
            file.write(gzip.compress(data, 9 if len(sys.argv) > 2 or count == 0 else 1))
        os.write(put, b"%d %d" % (len(data), count))
        os._exit(0)
    os.close(put)
    with os.fdopen(get, "rb") as said:
        size, count = said.read().split()
    os.waitpid(child, 0)
    return int(size), int(count)


def check_memory(folder, problems):
    path = os.path.join(folder, "bomb.gz")
    for (form, name), (make, expected) in BOMBS.items():
        size, count = write_bomb(make, path)
        most = ROOM + (16 * size + DISTINCT * count) / 2**20
        for program in ("profcat", "proftop"):
            status, memory, said = run(path, program, "-f", form)
            if len(sys.argv) > 2:
                print(f"{form}, {name}: {program} {memory:.0f} MiB of {size / 2**20:.1f} in "
                      f"{os.path.getsize(path) / 2**20:.2f}, {memory * 2**20 / size:.1f} times, "
                      f"{count} different, at most {most:.0f}, exit {status}", flush=True)
            if memory > most or status not in ((0, 3) if expected is None else (expected,)):
                problems.append(f"{program}, {form}, {name}: exit {status}, {memory:.0f} MiB "
                                f"of at most {most:.0f}: {said}")


def check_formats(problems):
    """Every format that is read has a bomb."""
    lines = subprocess.run([os.path.join(BIN, "profcat"), "--formats"], stdout=subprocess.PIPE,
                           check=True, text=True).stdout.splitlines()
    read = {line.split()[0] for line in lines if line.split()[1].startswith("r")}
    for form in sorted(read - {form for form, _ in BOMBS}):
        problems.append(f"{form}: no input of this format repeats anything here")


def layers(folder):
    """Tests the limit with the same 3,000 folded lines in every layer of compression: their contents are larger than 20,000 bytes."""
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


def nytprof_comments(folder):
    """A deflated NYTProf file of comments, a hundredth of its decompressed size."""
    head = (b"NYTProf 5 0\n#Perl profile database\n:basetime=1\n:ticks_per_sec=10000000\n"
            b":nv_size=8\n")
    comment = b"#" + b"x" * 99 + b"\n"
    path = os.path.join(folder, "nytprof.out")
    with open(path, "wb") as file:
        file.write(head + b"z" + zlib.compress(comment * 2000, 9))
    return path


def check_limit(folder, problems):
    for path in [*layers(folder), nytprof_comments(folder)]:
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
        check_formats(problems)
        check_memory(folder, problems)
        check_limit(folder, problems)
    print("\n".join(problems))
    sys.exit(bool(problems))


main()
