#include "runtime/memory/available.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <limits>

#include <unistd.h>

using namespace pm::runtime;

TEST_CASE("available memory is at most the memory of the machine") {
    const std::size_t all =
        static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    CHECK(available_memory() > (std::size_t{1} << 20));
    CHECK(available_memory() <= all);
}

TEST_CASE("available memory is the least remaining memory of the process's control groups") {
    const auto root = std::filesystem::temp_directory_path() / ("groups" + std::to_string(getpid()));
    std::filesystem::create_directories(root / "user" / "job");
    const auto write = [&](const char* file, const char* text) { std::ofstream(root / file) << text; };
    CHECK(group_memory(root, "/user/job") == std::numeric_limits<std::size_t>::max());
    write("user/memory.max", "5000000\n");
    CHECK(group_memory(root, "/user/job") == 5000000);
    write("user/job/memory.max", "max\n");
    CHECK(group_memory(root, "/user/job") == 5000000);
    write("user/job/memory.max", "3000000\n");
    CHECK(group_memory(root, "/user/job") == 3000000);
    CHECK(group_memory(root, "/user") == 5000000);
    CHECK(group_memory(root, "/") == std::numeric_limits<std::size_t>::max());
    // Memory for cached files counts as available.
    write("user/memory.current", "4500000\n");
    CHECK(group_memory(root, "/user/job") == 500000);
    write("user/memory.stat", "anon 1\ninactive_file 1000000\nactive_file 500000\n");
    CHECK(group_memory(root, "/user/job") == 2000000);
    write("user/memory.current", "9000000\n");
    CHECK(group_memory(root, "/user/job") == 0);
    std::filesystem::remove_all(root / "user");
    // Control groups of version 1.
    std::filesystem::create_directories(root / "user");
    write("memory.limit_in_bytes", "9223372036854771712\n");
    write("user/memory.limit_in_bytes", "7000000\n");
    write("user/memory.usage_in_bytes", "2000000\n");
    write("user/memory.stat", "inactive_file 7\ntotal_inactive_file 400000\ntotal_active_file 600000\n");
    CHECK(group_memory(root, "/user") == 6000000);
    std::filesystem::remove_all(root);
}
