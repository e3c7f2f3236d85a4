#!/usr/bin/env python3
"""Compares profdiff's numbers with a simple computation: profdiff.py BIN random COUNT SEED | dcpi DIRECTORY

random: COUNT comparisons of random runs, written as native streams by the independent writer under tests/reference. Flat and cumulative
sums by function, means, differences, shares, ratios and statuses are exact. The statistical tests are computed differently: Student's t by
integrating its density, the binomial by adding fractions, false discovery rates by their definition.
dcpi: the rows must be those that the corpus' reference gives for its diff and stats operations.
Prints differences and then exits with 1, else prints one line.
"""
import collections
import glob
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
from fractions import Fraction

HERE = os.path.dirname(os.path.abspath(__file__))


def run(*arguments):
    done = subprocess.run([os.path.join(BIN, arguments[0]), *arguments[1:]], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=60, check=False)
    if done.returncode:
        sys.exit(f'{" ".join(arguments)}: status {done.returncode}: {done.stderr.decode()}')
    return done.stdout.decode()


def rows_of(*arguments):
    return [json.loads(line) for line in run('profdiff', '-t', 'ndjson', *arguments).splitlines()]


# --- statistics -------------------------------------------------------------------------------------------------

def student_tail(t, freedom):
    """P(|T| >= t) by Simpson's rule. With s = sqrt(freedom) tan(angle) the density becomes cos(angle)^(freedom - 1). The distance from the
    end is replaced by a fourth power, because a power below 1 is not smooth there."""
    end = math.atan2(math.sqrt(freedom), t) ** 0.25
    pieces, total = 4000, 0.0
    for i in range(pieces + 1):
        v = end * i / pieces
        value = math.sin(v ** 4) ** (freedom - 1) * 4 * v ** 3 if i else 0.0
        total += value * (1 if i in (0, pieces) else 4 if i % 2 else 2)
    factor = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(math.pi)
    return min(1.0, 2 * factor * total * end / pieces / 3)


def student_quantile(p, freedom):
    low, high = 0.0, 1.0
    while student_tail(high, freedom) > p:
        low, high = high, high * 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if student_tail(middle, freedom) > p else (low, middle)
    return (low + high) / 2


def welch(before, after, floors):
    """(p, low, high) of the difference of two lists of numbers; None if both lists are constant and different. With unequal numbers of runs,
    the less significant of Welch's t test and Student's."""
    difference = float(sum(map(Fraction, after)) / len(after) - sum(map(Fraction, before)) / len(before))
    variances = [max(float(statistics.variance(map(Fraction, side))), floor) for side, floor in ((before, floors[0]), (after, floors[1]))]
    n = len(before), len(after)
    squares = [variance / runs for variance, runs in zip(variances, n)]
    if sum(squares) == 0:
        return (1.0, 0.0, 0.0) if difference == 0 else None
    pooled = sum((runs - 1) * variance for variance, runs in zip(variances, n)) / (sum(n) - 2)
    tests = [(math.sqrt(sum(squares)), sum(squares) ** 2 / sum(square ** 2 / (runs - 1) for square, runs in zip(squares, n))),
             (math.sqrt(pooled / n[0] + pooled / n[1]), sum(n) - 2)][:1 + (n[0] != n[1])]
    reach = max(error * student_quantile(0.05, freedom) for error, freedom in tests)
    return max(student_tail(abs(difference) / error, freedom) for error, freedom in tests), difference - reach, difference + reach


def binomial(before, after, chance):
    count = before + after
    terms = [math.comb(count, k) * chance ** k * (1 - chance) ** (count - k) for k in range(count + 1)]
    return float(min(1, 2 * min(sum(terms[:after + 1]), sum(terms[after:]))))


def wilson(successes, count):
    z = statistics.NormalDist().inv_cdf(0.975)
    share = successes / count
    middle = share + z * z / 2 / count
    reach = z * math.sqrt(share * (1 - share) / count + z * z / 4 / count ** 2)
    return (middle - reach) / (1 + z * z / count), (middle + reach) / (1 + z * z / count)


def discovery_rates(ps):
    """For each p value the lowest level at which the step-up procedure rejects its hypothesis."""
    known = sorted(ps.values())
    return {key: min(known[k] * len(known) / (k + 1) for k in range(len(known)) if known[k] >= p) for key, p in ps.items()}


# --- expected results -------------------------------------------------------------------------------------------

class Case:
    """Random runs of one measure, and of `samples` if it is weighted."""

    def __init__(self, choose):
        self.nature = choose.choice(['sampled', 'sampled', 'weighted', 'exact', 'timed', 'unknown'])
        self.time = self.nature in ('weighted', 'timed')
        self.runs = [choose.choice([1, 1, 2, 3, 5]), choose.choice([1, 1, 2, 3, 5])]
        self.cum, self.normalize = choose.random() < 0.3, choose.random() < 0.3
        self.reverse = choose.random() < 0.2
        self.num = choose.choice([1, 1000, 10000000]) if self.time else 1
        names = [f'f{i}' for i in range(choose.randrange(1, 9))]
        self.stacks = sorted({tuple(choose.choice(names) for _ in range(choose.randrange(1, 5))) for _ in range(12)})
        rates = [{stack: choose.choice([0, 0.3, 2, 5, 30]) for stack in self.stacks}]
        rates.append({stack: rate * choose.choice([0, 1, 1, 1, 1.5, 3]) + choose.choice([0, 0, 0, 2])
                      for stack, rate in rates[0].items()})
        steady = self.nature == 'exact' and choose.random() < 0.7
        self.sides = []
        for side in (0, 1):
            first = self.draw(choose, rates[side])
            self.sides.append([first if steady else self.draw(choose, rates[side]) for _ in range(self.runs[side])])

    def draw(self, choose, rates):
        """stack -> (amount, number of samples). One in two stacks without samples has no record."""
        out = {}
        for stack, rate in rates.items():
            count = sum(choose.random() < rate / 40 for _ in range(40))
            weights = [choose.randrange(1, 12) if self.nature == 'weighted' else 1 for _ in range(count)]
            if count or choose.random() < 0.5:
                out[stack] = (sum(weights), count)
        return out

    def write(self, directory):
        for side, name in enumerate(('before', 'after')):
            os.mkdir(os.path.join(directory, name))
            for number, run_of in enumerate(self.sides[side]):
                with open(os.path.join(directory, name, f'run{number}.pfs'), 'wb') as out:
                    subprocess.run([sys.executable, os.path.join(HERE, 'make_stream.py')], input=json.dumps(self.describe(run_of)).encode(),
                                   stdout=out, check=True)

    def describe(self, run_of):
        if self.nature == 'sampled':
            measures = [{'name': 'samples', 'nature': 'sampled', 'role': 'count'}]
        else:
            measures = [{'name': 'amount', 'unit': 'nanoseconds' if self.time else 'things', 'num': self.num, 'raw_unit': 'tick' if self.time else '',
                         'nature': {'weighted': 'sampled'}.get(self.nature, self.nature), 'main': 1}]
        if self.nature == 'weighted':
            measures.append({'name': 'samples', 'nature': 'sampled', 'role': 'count'})
        values = [dict(zip([m['name'] for m in measures], pair)) for pair in run_of.values()]
        return {'measures': measures, 'records': [{'stack': [[name] for name in stack], 'values': v} for stack, v in zip(run_of, values)]}

    def columns(self, run_of):
        """(flat, cum) of amounts in base units and of numbers of samples, by function."""
        out = [collections.Counter() for _ in range(4)]
        for stack, (amount, count) in run_of.items():
            out[0][stack[-1]] += amount * self.num
            out[2][stack[-1]] += count
            for name in set(stack):
                out[1][name] += amount * self.num
                out[3][name] += count
        return out

    def total(self, run_of):
        return self.num * sum(amount for amount, _ in run_of.values())


def mean(values):
    return Fraction(sum(values), len(values))


def share(amount, total):
    return round(Fraction(amount * 10 ** 9, total)) if total else 0


def compare(before, after, totals, scale):
    """p, interval and sign of after / totals[1] - before / totals[0], conditional on before + after."""
    count, difference = before + after, Fraction(after) / totals[1] - Fraction(before) / totals[0]
    low, high = (count * (x / float(totals[1]) - (1 - x) / float(totals[0])) * scale for x in wilson(after, count))
    return binomial(before, after, Fraction(totals[1]) / (totals[0] + totals[1])), low, high, (difference > 0) - (difference < 0)


class Expected:
    def __init__(self, case):
        self.case = case
        self.sides = case.sides[::-1] if case.reverse else case.sides
        self.columns = [[case.columns(run_of) for run_of in side] for side in self.sides]
        self.totals = [[case.total(run_of) for run_of in side] for side in self.sides]
        self.whole = case.time or case.normalize
        whole = [[10 ** 9 if total else 0 for total in side] if case.normalize else side for side in self.totals]
        self.total = [self.mean(side) for side in whole]
        pieces = 1 if self.whole else math.lcm(*map(len, self.sides))
        first = Fraction(round(self.total[0])) if self.whole else self.total[0]
        self.margin = Fraction(math.floor(first * pieces / 1000), pieces)
        self.many = min(map(len, self.sides)) > 1
        self.rows = {}
        for name in sorted({name for side in self.columns for run_of in side for column in run_of for name in column}):
            self.add(name)
        q = discovery_rates({name: row['p'] for name, row in self.rows.items() if row['p'] is not None})
        for name, row in self.rows.items():
            row['q'] = q.get(name)
            self.judge(row)

    def mean(self, values):
        """The exact mean. Shares are rounded half to even."""
        return Fraction(round(mean(values))) if self.case.normalize else mean(values)

    def amounts(self, name, column):
        out = [[run_of[column][name] for run_of in side] for side in self.columns]
        if self.case.normalize and column < 2:
            out = [[share(a, t) for a, t in zip(*pair)] for pair in zip(out, self.totals)]
        return out

    def add(self, name):
        case, row = self.case, {}
        there = [any(run_of[0][name] or run_of[1][name] for run_of in side) for side in self.columns]
        if not any(there):
            return
        for column, word in enumerate(('flat', 'cum')):
            before, after = map(self.mean, self.amounts(name, column))
            # times and shares are shown as whole numbers, all others with six decimals
            shown = [round(before), round(after), round(after) - round(before)] if self.whole else [before, after, after - before]
            row.update({f'{word}_{end}': float(round(amount, 6)) for end, amount in zip(('before', 'after', 'delta'), shown)})
            if column == case.cum:
                compared = before, after
        before, after = compared
        delta = after - before
        row['ratio'] = float(after / before) if before else None
        row['points'] = sum(sign * float(100 * a / t if t else 0) for sign, a, t in zip((-1, 1), (before, after), self.total))
        row['runs_before'], row['runs_after'] = map(len, self.sides)
        row['status'] = ('added' if there[1] else 'removed') if there[0] != there[1] else \
            'more' if delta > 0 else 'less' if delta < 0 else 'same'
        row['delta'] = delta
        self.test(name, row)
        self.rows[name] = row

    def test(self, name, row):
        case, number = self.case, int(self.case.cum)
        raw = [[run_of[number][name] for run_of in side] for side in self.columns]
        counts = [[run_of[2 + number][name] for run_of in side] for side in self.columns]
        exact = [[Fraction(a, t) if t else Fraction(0) for a, t in zip(*pair)] for pair in zip(raw, self.totals)] if case.normalize \
            else [list(map(Fraction, side)) for side in raw]
        means = [sum(side) / len(side) for side in exact]
        row.update(p=None, low=None, high=None, equal=means[0] == means[1], sign=0, real=False)
        known = any(any(side) for side in raw)
        spread = any(len(set(side)) > 1 for side in exact)
        if case.nature == 'exact' and not (self.many and spread):
            row['real'] = not self.many or known
        elif self.many and known:
            self.test_runs(row, exact, counts)
        elif not self.many and case.nature in ('sampled', 'weighted') and sum(map(sum, counts)):
            self.test_samples(row, counts, raw)

    def test_runs(self, row, values, counts):
        case, floors = self.case, [0.0, 0.0]
        for side in (0, 1):
            if case.nature in ('sampled', 'weighted') and sum(counts[side]):
                average = float(sum(values[side]) / len(values[side]))
                floors[side] = average ** 2 / (sum(counts[side]) / len(counts[side]))
            elif case.nature == 'timed':
                totals = [self.mean_total(k) for k in (0, 1) if self.mean_total(k)]
                floors[side] = (case.num / min(totals) if case.normalize else case.num) ** 2 / 12
        result = welch(values[0], values[1], floors)
        if result:
            scale = 10 ** 9 if case.normalize else 1
            row.update(p=result[0], low=result[1] * scale, high=result[2] * scale)
            row['sign'] = (result[1] + result[2] > 0) - (result[1] + result[2] < 0)

    def mean_total(self, side):
        return sum(self.totals[side]) / len(self.totals[side])

    def worths(self):
        """What one sample of each side is worth; None if the samples of a side differ or the worth is not whole."""
        out = [{Fraction(run_of[int(self.case.cum)][name], count) for run_of in side
                for name, count in run_of[2 + int(self.case.cum)].items() if count} for side in self.columns]
        if any(len(side) > 1 for side in out) or any(worth.denominator > 1 for side in out for worth in side):
            return None
        return [next(iter(own or other)) for own, other in (out, out[::-1])]

    def test_samples(self, row, counts, raw):
        case = self.case
        before, after = map(sum, counts)
        if case.normalize:
            totals = [sum(count for run_of in side for _, count in run_of.values()) for side in self.sides]
            if all(totals):
                row['p'], row['low'], row['high'], row['sign'] = compare(before, after, totals, 10 ** 9)
            return
        runs, worths = list(map(len, self.sides)), self.worths()
        average = Fraction(sum(map(sum, raw)), before + after)
        own = [Fraction(sum(amounts), count) if count else average for amounts, count in zip(raw, (before, after))]
        tests = [compare(before, after, [n / Fraction(w) for n, w in zip(runs, pair)], 1)
                 for pair in ([worths] if worths else [[average, average], own])]
        p, lows, highs, signs = zip(*tests)
        row.update(p=1 if min(signs) * max(signs) < 0 else max(p), low=min(lows), high=max(highs), sign=signs[-1])

    def judge(self, row):
        if row['equal']:
            row['verdict'] = '='
        elif row['real']:
            row['verdict'] = '+' if row['delta'] > 0 else '-' if row['delta'] < 0 else '='
        elif row['p'] is None:
            row['verdict'] = '?'
        elif row['q'] < 0.05 and row['sign'] * row['delta'] >= 0:
            row['verdict'] = '+' if row['sign'] > 0 else '-'
        else:
            row['verdict'] = '=' if row['low'] >= -self.margin and row['high'] <= self.margin else '?'


# --- comparing --------------------------------------------------------------------------------------------------

EXACT = ['flat_before', 'flat_after', 'flat_delta', 'cum_before', 'cum_after', 'cum_delta', 'runs_before', 'runs_after', 'status', 'verdict']
CLOSE = {'ratio': 'ratio', 'points': 'points', 'p': 'p', 'q': 'q', 'ci_low': 'low', 'ci_high': 'high'}


def close(got, want, size):
    if got is None or want is None:
        return got is want
    return abs(got - want) <= 1e-6 * max(abs(want), size)


def check_rows(what, rows, expected):
    got, bad = {row['function']: row for row in rows}, 0
    if sorted(got) != sorted(expected.rows) or len(got) != len(rows):
        print(f'{what}: rows {sorted(got)}, expected {sorted(expected.rows)}')
        return 1
    for name, want in expected.rows.items():
        row = got[name]
        size = abs(want['high'] - want['low']) if want['p'] is not None else 1e-9
        wrong = [key for key in EXACT if row[key] != want[key]]
        wrong += [key for key, own in CLOSE.items() if not close(row[key], want[own], {'points': 1e-3}.get(key, size if 'ci' in key else 1e-9))]
        if wrong:
            print(f'{what}: {name}: {wrong}\n  profdiff: {row}\n  expected: {want}')
            bad += 1
    return bad


def check_stream(what, arguments, case):
    """Tests the records: means of each stack and their difference, with six decimals; shares and times are whole."""
    streamed = subprocess.run([os.path.join(BIN, 'profdiff'), '-t', 'pfs', *arguments], stdout=subprocess.PIPE, check=True, timeout=60).stdout
    records = subprocess.run([os.path.join(BIN, 'profcat'), '-t', 'ndjson'], input=streamed, stdout=subprocess.PIPE, check=True, timeout=60).stdout
    main = 'samples' if case.nature == 'sampled' else 'amount'
    sides = case.sides[::-1] if case.reverse else case.sides
    want, got = {}, {}
    for stack in case.stacks:
        means = []
        for side in sides:
            amounts = [run_of.get(stack, (0, 0))[0] for run_of in side]
            if case.normalize:
                means.append(Fraction(round(mean([share(a, sum(x for x, _ in run_of.values())) for a, run_of in zip(amounts, side)]))))
            else:
                means.append(Fraction(sum(amounts) * case.num, len(side)))
        if any(means):
            want[stack] = [round(x, 0 if case.time else 6) for x in (*means, means[1] - means[0])]
    for line in records.splitlines():
        record = json.loads(line, parse_float=Fraction)
        stack = tuple(frame['function'] for frame in record['stack'][::-1])
        got[stack] = [record['values'][f'{main}.{end}'] for end in ('before', 'after', 'delta')]
    if got != want:
        print(f'{what}: records {got}, expected {want}')
    return got != want


def check_random(count, seed):
    choose, bad, tests = random.Random(seed), 0, collections.Counter()
    for number in range(count):
        case = Case(choose)
        with tempfile.TemporaryDirectory() as directory:
            case.write(directory)
            sides = [os.path.join(directory, name) for name in ('before', 'after')]
            options = ['--cum'] * case.cum + ['--normalize'] * case.normalize + ['--reverse'] * case.reverse
            what = f'case {number} ({case.nature}, {case.runs} runs, {" ".join(options)})'
            expected = Expected(case)
            bad += check_rows(what, rows_of(*options, *sides), expected) > 0
            bad += check_stream(what, [option for option in options if option != '--cum'] + sides, case) > 0
            same = rows_of(*[option for option in options if option != '--reverse'], sides[0], sides[0])
            bad += any(row['verdict'] != '=' or row['status'] != 'same' or row['flat_delta'] or row['cum_delta'] for row in same)
            tests.update(row['verdict'] for row in expected.rows.values())
    print(f'{count} comparisons, {sum(tests.values())} rows ({", ".join(f"{n} {v}" for v, n in sorted(tests.items()))}), {bad} wrong')
    return bad


# --- dcpi -------------------------------------------------------------------------------------------------------

STATS = {'sum': 'sum', 'sum_pct': 'sum_pct', 'n': 'n', 'mean': 'mean', 'sd': 'sd_sample', 'min': 'min', 'max': 'max', 'range': 'range',
         'range_pct': 'range_pct'}


def check_operation(directory):
    about = json.load(open(os.path.join(directory, 'expect.json'), encoding='utf-8'))
    inputs, want = [os.path.join(directory, name) for name in about['inputs']], about['expect']
    if about['op'] == 'stats':
        rows = {int(row['address'], 16): row for row in rows_of('--stats', '--by=address', *inputs)}
        good = [[row['offset'] for row in want['rows']] == list(rows)]
        good += [close(rows[row['offset']][key], row[theirs], 0) for row in want['rows'] for key, theirs in STATS.items()]
        return all(good)
    rows = {int(row['address'], 16): row for row in rows_of('--by=address', *inputs)}
    got = [{'offset': at, 'a': row['flat_before'], 'b': row['flat_after'], 'delta': row['flat_delta']} for at, row in sorted(rows.items())
           if row['flat_delta']]
    total = json.loads(run('profdiff', '-t', 'json', *inputs))['measures'][0]
    rises = [row['flat_delta'] for row in rows.values() if row['flat_delta'] > 0]
    return (got == want['rows'] and (total['total_before'], total['total_after'], total['total_delta']) ==
            (want['total_a'], want['total_b'], want['delta']) and sum(rises) == want['increase'])


def check_dcpi(corpus):
    directories = [d for kind in ('diff', 'stats') for d in sorted(glob.glob(os.path.join(corpus, 'ops', f'*_{kind}*')))]
    wrong = [d for d in directories if not check_operation(d)]
    for directory in wrong:
        print(f'{directory}: not what the reference says')
    print(f'{len(directories) - len(wrong)} of {len(directories)} operations agree')
    return bool(wrong) or not directories


BIN = sys.argv[1]
sys.exit(bool(check_random(int(sys.argv[3]), int(sys.argv[4])) if sys.argv[2] == 'random' else check_dcpi(sys.argv[3])))
