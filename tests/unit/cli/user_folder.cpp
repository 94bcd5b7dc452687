// The folder for the user's files, such as the history of the prompt.
#include "compiler/cli/user_folder.hpp"

#include <doctest/doctest.h>

#include <cstdlib>

namespace {

/// The folder for these values of PM_TEST_HOME and HOME; nullptr means that the variable is not set.
std::string folder_with(const char* variable, const char* home) {
    const auto set = [](const char* name, const char* value) {
        if (value == nullptr)
            ::unsetenv(name);
        else
            ::setenv(name, value, 1);
    };
    const char* before = std::getenv("HOME");
    const std::string kept = before == nullptr ? "" : before;
    set("PM_TEST_HOME", variable);
    set("HOME", home);
    std::string folder = pm::cli::user_folder("PM_TEST_HOME", ".local/state");
    set("PM_TEST_HOME", nullptr);
    set("HOME", before == nullptr ? nullptr : kept.c_str());
    return folder;
}

} // namespace

TEST_CASE("only an absolute path is accepted as the folder of the user") {
    CHECK(folder_with("/s", "/home/u") == "/s");
    for (const char* none : {static_cast<const char*>(nullptr), "", "relative", "./s", "~/s"}) {
        CHECK(folder_with(none, "/home/u") == "/home/u/.local/state");
        CHECK(folder_with("/s", none) == "/s");
        CHECK(folder_with(none, none).empty());
    }
}
