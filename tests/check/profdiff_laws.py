#!/usr/bin/env python3
"""The laws of differences, on random profiles: profdiff_laws.py BIN COUNT SEED [ONLY]

Makes COUNT pairs of sides in temporary directories, as folded stacks, ndjson and native streams: one to six runs a side, as files or as
values of a label; several measures, sampled, timed and exact; samples, and flat amounts with edges as NYTProf has; amounts below 0;
functions that only one side has; two builds of a program. Then, with random options:

  a side does not differ from itself: every row is `=`, also the total, and every delta is 0
  before + delta = after in every row and total
  exchanged sides: verdict, hint, status, delta, points and intervals are mirrored, ratios are reciprocals, p and q are equal
  the order of the runs, the number of threads, and runs as files or as values of a label change no byte
  the sums of the records of the difference are the rows of the table

ONLY is the number of the one pair to check. Prints violations and then exits with 1, else prints one line.
"""
import collections
import importlib.util
import json
import os
import random
import subprocess
import sys
import tempfile
from fractions import Fraction

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
spec = importlib.util.spec_from_file_location('make_stream', os.path.join(HERE, 'make_stream.py'))
make_stream = importlib.util.module_from_spec(spec)
spec.loader.exec_module(make_stream)

BIN = sys.argv[1]
TIME = {'unit': 'nanoseconds', 'num': 1}
SAMPLE_MEASURES = [
    [{'name': 'samples', 'nature': 'sampled', 'role': 'count'}],
    [{'name': 'wall', 'nature': 'timed', 'main': 1, **TIME}],
    [{'name': 'wall', 'nature': 'sampled', 'main': 1, 'unit': 'nanoseconds', 'num': 1000000, 'raw_unit': 'tick'}],
    [{'name': 'cpu', 'nature': 'sampled', 'main': 1, **TIME}, {'name': 'samples', 'nature': 'sampled', 'role': 'count'}],
    [{'name': 'instructions', 'nature': 'exact', 'main': 1}, {'name': 'wall', 'nature': 'timed', **TIME}],
    [{'name': 'bytes', 'unit': 'bytes', 'main': 1}, {'name': 'allocations', 'nature': 'exact', 'role': 'count'}, {'name': 'things', 'unit': 'things'}],
]
CALL_MEASURES = [
    {'name': 'time', 'kind': 'flat', 'nature': 'timed', 'main': 1, **TIME},
    {'name': 'stmts', 'kind': 'flat', 'nature': 'exact', 'role': 'count'},
    {'name': 'calls', 'kind': 'edge', 'nature': 'exact', 'role': 'count'},
    {'name': 'incl', 'kind': 'edge', 'nature': 'timed', 'role': 'inclusive', **TIME},
]


def run(*arguments, stdin=None):
    done = subprocess.run([os.path.join(BIN, arguments[0]), *arguments[1:]], input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=60, check=False)
    if done.returncode:
        raise RuntimeError(f'{" ".join(arguments)}: status {done.returncode}: {done.stderr.decode()}')
    return done.stdout


class Case:
    def __init__(self, choose):
        self.choose = choose
        self.form = choose.choice(['folded', 'ndjson', 'stream', 'calls', 'calls'])
        self.runs = [choose.randrange(1, 7) for _ in range(2)]
        if choose.random() < 0.4:
            self.runs[1] = self.runs[0]
        self.measures = [{'name': 'samples'}] if self.form == 'folded' else CALL_MEASURES if self.form == 'calls' else choose.choice(SAMPLE_MEASURES)
        self.negative = self.form != 'folded' and choose.random() < 0.2
        self.builds = choose.choice([None, None, 'names', 'identifiers']) if self.form == 'stream' else None
        self.starts = choose.sample([5, 6, 7], 2)
        self.labelled = self.form != 'folded' and choose.random() < 0.4
        count = choose.choice([4, 8, 12] if self.form == 'calls' else [1, 4, 8, 12, 12, 50])
        self.functions = [(f'f{number}', choose.choice(['', 'a.pl', 'lib/b.pl']), choose.randrange(0, 90)) for number in range(count)]
        self.places = self.make_places()
        self.scale, self.spread = choose.choice([1, 10, 1000, 10 ** 7]), choose.choice([0, 0.01, 0.1, 0.5])
        self.decimals = self.form == 'folded' and choose.random() < 0.3
        rates = [[choose.choice([0, 0.5, 1, 3, 30, 100]) for _ in self.places]]
        rates.append([rate * choose.choice([0, 1, 1, 1, 1.01, 1.3, 4]) + choose.choice([0, 0, 0, 0, 2]) for rate in rates[0]])
        self.sides = [[self.make_run(rates[side], steady) for _ in range(self.runs[side])]
                      for side, steady in enumerate([choose.random() < 0.2] * 2)]
        self.kind = choose.choice([[], ['--kind=flat'], ['--kind=edge'], ['--kind=edge']]) if self.form == 'calls' else []
        self.options = self.choose_options()

    def make_places(self):
        choose = self.choose
        if self.form == 'calls':
            paths = {tuple(choose.sample(self.functions, choose.randrange(2, 5))) for _ in range(15)}
            return [('path', list(path)) for path in sorted(paths)]
        stacks = {tuple(choose.choice(self.functions) for _ in range(choose.randrange(1, 6))) for _ in range(choose.choice([3, 15, 60]))}
        return [('sample', list(stack)) for stack in sorted(stacks)]

    def make_run(self, rates, steady):
        """Records: (kind, frames, labels, values). Some have only zeros, and some places have no record."""
        choose, records = self.choose, []
        for (kind, frames), rate in zip(self.places, rates):
            values = {}
            for measure in self.measures:
                if kind in ('path', measure.get('kind', 'sample')):
                    value = rate * self.scale * (1 if steady else max(0, choose.gauss(1, self.spread)))
                    value = 1 if rate == 0 and choose.random() < 0.05 else value
                    value = round(value, 2) if self.decimals else round(value)
                    values[measure['name']] = -value if self.negative and choose.random() < 0.2 else value
            if any(values.values()) or choose.random() < 0.5:
                labels = choose.choice([[], [], [('zone', 'n')], [('section', 'req')], [('section', 'req'), ('zone', 's')]])
                records.append((kind, frames, [] if self.form == 'folded' else labels, values))
        records.append((*self.places[0], [], {m['name']: 1 for m in self.measures}))
        return self.split_paths(records) if self.form == 'calls' else records

    def split_paths(self, paths):
        """The time of a path is the flat time of its last function and part of the inclusive time of each call on it."""
        sums = collections.defaultdict(lambda: collections.defaultdict(int))
        for _, frames, labels, values in paths:
            for name in ('time', 'stmts'):
                sums['flat', (frames[-1],), tuple(labels)][name] += values[name]
            for pair in zip(frames, frames[1:]):
                sums['edge', pair, tuple(labels)]['calls'] += values['calls']
                sums['edge', pair, tuple(labels)]['incl'] += values['time']
        return [(kind, list(frames), list(labels), dict(values)) for (kind, frames, labels), values in sums.items()]

    def choose_options(self):
        choose, out = self.choose, ['-n', '0'] + self.kind
        out += choose.choice([[], [], ['--cum']]) + choose.choice([[], [], ['--normalize']]) + choose.choice([[], [], ['--test=welch']])
        out += choose.choice([['--min-percent=0'], ['--min-percent=0'], [], ['--min-percent=3']])
        out += choose.choice([[], [], ['--by=name'], ['--by=file'], ['--by=line'], ['--by=section'], ['--by=label:zone']])
        out += choose.choice([[], [], [], ['--min-delta=0.1%'], ['--min-delta=900%']])
        out += ['--images=apart'] * (self.builds is not None and choose.random() < 0.3)
        if choose.random() < 0.4 or self.form == 'calls':
            names = [m['name'] for m in self.measures if self.kind in ([], ['--kind=' + m.get('kind', 'sample')])]
            out += [f'--measure={name}' for name in choose.sample(names, choose.randrange(1, len(names) + 1))]
        return out

    # --- files ---

    def write(self, path, records, side):
        if self.form == 'folded':
            text = ''.join(';'.join(name for name, _, _ in frames) + f' {values["samples"]}\n' for _, frames, _, values in records)
            data = text.encode()
        elif self.form == 'ndjson':
            data = ''.join(json.dumps(self.row(*record)) + '\n' for record in records).encode()
        else:
            data = make_stream.stream({'measures': self.measures, 'records': [self.record(side, *record) for record in records]})
        with open(path, 'wb') as out:
            out.write(data)

    def row(self, kind, frames, labels, values):
        lists = collections.defaultdict(list)
        for label, value in labels:
            lists[label].append(value)
        units = {m['name']: m.get('unit', 'count') for m in self.measures}
        return {'id': 1, 'kind': kind, 'sections': lists.pop('section', []), 'labels': lists, 'values': values, 'units': {name: units[name] for name in values},
                'stack': [{'function': name, 'file': file, 'line': line} for name, file, line in frames[::-1]]}

    def frame(self, side, name, file, line):
        """The builds of the sides differ in address, in the first line, and in the image's name or identifier."""
        if not self.builds:
            return [name, file, line]
        start = self.starts['ab'.index(side)]
        image = ['app-' + side, ''] if self.builds == 'names' else ['app', side]
        return {'name': name, 'file': file, 'line': line, 'start': start, 'image': image, 'address': 4096 + ord(side) * int(name[1:])}

    def record(self, side, kind, frames, labels, values):
        frames = [self.frame(side, *frame) for frame in frames]
        where = {'sample': {'stack': frames}, 'flat': {'at': frames[0]}}.get(kind) or {'caller': frames[0], 'callee': frames[-1]}
        return {'kind': kind, 'labels': labels, 'values': values, **where}

    def write_all(self, directory):
        """Each run as a file; lists of the files in another order; all runs of a side in one file, with a label."""
        for side, runs in zip('ab', self.sides):
            os.mkdir(os.path.join(directory, side))
            paths = [os.path.join(directory, side, f'{number}') for number in range(len(runs))]
            for path, records in zip(paths, runs):
                self.write(path, records, side)
            self.choose.shuffle(paths)
            with open(os.path.join(directory, side + '.list'), 'w', encoding='utf-8') as out:
                out.write(''.join(path + '\n' for path in paths))
            if self.labelled:
                self.write(os.path.join(directory, side + '.labelled'),
                           [(kind, frames, labels + [('host', f'h{number}')], values)
                            for number, records in enumerate(runs) for kind, frames, labels, values in records], side)


# --- laws -------------------------------------------------------------------------------------------------------

KEYS = ('measure', 'row', 'unit', 'function', 'file', 'line', 'image', 'section', 'package', 'label')
MIRROR = {'+': '-', '-': '+', 'added': 'removed', 'removed': 'added', 'more': 'less', 'less': 'more'}
ENDS = [f'{amount}_{end}' for amount in ('flat', 'cum') for end in ('before', 'after')]
checked = collections.Counter()


def rows_of(*arguments):
    """Rows by key. Numbers are fractions, so that they are compared exactly as printed."""
    lines = run('profdiff', '-t', 'ndjson', *arguments).splitlines()
    rows = [json.loads(line, parse_int=Fraction, parse_float=Fraction) for line in lines]
    return {tuple(row.get(key) or '' for key in KEYS): row for row in rows}


def whole(row, case):
    """Times and shares are whole numbers, and exact; other amounts are rounded to six decimals."""
    return row['unit'] == 'ppb' or (row['unit'] == 'nanoseconds' and case.form != 'folded')


def sums(case, rows):
    for key, row in rows.items():
        for amount in ('flat', 'cum'):
            off = row[f'{amount}_before'] + row[f'{amount}_delta'] - row[f'{amount}_after']
            if abs(off) > (0 if whole(row, case) else Fraction(3, 2 * 10 ** 6)):
                yield key, f'before + delta is not after: {amount}', row


def reciprocal(one, other):
    """True if `other` is 1 / one; both are printed with ten digits."""
    return abs(one * other - 1) <= Fraction(2, 10 ** 9)


def one_program(key):
    """The key without the facts that depend on the build: the name of the image, and the first line."""
    fields = dict(zip(KEYS, key))
    if fields['image'] in ('app-a', 'app-b'):
        fields.update(image='app', line=fields['line'] if fields['row'] == 'line' else 0)
    return tuple(fields.values())


def mirror(rows, mirrored, options):
    if '--images=apart' not in options:
        rows, mirrored = ({one_program(key): row for key, row in table.items()} for table in (rows, mirrored))
    if set(rows) != set(mirrored):
        yield None, 'the exchanged sides have other rows', sorted(map(str, set(rows) ^ set(mirrored)))
    for key, row in rows.items():
        other, wrong = mirrored.get(key), []
        if other is None:
            continue
        checked[row['verdict']] += 1
        wrong += [name for name in ('verdict', 'hint', 'status') if other[name] != MIRROR.get(row[name], row[name])]
        wrong += [name for name in ('p', 'q', 'tested') if other[name] != row[name]]
        wrong += [name for name, opposite in (('runs_before', 'runs_after'), ('flat_before', 'flat_after'), ('cum_before', 'cum_after'))
                  if (row[name], row[opposite]) != (other[opposite], other[name])]
        wrong += [name for name, opposite in (('flat_delta',) * 2, ('cum_delta',) * 2, ('points',) * 2, ('ci_low', 'ci_high'), ('ci_high', 'ci_low'))
                  if other[name] != (None if row[opposite] is None else -row[opposite])]
        wrong += [name for name in ('ratio', 'ratio_low', 'ratio_high') if name == 'ratio' and (row[name] is None) != (other[name] is None)]
        wrong += ['ratio'] * bool(row['ratio'] and other['ratio'] and not reciprocal(row['ratio'], other['ratio']))
        for word in ('ratio', 'ratio_q'):
            low, high, start, end = (side[f'{word}_{name}'] for side in (row, other) for name in ('low', 'high'))
            if low is None or low <= 0 <= high:     # an interval that holds 0 has no reciprocal
                wrong += [word] * (start is not None and not start <= 0 <= end)
            else:
                wrong += [f'{word} interval'] * (start is None or not reciprocal(low, end) or not reciprocal(high, start))
        if wrong:
            yield key, f'not mirrored: {wrong}', f'{show(row)}\n    {show(other)}'


def itself(rows):
    for key, row in rows.items():
        if row['verdict'] != '=' or row['status'] != 'same' or row['flat_delta'] or row['cum_delta']:
            yield key, 'a side differs from itself', row


def without_line(case, key):
    """A record without amounts is not in the stream, nor is the first line that only this record has."""
    return key[:3] + key[4:] if case.builds and '--by=line' not in case.options else key


def streams(case, rows, sides):
    """Compares the rows with proftop's sums of the records of the difference. A cum of calls is at most the total, so it is not always linear
    in the records: that of files, of amounts below 0 and of deltas is left out."""
    names = sorted({row['measure'] for row in rows.values()})
    kept = ('--normalize', '--images') + (() if 'incl' in names else ('--measure', '--kind'))      # the flat amounts of incl are those of time
    stream = run('profdiff', '-t', 'pfs', *[option for option in case.options if option.split('=')[0] in kept], *sides)
    by = [option for option in case.options if option.startswith('--by=')]
    linear = by != ['--by=file'] and not case.negative
    shown = [f'-m{name}.{end}' for name in names for end in ('before', 'after', 'delta')]
    records = len(run('profcat', '-t', 'ndjson', stdin=stream).splitlines())
    found = {}
    for line in run('proftop', '-t', 'ndjson', '-n', '0', *by, *case.kind, *shown, stdin=stream).splitlines():
        row = json.loads(line, parse_int=Fraction, parse_float=Fraction)
        name, end = row['measure'].rsplit('.', 1)
        key = (name,) + tuple(row.get(word) or '' for word in KEYS[3:])
        found[without_line(case, key), end] = row
    for key, row in rows.items():
        if row['row'] == 'total' or row['measure'] not in names:
            continue
        for end in ('before', 'after', 'delta'):
            got = found.get((without_line(case, key[:1] + key[3:]), end))
            slack = records if row['unit'] == 'ppb' else 1 if whole(row, case) else Fraction(2, 10 ** 6)
            called = row['measure'] == 'incl'
            for amount in ('flat', 'cum') if not called or (linear and end != 'delta') else ('flat',):
                there = row[f'{amount}_{end}']
                if abs(there - (got[amount] if got else 0)) > slack:
                    yield key, f'records: {amount} {end} is {got and float(got[amount])}', row
                checked['records of calls' if called else 'records of builds' if case.builds else 'records'] += bool(there)


def show(row):
    return {key: float(value) if isinstance(value, Fraction) else value for key, value in row.items()} if isinstance(row, dict) else row


def violations(case, directory):
    sides = [os.path.join(directory, side) for side in 'ab']
    lists, labelled = ['@' + side + '.list' for side in sides], [side + '.labelled' for side in sides]
    rows = rows_of(*case.options, *sides)
    yield from sums(case, rows)
    yield from mirror(rows, rows_of(*case.options, *sides[::-1]), case.options)
    least = [option for option in case.options if not option.startswith('--min-percent')] + ['--min-percent=0']
    for side in sides:
        yield from itself(rows_of(*least, side, side))
    for form in ('text', 'json', 'csv'):
        given = run('profdiff', '-t', form, *case.options, *sides)
        if run('profdiff', '-t', form, '-j3', *case.options, *sides) != given:
            yield None, '-j3 gives other bytes', form
    if run('profdiff', '-t', 'csv', '--reverse', *case.options, *sides[::-1]) != given:
        yield None, '--reverse and exchanged operands differ', ''
    if run('profdiff', '-t', 'csv', *case.options, *lists) != given:
        yield None, 'the order of runs changes the table', ''
    if case.labelled and run('profdiff', '-t', 'csv', '--runs=label:host', *case.options, *labelled) != given:
        yield None, 'runs as values of a label give another table', ''
    yield from streams(case, rows, sides)


def main():
    bad, forms = 0, collections.Counter()
    for number in range(int(sys.argv[2])):
        case = Case(random.Random(int(sys.argv[3]) * 100003 + number))
        if len(sys.argv) > 4 and number != int(sys.argv[4]):
            continue
        forms[case.form] += 1
        with tempfile.TemporaryDirectory() as directory:
            case.write_all(directory)
            try:
                found = list(violations(case, directory))
            except RuntimeError as error:
                found = [(None, 'failed', error)]
            if found:
                bad += 1
                print(f'pair {number} ({case.form}, {case.runs} runs, {" ".join(case.options)}): {len(found)} violations')
                for key, text, what in found[:3]:
                    print(f'  {key}: {text}\n    {show(what)}')
                if len(sys.argv) > 4:
                    subprocess.run(['cp', '-r', directory, 'pair'], check=True)
    counts = ', '.join(f'{count} {word}' for word, count in sorted(checked.items()))
    print(f'{sum(forms.values())} pairs ({", ".join(f"{n} {form}" for form, n in sorted(forms.items()))}), rows: {counts}; {bad} with violations')
    sys.exit(bad > 0)


main()
