#pragma once
#include "tests/fuzz/program.hpp"

#include <functional>

namespace pm::fuzz {

/// The smallest program found that still has the property, which the first must have: statements go, expressions
/// become parts of themselves or constants, sizes become small. Ends when nothing more can go, or after `seconds`.
Program shrink(Program program, const std::function<bool(const Program&)>& still, double seconds);

} // namespace pm::fuzz
