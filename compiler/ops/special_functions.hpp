#pragma once

/// Special functions that the C++ library lacks, or has with shared state. All are total and thread-safe.
namespace pm::ops {

/// The inverse of erf on (-1, 1); infinite at -1 and 1, NaN outside. M. Giles, "Approximating the erfinv function", GPU
/// Computing Gems Jade Edition (2011): the single precision polynomial is evaluated in f32 as XLA does (about 3 ulp),
/// the double one is good to about 3 ulp.
float erf_inv(float x);
double erf_inv(double x);

/// log |gamma(x)|; infinite at 0, -1, -2 ...
double log_gamma(double x);

/// The derivative of log_gamma; NaN at 0, -1, -2 ... J. M. Bernardo, Algorithm AS 103 (1976), with more terms:
/// reflection below 1/2, recurrence up to 10, then the asymptotic series. Good to about 1e-15 away from its roots.
double digamma(double x);

} // namespace pm::ops
