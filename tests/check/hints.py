#!/usr/bin/env python3
"""The answers to options of other tools (libcommon/cli/peers.c): runs each option, and then the command that the message suggests.

    hints.py PEERS.C      in an empty directory; programs are found through $PATH

A suggested command must end with status 0 and select something. Prints what does not, and exits with 1, else prints one line.
"""
import os
import re
import shutil
import subprocess
import sys

PROGRAMS = {"PF_CAT": "profcat", "PF_MERGE": "profmerge", "PF_DIFF": "profdiff", "PF_FILTER": "proffilter", "PF_TOP": "proftop"}
# arguments by the option, then by the placeholder of the answer
BY_WORD = {"input-format": "pfs", "by": "function", "granularity": "function", "group-by": "function", "groupby": "function", "tagroot": "op",
           "tagleaf": "op", "split": "op", "tagignore": "op=other", "exclude": "other", "width": "800", "height": "20", "fontsize": "9",
           "minwidth": "1", "colors": "mem", "weight": "2:p.pfs", "weights": "weights", "set-label": "a=b", "only": "more", "sort": "cum",
           "unit": "auto", "fail-above": "1000%", "min-delta": "5%", "min-percent": "1", "limit": "5", "symbols": "symbols", "peek": "work",
           "list": "work", "callers": "work", "callees": "work"}
BY_PLACEHOLDER = {"FORMAT": "json", "FILE": "p.pfs", "BEFORE": "before", "N%": "1000%", "N": "5", "NAME": "samples", "PERCENT": "1", "*PERCENT": "0.01",
                  "UNIT": "count", "PROG": shutil.which("profcat"), "DIR": ".", "KEY=RE": "op=work", "RE": "work", "KEY": "op", "VALUE": "x", ",VALUE": "x"}
NOTHING = re.compile(r"no record (is|has|match)|no function matches|nothing")


def run(command, **more):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", errors="replace", check=False,
                          timeout=60, **more)


def make_inputs():
    os.makedirs("before")
    os.makedirs("after")
    for k in range(1, 4):
        for side, factor in ("before", 1), ("after", 2), ("", 1):
            name = os.path.join(side, f"{k}.pfs") if side else "p.pfs"
            rows = "".join('{"kind":"sample","stack":[{"function":"work","file":"work.c","line":3,"image":"work"},"main%d"],"labels":{"op":["work"],'
                           '"comm":["work"],"tid":[{"num":5}],"pid":[{"num":5}]},"values":{"samples":%d}}\n' % (n, n * factor + k) for n in (1, 2, 3))
            subprocess.run(("profcat", "-f", "ndjson", "-t", "pfs", "-o", name), input=rows.encode(), check=True)
    for name, text in ("weights", "2\tp.pfs\n"), ("symbols", "401000 T main\n"), ("work.c", "int\nmain\n()\n"):
        with open(name, "w", encoding="ascii") as file:
            file.write(text)


def rows_of(source):
    with open(source, encoding="utf-8") as file:
        text = re.sub(r'"\s+"', "", file.read())
    table = text[text.index("} peers[] = {"):]
    return [(words.split(), [name for bit, name in PROGRAMS.items() if re.search(rf"PF_ALL|{bit}\b", programs)], answer)
            for words, programs, answer in re.findall(r'\{"([^"]*)",\s*([A-Z_ |\n]*),\s*"([^"]*)"\}', table)]


def option_of(word, answer):
    name, equals, value = word.partition("=")
    placeholder = re.search("<([^>]*)>", answer)
    if not value and (equals or placeholder or (name in BY_WORD and "--@" in answer)):
        value = BY_WORD.get(name) or BY_PLACEHOLDER[placeholder.group(1)]
    return f"--{name}={value}" if value else f"--{name}"


def operands_of(program):
    return "before after" if program == "profdiff" else "p.pfs"


def suggestion(program, message):
    """The command of a message, with samples for what the user has to fill in."""
    text = re.sub(r" \(.*| for all rows| first$|^the file alone: ", "", message.rpartition("; type ")[2].split("\n")[0])
    for placeholder, sample in ("BEFORE", "before"), ("AFTER", "after"), ("FILE...", "p.pfs"), ("FILE", "p.pfs"), ("KEY", "op"), ("=RE", "=work"), (
            "PROG", shutil.which("profcat")), ("'DIR", "'."), ("=DIR", "=."):
        text = text.replace(placeholder, sample)
    if not text.startswith("prof"):
        return f"{program} {operands_of(program)}" if text == "p.pfs" else f"{program} {text} {operands_of(program)}"
    program = text.split()[0]
    return text if re.search(r"p\.pfs|before|weights", text) else f"{text} {operands_of(program)}"


def check(program, option):
    asked = run([program, option, *operands_of(program).split()])
    if asked.returncode != 2 or "; type " not in asked.stderr:
        return f"{program} {option}: status {asked.returncode}: {asked.stderr}"
    command = suggestion(program, asked.stderr)
    done = run(["sh", "-c", command])
    if done.returncode or NOTHING.search(done.stderr):
        return f"{program} {option}: {command}: status {done.returncode}: {done.stderr}"
    return None


def main():
    make_inputs()
    table = rows_of(sys.argv[1])
    # every word with one program, and the first word with every program
    pairs = [(program, option_of(word, answer)) for words, programs, answer in table for word in words for program in programs
             if word == words[0] or program == programs[0]]
    faults = [fault for fault in (check(*pair) for pair in pairs) if fault]
    print("\n".join(faults) if faults else f"{len(pairs)} options in {len(table)} rows")
    return 1 if faults or len(table) < 60 else 0


if __name__ == "__main__":
    sys.exit(main())
