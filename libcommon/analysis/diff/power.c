/* The power of the moderated t test: see the end of moderated.h. */
#include "analysis/diff/moderated.h"
#include "analysis/diff/special.h"

#include <math.h>

static const double wanted = 0.8; /* the probability with which a rise is to be found */

/* A comparison: the power is the mean over `root` of P(T > quantile - shift * root) for Student's
 * T, or, if `normal`, of P(Z > quantile * root - shift) for a normal Z. */
enum { NODES = 241 };
struct comparison {
    bool normal;
    double freedom, quantile, error;
    double roots[NODES], weights[NODES];
};

/* P(T >= t), for t of either sign. */
static double student_above(double t, double freedom)
{
    double tail = pf_student_tail(fabs(t), freedom) / 2;

    return t >= 0 ? tail : 1 - tail;
}

/* Nodes of the trapezoidal rule for the variable z, evenly spaced within 12 standard deviations.
 * Normal: z is the logarithm of chi-square, else the logarithm of B / (1 - B). Both have means and
 * variances in terms of psi and psi'. */
static void set_nodes(struct comparison *comparison, double prior, double residual)
{
    const double a = comparison->normal ? comparison->freedom / 2 : prior / 2, b = residual / 2;
    const double mean = pf_digamma(a) + (comparison->normal ? log(2) : -pf_digamma(b)),
                 spread = sqrt(pf_trigamma(a) + (comparison->normal ? 0 : pf_trigamma(b)));
    const double at_mean = comparison->normal ? a * mean - exp(mean) / 2
                                              : a * mean - (a + b) * log1p(exp(mean));
    double sum = 0;

    for (int k = 0; k < NODES; k++) {
        double z = mean + spread * 12 * (2.0 * k / (NODES - 1) - 1), density;
        if (comparison->normal) {
            density = a * z - exp(z) / 2;
            comparison->roots[k] = exp(z / 2) / sqrt(comparison->freedom);
        } else {
            /* exp(z) overflows from 709 on, where B is 1 */
            density = z < 700 ? a * z - (a + b) * log1p(exp(z)) : -b * z;
            comparison->roots[k] = sqrt((prior + residual) / prior / (1 + exp(-z)));
        }
        sum += comparison->weights[k] = exp(density - at_mean);
    }
    for (int k = 0; k < NODES; k++)
        comparison->weights[k] /= sum;
}

static void set_comparison(struct comparison *comparison, const struct pf_power *power,
                           size_t before, size_t after)
{
    const double residual = (double)(before + after - 2);

    comparison->freedom = residual * fmax((double)power->table->rows, 1);
    if (!power->table->unbounded)
        comparison->freedom = fmin(comparison->freedom, power->table->prior + residual);
    /* beyond 1e8 the densities at the nodes would lose digits, and the bound makes no difference */
    comparison->normal = power->table->unbounded || !(power->table->prior > 0) ||
                         power->table->prior > 1e8;
    comparison->quantile = pf_student_quantile(power->p, comparison->freedom);
    comparison->error = sqrt(power->variance * (1 / (double)before + 1 / (double)after));
    set_nodes(comparison, power->table->prior, residual);
}

/* The power if the row's change is `shift` times the standard error. */
static double power_at(const struct comparison *comparison, double shift)
{
    double sum = 0;

    for (int k = 0; k < NODES; k++) {
        double root = comparison->roots[k], chance;
        if (comparison->weights[k] < 1e-12)
            continue;
        chance = comparison->normal
                     ? erfc((comparison->quantile * root - shift) * M_SQRT1_2) / 2
                     : student_above(comparison->quantile - shift * root, comparison->freedom);
        sum += comparison->weights[k] * chance;
    }
    return sum;
}

double pf_power_of(const struct pf_power *power, size_t before, size_t after, double change)
{
    struct comparison comparison;

    set_comparison(&comparison, power, before, after);
    return power_at(&comparison, comparison.error > 0 ? change / comparison.error : change * 1e300);
}

double pf_power_rise(const struct pf_power *power, size_t before, size_t after)
{
    struct comparison comparison;
    double low = 0, high = 1;

    set_comparison(&comparison, power, before, after);
    while (power_at(&comparison, high) < wanted && comparison.error * high < 1022) {
        low = high;
        high *= 2;
    }
    while (high - low > high * 1e-6) {
        double middle = low + (high - low) / 2;
        if (power_at(&comparison, middle) < wanted)
            low = middle;
        else
            high = middle;
    }
    return exp2(fmin(comparison.error * high, 1022));
}

size_t pf_power_runs(const struct pf_power *power, double ratio)
{
    const double change = log2(ratio);
    size_t low = 2, high = 3;

    while (high < PF_POWER_RUNS && pf_power_of(power, high, high, change) < wanted) {
        low = high;
        high = high * 2 < PF_POWER_RUNS ? high * 2 : PF_POWER_RUNS;
    }
    if (pf_power_of(power, high, high, change) < wanted)
        return 0;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (pf_power_of(power, middle, middle, change) < wanted)
            low = middle;
        else
            high = middle;
    }
    return high;
}
