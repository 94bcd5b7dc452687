// The functions of cuBLAS that the runtime calls, computed by BLAS on copies of device memory. Names, arguments and
// numbers are those of NVIDIA's cublas_api.h.
#include "tests/gpu/libraries/device.hpp"

#include <algorithm>

using namespace pm::libraries;

namespace {

constexpr Statuses statuses{.not_initialized = 1, .invalid_value = 7, .no_memory = 3};

template <class T>
int trsm(const char* function, void* handle, int side, int uplo, int trans, int diag, int m, int n, const T* alpha,
         const T* a, int lda, T* b, int ldb) {
    return run(function, handle, statuses, [&](void* stream) {
        require(side >= 0 && side <= 1 && uplo >= 0 && uplo <= 1 && trans >= 0 && trans <= 2 && diag >= 0 && diag <= 1,
                "no such form");
        const int k = side == 1 ? n : m;
        require(m >= 0 && n >= 0 && lda >= std::max(1, k) && ldb >= std::max(1, m), "sizes");
        Held<const T> of_a(a, static_cast<std::size_t>(lda) * static_cast<std::size_t>(k), stream, "A");
        Held<T> of_b(b, static_cast<std::size_t>(ldb) * static_cast<std::size_t>(n), stream, "B");
        const char *sides[] = {"L", "R"}, *fills[] = {"L", "U"}, *operations[] = {"N", "T", "C"},
                   *diagonals[] = {"N", "U"};
        PM_LAPACK_OF(T, trsm, "trsm")
        (sides[side], fills[uplo], operations[trans], diagonals[diag], &m, &n, alpha, of_a.data(), &lda, of_b.data(),
         &ldb, 1, 1, 1, 1);
        of_b.put();
    });
}

} // namespace

PM_LIBRARY cublasCreate_v2(void** handle) { return create("cublasCreate_v2", handle, statuses); }
PM_LIBRARY cublasDestroy_v2(void* handle) { return destroy("cublasDestroy_v2", handle, statuses); }
PM_LIBRARY cublasSetStream_v2(void* handle, void* stream) {
    return set_stream("cublasSetStream_v2", handle, stream, statuses);
}

#define TYPE(L, T)                                                                                                     \
    PM_LIBRARY cublas##L##trsm_v2(void* handle, int side, int uplo, int trans, int diag, int m, int n, const T* alpha, \
                                  const T* a, int lda, T* b, int ldb) {                                                \
        return trsm<T>("cublas" #L "trsm_v2", handle, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb);           \
    }
TYPE(S, float)
TYPE(D, double)
TYPE(C, std::complex<float>)
TYPE(Z, std::complex<double>)
