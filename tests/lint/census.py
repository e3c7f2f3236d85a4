"""Counts what the source tree has: census.py [ROOT]. Prints files and lines of each folder of libcommon and of tools, files of
each format, headers that only one file includes, circles of files, static functions of one name in more than two files, lines
over 100 columns and functions over 60 lines.

    --headers, --circles, --folders, --statics, --columns, --functions   list these instead of counting;
                                                              --folders: folders of more than 40 files
"""
import collections
import os
import re
import sys

COLUMNS, LINES, SAME, FILES = 100, 60, 2, 40
# names that may repeat: the functions of a format's vtable
FIELDS = {"bid", "open_reader", "read_batch", "close_reader", "open_writer", "write_batch", "finish", "close_writer", "copy", "series"}


def sources(root):
    """The lines of each C file of libcommon and tools by path, without files that a build makes."""
    found = {}
    for top in ("libcommon", "tools"):
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in names:
                path = os.path.relpath(os.path.join(folder, name), root)
                if re.search(r"\.[ch]$", name) and not re.search(r"_options\.[ch]$|\.(js|css|html)\.h$", name):
                    with open(os.path.join(root, path), encoding="utf-8") as file:
                        found[path] = file.read().split("\n")[:-1]
    return found


def functions(lines):
    """(name, static, first line, number of lines) of each function. Its head and last brace are in the first column."""
    head, start = "", 0
    for number, line in enumerate(lines, 1):
        if line == "{" or (line.endswith(") {") and line[0] not in " #}"):
            text = head + " " + line
            name = re.search(r"([A-Za-z_]\w*)\(", re.sub(r"\b(PF_PRINTF|__attribute__)\s*\(.*", "", text))
            begun = (name.group(1) if name else "", "static" in text.split(), start or number)
        elif line == "}" and head is None:
            yield begun + (number - begun[2] + 1,)
            head, start = "", 0
            continue
        if head is None:
            continue
        if line == "{" or (line.endswith(") {") and line[0] not in " #}"):
            head = None
        elif line and line[0] not in " \t#/*}" and not line.endswith(";"):
            head, start = line, number
        elif line.startswith(" ") and head:
            head += " " + line.strip()
        else:
            head, start = "", 0


def includes(files):
    """The files of libcommon that each file includes."""
    known = {path[len("libcommon/"):]: path for path in files if path.startswith("libcommon/")}
    return {path: {known[name] for name in re.findall(r'^#include "([^"]+)"', "\n".join(lines), re.M) if name in known}
            for path, lines in files.items()}


def one_includer(files, uses):
    """Headers that at most one file includes, counting the header's own source file."""
    users = collections.defaultdict(set)
    for path, headers in uses.items():
        for header in headers:
            users[header].add(path)
    return sorted(header for header in files if header.startswith("libcommon/") and header.endswith(".h") and
                  len(users[header]) <= 1)


def calls(files, found):
    """The source files whose functions each source file calls."""
    home = {name: path for path, (name, static, _, _) in found if path.endswith(".c") and not static}
    return {path: {home[name] for name in re.findall(r"\b(pf_\w+)\(", "\n".join(lines)) if name in home}
            for path, lines in files.items() if path.endswith(".c")}


def circles(files, uses):
    """Groups of files of one folder that depend on each other in a circle. A source file and its header count as one; uses gives the
    files that a file includes or calls."""
    graph = collections.defaultdict(set)
    for path, others in uses.items():
        graph[path[:-2]] |= {other[:-2] for other in others if other[:-2] != path[:-2] and
                             os.path.dirname(other) == os.path.dirname(path) and other[:-1] + "c" in files}
    reach = {}
    for chapter in graph:
        seen, todo = set(), [chapter]
        while todo:
            for other in graph[todo.pop()] - seen:
                seen.add(other)
                todo.append(other)
        reach[chapter] = seen
    return sorted({tuple(sorted({chapter} | {other for other in reach[chapter] if chapter in reach[other]}))
                   for chapter in graph if chapter in reach[chapter]})


def all_circles(files, found, uses):
    return sorted(set(circles(files, uses) + circles(files, calls(files, found))))


def same_statics(found):
    files = collections.defaultdict(set)
    for path, (name, static, _, _) in found:
        if static and name not in FIELDS:
            files[name].add(path)
    return sorted((name, sorted(paths)) for name, paths in files.items() if len(paths) > SAME)


def big_folders(files):
    folders = collections.Counter(os.path.dirname(path) for path in files)
    return sorted("%s/: %d files" % (folder, count) for folder, count in folders.items() if count > FILES)


def table(title, rows):
    print(title)
    for row in rows:
        print("  %-28s" % row[0] + "".join("%9s" % format(n, ",") for n in row[1:]))


def census(files, found, uses):
    folders, formats = collections.Counter(), collections.Counter()
    lines, counts = collections.Counter(), collections.Counter()
    for path, text in files.items():
        folder = re.sub(r"^(libcommon/format)/.*", r"\1", os.path.dirname(path))
        folders[folder] += 1
        lines[folder] += len(text)
        if path.startswith("libcommon/format/"):
            formats[re.split(r"[/._]", path)[2]] += 1
    for path, _ in found:
        counts[re.sub(r"^(libcommon/format)/.*", r"\1", os.path.dirname(path))] += 1
    print("%-30s%9s%9s%10s" % ("", "files", "lines", "functions"))
    table("folders", [(f, folders[f], lines[f], counts[f]) for f in sorted(folders)])
    table("all", [("", sum(folders.values()), sum(lines.values()), sum(counts.values()))])
    table("files of a format", [(name, n) for name, n in sorted(formats.items()) if n > 1])
    table("to be few", [
        ("headers with one includer", len(one_includer(files, uses))),
        ("circles of files", len(all_circles(files, found, uses))),
        ("folders of over %d files" % FILES, len(big_folders(files))),
        ("statics in over 2 files", len(same_statics(found))),
        ("lines over %d columns" % COLUMNS, sum(len(line) > COLUMNS for text in files.values() for line in text)),
        ("functions over %d lines" % LINES, sum(f[3] > LINES for _, f in found)),
        ("files over 1,000 lines", sum(len(text) > 1000 for text in files.values()))])


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    files = sources(arguments[0] if arguments else os.path.join(os.path.dirname(__file__), "..", ".."))
    found = [(path, f) for path, text in sorted(files.items()) for f in functions(text)]
    uses = includes(files)
    names = {
        "--headers": lambda: one_includer(files, uses),
        "--circles": lambda: map(" ".join, all_circles(files, found, uses)),
        "--folders": lambda: big_folders(files),
        "--statics": lambda: ("%s: %s" % (name, " ".join(paths)) for name, paths in same_statics(found)),
        "--columns": lambda: ("%s:%d: %d columns" % (path, n, len(line)) for path, text in sorted(files.items())
                              for n, line in enumerate(text, 1) if len(line) > COLUMNS),
        "--functions": lambda: ("%s:%d: %s has %d lines" % (path, f[2], f[0], f[3]) for path, f in found if f[3] > LINES),
    }
    asked = [a for a in sys.argv[1:] if a.startswith("--")]
    for option in asked:
        if option not in names:
            sys.exit("census: no option %s\n\n%s" % (option, __doc__))
        for line in names[option]():
            print(line)
    if not asked:
        census(files, found, uses)


main()
