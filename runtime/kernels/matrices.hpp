#pragma once
#include "runtime/abi.h"
#include "runtime/dtype.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

// Factorizes large matrices and solves triangular systems, with LAPACK and BLAS. LAPACK is not part of Polymap. The
// first call looks for OpenBLAS, then for the reference implementation, among the system's libraries.

namespace pm::runtime {

/// Whether the system has LAPACK. The kernels below fail without LAPACK, so the compiler calls this function first.
bool has_lapack();

enum class Factorization : std::uint8_t { cholesky, lu, qr, eigh, svd, eig };
/// The names of the factorizations, as in attributes.
constexpr std::array<std::string_view, 6> factorizations{"cholesky", "lu", "qr", "eigh", "svd", "eig"};

/// pm_kernel_factorize: factorizes each matrix a[m, n] of a batch, in f32, f64, c64 or c128, row-major. A complex
/// matrix or result is two arrays: the real parts and the imaginary parts.
///
///   cholesky  n = m; reads the lower triangle of a. Result: l[n, n], NaN if a is not positive definite.
///   lu        n = m. Results: one matrix [n, n] with l below the diagonal and u on and above the diagonal; the
///             permutation p i32[n] with a[p] = l u; the sign of p [], which is real.
///   qr        Results: q[m, k]; r[k, n]. k is m if `full` is true, otherwise min(m, n).
///   eigh      n = m; reads the lower triangle of a. Results: w[n], real and increasing; v[n, n], with the vectors in
///             columns.
///   eig       n = m. Results: the eigenvalues [2, n] in LAPACK's order; v[2, n, n], with vectors of length 1 in
///             columns. The first axis has the real parts, then the imaginary parts, even if the matrix is real.
///   svd       Results: u[m, k]; s[min(m, n)], real and decreasing; vh[k, n]. k is min(m, n). If `full` is true, the
///             shapes are u[m, m] and vh[n, n] instead.
///
/// All results of eigh, eig and svd are NaN if the matrix is not finite or the algorithm does not converge. Throws
/// Failure(bad_argument) if LAPACK's integers cannot hold the size of the workspace. For eigh this happens from some
/// 32000 rows on, for svd from some 23000 rows on.
///
/// buffers: a, then the results; no result shares a's memory. attributes: factorize_attributes().
/// Returns 0, or 1 if the call was abandoned. A long factorization runs on a separate thread, with separate memory. If
/// the call is abandoned, the factorization continues on that thread, since LAPACK cannot be stopped.
struct FactorizeSpec {
    Factorization kind = Factorization::cholesky;
    DType dtype = DType::f32;
    bool full = false;
    bool parallel = false; ///< true if several workers share the batch
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
    /// The size of each buffer in bytes. The kernel reads the first operands() buffers and writes the others.
    std::vector<std::size_t> bytes() const;
    std::size_t operands() const { return is_complex(dtype) ? 2 : 1; }
};
/// Factorizes in host memory. If `call` is null, the factorization cannot be stopped. Returns false if the call was
/// abandoned. Throws Failure.
bool factorize(PmCall* call, const FactorizeSpec& spec, void* const* buffers);
std::vector<std::int64_t> factorize_attributes(const FactorizeSpec& spec);
FactorizeSpec factorize_spec(const std::int64_t* attributes);

/// pm_kernel_triangular: solves t x = b for x[n, m], for each triangular t[n, n] and b[n, m] of a batch, in f32, f64,
/// c64 or c128. If `transposed` is true, t is transposed but not conjugated. Only one triangle of t is read: the lower
/// triangle if `lower` is true, otherwise the upper triangle. If `unit` is true, the diagonal counts as ones and is not
/// read. buffers: t, b, x; x may share the memory of b. Complex operands are two arrays each. attributes:
/// triangular_attributes(). An abandoned call stops as in pm_kernel_factorize.
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
