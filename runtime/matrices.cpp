#include "runtime/matrices.hpp"

#include "runtime/call.hpp"
#include "runtime/detached.hpp"
#include "runtime/failure.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>

namespace pm::runtime {
namespace {

// ---- the library: Fortran's calls, everything by address, matrices by columns

using Text = const char*;
using Length = std::size_t; // of each text, behind all other arguments
using Int = std::int32_t;

template <class T>
struct Functions {
    void (*potrf)(Text uplo, const Int* n, T* a, const Int* lda, Int* info, Length) = nullptr;
    void (*getrf)(const Int* m, const Int* n, T* a, const Int* lda, Int* pivots, Int* info) = nullptr;
    void (*geqrf)(const Int* m, const Int* n, T* a, const Int* lda, T* tau, T* work, const Int* lwork,
                  Int* info) = nullptr;
    void (*orgqr)(const Int* m, const Int* n, const Int* k, T* a, const Int* lda, const T* tau, T* work,
                  const Int* lwork, Int* info) = nullptr;
    void (*syevd)(Text jobz, Text uplo, const Int* n, T* a, const Int* lda, T* w, T* work, const Int* lwork, Int* iwork,
                  const Int* liwork, Int* info, Length, Length) = nullptr;
    void (*gesdd)(Text jobz, const Int* m, const Int* n, T* a, const Int* lda, T* s, T* u, const Int* ldu, T* vt,
                  const Int* ldvt, T* work, const Int* lwork, Int* iwork, Int* info, Length) = nullptr;
    void (*trsm)(Text side, Text uplo, Text trans, Text diag, const Int* m, const Int* n, const T* alpha, const T* a,
                 const Int* lda, T* b, const Int* ldb, Length, Length, Length, Length) = nullptr;
};

template <class F>
bool found(void* library, const std::string& name, F*& function) {
    function = reinterpret_cast<F*>(dlsym(library, name.c_str()));
    return function != nullptr;
}

template <class T>
bool load(void* library, Functions<T>& f) {
    const std::string prefix = std::is_same_v<T, float> ? "s" : "d";
    return found(library, prefix + "potrf_", f.potrf) && found(library, prefix + "getrf_", f.getrf) &&
           found(library, prefix + "geqrf_", f.geqrf) && found(library, prefix + "orgqr_", f.orgqr) &&
           found(library, prefix + "syevd_", f.syevd) && found(library, prefix + "gesdd_", f.gesdd) &&
           found(library, prefix + "trsm_", f.trsm);
}

/// OpenBLAS knows processors by number, and takes those younger than itself for very old ones: it is told which kernels
/// to use unless the user has said so (dgetrf of 1000 rows 64 ms without, 26 with).
void* opened(const char* name) {
    constexpr const char* variable = "OPENBLAS_CORETYPE";
    const char* kernels = nullptr;
#if defined(__x86_64__)
    if (std::getenv(variable) == nullptr)
        kernels = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") ? "SkylakeX"
                  : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")       ? "Haswell"
                                                                                          : nullptr;
#endif
    if (kernels != nullptr) setenv(variable, kernels, 0);
    void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (kernels != nullptr) unsetenv(variable);
    return library;
}

struct Lapack {
    Functions<float> f32;
    Functions<double> f64;
    bool there = false;

    Lapack() {
        for (const char* name : {"libopenblas.so.0", "liblapack.so.3"}) {
            void* library = opened(name);
            if (library == nullptr) continue;
            there = load(library, f32) && load(library, f64);
            // One thread for each call, also the host's own: results do not depend on how many processors there are.
            void (*threads)(int) = nullptr;
            if (there && found(library, "openblas_set_num_threads", threads)) threads(1);
            if (there) return;
            dlclose(library);
        }
    }
};

const Lapack& lapack() {
    static const Lapack library; // for the whole process, as the system's libraries are
    return library;
}

template <class T>
const Functions<T>& functions() {
    if (!lapack().there)
        throw Failure(FailureKind::bad_argument,
                      "this program was compiled where there is LAPACK, and here there is none",
                      "install OpenBLAS (libopenblas.so.0) or LAPACK (liblapack.so.3)");
    if constexpr (std::is_same_v<T, float>)
        return lapack().f32;
    else
        return lapack().f64;
}

Int fortran(std::int64_t size) {
    if (size > std::numeric_limits<Int>::max())
        throw Failure(FailureKind::bad_argument, "LAPACK takes matrices of less than 2^31 rows and columns");
    return static_cast<Int>(size);
}

/// Raises what LAPACK does not see: a workspace of more elements than its integers count.
void require_countable(double elements) {
    if (elements > std::numeric_limits<Int>::max())
        throw Failure(FailureKind::bad_argument, "LAPACK cannot count the workspace that a matrix of this size needs");
}

// ---- one matrix

template <class T>
void transpose(const T* from, T* to, std::int64_t rows, std::int64_t columns) {
    constexpr std::int64_t tile = 32;
    for (std::int64_t i0 = 0; i0 < rows; i0 += tile)
        for (std::int64_t j0 = 0; j0 < columns; j0 += tile)
            for (std::int64_t i = i0; i < std::min(i0 + tile, rows); ++i)
                for (std::int64_t j = j0; j < std::min(j0 + tile, columns); ++j)
                    to[j * rows + i] = from[i * columns + j];
}

/// Memory for `count` elements.
template <class T>
class Elements {
  public:
    Elements(const std::shared_ptr<Allocator>& allocator, std::int64_t count)
        : memory_(allocator, static_cast<std::size_t>(std::max<std::int64_t>(count, 1)) * sizeof(T)) {}
    T* data() const { return reinterpret_cast<T*>(memory_.data()); }

  private:
    Scratch memory_;
};

/// A factorization with memory of its own: take() a matrix, run(), give() the results.
template <class T>
class Factorized {
  public:
    Factorized(const FactorizeSpec& spec, std::shared_ptr<Allocator> allocator)
        : spec_(spec), allocator_(std::move(allocator)), f_(functions<T>()), m_(fortran(spec.m)), n_(fortran(spec.n)),
          k_(fortran(spec.rank())), a_(allocator_, std::max(spec.m * spec.n, spec.m * spec.columns())),
          first_(allocator_, spec.results()[0]), second_(allocator_, spec.results()[1]),
          third_(allocator_, spec.results()[2]) {}

    void take(const T* a) { std::memcpy(a_.data(), a, bytes(spec_.m * spec_.n)); }

    void run() {
        switch (spec_.kind) {
        case Factorization::cholesky: return cholesky();
        case Factorization::lu: return lu();
        case Factorization::qr: return qr();
        case Factorization::eigh: return eigh();
        case Factorization::svd: return svd();
        }
    }

    /// To matrix `at` of the results.
    void give(void* const* results, std::int64_t at) const {
        const auto sizes = spec_.results();
        const T* made[] = {first_.data(), second_.data(), third_.data()};
        for (std::size_t i = 0; i < sizes.size() && sizes[i] != 0; ++i) {
            const bool rows = spec_.kind == Factorization::lu && i == 1;
            const std::size_t one = static_cast<std::size_t>(sizes[i]) * (rows ? sizeof(Int) : sizeof(T));
            std::memcpy(static_cast<std::byte*>(results[i]) + static_cast<std::size_t>(at) * one, made[i], one);
        }
    }

  private:
    static std::size_t bytes(std::int64_t count) { return static_cast<std::size_t>(count) * sizeof(T); }

    void undefined() {
        const auto sizes = spec_.results();
        T* made[] = {first_.data(), second_.data(), third_.data()};
        for (std::size_t i = 0; i < sizes.size(); ++i)
            std::fill_n(made[i], sizes[i], std::numeric_limits<T>::quiet_NaN());
    }
    bool finite() const {
        return std::all_of(a_.data(), a_.data() + spec_.m * spec_.n, [](T x) { return std::isfinite(x); });
    }

    /// How much is needed, when LAPACK says `size`, which is rounded to T.
    static Int counted(T size) {
        return fortran(static_cast<std::int64_t>(std::nextafter(size, std::numeric_limits<T>::infinity())) + 1);
    }

    /// Calls f(work, size of work) twice: first to ask how much it needs.
    template <class F>
    void with_work(F&& f) {
        T size = 0;
        const Int ask = -1;
        f(&size, &ask);
        const Int needed = counted(size);
        const Elements<T> work(allocator_, needed);
        f(work.data(), &needed);
    }

    void cholesky() {
        // The lower triangle by rows is the upper one by columns, and so is the result.
        Int info = 0;
        T* l = first_.data();
        std::memcpy(l, a_.data(), bytes(spec_.n * spec_.n));
        f_.potrf("U", &n_, l, &n_, &info, 1);
        if (info != 0) undefined();
        for (std::int64_t i = 0; i < n_; ++i) std::fill(l + i * n_ + i + 1, l + (i + 1) * n_, T{0});
    }

    void lu() {
        Int info = 0;
        transpose(a_.data(), first_.data(), spec_.n, spec_.n);
        const Elements<Int> pivots(allocator_, n_);
        f_.getrf(&n_, &n_, first_.data(), &n_, pivots.data(), &info);
        std::memcpy(a_.data(), first_.data(), bytes(spec_.n * spec_.n));
        transpose(a_.data(), first_.data(), spec_.n, spec_.n);
        const Elements<Int> rows(allocator_, n_);
        Int* row = rows.data();
        std::iota(row, row + n_, 0);
        T sign = 1;
        for (std::int64_t i = 0; i < n_; ++i) {
            const std::int64_t other = pivots.data()[i] - 1;
            if (other == i) continue;
            std::swap(row[i], row[other]);
            sign = -sign;
        }
        std::memcpy(second_.data(), row, static_cast<std::size_t>(n_) * sizeof(Int));
        *third_.data() = sign;
    }

    void qr() {
        const std::int64_t m = spec_.m, n = spec_.n, rows = spec_.columns();
        const Int columns = fortran(spec_.columns());
        Int info = 0;
        const Elements<T> by_columns(allocator_, m * std::max(n, rows));
        const Elements<T> tau(allocator_, spec_.rank());
        T* q = by_columns.data();
        transpose(a_.data(), q, m, n);
        with_work([&](T* work, const Int* size) { f_.geqrf(&m_, &n_, q, &m_, tau.data(), work, size, &info); });
        T* r = second_.data();
        for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t j = 0; j < n; ++j) r[i * n + j] = i <= j ? q[j * m + i] : T{0};
        if (rows > n) std::fill(q + m * n, q + m * rows, T{0});
        with_work(
            [&](T* work, const Int* size) { f_.orgqr(&m_, &columns, &k_, q, &m_, tau.data(), work, size, &info); });
        transpose(q, first_.data(), rows, m);
    }

    void eigh() {
        if (!finite()) return undefined();
        const auto n = static_cast<double>(spec_.n);
        require_countable(1 + 6 * n + 2 * n * n);
        Int info = 0;
        Int integers = 0;
        const Int ask = -1;
        T size = 0;
        T* w = first_.data();
        f_.syevd("V", "U", &n_, a_.data(), &n_, w, &size, &ask, &integers, &ask, &info, 1, 1);
        const Int needed = counted(size);
        const Elements<T> work(allocator_, needed);
        const Elements<Int> more(allocator_, integers);
        f_.syevd("V", "U", &n_, a_.data(), &n_, w, work.data(), &needed, more.data(), &integers, &info, 1, 1);
        if (info != 0) return undefined();
        transpose(a_.data(), second_.data(), spec_.n, spec_.n);
    }

    void svd() {
        // a by rows is its transpose by columns, whose factors are a's exchanged: v by columns is vt by rows.
        if (!finite()) return undefined();
        const auto k = static_cast<double>(spec_.rank());
        require_countable(4 * k * k + 7 * k + static_cast<double>(std::max(spec_.m, spec_.n)));
        Int info = 0;
        const Int columns = fortran(std::max<std::int64_t>(1, spec_.columns()));
        const Text job = spec_.full ? "A" : "S";
        const Elements<Int> integers(allocator_, 8 * spec_.rank());
        with_work([&](T* work, const Int* size) {
            f_.gesdd(job, &n_, &m_, a_.data(), &n_, second_.data(), third_.data(), &n_, first_.data(), &columns, work,
                     size, integers.data(), &info, 1);
        });
        if (info != 0) undefined();
    }

    FactorizeSpec spec_;
    std::shared_ptr<Allocator> allocator_;
    const Functions<T>& f_;
    Int m_, n_, k_;
    Elements<T> a_, first_, second_, third_;
};

/// A triangular system with memory of its own.
template <class T>
class Solved {
  public:
    Solved(const TriangularSpec& spec, std::shared_ptr<Allocator> allocator)
        : spec_(spec), f_(functions<T>()), n_(fortran(spec.n)), m_(fortran(spec.m)), t_(allocator, spec.n * spec.n),
          x_(allocator, spec.n * spec.m) {}

    void take(const T* t, const T* b) {
        std::memcpy(t_.data(), t, static_cast<std::size_t>(spec_.n * spec_.n) * sizeof(T));
        std::memcpy(x_.data(), b, static_cast<std::size_t>(spec_.n * spec_.m) * sizeof(T));
    }
    /// By columns: x' t' = b' for the transposes, where t by rows is t' and its lower triangle the upper one.
    void run() {
        const T one = 1;
        f_.trsm("R", spec_.lower ? "U" : "L", spec_.transposed ? "T" : "N", spec_.unit ? "U" : "N", &m_, &n_, &one,
                t_.data(), &n_, x_.data(), &m_, 1, 1, 1, 1);
    }
    void give(T* x) const { std::memcpy(x, x_.data(), static_cast<std::size_t>(spec_.n * spec_.m) * sizeof(T)); }

  private:
    TriangularSpec spec_;
    const Functions<T>& f_;
    Int n_, m_;
    Elements<T> t_, x_;
};

// ---- batches

/// Work, in floating-point operations, that is done on a thread of its own: some 10 ms.
constexpr double long_work = 1e8;

/// The allocator of a call; of none that of nobody.
std::shared_ptr<Allocator> allocator_of(PmCall* call) {
    return call == nullptr ? Allocator::plain() : CallState::of(call).options().allocator;
}

/// make() gives what works on one matrix, load(it, i) gives it matrix i, store(it, i) takes its result, for each i of
/// the batch. False when the call was abandoned.
template <class Make, class Load, class Store>
bool each_matrix(PmCall* call, std::int64_t batch, double work, bool parallel, Make&& make, Load&& load,
                 Store&& store) {
    const auto part = [&](std::int64_t begin, std::int64_t end) {
        auto one = make();
        for (std::int64_t i = begin; i < end; ++i) {
            if (call != nullptr && (CallState::of(call).poll(call) & abandon) != 0) return;
            load(*one, i);
            if (call == nullptr || work < long_work)
                one->run();
            else if (!run_detached(call, [one] { one->run(); }))
                return;
            store(*one, i);
        }
    };
    if (call == nullptr) {
        part(0, batch);
        return true;
    }
    Workers* workers = CallState::of(call).options().workers;
    const std::int64_t parts = parallel && workers != nullptr ? std::min<std::int64_t>(batch, 4 * workers->count()) : 1;
    if (parts <= 1) {
        part(0, batch);
        return (read_stop(call) & abandon) == 0;
    }
    workers->each(
        parts,
        [&](std::int64_t i) {
            try {
                part(batch * i / parts, batch * (i + 1) / parts);
            } catch (...) { // nothing may leave a worker
                CallState::of(call).abandon_call(call, stop_thrown, std::current_exception());
            }
        },
        call);
    return (read_stop(call) & abandon) == 0;
}

template <class T>
bool factorize_in(PmCall* call, const FactorizeSpec& spec, void* const* buffers) {
    const double size = static_cast<double>(spec.m) * static_cast<double>(spec.n) * static_cast<double>(spec.rank());
    const bool rotates = spec.kind == Factorization::eigh || spec.kind == Factorization::svd;
    return each_matrix(
        call, spec.batch, (rotates ? 10 : 1) * size, spec.parallel,
        [&] { return std::make_shared<Factorized<T>>(spec, allocator_of(call)); },
        [&](Factorized<T>& one, std::int64_t i) { one.take(static_cast<const T*>(buffers[0]) + i * spec.m * spec.n); },
        [&](const Factorized<T>& one, std::int64_t i) { one.give(buffers + 1, i); });
}

template <class T>
bool solve_in(PmCall* call, const TriangularSpec& spec, void* const* buffers) {
    return each_matrix(
        call, spec.batch, static_cast<double>(spec.n) * static_cast<double>(spec.n) * static_cast<double>(spec.m),
        spec.parallel, [&] { return std::make_shared<Solved<T>>(spec, allocator_of(call)); },
        [&](Solved<T>& one, std::int64_t i) {
            one.take(static_cast<const T*>(buffers[0]) + i * spec.n * spec.n,
                     static_cast<const T*>(buffers[1]) + i * spec.n * spec.m);
        },
        [&](const Solved<T>& one, std::int64_t i) { one.give(static_cast<T*>(buffers[2]) + i * spec.n * spec.m); });
}

/// What a kernel returns: 0, or 1 when the call was abandoned.
template <class Run>
std::int32_t kernel(PmCall* call, Run&& run) {
    try {
        return run() ? 0 : 1;
    } catch (...) {
        CallState::of(call).abandon_call(call, stop_thrown, std::current_exception());
        return 1;
    }
}

} // namespace

bool has_lapack() { return lapack().there; }

std::array<std::int64_t, 3> FactorizeSpec::results() const {
    switch (kind) {
    case Factorization::cholesky: return {n * n, 0, 0};
    case Factorization::lu: return {n * n, n, 1};
    case Factorization::qr: return {m * columns(), columns() * n, 0};
    case Factorization::eigh: return {n, n * n, 0};
    case Factorization::svd: return {m * columns(), rank(), rows() * n};
    }
    return {};
}

std::vector<std::int64_t> factorize_attributes(const FactorizeSpec& s) {
    return {
        static_cast<std::int64_t>(s.kind), static_cast<std::int64_t>(s.dtype), s.full, s.parallel, s.batch, s.m, s.n};
}
FactorizeSpec factorize_spec(const std::int64_t* a) {
    return {static_cast<Factorization>(a[0]), static_cast<DType>(a[1]), a[2] != 0, a[3] != 0, a[4], a[5], a[6]};
}

std::vector<std::int64_t> triangular_attributes(const TriangularSpec& s) {
    return {static_cast<std::int64_t>(s.dtype), s.lower, s.transposed, s.unit, s.parallel, s.batch, s.n, s.m};
}
TriangularSpec triangular_spec(const std::int64_t* a) {
    return {static_cast<DType>(a[0]), a[1] != 0, a[2] != 0, a[3] != 0, a[4] != 0, a[5], a[6], a[7]};
}

bool factorize(PmCall* call, const FactorizeSpec& spec, void* const* buffers) {
    return spec.dtype == DType::f32 ? factorize_in<float>(call, spec, buffers)
                                    : factorize_in<double>(call, spec, buffers);
}
bool solve_triangular(PmCall* call, const TriangularSpec& spec, void* const* buffers) {
    return spec.dtype == DType::f32 ? solve_in<float>(call, spec, buffers) : solve_in<double>(call, spec, buffers);
}

} // namespace pm::runtime

extern "C" int32_t pm_kernel_factorize(PmCall* call, void* const* buffers, const int64_t* attributes) {
    using namespace pm::runtime;
    return kernel(call, [&] { return factorize(call, factorize_spec(attributes), buffers); });
}

extern "C" int32_t pm_kernel_triangular(PmCall* call, void* const* buffers, const int64_t* attributes) {
    using namespace pm::runtime;
    return kernel(call, [&] { return solve_triangular(call, triangular_spec(attributes), buffers); });
}
