#pragma once
#include "runtime/gpu/cuda_driver.hpp"
#include "runtime/gpu/device.hpp"
#include "runtime/gpu/transforms.hpp"

namespace pm::runtime::cuda {

/// The transforms of `device` by cuFFT; null where the system has it not, or the driver is too old for it. `stream` is
/// the device's queue, in `context`. All of it outlives what is returned.
std::unique_ptr<DeviceTransforms> open_transforms(Device& device, const Driver& driver, void* context, void* stream);

} // namespace pm::runtime::cuda
