#pragma once
#include "runtime/kernels/lapack.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

// Common to the stand-ins of NVIDIA's libraries: handles, device memory, LAPACK.

namespace pm::libraries {

using runtime::lapack::Int;
using runtime::lapack::Real;

/// An error of the caller.
struct CallerError : std::runtime_error {
    using std::runtime_error::runtime_error;
};
inline void require(bool holds, const char* what) {
    if (!holds) throw CallerError(what);
}

/// Statuses of a library.
struct Statuses {
    int not_initialized, invalid_value, no_memory;
};

/// The device memory that a handle uses, in the current context: PM_CUDA_LIBRARIES_MEMORY bytes, or none.
class OwnMemory {
  public:
    OwnMemory() = default;
    OwnMemory(const OwnMemory&) = delete;
    OwnMemory& operator=(const OwnMemory&) = delete;
    /// False if there is too little memory.
    bool take();
    void give_back();

  private:
    std::uint64_t address_ = 0;
};

/// The status with which this call of a function must fail, or 0. PM_CUDA_LIBRARIES_FAIL has NAME:N:CODE,... for the
/// Nth call of a function. Not thread-safe.
int failure_of(const std::string& function);

int create(const char* function, void** handle, const Statuses& statuses);
int destroy(const char* function, void* handle, const Statuses& statuses);
int set_stream(const char* function, void* handle, void* stream, const Statuses& statuses);

/// Does `work` with the handle's stream, unless the call must fail (PM_CUDA_LIBRARIES_FAIL). Prints the message of a
/// CallerError to stderr.
int run(const std::string& function, void* handle, const Statuses& statuses,
        const std::function<void(void* stream)>& work);
/// The same for a library whose handles need no stream. The stream may be null.
int run_in_any(const std::string& function, void* handle, const Statuses& statuses,
               const std::function<void(void* stream)>& work);

void read(void* to, const void* device, std::size_t bytes, void* stream, const char* what);
void write(void* device, const void* from, std::size_t bytes, void* stream);

/// A copy of an array in device memory, all of which must be allocated.
template <class T>
class Held {
  public:
    Held(T* device, std::size_t count, void* stream, const char* what)
        : device_(device), stream_(stream), elements_(count) {
        static_assert(alignof(T) <= 16);
        require(reinterpret_cast<std::size_t>(device) % sizeof(Real<std::remove_const_t<T>>) == 0, what);
        if (count > 0) read(elements_.data(), device, count * sizeof(T), stream, what);
    }
    auto* data() { return elements_.data(); }
    auto& all() { return elements_; }
    /// Writes the copy to the device.
    void put() {
        if (!elements_.empty()) write(device_, elements_.data(), elements_.size() * sizeof(T), stream_);
    }

  private:
    T* device_;
    void* stream_;
    std::vector<std::remove_const_t<T>> elements_;
};

void* driver_function(const char* name);
template <class F>
F* of_driver(F* /*of the type*/, const char* name) {
    return reinterpret_cast<F*>(driver_function(name));
}
/// A function of tests/gpu/driver/cuda.hpp in the loaded driver.
#define PM_OF_DRIVER(name) pm::libraries::of_driver(static_cast<decltype(&::name)>(nullptr), #name)

void* lapack_function(const std::string& name);
/// `name` of LAPACK for T: "potrf" is spotrf_.
template <class T, class F>
F* lapack(F* /*of the type*/, const std::string& name) {
    constexpr bool complex = !std::is_same_v<T, Real<T>>;
    constexpr bool small = std::is_same_v<Real<T>, float>;
    return reinterpret_cast<F*>(lapack_function((complex ? (small ? "c" : "z") : (small ? "s" : "d")) + name + "_"));
}
#define PM_LAPACK_OF(T, member, name)                                                                                  \
    pm::libraries::lapack<T>(decltype(pm::runtime::lapack::Functions<T>::member)(nullptr), name)

} // namespace pm::libraries

#define PM_LIBRARY extern "C" __attribute__((visibility("default"))) int
