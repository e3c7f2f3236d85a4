#!/usr/bin/env python3
"""Writes canonical output of the same profiles in several orders, in every format that is written.

    canonical.py DIR SEED ROUNDS    DIR/FORMAT holds profiles of a format; a round is one set of 2 to 5 profiles

--canonical promises one order: a permutation of the inputs gives the same bytes, or is refused in both orders. The native stream holds all
records, so its conversion has these bytes too. Documents in json name the program and the inputs in the order of the command; this
difference is taken out of both. Prints what differs; the exit status is then 1.
"""
import os
import random
import re
import subprocess
import sys

BIN = os.environ["PROFUTILS_BIN"]
TOOLS = ("profmerge", "profcat", "proffilter")
LONGEST = 300000  # bytes of a profile
COMMAND = re.compile(rb'"meta":\{.*?"inputs":\[[^]]*\]', re.S)


def run(*command):
    done = subprocess.run([os.path.join(BIN, command[0]), *command[1:]], capture_output=True, timeout=60, check=False)
    return done.returncode, COMMAND.sub(b"", done.stdout)


def written():
    lines = run("profcat", "--formats")[1].decode().splitlines()
    return [line.split()[0] for line in lines if "w" in line.split()[1]]


def profiles(corpus):
    """Returns a list of files for each folder."""
    found = []
    for top in sorted(os.listdir(corpus)):
        files = [os.path.join(folder, name) for folder, _, names in os.walk(os.path.join(corpus, top)) for name in names]
        files = sorted(file for file in files if os.path.getsize(file) <= LONGEST and not re.search(r"expected|\.(md|txt)(\.gz)?$|expect\.json$", file))
        if files:
            found.append(files)
    return found


def choose(rand, folders, number):
    """Returns readable profiles, most of one folder."""
    files = folders[number % len(folders)]
    files = rand.sample(files, min(len(files), 12))
    if rand.randrange(4) == 0:
        files[1:1] = rand.sample(rand.choice(folders), 1)
    wanted, chosen = rand.randrange(2, 6), []
    for file in files:
        if len(chosen) < wanted and run("profcat", "-q", "-c", file)[0] == 0:
            chosen.append(file)
    return chosen


def compare(tool, formats, files, other):
    """Returns the number of formats that both orders wrote, and the differences."""
    command = [tool, "-q", "--force", "--canonical"]
    if run(*command, *files, "-o", "whole.pfs")[0] != 0:
        return 0, []
    count, bad = 0, []
    for form in formats:
        want, got = run(*command, "-t", form, *files), run(*command, "-t", form, *other)
        stream = run("profcat", "-q", "--force", "-t", form, "whole.pfs")
        count += want[0] == 0
        if got != want:
            bad.append("%s -t %s: %s and %s" % (tool, form, " ".join(files), " ".join(other)))
        elif stream != want:
            bad.append("%s -t %s: %s and their native stream" % (tool, form, " ".join(files)))
    return count, bad


def main():
    corpus, seed, rounds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    rand, formats, folders = random.Random(seed), written(), profiles(corpus)
    total, bad = 0, []
    for number in range(rounds):
        files = choose(rand, folders, number)
        other = files[:]
        while len(files) > 1 and other == files:
            rand.shuffle(other)
        if len(files) > 1:
            count, differences = compare(TOOLS[number % len(TOOLS)], formats, files, other)
            total += count
            bad += differences
    print("\n".join(bad[:20]))
    if total < 2 * rounds:
        bad.append("")
        print("only %d files were written" % total)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
