#pragma once
#include "runtime/gpu/device/convolutions.hpp"
#include "runtime/gpu/libraries/libraries.hpp"

namespace pm::runtime::cuda {

/// Convolutions by cuDNN. Null if the system does not have cuDNN, or if the driver is too old for it.
std::unique_ptr<DeviceConvolutions> open_convolutions(const Workplace& place);

} // namespace pm::runtime::cuda
