#pragma once
#include <array>

/// Special functions that the C++ library does not have, or has only with shared state. All these functions are
/// thread-safe and defined for all arguments.
namespace pm::ops {

/// The inverse of erf on (-1, 1). It is infinite at -1 and 1, and NaN outside. The source is M. Giles, "Approximating
/// the erfinv function", GPU Computing Gems Jade Edition (2011). The single precision polynomial is evaluated in f32 as
/// in XLA, with an error of about 3 ulp. The double precision polynomial also has an error of about 3 ulp.
float erf_inv(float x);
double erf_inv(double x);

/// log |gamma(x)|. It is infinite at 0, -1, -2 ...
double log_gamma(double x);

/// The derivative of log_gamma. It is NaN at 0, -1, -2 ... The algorithm is AS 103 (J. M. Bernardo, 1976) with more
/// terms: reflection below 1/2, recurrence up to 10, then the asymptotic series. From 1 to 2, digamma() uses
/// DigammaNearZero. The error is about 1e-15. From 1 to 2 this is the relative error. Near the zeros at negative x,
/// digits are lost.
double digamma(double x);

/// From 1 to 2, digamma(x) is (x - zero - rest) times a polynomial of x - 1.5. `series` has the coefficients, lowest
/// power first. digamma is 0 at zero + rest, and this form loses no digits near that point. Boost.Math
/// (digamma_imp_1_2) and Cephes use the same form with rational functions. The polynomial is interpolated with 60
/// digits (tests/oracle/digamma.py). Its relative error is below 8e-17.
struct DigammaNearZero {
    static constexpr double zero = 1.4616321449683622, rest = 9.549995429965697e-17;
    static constexpr std::array<double, 22> series{
        0.951055876031833,      -0.4236274212814605,    0.2405424842407742,    -0.14840492305390884,
        0.09498872445494122,    -0.061922133273064534,  0.04076083381242074,   -0.02697579675613825,
        0.0179072524394512,     -0.011908218001568644,  0.007926944646403797,  -0.005279964873257405,
        0.003519006401502276,   -0.002345267632540769,  0.0015566317474486838, -0.0010376374098418604,
        0.0007233266279287554,  -0.0004821990530566789, 0.0002272331660987376, -0.00015148586836773365,
        0.00025968482126430747, -0.00017312261802727394};
};

} // namespace pm::ops
