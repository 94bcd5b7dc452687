#pragma once
#include <string_view>

namespace pm::syntax {

/// The value of a float. `digits` must have the form "1", "1.5" or "2e-3", without a sign. The result is infinity if
/// the value is too large for f64, and 0 if it is too small.
double parse_double(std::string_view digits);

} // namespace pm::syntax
