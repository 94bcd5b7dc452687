#pragma once
#include "tests/fuzz/program.hpp"

#include <functional>

namespace pm::fuzz {

/// Returns the smallest program found that still has the property, which `program` must have. Statements are removed,
/// expressions become parts of themselves or constants, and sizes become small. Ends when nothing more can be removed,
/// or after `seconds`.
Program shrink(Program program, const std::function<bool(const Program&)>& still, double seconds);

} // namespace pm::fuzz
