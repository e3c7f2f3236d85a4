#!/usr/bin/env python3
"""Compares proftop with flat and cumulative sums computed from profcat's rows: proftop.py BIN FILE...

Every number of proftop -t json is computed again from `profcat -t ndjson`, sample by sample: by function, name, file, line and
section; callers and callees; and the tree, where a total must be the self value plus the children's totals. Prints differences and
then exits with 1, else prints one line for all files.
"""
import collections
import fractions
import json
import os
import subprocess
import sys


def run(program, *arguments):
    done = subprocess.run([os.path.join(BIN, program), *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return done.returncode, [json.loads(line, parse_float=fractions.Fraction) for line in done.stdout.decode('utf-8').splitlines()]


def document(*arguments):
    done = subprocess.run([os.path.join(BIN, 'proftop'), *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return done.returncode, json.loads(done.stdout.decode('utf-8'), parse_float=fractions.Fraction) if done.stdout else None


def first_line(name, line):
    """The first line of a function that its name does not identify, such as an anonymous one; else 0."""
    part = name.rpartition('::')[2]
    perl = part in ('__ANON__', 'BEGIN', 'UNITCHECK', 'CHECK', 'INIT', 'END')
    return max(line, 0) if perl or name.rpartition('.')[2].startswith(('<', '(anonymous')) else 0


def function_key(frame):
    return (frame['function'], frame['file'], frame['image'], first_line(frame['function'], frame['start_line']))


def file_row(frame):
    """The file shown for a frame. StatProfiler's frames without a file are subs in C and shown under xs:PACKAGE."""
    if frame['file'] or not frame['perl']:
        return frame['file']
    return 'xs:' + frame['function'].rpartition('::')[0]


KEYS = {
    'function': function_key,
    'name': lambda f: (f['function'], '', '', 0),
    'file': lambda f: ('', file_row(f), '', 0),
    'line': lambda f: (f['function'], f['file'], f['image'], f['line']),
}


def expected_rows(samples, measure, key):
    flat, cum = collections.Counter(), collections.Counter()
    for sample in samples:
        value = sample['values'].get(measure, 0)
        for at in {key(frame) for frame in sample['stack']}:
            cum[at] += value
        if sample['stack']:
            flat[key(sample['stack'][0])] += value
    return {at: (flat[at], cum[at]) for at in cum if flat[at] or cum[at]}


def expected_sections(samples, measure):
    sums = collections.Counter()
    for sample in samples:
        for name in set(sample['sections']):
            sums[name] += sample['values'].get(measure, 0)
    return {name: (value, value) for name, value in sums.items() if value}


def expected_edges(samples, measure):
    sums = collections.Counter()
    for sample in samples:
        keys = [function_key(frame) for frame in sample['stack']]
        for pair in set(zip(keys[1:], keys)):
            sums[pair] += sample['values'].get(measure, 0)
    return {pair: value for pair, value in sums.items() if value}


def compare(what, got, want):
    if got == want:
        return 0
    for key in sorted(set(got) | set(want), key=repr):
        if got.get(key) != want.get(key):
            print(f'{what}: {key!r}: proftop has {got.get(key)}, the samples give {want.get(key)}')
    return 1


def row_key(row, by):
    line = row['line'] if by == 'line' else first_line(row['function'], row['line']) if by == 'function' else 0
    return (row['function'], row['file'], row['image'], line)


def check_tables(name, samples, measure):
    bad = 0
    for by, key in KEYS.items():
        rows = run('proftop', '-t', 'ndjson', '-b', by, '-m', 'sample:' + measure, name)[1]
        got = {row_key(row, by): (row['flat'], row['cum']) for row in rows}
        bad += len(got) != len(rows)
        bad += compare(f'{name}: {measure} by {by}', got, expected_rows(samples, measure, key))
    rows = run('proftop', '-t', 'ndjson', '-b', 'section', '-m', 'sample:' + measure, name)[1]
    got = {row['section']: (row['flat'], row['cum']) for row in rows}
    return bad + compare(f'{name}: {measure} by section', got, expected_sections(samples, measure))


def check_edges(name, samples, measure):
    rows = run('proftop', '--edges', '--kind=sample', '-t', 'ndjson', '-m', 'sample:' + measure, name)[1]
    sides = [tuple(row[side + end] for end in ('', '_file', '_image')) + (first_line(row[side], row[side + '_line']),)
             for row in rows for side in ('caller', 'callee')]
    got = {(sides[2 * i], sides[2 * i + 1]): row['value'] for i, row in enumerate(rows)}
    return compare(f'{name}: {measure}, edges', got, expected_edges(samples, measure))


def check_tree(name, samples, measure):
    rows = run('proftop', '--tree', '-t', 'ndjson', '-m', 'sample:' + measure, name)[1]
    below = collections.Counter()
    for row in rows:
        below[row['parent']] += row['total']
    bad = [row for row in rows if row['total'] != row['self'] + below[row['id']] or row['parent'] >= row['id']]
    for row in bad:
        print(f'{name}: {measure}: this node is not self plus children, or before its parent: {row}')
    total = sum(sample['values'].get(measure, 0) for sample in samples)
    return bool(bad) + compare(f'{name}: {measure}, tree', {'all': rows[0]['total'] if rows else 0}, {'all': total})


def check(name):
    status, records = run('profcat', '-t', 'ndjson', name)
    samples = [record for record in records if record['kind'] == 'sample']
    for frame in (frame for sample in samples for frame in sample['stack']):
        frame['perl'] = '/statprofiler/' in name
    code, whole = document('-t', 'json', name)
    if (code == 0) != (status == 0) or (whole is not None and whole['meta']['complete'] != (code == 0)):
        print(f'{name}: profcat exits {status}, proftop {code}')
        return 1
    bad = 0
    for measure in sorted({measure for sample in samples for measure in sample['values']}):
        bad += check_tables(name, samples, measure) + check_edges(name, samples, measure) + check_tree(name, samples, measure)
        total = sum(sample['values'].get(measure, 0) for sample in samples)
        said = document('-t', 'json', '-n', '1', '-m', 'sample:' + measure, name)[1]['measures'][0]['total']
        bad += compare(f'{name}: {measure}', {'total': said}, {'total': total})
    return bad


BIN = sys.argv[1]
failed = sum(check(name) > 0 for name in sys.argv[2:])
print(f'{len(sys.argv) - 2 - failed} of {len(sys.argv) - 2} files agree')
sys.exit(failed > 0)
