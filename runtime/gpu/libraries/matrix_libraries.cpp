#include "runtime/gpu/libraries/matrix_libraries.hpp"

#include "runtime/gpu/libraries/libraries.hpp"
#include "runtime/kernels/dynamic_library.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <type_traits>
#include <utility>

namespace pm::runtime::cuda {
namespace {

bool of_blas(std::string_view function) { return function.starts_with("cublas"); }

constexpr int solver_allocation_failed = 2;
constexpr int blas_allocation_failed = 3;

/// The name of a status in the libraries' headers.
std::string status_name(std::string_view function, int status) {
    constexpr std::pair<int, const char*> of_solver[] = {
        {1, "NOT_INITIALIZED"}, {3, "INVALID_VALUE"},      {4, "ARCH_MISMATCH"},
        {5, "MAPPING_ERROR"},   {6, "EXECUTION_FAILED"},   {7, "INTERNAL_ERROR"},
        {9, "NOT_SUPPORTED"},   {31, "INVALID_WORKSPACE"}, {8, "MATRIX_TYPE_NOT_SUPPORTED"}};
    constexpr std::pair<int, const char*> of_blas_[] = {
        {1, "NOT_INITIALIZED"},   {7, "INVALID_VALUE"},   {8, "ARCH_MISMATCH"},  {11, "MAPPING_ERROR"},
        {13, "EXECUTION_FAILED"}, {14, "INTERNAL_ERROR"}, {15, "NOT_SUPPORTED"}, {16, "LICENSE_ERROR"}};
    const auto named = [&](const auto& names, const char* prefix) -> std::string {
        for (const auto& [number, name] : names)
            if (number == status) return std::string(prefix) + name;
        return fmt::format("status {}", status);
    };
    return of_blas(function) ? named(of_blas_, "CUBLAS_STATUS_") : named(of_solver, "CUSOLVER_STATUS_");
}

bool allocation_failed(std::string_view function, int status) {
    return status == (of_blas(function) ? blas_allocation_failed : solver_allocation_failed);
}

template <class T>
bool load_routines(void* solver, void* blas, MatrixRoutines<T>& r) {
    constexpr bool complex = !std::is_same_v<T, lapack::Real<T>>;
    constexpr bool small = std::is_same_v<lapack::Real<T>, float>;
    const std::string letter = complex ? (small ? "C" : "Z") : (small ? "S" : "D");
    const auto both = [&](const char* name, auto& size, auto& routine) {
        const std::string full = "cusolverDn" + letter + name;
        return size.find(solver, full + "_bufferSize") && routine.find(solver, full);
    };
    return both("potrf", r.potrf_size, r.potrf) && both("getrf", r.getrf_size, r.getrf) &&
           both("geqrf", r.geqrf_size, r.geqrf) && both(complex ? "ungqr" : "orgqr", r.orgqr_size, r.orgqr) &&
           both(complex ? "heevd" : "syevd", r.syevd_size, r.syevd) && both("gesvd", r.gesvd_size, r.gesvd) &&
           r.trsm.find(blas, "cublas" + letter + "trsm_v2");
}

} // namespace

void fail(const std::string& function, int status) {
    if (allocation_failed(function, status)) fail_for_memory(function);
    fail(function, status_name(function, status));
}

template <class... Arguments>
bool Routine<Arguments...>::find(void* library, std::string name) {
    name_ = std::move(name);
    return find_function(library, name_, call_);
}

bool MatrixLibraries::load(int release) {
    // cuSOLVER itself loads cuBLAS, possibly from cuSOLVER's own folder. The second call of open_library() then finds
    // the cuBLAS that cuSOLVER has loaded.
    void* solver = open_library(fmt::format("libcusolver.so.{}", release - 1).c_str());
    void* blas = solver == nullptr ? nullptr : open_library(fmt::format("libcublas.so.{}", release).c_str());
    return blas != nullptr &&
           std::apply([&](auto&... routines) { return (load_routines(solver, blas, routines) && ...); }, all_) &&
           find_function(solver, "cusolverDnCreate", create_solver_) &&
           find_function(solver, "cusolverDnDestroy", destroy_solver_) &&
           find_function(solver, "cusolverDnSetStream", set_solver_stream_) &&
           find_function(blas, "cublasCreate_v2", create_blas_) &&
           find_function(blas, "cublasDestroy_v2", destroy_blas_) &&
           find_function(blas, "cublasSetStream_v2", set_blas_stream_);
}

/// Creates the handles. Returns false if the driver does not support the libraries.
bool MatrixLibraries::make_handles(void* stream) {
    const auto made = [](const char* function, int status) {
        if (allocation_failed(function, status)) fail(function, status);
        return status == 0;
    };
    return made("cusolverDnCreate", create_solver_(&solver_)) && made("cublasCreate_v2", create_blas_(&blas_)) &&
           made("cusolverDnSetStream", set_solver_stream_(solver_, stream)) &&
           made("cublasSetStream_v2", set_blas_stream_(blas_, stream));
}

std::unique_ptr<MatrixLibraries> MatrixLibraries::open(void* stream, int driver_version) {
    return of_latest_release(driver_version, [&](int release) {
        std::unique_ptr<MatrixLibraries> libraries(new MatrixLibraries);
        if (!libraries->load(release) || !libraries->make_handles(stream)) libraries.reset();
        return libraries;
    });
}

MatrixLibraries::~MatrixLibraries() {
    if (solver_ != nullptr) static_cast<void>(destroy_solver_(solver_));
    if (blas_ != nullptr) static_cast<void>(destroy_blas_(blas_));
}

} // namespace pm::runtime::cuda
