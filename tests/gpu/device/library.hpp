#pragma once
#include "tests/gpu/driver/cuda.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>

#include <dlfcn.h>

namespace pm::runtime {

/// The driver that the device of the runtime finds: a function of it for what a host does beside, null where it has
/// none of that name.
template <class Function>
Function* find_in_driver(const char* name) {
    static void* const library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    return library == nullptr ? nullptr : reinterpret_cast<Function*>(::dlsym(library, name));
}
template <class Function>
Function* of_driver(Function*, const char* name) {
    Function* const found = find_in_driver<Function>(name);
    const bool is_found = found != nullptr;
    REQUIRE(is_found);
    return found;
}

/// Whether the GPU is the interpreter of PTX. It counts calls and fails where it is told to, no other process has
/// memory of it, and the libraries for it are stand-ins. Tests of this are left out on a GPU.
inline bool interpreted() {
    static const bool is = find_in_driver<long(const char*)>("pm_interpreter_calls") != nullptr;
    return is;
}

/// For those who look at the tests: what a GPU or a library of it has not. Each is said once.
inline void tell(const std::string& what) {
    static std::set<std::string> said;
    if (said.insert(what).second) std::printf("%s\n", what.c_str());
}

/// Whether a library is there, as it must be with PM_TEST_LIBRARIES.
inline bool is_there(const void* library, const char* name) {
    if (library != nullptr) return true;
    REQUIRE(std::getenv("PM_TEST_LIBRARIES") == nullptr);
    tell(std::string("left out: there is no ") + name);
    return false;
}

/// For calls that nothing interrupts.
inline bool never() { return false; }

} // namespace pm::runtime

#define PM_OF_DRIVER(name) pm::runtime::of_driver(static_cast<decltype(&::name)>(nullptr), #name)
/// Calls of a function of the driver; 0 on a GPU, which does not count them.
#define PM_CALLS(function) (pm::runtime::interpreted() ? PM_OF_DRIVER(pm_interpreter_calls)(function) : 0L)
/// A test, or a check, of what only the interpreter promises.
#define PM_TEST_OF_INTERPRETER(name) TEST_CASE(name* doctest::skip(!pm::runtime::interpreted()))
#define PM_CHECK_INTERPRETED(...)                                                                                      \
    do {                                                                                                               \
        if (pm::runtime::interpreted()) CHECK(__VA_ARGS__);                                                            \
    } while (false)
