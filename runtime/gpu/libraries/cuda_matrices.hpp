#pragma once
#include "runtime/gpu/device/matrices.hpp"
#include "runtime/gpu/libraries/arrange.hpp"
#include "runtime/gpu/libraries/libraries.hpp"

namespace pm::runtime::cuda {

/// Opens cuSOLVER and cuBLAS, which factorize matrices and solve triangular systems. Returns null if the system does
/// not have these libraries. `arranging` loads the kernels of Arranger when they are needed.
std::unique_ptr<DeviceMatrices> open_matrices(const Workplace& place,
                                              const std::function<std::shared_ptr<const Kernels>()>& arranging);

} // namespace pm::runtime::cuda
