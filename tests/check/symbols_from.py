#!/usr/bin/env python3
"""Compares --symbols-from with addr2line, for programs that are compiled here and profiles in pprof's form.

    symbols_from.py layouts .    every layout of a directory, with whole programs, with debugging information alone and with both: the
                                 frames of every instruction are those of addr2line
    symbols_from.py refused .    files with another build id, damaged files and links: a message, and no name from them
    symbols_from.py many .       64 images: names, and the same bytes with any number of threads; each file is opened once
    symbols_from.py merged .     profiles of several programs merged: proftop names them at the root; sums by arithmetic
    symbols_from.py messages .   build ids without a file, images without a build id
    symbols_from.py hostile .    damaged programs: never a crash

Differences are printed; the exit status is 1 when there are any. PROFUTILS_BIN is the directory of the programs, CC the compiler.
"""
import collections
import json
import lzma
import os
import random
import re
import shutil
import struct
import sys

import binary
from binary import CC, PROGRAM, addr2line, build, differ, field, instructions, is_pie, rows, run, tool

PIE = 0x7F1234560000
OWN = re.compile(r"^(main|work|twice|outer|inner)")


def build_id(program):
    return re.search(r"Build ID: ([0-9a-f]+)", tool("readelf", "-nW", program)).group(1)


def mapping(program):
    """Address, end and file offset of the pages of the executable segment, relative to where the program is loaded."""
    offset, start, size = binary.text_segment(program)
    first, last = start & ~4095, (start + size + 4095) & ~4095
    return first, last, offset & ~4095


class Image:
    """A program in a profile: its addresses, where it is loaded, and the build id and name in the profile. `mapped`: address, end
    and offset, if they are not those of the kernel."""

    def __init__(self, program, addresses, base=None, identifier=None, name=None, mapped=None):
        self.program, self.addresses = program, addresses
        self.base = (PIE if is_pie(program) else 0) if base is None else base
        self.identifier = build_id(program) if identifier is None else identifier
        self.mapped = mapped or mapping(program)
        self.name = name or "/elsewhere/" + os.path.basename(program)


def profile(images, first=1):
    """A pprof profile with a sample for each address; the values count from `first`."""
    strings, mappings, locations, samples = ["", "samples", "count"], b"", b"", b""
    value = first
    for k, image in enumerate(images):
        start, end, offset = image.mapped
        strings += [image.name, image.identifier]
        place = field(1, k + 1) + field(2, start + image.base) + field(3, end + image.base) + field(4, offset)
        mappings += field(3, place + field(5, len(strings) - 2) + field(6, len(strings) - 1))
        for address in image.addresses:
            n = value - first + 1
            samples += field(2, field(1, n) + field(2, value))
            locations += field(4, field(1, n) + field(2, k + 1) + field(3, address + image.base))
            value += 1
    return field(1, field(1, 1) + field(2, 2)) + samples + mappings + locations + b"".join(field(6, s.encode()) for s in strings)


def stacks(data, *options, warned=""):
    """The stack of each sample, in the order of the values."""
    found = rows(*options, given=data, warned=warned)
    return [row["stack"] for row in sorted(found, key=lambda row: row["values"]["samples"])]


def frames(stack):
    return [(f["function"], "%s:%s" % (f["file"], f["line"] or "?")) for f in stack]


def code_of(program, names=OWN):
    return [address for address, name in instructions(program) if names.search(name)]


def put(path, source, link=False):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if link:
        os.symlink(os.path.abspath(source), path)
    else:
        shutil.copy(source, path)


def split(program):
    """Makes PROGRAM.debug and PROGRAM.bare, as distributions do."""
    tool("objcopy", "--only-keep-debug", program, program + ".debug")
    tool("strip", program, "-o", program + ".bare")


def layouts(program):
    """Yields the name of a layout, and its directory with the files of the program."""
    name = build_id(program)
    two, rest = name[:2], name[2:]
    debug, bare = program + ".debug", program + ".bare"

    def tree(title, *files):
        top = "%s_%s" % (program, title)
        for path, source, *link in files:
            put(os.path.join(top, path), source, *link)
        return title, top

    yield tree("debug", (".build-id/%s/%s.debug" % (two, rest), debug))
    yield "inside", tree("within", ("usr/.build-id/%s/%s.debug" % (two, rest), debug))[1] + "/usr/.build-id/"
    yield tree("whole", (".build-id/%s/%s" % (two, rest), program, True))
    yield tree("both", (".build-id/%s/%s" % (two, rest), bare), (".build-id/%s/%s.debug" % (two, rest), debug, True))
    yield tree("broken", (".build-id/%s/%s" % (two, rest), "text"), (".build-id/%s/%s.debug" % (two, rest), debug))
    title, top = tree("perf", ("usr/bin/prog/%s/elf" % name, program))
    os.makedirs("%s/.build-id/%s" % (top, two))
    os.symlink("../../usr/bin/prog/" + name, "%s/.build-id/%s/%s" % (top, two, rest))
    yield title, top
    yield tree("perf_copied", (".build-id/%s/%s/elf" % (two, rest), program))
    yield tree("perf_debug", (".build-id/%s/%s/elf" % (two, rest), bare), (".build-id/%s/%s/debug" % (two, rest), debug))
    yield tree("perf_unlinked", ("usr/bin/my prog/%s/elf" % name, program), ("usr/bin/other/%s/debug" % ("0" * 40), debug))
    yield tree("debuginfod", (name + "/debuginfo", debug))
    yield tree("debuginfod_program", (name + "/executable", program))
    yield tree("debuginfod_both", (name + "/executable", bare), (name + "/debuginfo", debug))


def pages(program, size):
    """The mapping in pages of this size."""
    offset, start, length = binary.text_segment(program)
    return start // size * size, (start + length + size - 1) // size * size, offset // size * size


def check_offsets():
    """Programs whose code has other offsets than addresses, with room for mistakes."""
    if not binary.works("clang", "-fuse-ld=lld"):
        return
    source = PROGRAM + '__asm__(".text; .skip 100000, 0x90");'
    for page in (4096, 65536):
        program = build("lld%d" % page, source, "-O2", "-g", "-pie", "-fPIE", "-fuse-ld=lld", "-Wl,--build-id=sha1", "-Wl,-z,max-page-size=%d" % page, compiler=["clang"])
        split(program)
        code = code_of(program)
        offset, start, size = binary.text_segment(program)
        differ("lld: offset", offset == start, False)
        trees = [top for layout, top in layouts(program) if layout in ("debug", "whole", "both")]
        # as the kernel maps it, or as it is in the file; link-time addresses with a mapping of all addresses or with none
        for base, mapped in ((PIE, pages(program, page)), (PIE, (start, start + size, offset)), (0, (0, 2**64 - 1, 0)), (0, (0, 0, 0))):
            for top in trees:
                found = stacks(profile([Image(program, code, mapped=mapped, base=base)]), "--symbols-from=" + top)
                differ("%s: %x-%x@%x" % ((top,) + mapped), [frames(s) for s in found], addr2line(program, code))
        # a mapping of another size may be anything: no name rather than a wrong name
        first, last, offset = pages(program, page)
        image = Image(program, code, mapped=(first + page, last, offset + page))
        found = [frames(s) for s in stacks(profile([image]), "--symbols-from=" + trees[0], warned="none of the")]
        differ("lld, a part", {f[0][1] for f in found}, {":?"})


def check_layouts(_):
    with open("text", "w") as out:
        out.write("no program\n")
    for name, flags in (("fixed", ["-no-pie"]), ("pie", ["-pie", "-fPIE"]), ("one", ["-pie", "-fPIE", "-Wl,-z,noseparate-code"])):
        program = build(name, PROGRAM, "-O2", "-g", "-Wl,--build-id=sha1", *flags)
        split(program)
        image = Image(program, code_of(program))
        data, expected = profile([image]), addr2line(program, image.addresses)
        differ(name + ": instructions", len(image.addresses) > 20, True)
        differ(name + ": inlined calls", max(map(len, expected)), 3)
        for layout, top in layouts(program):
            broken = "not an ELF file" if layout == "broken" else ""
            found = stacks(data, "--symbols-from=" + top, warned=broken)
            for address, ours, theirs in zip(image.addresses, found, expected):
                differ("%s in %s: 0x%x" % (name, layout, address), frames(ours), theirs)
            differ("%s in %s: all" % (name, layout), len(found), len(expected))
            whole = stacks(data, "--symbols-from=" + top, "--no-inlines", warned=broken)
            differ("%s in %s: --no-inlines" % (name, layout), [frames(s) for s in whole], [t[-1:] for t in expected])
            if binary.failures > 5:
                return
    check_offsets()
    # the program and its debugging information in different directories, in any order
    program, two, rest = "pie", build_id("pie")[:2], build_id("pie")[2:]
    put("apart1/.build-id/%s/%s" % (two, rest), "pie.bare")
    for order in (["apart1", "pie_debuginfod"], ["pie_debuginfod", "apart1"]):
        image = Image(program, code_of(program))
        found = stacks(profile([image]), *["--symbols-from=" + top for top in order])
        differ("apart", [frames(s) for s in found], addr2line(program, image.addresses))
    # a build id in upper case
    image = Image(program, code_of(program), identifier=build_id(program).upper())
    differ("upper case", [frames(s) for s in stacks(profile([image]), "--symbols-from=pie_debug")], addr2line(program, image.addresses))
    # .gnu_debugdata: the names of functions, compressed in the program
    tool("objcopy", "-S", "--keep-symbol=work", "--keep-symbol=twice", program, "mini")
    with open("mini", "rb") as data, open("mini.xz", "wb") as out:
        out.write(lzma.compress(data.read()))
    tool("objcopy", "--add-section", ".gnu_debugdata=mini.xz", "pie.bare", "packed")
    put("mini_tree/.build-id/%s/%s" % (two, rest), "packed")
    code = code_of(program, re.compile("^(work|twice)$"))
    found = stacks(profile([Image(program, code)]), "--symbols-from=mini_tree")
    differ(".gnu_debugdata", [s[0]["function"] for s in found], [n for a, n in instructions(program) if a in code])


def unnamed(image):
    return [[("0x%x" % (address + image.base), ":?")] for address in image.addresses]


def check_refused(_):
    program = build("right", PROGRAM, "-O2", "-g", "-pie", "-fPIE", "-Wl,--build-id=sha1")
    other = build("wrong", PROGRAM.replace("1000000", "2000000"), "-O2", "-g", "-pie", "-fPIE", "-Wl,--build-id=sha1")
    without = build("without", PROGRAM, "-O2", "-g", "-pie", "-fPIE", "-Wl,--build-id=none")
    split(program)
    split(other)
    image, name = Image(program, code_of(program)[:9]), build_id(program)
    data, expected = profile([image]), addr2line(program, image.addresses)
    with open(program, "rb") as whole, open("cut", "wb") as out:
        out.write(whole.read()[:700])
    put("good/.build-id/%s/%s" % (name[:2], name[2:]), program)
    wrong = "the file has build id %s, not %s: the file is not used" % (build_id(other), name)
    for k, (file, words) in enumerate(((other, wrong), (other + ".debug", wrong), (without, "no build id"), ("/dev/null", "not"), ("cut", "not used"))):
        for path in (".build-id/%s/%s" % (name[:2], name[2:]), ".build-id/%s/%s.debug" % (name[:2], name[2:]), name + "/debuginfo", "bin/%s/elf" % name):
            top = "bad%d" % k
            shutil.rmtree(top, ignore_errors=True)
            put(os.path.join(top, path), file, file == "/dev/null")
            what = "%s as %s" % (file, path)
            differ(what, [frames(s) for s in stacks(data, "--symbols-from=" + top, warned=words)], unnamed(image))
            found = stacks(data, "--symbols-from=" + top, "--symbols-from=good", warned=words if "/elf" not in path and "debug" not in path else "")
            differ(what + ", and a good file", [frames(s) for s in found], expected)
            if binary.failures > 5:
                return
    # a program without names, with the debugging information of another program
    put("mixed/.build-id/%s/%s" % (name[:2], name[2:]), program + ".bare")
    put("mixed/.build-id/%s/%s.debug" % (name[:2], name[2:]), other + ".debug")
    found = stacks(data, "--symbols-from=mixed", warned=wrong)
    differ("debugging information of another program", {f[0][1] for f in map(frames, found)}, {":?"})
    # links in a circle, a fifo, and directories in the place of files
    put("loops/a/b/%s/elf" % name, program)
    os.symlink("..", "loops/a/b/up")
    os.symlink(".", "loops/here")
    os.symlink("there", "loops/a/there")
    os.makedirs("loops/.build-id/" + name[:2])
    os.symlink(name[2:], "loops/.build-id/%s/%s" % (name[:2], name[2:]))
    os.symlink("nowhere", "loops/.build-id/%s/%s.debug" % (name[:2], name[2:]))
    differ("loops", [frames(s) for s in stacks(data, "--symbols-from=loops", warned="Too many levels")], expected)
    os.makedirs("odd/.build-id/" + name[:2])
    os.mkfifo("odd/.build-id/%s/%s" % (name[:2], name[2:]))
    os.makedirs("odd/%s/debuginfo" % name)
    differ("fifo", [frames(s) for s in stacks(data, "--symbols-from=odd", warned="not a regular file")], unnamed(image))
    for bad, words in (("nosuch", "No such file"), (program, "not a directory"), ("", "cannot open ''")):
        status, _, err = run("profcat", "--symbols-from=" + bad, "-t", "ndjson", given=data)
        differ("--symbols-from=" + bad, (status, words in err), (3, True))


def small(k):
    """A small library with functions of its own names, and the address of each instruction."""
    name = "lib%02d.so" % k
    if not os.path.exists(name):
        with open("small.c", "w") as out:
            out.write("volatile int sink;\nstatic inline __attribute__((always_inline)) void part%d(int n) { sink += n; }\n" % k)
            out.write("%svoid turn%d(int n)\n{\n    while (n--)\n        part%d(n);\n}\n" % ("\n" * k, k, k))
            out.write("void stop%d(void) { sink = %d; }\n" % (k, k))
        tool(*CC, "-O1", "-g", "-shared", "-fPIC", "-nostdlib", "-Wl,--build-id=sha1", "small.c", "-o", name)
    return name


def library(count):
    """Many libraries, in all layouts in turn. Returns the images."""
    images = []
    for k in range(count):
        name = small(k)
        split(name)
        images.append(Image(name, code_of(name, re.compile("turn|stop")), base=PIE + (k << 24)))
        found = build_id(name)
        if k % 3 == 0:
            put("many/.build-id/%s/%s.debug" % (found[:2], found[2:]), name + ".debug")
        elif k % 3 == 1:
            put("many/usr/lib/%s/%s/elf" % (name, found), name)
        else:
            put("many/%s/debuginfo" % found, name + ".debug")
    return images


def check_many(_):
    images = library(64)
    data = profile(images)
    with open("many.pb", "wb") as out:
        out.write(data)
    found = stacks(data, "--symbols-from=many", "-j4")
    at = 0
    for image in images:
        ours = [frames(s) for s in found[at : at + len(image.addresses)]]
        differ(image.program, ours, addr2line(image.program, image.addresses))
        at += len(image.addresses)
    outputs = {run("profcat", "--symbols-from=many", "-v", "-t", "pfs", "-j%d" % n, "many.pb") for n in (1, 2, 3, 7, 64, 200)}
    differ("outputs by number of threads", len(outputs), 1)
    # several inputs, read ahead: a file for each image, and its addresses again in a second file
    names = []
    for k, image in enumerate(images):
        for part in (0, 1):
            names.append("part%02d.%d.pb" % (k, part))
            with open(names[-1], "wb") as out:
                out.write(profile([Image(image.program, image.addresses[part::2], base=image.base + (part << 40))]))
    outputs = {run("profcat", "--symbols-from=many", "-t", "pfs", "-j%d" % n, *names) for n in (1, 2, 5)}
    differ("several inputs", len(outputs), 1)
    if shutil.which("strace"):
        status, _, _ = run_traced(names)
        with open("trace") as text:
            opened = collections.Counter(re.findall(r'openat\(AT_FDCWD, "(many/[^"]*)"', text.read()))
        opened = {path: n for path, n in opened.items() if os.path.isfile(path)}
        differ("files opened", (status, len(opened), max(opened.values())), (0, 64, 1))


def run_traced(names):
    done = binary.subprocess.run(
        ["strace", "-f", "-e", "trace=openat", "-o", "trace", os.path.join(binary.BIN, "profcat"), "--symbols-from=many", "-j2", "-t", "pfs"] + names, capture_output=True
    )
    return done.returncode, done.stdout, done.stderr


def check_merged(_):
    images = library(6)
    sums, files = collections.Counter(), []
    for k in range(12):
        here = [images[k % 6], images[(k + 1) % 6]]
        # each process has its own addresses
        here = [Image(i.program, i.addresses, base=i.base + (k << 33)) for i in here]
        files.append("host%d.pb.gz" % k)
        with open(files[-1], "wb") as out:
            out.write(profile(here, first=100 * k + 1))
        value = 100 * k + 1
        for image in here:
            for stack in addr2line(image.program, image.addresses):
                sums[stack[0][0]] += value
                value += 1
    status, merged, err = run("profmerge", "-t", "pfs", *files)
    differ("profmerge", (status, err), (0, ""))
    for given in (merged, run("profmerge", "-t", "pprof", *files)[1]):
        status, out, err = run("proftop", "--symbols-from=many", "-t", "json", "-n", "0", given=given)
        found = {row["function"]: row["flat"] for row in json.loads(out)["rows"]}
        differ("proftop: sums", (status, err, found), (0, "", dict(sums)))
    status, out, err = run("profdiff", "--symbols-from=many", "-t", "json", "-n", "0", "host0.pb.gz", "host6.pb.gz")
    names = {row.get("function", "") for row in json.loads(out)["rows"]} - {""}
    differ("profdiff", (status in (0, 1), {n for n in names if n[0] != "0"} == names, "turn0" in names), (True, True, True))


def check_messages(_):
    images = library(6)
    missing = [Image(i.program, i.addresses, base=i.base + (1 << 40), identifier="%040x" % (k + 1), name="/opt/gone%d" % k) for k, i in enumerate(images)]
    unknown = [Image(i.program, i.addresses[:2], base=i.base + (1 << 41), identifier="", name="/opt/bare%d" % k) for k, i in enumerate(images[:2])]
    data = profile(images + missing + unknown)
    status, out, err = run("profcat", "--symbols-from=many", "-t", "ndjson", given=data)
    lines = [
        "profcat: warning: --symbols-from: no file for 6 build ids: "
        + ", ".join("'/opt/gone%d' (%040x)" % (k, k + 1) for k in range(3))
        + " and 3 more (-v names all)",
        "profcat: warning: --symbols-from: 4 addresses are in images without a build id and have no name: '/opt/bare0', '/opt/bare1'",
    ]
    differ("messages", (status, err.splitlines()), (0, lines))
    named = [json.loads(line)["stack"][0]["function"] for line in out.splitlines()]
    count = sum(len(i.addresses) for i in images)
    differ("named", [n.startswith("0x") for n in named], [False] * count + [True] * (len(named) - count))
    _, _, err = run("profcat", "-v", "--symbols-from=many", "-t", "ndjson", given=data)
    for k in range(6):
        differ("-v", "no file for build id %040x of '/opt/gone%d'" % (k + 1, k) in err, True)
    differ("-v", "--symbols-from: %d of %d addresses named, 6 files" % (count, len(named)) in err, True)
    differ("-q", run("profcat", "-q", "--symbols-from=many", "-t", "ndjson", given=data)[2], "")


def check_hostile(_):
    program = build("hostile", PROGRAM, "-O2", "-g", "-pie", "-fPIE", "-Wl,--build-id=sha1")
    split(program)
    image, name = Image(program, code_of(program)), build_id(program)
    given = profile([image])
    with open(program, "rb") as data, open(program + ".debug", "rb") as debug:
        files = [(data.read(), ".build-id/%s/%s" % (name[:2], name[2:])), (debug.read(), ".build-id/%s/%s.debug" % (name[:2], name[2:]))]
    random.seed(15)
    for path in (path for _, path in files):
        put("tree/" + path, program)
    for k in range(int(os.environ.get("PROFUTILS_MUTATIONS", "1000")) // 5):
        for whole, path in files:
            data = bytearray(whole)
            if k % 5 == 0:
                data = data[: random.randrange(len(data))]
            headers = struct.unpack_from("<Q", whole, 40)[0]
            for _ in range(random.choice((0, 1, 3, 30))):
                start, size = random.choice(((0, 64), (64, 700), (headers, len(whole) - headers), (0, len(whole))))
                at = start + random.randrange(size)
                if at < len(data):
                    data[at] = random.choice((0, 1, 0x7F, 0x80, 0xFF, data[at] ^ 1 << random.randrange(8)))
            with open("tree/" + path, "wb") as out:
                out.write(data)
        status, _, err = run("profcat", "-q", "--symbols-from=tree", "-t", "pfs", given=given)
        if status != 0:
            differ("damage %d" % k, (status, err[-1500:]), 0)
            shutil.copytree("tree", "tree.%d" % k)


def main():
    checks = {"layouts": check_layouts, "refused": check_refused, "many": check_many, "merged": check_merged, "messages": check_messages, "hostile": check_hostile}
    checks[sys.argv[1]](sys.argv[2:])
    sys.exit(binary.failures > 0)


if __name__ == "__main__":
    main()
