#pragma once
#include "compiler/plan/program/program.hpp"

#include <cstdint>

namespace pm::codegen {

/// The greatest access of one instruction of a GPU, in bytes.
inline constexpr std::int64_t widest_access = 16;
/// The greatest divisor of the address of a buffer that is known, in bytes, at most widest_access: the memory that it
/// lies in begins at a multiple of that.
std::int64_t alignment_of(const plan::Buffer& buffer);
/// Bytes from a lane's part of a buffer to the next lane's; 0 when all lanes share it.
std::int64_t lane_stride(const plan::Buffer& buffer);

} // namespace pm::codegen
