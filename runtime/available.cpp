#include "runtime/available.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include <unistd.h>

namespace pm::runtime {
namespace {

constexpr std::size_t unknown = std::numeric_limits<std::size_t>::max();

/// The number a file holds; unknown for "max", or where there is no such file.
std::size_t number_in(const char* path) {
    std::ifstream file(path);
    std::size_t bytes = 0;
    return file >> bytes ? bytes : unknown;
}

std::size_t of_system() {
    std::ifstream file("/proc/meminfo");
    std::string line;
    const std::string name = "MemAvailable:";
    while (std::getline(file, line))
        if (line.starts_with(name)) return std::stoull(line.substr(name.size())) * 1024;
    return unknown;
}

std::size_t left(std::size_t limit, std::size_t used) {
    if (limit == unknown || used == unknown) return unknown;
    return limit > used ? limit - used : 0;
}

} // namespace

std::size_t available_memory() {
    const std::size_t bytes =
        std::min({of_system(), left(number_in("/sys/fs/cgroup/memory.max"), number_in("/sys/fs/cgroup/memory.current")),
                  left(number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
                       number_in("/sys/fs/cgroup/memory/memory.usage_in_bytes"))});
    if (bytes != unknown) return bytes;
    return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

} // namespace pm::runtime
