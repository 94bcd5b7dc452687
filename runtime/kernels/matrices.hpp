#pragma once
#include "runtime/abi.h"
#include "runtime/dtype.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

// Factorizations of large matrices and triangular systems by LAPACK and BLAS. The library is not part of Polymap. The
// first call looks for OpenBLAS, then for the reference implementation, among the system's libraries.

namespace pm::runtime {

/// Whether the system has LAPACK. The kernels below fail without it, so the compiler checks this first.
bool has_lapack();

enum class Factorization : std::uint8_t { cholesky, lu, qr, eigh, svd, eig };
/// The names of the factorizations, as in attributes.
constexpr std::array<std::string_view, 6> factorizations{"cholesky", "lu", "qr", "eigh", "svd", "eig"};

/// pm_kernel_factorize: factorizes each matrix a[m, n] of a batch, in f32, f64, c64 or c128, row-major. A complex
/// matrix or result is two arrays: the real parts and the imaginary parts.
///
///   cholesky  a (its lower triangle), n = m: l[n, n]; NaN if a is not positive definite
///   lu        n = m: (l below the diagonal and u on and above it [n, n], the permutation p i32[n] with a[p] = l u,
///             the sign of p [], real)
///   qr        (q[m, k], r[k, n]), k = min(m, n), with `full` k = m
///   eigh      a (its lower triangle), n = m: (w[n] increasing, real, v[n, n] with the vectors in columns)
///   eig       n = m: (the eigenvalues [2, n] in LAPACK's order, v[2, n, n] with vectors of length 1 in columns);
///             the real parts are first, then the imaginary parts, also for real matrices
///   svd       (u[m, k], s[min(m, n)] decreasing, real, vh[k, n]), k = min(m, n), with `full` u[m, m] and vh[n, n]
///
/// All results of eigh, eig and svd are NaN if the matrix is not finite or the algorithm does not converge.
/// Failure(bad_argument) if LAPACK's integers cannot count the workspace: from some 32000 rows (eigh) or 23000 (svd)
/// on.
///
/// buffers: a, then the results; no result shares a's memory. attributes: factorize_attributes().
/// Returns 0, or 1 when the call was abandoned. A long factorization has a separate thread and memory. If the call is
/// abandoned, the factorization continues on that thread, since LAPACK cannot be stopped.
struct FactorizeSpec {
    Factorization kind = Factorization::cholesky;
    DType dtype = DType::f32;
    bool full = false;
    bool parallel = false; ///< workers share the batch
    std::int64_t batch = 1, m = 0, n = 0;

    std::int64_t rank() const { return m < n ? m : n; }
    std::int64_t columns() const { return full ? m : rank(); } ///< columns of q and u
    std::int64_t vectors() const { return full ? n : rank(); } ///< rows of vh
    /// The element type of a result: the matrix's dtype, its part type, or i32.
    enum class Of : std::uint8_t { matrix, reals, rows };
    struct Result {
        std::int64_t size = 0; ///< elements for one matrix
        Of of = Of::matrix;
    };
    /// The results in order. Entries after the last result have size 0.
    std::array<Result, 3> results() const;

    /// Approximate floating-point operations for one matrix.
    double work() const;
    /// Bytes of each of the buffers. The first operands() buffers are read, the others written.
    std::vector<std::size_t> bytes() const;
    std::size_t operands() const { return is_complex(dtype) ? 2 : 1; }
};
/// Factorizes in host memory. With a null `call` the factorization cannot be stopped. False when the call was
/// abandoned. Throws Failure.
bool factorize(PmCall* call, const FactorizeSpec& spec, void* const* buffers);
std::vector<std::int64_t> factorize_attributes(const FactorizeSpec& spec);
FactorizeSpec factorize_spec(const std::int64_t* attributes);

/// pm_kernel_triangular: x[n, m] with t x = b for each triangular t[n, n] and b[n, m] of a batch, in f32, f64, c64 or
/// c128. If `transposed` is true, t is transposed but not conjugated. Only the triangle of t is read; if `unit` is
/// true, its diagonal counts as ones and is not read. buffers: t, b, x; x may be the memory of b. Complex operands are
/// two arrays each. attributes: triangular_attributes(). It stops as pm_kernel_factorize does.
struct TriangularSpec {
    DType dtype = DType::f32;
    bool lower = false, transposed = false, unit = false;
    bool parallel = false;
    std::int64_t batch = 1, n = 0, m = 0;

    double work() const;
    std::vector<std::size_t> bytes() const;
    std::size_t operands() const { return is_complex(dtype) ? 4 : 2; }
};
bool solve_triangular(PmCall* call, const TriangularSpec& spec, void* const* buffers);
std::vector<std::int64_t> triangular_attributes(const TriangularSpec& spec);
TriangularSpec triangular_spec(const std::int64_t* attributes);

} // namespace pm::runtime
