#!/usr/bin/env python3
"""Computes the moderated t test in another way, with decimals of 60 digits.

    moderated.py >moderated.txt       the table that tests/unit/test_moderated.c compares with the library

psi and its derivatives are asymptotic series at 60 or above, then recurrences. The inverse of psi' and quantiles are found by
bisection. The natural cubic spline is the one through unknown values at its knots (tridiagonal equations for the second
derivatives), fitted by normal equations. The power is a double integral over the true and the observed variance.
Each line: function, arguments, results. A number that is not whole is the shortest decimal of a double, or has 14 digits.
"""
import math
import random
from decimal import Decimal
from fractions import Fraction

from statistics import BERNOULLI, double, halve, real, student, student_quantile  # the file in this folder

LN2 = Decimal(2).ln()


# --- psi -----------------------------------------------------------------------------------------

def digamma(x):
    total = Decimal(0)
    while x < 60:
        total -= 1 / x
        x += 1
    return total + x.ln() - 1 / (2 * x) - sum(real(BERNOULLI[2 * k]) / (2 * k * x ** (2 * k)) for k in range(1, 30))


def trigamma(x):
    total = Decimal(0)
    while x < 60:
        total += 1 / (x * x)
        x += 1
    return total + 1 / x + 1 / (2 * x * x) + sum(real(BERNOULLI[2 * k]) / x ** (2 * k + 1) for k in range(1, 30))


def trigamma_inverse(value):
    return halve(1 / (2 * value.sqrt() + 2), 2 / value + 2 / value.sqrt(), lambda x: trigamma(x) < value)


# --- the spline ----------------------------------------------------------------------------------

def solve(matrix, right):
    """Solves linear equations by elimination. A column that the others span gets 0. Returns solution and rank."""
    size = len(right)
    rows = [list(row) + [value] for row, value in zip(matrix, right)]
    pivots = []
    for column in range(size):
        rest = [k for k in range(size) if k not in [row for row, _ in pivots]]
        best = max(rest, key=lambda k: abs(rows[k][column]))
        if abs(rows[best][column]) < Decimal("1e-30"):
            continue
        pivots.append((best, column))
        for k in range(size):
            if k != best:
                times = rows[k][column] / rows[best][column]
                rows[k] = [a - times * b for a, b in zip(rows[k], rows[best])]
    solution = [Decimal(0)] * size
    for row, column in pivots:
        solution[column] = rows[row][size] / rows[row][column]
    return solution, len(pivots)


def bends(knots, values):
    """The second derivatives at the knots of the natural cubic spline through the values."""
    last = len(knots) - 1
    matrix, right = [[Decimal(int(k == j)) for j in range(last + 1)] for k in range(last + 1)], [Decimal(0)] * (last + 1)
    for k in range(1, last):
        left, after = knots[k] - knots[k - 1], knots[k + 1] - knots[k]
        matrix[k][k - 1:k + 2] = [left / 6, (left + after) / 3, after / 6]
        right[k] = (values[k + 1] - values[k]) / after - (values[k] - values[k - 1]) / left
    return solve(matrix, right)[0]


def spline_at(knots, values, bend, x):
    k = max(j for j in range(len(knots) - 1) if knots[j] <= x)
    width = knots[k + 1] - knots[k]
    a, b = (knots[k + 1] - x) / width, (x - knots[k]) / width
    return a * values[k] + b * values[k + 1] + ((a ** 3 - a) * bend[k] + (b ** 3 - b) * bend[k + 1]) * width * width / 6


def quantile(ordered, p):
    at = p * (len(ordered) - 1)
    below = min(int(at), len(ordered) - 2)
    return ordered[below] + real(at - below) * (ordered[below + 1] - ordered[below])


def trend(x, y):
    """The fitted values and the rank."""
    ordered, freedom = sorted(x), 4 if len(x) >= 30 else 3 if len(x) >= 6 else 2
    freedom = min(freedom, len(set(x)))
    if freedom < 2:
        return [sum(y) / len(y)] * len(y), 1
    knots = sorted({ordered[0], ordered[-1], *(quantile(ordered, Fraction(k, freedom - 1)) for k in range(1, freedom - 1))})
    columns = []
    for k in range(len(knots)):
        values = [Decimal(int(j == k)) for j in range(len(knots))]
        bend = bends(knots, values)
        columns.append([spline_at(knots, values, bend, at) for at in x])
    matrix = [[sum(a * b for a, b in zip(one, other)) for other in columns] for one in columns]
    times, rank = solve(matrix, [sum(a * b for a, b in zip(one, y)) for one in columns])
    return [sum(t * column[k] for t, column in zip(times, columns)) for k in range(len(x))], rank


# --- the test ------------------------------------------------------------------------------------

def side(values):
    """Mean and sum of squares; of equal values exactly the value and 0."""
    away = [value - values[0] for value in values]
    mean = sum(away) / len(away)
    return values[0] + mean, sum((one - mean) ** 2 for one in away)


def prior_of(variances, means, d):
    """Degrees of freedom of the prior (None: unbounded) and the prior variance of each row."""
    if len(variances) < 3:
        return Decimal(0), variances
    ordered, half = sorted(variances), Decimal(d) / 2
    median = (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2
    least = (median if median > 0 else 1) * Decimal("0.00001")
    y = [max(variance, least).ln() - digamma(half) + half.ln() for variance in variances]
    fitted, rank = trend(means, y)
    excess = sum((a - b) ** 2 for a, b in zip(y, fitted)) / (len(y) - rank) - trigamma(half)
    if excess <= 0:
        return None, [value.exp() for value in fitted]
    half = trigamma_inverse(excess)
    return 2 * half, [(value + digamma(half) - half.ln()).exp() for value in fitted]


def power_of_2(x):
    return (x * LN2).exp()


def moderated(rows, before, after):
    """Degrees of freedom of the prior and of t, and for each row p, ratio, its ends and the prior variance, or None. A row
    is its quantum and the amounts."""
    d = before + after - 2
    logs = [[(Decimal(amount) + Decimal(quantum) / 2).ln() / LN2 for amount in amounts] if any(amounts) else None
            for quantum, *amounts in rows]
    sides = [(side(row[:before]), side(row[before:])) for row in logs if row]
    variances = [(one[1] + other[1]) / d for one, other in sides]
    means = [sum(row) / len(row) for row in logs if row]
    prior, trends = prior_of(variances, means, d)
    freedom = d * len(sides) if prior is None else min(prior + d, Decimal(d * len(sides)))
    reach, results = student_quantile(Decimal("0.05"), Fraction(freedom)), []
    for (one, other), variance, expected in zip(sides, variances, trends):
        post = expected if prior is None else (prior * expected + d * variance) / (prior + d)
        difference, square = other[0] - one[0], post * (Decimal(1) / before + Decimal(1) / after)
        error = square.sqrt()
        p = student(Fraction(difference ** 2 / square), Fraction(freedom)) if square > 0 else Decimal(1) if difference == 0 else None
        results.append(None if p is None else (p, *map(power_of_2, (difference, difference - reach * error, difference + reach * error)), expected))
    rest = iter(results)
    return prior, freedom, [next(rest) if row else None for row in logs]


# --- the power -----------------------------------------------------------------------------------

def power(prior, d, p, shift):
    """The true variance is prior / X, d times the observed one is its product with Y; X and Y have chi-square distributions.
    Without a prior the true variance is 1. `shift`: the change divided by its standard error at the variance 1."""
    def nodes(freedom):
        steps, half, points = 400, freedom / 2, []
        mean, spread = float(digamma(Decimal(half))) + math.log(2), float(trigamma(Decimal(half))) ** 0.5
        for k in range(-steps, steps + 1):
            z = mean + spread * 14 * k / steps
            points.append((math.exp(z), math.exp(half * (z - mean) - (math.exp(z) - math.exp(mean)) / 2)))
        total = sum(weight for _, weight in points)
        return [(x, weight / total) for x, weight in points if weight > 1e-12 * total]

    least = float(student_quantile(Decimal(p), Fraction(prior + d)))
    return sum(weight * other * math.erfc((least * ((x + y if prior else y) / (prior + d)) ** 0.5 - shift * (x / prior if prior else 1) ** 0.5) / 2 ** 0.5) / 2
               for x, weight in (nodes(prior) if prior else [(1, 1)]) for y, other in nodes(d))


# --- lines ---------------------------------------------------------------------------------------

def text(value):
    if value is None:
        return "-"
    if isinstance(value, Decimal):
        return f"{value:.13e}"
    return repr(float(value)) if isinstance(value, Fraction) else repr(value)


def line(*words):
    print(" ".join(text(word) if not isinstance(word, str) else word for word in words))


def psi():
    for x in ("0.001", "0.02", "0.5", "0.7", "1", "1.46", "1.5", "2", "3.25", "9", "14.5", "15.5", "40", "999.5", "1e6", "1e12"):
        x = double(x)
        line("digamma", x, digamma(real(x)))
        line("trigamma", x, trigamma(real(x)))
        line("inverse", x, trigamma_inverse(real(x)))


def tables(choose):
    """Yields numbers of runs and rows: a quantum and amounts."""
    def row(before, after, level, spread, quantum=1, change=1.0):
        return [quantum] + [max(0, round(level * math.exp(choose.gauss(0, spread)) * (change if k >= before else 1))) * quantum
                            for k in range(before + after)]

    for number, size in enumerate((1, 1, 2, 2, 3, 3, 3, 4, 5, 5, 6, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 24, 29, 29, 30, 30, 31, 40, 60, 150, 400)):
        before, after = (3, 3) if size > 100 else (choose.randrange(3, 8), choose.randrange(3, 11))
        after = before if number % 2 else after
        quantum, spread, unlike = choose.choice((1, 1, 1, 10, 1000)), choose.choice((0.02, 0.05, 0.2)), choose.choice((0, 0, 0.5, 1))
        rows = [row(before, after, math.exp(choose.uniform(3, 10)), spread * math.exp(unlike * choose.gauss(0, 1)), quantum,
                    choose.choice((1, 1, 1, 1.2, 3))) for _ in range(size)]
        if size > 8 and number % 3 != 0:
            rows[1][1:before + 1] = [0] * before                       # added
            rows[2][before + 1:] = [0] * after                         # removed
            rows[3][1:] = [0] * (before + after)                       # not tested
            rows[4][1:] = [rows[4][1] + quantum] * (before + after)    # constant
        yield before, after, rows
    yield 3, 3, [[1] + [0] * 6, [1] + [0] * 6]
    yield 3, 3, [[1, 5, 5, 5, 5, 5, 5], [1] + [0] * 6]
    yield 7, 7, [[1] + [k] * 14 for k in range(10, 20)]
    yield 5, 4, [[1] + [k] * 5 + [k + 1] * 4 for k in range(10, 42)]
    yield 3, 4, [[1, 10, 11, 12, 13, 14, 15, 17]] * 9
    yield 3, 4, [[1, 10, 11, 12, 13, 14, 15, 17]] * 20 + [[1, 90, 95, 99, 97, 91, 94, 98]] * 20
    yield 1, 2, [[1, 10, 12, 13], [1, 20, 19, 25], [1, 7, 8, 7], [1, 50, 52, 49]]
    yield 4, 4, [row(4, 4, 2.0 ** 61, spread) for spread in (1e-9, 1e-6, 1e-3, 0.1, 0.3, 0.1, 1e-2)]
    yield 4, 4, [row(4, 4, 2.0 ** (4 * k), 0.1) for k in range(1, 15)]
    yield 5, 5, [row(5, 5, 1, 0.5) for _ in range(40)]
    yield 3, 6, [row(3, 6, 300, 0.1, 1 + k % 3) for k in range(33)]
    yield 4, 4, [[1e-6] + [choose.gauss(0.01 * k, 1e-4 * k) for _ in range(8)] for k in range(1, 12)]
    yield 3, 3, [[2e-149] + [choose.uniform(1, 2) * 1e-140 for _ in range(6)] for k in range(5)]


def main():
    psi()
    for before, after, rows in tables(random.Random(6)):
        if any(any(amounts) for _, *amounts in rows):
            prior, freedom, results = moderated(rows, before, after)
        else:
            prior, freedom, results = Decimal(0), 0, [None] * len(rows)
        line("table", before, after, len(rows), prior, freedom)
        for row, result in zip(rows, results):
            line("row", *row, *(result or [None]))
    for prior, d, p, shift in ((0, 1, "0.05", 9), (0, 8, "0.001", 6), (0, 38, "0.05", 10 ** 0.5), (1, 4, "0.05", 12), (2, 4, "0.0005", 9.5),
                               (3.5, 18, "0.001", 5), (10, 8, "0.05", 1), (40, 4, "0.0001", 5.5), (4, 4, "0.05", 0), (500, 98, "1e-6", 6)):
        line("power", prior, d, double(p), shift, power(prior, d, p, shift))


if __name__ == "__main__":
    main()
