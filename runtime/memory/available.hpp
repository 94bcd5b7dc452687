#pragma once
#include <cstddef>
#include <filesystem>

namespace pm::runtime {

/// Bytes that this process may still use: the system's available memory, or less if a control group of the process
/// allows less. If the system does not report its available memory, the whole memory of the machine.
std::size_t available_memory();

/// The least number of bytes that remain below a limit, over a control group and its parents up to `root`; the greatest
/// number if there is no limit. Pages of the file cache count as free, since the system drops them when it needs
/// memory. Reads groups of version 2 (`memory.max`) and version 1 (`memory.limit_in_bytes`).
std::size_t group_memory(const std::filesystem::path& root, const std::filesystem::path& group);

} // namespace pm::runtime
