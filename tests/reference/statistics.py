#!/usr/bin/env python3
"""Computes the statistics in another way: with whole numbers, fractions and decimals of 60 digits.

    statistics.py >statistics.txt     the table that tests/unit/test_statistics.c compares with the library

Binomial tails are sums of exact terms. Incomplete betas are the power series of DLMF 8.17.8, which has only positive terms.
Wilson's interval is the root of the score equation, found by bisection, as are quantiles.
Each line: function, arguments, results. A number that is not whole is the shortest decimal of a
double, or has 20 digits.
"""
import decimal
import random
from decimal import Decimal
from fractions import Fraction
from math import comb, factorial

decimal.getcontext().prec = 60
decimal.getcontext().Emin = -999999
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899863")


def real(fraction):
    return Decimal(fraction.numerator) / Decimal(fraction.denominator)


def bernoulli(count):
    numbers = [Fraction(1)]
    for n in range(1, count):
        numbers.append(-sum(comb(n + 1, k) * numbers[k] for k in range(n)) / (n + 1))
    return numbers


BERNOULLI = bernoulli(60)


def log_gamma(z):
    """Stirling's series at 60 or above, then the recurrence down to z."""
    z, product = Decimal(z), Decimal(1)
    while z < 60:
        product *= z
        z += 1
    series = sum(real(BERNOULLI[2 * k]) / (2 * k * (2 * k - 1) * z ** (2 * k - 1)) for k in range(1, 30))
    return (z - Decimal("0.5")) * z.ln() - z + (2 * PI).ln() / 2 + series - product.ln()


def beta(a, b, x):
    """I_x(a, b) for fractions."""
    if x * (a + b) > a:
        return 1 - beta(b, a, 1 - x)
    a, b, x, y = real(a), real(b), real(x), real(1 - x)
    total, term, n = Decimal(0), Decimal(1), 0
    while term > total * Decimal("1e-45"):
        total += term
        term *= (a + b + n) / (a + 1 + n) * x
        n += 1
    return total * (a * x.ln() + b * y.ln() + log_gamma(a + b) - log_gamma(a) - log_gamma(b)).exp() / a


def student(square, freedom):
    """P(|T| >= t); `square` is the square of t."""
    return beta(freedom / 2, Fraction(1, 2), freedom / (freedom + square))


def halve(low, high, rises):
    """The lowest number between `low` and `high` for which `rises` is true, by bisection."""
    while high - low > (abs(low) + abs(high)) * Decimal("1e-22"):
        middle = (low + high) / 2
        low, high = (low, middle) if rises(middle) else (middle, high)
    return (low + high) / 2


def student_quantile(p, freedom):
    return halve(Decimal(0), Decimal(10) ** 5, lambda t: student(Fraction(t) ** 2, freedom) < p)


def normal_quantile():
    """The 0.975 quantile of the normal distribution, from the series of the error function."""
    def inside(z):
        x, total, term, n = z / Decimal(2).sqrt(), Decimal(0), Decimal(1), 0
        term = x
        while abs(term) > Decimal("1e-50"):
            total += term / (2 * n + 1)
            n += 1
            term *= -x * x / n
        return 2 * total / PI.sqrt()
    return halve(Decimal(1), Decimal(3), lambda z: inside(z) > Decimal("0.95"))


def tail(count, least, chance):
    """P(X >= least)."""
    if least <= 0:
        return Decimal(1)
    if count > 4000:
        return beta(Fraction(least), Fraction(count - least + 1), chance)
    up, down, of = chance.numerator, chance.denominator - chance.numerator, chance.denominator
    return real(Fraction(sum(comb(count, k) * up ** k * down ** (count - k) for k in range(least, count + 1)), of ** count))


def counts(before, after, total_before, total_after, shares):
    count = before + after
    chance = Fraction(total_after, total_before + total_after) if shares else Fraction(1, 2)
    p = min(Decimal(1), 2 * min(tail(count, after, chance), tail(count, before, 1 - chance)))
    scale = (Fraction(total_before), Fraction(total_after)) if shares else (Fraction(1), Fraction(1))

    def outside(chance):
        return (after - count * chance) ** 2 >= NORMAL ** 2 * count * chance * (1 - chance)

    def difference(chance):
        return count * (chance / real(scale[1]) - (1 - chance) / real(scale[0]))
    middle = Decimal(after) / count
    low = halve(Decimal(0), middle, lambda chance: not outside(chance)) if after else Decimal(0)
    high = halve(middle, Decimal(1), outside) if before else Decimal(1)
    return [real(after / scale[1] - before / scale[0]), difference(low), difference(high), p]


def moments(values):
    mean = sum(values, Fraction(0)) / len(values)
    return mean, sum((value - mean) ** 2 for value in values) / (len(values) - 1)


def t_test(difference, square, freedom):
    reach = real(square).sqrt() * student_quantile(Decimal("0.05"), freedom)
    return student(difference ** 2 / square, freedom), freedom, reach


def welch(before, after, floors):
    """Welch's t test; with unequal numbers of runs the less significant of Welch's and Student's."""
    (first, spread), (second, other) = moments(before), moments(after)
    spread, other, n, m = max(spread, floors[0]), max(other, floors[1]), len(before), len(after)
    difference, square = second - first, spread / n + other / m
    tests = [t_test(difference, square, square ** 2 / ((spread / n) ** 2 / (n - 1) + (other / m) ** 2 / (m - 1)))]
    if n != m:
        pooled = ((n - 1) * spread + (m - 1) * other) / (n + m - 2)
        tests.append(t_test(difference, pooled / n + pooled / m, Fraction(n + m - 2)))
    p, freedom, _ = max(tests)
    reach = max(reach for _, _, reach in tests)
    return [real(difference), real(difference) - reach, real(difference) + reach, real(freedom), p]


def rates(chances):
    """False discovery rates by their definition: the lowest p m / rank of all p that are not smaller."""
    return [min(Fraction(1), *(other * len(chances) / sum(third <= other for third in chances) for other in chances if other >= chance))
            for chance in chances]


def summary(values):
    total, mean = sum(values), Fraction(sum(values), len(values))
    spread = real(moments([Fraction(value) for value in values])[1]).sqrt() if len(values) > 1 else Decimal(0)
    return [total, real(mean), spread, min(values), max(values), max(values) - min(values),
            real(Fraction(100 * (max(values) - min(values)), total)) if total else Decimal(0)]


def median(values):
    ordered = sorted(values)
    return Fraction(ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2], 2)


def middle(values):
    return [real(median(values)), real(median([abs(value - median(values)) for value in values]) * Fraction("1.4826"))]


NORMAL = normal_quantile()


def text(value):
    if isinstance(value, Decimal):
        return f"{value:.19e}"
    return repr(float(value)) if isinstance(value, Fraction) else str(value)


def line(*words):
    print(" ".join(text(word) for word in words))


def double(text_of):
    """The exact value of the double nearest to a number."""
    return Fraction(float(text_of))


def table_of_betas():
    cases = [(1, 1), (2, 3), (5, 5), (10, 1), (1, 10), (30, 70), (200, 300), (1, 3000), (0.5, 0.5), (0.5, 8), (2.75, 0.5),
             (2999, 3001), (3000, 3000), (5000, 20000), (100, 1000000), (1000000, 1000000), (40000, 3000000)]
    for a, b in cases:
        a, b = double(a), double(b)
        mean, deviation = a / (a + b), double(float(a * b / (a + b + 1)) ** 0.5) / (a + b)
        for k in (-30, -10, -5, -2, -1, -0.1, 0, 0.1, 1, 2, 5, 10, 30):
            x = Fraction(round((mean + double(k) * deviation) * 2 ** 50), 2 ** 50) # then 1 - x is a double too
            if 0 < x < 1 and beta(a, b, x) > Decimal("1e-300"):
                line("beta", a, b, x, beta(a, b, x))


def table_of_students():
    for freedom in ("1", "1.25", "2", "3.7", "4", "7.711", "8", "18", "29.5", "100", "1998"):
        freedom = double(freedom)
        for t in ("0.001", "0.1", "1", "1.96", "4", "10", "40", "1000", "1e9", "1e30"):
            if student(double(t) ** 2, freedom) > Decimal("1e-300"):
                line("student", double(t), freedom, student(double(t) ** 2, freedom))
        for p in ("0.5", "0.05", "0.01", "0.0001"):
            line("quantile", double(p), freedom, student_quantile(real(double(p)), freedom))
    for freedom in ("40", "384", "200000"):
        for p in ("1e-6", "1e-12"):
            line("quantile", double(p), double(freedom), student_quantile(real(double(p)), double(freedom)))


def table_of_counts():
    choose = random.Random(1)
    cases = [(0, 1), (1, 0), (1, 1), (0, 5), (0, 6), (10, 25), (25, 10), (100, 100), (100, 101), (500, 400), (1200, 1500), (0, 900),
             (10000, 10400), (300000, 301000), (1000000, 1003000)]
    for before, after in cases:
        line("counts", before, after, 0, 0, 0, *counts(before, after, 0, 0, False))
        total_before, total_after = before + 1 + choose.randrange(10 ** 6), after + 1 + choose.randrange(3 * 10 ** 6)
        line("counts", before, after, total_before, total_after, 1, *counts(before, after, total_before, total_after, True))
    for _ in range(20):
        before, after = choose.randrange(300), choose.randrange(1, 300)
        total_before, total_after = 1024 * choose.randrange(1, 9), 1024 * choose.randrange(1, 9)
        line("counts", before, after, total_before, total_after, 1, *counts(before, after, total_before, total_after, True))


def table_of_runs():
    choose = random.Random(2)
    for number in range(48):
        sizes = (choose.randrange(2, 9), choose.randrange(2, 9)) if number % 2 else (choose.choice((2, 3, 5)),) * 2
        base = (0, 0, 10 ** 6, 2 ** 62)[number // 2 % 4]
        sides = [[base + choose.randrange(40) + 15 * side for _ in range(size)] for side, size in enumerate(sizes)]
        floors = [Fraction(choose.choice((0, 0, 25, 400))) for _ in sides]
        if sum(moments([Fraction(v) for v in side])[1] + floor for side, floor in zip(sides, floors)) > 0:
            line("welch", *sizes, *sides[0], *sides[1], *floors,
                 *welch([Fraction(v) for v in sides[0]], [Fraction(v) for v in sides[1]], floors))


def table_of_shares():
    choose = random.Random(3)
    for _ in range(12):
        size = choose.randrange(2, 6)
        totals = [choose.randrange(1000, 10 ** 12) for _ in range(2 * size)]
        values = [choose.randrange(total // 3) for total in totals]
        shares = [Fraction(value, total) for value, total in zip(values, totals)]
        line("shares", size, *values, *totals, *welch(shares[:size], shares[size:], (0, 0)))


def table_of_rates():
    choose = random.Random(4)
    for size in (1, 2, 7, 15, 40):
        chances = [double(choose.choice((choose.random() ** 6, choose.random(), 0.25, 1))) for _ in range(size)]
        line("rates", size, *chances, *(real(rate) for rate in rates(chances)))


def table_of_summaries():
    choose = random.Random(5)
    ends = (-2 ** 63, 2 ** 63 - 1)
    cases = [[7], [0, 0], [5, 5, 5], [1, 2, 3, 4], [-3, 3], list(ends), [ends[1]] * 5 + [ends[1] - 1], [2 ** 62 + k for k in (0, 1, 3)]]
    cases += [[choose.randrange(*ends) >> choose.randrange(60) for _ in range(choose.randrange(2, 9))] for _ in range(12)]
    for values in cases:
        line("summary", len(values), *values, *summary(values))
    for values in cases + [[1, 1, 1, 9], [9, 1, 5], [0, 0, 0, 0, 9], [3, 1, 4, 1, 5, 9, 2, 6]]:
        line("middle", len(values), *values, *middle(values))


def main():
    assert abs(log_gamma(101) - Decimal(factorial(100)).ln()) < Decimal("1e-50")
    table_of_betas()
    table_of_students()
    table_of_counts()
    table_of_runs()
    table_of_shares()
    table_of_rates()
    table_of_summaries()


if __name__ == "__main__":
    main()
