#include "compiler/syntax/build/number_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace pm::syntax {
namespace {

/// Whether a number outside of the range of f64 is too small. Otherwise it is too large. The power of ten of the first
/// nonzero digit decides.
bool is_too_small(std::string_view digits) {
    const std::size_t e = digits.find_first_of("eE");
    const std::string_view mantissa = digits.substr(0, e);
    const auto point = static_cast<std::int64_t>(std::min(mantissa.find('.'), mantissa.size()));
    const auto first = static_cast<std::int64_t>(std::min(mantissa.find_first_of("123456789"), mantissa.size()));
    std::int64_t exponent = 0;
    if (e != std::string_view::npos) {
        const char* const from = digits.data() + e + (digits[e + 1] == '+' ? 2 : 1);
        const auto result = std::from_chars(from, digits.data() + digits.size(), exponent);
        if (result.ec == std::errc::result_out_of_range) return *from == '-';
    }
    return exponent < first - point;
}

} // namespace

double parse_double(std::string_view digits) {
    double value = 0;
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (result.ec != std::errc::result_out_of_range) return value;
    return is_too_small(digits) ? 0.0 : HUGE_VAL; // from_chars returns the same error in both cases
}

} // namespace pm::syntax
