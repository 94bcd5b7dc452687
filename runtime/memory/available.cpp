#include "runtime/memory/available.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <string>

#include <unistd.h>

namespace pm::runtime {
namespace {

constexpr std::size_t unknown = std::numeric_limits<std::size_t>::max();

/// The text after `name` in the first line that begins with `name`. Returns an empty text if there is no such line or
/// no such file.
std::string after(const std::filesystem::path& path, std::string_view name) {
    std::ifstream file(path);
    std::string line;
    while (std::getline(file, line))
        if (line.starts_with(name)) return line.substr(name.size());
    return {};
}

/// The number after `name` in the first line that begins with `name`. `name` may be empty. If no number follows `name`
/// (for example "max" follows), returns `otherwise`.
std::size_t number_in(const std::filesystem::path& path, std::string_view name, std::size_t otherwise) {
    const std::string text = after(path, name);
    const bool number = !text.empty() && text.front() >= '0' && text.front() <= '9';
    return number ? std::stoull(text) : otherwise;
}

std::size_t of_system() {
    const std::string kilobytes = after("/proc/meminfo", "MemAvailable:");
    return kilobytes.empty() ? unknown : std::stoull(kilobytes) * 1024;
}

/// The names of files in one version of control groups, and the names of the lines of `memory.stat` that count the file
/// cache.
struct GroupFiles {
    const char* limit;
    const char* used;
    std::array<const char*, 2> files;
};
constexpr std::array versions{
    GroupFiles{"memory.max", "memory.current", {"inactive_file ", "active_file "}},
    GroupFiles{"memory.limit_in_bytes", "memory.usage_in_bytes", {"total_inactive_file ", "total_active_file "}}};

std::size_t available_in(const std::filesystem::path& folder, const GroupFiles& names) {
    const std::size_t limit = number_in(folder / names.limit, "", unknown);
    if (limit == unknown) return unknown;
    std::size_t used = number_in(folder / names.used, "", 0);
    for (const char* line : names.files) used -= std::min(used, number_in(folder / "memory.stat", line, 0));
    return limit - std::min(limit, used);
}

} // namespace

std::size_t group_memory(const std::filesystem::path& root, const std::filesystem::path& group) {
    std::size_t least = unknown;
    for (std::filesystem::path at = group.relative_path();; at = at.parent_path()) {
        for (const GroupFiles& names : versions) least = std::min(least, available_in(root / at, names));
        if (at.empty()) return least;
    }
}

std::size_t available_memory() {
    const std::filesystem::path group = "/proc/self/cgroup";
    std::size_t bytes = std::min(of_system(), group_memory("/sys/fs/cgroup", after(group, "0::")));
    // Version 1 has a tree for each controller: "4:memory:/user/job".
    constexpr std::string_view controller = ":memory:";
    std::ifstream file(group);
    for (std::string line; std::getline(file, line);)
        if (const std::size_t at = line.find(controller); at != std::string::npos)
            bytes = std::min(bytes, group_memory("/sys/fs/cgroup/memory", line.substr(at + controller.size())));
    if (bytes != unknown) return bytes;
    return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

} // namespace pm::runtime
