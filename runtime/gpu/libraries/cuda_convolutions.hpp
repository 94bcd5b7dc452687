#pragma once
#include "runtime/gpu/device/convolutions.hpp"
#include "runtime/gpu/libraries/libraries.hpp"

namespace pm::runtime::cuda {

/// Opens cuDNN, which computes convolutions. Returns null if the system does not have cuDNN, or if the driver is too
/// old for cuDNN.
std::unique_ptr<DeviceConvolutions> open_convolutions(const Workplace& place);

} // namespace pm::runtime::cuda
