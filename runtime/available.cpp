#include "runtime/available.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include <unistd.h>

namespace pm::runtime {
namespace {

constexpr std::size_t unknown = std::numeric_limits<std::size_t>::max();

/// What a line of the file says after `name`; nothing: there is no such line or file.
std::string after(const char* path, std::string_view name) {
    std::ifstream file(path);
    std::string line;
    while (std::getline(file, line))
        if (line.starts_with(name)) return line.substr(name.size());
    return {};
}

std::size_t of_system() {
    const std::string kilobytes = after("/proc/meminfo", "MemAvailable:");
    return kilobytes.empty() ? unknown : std::stoull(kilobytes) * 1024;
}

} // namespace

std::size_t group_limit(const std::filesystem::path& root, const std::filesystem::path& group) {
    std::size_t least = unknown;
    for (std::filesystem::path at = group.relative_path();; at = at.parent_path()) {
        std::ifstream file(root / at / "memory.max");
        std::size_t bytes = 0;
        if (file >> bytes) least = std::min(least, bytes); // "max" is no number
        if (at.empty()) return least;
    }
}

std::size_t available_memory() {
    const std::size_t bytes = std::min(of_system(), group_limit("/sys/fs/cgroup", after("/proc/self/cgroup", "0::")));
    if (bytes != unknown) return bytes;
    return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

} // namespace pm::runtime
