#include "analysis/diff/advice.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

int pf_advice_spread(const struct pf_moderated_row *rows, size_t count, double *spread)
{
    double *variances = malloc((count + 1) * sizeof *variances);
    size_t tested = 0;

    *spread = 0;
    if (!variances)
        return PF_NOMEM;
    for (size_t k = 0; k < count; k++)
        if (rows[k].tested)
            variances[tested++] = rows[k].variance;
    if (tested > 0) {
        qsort(variances, tested, sizeof *variances, compare_doubles);
        *spread =
            expm1(M_LN2 * (sqrt(variances[(tested - 1) / 2]) + sqrt(variances[tested / 2])) / 2);
    }
    free(variances);
    return PF_OK;
}

/* True if the fitted prior has at least 1 degree of freedom, or if the table is too small for a
 * prior. */
static bool fits(const struct pf_moderated *fit)
{
    return fit->rows > 0 && (fit->unbounded || fit->rows < 3 || fit->prior >= 1);
}

bool pf_advice_power(struct pf_diff_advice *advice, const struct pf_moderated *fit,
                     const struct pf_moderated_row *rows, size_t count, double mean)
{
    struct pf_power power = {.table = fit};

    if (!fits(fit))
        return false;
    power.variance = pf_moderated_prior_at(rows, count, mean);
    power.p = fmax(1e-12, 0.05 / (double)fit->rows);
    advice->rise = pf_power_rise(&power, fit->before, fit->after);
    advice->runs = pf_power_runs(&power, 1.1);
    return true;
}

double pf_advice_above(const struct pf_moderated *fit, const struct pf_moderated_row *rows,
                       size_t count, double mean, double bound, double p)
{
    const struct pf_power power = {.table = fit,
                                   .variance = pf_moderated_prior_at(rows, count, mean),
                                   .p = fmin(0.5, fmax(1e-12, 2 * p))};

    return fits(fit) ? bound * pf_power_rise(&power, fit->before, fit->after) : 0;
}
