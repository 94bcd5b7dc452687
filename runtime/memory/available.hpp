#pragma once
#include <cstddef>
#include <filesystem>

namespace pm::runtime {

/// The bytes that this process may still use: the system's available memory, or less if a control group of the process
/// allows less. If neither is known, returns the size of the machine's whole memory.
std::size_t available_memory();

/// The bytes that the control group `group` may still use. For the group and each of its parents up to `root`, the
/// difference between its limit and its memory in use is computed; the result is the least difference. If no group has
/// a limit, returns the greatest size_t. Pages of the file cache count as free, since the system drops them when it
/// needs memory. Reads control groups of version 2 (`memory.max`) and version 1 (`memory.limit_in_bytes`).
std::size_t group_memory(const std::filesystem::path& root, const std::filesystem::path& group);

} // namespace pm::runtime
