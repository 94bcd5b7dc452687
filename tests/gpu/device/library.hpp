#pragma once
#include "tests/gpu/driver/cuda.hpp"

#include <doctest/doctest.h>

#include <dlfcn.h>

namespace pm::runtime {

/// The driver that the device of the runtime finds: functions of it for what a host does beside.
template <class Function>
Function* of_driver(Function*, const char* name) {
    static void* const library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    REQUIRE(library != nullptr);
    void* const found = ::dlsym(library, name);
    REQUIRE(found != nullptr);
    return reinterpret_cast<Function*>(found);
}

} // namespace pm::runtime

#define PM_OF_DRIVER(name) pm::runtime::of_driver(static_cast<decltype(&::name)>(nullptr), #name)
