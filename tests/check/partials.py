#!/usr/bin/env python3
"""Merges in a tree (profmerge --partials) against one merge, byte by byte.

    partials.py random SEED RUNS DIR...   merges of random profiles below DIR: in one process, by make, by tasks in a random order
    partials.py changes SEED RUNS         merges with one input changed, added or removed
    partials.py killed SEED RUNS DIR      merges of all profiles in DIR, killed at random moments and run again
    partials.py together SEED RUNS DIR    two merges at once over different parts of DIR, with one directory of partials

Works in the current directory. Programs are found through $PATH. Prints what differs and exits with 1, else prints one line.
"""
import collections
import filecmp
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time

SERIES = re.compile(r"(.*\.[0-9a-f]{48})\.[0-9]{8}$")
faults = []


def check(good, text):
    if not good:
        faults.append(text)


def run(*command, status=0, data=None):
    done = subprocess.run(command, input=data, capture_output=True, timeout=300, check=False)
    if done.returncode != status:
        sys.exit(f"status {done.returncode}: {' '.join(command)[:2000]}: {done.stderr.decode()[-2000:]}")
    return done.stdout


def merge(names, output, *options, status=0):
    return run("profmerge", "-q", *options, "--files0-from=-", "-o", output, status=status, data=b"\0".join(map(os.fsencode, names)))


def same(one, other, text):
    check(filecmp.cmp(one, other, shallow=False), f"{text}: {one} and {other} differ")


def profiles(directories):
    """The files that profmerge reads, each alone."""
    for directory in directories:
        for folder, _, files in sorted(os.walk(directory)):
            for name in sorted(files):
                path = os.path.join(folder, name)
                if not name.endswith((".json", ".md", ".gz.json", ".txt")) and subprocess.run(
                        ("profmerge", "-q", path, "-o", "one.pfs"), capture_output=True, check=False).returncode == 0:
                    yield path


def tasks(names, directory, output, *options):
    """The lines of a plan: level, output, list."""
    text = merge(names, output, f"--partials={directory}", "--plan=tasks", *options)
    return [line.split("\t") for line in text.decode().splitlines()]


def run_tasks(chance, lines):
    levels = collections.defaultdict(list)
    for level, output, task in lines:
        levels[int(level)].append((output, task))
    for level in sorted(levels):
        chance.shuffle(levels[level])
        for output, task in levels[level]:
            run("profmerge", "-q", f"--task={task}")
            check(os.path.exists(output), f"{task}: no {output}")


def count_levels(lines):
    """The number of partials to make at each level; the last line is the output."""
    return collections.Counter(int(level) for level, _, _ in lines[:-1])


def whole_series(chosen, pool):
    """The files of a process belong together: with one of them come all."""
    keys = {match.group(1) for match in map(SERIES.match, chosen) if match}
    return sorted(set(chosen) | {name for name in pool if (match := SERIES.match(name)) and match.group(1) in keys})


def write(name, value):
    with open(name, "w", encoding="ascii") as file:
        file.write(f"main;f{value % 7};g{value % 11} {value}\n")


def changes(seed, runs, _):
    """One input changed makes at most one partial of each level, one more or less at most two."""
    chance = random.Random(seed)
    worst = collections.Counter()
    for number in range(runs):
        shutil.rmtree("in", ignore_errors=True)
        shutil.rmtree("partials", ignore_errors=True)
        os.mkdir("in")
        options = (f"--fan-in={chance.choice((2, 3, 8, 64))}", "-f", "folded")
        names = [f"in/{chance.randrange(10**6):06}.folded" for _ in range(chance.choice((1, 2, 20, 300)))]
        for name in names:
            write(name, chance.randrange(1, 10**6))
        names = sorted(set(names))
        merge(names, "two.pfs", "--partials=partials", *options)
        for what, most in (("changed", 1), ("added", 2), ("removed", 2)):
            one = chance.choice(names)
            if what == "added":
                one = f"in/{chance.randrange(10**6):06}.folded"
                names = sorted({*names, one})
            if what == "removed" and len(names) > 1:
                names.remove(one)
            else:
                write(one, chance.randrange(1, 10**9))
            made = count_levels(tasks(names, "partials", "two.pfs", *options))
            worst[what] = max(worst[what], *made.values(), 0)
            check(max(made.values(), default=0) <= most, f"run {number}, {options}: one of {len(names)} inputs {what}: {dict(made)}")
            merge(names, "two.pfs", "--partials=partials", *options)
            merge(names, "one.pfs", "--canonical", "-f", "folded")
            same("one.pfs", "two.pfs", f"run {number}, one input {what}")
    return f"{runs} trees, the most partials made in a level: " + ", ".join(f"{what} {most}" for what, most in worst.items())


def random_merge(chance, pool, fan_in):
    folder = chance.choice(sorted({os.path.dirname(name) for name in pool} | {""}))
    near = [name for name in pool if name.startswith(folder)]
    names = whole_series(chance.sample(near, min(len(near), chance.choice((1, 2, 5, 12, 30)))), pool)
    if subprocess.run(("profmerge", "-q", "--canonical", *names, "-o", "one.pfs"), capture_output=True, check=False).returncode:
        return 0
    for directory in ("process", "make", "tasks"):
        shutil.rmtree(directory, ignore_errors=True)
    chance.shuffle(names)
    options = (f"--fan-in={fan_in}",)
    merge(names, "process.pfs", "--partials=process", *options)
    same("one.pfs", "process.pfs", f"{len(names)} inputs in one process")
    plan = merge(names, "make.pfs", "--partials=make", "--plan=make", *options)
    run("make", "-s", "-j2", "-f", "-", data=plan)
    same("one.pfs", "make.pfs", f"{len(names)} inputs by make")
    lines = tasks(names, "tasks", "tasks.pfs", *options)
    run_tasks(chance, lines)
    same("one.pfs", "tasks.pfs", f"{len(names)} inputs by tasks")
    check(len(tasks(names, "tasks", "again.pfs", *options)) == 1, "a plan of what is there has more than its last task")
    check(sorted(os.listdir("process")) == sorted(name for name in os.listdir("tasks") if not name.endswith(".task")),
          "one process and tasks make different partials")
    return 1


def random_runs(seed, runs, directories):
    pool = list(profiles(directories))
    merged = 0
    for number in range(runs):
        chance = random.Random(seed * 100003 + number)
        merged += random_merge(chance, pool, chance.choice((2, 3, 8)))
    check(merged >= runs / 3, f"only {merged} of {runs} random sets of inputs can be merged")
    return f"{merged} merges of {len(pool)} profiles"


def listing(directory):
    return {name: os.stat(os.path.join(directory, name)).st_ino for name in os.listdir(directory) if name.endswith(".pfs")}


def killed(seed, runs, directory):
    """A run that is killed loses only the partial that it was making."""
    names = [os.path.join(directory, name) for name in os.listdir(directory)]
    chance = random.Random(seed)
    merge(names, "one.pfs", "--canonical")
    shutil.rmtree("partials", ignore_errors=True)
    start = time.monotonic()
    merge(names, "whole.pfs", "--partials=partials", "--fan-in=4")
    seconds = time.monotonic() - start
    everything = len(listing("partials"))
    repeated = 0
    for number in range(runs):
        shutil.rmtree("partials")
        command = ["profmerge", "-q", "--partials=partials", "--fan-in=4", "-o", "killed.pfs", *names]
        if number % 2:
            plan = merge(names, "killed.pfs", "--partials=partials", "--fan-in=4", "--plan=make")
            with open("plan.mk", "wb") as file:
                file.write(plan)
            command = ["make", "-s", "-j3", "-f", "plan.mk"]
        with subprocess.Popen(command, start_new_session=True, stderr=subprocess.DEVNULL) as process:
            time.sleep(chance.uniform(0, 1.2 * seconds))
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
        time.sleep(0.05)
        before = listing("partials") if os.path.isdir("partials") else {}
        merge(names, "killed.pfs", "--partials=partials", "--fan-in=4")
        after = listing("partials")
        same("one.pfs", "killed.pfs", f"run {number} after a kill")
        check(all(after.get(name) == inode for name, inode in before.items()), f"run {number} made a partial again")
        check(len(after) == everything, f"run {number} has {len(after)} partials, expected {everything}")
        left = [name for name in os.listdir("partials") if name.startswith(".")]
        check(not left, f"run {number} leaves {left}")
        repeated += everything - len(before)
    return f"{runs} runs killed, {repeated} of {runs * everything} partials made after the kill"


def together(seed, runs, directory):
    names = sorted(os.path.join(directory, name) for name in os.listdir(directory))
    for number in range(runs):
        chance = random.Random(seed + number)
        parts = [sorted(chance.sample(names, len(names) * 3 // 4)) for _ in range(3)]
        shutil.rmtree("partials", ignore_errors=True)
        for k, part in enumerate(parts):
            merge(part, f"one{k}.pfs", "--canonical")
        processes = [subprocess.Popen(("profmerge", "-q", "--partials=partials", "--fan-in=4", *(["--prune"] if k == 2 else []),
                                       "-o", f"two{k}.pfs", *part), stderr=subprocess.DEVNULL) for k, part in enumerate(parts)]
        for process in processes:
            check(process.wait() == 0, f"run {number}: status {process.returncode}")
        for k in range(len(parts)):
            same(f"one{k}.pfs", f"two{k}.pfs", f"run {number}, merge {k}")
        check(not [name for name in os.listdir("partials") if name.startswith(".")], f"run {number} leaves a temporary file")
    return f"{runs} times 3 merges at once"


def main():
    what, seed, runs = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    if what == "random":
        line = random_runs(seed, runs, sys.argv[4:])
    else:
        line = {"changes": changes, "killed": killed, "together": together}[what](seed, runs, sys.argv[-1])
    print("\n".join(faults) if faults else line)
    sys.exit(bool(faults))


main()
