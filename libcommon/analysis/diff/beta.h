/* The incomplete beta function, and Student's t on top of it. */
#ifndef PF_ANALYSIS_DIFF_BETA_H
#define PF_ANALYSIS_DIFF_BETA_H

/* Regularised incomplete beta I_x(a, b), with y = 1 - x given as well so that neither end loses
 * digits; a, b > 0 (DLMF 8.17). Relative error below 2e-13 for results from 1e-300 up and a, b up
 * to 1e6; beyond that it grows with sqrt(a + b) * 1e-16 (what the rounding of x itself is worth).
 * Less than 1e-308 becomes 0. */
double pf_beta_tail(double a, double b, double x, double y);

/* P(|T| >= t) for Student's t with that many degrees of freedom, >= 1, not necessarily whole; t >=
 * 0 (Abramowitz and Stegun 26.7.1 and 26.5.27). Relative error as above; beyond t = 1e150 the
 * result is that at 1e150. */
double pf_student_tail(double t, double freedom);
/* The t with P(|T| >= t) = p; 1e-12 <= p <= 0.5, degrees of freedom as above. Relative error below
 * 1e-13. */
double pf_student_quantile(double p, double freedom);

#endif
