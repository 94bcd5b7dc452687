#pragma once
#include "runtime/gpu/device/fourier_transforms.hpp"
#include "runtime/gpu/libraries/libraries.hpp"

namespace pm::runtime::cuda {

/// Transforms by cuFFT. Null if the system does not have cuFFT, or if the driver is too old for it.
std::unique_ptr<DeviceTransforms> open_transforms(const Workplace& place);

} // namespace pm::runtime::cuda
