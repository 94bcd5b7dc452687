#include "runtime/gpu/libraries.hpp"

#include <fmt/format.h>

namespace pm::runtime::cuda {

void fail_for_memory(const std::string& function) {
    throw Failure(FailureKind::out_of_memory, fmt::format("the GPU has no memory left ({})", function));
}

void fail(const std::string& function, const std::string& what) {
    throw Failure(FailureKind::device_failed, fmt::format("the GPU failed in {}: {}", function, what),
                  "the driver may refuse all work from now on: start again");
}

} // namespace pm::runtime::cuda
