#!/usr/bin/env python3
"""Compares profdiff's numbers with a simple computation: profdiff.py BIN random COUNT SEED | dcpi DIRECTORY

random: COUNT comparisons of random runs, written as native streams by the independent writer under tests/reference. Flat and cumulative
sums by function, means, differences, shares, ratios, verdicts and statuses are exact. The tests are computed with 60 digits by the files
under tests/reference: the moderated t, Welch's t, the binomial of the hints. False discovery rates follow from their definition.
Each comparison is also made in the other direction, with the runs in another order, with two threads and with both sides alike.
dcpi: the rows must be those that the corpus' reference gives for its diff and stats operations.
Prints differences and then exits with 1, else prints one line.
"""
import collections
import functools
import glob
import importlib.util
import json
import math
import os
import random
import subprocess
import sys
import tempfile
from decimal import Decimal
from fractions import Fraction

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, '..', 'reference'))
from moderated import prior_of, side as side_of  # noqa: E402
from statistics import log_gamma, moments, PI, real, student, tail  # noqa: E402, the file under tests/reference

spec = importlib.util.spec_from_file_location('make_stream', os.path.join(HERE, 'make_stream.py'))
make_stream = importlib.util.module_from_spec(spec)
spec.loader.exec_module(make_stream)


def output(*arguments):
    done = subprocess.run([os.path.join(BIN, arguments[0]), *arguments[1:]], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=60, check=False)
    if done.returncode:
        sys.exit(f'{" ".join(arguments)}: status {done.returncode}: {done.stderr.decode()}')
    return done.stdout.decode()


def rows_of(*arguments):
    return [json.loads(line) for line in output('profdiff', '-t', 'ndjson', *arguments).splitlines()]


# --- statistics -------------------------------------------------------------------------------------------------

@functools.lru_cache(None)
def student_quantile(p, freedom):
    """The t with P(|T| > t) = p, by Newton's method on logarithms: log p is nearly linear in log t."""
    half, t = real(freedom) / 2, Decimal(2)
    scale = (log_gamma(half + Decimal('0.5')) - log_gamma(half)).exp() / (2 * half * PI).sqrt()
    for _ in range(100):
        chance = student(Fraction(t) ** 2, freedom)
        density = scale * ((1 + t * t / (2 * half)).ln() * -(half + Decimal('0.5'))).exp()
        step = (chance / p).ln() * chance / (2 * density * t)
        t *= step.exp()
        if abs(step) < Decimal('1e-20'):
            return t
    raise ArithmeticError(f'no quantile {p} of {freedom} degrees of freedom')


class Test:
    """A test of the difference `shift` by Student's t. `terms`: standard error and degrees of freedom of each t test: the greatest p and
    the widest interval count. `means`: for Welch's test both means and, for each t test, their variances. p None: not tested."""

    def __init__(self, shift, terms, variance=None, means=None):
        self.shift, self.terms, self.variance, self.means = shift, terms, variance, means
        self.p = max(student(Fraction(shift / error) ** 2, freedom) if error else Decimal(1) if shift == 0 else Decimal(-1)
                     for error, freedom in terms)
        self.p = None if self.p < 0 else self.p

    def reach(self, level):
        return max(error * student_quantile(level, freedom) for error, freedom in self.terms)

    def ends(self, level):
        return self.shift - self.reach(level), self.shift + self.reach(level)

    def ratio(self, level):
        """Fieller's interval of the ratio of the means: the roots of (after - r before)^2 = t^2 (v_after + r^2 v_before)."""
        ends, ((before, after), variances) = [], self.means
        for (first, second), (_, freedom) in zip(variances, self.terms):
            square = student_quantile(level, freedom) ** 2
            below, above, middle = before ** 2 - square * first, after ** 2 - square * second, before * after
            if below <= 0:
                return None, None
            root = max(Decimal(0), middle ** 2 - below * above).sqrt()
            ends += [(middle - root) / below, (middle + root) / below]
        return min(ends), max(ends)


def welch(sides, quantum):
    """Welch's t, with unequal numbers of runs also Student's. The variance of a side is at least a quarter of the squared quantum."""
    (first, spread), (second, other) = map(moments, sides)
    n, m = map(len, sides)
    spread, other = (max(variance, quantum ** 2 / 4) for variance in (spread, other))
    square = spread / n + other / m
    variances, freedoms = [(spread / n, other / m)], [square ** 2 / ((spread / n) ** 2 / (n - 1) + (other / m) ** 2 / (m - 1))]
    if n != m:
        pooled = ((n - 1) * spread + (m - 1) * other) / (n + m - 2)
        variances.append((pooled / n, pooled / m))
        freedoms.append(Fraction(n + m - 2))
    terms = [(real(sum(pair)).sqrt(), freedom) for pair, freedom in zip(variances, freedoms)]
    return Test(real(second - first), terms, means=((real(first), real(second)), [tuple(map(real, pair)) for pair in variances]))


def fits_of(rows, n, m):
    """Both sides' means and squares, the variance and the mean of the logarithms of each row, a pair of its two sides and its quantum. The
    variance of a side's amounts is at least a quarter of the squared quantum, and that of their logarithms, to first order, is this
    divided by the square of the mean."""
    d, exact, out = n + m - 2, Decimal('1e-45'), []
    for sides, quantum in rows:
        logs = [[(real(amount + quantum / 2)).ln() / Decimal(2).ln() for amount in amounts] for amounts in sides]
        one, other = map(side_of, logs)
        least = sum((runs - 1) * (quantum / 2 / (mean(amounts) + quantum / 2)) ** 2 for runs, amounts in zip((n, m), sides)) / d
        # rounded, so that equal means are equal whatever the order of their sums
        out.append((one, other, max((one[1] + other[1]) / d, real(least) / Decimal(2).ln() ** 2).quantize(exact),
                    (sum(map(sum, logs)) / (n + m)).quantize(exact)))
    return out


def moderated(rows, n, m):
    """The moderated t of all rows together. The change is the smaller of two: the change of the mean logarithms, and of the logarithms of the means; 0 if their
    directions differ."""
    d, fits = n + m - 2, fits_of(rows, n, m)
    prior, trends = prior_of([fit[2] for fit in fits], [fit[3] for fit in fits], d)
    freedom = Fraction(d * len(rows) if prior is None else min(prior + d, Decimal(d * len(rows))))
    out = []
    for (sides, quantum), (one, other, variance, _), expected in zip(rows, fits, trends):
        post = expected if prior is None else (prior * expected + d * variance) / (prior + d)
        before, after = (real(mean(amounts) + quantum / 2).ln() / Decimal(2).ln() for amounts in sides)
        shifts = other[0] - one[0], after - before
        shift = min(shifts, key=abs) if sign(shifts[0]) == sign(shifts[1]) else Decimal(0)
        out.append(Test(shift, [((post / n + post / m).sqrt(), freedom)], post))
    return out


def spread_of(rows, n, m):
    """The median deviation between the runs of a side, as a share of the amount."""
    deviations = sorted(fit[2].sqrt() for fit in fits_of(rows, n, m))
    middle = (deviations[(len(deviations) - 1) // 2] + deviations[len(deviations) // 2]) / 2 if rows else 0
    return (middle * Decimal(2).ln()).exp() - 1 if middle else None


def discovery_rates(ps):
    """For each p value the lowest level at which the step-up procedure rejects its hypothesis."""
    known = sorted(ps)
    ranks = {p: k + 1 for k, p in enumerate(known)}
    return [min(other * len(known) / ranks[other] for other in known if other >= p) for p in ps]


def binomial(before, after, chance):
    return min(Decimal(1), 2 * min(tail(before + after, after, chance), tail(before + after, before, 1 - chance)))


# --- random comparisons -----------------------------------------------------------------------------------------

class Case:
    """Random runs of one measure, and of `samples` if it is weighted."""

    def __init__(self, choose):
        self.nature = choose.choice(['sampled', 'sampled', 'weighted', 'exact', 'timed', 'unknown'])
        self.time = self.nature in ('weighted', 'timed')
        self.runs = [choose.choice([1, 2, 3, 3, 5]) for _ in range(2)]
        if choose.random() < 0.3:
            self.runs[1] = self.runs[0]
        self.cum, self.normalize = choose.random() < 0.3, choose.random() < 0.3
        self.reverse, self.welch = choose.random() < 0.2, choose.random() < 0.2
        self.percent = choose.choice(['0', '0', None, None, '1.5', '5'])
        self.num = choose.choice([1, 1000, 10000000]) if self.time else 1
        self.scale, self.spread = choose.choice([1, 1, 20, 1000]), choose.choice([0, 0.002, 0.05, 0.3])
        self.negative = choose.random() < 0.1 and (min(self.runs) > 1 or self.nature not in ('sampled', 'weighted'))
        self.outlier = choose.random() < 0.2
        wide = choose.random() < 0.15
        names = [f'f{i}' for i in range(choose.randrange(25, 45) if wide else choose.randrange(1, 9))]
        self.stacks = sorted({tuple(choose.choice(names) for _ in range(choose.randrange(1, 5))) for _ in range(80 if wide else 12)})
        rates = [{stack: choose.choice([0, 0.3, 2, 5, 30]) for stack in self.stacks}]
        rates.append({stack: rate * choose.choice([0, 1, 1, 1, 1.5, 3]) + choose.choice([0, 0, 0, 2])
                      for stack, rate in rates[0].items()} if choose.random() < 0.8 else rates[0])
        steady = self.nature == 'exact' and choose.random() < 0.7
        self.sides = []
        for side in (0, 1):
            first = self.draw(choose, rates[side])
            self.sides.append([first if steady else self.draw(choose, rates[side]) for _ in range(self.runs[side])])
            if choose.random() < 0.3:
                self.add_alike(choose, self.sides[side])
        if steady and choose.random() < 0.3:
            for run_of in sum(self.sides, []):
                run_of[('huge',)] = 10 ** 13, 10 ** 13  # beside these amounts, shares differ by less than 1e-9
        self.stacks = sorted({stack for run_of in sum(self.sides, []) for stack in run_of})

    def add_alike(self, choose, runs):
        """Functions whose amounts are equal: run by run, with other numbers of samples, and in another order of the runs."""
        amounts = [choose.randrange(10, 50) for _ in runs]
        for number, (run_of, amount, other) in enumerate(zip(runs, amounts, amounts[1:] + amounts[:1])):
            run_of[('alike',)] = run_of['outer', 'alike2'] = amount, amount
            run_of[('few',)] = amount, amount if self.nature == 'sampled' else number + 1
            run_of[('turned',)] = other, other

    def draw(self, choose, rates):
        """stack -> (amount, number of samples). One in two stacks without samples has no record."""
        out = {}
        for stack, rate in rates.items():
            count = sum(choose.random() < rate / 40 for _ in range(40)) if self.scale == 1 else \
                max(0, round(rate * self.scale * choose.gauss(1, self.spread)))
            if self.outlier and choose.random() < 0.05:
                count *= choose.choice([3, 30])
            if self.nature != 'weighted':
                amount = count
            elif self.scale == 1:
                amount = sum(choose.randrange(1, 12) for _ in range(count)) * choose.choice([1, 1, 1, 4])
            else:
                amount = round(count * choose.gauss(6, 0.1))
            if self.nature == 'weighted' and min(self.runs) > 1 and choose.random() < 0.05:
                count = 0                           # an amount that no sample stands for
            if self.negative and choose.random() < 0.2:
                amount, count = -amount, -count
            if amount or choose.random() < 0.5:
                out[stack] = (amount, count)
        return out

    def write(self, directory):
        """Writes the runs of each side, and lists of them in two orders."""
        choose = random.Random(len(self.stacks))
        for side, name in enumerate(('before', 'after')):
            os.mkdir(os.path.join(directory, name))
            paths = [os.path.join(directory, name, f'run{number}.pfs') for number in range(self.runs[side])]
            for path, run_of in zip(paths, self.sides[side]):
                with open(path, 'wb') as out:
                    out.write(make_stream.stream(self.describe(run_of)))
            for order in ('', '.shuffled'):
                with open(os.path.join(directory, name + '.list' + order), 'w', encoding='utf-8') as out:
                    out.write(''.join(path + '\n' for path in paths))
                choose.shuffle(paths)

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
        """(flat, cum) of amounts in base units and of numbers of samples, by function. The function None is the total."""
        out = [collections.Counter() for _ in range(4)]
        for stack, (amount, count) in run_of.items():
            out[0][stack[-1]] += amount * self.num
            out[2][stack[-1]] += count
            for name in set(stack):
                out[1][name] += amount * self.num
                out[3][name] += count
            for column in out:
                column[None] += count if column is out[2] or column is out[3] else amount * self.num
        return out

    def options(self):
        return ['--cum'] * self.cum + ['--normalize'] * self.normalize + ['--test=welch'] * self.welch + \
            [f'--min-percent={self.percent}'] * (self.percent is not None)


def mean(values):
    return Fraction(sum(values), len(values))


def share(amount, total):
    return round(Fraction(amount * 10 ** 9, total)) if total else 0


def sign(number):
    return (number > 0) - (number < 0)


# --- expected results -------------------------------------------------------------------------------------------

LEVEL, MARGIN = Decimal('0.05'), Fraction(101, 100)


class Expected:
    def __init__(self, case):
        self.case = case
        self.sides = case.sides[::-1] if case.reverse else case.sides
        self.runs = list(map(len, self.sides))
        self.columns = [[case.columns(run_of) for run_of in side] for side in self.sides]
        self.totals = [[columns[0][None] for columns in side] for side in self.columns]
        self.whole = case.time or case.normalize
        whole = [[10 ** 9 if total else 0 for total in side] if case.normalize else side for side in self.totals]
        self.total = [self.mean(side) for side in whole]
        self.mean_total = mean([abs(total) for side in self.totals for total in side])
        self.sampled = case.nature in ('sampled', 'weighted')
        self.rows = {}
        for name in sorted({name for side in self.columns for run_of in side for column in run_of for name in column if name}):
            self.add(name)
        self.tests, self.test, self.spreads = 0, 'none', dict.fromkeys(('spread_total', 'spread_rows', 'spread_shares'))
        if min(self.runs) > 1:
            self.compare_runs()
        self.total_row = self.row_of(None)
        self.compare_total()
        for row in [*self.rows.values(), self.total_row]:
            self.judge(row)
        if min(self.runs) == 1 and self.sampled:
            self.set_hints()

    def mean(self, values):
        """The exact mean. Shares are rounded half to even."""
        return Fraction(round(mean(values))) if self.case.normalize else mean(values)

    def amounts(self, name, column):
        out = [[run_of[column][name] for run_of in side] for side in self.columns]
        if self.case.normalize and column < 2:
            out = [[share(a, t) for a, t in zip(*pair)] for pair in zip(out, self.totals)]
        return out

    def add(self, name):
        there = [any(run_of[0][name] or run_of[1][name] for run_of in side) for side in self.columns]
        if not any(there):
            return
        row = self.row_of(name)
        compared = [any(run_of[self.case.cum][name] for run_of in side) for side in self.columns]
        if there[0] != there[1] and any(compared):
            row['status'] = 'added' if there[1] else 'removed'
        self.rows[name] = row

    def row_of(self, name):
        case, row = self.case, {}
        for column, word in enumerate(('flat', 'cum')):
            before, after = map(self.mean, self.amounts(name, column))
            # times and shares are shown as whole numbers, all others with six decimals
            shown = [round(before), round(after), round(after) - round(before)] if self.whole else [before, after, after - before]
            row.update({f'{word}_{end}': float(round(amount, 6)) for end, amount in zip(('before', 'after', 'delta'), shown)})
            if column == case.cum:
                row['means'] = before, after
        before, after = row['means']
        row['ratio'] = float(after / before) if before and after else None
        row['points'] = sum(s * float(100 * a / t if t else 0) for s, a, t in zip((-1, 1), row['means'], self.total)) if name else 0.0
        row['runs_before'], row['runs_after'] = self.runs
        row.update(row='function' if name else 'total', tested=False, p=None, q=None, ci_low=None, ci_high=None, ratio_low=None, ratio_high=None,
                   ratio_q_low=None, ratio_q_high=None, hint='', shift=None, delta=after - before)
        raw = [[run_of[case.cum][name] for run_of in side] for side in self.columns]
        row['counts'] = [[run_of[2 + case.cum][name] for run_of in side] for side in self.columns]
        row['raw'] = raw
        row['values'] = [[Fraction(a, t) if t else Fraction(0) for a, t in zip(*pair)] for pair in zip(raw, self.totals)] if case.normalize \
            else [list(map(Fraction, side)) for side in raw]
        steady = all(len(set(side)) == 1 for side in row['values'])
        row['equal'] = sorted(row['values'][0]) == sorted(row['values'][1]) or (steady and row['values'][0][0] == row['values'][1][0])
        row['real'] = case.nature == 'exact' and steady
        row['small'] = False
        return row

    def quantum(self, row):
        amount, samples = (sum(abs(value) for side in row[key] for value in side) for key in ('raw', 'counts'))
        quantum = Fraction(amount, samples) if self.sampled and amount and samples else Fraction(self.case.num)
        if not self.case.normalize:
            return quantum
        return quantum / self.mean_total if self.mean_total else Fraction(1)

    def compare_runs(self):
        case, tests = self.case, {}
        least = sum(map(abs, self.total)) * Fraction(case.percent or '0.2') / 100
        for name, row in self.rows.items():
            if row['real'] or not any(map(any, row['values'])):
                continue
            row['small'] = sum(map(abs, row['means'])) < least
            if not row['small']:
                # rows of the same cumulative amounts are one test
                key = tuple(map(tuple, row['values'])), self.quantum(row)
                tests.setdefault((key, name if not case.cum else None), []).append(row)
        keys = [key for key, _ in tests]
        below = any(value < 0 for sides, _ in keys for side in sides for value in side)
        self.test = 'welch' if below or case.welch or min(self.runs) == 2 else 'moderated'
        if self.test == 'welch':
            results = [welch(*key) for key in keys]
        else:
            results = moderated(keys, *self.runs) if keys else []
        known = [k for k, result in enumerate(results) if result.p is not None]
        rates = dict(zip(known, discovery_rates([results[k].p for k in known])))
        found = max(1, sum(rate < LEVEL for rate in rates.values()))
        self.tests = len(known)
        if self.test == 'moderated' and known:
            self.spreads['spread_rows'] = spread_of([keys[k] for k in known], *self.runs)
        if self.test == 'moderated' and known and self.mean_total and not case.normalize:
            shares = [([[Fraction(a, t) if t else Fraction(0) for a, t in zip(*pair)] for pair in zip(rows[0]['raw'], self.totals)],
                       key[1] / self.mean_total) for (key, _), rows in tests.items()]
            self.spreads['spread_shares'] = spread_of([row for row in shares if any(map(any, row[0]))], *self.runs)
        for k, ((key, _), rows) in enumerate(tests.items()):
            for row in rows if k in rates else []:
                self.set_test(row, results[k], rates[k], LEVEL * found / len(known), self.test, key[1])

    def compare_total(self):
        case, row = self.case, self.total_row
        if case.normalize or row['real'] or min(self.runs) == 1 or not any(map(any, row['values'])):
            return
        quantum = self.quantum(row)
        test = 'welch' if any(value < 0 for side in row['values'] for value in side) else self.test
        result = welch(row['values'], quantum) if test == 'welch' else moderated([(row['values'], quantum)], *self.runs)[0]
        if result.p is not None:
            self.set_test(row, result, result.p, LEVEL, test, quantum)
            if test == 'moderated':
                self.spreads['spread_total'] = spread_of([(row['values'], quantum)], *self.runs)

    def set_test(self, row, result, q, level, test, quantum):
        unit = 10 ** 9 if self.case.normalize else 1
        row.update(tested=True, p=result.p, q=q, shift=sign(result.shift))
        for word, at in (('ratio', LEVEL), ('ratio_q', level)):
            ends = [(end * Decimal(2).ln()).exp() for end in result.ends(at)] if test == 'moderated' else result.ratio(at)
            row[f'{word}_low'], row[f'{word}_high'] = ends if row['ratio'] is not None else (None, None)
        if test == 'welch':
            low, high = result.ends(LEVEL)
        else:
            # the logarithm of a mean has the deviation of the mean divided by the mean, to first order
            half, (before, after) = real(quantum / 2), (real(amount / unit) for amount in row['means'])
            deviation = Decimal(2).ln() * (result.variance * ((before + half) ** 2 / self.runs[0] + (after + half) ** 2 / self.runs[1])).sqrt()
            reach = student_quantile(LEVEL, result.terms[0][1]) * deviation
            low, high = after - before - reach, after - before + reach
        row['ci_low'], row['ci_high'] = low * unit, high * unit

    def judge(self, row):
        inside = row['ratio_low'] is not None and real(1 / MARGIN) <= row['ratio_low'] and row['ratio_high'] <= real(MARGIN)
        if row['equal'] or (row['row'] == 'total' and self.case.normalize and not row['real']):
            row['verdict'] = '='
        elif row['real']:
            row['verdict'] = '+' if row['delta'] > 0 else '-' if row['delta'] < 0 else '='
        elif row['small']:
            row['verdict'] = '.'
        elif row['tested'] and row['q'] < LEVEL and sign(row['delta']) == row['shift'] != 0:
            row['verdict'] = '+' if row['delta'] > 0 else '-'
        else:
            row['verdict'] = '=' if row['tested'] and row['q'] >= LEVEL and inside else '~'
        if 'status' not in row:
            row['status'] = {'+': 'more', '-': 'less', '=': 'same'}.get(row['verdict'], 'unclear')

    # --- hints, from the numbers of samples of one run ---

    def worths(self):
        """What one sample of each side is worth; None if the samples of a side differ or the worth is not whole."""
        cum = self.case.cum
        out = [{Fraction(run_of[cum][name], count) for run_of in side for name, count in run_of[2 + cum].items() if count and name}
               for side in self.columns]
        if any(len(side) > 1 for side in out) or any(worth.denominator > 1 for side in out for worth in side):
            return None
        return [next(iter(own or other), None) for own, other in (out, out[::-1])]

    def set_hints(self):
        rows = [row for row in self.rows.values() if sum(map(sum, row['counts']))]
        results = [self.compare_samples(row) for row in rows]
        known = [k for k, result in enumerate(results) if result]
        for k, q in zip(known, discovery_rates([results[k][0] for k in known])):
            self.set_hint(rows[k], q, results[k][1])
        if not self.case.normalize and sum(map(sum, self.total_row['counts'])):
            self.set_hint(self.total_row, *self.compare_samples(self.total_row))

    @staticmethod
    def set_hint(row, q, direction):
        if row['verdict'] == '~' and q < LEVEL and direction * row['delta'] > 0:
            row['hint'] = '+' if direction > 0 else '-'

    def compare_samples(self, row):
        """p and direction. The expected share of the samples after follows from the totals, or from the numbers of runs and the worths of samples."""
        before, after = map(sum, row['counts'])
        if self.case.normalize:
            totals = [sum(run_of[2][None] for run_of in side) for side in self.columns]
            return self.compare_counts(before, after, totals) if all(totals) else None
        average, worths = Fraction(sum(map(sum, row['raw'])), before + after), self.worths()
        own = [Fraction(sum(amounts), count) if count else average for amounts, count in zip(row['raw'], (before, after))]
        tests = [self.compare_counts(before, after, [n / Fraction(w) for n, w in zip(self.runs, pair)])
                 for pair in ([worths] if worths else [[average, average], own])]
        ps, directions = zip(*tests)
        return 1 if min(directions) * max(directions) < 0 else max(ps), directions[-1]

    @staticmethod
    def compare_counts(before, after, totals):
        difference = Fraction(after) / totals[1] - Fraction(before) / totals[0]
        return binomial(before, after, Fraction(totals[1]) / (totals[0] + totals[1])), sign(difference)


# --- comparing --------------------------------------------------------------------------------------------------

EXACT = ['row', 'flat_before', 'flat_after', 'flat_delta', 'cum_before', 'cum_after', 'cum_delta', 'runs_before', 'runs_after', 'tested',
         'verdict', 'hint', 'status']
CLOSE = ['ratio', 'points', 'p', 'q', 'ci_low', 'ci_high', 'ratio_low', 'ratio_high', 'ratio_q_low', 'ratio_q_high']
PRECISION, worst = 2e-9, collections.Counter()


def close(got, want, size, key=None):
    if got is None or want is None:
        return got is want
    away = abs(got - float(want)) / max(abs(float(want)), size, 1e-300)
    worst[key] = max(worst[key], away)
    return away <= PRECISION


def check_row(what, name, row, want):
    width = float(want['ci_high'] - want['ci_low']) if want['tested'] else 0
    sizes = {'points': 1e-3, 'ci_low': width, 'ci_high': width}
    wrong = [key for key in EXACT if row[key] != want[key]]
    wrong += [key for key in CLOSE if not close(row[key], want[key], sizes.get(key, 1e-300), key)]
    if row['before_delta_after'] is False:
        wrong.append('before + delta = after')
    if wrong:
        shown = {key: float(value) if isinstance(value, Decimal) else value for key, value in want.items()}
        print(f'{what}: {name}: {wrong}\n  profdiff: {row}\n  expected: {shown}')
    return bool(wrong)


def check_rows(what, rows, expected):
    for row in rows:
        row['before_delta_after'] = all(math.isclose(row[f'{word}_before'] + row[f'{word}_delta'], row[f'{word}_after'], rel_tol=0, abs_tol=2e-6)
                                        for word in ('flat', 'cum'))
    if not expected.rows:
        return rows != []
    got = {row['function']: row for row in rows[1:]}
    if sorted(got) != sorted(expected.rows) or len(got) != len(rows) - 1:
        print(f'{what}: rows {sorted(got)}, expected {sorted(expected.rows)}')
        return True
    bad = check_row(what, 'total', rows[0], expected.total_row)
    return sum(check_row(what, name, got[name], want) for name, want in expected.rows.items()) + bad


MIRROR = {'+': '-', '-': '+', 'added': 'removed', 'removed': 'added', 'more': 'less', 'less': 'more'}


def mirrored(row, other):
    """What in `other` does not follow from the row of the opposite comparison. An interval of the ratio that holds 0 has no reciprocal."""
    wrong = [key for key in ('verdict', 'hint', 'status') if other[key] != MIRROR.get(row[key], row[key])]
    wrong += [key for key in ('p', 'q') if not close(other[key], row[key], 1e-300)]
    for one, opposite in (('flat_before', 'flat_after'), ('flat_after', 'flat_before'), ('cum_before', 'cum_after'), ('runs_before', 'runs_after')):
        wrong += [one] * (other[one] != row[opposite])
    for low, high in (('ci_low', 'ci_high'), ('flat_delta', 'flat_delta'), ('points', 'points')):
        width = abs(row['ci_high'] - row['ci_low']) if row['tested'] and low == 'ci_low' else 1e-6
        wrong += [low] * (not close(other[low], None if row[high] is None else -row[high], width))
    wrong += ['ratio'] * bool(row['ratio'] and other['ratio'] and not close(row['ratio'] * other['ratio'], 1, 1))
    for word in ('ratio', 'ratio_q'):
        (low, high), ends = ([side[word + end] for end in ('_low', '_high')] for side in (row, other))
        if low is None or low <= 0 <= high:
            wrong += [word] * (ends[0] is not None and not ends[0] <= 0 <= ends[1])
        else:
            wrong += [word] * (ends[0] is None or not close(low * ends[1], 1, 1) or not close(high * ends[0], 1, 1))
    return wrong


def check_laws(what, case, directory):
    """The mirror, the order of runs, threads, and both sides alike."""
    sides, options, bad = [os.path.join(directory, name) for name in ('before', 'after')], case.options(), 0
    lists = ['@' + side + '.list' for side in sides]
    given = output('profdiff', '-t', 'ndjson', *options, *sides)
    for other in ([*options, *[name + '.shuffled' for name in lists]], [*options, '-j2', *lists], [*options, *lists]):
        if output('profdiff', '-t', 'ndjson', *other) != given:
            print(f'{what}: not the same bytes with {other}')
            bad += 1
    rows, reverse = ({row['function']: row for row in rows_of(*options, *flag, *sides)} for flag in ([], ['--reverse']))
    for name, row in rows.items():
        wrong = mirrored(row, reverse[name])
        if wrong:
            print(f'{what}: {name or "total"} is not mirrored: {wrong}\n  forward: {row}\n  reverse: {reverse[name]}')
            bad += 1
    same = rows_of(*options, sides[0], sides[0])
    bad += any(row['verdict'] != '=' or row['status'] != 'same' or row['flat_delta'] or row['cum_delta'] for row in same)
    return bad > 0


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
    choose, bad, tests, methods = random.Random(seed), 0, collections.Counter(), collections.Counter()
    for number in range(count):
        case = Case(choose)
        with tempfile.TemporaryDirectory() as directory:
            case.write(directory)
            sides = [os.path.join(directory, name) for name in ('before', 'after')]
            options = case.options() + ['--reverse'] * case.reverse
            what = f'case {number} ({case.nature}, {case.runs} runs, {" ".join(options)})'
            expected = Expected(case)
            wrong = [check_rows(what, rows_of(*options, *sides), expected)]
            about = json.loads(output('profdiff', '-t', 'json', *options, *sides))['measures'] if expected.rows else []
            if about and (about[0]['test'], about[0]['tests']) != (expected.test, expected.tests):
                wrong.append(1)
                print(f'{what}: {about[0]}, expected {expected.tests} tests by {expected.test}')
            if about and not all(close(about[0][key], spread, 1e-300, key) for key, spread in expected.spreads.items()):
                wrong.append(1)
                print(f'{what}: {about[0]}, expected {expected.spreads}')
            wrong.append(check_stream(what, ['--normalize'] * case.normalize + ['--reverse'] * case.reverse + sides, case))
            wrong.append(check_laws(what, case, directory))
            bad += any(wrong)
            tests.update(row['verdict'] + row['hint'] for row in expected.rows.values())
            methods[expected.test] += 1
    print(f'{count} comparisons ({", ".join(f"{n} {v}" for v, n in sorted(methods.items()))}), {sum(tests.values())} rows '
          f'({", ".join(f"{n} {v}" for v, n in sorted(tests.items()))}), {bad} wrong; greatest relative difference {max(worst.values(), default=0):.1g}')
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
    rows = {int(row['address'], 16): row for row in rows_of('--by=address', *inputs) if row['row'] != 'total'}
    got = [{'offset': at, 'a': row['flat_before'], 'b': row['flat_after'], 'delta': row['flat_delta']} for at, row in sorted(rows.items())
           if row['flat_delta']]
    total = json.loads(output('profdiff', '-t', 'json', *inputs))['measures'][0]
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
