#pragma once
#include "runtime/dtype.hpp"

#include <cstdint>

namespace pm::runtime {

/// Converts n elements by the rules of element.hpp. The memory of `source` and of `target` must not overlap.
void convert_elements(DType from, const void* source, DType to, void* target, std::int64_t n);

} // namespace pm::runtime
