#pragma once
#include "runtime/gpu/arrange.hpp"
#include "runtime/gpu/cuda_driver.hpp"
#include "runtime/gpu/matrices.hpp"

namespace pm::runtime::cuda {

/// The matrices of `device` by cuSOLVER and cuBLAS; null where the system has them not. `stream` is the device's queue,
/// in `context`; `arranging` makes the kernels of Arranger when they are needed. All of it outlives what is returned.
std::unique_ptr<DeviceMatrices> open_matrices(Device& device, const Driver& driver, void* context, void* stream,
                                              const std::function<std::shared_ptr<const Kernels>()>& arranging);

} // namespace pm::runtime::cuda
