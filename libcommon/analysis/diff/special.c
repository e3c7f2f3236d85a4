#include "analysis/diff/special.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

/* --- the beta function ------------------------------------------------------------------------ */

/* If both parameters are at least this large, the tail is integrated: the continued fraction would
 * take about sqrt(a + b) steps. */
#define LARGE 3000.0

/* log(1 + u) - u for u > -1, without the cancellation: with r = u / (2 + u), log(1 + u) = 2 (r +
 * r^3/3 + r^5/5 + ...) (Abramowitz and Stegun 4.1.27), and 2 r - u = -r u. */
static double log1p_less(double u)
{
    double r = u / (2 + u), square = r * r, sum = 0, power = 1, term;

    if (fabs(u) > 0.5)
        return log1p(u) - u;
    for (int k = 3;; k += 2, power *= square) {
        term = power / k;
        sum += term;
        if (term < sum * DBL_EPSILON)
            return r * (2 * square * sum - u);
    }
}

/* log Gamma(z) minus Stirling's formula for it, z > 0 (Abramowitz and Stegun 6.1.41). */
static double stirling_error(double z)
{
    static const double half_log_2pi = 0.91893853320467274178;
    double s = 1 / (z * z);

    if (z < 15)
        return log(tgamma(z)) - ((z - 0.5) * log(z) - z + half_log_2pi);
    return (1.0 / 12 -
            s * (1.0 / 360 -
                 s * (1.0 / 1260 - s * (1.0 / 1680 - s * (1.0 / 1188 - s * 691.0 / 360360))))) /
           z;
}

/* a * b - c * d, corrected for the rounding of both products (Kahan; Jeannerod, Louvet and Muller,
 * Mathematics of Computation 82, 2013). */
static double product_difference(double a, double b, double c, double d)
{
    double product = c * d;

    return fma(a, b, -product) - fma(c, d, -product);
}

/* x^a y^b / B(a, b), computed as the deviation from its greatest value (Loader, Fast and Accurate
 * Computation of Binomial Probabilities, 2000), so that terms of the size of a and b cancel
 * exactly. */
static double prefactor(double a, double b, double x, double y)
{
    double n = a + b, away = product_difference(b, x, a, y), u = away / a, v = -away / b, exponent;

    exponent = a * (u < -0.5 ? log(n * x / a) - u : log1p_less(u)) +
               b * (v < -0.5 ? log(n * y / b) - v : log1p_less(v));
    exponent += stirling_error(n) - stirling_error(a) - stirling_error(b);
    return exp(exponent) * sqrt(a / n * b / (2 * M_PI));
}

/* The continued fraction of Didonato and Morris (Algorithm 708, ACM Transactions on Mathematical
 * Software 18, 1992, equation 9) by Lentz's method as modified by Thompson and Barnett (Numerical
 * Recipes, 3rd edition, section 5.2). `away` is a y - b x. For x up to about the mean no terms
 * cancel. */
static double fraction(double a, double b, double x, double away)
{
    double value = a * (away + 1) / (a + 1), c = value, d = 0, step;

    for (int m = 1; m < 100000; m++) {
        double odd = a + 2 * m - 1,
               above = (a + m - 1) * (a + b + m - 1) / odd * m * (b - m) / odd * x * x;
        double below =
            m + m * (b - m) * x / odd + (a + m) / (a + 2 * m + 1) * (away + 1 + m * (2 - x));

        d = 1 / (below + above * d);
        c = below + above / c;
        step = c * d;
        value *= step;
        if (fabs(step - 1) <= DBL_EPSILON)
            break;
    }
    return 1 / value;
}

/* The integral of the density, relative to the density at x, from x down to where the density has
 * fallen by exp(-45): Gauss-Legendre rule of 16 points (Abramowitz and Stegun table 25.4) on each
 * of 3 parts. For x up to about the mode and a, b >= LARGE, where the density is bell-shaped. */
static double integral(double a, double b, double x, double y)
{
    static const double points[][2] = {
        {0.0950125098376374402, 0.1894506104550684963},
        {0.2816035507792589132, 0.1826034150449235889},
        {0.4580167776572273863, 0.1691565193950025382},
        {0.6178762444026437484, 0.1495959888165767321},
        {0.7554044083550030339, 0.1246289712555338720},
        {0.8656312023878317439, 0.0951585116824927848},
        {0.9445750230732325761, 0.0622535239386478929},
        {0.9894009349916499326, 0.0271524594117540949},
    };
    double slope = product_difference(a - 1, y, b - 1, x) / (x * y),
           bend = (a - 1) / (x * x) + (b - 1) / (y * y);
    double reach = fmin(x, 1.2 * 90 / (fabs(slope) + sqrt(slope * slope + 90 * bend))),
           half = reach / 6, sum = 0;

    for (int part = 0; part < 3; part++)
        for (size_t k = 0; k < 2 * sizeof points / sizeof *points; k++) {
            const double *point = points[k / 2];
            double s = half * (2 * part + 1 + (k % 2 != 0 ? point[0] : -point[0]));
            sum += point[1] *
                   exp((a - 1) * log1p_less(-s / x) + (b - 1) * log1p_less(s / y) - slope * s);
        }
    return sum * half;
}

/* I_x(a, b) for x up to about the mean. */
static double lower(double a, double b, double x, double y)
{
    double factor = prefactor(a, b, x, y);

    if (!(factor > 0))
        return 0;
    if (a >= LARGE && b >= LARGE)
        return factor / (x * y) * integral(a, b, x, y);
    return factor * fraction(a, b, x, product_difference(a, y, b, x));
}

double pf_beta_tail(double a, double b, double x, double y)
{
    double value;

    if (!(x > 0))
        return 0;
    if (!(y > 0))
        return 1;
    value = product_difference(b, x, a, y) <= 0 ? lower(a, b, x, y) : 1 - lower(b, a, y, x);
    return fmin(fmax(value, 0), 1);
}

double pf_student_tail(double t, double freedom)
{
    double ratio = fmin(t, 1e150) / sqrt(freedom), square = ratio * ratio;

    return pf_beta_tail(freedom / 2, 0.5, 1 / (1 + square), square / (1 + square));
}

/* Newton's method on log P as a function of log t, with the slope -2 prefactor / P. The curve is
 * concave, so all values after the first step are greater than the root and fall towards it. The
 * first value is above the root of the normal distribution, whose tail is at most exp(-t^2 / 2):
 * a smaller one could lead to a t whose P is 0. */
double pf_student_quantile(double p, double freedom)
{
    double t = sqrt(-2 * log(p));

    for (int k = 0; k < 100; k++) {
        double square = t / freedom * t, tail = pf_student_tail(t, freedom);
        double slope =
            2 * prefactor(freedom / 2, 0.5, 1 / (1 + square), square / (1 + square)) / tail;
        double step = log(tail / p) / slope;

        t *= exp(step);
        if (fabs(step) < 4 * DBL_EPSILON)
            break;
    }
    return t;
}

/* --- derivatives of the logarithm of the gamma function --------------------------------------- */

/* From here on the first term that a series leaves out is below 1e-16 of the result. */
#define ASYMPTOTIC 15.0

double pf_digamma(double x)
{
    double sum = 0, r;

    for (; x < ASYMPTOTIC; x++)
        sum += 1 / x;
    r = 1 / x / x;
    return log(x) - sum - 0.5 / x -
           r * (1.0 / 12 -
                r * (1.0 / 120 -
                     r * (1.0 / 252 - r * (1.0 / 240 - r * (1.0 / 132 - r * (691.0 / 32760 -
                                                                             r * (1.0 / 12)))))));
}

double pf_trigamma(double x)
{
    double sum = 0, r;

    for (; x < ASYMPTOTIC; x++)
        sum += 1 / x / x;
    r = 1 / x / x;
    return sum + r / 2 +
           (1 + r * (1.0 / 6 - r * (1.0 / 30 -
                                    r * (1.0 / 42 -
                                         r * (1.0 / 30 - r * (5.0 / 66 - r * (691.0 / 2730 -
                                                                              r * (7.0 / 6)))))))) /
               x;
}

/* psi''(x) (Abramowitz and Stegun 6.4.6 and 6.4.13). */
static double tetragamma(double x)
{
    double sum = 0, r;

    for (; x < ASYMPTOTIC; x++)
        sum += 2 / x / x / x;
    r = 1 / x / x;
    return -sum - r / x -
           r * (1 + r * (1.0 / 2 -
                         r * (1.0 / 6 -
                              r * (1.0 / 6 - r * (3.0 / 10 - r * (5.0 / 6 - r * (691.0 / 210)))))));
}

double pf_trigamma_inverse(double value)
{
    /* for small x psi' is about 1 / x^2, for large x 1 / (x - 1/2) */
    double x = value > 1 ? 1 / sqrt(value) : 0.5 + 1 / value, step;

    for (int k = 0; k < 60; k++) {
        double at = pf_trigamma(x);
        step = (1 - at / value) * (at / tetragamma(x));
        x += step;
        /* the error of the new x is about the square of the step */
        if (fabs(step) < 1e-9 * x)
            break;
    }
    return x;
}
