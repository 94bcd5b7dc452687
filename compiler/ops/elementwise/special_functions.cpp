#include "compiler/ops/elementwise/special_functions.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace pm::ops {
namespace {

template <class T, std::size_t N>
T polynomial(const std::array<T, N>& coefficients, T w) {
    T p = coefficients[0];
    for (std::size_t i = 1; i < N; ++i) p = coefficients[i] + p * w;
    return p;
}

constexpr std::array<float, 9> single_centre = {2.81022636e-08F,  3.43273939e-07F, -3.5233877e-06F,
                                                -4.39150654e-06F, 0.00021858087F,  -0.00125372503F,
                                                -0.00417768164F,  0.246640727F,    1.50140941F};
constexpr std::array<float, 9> single_tail = {-0.000200214257F, 0.000100950558F, 0.00134934322F,
                                              -0.00367342844F,  0.00573950773F,  -0.0076224613F,
                                              0.00943887047F,   1.00167406F,     2.83297682F};

constexpr std::array<double, 23> double_centre = {
    -3.6444120640178196996e-21, -1.685059138182016589e-19,  1.2858480715256400167e-18,  1.115787767802518096e-17,
    -1.333171662854620906e-16,  2.0972767875968561637e-17,  6.6376381343583238325e-15,  -4.0545662729752068639e-14,
    -8.1519341976054721522e-14, 2.6335093153082322977e-12,  -1.2975133253453532498e-11, -5.4154120542946279317e-11,
    1.051212273321532285e-09,   -4.1126339803469836976e-09, -2.9070369957882005086e-08, 4.2347877827932403518e-07,
    -1.3654692000834678645e-06, -1.3882523362786468719e-05, 0.0001867342080340571352,   -0.00074070253416626697512,
    -0.0060336708714301490533,  0.24015818242558961693,     1.6536545626831027356};
constexpr std::array<double, 19> double_middle = {
    2.2137376921775787049e-09,  9.0756561938885390979e-08, -2.7517406297064545428e-07, 1.8239629214389227755e-08,
    1.5027403968909827627e-06,  -4.013867526981545969e-06, 2.9234449089955446044e-06,  1.2475304481671778723e-05,
    -4.7318229009055733981e-05, 6.8284851459573175448e-05, 2.4031110387097893999e-05,  -0.0003550375203628474796,
    0.00095328937973738049703,  -0.0016882755560235047313, 0.0024914420961078508066,   -0.0037512085075692412107,
    0.005370914553590063617,    1.0052589676941592334,     3.0838856104922207635};
constexpr std::array<double, 17> double_tail = {
    -2.7109920616438573243e-11, -2.5556418169965252055e-10, 1.5076572693500548083e-09,  -3.7894654401267369937e-09,
    7.6157012080783393804e-09,  -1.4960026627149240478e-08, 2.9147953450901080826e-08,  -6.7711997758452339498e-08,
    2.2900482228026654717e-07,  -9.9298272942317002539e-07, 4.5260625972231537039e-06,  -1.9681778105531670567e-05,
    7.5995277030017761139e-05,  -0.00021503011930044477347, -0.00013871931833623122026, 1.0103004648645343977,
    4.8499064014085844221};

} // namespace

float erf_inv(float x) {
    if (std::fabs(x) == 1.0F) return x * std::numeric_limits<float>::infinity();
    const auto w = static_cast<float>(-std::log(static_cast<double>(std::fma(-x, x, 1.0F))));
    if (w < 5.0F) return polynomial(single_centre, w - 2.5F) * x;
    return polynomial(single_tail, std::sqrt(w) - 3.0F) * x;
}

double erf_inv(double x) {
    if (std::fabs(x) == 1.0) return x * std::numeric_limits<double>::infinity();
    const double w = -std::log(std::fma(-x, x, 1.0)); // fma rounds once, so no digits are lost near |x| = 1
    if (w < 6.25) return polynomial(double_centre, w - 3.125) * x;
    if (w < 16.0) return polynomial(double_middle, std::sqrt(w) - 3.25) * x;
    return polynomial(double_tail, std::sqrt(w) - 5.0) * x;
}

double log_gamma(double x) {
    int sign = 0; // std::lgamma would store the sign in a global variable
    return ::lgamma_r(x, &sign);
}

double digamma(double x) {
    if (x <= 0 && x == std::floor(x)) return std::numeric_limits<double>::quiet_NaN();
    double reflected = 0;
    if (x < 0.5) { // pi / tan(pi x) has period 1; x is first reduced by it, so no digits are lost
        const double part = x - std::nearbyint(x);
        reflected = std::numbers::pi / std::tan(std::numbers::pi * part);
        x = 1 - x;
    }
    if (x > 1 && x < 2) {
        using Near = DigammaNearZero;
        double series = 0;
        for (auto c = Near::series.rbegin(); c != Near::series.rend(); ++c) series = std::fma(series, x - 1.5, *c);
        return (x - Near::zero - Near::rest) * series - reflected;
    }
    double sum = 0;
    for (; x < 10; x += 1) sum += 1 / x;
    const double r = 1 / (x * x);
    // Bernoulli numbers: B_2k / (2k x^2k)
    const double series =
        r *
        (1.0 / 12 -
         r * (1.0 / 120 - r * (1.0 / 252 - r * (1.0 / 240 - r * (1.0 / 132 - r * (691.0 / 32760 - r * (1.0 / 12)))))));
    return std::log(x) - 0.5 / x - series - sum - reflected;
}

} // namespace pm::ops
