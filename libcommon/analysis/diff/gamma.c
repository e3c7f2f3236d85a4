#include "analysis/diff/gamma.h"

#include <math.h>

/* From here on the first term that a series leaves out is below 1e-16 of the result. */
#define LARGE 15.0

double pf_digamma(double x)
{
    double sum = 0, r;

    for (; x < LARGE; x++)
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

    for (; x < LARGE; x++)
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

    for (; x < LARGE; x++)
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
