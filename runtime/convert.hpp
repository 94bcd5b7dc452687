#pragma once
#include "runtime/dtype.hpp"

#include <cstdint>

namespace pm::runtime {

/// Converts n elements as write_* in element.hpp do. The buffers do not overlap.
void convert_elements(DType from, const void* source, DType to, void* target, std::int64_t n);

} // namespace pm::runtime
