#pragma once
#include "runtime/gpu/device/fourier_transforms.hpp"
#include "runtime/gpu/libraries/libraries.hpp"

namespace pm::runtime::cuda {

/// Opens cuFFT, which computes Fourier transforms. Returns null if the system does not have cuFFT, or if the driver is
/// too old for cuFFT.
std::unique_ptr<DeviceTransforms> open_transforms(const Workplace& place);

} // namespace pm::runtime::cuda
