#pragma once
#include "runtime/gpu/device/transforms.hpp"
#include "runtime/gpu/libraries/libraries.hpp"

namespace pm::runtime::cuda {

/// Transforms by cuFFT; null where the system has it not, or the driver is too old for it.
std::unique_ptr<DeviceTransforms> open_transforms(const Workplace& place);

} // namespace pm::runtime::cuda
