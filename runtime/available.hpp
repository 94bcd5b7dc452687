#pragma once
#include <cstddef>
#include <filesystem>

namespace pm::runtime {

/// Bytes that this process may still take: what the system calls available, or the limit of a control group that it is
/// in where that is less. The machine's whole memory where the system does not say.
std::size_t available_memory();

/// The least limit of a control group (version 2) and of those around it up to `root`; the greatest number where there
/// is none. What a group has used is not taken off: it counts files that the system keeps only while nobody needs the
/// room.
std::size_t group_limit(const std::filesystem::path& root, const std::filesystem::path& group);

} // namespace pm::runtime
