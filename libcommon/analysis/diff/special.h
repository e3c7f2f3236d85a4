/* Special functions of statistics: the incomplete beta function, Student's t distribution computed
 * from it, and the derivatives of the logarithm of the gamma function. */
#ifndef PF_ANALYSIS_DIFF_SPECIAL_H
#define PF_ANALYSIS_DIFF_SPECIAL_H

/* The regularised incomplete beta function I_x(a, b) (DLMF 8.17). The caller passes y = 1 - x too,
 * so that digits are lost neither near 0 nor near 1. a, b > 0. The relative error is below 2e-13
 * for results from 1e-300 up and a, b up to 1e6; for greater a, b it grows with sqrt(a + b) *
 * 1e-16, which is as much as the rounding of x itself changes the result. Results below 1e-308
 * become 0. */
double pf_beta_tail(double a, double b, double x, double y);

/* P(|T| >= t) for Student's t with `freedom` degrees of freedom, a number >= 1 that need not be
 * whole; t >= 0 (Abramowitz and Stegun 26.7.1 and 26.5.27). Relative error as above; t above 1e150
 * counts as 1e150. */
double pf_student_tail(double t, double freedom);
/* The t with P(|T| >= t) = p; 1e-12 <= p <= 0.5, freedom as above. Relative error below 1e-13. */
double pf_student_quantile(double p, double freedom);

/* psi(x), the first derivative of log Gamma(x) (DLMF 5.15), 1e-100 <= x <= 1e100: the recurrence up
 * to 15, then the asymptotic series (Abramowitz and Stegun 6.3.5 and 6.3.18). The error is below
 * 2e-15 relative to the greater of 1 and |psi(x)|: near its root 1.4616 the result has few digits.
 */
double pf_digamma(double x);

/* psi'(x), the second derivative, in the same way (Abramowitz and Stegun 6.4.6 and 6.4.12);
 * 1e-100 <= x <= 1e100. Relative error below 1e-15. */
double pf_trigamma(double x);

/* The x with psi'(x) = value; 1e-100 <= value <= 1e100. Newton's method on 1 / psi', which is
 * convex (Smyth, Statistical Applications in Genetics and Molecular Biology 3, 2004, appendix).
 * Relative error below 3e-15. */
double pf_trigamma_inverse(double value);

#endif
