#pragma once
#include "tests/gpu/driver/cuda.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>

#include <dlfcn.h>

namespace pm::runtime {

/// A function of the driver that the runtime's device uses, for calls that a host makes besides. Null if the driver has
/// no such function.
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

/// Whether the GPU is the interpreter of PTX. The interpreter counts calls, fails on request, shares its memory with no
/// other process, and has stand-ins for the libraries. Tests of these properties are skipped on a GPU.
inline bool interpreted() {
    static const bool is = find_in_driver<long(const char*)>("pm_interpreter_calls") != nullptr;
    return is;
}

/// Prints a feature that a GPU or its library lacks, for readers of the test's output. Prints each text once.
inline void report(const std::string& what) {
    static std::set<std::string> said;
    if (said.insert(what).second) std::printf("%s\n", what.c_str());
}

/// Whether a library exists. With PM_TEST_LIBRARIES a missing library fails the test.
inline bool is_there(const void* library, const char* name) {
    if (library != nullptr) return true;
    REQUIRE(std::getenv("PM_TEST_LIBRARIES") == nullptr);
    report(std::string("left out: there is no ") + name);
    return false;
}

/// For calls that nothing interrupts.
inline bool never() { return false; }

} // namespace pm::runtime

#define PM_OF_DRIVER(name) pm::runtime::of_driver(static_cast<decltype(&::name)>(nullptr), #name)
/// The number of calls of a function of the driver; 0 on a GPU, which does not count calls.
#define PM_CALLS(function) (pm::runtime::interpreted() ? PM_OF_DRIVER(pm_interpreter_calls)(function) : 0L)
/// A test, or a check, of behaviour that only the interpreter guarantees.
#define PM_TEST_OF_INTERPRETER(name) TEST_CASE(name* doctest::skip(!pm::runtime::interpreted()))
#define PM_CHECK_INTERPRETED(...)                                                                                      \
    do {                                                                                                               \
        if (pm::runtime::interpreted()) CHECK(__VA_ARGS__);                                                            \
    } while (false)
