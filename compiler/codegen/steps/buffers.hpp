#pragma once
#include "compiler/plan/program/program.hpp"

#include <cstdint>

namespace pm::codegen {

/// The widest access of one instruction of a GPU, in bytes.
inline constexpr std::int64_t widest_access = 16;
/// The known alignment of a buffer in bytes: the greatest common divisor of widest_access, the offset of the buffer and
/// its strides. The memory that contains the buffer begins at a multiple of widest_access.
std::int64_t alignment_of(const plan::Buffer& buffer);
/// The bytes from a lane's part of a buffer to the next lane's part; 0 if all lanes share the buffer.
std::int64_t lane_stride(const plan::Buffer& buffer);

} // namespace pm::codegen
