#pragma once

#include "tests/gpu/driver/thread.hpp"

#include <span>

namespace pm::ptx {

constexpr std::uint32_t warp_size = 32;

/// Whether two waiting threads are at the same operation: the same name and modifiers, wherever it stands.
bool same_meeting(const Thread& a, const Thread& b);
/// Gives the members of a warp's operation their results and lets them go on. By lane; null where no thread waits.
void meet(std::span<Thread* const> lanes);

} // namespace pm::ptx
