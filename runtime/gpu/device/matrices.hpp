#pragma once
#include "runtime/kernels/matrices.hpp"

#include <functional>

namespace pm::runtime {

/// Factorizations and triangular systems in device memory: the operations of runtime/kernels/matrices.hpp with buffers
/// that are device addresses. run() queues an operation. For some operations it returns only when they are done.
/// Several threads may use the object.
class DeviceMatrices {
  public:
    virtual ~DeviceMatrices() = default;
    DeviceMatrices(const DeviceMatrices&) = delete;
    DeviceMatrices& operator=(const DeviceMatrices&) = delete;

    /// Whether the libraries' integers can count the elements of the matrices, and whether the libraries have the
    /// operation.
    static bool counts(const FactorizeSpec& spec);
    static bool counts(const TriangularSpec& spec);

    /// Factorizes or solves a batch. `leave` is polled before each matrix of the batch. If `leave` returns true, run()
    /// ends and returns false.
    virtual bool run(const FactorizeSpec& spec, void* const* buffers, const std::function<bool()>& leave) = 0;
    virtual bool run(const TriangularSpec& spec, void* const* buffers, const std::function<bool()>& leave) = 0;

  protected:
    DeviceMatrices() = default;
};

} // namespace pm::runtime
