#include "runtime/gpu/driver/cuda_driver.hpp"

#include "runtime/failure.hpp"
#include "runtime/kernels/dynamic_library.hpp"

#include <fmt/format.h>

namespace pm::runtime::cuda {
namespace {

constexpr const char* library_name = "libcuda.so.1";

} // namespace

Driver::Driver() {
    void* library = open_library(library_name);
    if (library == nullptr)
        throw Failure(FailureKind::no_device,
                      fmt::format("no GPU: there is no driver of NVIDIA ({})", why_not_opened()),
                      "run on the processor with --devices=cpu");
    const auto find = [&](const char* symbol, auto& function) {
        if (!find_function(library, symbol, function))
            throw Failure(FailureKind::no_device,
                          fmt::format("no GPU: NVIDIA's driver is too old, it has no {}", symbol),
                          "install version 545 or later");
    };
#define FUNCTION(name, symbol, arguments) find(#symbol, name);
#include "runtime/gpu/driver/driver.def"
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
    if (error == error_out_of_memory) fail_for_memory(function);
    fail(function, describe(error));
}

void fail_for_memory(const std::string& function) {
    throw Failure(FailureKind::out_of_memory, fmt::format("the GPU has no memory left ({})", function));
}

void fail(const std::string& function, const std::string& what) {
    throw Failure(FailureKind::device_failed, fmt::format("the GPU failed in {}: {}", function, what),
                  "the driver may refuse all work from now on: start again");
}

} // namespace pm::runtime::cuda
