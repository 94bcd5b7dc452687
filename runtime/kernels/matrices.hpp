#pragma once
#include "runtime/abi.h"
#include "runtime/dtype.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

// Factorizations of large matrices and triangular systems by LAPACK and BLAS. The library is no part of Polymap: the
// first call looks for OpenBLAS, then for the reference implementation, among the system's libraries.

namespace pm::runtime {

/// Whether the system has LAPACK. Without it the kernels below fail, so who compiles asks first.
bool has_lapack();

enum class Factorization : std::uint8_t { cholesky, lu, qr, eigh, svd, eig };
/// Their names, as attributes have them.
constexpr std::array<std::string_view, 6> factorizations{"cholesky", "lu", "qr", "eigh", "svd", "eig"};

/// pm_kernel_factorize: each matrix a[m, n] of a batch, in f32, f64, c64 or c128, row-major. A complex matrix is two
/// arrays, its real part and its imaginary one, and so is each result of complex elements.
///
///   cholesky  a (its lower triangle), n = m: l[n, n]; of NaN where a is not positive
///   lu        n = m: (l below the diagonal and u above [n, n], the row of a that each row is i32[n], the sign of that
///             permutation [], real)
///   qr        (q[m, k], r[k, n]), k = min(m, n), with `full` k = m
///   eigh      a (its lower triangle), n = m: (w[n] increasing, real, v[n, n] with the vectors in columns)
///   eig       n = m: (the eigenvalues [2, n] in LAPACK's order, v[2, n, n] with vectors of length 1 in columns), of
///             real matrices too their real parts, then the imaginary ones
///   svd       (u[m, k], s[min(m, n)] decreasing, real, vh[k, n]), k = min(m, n), with `full` u[m, m] and vh[n, n]
///
/// NaN everywhere where eigh, eig or svd get what is not finite or do not converge. Failure(bad_argument) where LAPACK
/// cannot count its workspace: from some 32000 rows (eigh) or 23000 (svd) on. buffers: a, then the results, none of
/// them a's memory. attributes: factorize_attributes(). Returns 0, or 1 when the call was abandoned. A factorization
/// that takes long runs on a thread of its own and in memory of its own: when the call is abandoned it is left to
/// itself, since LAPACK cannot be stopped.
struct FactorizeSpec {
    Factorization kind = Factorization::cholesky;
    DType dtype = DType::f32;
    bool full = false;
    bool parallel = false; ///< the batch is shared out among the workers
    std::int64_t batch = 1, m = 0, n = 0;

    std::int64_t rank() const { return m < n ? m : n; }
    std::int64_t columns() const { return full ? m : rank(); } ///< of q and u
    std::int64_t vectors() const { return full ? n : rank(); } ///< rows of vh
    /// What a result is made of: elements of the matrix's dtype, of its part type, or i32.
    enum class Of : std::uint8_t { matrix, reals, rows };
    struct Result {
        std::int64_t size = 0; ///< for one matrix
        Of of = Of::matrix;
    };
    /// With sizes of 0 behind the last one.
    std::array<Result, 3> results() const;

    /// Floating-point operations that one matrix takes, about.
    double work() const;
    /// Bytes of each of the buffers, of which so many are read and the others written.
    std::vector<std::size_t> bytes() const;
    std::size_t operands() const { return is_complex(dtype) ? 2 : 1; }
};
/// The same for a host; `call` may be null, and then nothing stops it. False: abandoned. Throws Failure.
bool factorize(PmCall* call, const FactorizeSpec& spec, void* const* buffers);
std::vector<std::int64_t> factorize_attributes(const FactorizeSpec& spec);
FactorizeSpec factorize_spec(const std::int64_t* attributes);

/// pm_kernel_triangular: x[n, m] with t x = b (`transposed`: with t's transpose, not conjugate) for each triangular
/// t[n, n] and b[n, m] of a batch, in f32, f64, c64 or c128. Only t's triangle is read, without its diagonal when that
/// is of ones (`unit`). buffers: t, b, x, which may be b's memory, of complex numbers two of each. attributes:
/// triangular_attributes(). CancellationFlags as pm_kernel_factorize does.
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
