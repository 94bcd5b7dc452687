#include "runtime/gpu/cuda_driver.hpp"

#include "runtime/failure.hpp"

#include <dlfcn.h>

#include <fmt/format.h>

namespace pm::runtime::cuda {
namespace {

constexpr const char* library_name = "libcuda.so.1";

} // namespace

Driver::Driver() {
    void* library = ::dlopen(library_name, RTLD_NOW | RTLD_LOCAL); // stays: the driver cannot be unloaded
    if (library == nullptr)
        throw Failure(FailureKind::no_device, fmt::format("no GPU: there is no driver of NVIDIA ({})", library_name),
                      "run on the processor with --devices=cpu");
    const auto find = [&](const char* symbol) {
        void* found = ::dlsym(library, symbol);
        if (found == nullptr)
            throw Failure(FailureKind::no_device,
                          fmt::format("no GPU: NVIDIA's driver is too old, it has no {}", symbol),
                          "install version 545 or later");
        return found;
    };
#define FUNCTION(name, symbol, arguments) name = reinterpret_cast<decltype(name)>(find(#symbol));
#include "runtime/gpu/driver.def"
#undef FUNCTION
}

int Driver::version() const {
    int known = 0;
    expect(driver_version(&known), "cuDriverGetVersion");
    return known;
}

std::string Driver::describe(int error) const {
    const char* short_name = nullptr;
    const char* long_text = nullptr;
    if (error_name(error, &short_name) != 0 || short_name == nullptr) return fmt::format("error {}", error);
    if (error_text(error, &long_text) != 0 || long_text == nullptr) return short_name;
    return fmt::format("{}: {}", short_name, long_text);
}

void Driver::expect(int error, const char* function) const {
    if (error == 0) return;
    if (error == error_out_of_memory)
        throw Failure(FailureKind::out_of_memory, fmt::format("the GPU has no memory left ({})", function));
    throw Failure(FailureKind::device_failed, fmt::format("the GPU failed in {}: {}", function, describe(error)),
                  "the driver may refuse all work from now on: start again");
}

} // namespace pm::runtime::cuda
