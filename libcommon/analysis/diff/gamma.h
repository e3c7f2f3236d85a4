/* The derivatives of the logarithm of the gamma function (DLMF 5.15). */
#ifndef PF_ANALYSIS_DIFF_GAMMA_H
#define PF_ANALYSIS_DIFF_GAMMA_H

/* psi(x), the first derivative of log Gamma(x), 1e-100 <= x <= 1e100: the recurrence up to 15, then
 * the asymptotic series (Abramowitz and Stegun 6.3.5 and 6.3.18). The error is below 2e-15 relative
 * to the greater of 1 and |psi(x)|: near its root 1.4616 the result has few digits. */
double pf_digamma(double x);

/* psi'(x), the second derivative, in the same way (Abramowitz and Stegun 6.4.6 and 6.4.12);
 * 1e-100 <= x <= 1e100. Relative error below 1e-15. */
double pf_trigamma(double x);

/* The x with psi'(x) = value; 1e-100 <= value <= 1e100. Newton's method on 1 / psi', which is
 * convex (Smyth, Statistical Applications in Genetics and Molecular Biology 3, 2004, appendix).
 * Relative error below 3e-15. */
double pf_trigamma_inverse(double value);

#endif
