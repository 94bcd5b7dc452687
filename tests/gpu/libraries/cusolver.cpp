// The functions of cuSOLVER that the runtime calls, computed by LAPACK on copies of device memory. Names, arguments and
// numbers are those of NVIDIA's cusolverDn.h. Contents that NVIDIA leaves undefined are NaN.
#include "tests/gpu/libraries/device.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace pm::libraries;

namespace {

constexpr Statuses statuses{.not_initialized = 1, .invalid_value = 3, .no_memory = 2};
constexpr const char* fills[] = {"L", "U"};

std::size_t area(int lead, int columns) { return static_cast<std::size_t>(lead) * static_cast<std::size_t>(columns); }

/// Sizes of workspaces in elements. The sizes are arbitrary; a caller must provide as much.
int plain_work(int m, int n) { return 64 + 3 * std::max(m, n); }
int square_work(int m, int n) { return 64 + 2 * m * n; }

template <class T>
constexpr T undefined = std::numeric_limits<Real<T>>::quiet_NaN();

/// The workspace, and the word for the status of the computation.
template <class T>
class Workspace {
  public:
    Workspace(T* work, int size, int needed, int* info, void* stream)
        : work_(work, static_cast<std::size_t>(std::max(size, 0)), stream, "the workspace"),
          info_(info, 1, stream, "info") {
        require(size >= needed, "a smaller workspace than was asked for");
    }
    void put(Int info) {
        std::fill(work_.all().begin(), work_.all().end(), undefined<T>);
        work_.put();
        *info_.data() = info;
        info_.put();
    }

  private:
    Held<T> work_;
    Held<int> info_;
};

void require_matrix(int m, int n, int lda) { require(m >= 0 && n >= 0 && lda >= std::max(1, m), "sizes"); }

template <class T>
void require_finite(const std::vector<T>& all) {
    require(std::all_of(all.begin(), all.end(),
                        [](T x) { return std::isfinite(std::real(x)) && std::isfinite(std::imag(x)); }),
            "a matrix that is not finite may keep it from coming to an end");
}

/// Calls f(work, size of work) twice. The first call asks LAPACK for the size.
template <class T, class F>
void with_work(F&& f) {
    T size{};
    const Int workspace_query = -1;
    f(&size, &workspace_query);
    const Int needed = static_cast<Int>(std::real(size)) + 1;
    std::vector<T> work(static_cast<std::size_t>(needed));
    f(work.data(), &needed);
}

int size(const std::string& function, void* handle, int* lwork, int value) {
    return run(function + "_bufferSize", handle, statuses, [&](void*) { *lwork = value; });
}

template <class T>
int potrf(const std::string& function, void* handle, int uplo, int n, T* a, int lda, T* work, int lwork, int* info) {
    return run(function, handle, statuses, [&](void* stream) {
        require(uplo >= 0 && uplo <= 1, "no such triangle");
        require_matrix(n, n, lda);
        Held<T> of_a(a, area(lda, n), stream, "A");
        Workspace<T> workspace(work, lwork, plain_work(n, n), info, stream);
        Int how = 0;
        PM_LAPACK_OF(T, potrf, "potrf")(fills[uplo], &n, of_a.data(), &lda, &how, 1);
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i)
                if (uplo == 0 ? i < j : i > j) of_a.all()[area(lda, j) + static_cast<std::size_t>(i)] = undefined<T>;
        of_a.put();
        workspace.put(how);
    });
}

template <class T>
int getrf(const std::string& function, void* handle, int m, int n, T* a, int lda, T* work, int* pivots, int* info) {
    return run(function, handle, statuses, [&](void* stream) {
        require_matrix(m, n, lda);
        Held<T> of_a(a, area(lda, n), stream, "A");
        Held<int> of_pivots(pivots, static_cast<std::size_t>(std::min(m, n)), stream, "the pivots");
        Workspace<T> workspace(work, plain_work(m, n), plain_work(m, n), info, stream);
        Int how = 0;
        PM_LAPACK_OF(T, getrf, "getrf")(&m, &n, of_a.data(), &lda, of_pivots.data(), &how);
        of_a.put();
        of_pivots.put();
        workspace.put(how);
    });
}

template <class T>
int geqrf(const std::string& function, void* handle, int m, int n, T* a, int lda, T* tau, T* work, int lwork,
          int* info) {
    return run(function, handle, statuses, [&](void* stream) {
        require_matrix(m, n, lda);
        Held<T> of_a(a, area(lda, n), stream, "A");
        Held<T> of_tau(tau, static_cast<std::size_t>(std::min(m, n)), stream, "TAU");
        Workspace<T> workspace(work, lwork, plain_work(m, n), info, stream);
        Int how = 0;
        with_work<T>([&](T* own, const Int* own_size) {
            PM_LAPACK_OF(T, geqrf, "geqrf")(&m, &n, of_a.data(), &lda, of_tau.data(), own, own_size, &how);
        });
        of_a.put();
        of_tau.put();
        workspace.put(how);
    });
}

template <class T>
int orgqr(const std::string& function, void* handle, int m, int n, int k, T* a, int lda, const T* tau, T* work,
          int lwork, int* info) {
    return run(function, handle, statuses, [&](void* stream) {
        require_matrix(m, n, lda);
        require(m >= n && n >= k && k >= 0, "m >= n >= k");
        Held<T> of_a(a, area(lda, n), stream, "A");
        Held<const T> of_tau(tau, static_cast<std::size_t>(k), stream, "tau");
        Workspace<T> workspace(work, lwork, plain_work(m, n) + 1, info, stream);
        for (std::size_t at = area(lda, k); at < of_a.all().size(); ++at)
            require(of_a.all()[at] == T{}, "columns behind the reflections that are not 0");
        Int how = 0;
        constexpr bool complex = !std::is_same_v<T, Real<T>>;
        with_work<T>([&](T* own, const Int* own_size) {
            PM_LAPACK_OF(T, orgqr, complex ? "ungqr" : "orgqr")
            (&m, &n, &k, of_a.data(), &lda, of_tau.data(), own, own_size, &how);
        });
        of_a.put();
        workspace.put(how);
    });
}

template <class T>
int syevd(const std::string& function, void* handle, int jobz, int uplo, int n, T* a, int lda, Real<T>* w, T* work,
          int lwork, int* info) {
    using R = Real<T>;
    return run(function, handle, statuses, [&](void* stream) {
        require(jobz == 1, "only with vectors here");
        require(uplo >= 0 && uplo <= 1, "no such triangle");
        require_matrix(n, n, lda);
        Held<T> of_a(a, area(lda, n), stream, "A");
        Held<R> of_w(w, static_cast<std::size_t>(n), stream, "W");
        Workspace<T> workspace(work, lwork, square_work(n, n), info, stream);
        require_finite(of_a.all());
        Int how = 0;
        const auto count = static_cast<std::size_t>(1 + 6 * n + 2 * n * n);
        std::vector<T> own(count);
        std::vector<Int> integers(static_cast<std::size_t>(3 + 5 * n));
        const Int own_size = static_cast<Int>(count), integers_size = static_cast<Int>(integers.size());
        if constexpr (std::is_same_v<T, R>) {
            PM_LAPACK_OF(T, syevd, "syevd")
            ("V", fills[uplo], &n, of_a.data(), &lda, of_w.data(), own.data(), &own_size, integers.data(),
             &integers_size, &how, 1, 1);
        } else {
            std::vector<R> reals(count);
            PM_LAPACK_OF(T, heevd, "heevd")
            ("V", fills[uplo], &n, of_a.data(), &lda, of_w.data(), own.data(), &own_size, reals.data(), &own_size,
             integers.data(), &integers_size, &how, 1, 1);
        }
        of_a.put();
        of_w.put();
        workspace.put(how);
    });
}

template <class T>
int gesvd(const std::string& function, void* handle, signed char jobu, signed char jobvt, int m, int n, T* a, int lda,
          Real<T>* s, T* u, int ldu, T* vt, int ldvt, T* work, int lwork, Real<T>* rwork, int* info) {
    using R = Real<T>;
    return run(function, handle, statuses, [&](void* stream) {
        require(jobu == jobvt && (jobu == 'A' || jobu == 'S'), "only these vectors here");
        require(m >= n, "fewer rows than columns");
        require_matrix(m, n, lda);
        require(ldu >= std::max(1, m) && ldvt >= std::max(1, n), "leading dimensions");
        require(rwork == nullptr, "no more memory here");
        Held<T> of_a(a, area(lda, n), stream, "A");
        Held<R> of_s(s, static_cast<std::size_t>(n), stream, "S");
        Held<T> of_u(u, area(ldu, jobu == 'A' ? m : n), stream, "U");
        Held<T> of_vt(vt, area(ldvt, n), stream, "VT");
        Workspace<T> workspace(work, lwork, square_work(m, n), info, stream);
        require_finite(of_a.all());
        Int how = 0;
        const char job[] = {static_cast<char>(jobu), '\0'};
        std::vector<Int> integers(static_cast<std::size_t>(8 * n));
        if constexpr (std::is_same_v<T, R>) {
            with_work<T>([&](T* own, const Int* own_size) {
                PM_LAPACK_OF(T, gesdd, "gesdd")
                (job, &m, &n, of_a.data(), &lda, of_s.data(), of_u.data(), &ldu, of_vt.data(), &ldvt, own, own_size,
                 integers.data(), &how, 1);
            });
        } else {
            std::vector<R> reals(static_cast<std::size_t>(std::max(5 * n * n + 7 * n, 2 * m * n + 2 * n * n + n)));
            with_work<T>([&](T* own, const Int* own_size) {
                PM_LAPACK_OF(T, gesdd, "gesdd")
                (job, &m, &n, of_a.data(), &lda, of_s.data(), of_u.data(), &ldu, of_vt.data(), &ldvt, own, own_size,
                 reals.data(), integers.data(), &how, 1);
            });
        }
        std::fill(of_a.all().begin(), of_a.all().end(), undefined<T>);
        of_a.put();
        of_s.put();
        of_u.put();
        of_vt.put();
        workspace.put(how);
    });
}

} // namespace

PM_LIBRARY cusolverDnCreate(void** handle) { return create("cusolverDnCreate", handle, statuses); }
PM_LIBRARY cusolverDnDestroy(void* handle) { return destroy("cusolverDnDestroy", handle, statuses); }
PM_LIBRARY cusolverDnSetStream(void* handle, void* stream) {
    return set_stream("cusolverDnSetStream", handle, stream, statuses);
}

#define TYPE(L, T, ORGQR, SYEVD)                                                                                       \
    PM_LIBRARY cusolverDn##L##potrf_bufferSize(void* h, int, int n, T*, int, int* lwork) {                             \
        return size("cusolverDn" #L "potrf", h, lwork, plain_work(n, n));                                              \
    }                                                                                                                  \
    PM_LIBRARY cusolverDn##L##potrf(void* h, int uplo, int n, T* a, int lda, T* work, int lwork, int* info) {          \
        return potrf<T>("cusolverDn" #L "potrf", h, uplo, n, a, lda, work, lwork, info);                               \
    }                                                                                                                  \
    PM_LIBRARY cusolverDn##L##getrf_bufferSize(void* h, int m, int n, T*, int, int* lwork) {                           \
        return size("cusolverDn" #L "getrf", h, lwork, plain_work(m, n));                                              \
    }                                                                                                                  \
    PM_LIBRARY cusolverDn##L##getrf(void* h, int m, int n, T* a, int lda, T* work, int* pivots, int* info) {           \
        return getrf<T>("cusolverDn" #L "getrf", h, m, n, a, lda, work, pivots, info);                                 \
    }                                                                                                                  \
    PM_LIBRARY cusolverDn##L##geqrf_bufferSize(void* h, int m, int n, T*, int, int* lwork) {                           \
        return size("cusolverDn" #L "geqrf", h, lwork, plain_work(m, n));                                              \
    }                                                                                                                  \
    PM_LIBRARY cusolverDn##L##geqrf(void* h, int m, int n, T* a, int lda, T* tau, T* work, int lwork, int* info) {     \
        return geqrf<T>("cusolverDn" #L "geqrf", h, m, n, a, lda, tau, work, lwork, info);                             \
    }                                                                                                                  \
    PM_LIBRARY cusolverDn##L##ORGQR##_bufferSize(void* h, int m, int n, int, const T*, int, const T*, int* lwork) {    \
        return size("cusolverDn" #L#ORGQR, h, lwork, plain_work(m, n) + 1);                                            \
    }                                                                                                                  \
    PM_LIBRARY cusolverDn##L##ORGQR(void* h, int m, int n, int k, T* a, int lda, const T* tau, T* work, int lwork,     \
                                    int* info) {                                                                       \
        return orgqr<T>("cusolverDn" #L#ORGQR, h, m, n, k, a, lda, tau, work, lwork, info);                            \
    }                                                                                                                  \
    PM_LIBRARY cusolverDn##L##SYEVD##_bufferSize(void* h, int, int, int n, const T*, int, const Real<T>*,              \
                                                 int* lwork) {                                                         \
        return size("cusolverDn" #L#SYEVD, h, lwork, square_work(n, n));                                               \
    }                                                                                                                  \
    PM_LIBRARY cusolverDn##L##SYEVD(void* h, int jobz, int uplo, int n, T* a, int lda, Real<T>* w, T* work, int lwork, \
                                    int* info) {                                                                       \
        return syevd<T>("cusolverDn" #L#SYEVD, h, jobz, uplo, n, a, lda, w, work, lwork, info);                        \
    }                                                                                                                  \
    PM_LIBRARY cusolverDn##L##gesvd_bufferSize(void* h, int m, int n, int* lwork) {                                    \
        return size("cusolverDn" #L "gesvd", h, lwork, square_work(m, n));                                             \
    }                                                                                                                  \
    PM_LIBRARY cusolverDn##L##gesvd(void* h, signed char jobu, signed char jobvt, int m, int n, T* a, int lda,         \
                                    Real<T>* s, T* u, int ldu, T* vt, int ldvt, T* work, int lwork, Real<T>* rwork,    \
                                    int* info) {                                                                       \
        return gesvd<T>("cusolverDn" #L "gesvd", h, jobu, jobvt, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork,       \
                        rwork, info);                                                                                  \
    }
TYPE(S, float, orgqr, syevd)
TYPE(D, double, orgqr, syevd)
TYPE(C, std::complex<float>, ungqr, heevd)
TYPE(Z, std::complex<double>, ungqr, heevd)
