#!/usr/bin/env python3
"""Groups of runs, computed again: replicates.py BIN COUNT SEED

Makes COUNT runs of two sides in the working directory. The groups follow from an own XXH64 of each file, their means from fractions. Compares:
the numbers of runs of each group; a merge at once with trees of merges, byte by byte; profdiff's table and records with the means of the
groups; its verdicts with those of the groups' means as files. With 10,000 runs or more also the power: the changes that profdiff finds
through 32 groups, and those that a t test of all runs finds, computed here. Prints differences and then exits with 1, else prints one line.
"""
import collections
import json
import math
import os
import random
import subprocess
import sys
from fractions import Fraction

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'reference'))
import pfs  # noqa: E402

BIN, COUNT, SEED = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
GROUPS = 32
FORMAT = ('-f', 'folded:measure=wall/ns')
FACTORS = {'same': 1, 'slower': 1.2, 'little': 1.01, 'faster': 0.7, 'noisy': 1.05, 'added': None, 'removed': None}
faults = []


def check(good, text):
    if not good:
        faults.append(text)


def run(*arguments, names=()):
    done = subprocess.run([os.path.join(BIN, arguments[0]), *arguments[1:]], input=b'\0'.join(name.encode() for name in names),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600, check=False)
    if done.returncode:
        sys.exit(f'{" ".join(arguments)}: status {done.returncode}: {done.stderr.decode()}')
    return done.stdout


def amount(chance, function, side):
    spread = 0.4 if function == 'noisy' else 0.05
    factor = FACTORS[function] if side == 'b' else 1
    return max(1, round(chance.gauss(1, spread) * factor * 10**6))


def functions_of(side):
    return [name for name in FACTORS if name != {'a': 'added', 'b': 'removed'}[side]]


def make_side(chance, side):
    """Writes the runs of a side. Returns their names, and the sums by group and function and the numbers of runs by group."""
    names, sums, runs = [], collections.defaultdict(int), collections.Counter()
    os.makedirs(side, exist_ok=True)
    FACTORS['added'] = FACTORS['removed'] = 1
    for number in range(COUNT):
        values = {function: amount(chance, function, side) for function in functions_of(side)}
        text = ''.join(f'main;{function} {value}\n' for function, value in values.items()).encode()
        group = f'{pfs.xxh64(text) % GROUPS + 1:02}-of-{GROUPS}'
        names.append(f'{side}/{number}.folded')
        with open(names[-1], 'wb') as file:
            file.write(text)
        runs[group] += 1
        for function, value in values.items():
            sums[group, function] += value
    return names, sums, runs


def merge(names, out, *options):
    run('profmerge', *options, '--canonical', '--files0-from=-', '-o', out, names=names)


def tree(chance, names, side):
    """Merges in three levels: the first makes the groups. Returns the file."""
    names = chance.sample(names, len(names))
    for level, size in enumerate((max(2, COUNT // 40), 7, COUNT)):
        options = ('--replicates=32', *FORMAT) if level == 0 else ()
        above = []
        for first in range(0, len(names), size):
            above.append(f'{side}.{level}.{first}.pfs')
            merge(names[first:first + size], above[-1], *options)
        names = above
    check(len(names) == 1, f'{side}: the tree has {len(names)} roots')
    return names[0]


def read(name):
    with open(name, 'rb') as file:
        return file.read()


def check_runs(name, runs):
    found = {}
    for line in run('profcat', '-t', 'ndjson', name).splitlines():
        row = json.loads(line)
        if row['values'].get('runs'):
            check(not row['stack'] and not row['values'].get('wall'), f'{name}: {row}')
            found[row['labels']['replicate'][0]] = row['values']['runs']
    check(found == dict(runs), f'{name}: runs {found}, expected {dict(runs)}')


def means(sums, runs, function):
    return [Fraction(sums[group, function], runs[group]) for group in sorted(runs)]


def write_means(side, sums, runs):
    os.makedirs(f'means-{side}', exist_ok=True)
    for number, group in enumerate(sorted(runs)):
        with open(f'means-{side}/{number}.folded', 'w', encoding='utf-8') as file:
            for function in functions_of(side):
                file.write(f'main;{function} {round(Fraction(sums[group, function], runs[group]))}\n')


def rows_of(*arguments):
    rows = [json.loads(line) for line in run('profdiff', '-t', 'ndjson', *arguments).splitlines()]
    return {row['function']: row for row in rows}


def check_table(sides):
    merged, files = rows_of('a.pfs', 'b.pfs'), rows_of(*FORMAT, 'means-a', 'means-b')
    check(set(merged) == set(files), f'rows {set(merged)} and {set(files)}')
    for function, row in merged.items():
        for side, word in (('a', 'before'), ('b', 'after')):
            of_groups = means(*sides[side], function)
            check(row[f'runs_{word}'] == len(of_groups), f'{function}: {row}')
            if function in FACTORS:
                mean = sum(of_groups) / len(of_groups)
                check(abs(row[f'flat_{word}'] - mean) <= 1, f'{function}: {word} {row[f"flat_{word}"]}, expected {float(mean)}')
        check(row['verdict'] == files[function]['verdict'] and row['status'] == files[function]['status'],
              f'{function}: verdict {row["verdict"]}, of the means as files {files[function]["verdict"]}')
    verdicts = ''.join(merged[function]['verdict'] for function in ('slower', 'faster', 'added', 'removed'))
    check(verdicts == '+-+-' or COUNT < 100, f'verdicts {verdicts}')


def check_records(sides):
    """The records of a difference have the means of the groups."""
    run('profdiff', '-t', 'pfs', '-o', 'difference.pfs', 'a.pfs', 'b.pfs')
    for line in run('profcat', '-t', 'ndjson', 'difference.pfs').splitlines():
        row = json.loads(line)
        function = row['stack'][0]['function']
        check('replicate' not in row['labels'], f'{function}: the label stays')
        for side, word in (('a', 'before'), ('b', 'after')):
            of_groups = means(*sides[side], function)
            check(abs(row['values'][f'wall.{word}'] - sum(of_groups) / len(of_groups)) <= 1, f'{function}: {row["values"]}')


# --- power ------------------------------------------------------------------------------------------------------

TABLES, ROWS, CHANGED = 3, 800, 4  # one row in four is changed


def rates(table):
    """For each row the spread of its runs, and the ratio after / before. A changed row has a ratio 2.7 standard errors
    of all runs from 1: a test finds about half of these rows."""
    chance = random.Random(f'{SEED} {table}')
    for number in range(ROWS):
        spread = chance.uniform(0.09, 0.11)
        change = 2.7 * spread * math.sqrt(2 / COUNT) * (1 if number % 2 else -1)
        yield spread, 1 + change if number % CHANGED == 0 else 1


def write_rows(table, side):
    """Writes the runs of a side. Returns names, and for each row the sum of the logarithms of its amounts and of their squares."""
    chance, names, rows = random.Random(f'{SEED} {table} {side}'), [], list(rates(table))
    sums, squares = [0.0] * ROWS, [0.0] * ROWS
    os.makedirs(side, exist_ok=True)
    for number in range(COUNT):
        lines = []
        for row, (spread, ratio) in enumerate(rows):
            away = chance.gauss(math.log(ratio) if side == 'pb' else 0, spread)
            sums[row] += away
            squares[row] += away * away
            lines.append(f'main;r{row} {round(math.exp(away) * 10**6)}')
        names.append(f'{side}/{number}.folded')
        with open(names[-1], 'w', encoding='ascii') as file:
            file.write('\n'.join(lines) + '\n')
    return names, sums, squares


def significant(ps):
    """The rows that the procedure of Benjamini and Hochberg finds at 0.05."""
    order = sorted(range(len(ps)), key=ps.__getitem__)
    found = max((rank for rank, row in enumerate(order, 1) if ps[row] <= 0.05 * rank / len(ps)), default=0)
    return set(order[:found])


def of_all_runs(sides):
    """The rows that Welch's test of the logarithms of all runs finds, with their signs. So many runs make t normal."""
    differences, ps = [], []
    for row in range(ROWS):
        means, variance = [], 0
        for sums, squares in sides:
            means.append(sums[row] / COUNT)
            variance += (squares[row] - sums[row]**2 / COUNT) / (COUNT - 1) / COUNT
        differences.append(means[1] - means[0])
        ps.append(math.erfc(abs(differences[-1]) / math.sqrt(2 * variance)))
    return {row: '+' if differences[row] > 0 else '-' for row in significant(ps)}


def signs_of(*arguments):
    rows = rows_of('-n', '0', '--min-percent=0', *arguments)
    return {int(name[1:]): row['verdict'] for name, row in rows.items() if name[:1] == 'r' and row['verdict'] in '+-'}


def check_power():
    changes, found, wrong, signs = 0, collections.Counter(), collections.Counter(), collections.Counter()
    for table in range(TABLES):
        sides = []
        for side in ('pa', 'pb'):
            names, sums, squares = write_rows(table, side)
            sides.append((sums, squares))
            merge(names, f'{side}.pfs', '--replicates=32', *FORMAT)
        truth = {number: '+' if ratio > 1 else '-' for number, (_, ratio) in enumerate(rates(table)) if ratio != 1}
        changes += len(truth)
        for name, found_signs in (('32 groups', signs_of('pa.pfs', 'pb.pfs')), ('all runs', of_all_runs(sides)),
                                  ('all runs by profdiff', signs_of(*FORMAT, 'pa', 'pb'))):
            found[name] += sum(found_signs.get(row) == sign for row, sign in truth.items())
            wrong[name] += sum(truth.get(row) != sign for row, sign in found_signs.items())
            signs[name] += len(found_signs)
    power = {name: count / changes for name, count in found.items()}
    for name, count in power.items():
        check(wrong[name] <= 0.08 * signs[name], f'{name}: {wrong[name]} of {signs[name]} signs are wrong')
        check(abs(count - power['all runs']) <= 0.03, f'power {power}: {name} differ by more than 3 points from all runs')
    check(0.3 < power['all runs'] < 0.7, f'power {power}: nothing is compared')
    return f'; {changes} changes, found: ' + ', '.join(f'{count:.3f} by {name}' for name, count in power.items())


def main():
    chance = random.Random(SEED)
    sides = {}
    for side in 'ab':
        names, sums, runs = make_side(chance, side)
        sides[side] = sums, runs
        merge(names, f'{side}.pfs', '--replicates=32', *FORMAT)
        for _ in range(2):
            check(read(f'{side}.pfs') == read(tree(chance, names, side)), f'{side}: a tree of merges gives other bytes')
        check_runs(f'{side}.pfs', runs)
        write_means(side, sums, runs)
    check_table(sides)
    check_records(sides)
    power = check_power() if COUNT >= 10000 else ''
    if faults:
        sys.exit('\n'.join(faults[:20]))
    print(f'{COUNT} runs a side in {len(sides["a"][1])} and {len(sides["b"][1])} groups{power}')


main()
