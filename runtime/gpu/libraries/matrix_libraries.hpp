#pragma once
#include "runtime/kernels/lapack.hpp"

#include <memory>
#include <string>
#include <tuple>

// The functions of cuSOLVER and cuBLAS that runtime/gpu/libraries/cuda_matrices.cpp calls. Matrices are stored by
// columns in device memory. Sizes of workspaces are numbers of elements.

namespace pm::runtime::cuda {

// Constants of the libraries.
constexpr int fill_lower = 0, fill_upper = 1;
constexpr int side_right = 1;
constexpr int diagonal_any = 0, diagonal_of_ones = 1;
constexpr int as_it_is = 0, transposed = 1;
constexpr int with_vectors = 1;

/// Throws the Failure for a `status` of `function`: Failure(out_of_memory) or Failure(device_failed).
[[noreturn]] void fail(const std::string& function, int status);

/// A function of a library that returns a status, 0 for success. A call throws a Failure for another status.
template <class... Arguments>
class Routine {
  public:
    void operator()(Arguments... arguments) const {
        if (const int status = call_(arguments...); status != 0) fail(name_, status);
    }
    /// Finds the function in the library. Returns false if the library has no function of that name.
    bool find(void* library, std::string name);

  private:
    std::string name_;
    int (*call_)(Arguments...) = nullptr;
};

/// The functions for matrices of T. For a function that needs a workspace, the function NAME_size returns the size of
/// the workspace.
template <class T>
struct MatrixRoutines {
    using R = lapack::Real<T>;
    Routine<void*, int, int, T*, int, int*> potrf_size;
    Routine<void*, int, int, T*, int, T*, int, int*> potrf;
    Routine<void*, int, int, T*, int, int*> getrf_size;
    Routine<void*, int, int, T*, int, T*, int*, int*> getrf;
    Routine<void*, int, int, T*, int, int*> geqrf_size;
    Routine<void*, int, int, T*, int, T*, T*, int, int*> geqrf;
    Routine<void*, int, int, int, const T*, int, const T*, int*> orgqr_size; ///< ungqr for complex matrices
    Routine<void*, int, int, int, T*, int, const T*, T*, int, int*> orgqr;
    Routine<void*, int, int, int, const T*, int, const R*, int*> syevd_size; ///< heevd for complex matrices
    Routine<void*, int, int, int, T*, int, R*, T*, int, int*> syevd;
    Routine<void*, int, int, int*> gesvd_size;
    Routine<void*, signed char, signed char, int, int, T*, int, R*, T*, int, T*, int, T*, int, R*, int*> gesvd;
    Routine<void*, int, int, int, int, int, int, const T*, const T*, int, T*, int> trsm;
};

/// cuSOLVER and cuBLAS for one queue, with one handle for each library.
class MatrixLibraries {
  public:
    /// Opens the libraries for the queue `stream` of the current context. Returns null if the system has no libraries
    /// of CUDA 12 or 13 that the driver supports. `driver_version` is a result of Driver::version().
    static std::unique_ptr<MatrixLibraries> open(void* stream, int driver_version);
    /// The context of open() must be current.
    ~MatrixLibraries();
    MatrixLibraries(const MatrixLibraries&) = delete;
    MatrixLibraries& operator=(const MatrixLibraries&) = delete;

    void* solver() const { return solver_; }
    void* blas() const { return blas_; }
    template <class T>
    const MatrixRoutines<T>& routines() const {
        return std::get<MatrixRoutines<T>>(all_);
    }

  private:
    MatrixLibraries() = default;
    bool load(int release);
    bool make_handles(void* stream);

    std::tuple<MatrixRoutines<float>, MatrixRoutines<double>, MatrixRoutines<std::complex<float>>,
               MatrixRoutines<std::complex<double>>>
        all_;
    int (*create_solver_)(void** handle) = nullptr;
    int (*destroy_solver_)(void* handle) = nullptr;
    int (*set_solver_stream_)(void* handle, void* stream) = nullptr;
    int (*create_blas_)(void** handle) = nullptr;
    int (*destroy_blas_)(void* handle) = nullptr;
    int (*set_blas_stream_)(void* handle, void* stream) = nullptr;
    void* solver_ = nullptr;
    void* blas_ = nullptr;
};

} // namespace pm::runtime::cuda
