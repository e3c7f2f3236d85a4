"""Tests text on terminals of many widths: no line is wider than the terminal, names stay complete as long as
possible, columns disappear in their order. usage: terminal.py BIN EXAMPLES

Exit status 77: no pseudo-terminal can be opened.
"""
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import unicodedata

wrong = []


def width(text):
    """Columns of a line, by Python's Unicode data instead of the programs' own table."""
    columns = 0
    for char in text:
        if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf"):
            continue
        columns += 2 if unicodedata.east_asian_width(char) in "WF" else 1
    return columns


def shown(columns, *command, rows=50, locale="C.UTF-8"):
    """The lines that a program writes to a terminal."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    env = dict(os.environ, LC_ALL=locale, TERM="xterm")
    env.pop("NO_COLOR", None)
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=slave,
                          stderr=subprocess.PIPE, env=env) as process:
        os.close(slave)
        data = b""
        while True:
            try:
                part = os.read(master, 65536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            data += part
        error = process.stderr.read().decode()
    os.close(master)
    if process.returncode != 0:
        wrong.append("%s: status %d, %s" % (" ".join(command), process.returncode, error))
    text = re.sub("\x1b\\[[0-9;]*m", "", data.decode()).replace("\r", "")
    return text.splitlines()


def check(good, *what):
    if not good:
        wrong.append(" ".join(str(part) for part in what))


def make_inputs():
    path = "a/long/way/to/" + "directory/" * 8
    long_name = "std::map<" + "std::basic_string<char>, " * 8 + ">::operator[](const int&)"
    lines = [
        "日本語の関数名;" + "漢字" * 40 + "かな 1234567",
        "e\u0301tude" * 20 + ";cafe\u0301 7654321",
        long_name + ";" + long_name + ";short 5000000",
        ";".join("deep_%d" % level for level in range(120)) + " 3000000",
        "main;" + path + "file.go 12",
    ]
    with open("wide.folded", "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    with open("less.folded", "w", encoding="utf-8") as file:
        file.write("\n".join(lines[:3]) + "\n")
    os.makedirs(path, exist_ok=True)
    os.makedirs("deep/" + path, exist_ok=True)
    with open("deep/" + path + "input.folded", "w", encoding="utf-8") as file:
        file.write(lines[0] + "\n")
    return "deep/" + path + "input.folded"


def no_line_is_too_wide(bin_dir, examples, far):
    requests, words = examples + "/requests.out", examples + "/words/"
    tables = [
        ["proftop"], ["proftop", "--cum", "-n", "0"], ["proftop", "--tree"],
        ["proftop", "--tree", "-n", "0"], ["proftop", "--edges"], ["proftop", "--peek=."],
        ["proftop", "--callers=a"], ["proftop", "--list=a"], ["proftop", "--by=file"],
        ["proftop", "--by=line"], ["profcat", "--probe"], ["profcat", "-H"], ["profcat", "-c"],
        ["profcat"], ["profmerge"],
    ]
    runs = [table + [name] for table in tables for name in ("wide.folded", requests)]
    runs += [["proftop", far, "wide.folded", requests], ["proftop", "--by=section", requests],
             ["profdiff", words + "before", words + "after"],
             ["profdiff", "--stats", words + "before", words + "after"],
             ["profdiff", "--stats", "wide.folded", "less.folded", "less.folded", far],
             ["profdiff", "wide.folded", "less.folded"], ["profdiff", "wide.folded", far],
             ["profdiff", "--fail-above=500%", words + "before", words + "after"]]
    for run in runs:
        for columns in (30, 80) if run[0] != "profdiff" else (40, 80, 133):
            for line in shown(columns, bin_dir + "/" + run[0], *run[1:]):
                check(width(line) <= columns, *run, "at", columns, "columns:", width(line), line)


def sentences_break_between_words(bin_dir, words):
    """Tests that the sentences above and below a table are broken at blanks, and not inside a short parenthesis."""
    command = [bin_dir + "/profdiff", "-n", "1", words + "before", words + "after"]
    whole = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode().splitlines()
    whole = [line for line in whole if re.match("runs vary|[0-9]+ and [0-9]+ runs|moderated t|[0-9]+ functions? ", line)]
    check(len(whole) == 4, "sentences:", whole)
    for columns in range(40, 134):
        lines = shown(columns, *command)
        for sentence in whole:
            at = next((at for at, line in enumerate(lines) if sentence.startswith(line) and line), 0)
            parts = lines[at:at + 1]
            while len(" ".join(parts)) < len(sentence) and re.match("    [^ ]", lines[at + len(parts)]):
                parts.append(lines[at + len(parts)].strip())
            check(" ".join(parts) == sentence, "at", columns, "columns:", parts, "instead of", sentence)
            for inside in re.findall(r"\([^)]{,22}\)", sentence):
                check(any(inside in part for part in parts), "at", columns, "columns:", inside, "broken in", parts)
            check(len(parts) == 1 or len(sentence) > columns, "at", columns, "columns: broken though it fits:", parts)
    last = [line.strip() for line in shown(80, *command)[-2:]]
    check(last == ["0 functions slower, 1 faster, 14 unchanged or too noisy; total -49.29%", "(p = 0.004)"], "at 80 columns:", last)


def names_stay_whole(bin_dir):
    """Tests that every name that fits next to the columns that must stay is complete."""
    name, path = "My::Render::page_and_footer", "/srv/www/a/very/long/path/that/leads/lib/My/Render.pm"
    with open("paths.json", "w", encoding="utf-8") as file:
        file.write('{"nodes": [{"id": 1, "callFrame": {"functionName": "(root)", "url": "", "lineNumber": -1,'
                   ' "columnNumber": -1, "scriptId": "0"}, "children": [2]}, {"id": 2, "callFrame": {"functionName":'
                   ' "%s", "url": "%s", "lineNumber": 30, "columnNumber": 0, "scriptId": "1"}}],'
                   ' "startTime": 0, "endTime": 3000, "samples": [2, 2, 2], "timeDeltas": [0, 1000, 1000]}'
                   % (name, path))
    lines = {columns: "\n".join(shown(columns, bin_dir + "/proftop", "paths.json"))
             for columns in (200, 100, 80, 64, 50)}
    check(name + "  " + path + ":31" in lines[200], "all of the path at 200 columns:", lines[200])
    for columns in (100, 80):
        check(name + "  Render.pm:31" in lines[columns] and path not in lines[columns],
              "no directories at", columns, "columns:", lines[columns])
    check(name in lines[64], "the name at 64 columns:", lines[64])
    check(name not in lines[50] and name[-12:] in lines[50] and "\u2026" in lines[50],
          "the last 12 characters at 50 columns:", lines[50])


def columns_leave_in_order(bin_dir, words):
    """Tests the order in which parts disappear as the terminal gets narrower: directories of files, then bar, points, interval."""
    states = []
    for columns in range(170, 71, -1):
        lines = shown(columns, bin_dir + "/profdiff", "-n", "1", words + "before", words + "after",
                      locale="C")
        head = next(line for line in lines if "verdict" in line)
        row = lines[lines.index(head) + 2]  # after the total
        state = ["##" in row, "points" in head, "interval" in head]
        check("main::place  " in row and "words.pl:17" in row, "no name at", columns, ":", row)
        check(all(state) or "/srv/" not in row or not any(state),
              "a column left before the directories at", columns, ":", row)
        if state not in states:
            states.append(state)
    order = [[False] * gone + [True] * (3 - gone) for gone in range(4)]
    check(states == order, "columns leave in the order", states)


def main():
    bin_dir, examples = sys.argv[1:]
    try:
        for end in pty.openpty():
            os.close(end)
    except OSError as error:
        print("no pseudo-terminal can be opened: %s" % error)
        sys.exit(77)
    far = make_inputs()
    no_line_is_too_wide(bin_dir, examples, far)
    names_stay_whole(bin_dir)
    sentences_break_between_words(bin_dir, examples + "/words/")
    columns_leave_in_order(bin_dir, examples + "/words/")
    print("\n".join(wrong[:20]))
    sys.exit(bool(wrong))


main()
