#include "runtime/kernels/matrices.hpp"

#include "runtime/call.hpp"
#include "runtime/failure.hpp"
#include "runtime/kernels/abandonable_work.hpp"
#include "runtime/kernels/lapack.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <type_traits>

namespace pm::runtime {
namespace {

using lapack::functions;
using lapack::Functions;
using lapack::Int;
using lapack::Real;
using lapack::Text;

template <class T>
constexpr bool complex = !std::is_same_v<T, Real<T>>;

Int fortran(std::int64_t size) {
    if (size > std::numeric_limits<Int>::max())
        throw Failure(FailureKind::bad_argument, "LAPACK takes matrices of less than 2^31 rows and columns");
    return static_cast<Int>(size);
}

/// Throws if a workspace has more elements than LAPACK's integers can count. LAPACK does not detect this.
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

/// Transposes a square matrix in place.
template <class T>
void transpose_square(T* a, std::int64_t n) {
    constexpr std::int64_t tile = 32;
    for (std::int64_t i0 = 0; i0 < n; i0 += tile)
        for (std::int64_t j0 = i0; j0 < n; j0 += tile)
            for (std::int64_t i = i0; i < std::min(i0 + tile, n); ++i)
                for (std::int64_t j = std::max(j0, i + 1); j < std::min(j0 + tile, n); ++j)
                    std::swap(a[i * n + j], a[j * n + i]);
}

/// Copies `count` elements from index `at` on. A complex array is two arrays: the real parts and the imaginary parts.
template <class T>
void load(void* const* parts, std::int64_t at, T* to, std::int64_t count) {
    const auto* re = static_cast<const Real<T>*>(parts[0]) + at;
    if constexpr (complex<T>) {
        const auto* im = static_cast<const Real<T>*>(parts[1]) + at;
        for (std::int64_t i = 0; i < count; ++i) to[i] = {re[i], im[i]};
    } else {
        std::memcpy(to, re, static_cast<std::size_t>(count) * sizeof(T));
    }
}
template <class T>
void store(void* const* parts, std::int64_t at, const T* from, std::int64_t count) {
    auto* re = static_cast<Real<T>*>(parts[0]) + at;
    if constexpr (complex<T>) {
        auto* im = static_cast<Real<T>*>(parts[1]) + at;
        for (std::int64_t i = 0; i < count; ++i) {
            re[i] = from[i].real();
            im[i] = from[i].imag();
        }
    } else {
        std::memcpy(re, from, static_cast<std::size_t>(count) * sizeof(T));
    }
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

/// Factorizes one matrix at a time, in separate memory. take() copies a matrix into this memory, run() factorizes it,
/// and give() copies the results out.
template <class T>
class Factorized {
    using R = Real<T>;

  public:
    Factorized(const FactorizeSpec& spec, std::shared_ptr<Allocator> allocator)
        : spec_(spec), allocator_(std::move(allocator)), f_(functions<T>()), m_(fortran(spec.m)), n_(fortran(spec.n)),
          k_(fortran(spec.rank())), a_(allocator_, std::max(spec.m * spec.n, spec.m * spec.columns())),
          first_(allocator_, spec.results()[0].size), second_(allocator_, spec.results()[1].size),
          third_(allocator_, spec.results()[2].size) {}

    /// Copies matrix `at` of the batch.
    void take(void* const* parts, std::int64_t at) {
        const std::int64_t size = spec_.m * spec_.n;
        load(parts, at * size, a_.data(), size);
    }

    void run() {
        switch (spec_.kind) {
        case Factorization::cholesky: return cholesky();
        case Factorization::lu: return lu();
        case Factorization::qr: return qr();
        case Factorization::eigh: return eigh();
        case Factorization::svd: return svd();
        case Factorization::eig: return eig();
        }
    }

    /// Copies the results to matrix `at` of the result arrays.
    void give(void* const* results, std::int64_t at) const {
        const T* made[] = {first_.data(), second_.data(), third_.data()};
        std::size_t from = 0;
        for (const auto& [size, of] : spec_.results()) {
            if (size == 0) return;
            switch (of) {
            case FactorizeSpec::Of::matrix:
                store(results, at * size, made[from], size);
                if (complex<T>) ++results;
                break;
            case FactorizeSpec::Of::reals: store(results, at * size, reals(made[from]), size); break;
            case FactorizeSpec::Of::rows:
                std::memcpy(static_cast<Int*>(*results) + at * size, made[from],
                            static_cast<std::size_t>(size) * sizeof(Int));
                break;
            }
            ++results;
            ++from;
        }
    }

  private:
    static std::size_t bytes(std::int64_t count) { return static_cast<std::size_t>(count) * sizeof(T); }

    /// For results that are real even if the matrix is complex: their memory as an array of real numbers.
    static R* reals(T* elements) { return reinterpret_cast<R*>(elements); }
    static const R* reals(const T* elements) { return reinterpret_cast<const R*>(elements); }

    void undefined() {
        const auto results = spec_.results();
        T* made[] = {first_.data(), second_.data(), third_.data()};
        constexpr std::int64_t parts = sizeof(T) / sizeof(R); // real results fill the first half of their memory
        for (std::size_t i = 0; i < results.size(); ++i)
            std::fill_n(reals(made[i]), parts * results[i].size, std::numeric_limits<R>::quiet_NaN());
    }
    bool finite() const {
        const R* first = reals(a_.data());
        const auto count = spec_.m * spec_.n * static_cast<std::int64_t>(sizeof(T) / sizeof(R));
        return std::all_of(first, first + count, [](R x) { return std::isfinite(x); });
    }

    /// The number of elements of a workspace. LAPACK reports this number as `size`. Since LAPACK has rounded it to T,
    /// this function rounds it up.
    static Int counted(T size) {
        return fortran(static_cast<std::int64_t>(std::nextafter(std::real(size), std::numeric_limits<R>::infinity())) +
                       1);
    }

    /// Calls f(work, size of work) twice. The first call only stores the needed size in `work`. The second call gets a
    /// workspace of that size.
    template <class F>
    void with_work(F&& f) {
        T size = 0;
        const Int workspace_query = -1;
        f(&size, &workspace_query);
        const Int needed = counted(size);
        const Elements<T> work(allocator_, needed);
        f(work.data(), &needed);
    }

    void cholesky() {
        // The lower triangle of a matrix that is stored by rows is the upper triangle of the transpose, stored by
        // columns. The same holds for the result: if the transpose is u^H u, the matrix is u^T (u^T)^H.
        Int info = 0;
        T* l = first_.data();
        std::memcpy(l, a_.data(), bytes(spec_.n * spec_.n));
        f_.potrf("U", &n_, l, &n_, &info, 1);
        // OpenBLAS does not report a NaN. A NaN reaches the diagonal, so the diagonal is checked.
        for (std::int64_t i = 0; i < n_; ++i)
            if (std::isnan(std::real(l[i * n_ + i]))) info = 1;
        if (info != 0) undefined();
        for (std::int64_t i = 0; i < n_; ++i) std::fill(l + i * n_ + i + 1, l + (i + 1) * n_, T{0});
    }

    void lu() {
        Int info = 0;
        transpose_square(a_.data(), spec_.n);
        const Elements<Int> pivots(allocator_, n_);
        f_.getrf(&n_, &n_, a_.data(), &n_, pivots.data(), &info);
        transpose(a_.data(), first_.data(), spec_.n, spec_.n);
        const Elements<Int> rows(allocator_, n_);
        Int* row = rows.data();
        std::iota(row, row + n_, 0);
        R sign = 1;
        for (std::int64_t i = 0; i < n_; ++i) {
            const std::int64_t other = pivots.data()[i] - 1;
            if (other == i || other < 0 || other >= n_) continue; // with a NaN, libraries may return invalid rows
            std::swap(row[i], row[other]);
            sign = -sign;
        }
        std::memcpy(static_cast<void*>(second_.data()), row, static_cast<std::size_t>(n_) * sizeof(Int));
        *reals(third_.data()) = sign;
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
        const Int workspace_query = -1;
        T size = 0;
        R* w = reals(first_.data());
        if constexpr (complex<T>) {
            R more_size = 0;
            f_.heevd("V", "U", &n_, a_.data(), &n_, w, &size, &workspace_query, &more_size, &workspace_query, &integers,
                     &workspace_query, &info, 1, 1);
            const Int needed = counted(size), more_needed = counted(more_size);
            const Elements<T> work(allocator_, needed);
            const Elements<R> reals_work(allocator_, more_needed);
            const Elements<Int> more(allocator_, integers);
            f_.heevd("V", "U", &n_, a_.data(), &n_, w, work.data(), &needed, reals_work.data(), &more_needed,
                     more.data(), &integers, &info, 1, 1);
            // LAPACK reads the matrix by columns, which is its transpose. The transpose of a Hermitian matrix is its
            // conjugate, so LAPACK has returned the conjugate eigenvectors.
            for (std::int64_t i = 0; i < spec_.n * spec_.n; ++i) a_.data()[i] = std::conj(a_.data()[i]);
        } else {
            f_.syevd("V", "U", &n_, a_.data(), &n_, w, &size, &workspace_query, &integers, &workspace_query, &info, 1,
                     1);
            const Int needed = counted(size);
            const Elements<T> work(allocator_, needed);
            const Elements<Int> more(allocator_, integers);
            f_.syevd("V", "U", &n_, a_.data(), &n_, w, work.data(), &needed, more.data(), &integers, &info, 1, 1);
        }
        if (info != 0) return undefined();
        transpose(a_.data(), second_.data(), spec_.n, spec_.n);
    }

    /// For a real matrix, LAPACK returns two conjugate vectors as one column with their real parts and one column with
    /// the imaginary parts of the first vector.
    void eig() {
        if (!finite()) return undefined();
        Int info = 0;
        const Int none = 1;
        const std::int64_t n = spec_.n;
        transpose_square(a_.data(), n);
        const Elements<T> vectors(allocator_, n * n);
        T* v = vectors.data();
        R* w = reals(first_.data());
        R* re = reals(second_.data());
        R* im = re + n * n;
        if constexpr (complex<T>) {
            const Elements<T> values(allocator_, n);
            const Elements<R> more(allocator_, 2 * n);
            with_work([&](T* work, const Int* size) {
                f_.geev("N", "V", &n_, a_.data(), &n_, values.data(), nullptr, &none, v, &n_, work, size, more.data(),
                        &info, 1, 1);
            });
            void* parts[] = {w, w + n};
            store(parts, 0, values.data(), n);
        } else {
            with_work([&](T* work, const Int* size) {
                f_.geev("N", "V", &n_, a_.data(), &n_, w, w + n, nullptr, &none, v, &n_, work, size, &info, 1, 1);
            });
        }
        if (info != 0) return undefined();
        for (std::int64_t j = 0; j < n; ++j) {
            const bool second = !complex<T> && w[n + j] < 0; // the second vector of a conjugate pair
            const bool paired = !complex<T> && w[n + j] != 0;
            const T* column = v + (second ? j - 1 : j) * n;
            for (std::int64_t i = 0; i < n; ++i) {
                re[i * n + j] = std::real(column[i]);
                im[i * n + j] = paired ? (second ? -1 : 1) * std::real(column[n + i]) : std::imag(column[i]);
            }
        }
    }

    void svd() {
        // LAPACK reads `a` by columns, so it factorizes the transpose of `a`. The factors of the transpose are those of
        // `a` in exchanged order: v stored by columns is vt stored by rows.
        if (!finite()) return undefined();
        const auto k = static_cast<double>(spec_.rank());
        const auto most = static_cast<double>(std::max(spec_.m, spec_.n));
        const double of_reals = std::max(5 * k * k + 7 * k, 2 * most * k + 2 * k * k + k); // for complex matrices only
        require_countable(std::max(4 * k * k + 7 * k + most, complex<T> ? of_reals : 0));
        Int info = 0;
        const Int columns = fortran(std::max<std::int64_t>(1, spec_.columns()));
        const Text job = spec_.full ? "A" : "S";
        const Elements<Int> integers(allocator_, 8 * spec_.rank());
        R* s = reals(second_.data());
        if constexpr (complex<T>) {
            const Elements<R> more(allocator_, static_cast<std::int64_t>(of_reals));
            with_work([&](T* work, const Int* size) {
                f_.gesdd(job, &n_, &m_, a_.data(), &n_, s, third_.data(), &n_, first_.data(), &columns, work, size,
                         more.data(), integers.data(), &info, 1);
            });
        } else {
            with_work([&](T* work, const Int* size) {
                f_.gesdd(job, &n_, &m_, a_.data(), &n_, s, third_.data(), &n_, first_.data(), &columns, work, size,
                         integers.data(), &info, 1);
            });
        }
        if (info != 0) undefined();
    }

    FactorizeSpec spec_;
    std::shared_ptr<Allocator> allocator_;
    const Functions<T>& f_;
    Int m_, n_, k_;
    Elements<T> a_, first_, second_, third_;
};

/// Solves one triangular system at a time, in separate memory.
template <class T>
class Solved {
  public:
    Solved(const TriangularSpec& spec, const std::shared_ptr<Allocator>& allocator)
        : spec_(spec), f_(functions<T>()), n_(fortran(spec.n)), m_(fortran(spec.m)), t_(allocator, spec.n * spec.n),
          x_(allocator, spec.n * spec.m) {}

    /// Copies system `at` of the batch.
    void take(void* const* t, void* const* b, std::int64_t at) {
        load(t, at * spec_.n * spec_.n, t_.data(), spec_.n * spec_.n);
        load(b, at * spec_.n * spec_.m, x_.data(), spec_.n * spec_.m);
    }
    /// Solves x' t' = b', where ' is the transpose. t stored by rows is t' stored by columns, and the lower triangle of
    /// t is the upper triangle of t'.
    void run() {
        const T one = 1;
        f_.trsm("R", spec_.lower ? "U" : "L", spec_.transposed ? "T" : "N", spec_.unit ? "U" : "N", &m_, &n_, &one,
                t_.data(), &n_, x_.data(), &m_, 1, 1, 1, 1);
    }
    void give(void* const* x, std::int64_t at) const { store(x, at * spec_.n * spec_.m, x_.data(), spec_.n * spec_.m); }

  private:
    TriangularSpec spec_;
    const Functions<T>& f_;
    Int n_, m_;
    Elements<T> t_, x_;
};

// ---- batches

/// If a matrix takes this many floating-point operations or more (some 10 ms), a separate thread computes it.
constexpr double long_work = 1e8;

/// The allocator of a call; null (Allocator::plain()) without a call.
std::shared_ptr<Allocator> allocator_of(PmCall* call) {
    return call == nullptr ? Allocator::plain() : CallState::of(call).options().allocator;
}

/// A batch of matrices, and the work for each matrix.
struct MatrixBatch {
    std::int64_t size;
    double work;
    bool parallel;
};

/// Runs the batch. make() creates an object `one`. For each i, load(one, i) copies matrix i into `one`, one.run()
/// computes the result, and store(one, i) copies the result out. Returns false if the call was abandoned.
template <class Make, class Load, class Store>
bool each_matrix(PmCall* call, const MatrixBatch& matrices, Make&& make, Load&& load, Store&& store) {
    const auto [batch, work, parallel] = matrices;
    const auto part = [&](std::int64_t begin, std::int64_t end) {
        auto one = make();
        for (std::int64_t i = begin; i < end; ++i) {
            if (CallState::abandoned(call)) return;
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
            } catch (...) { // no exception may leave a worker
                CallState::of(call).abandon_call(call, stop_thrown, std::current_exception());
            }
        },
        call);
    return (read_stop(call) & abandon) == 0;
}

/// The number of real operations that count for one operation on elements. For complex elements it is 4, the number of
/// real products in a complex product.
double cost(DType dtype) { return is_complex(dtype) ? 4 : 1; }
/// The number of arrays that an operand or result of type T has.
template <class T>
constexpr std::size_t arrays = complex<T> ? 2 : 1;

template <class T>
bool factorize_in(PmCall* call, const FactorizeSpec& spec, void* const* buffers) {
    return each_matrix(
        call, {spec.batch, spec.work(), spec.parallel},
        [&] { return std::make_shared<Factorized<T>>(spec, allocator_of(call)); },
        [&](Factorized<T>& one, std::int64_t i) { one.take(buffers, i); },
        [&](const Factorized<T>& one, std::int64_t i) { one.give(buffers + arrays<T>, i); });
}

template <class T>
bool solve_in(PmCall* call, const TriangularSpec& spec, void* const* buffers) {
    return each_matrix(
        call, {spec.batch, spec.work(), spec.parallel},
        [&] { return std::make_shared<Solved<T>>(spec, allocator_of(call)); },
        [&](Solved<T>& one, std::int64_t i) { one.take(buffers, buffers + arrays<T>, i); },
        [&](const Solved<T>& one, std::int64_t i) { one.give(buffers + 2 * arrays<T>, i); });
}

/// Calls run(value) with a value of the C++ type for a dtype that LAPACK supports: f32, f64, c64 or c128.
template <class Run>
bool in_dtype(DType dtype, Run&& run) {
    if (dtype == DType::f32) return run(float{});
    if (dtype == DType::f64) return run(double{});
    if (dtype == DType::c64) return run(std::complex<float>{});
    return run(std::complex<double>{});
}

/// Appends the size in bytes of an array of `elements` real numbers. For a complex dtype, appends it twice, because
/// there are two arrays.
void add_bytes(std::vector<std::size_t>& to, DType dtype, std::int64_t elements) {
    to.insert(to.end(), is_complex(dtype) ? 2 : 1, static_cast<std::size_t>(elements) * size_of(part_type(dtype)));
}

} // namespace

bool has_lapack() { return lapack::there(); }

std::array<FactorizeSpec::Result, 3> FactorizeSpec::results() const {
    using enum Of;
    switch (kind) {
    case Factorization::cholesky: return {{{n * n, matrix}}};
    case Factorization::lu: return {{{n * n, matrix}, {n, rows}, {1, reals}}};
    case Factorization::qr: return {{{m * columns(), matrix}, {columns() * n, matrix}}};
    case Factorization::eigh: return {{{n, reals}, {n * n, matrix}}};
    case Factorization::svd: return {{{m * columns(), matrix}, {rank(), reals}, {vectors() * n, matrix}}};
    case Factorization::eig: return {{{2 * n, reals}, {2 * n * n, reals}}};
    }
    return {};
}

double FactorizeSpec::work() const {
    const bool iterates = kind == Factorization::eigh || kind == Factorization::svd || kind == Factorization::eig;
    return (iterates ? 10 : 1) * cost(dtype) * static_cast<double>(m) * static_cast<double>(n) *
           static_cast<double>(rank());
}
std::vector<std::size_t> FactorizeSpec::bytes() const {
    std::vector<std::size_t> made;
    add_bytes(made, dtype, batch * m * n);
    for (const auto& [size, of] : results())
        if (size > 0)
            add_bytes(made, of == Of::matrix ? dtype : of == Of::reals ? part_type(dtype) : DType::i32, batch * size);
    return made;
}

double TriangularSpec::work() const {
    return cost(dtype) * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(m);
}
std::vector<std::size_t> TriangularSpec::bytes() const {
    std::vector<std::size_t> made;
    add_bytes(made, dtype, batch * n * n);
    add_bytes(made, dtype, batch * n * m);
    add_bytes(made, dtype, batch * n * m);
    return made;
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
    return in_dtype(spec.dtype, [&]<class T>(T) { return factorize_in<T>(call, spec, buffers); });
}
bool solve_triangular(PmCall* call, const TriangularSpec& spec, void* const* buffers) {
    return in_dtype(spec.dtype, [&]<class T>(T) { return solve_in<T>(call, spec, buffers); });
}

} // namespace pm::runtime
