#include "runtime/available.hpp"

#include <doctest/doctest.h>

#include <unistd.h>

TEST_CASE("available memory is some of the machine's") {
    const std::size_t all =
        static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    CHECK(pm::runtime::available_memory() > 0);
    CHECK(pm::runtime::available_memory() <= all);
}
