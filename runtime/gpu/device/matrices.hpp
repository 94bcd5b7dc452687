#pragma once
#include "runtime/kernels/matrices.hpp"

#include <functional>

namespace pm::runtime {

/// Factorizations and triangular systems of matrices in a device's memory: what runtime/kernels/matrices.hpp has for
/// those in the host's, with buffers that are addresses of the device. They are put into its queue; some wait until
/// they are done. Safe to use from several threads.
class DeviceMatrices {
  public:
    virtual ~DeviceMatrices() = default;
    DeviceMatrices(const DeviceMatrices&) = delete;
    DeviceMatrices& operator=(const DeviceMatrices&) = delete;

    /// Whether the integers of the libraries count the elements of its matrices.
    static bool counts(const FactorizeSpec& spec);
    static bool counts(const TriangularSpec& spec);

    /// False when `leave`, which is asked before each matrix of the batch, said so.
    virtual bool run(const FactorizeSpec& spec, void* const* buffers, const std::function<bool()>& leave) = 0;
    virtual bool run(const TriangularSpec& spec, void* const* buffers, const std::function<bool()>& leave) = 0;

  protected:
    DeviceMatrices() = default;
};

} // namespace pm::runtime
