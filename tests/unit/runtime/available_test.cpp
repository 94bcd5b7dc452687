#include "runtime/available.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <limits>

#include <unistd.h>

using namespace pm::runtime;

TEST_CASE("available memory is some of the machine's") {
    const std::size_t all =
        static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    CHECK(available_memory() > (std::size_t{1} << 20));
    CHECK(available_memory() <= all);
}

TEST_CASE("the least limit of the groups around a process") {
    const auto root = std::filesystem::temp_directory_path() / ("groups" + std::to_string(getpid()));
    std::filesystem::create_directories(root / "user" / "job");
    const auto write = [&](const char* group, const char* text) { std::ofstream(root / group / "memory.max") << text; };
    CHECK(group_limit(root, "/user/job") == std::numeric_limits<std::size_t>::max());
    write("user", "5000000\n");
    CHECK(group_limit(root, "/user/job") == 5000000);
    write("user/job", "max\n");
    CHECK(group_limit(root, "/user/job") == 5000000);
    write("user/job", "3000000\n");
    CHECK(group_limit(root, "/user/job") == 3000000);
    CHECK(group_limit(root, "/user") == 5000000);
    CHECK(group_limit(root, "/") == std::numeric_limits<std::size_t>::max());
    std::filesystem::remove_all(root);
}
