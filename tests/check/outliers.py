#!/usr/bin/env python3
"""Runs that stand out, computed again: outliers.py SEED RUNS

Makes hosts of random functions, of which some take many times what they take elsewhere, and merges the hosts into one or more streams.
profdiff --stats --runs=label:host must give each row's median, greatest run and ratio, and the sentences below the table must name the
rows in which a run stands out: at least three runs, twice the median, five deviations and 1 % of a run. The comparison of two fleets must
have the verdicts of the single files. Programs are found through $PATH.
"""
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
from fractions import Fraction


def run(*command):
    done = subprocess.run(command, capture_output=True, timeout=60, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"status {done.returncode}: {' '.join(command)}: {done.stderr.decode()}")
    return done.stdout.decode()


def make_hosts(choose, directory, names):
    """Writes a folded file for each host. Returns the amounts by function and host."""
    functions, hosts = [f"f{k}" for k in range(choose.randrange(1, 9))], {}
    os.makedirs(directory, exist_ok=True)
    for function in functions:
        size = choose.choice((3, 50, 1000, 20000))
        for name in names:
            hosts.setdefault(name, {})[function] = max(0, round(choose.gauss(size, size / choose.choice((5, 20)))))
        if choose.randrange(2):
            hosts[choose.choice(names)][function] = size * choose.randrange(2, 9)
        if choose.randrange(4) == 0:
            for name in names[1:]:
                hosts[name][function] = 0
    for name, amounts in hosts.items():
        with open(os.path.join(directory, name), "w", encoding="ascii") as out:
            out.writelines(f"main;{function} {amount}\n" for function, amount in amounts.items() if amount)
            out.write("idle 1\n")
    return {function: {name: amounts[function] for name, amounts in hosts.items()} for function in functions}


def merge(choose, directory, names):
    """Merges the hosts into up to three streams."""
    parts = [names[k::3] for k in range(3)] if len(names) >= 3 and choose.randrange(2) else [names]
    streams = []
    for part in parts:
        streams.append(f"{directory}.{len(streams)}.pfs")
        labelled = []
        for name in part:
            labelled.append(f"{directory}.{name}.pfs")
            run("profcat", "--set-label", f"host={name}", "-o", labelled[-1], os.path.join(directory, name))
        run("profmerge", "-o", streams[-1], *labelled)
    return streams


def check_rows(table, streams):
    rows = {row["function"]: row for row in json.loads(run("profdiff", "--stats", "--runs=label:host", "-t", "json", *streams))["rows"]}
    for function, amounts in table.items():
        row, values = rows.get(function), list(amounts.values())
        if not any(values):
            continue
        median, most = statistics.median([Fraction(value) for value in values]), max(values)
        first = sorted(name for name, value in amounts.items() if value == most)
        ratio = float(most / median) if median > 0 and min(values) != most else None
        good = row["median"] == float(median) and row["max"] == most and (row["max_ratio"] is None) == (ratio is None)
        good = good and (ratio is None or abs(row["max_ratio"] / ratio - 1) < 1e-9)
        good = good and (row["max_run"] in first if min(values) != most else row["max_run"] is None)
        if not good:
            sys.exit(f"{function}: {row}, expected {median} {first} {ratio} of {amounts}")


def outliers_of(table, hosts):
    total = Fraction(sum(sum(amounts.values()) for amounts in table.values()) + hosts, hosts)
    found = []
    for function, amounts in table.items():
        values = [Fraction(value) for value in amounts.values()]
        median, most = statistics.median(values), max(values)
        deviation = Fraction("1.4826") * statistics.median([abs(value - median) for value in values])
        excess = most - median
        if hosts >= 3 and min(values) != most and most >= 2 * median and excess > 5 * deviation and excess >= total / 100:
            found.append((-excess, function))
    return sorted(found)


def check_sentences(table, streams, hosts):
    text = run("profdiff", "--stats", "--runs=label:host", "-n", "0", "-o", "/dev/stdout", *streams)
    said = re.findall(r"^(\S+) has (?:(\S+) times the median|(\S+)) in (\w+)(?:: |, the median is 0)", text, re.M)
    want = outliers_of(table, hosts)
    if len({excess for excess, _ in want}) == len(want) and [row[3] for row in said] != [function for _, function in want[:3]]:
        sys.exit(f"{said}, expected {want}\n{text}")
    if len(said) != min(3, len(want)):
        sys.exit(f"{said}, expected {want}")
    for name, ratio, amount, function in said:
        values = table[function]
        if values[name] != max(values.values()) or (ratio and abs(float(ratio) / float(values[name] / statistics.median(values.values())) - 1) > 0.05):
            sys.exit(f"{name} {ratio} {amount} {function}: {values}")
    more = re.search(r"a run stands out in (\d+) more", text)
    if (int(more.group(1)) if more else 0) != max(0, len(want) - 3):
        sys.exit(f"{more}, expected {len(want) - 3} more")
    return len(said)


def main():
    choose, said = random.Random(int(sys.argv[1])), 0
    for _ in range(int(sys.argv[2])):
        with tempfile.TemporaryDirectory() as directory:
            before, after = os.path.join(directory, "before"), os.path.join(directory, "after")
            names = [f"web{k}" for k in range(choose.randrange(1, 12))]
            table = make_hosts(choose, before, names)
            streams = merge(choose, before, names)
            check_rows(table, streams)
            said += check_sentences(table, streams, len(names))
            make_hosts(choose, after, names)
            run("profmerge", "-o", os.path.join(directory, "b.pfs"), *streams)
            run("profmerge", "-o", os.path.join(directory, "a.pfs"), *merge(choose, after, names))
            sides = [[before, after], ["--runs=label:host", os.path.join(directory, "b.pfs"), os.path.join(directory, "a.pfs")]]
            single, merged = (run("profdiff", "-t", "csv", "--min-percent=0", *side) for side in sides)
            if single != merged:
                sys.exit(f"verdicts of files and of labels differ:\n{single}\n{merged}")
    if said == 0:
        sys.exit("no run stood out")


if __name__ == "__main__":
    main()
