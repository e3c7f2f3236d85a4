#!/usr/bin/env python3
"""Compares --binary with the tools of binutils, for programs that are compiled here.

    binary.py lines .       functions, files, lines and inlined calls of every instruction are those of addr2line: with and without PIE, in
                            all versions of DWARF, with separate debugging information, C++, and clang if installed
    binary.py symbols .     names in a program without debugging information are those of nm
    binary.py formats .     DCPI, pprof, perf script and gmon.out profiles of the same program; build ids; several programs
    binary.py gprof DIR     DIR/gmon/*.gmon.out and a profile made here give gprof's tables
    binary.py hostile .     damaged programs: a message, never a crash

Differences are printed; the exit status is 1 when there are any. PROFUTILS_BIN is the directory of the programs, CC the compiler.
"""
import collections
import glob
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys

BIN = os.environ["PROFUTILS_BIN"]
CC = os.environ.get("CC", "cc").split()
BASE = 0x555555550000
failures = 0

PROGRAM = """
#include <stdio.h>
static volatile unsigned long sink;
static inline __attribute__((always_inline)) unsigned long inner(unsigned long x)
{
    for (int i = 0; i < 10; i++)
        x = x * 6364136223846793005UL + 1442695040888963407UL + sink;
    return x;
}
static inline __attribute__((always_inline)) unsigned long outer(unsigned long x)
{
    unsigned long y = inner(x);
    return y ^ inner(y + 3);
}
__attribute__((noinline)) unsigned long work(unsigned long n)
{
    unsigned long s = 0;
    while (n--)
        s += outer(n);
    return s;
}
__attribute__((noinline)) unsigned long twice(unsigned long n)
{
    return work(n) + work(n / 2);
}
int main(int argc, char **argv)
{
    (void)argv;
    sink = (unsigned long)argc;
    printf("%lu\\n", twice(1000000));
    return 0;
}
"""

CPLUSPLUS = """
#include <cstdio>
namespace app {
namespace { volatile unsigned long sink; __attribute__((noinline)) unsigned long hidden(unsigned long n) { return n + sink; } }
struct Shape {
    struct Part { unsigned long n; __attribute__((noinline)) unsigned long area() const; };
    Part part;
    static __attribute__((noinline)) unsigned long make(unsigned long n);
    inline __attribute__((always_inline)) unsigned long twice() const { return part.area() * 2 + sink; }
    Shape(unsigned long n) : part{n} {}
};
unsigned long Shape::Part::area() const { return n * sink + hidden(n); }
unsigned long Shape::make(unsigned long n) { Shape shape(n); return shape.twice(); }
template <typename T> __attribute__((noinline)) T most(T a, T b) { return a > b ? a + (T)sink : b; }
}
int main(int argc, char **) { app::sink = argc; std::printf("%lu\\n", app::Shape::make(5) + app::most<unsigned long>(argc, 2)); return 0; }
"""

ENUMERATION = """
namespace app { struct Color { static int paint(int n); }; }
int app::Color::paint(int n) { return n + 1; }
int main(int argc, char **) { return app::Color::paint(argc) < 2; }
"""


def differ(what, found, expected):
    global failures
    if found != expected:
        failures += 1
        print("%s: found %.1500r\n    expected %.1500r" % (what, found, expected))


def tool(*args):
    done = subprocess.run(args, capture_output=True, text=True, errors="replace", timeout=60)
    if done.returncode != 0:
        sys.exit("%s: %s" % (" ".join(args), done.stderr))
    return done.stdout


def run(*args, given=None):
    done = subprocess.run([os.path.join(BIN, args[0])] + list(args[1:]), input=given, capture_output=True, timeout=60)
    return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace")


def rows(*args, given=None, warned=""):
    status, out, err = run("profcat", "-t", "ndjson", *args, given=given)
    differ(" ".join(args) + ": status", status, 0)
    differ(" ".join(args) + ": warnings", err if not warned else warned in err, "" if not warned else True)
    return [json.loads(line) for line in out.splitlines()]


def build(name, source, *flags, compiler=None):
    with open(name + (".cc" if source in (CPLUSPLUS, ENUMERATION) else ".c"), "w") as out:
        out.write(source)
    tool(*(compiler or CC), *flags, out.name, "-o", name)
    return name


def text_segment(program):
    """Offset and address of the executable segment."""
    found = re.search(r"LOAD +0x([0-9a-f]+) 0x([0-9a-f]+) \S+ 0x([0-9a-f]+) \S+ R E", tool("readelf", "-lW", program))
    return tuple(int(n, 16) for n in found.groups())


def is_pie(program):
    return "DYN (" in tool("readelf", "-hW", program)


def instructions(program):
    """(address, function) of every instruction, without the padding between functions."""
    out, name = [], ""
    sizes = [(int(a, 16), int(s)) for a, s in re.findall(r"^ *\d+: ([0-9a-f]+) +(\d+) FUNC ", tool("readelf", "-sW", program), re.M)]
    for line in tool("objdump", "-d", "-j", ".text", program).splitlines():
        head = re.match(r"^[0-9a-f]+ <(.*)>:$", line)
        found = re.match(r"^ *([0-9a-f]+):\t", line)
        if head:
            name = head.group(1)
        elif found and any(a <= int(found.group(1), 16) < a + size for a, size in sizes):
            out.append((int(found.group(1), 16), name))
    return out


def profile(program, addresses, name=None, moved=None):
    """A CPU profile of gperftools in which address k has k + 1 samples."""
    words = [0, 3, 0, 1000, 0]
    base = (BASE if is_pie(program) else 0) if moved is None else moved
    for k, address in enumerate(addresses):
        words += [k + 1, 1, address + base]
    offset, start, size = text_segment(program)
    line = "%x-%x r-xp %08x 08:01 5 %s\n" % (start + base, start + base + size, offset, name or "/elsewhere/" + os.path.basename(program))
    return struct.pack("<%dQ" % (len(words) + 3), *words, 0, 1, 0) + line.encode()


def frames_of(program, addresses, *options, binary=None, **more):
    found = {row["values"]["samples"]: row["stack"] for row in rows("--binary=" + (binary or program), *options, given=profile(program, addresses), **more)}
    return [found[k + 1] for k in range(len(addresses))]


def addr2line(program, addresses, *options):
    out = tool("addr2line", "-a", "-f", "-i", *options, "-e", program, *["%x" % a for a in addresses]).splitlines()
    found, at = [], -1
    for line in out:
        if line.startswith("0x"):
            found.append([])
            at = 0
        elif at == 0:
            found[-1].append([line])
            at = 1
        else:
            found[-1][-1].append(re.sub(r" \(discriminator.*", "", line))
            at = 0
    return [[tuple(frame) for frame in frames] for frames in found]


def plain(name):
    """A demangled name without its parameters and return type."""
    name = re.sub(r" \[clone.*", "", name).replace("unsigned long", "long unsigned int")
    depth, end = 0, len(name)
    if name.endswith(") const"):
        name = name[:-6]
    if name.endswith(")"):
        for k in range(len(name) - 1, -1, -1):
            depth += (name[k] == ")") - (name[k] == "(")
            if depth == 0:
                end = k
                break
    name = name[:end].strip()
    depth = 0
    for k in range(len(name) - 1, -1, -1):
        depth += (name[k] in ">)") - (name[k] in "<(")
        if name[k] == " " and depth == 0:
            return name[k + 1 :]
    return name


def check_program(program, names, demangle=False, dwarf_of=None):
    code = [address for address, name in instructions(dwarf_of or program) if names.search(name)]
    expected = addr2line(dwarf_of or program, code, *(["-C"] if demangle else []))
    found = frames_of(program, code)
    differ(program + ": instructions", len(code) > 20, True)
    inlined = 0
    for address, ours, theirs in zip(code, found, expected):
        inlined += len(theirs) > 1
        line = [(f["function"], "%s:%s" % (f["file"], f["line"] or "?")) for f in ours]
        differ("%s: 0x%x" % (program, address), line, [(plain(n) if demangle else n, l) for n, l in theirs])
        differ("%s: 0x%x: inlined" % (program, address), [f["inlined"] for f in ours], [True] * (len(theirs) - 1) + [False])
        if failures > 10:
            return
    differ(program + ": inlined calls", inlined > 0, True)
    whole = frames_of(program, code, "--no-inlines")
    differ(program + ": --no-inlines", [[f["function"] for f in stack] for stack in whole], [[o[-1]["function"]] for o in found])


def works(*command):
    with open("try.c", "w") as out:
        out.write("int main(void) { return 0; }\n")
    return shutil.which(command[0]) and subprocess.run(list(command) + ["try.c", "-o", "try"], capture_output=True).returncode == 0


def check_lines(_):
    own = re.compile(r"^(main|work|twice|outer|inner)")
    compilers = [CC] + [["clang"]] * (CC[0] != "clang" and bool(works("clang", "-O2", "-g")))
    for compiler in compilers:
        for k, flags in enumerate((["-no-pie"], ["-pie", "-fPIE"], ["-no-pie", "-gdwarf-4"], ["-pie", "-fPIE", "-gdwarf-3"], ["-no-pie", "-O3"])):
            if works(*compiler, "-g", *flags):
                check_program(build("prog%d%s" % (k, compiler[0].replace("/", "_")), PROGRAM, "-O2", "-g", *flags, compiler=compiler), own)
    # debugging information in a separate file, named by the program's debug link
    program = build("apart", PROGRAM, "-O2", "-g", "-pie", "-fPIE")
    shutil.copy(program, "whole")
    tool("objcopy", "--only-keep-debug", program, "apart.debug")
    tool("strip", program)
    tool("objcopy", "--add-gnu-debuglink=apart.debug", program)
    check_program(program, own, dwarf_of="whole")
    if works(*CC, "-g", "-gsplit-dwarf"):
        build("split", PROGRAM, "-O2", "-g")
        os.rename("split", "unsplit")
        check_program(build("split", PROGRAM, "-O2", "-g", "-gsplit-dwarf"), own, dwarf_of="unsplit")
    # C++: names with their scopes
    compiler = [c for c in (["g++"], ["clang++"]) if shutil.which(c[0])]
    if compiler:
        check_program(build("cplusplus", CPLUSPLUS, "-O2", "-g", compiler=compiler[0]), re.compile("main|app|Shape"), demangle=True)
        # in Rust an enumeration has functions: g++'s assembly with the tag of one, 4, for the structure
        build("enum.s", ENUMERATION, "-g", "-dA", "-S", compiler=compiler[0])
        with open("enum.s") as text:
            changed = re.sub(r"\b(0x13|19)(\s+#.*DW_TAG_structure_type)", r"4\2", text.read())
        with open("enum.s", "w") as text:
            text.write(changed)
        tool(*compiler[0], "enum.s", "-o", "enum")
        address = next(a for a, n in instructions("enum") if "paint" in n)
        differ("enumeration", frames_of("enum", [address])[0][0]["function"], "app::Color::paint")


def check_symbols(_):
    program = build("symbols", PROGRAM, "-O2", "-pie", "-fPIE")
    tool("strip", "-g", program)
    own = [(a, n) for a, n in instructions(program) if n in ("main", "work", "twice")]
    found = frames_of(program, [a for a, _ in own])
    differ("symbols", [[(f["function"], f["file"], f["line"]) for f in stack] for stack in found], [[(n, "", 0)] for _, n in own])
    shutil.copy(program, "bare")
    tool("strip", "bare")
    for name, words in (("bare", "stripped"), ("none", "No such file"), ("symbols.c", "not an ELF file"), (".", "not a regular file"), ("/dev/null", "not a regular file")):
        status, _, err = run("profcat", "--binary=" + name, "-t", "ndjson", given=profile(program, [own[0][0]]))
        differ("--binary=" + name, (status, words in err), (3, True))


def varint(n):
    out = b""
    while n >= 0x80:
        out += bytes([n & 0x7F | 0x80])
        n >>= 7
    return out + bytes([n])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def pprof(address, start, limit, offset, build_id):
    strings = [b"", b"samples", b"count", b"/elsewhere/formats", build_id]
    out = field(1, field(1, 1) + field(2, 2)) + field(2, field(1, 1) + field(2, 7))
    out += field(3, field(1, 1) + field(2, start) + field(3, limit) + field(4, offset) + field(5, 3) + field(6, 4))
    out += field(4, field(1, 1) + field(2, 1) + field(3, address))
    return out + b"".join(field(6, s) for s in strings)


def check_formats(_):
    program = build("formats", PROGRAM, "-O2", "-g", "-no-pie", "-Wl,--build-id=sha1")
    pie = build("formats_pie", PROGRAM, "-O2", "-g", "-pie", "-fPIE", "-Wl,--build-id=sha1")
    code = [a for a, n in instructions(program) if n == "work"]
    # clang makes code without a line, which is line 0 here and ? in addr2line
    expected = [[(n, int(l.rsplit(":", 1)[1].replace("?", "0"))) for n, l in stack] for stack in addr2line(program, code)]
    inside = max(range(len(code)), key=lambda k: len(expected[k]))
    address, names = code[inside], expected[inside]

    def named(found, k=0):
        return [(f["function"], f["line"]) for f in found[k]["stack"]]

    # DCPI: the innermost inlined call gets the counts
    tsize = 0x10000
    head = "image 1\nepoch 9705191724\nplatform h\nevent cycles\nperiod 1\ntstart %x\ntsize %d\ncpuspeed 1\npath /elsewhere/formats\nversion pdb-0.07\n"
    start = text_segment(program)[1]
    body = struct.pack("<III", address - start, 1, 9) + struct.pack("<II", 1, 9)
    text = (head % (start, tsize)).encode()
    data = text + b"samples" + b" " * (-(len(text) + 8) % 4) + b"\n" + body
    differ("dcpi", named(rows("--binary=" + program, given=data)), names[:1])
    differ("dcpi: --no-inlines", named(rows("--binary=" + program, "--no-inlines", given=data)), names[-1:])
    # pprof, with build ids
    identifier = re.search(r"Build ID: ([0-9a-f]+)", tool("readelf", "-nW", program)).group(1).encode()
    offset, start, size = text_segment(program)
    for name, base in ((b"", 0), (identifier, 0), (identifier.upper(), 0x1000000)):
        data = pprof(address + base, start + base, start + base + size, offset, name)
        differ("pprof", named(rows("--binary=" + program, given=data)), names)
    data = pprof(address, start, start + size, offset, b"0" * 40)
    found = rows("--binary=" + program, given=data, warned="build id " + "0" * 40)
    differ("another build", named(found), [("0x%x" % address, 0)])
    shutil.copy(program, "renamed")
    data = pprof(address, start, start + size, offset, identifier)
    differ("renamed, same build", named(rows("--binary=renamed", given=data)), names)
    data = pprof(address, start, start + size, offset, b"")
    differ("renamed", named(rows("--binary=renamed", given=data, warned="none of the 1 unnamed addresses")), [("0x%x" % address, 0)])
    # perf script: a frame that perf could not name
    data = b"prog 1 1.000000: 1 cycles:u: \n\t%16x [unknown] (/elsewhere/formats)\n\t%16x known+0x10 (/elsewhere/formats)\n\n" % (address, address)
    differ("perf", named(rows("--binary=" + program, given=data)), names + [("known", 0)])
    # several programs: each names its own addresses
    words = struct.pack("<12Q", 0, 3, 0, 1000, 0, 1, 1, address, 1, 1, BASE + next(a for a, n in instructions(pie) if n == "twice"), 0)[:-8]
    maps = ""
    for file, base in ((program, 0), (pie, BASE)):
        offset, start, size = text_segment(file)
        maps += "%x-%x r-xp %08x 08:01 5 /elsewhere/%s\n" % (start + base, start + base + size, offset, file)
    data = words + struct.pack("<3Q", 0, 1, 0) + maps.encode()
    for options in (["--binary=%s,%s" % (program, pie)], ["--binary=" + program, "--binary=" + pie]):
        found = rows(*options, given=data)
        differ("several", (named(found), named(found, 1)[0][0]), (names, "twice"))
    # with --symbols for the other addresses
    with open("nm.txt", "w") as out:
        out.write("%016x T elsewhere\n" % (text_segment(pie)[0]))
    found = rows("--binary=" + program, "--symbols=nm.txt", given=data)
    differ("and symbols", (named(found), named(found, 1)), (names, [("elsewhere", 0)]))
    # a table
    status, out, _ = run("proftop", "--binary=" + program, "-t", "json", "-n", "0", given=pprof(address, start, start + size, 0, identifier))
    differ("proftop", status, 0)


# ---- gprof ----


def gprof_tables(text):
    """Flat: {name: seconds}; calls: {(caller, callee): count}."""
    flat, calls = {}, {}
    part = text.split("Call graph")
    for line in part[0].splitlines():
        found = re.match(r"^ *[\d.]+ +[\d.]+ +([\d.]+) +(?:\d+ +[\d.]+ +[\d.]+ +)?(\S+)(?: \(.*)?$", line)
        if found:
            flat[found.group(2)] = float(found.group(1))
    for block in (part[1] if len(part) > 1 else "").split("-----------------------------------------------"):
        callers, name = [], None
        for line in block.splitlines():
            main = re.match(r"^\[\d+\]", line)
            found = re.search(r" (\d+)(?:/(\d+))? +(\S+)(?: <cycle \d+>)? \[\d+\]$", line)
            if main:
                name = re.match(r"^\[\d+\].*? (\S+)(?: <cycle.*>)? \[\d+\]$", line).group(1)
                inner = re.search(r"\+(\d+) ", line)
                if inner and "as a whole" not in line:
                    calls[(name, name)] = int(inner.group(1))
            elif found and name is None:
                callers.append((found.group(3), int(found.group(1))))
        if name and "<cycle" not in str(name):
            for caller, count in callers:
                calls[(caller, name)] = count
    return flat, calls


def check_gmon(file, program, expected, slack=0.005):
    flat, calls = gprof_tables(expected)
    times, counts, found = collections.Counter(), collections.Counter(), rows("--binary=" + program, "--no-inlines", file)
    for row in found:
        if row["kind"] == "flat":
            times[row["stack"][0]["function"]] += row["values"]["time"]
        else:
            counts[(row["stack"][1]["function"], row["stack"][0]["function"])] += row["values"]["calls"]
    # gprof prints hundredths and counts a bin a little too high: by a tick, if there are few bins
    for name in set(flat) | set(times):
        if abs(times[name] / 1e9 - flat.get(name, 0)) > slack + 0.002 * flat.get(name, 0):
            differ("%s: time of %s" % (file, name), times[name], flat.get(name, 0))
    differ(file + ": calls", dict(counts), calls)
    return times, counts


def check_gprof(directories):
    for directory in directories:
        for file in sorted(glob.glob(directory + "/gmon/*.gmon.out")):
            expected = file[: -len(".out")] + ".expected.txt"
            if os.path.exists(expected):
                with open(expected) as text:
                    check_gmon(file, directory + "/gmon/nopie.bin", text.read())
        one = directory + "/gmon/"
        if os.path.exists(one + "sum.gmon.out"):
            tables = []
            for data in (run("profmerge", "-t", "pfs", one + "nopie.gmon.out", one + "b.gmon.out")[1], run("profcat", "-t", "pfs", one + "sum.gmon.out")[1]):
                sums = collections.Counter()
                for row in rows("--binary=" + one + "nopie.bin", given=data):
                    for name, value in row["values"].items():
                        sums[(name,) + tuple(f["function"] for f in row["stack"])] += value
                tables.append(sums)
            differ("profmerge is gprof -s", tables[0], tables[1])
    if works(*CC, "-pg") and shutil.which("gprof"):
        program = build("profiled", PROGRAM.replace("1000000", "10000000").replace("static inline __attribute__((always_inline))", "__attribute__((noinline))"), "-pg", "-O1", "-g")
        tool("./" + program)
        _, counts = check_gmon("gmon.out", program, tool("gprof", "-b", program, "gmon.out"), slack=0.0151)
        differ("calls of inner", counts[("outer", "inner")], 2 * 15000000)


# ---- damage ----


def check_hostile(_):
    program = build("hostile", PROGRAM, "-O2", "-g")
    code = [a for a, _ in instructions(program)]
    given = profile(program, code)
    with open(program, "rb") as data:
        whole = data.read()
    sections = [(int(a, 16), int(b, 16)) for a, b in re.findall(r"(?:\.debug_\w+|\.symtab|\.strtab) +\w+ +[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+)", tool("readelf", "-SW", program))]
    headers = struct.unpack_from("<Q", whole, 40)[0]
    random.seed(20)
    for k in range(int(os.environ.get("PROFUTILS_MUTATIONS", "1000")) // 5):
        data = bytearray(whole)
        if k % 10 == 0:
            data = data[: random.randrange(len(data))]
        for _ in range(random.choice((1, 3, 30))):
            start, size = random.choice(sections + [(0, 64), (headers, len(whole) - headers)])
            at = start + random.randrange(max(1, size))
            if at < len(data):
                data[at] = random.choice((0, 1, 0x7F, 0x80, 0xFF, data[at] ^ 1 << random.randrange(8)))
        with open("hostile", "wb") as out:
            out.write(data)
        status, _, err = run("profcat", "-q", "--binary=hostile", "-t", "pfs", given=given)
        if status not in (0, 3):
            differ("damage %d" % k, (status, err[-1500:]), "0 or 3")
            shutil.copy("hostile", "hostile.%d" % k)


def main():
    checks = {"lines": check_lines, "symbols": check_symbols, "formats": check_formats, "gprof": check_gprof, "hostile": check_hostile}
    checks[sys.argv[1]](sys.argv[2:])
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
