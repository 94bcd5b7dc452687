#pragma once
#include <string_view>

namespace pm::syntax {

/// The value of the digits of a float: "1", "1.5", "2e-3". Infinity if it exceeds f64, 0 if it is too small. The text
/// must be such digits, without a sign.
double parse_double(std::string_view digits);

} // namespace pm::syntax
