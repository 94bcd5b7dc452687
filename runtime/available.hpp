#pragma once
#include <cstddef>

namespace pm::runtime {

/// Bytes that this process may still take without memory of others being swapped out or the process being ended: what
/// the system calls available, or what is left of the control group's limit where that is less. The machine's whole
/// memory where the system does not say.
std::size_t available_memory();

} // namespace pm::runtime
