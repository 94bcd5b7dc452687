#pragma once
#include "runtime/array.hpp"

#include <functional>
#include <memory>
#include <string>

namespace pm::runtime {

/// The PNG file (ISO/IEC 15948) of pixels u8[height, width] (gray) or u8[height, width, channels]: 1 channel is gray, 2
/// are gray and opacity, 3 are red, green and blue, 4 also opacity. `poll` is called regularly and may throw. The
/// packed pixels are charged to `account` while they grow. Throws Failure(bad_argument) for other arrays,
/// Failure(memory_limit).
std::string png_of(const Array& pixels, const std::function<void()>& poll = {},
                   const std::shared_ptr<Allocator>& account = {});

} // namespace pm::runtime
