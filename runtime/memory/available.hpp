#pragma once
#include <cstddef>
#include <filesystem>

namespace pm::runtime {

/// Bytes that this process may still take: what the system calls available, or what a control group that it is in
/// leaves where that is less. The machine's whole memory where the system does not say.
std::size_t available_memory();

/// The least that a control group and those around it up to `root` leave of their limits; the greatest number where
/// there is none. Files that a group has in memory are not taken off: they go when somebody needs the room. Groups of
/// version 2 (`memory.max`) and of version 1 (`memory.limit_in_bytes`).
std::size_t group_memory(const std::filesystem::path& root, const std::filesystem::path& group);

} // namespace pm::runtime
