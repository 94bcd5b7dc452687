#pragma once
#include "runtime/gpu/device/convolutions.hpp"
#include "runtime/gpu/libraries/libraries.hpp"

namespace pm::runtime::cuda {

/// Convolutions by cuDNN; null where the system has it not, or the driver is too old for it.
std::unique_ptr<DeviceConvolutions> open_convolutions(const Workplace& place);

} // namespace pm::runtime::cuda
