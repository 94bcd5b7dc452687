#pragma once
#include <complex>
#include <cstddef>
#include <cstdint>

// The functions of LAPACK and BLAS that kernels/matrices.cpp calls. They have the interface of Fortran: all arguments
// are addresses, and matrices are stored by columns.

namespace pm::runtime::lapack {

using Text = const char*;
using Length = std::size_t; // the length of each text argument; the lengths follow all other arguments
using Int = std::int32_t;

/// The type of the real and imaginary parts of T: float or double.
template <class T>
struct Part {
    using Type = T;
};
template <class R>
struct Part<std::complex<R>> {
    using Type = R;
};
template <class T>
using Real = typename Part<T>::Type;

/// Functions with the same parameters for real and complex matrices.
template <class T>
struct Common {
    void (*potrf)(Text uplo, const Int* n, T* a, const Int* lda, Int* info, Length) = nullptr;
    void (*getrf)(const Int* m, const Int* n, T* a, const Int* lda, Int* pivots, Int* info) = nullptr;
    void (*geqrf)(const Int* m, const Int* n, T* a, const Int* lda, T* tau, T* work, const Int* lwork,
                  Int* info) = nullptr;
    /// The function orgqr, or ungqr for complex matrices.
    void (*orgqr)(const Int* m, const Int* n, const Int* k, T* a, const Int* lda, const T* tau, T* work,
                  const Int* lwork, Int* info) = nullptr;
    void (*trsm)(Text side, Text uplo, Text trans, Text diag, const Int* m, const Int* n, const T* alpha, const T* a,
                 const Int* lda, T* b, const Int* ldb, Length, Length, Length, Length) = nullptr;
};

/// Functions that take an additional real workspace for complex matrices.
template <class T>
struct Functions : Common<T> {
    void (*syevd)(Text jobz, Text uplo, const Int* n, T* a, const Int* lda, T* w, T* work, const Int* lwork, Int* iwork,
                  const Int* liwork, Int* info, Length, Length) = nullptr;
    void (*gesdd)(Text jobz, const Int* m, const Int* n, T* a, const Int* lda, T* s, T* u, const Int* ldu, T* vt,
                  const Int* ldvt, T* work, const Int* lwork, Int* iwork, Int* info, Length) = nullptr;
    void (*geev)(Text jobvl, Text jobvr, const Int* n, T* a, const Int* lda, T* wr, T* wi, T* vl, const Int* ldvl,
                 T* vr, const Int* ldvr, T* work, const Int* lwork, Int* info, Length, Length) = nullptr;
};
template <class R>
struct Functions<std::complex<R>> : Common<std::complex<R>> {
    using T = std::complex<R>;
    void (*heevd)(Text jobz, Text uplo, const Int* n, T* a, const Int* lda, R* w, T* work, const Int* lwork, R* rwork,
                  const Int* lrwork, Int* iwork, const Int* liwork, Int* info, Length, Length) = nullptr;
    void (*gesdd)(Text jobz, const Int* m, const Int* n, T* a, const Int* lda, R* s, T* u, const Int* ldu, T* vt,
                  const Int* ldvt, T* work, const Int* lwork, R* rwork, Int* iwork, Int* info, Length) = nullptr;
    void (*geev)(Text jobvl, Text jobvr, const Int* n, T* a, const Int* lda, T* w, T* vl, const Int* ldvl, T* vr,
                 const Int* ldvr, T* work, const Int* lwork, R* rwork, Int* info, Length, Length) = nullptr;
};

/// Whether the system has LAPACK: OpenBLAS or the reference implementation. The first call searches for OpenBLAS first.
bool there();

/// The functions for T: float, double, or complex numbers of float or double. Throws Failure(bad_argument) if the
/// system does not have LAPACK.
template <class T>
const Functions<T>& functions();

} // namespace pm::runtime::lapack
