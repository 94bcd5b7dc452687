#pragma once

#include "tests/gpu/driver/thread.hpp"

#include <span>

namespace pm::ptx {

constexpr std::uint32_t warp_size = 32;

/// Whether two waiting threads are at the same operation: the same name and modifiers, at any place in the code.
bool same_warp_operation(const Thread& a, const Thread& b);
/// Computes the results of a warp operation for its members and lets them continue. By lane; null for a lane that does
/// not wait.
void run_warp_operation(std::span<Thread* const> lanes);

} // namespace pm::ptx
