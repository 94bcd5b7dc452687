#include "runtime/gpu/libraries/cuda_matrices.hpp"

#include "runtime/gpu/libraries/matrix_libraries.hpp"

#include <algorithm>
#include <limits>
#include <mutex>
#include <optional>
#include <type_traits>

// Factorizes matrices with cuSOLVER. Matrices of programs are stored by rows, matrices of cuSOLVER by columns. Failures
// are recorded in words of device memory that kernels read, so the host does not wait for a result.

namespace pm::runtime {

bool DeviceMatrices::counts(const FactorizeSpec& s) {
    if (s.kind == Factorization::eig) return false; // only recent releases of cuSOLVER have eig
    // The workspace of eigh or svd has more than rank * rank elements. From some 25000 rows on, cuSOLVER's integers
    // cannot count these elements.
    constexpr std::int64_t most_with_workspace = 20000;
    if ((s.kind == Factorization::eigh || s.kind == Factorization::svd) && s.rank() > most_with_workspace) return false;
    return std::max({s.m * s.n, s.m * s.columns(), s.vectors() * s.n}) <= std::numeric_limits<int>::max();
}
bool DeviceMatrices::counts(const TriangularSpec& s) {
    return std::max(s.n * s.n, s.n * s.m) <= std::numeric_limits<int>::max();
}

namespace cuda {
namespace {

using lapack::Real;
using Kind = Factorization;

/// The bytes of two words per matrix: one word for the checks of Arranger, one for the status of the library.
constexpr std::size_t words_of_failure = 2 * sizeof(std::int32_t);

/// A device with the handles of the libraries and the kernels of Arranger, for one call.
class Tools {
  public:
    Tools(const Workplace& place, const MatrixLibraries& all, const Arranger& kernels, std::timed_mutex& handles,
          const std::function<bool()>& leave)
        : device(place.device), libraries(all), arranger(kernels), queue_(place.queue), handles_(handles),
          leave_(leave) {}

    /// Calls a function of a library that queues work. The work runs after the kernels that were launched before. If
    /// the call must end, does nothing.
    template <class... Parameters, class... Arguments>
    void call(const Routine<Parameters...>& routine, Arguments... arguments) const {
        queue_.run([&](void*) { return query(routine, arguments...); }, leave_);
    }
    /// Calls a function that queues nothing. If the call must end, does not call the function and returns false.
    template <class... Parameters, class... Arguments>
    bool query(const Routine<Parameters...>& routine, Arguments... arguments) const {
        const auto lock = lock_unless(leave_, handles_); // one thread at a time may use a handle
        if (!lock) return false;
        routine(arguments...);
        return true;
    }
    /// Waits for room for more kernels in the queue. Returns true if the call must end.
    bool must_end() const { return leave_() || !queue_.make_room(leave_); }

    Device& device;
    const MatrixLibraries& libraries;
    const Arranger& arranger;

  private:
    Queue& queue_;
    std::timed_mutex& handles_;
    const std::function<bool()>& leave_;
};

/// Device memory for `count` elements, for the life of the object.
template <class E>
class ElementScratch {
  public:
    ElementScratch(const Tools& tools, std::int64_t count)
        : memory_(tools.device.shared_from_this(), static_cast<std::size_t>(count) * sizeof(E)) {}
    E* data() const { return reinterpret_cast<E*>(memory_.data()); }

  private:
    DeviceScratch memory_;
};

/// For each matrix of a batch, words that record whether its factorization has failed; 0 at first.
class Failures {
  public:
    Failures(const Tools& tools, std::int64_t batch)
        : memory_(tools.device.shared_from_this(), static_cast<std::size_t>(batch) * words_of_failure) {
        // Sets the words to 0: moves the words, as a matrix, to the address where they are, and keeps no element.
        tools.arranger.move({memory_.data(), 2, 1}, {memory_.data(), 2, 1}, batch, 2, 1, {.kept = Kept::none});
    }
    std::byte* of(std::int64_t at) const { return memory_.data() + static_cast<std::size_t>(at) * words_of_failure; }
    /// The address to which the library writes its status.
    int* info(std::int64_t at) const { return reinterpret_cast<int*>(of(at)) + 1; }

  private:
    DeviceScratch memory_;
};

/// A matrix in separate memory, with interleaved complex numbers. `row` and `column` are strides in elements.
template <class T>
struct StridedMatrix {
    T* first;
    std::int64_t rows, columns, row, column;
};
template <class T>
StridedMatrix<T> by_rows(T* first, std::int64_t rows, std::int64_t columns) {
    return {first, rows, columns, columns, 1};
}
template <class T>
StridedMatrix<T> by_columns(T* first, std::int64_t rows, std::int64_t columns) {
    return {first, rows, columns, 1, rows};
}

/// Access to matrices of T in the arrays of a program. The matrices are stored by rows. A complex matrix has an array
/// of real parts and an array of imaginary parts.
template <class T>
class Arrays {
  public:
    using R = Real<T>;
    static constexpr int words = sizeof(R) / 4;
    static constexpr int parts = sizeof(T) / sizeof(R);

    explicit Arrays(const Tools& tools) : tools_(tools) {}

    /// Copies matrix `at` of an array to separate memory.
    void take(void* const* array, std::int64_t at, const StridedMatrix<T>& to, const Change& change = {}) const {
        for (int part = 0; part < parts; ++part)
            tools_.arranger.move(in_array(array, part, at, to), in_matrix(to, part), to.rows, to.columns, words,
                                 change);
    }
    void give(const StridedMatrix<T>& from, void* const* array, std::int64_t at, const Change& change = {}) const {
        for (int part = 0; part < parts; ++part)
            tools_.arranger.move(in_matrix(from, part), in_array(array, part, at, from), from.rows, from.columns, words,
                                 change);
    }
    /// Sets the word at `failed` if an element of the matrix is not finite.
    void flag_if_wrong(void* const* array, std::int64_t at, std::int64_t size, std::byte* failed) const {
        for (int part = 0; part < parts; ++part)
            tools_.arranger.flag_if_wrong(part_of(array, part, at * size), size, words, words,
                                          Arranger::Wrong::infinite_or_nan, failed);
    }

  private:
    static std::byte* part_of(void* const* array, int part, std::int64_t element) {
        return static_cast<std::byte*>(array[part]) + element * static_cast<std::int64_t>(sizeof(R));
    }
    static Places in_array(void* const* array, int part, std::int64_t at, const StridedMatrix<T>& m) {
        return {part_of(array, part, at * m.rows * m.columns), m.columns * words, words};
    }
    static Places in_matrix(const StridedMatrix<T>& m, int part) {
        constexpr std::int64_t element = parts * words;
        return {reinterpret_cast<std::byte*>(m.first) + static_cast<std::size_t>(part) * sizeof(R), m.row * element,
                m.column * element};
    }

    const Tools& tools_;
};

int narrow(std::int64_t size) { return static_cast<int>(size); } // DeviceMatrices::counts() has checked the sizes

/// The factorizations of a batch, one after another, in the same memory.
template <class T>
class Factorizing {
    using R = Real<T>;
    using A = Arrays<T>;

  public:
    Factorizing(const Tools& tools, const FactorizeSpec& spec, void* const* buffers)
        : tools_(tools), spec_(spec), in_(buffers), out_(buffers + A::parts), f_(tools.libraries.routines<T>()),
          handle_(tools.libraries.solver()), m_(narrow(spec.m)), n_(narrow(spec.n)), k_(narrow(spec.rank())),
          columns_(narrow(spec.columns())), vectors_(narrow(spec.vectors())), arrays_(tools),
          failures_(tools, spec.batch), a_(tools, spec.m * std::max(spec.n, spec.columns())),
          tau_(tools, spec.kind == Kind::qr ? spec.rank() : 0),
          exchanged_(tools, spec.kind == Kind::lu ? spec.batch * spec.n : 0),
          u_(tools, spec.kind == Kind::svd ? spec.m * spec.columns() : 0),
          v_(tools, spec.kind == Kind::svd ? spec.vectors() * spec.n : 0), work_size_(query_work_size()),
          work_(tools, work_size_) {}

    void one(std::int64_t at) {
        switch (spec_.kind) {
        case Kind::cholesky: return cholesky(at);
        case Kind::lu: return lu(at);
        case Kind::qr: return qr(at);
        case Kind::eigh: return eigh(at);
        case Kind::svd: return svd(at);
        case Kind::eig: break; // see counts()
        }
    }
    /// Called after the last matrix of the batch. For lu, computes the permutations of all matrices.
    void end() {
        if (spec_.kind == Kind::lu)
            tools_.arranger.permute(bytes(exchanged_.data()), result(1), result(2), spec_.batch, spec_.n, A::words);
    }

  private:
    static const std::byte* bytes(const void* p) { return static_cast<const std::byte*>(p); }

    /// Returns the number of elements of the workspace for one matrix.
    int query_work_size() {
        int size = 0, other = 0;
        switch (spec_.kind) {
        case Kind::cholesky: tools_.query(f_.potrf_size, handle_, fill_upper, n_, a_.data(), n_, &size); break;
        case Kind::lu: tools_.query(f_.getrf_size, handle_, n_, n_, a_.data(), n_, &size); break;
        case Kind::qr:
            tools_.query(f_.geqrf_size, handle_, m_, n_, a_.data(), m_, &size);
            tools_.query(f_.orgqr_size, handle_, m_, columns_, k_, a_.data(), m_, tau_.data(), &other);
            break;
        case Kind::eigh:
            tools_.query(f_.syevd_size, handle_, with_vectors, fill_lower, n_, a_.data(), n_, reals(0, 0), &size);
            break;
        case Kind::svd: tools_.query(f_.gesvd_size, handle_, std::max(m_, n_), k_, &size); break;
        case Kind::eig: break;
        }
        return std::max(size, other);
    }

    /// The address of the first array of result `number`. A complex result has two arrays.
    void* const* arrays_of(std::size_t number) const {
        const auto results = spec_.results();
        void* const* at = out_;
        for (std::size_t i = 0; i < number; ++i) at += results[i].of == FactorizeSpec::Of::matrix ? A::parts : 1;
        return at;
    }
    std::byte* result(std::size_t number) const { return static_cast<std::byte*>(*arrays_of(number)); }
    /// The part of a real result that belongs to matrix `at`.
    R* reals(std::size_t number, std::int64_t at) const {
        return reinterpret_cast<R*>(result(number)) + at * spec_.rank();
    }

    void give(std::size_t number, std::int64_t at, const StridedMatrix<T>& from, const Change& change = {}) const {
        arrays_.give(from, arrays_of(number), at, change);
    }
    /// The change that replaces the elements of a result by NaN if the factorization has failed.
    Change unless_failed(std::int64_t at) const { return {.failed = failures_.of(at), .fill = Arranger::nan}; }
    void undefine_reals_if_failed(std::size_t number, std::int64_t at) const {
        const Places places{reinterpret_cast<std::byte*>(reals(number, at)), 0, A::words};
        tools_.arranger.move(places, places, 1, spec_.rank(), A::words, unless_failed(at));
    }
    /// Copies a matrix for the library. If the matrix is not finite, copies zeros instead.
    void take_finite(std::int64_t at, const StridedMatrix<T>& to) const {
        arrays_.flag_if_wrong(in_, at, spec_.m * spec_.n, failures_.of(at));
        arrays_.take(in_, at, to, {.failed = failures_.of(at)});
    }

    /// The lower triangle by rows is the upper triangle by columns; see runtime/kernels/matrices.cpp.
    void cholesky(std::int64_t at) {
        const StridedMatrix<T> l = by_rows(a_.data(), spec_.n, spec_.n);
        arrays_.take(in_, at, l);
        tools_.call(f_.potrf, handle_, fill_upper, n_, l.first, n_, work_.data(), work_size_, failures_.info(at));
        // A NaN propagates to the diagonal, so the diagonal alone is checked.
        tools_.arranger.flag_if_wrong(bytes(l.first), spec_.n, (spec_.n + 1) * A::parts * A::words, A::words,
                                      Arranger::Wrong::nan, failures_.of(at));
        Change change = unless_failed(at);
        change.kept = Kept::lower;
        give(0, at, l, change);
    }

    void lu(std::int64_t at) {
        const StridedMatrix<T> a = by_columns(a_.data(), spec_.n, spec_.n);
        arrays_.take(in_, at, a);
        tools_.call(f_.getrf, handle_, n_, n_, a.first, n_, work_.data(), exchanged_.data() + at * spec_.n,
                    failures_.info(at));
        give(0, at, a);
    }

    void qr(std::int64_t at) {
        const StridedMatrix<T> a = by_columns(a_.data(), spec_.m, spec_.n);
        const StridedMatrix<T> q = by_columns(a_.data(), spec_.m, spec_.columns());
        arrays_.take(in_, at, a);
        tools_.call(f_.geqrf, handle_, m_, n_, a.first, m_, tau_.data(), work_.data(), work_size_, failures_.info(at));
        StridedMatrix<T> r = a;
        r.rows = spec_.columns();
        give(1, at, r, {.kept = Kept::upper});
        if (q.columns > a.columns) { // the further columns of q, for which there is no reflection
            StridedMatrix<T> more = q;
            more.first += spec_.m * spec_.n;
            more.columns -= a.columns;
            arrays_.take(in_, 0, more, {.kept = Kept::none});
        }
        tools_.call(f_.orgqr, handle_, m_, columns_, k_, q.first, m_, tau_.data(), work_.data(), work_size_,
                    failures_.info(at));
        give(0, at, q);
    }

    void eigh(std::int64_t at) {
        const StridedMatrix<T> a = by_columns(a_.data(), spec_.n, spec_.n);
        take_finite(at, a);
        tools_.call(f_.syevd, handle_, with_vectors, fill_lower, n_, a.first, n_, reals(0, at), work_.data(),
                    work_size_, failures_.info(at));
        undefine_reals_if_failed(0, at);
        give(1, at, a, unless_failed(at));
    }

    /// cuSOLVER requires at least as many rows as columns. A matrix with fewer rows than columns is passed by rows.
    /// cuSOLVER reads the matrix by columns, and therefore factorizes the transpose. The factors of the transpose are
    /// the factors of the matrix in exchanged order. These factors have the layout of the results.
    void svd(std::int64_t at) {
        const auto job = static_cast<signed char>(spec_.full ? 'A' : 'S');
        const bool tall = spec_.m >= spec_.n;
        T *u = u_.data(), *v = v_.data();
        int* info = failures_.info(at);
        take_finite(at, tall ? by_columns(a_.data(), spec_.m, spec_.n) : by_rows(a_.data(), spec_.m, spec_.n));
        if (tall)
            tools_.call(f_.gesvd, handle_, job, job, m_, n_, a_.data(), m_, reals(1, at), u, m_, v, vectors_,
                        work_.data(), work_size_, nullptr, info);
        else
            tools_.call(f_.gesvd, handle_, job, job, n_, m_, a_.data(), n_, reals(1, at), v, n_, u, columns_,
                        work_.data(), work_size_, nullptr, info);
        undefine_reals_if_failed(1, at);
        const auto lies = [&](T* first, std::int64_t rows, std::int64_t columns) {
            return tall ? by_columns(first, rows, columns) : by_rows(first, rows, columns);
        };
        give(0, at, lies(u, spec_.m, spec_.columns()), unless_failed(at));
        give(2, at, lies(v, spec_.vectors(), spec_.n), unless_failed(at));
    }

    const Tools& tools_;
    FactorizeSpec spec_;
    void* const* in_;
    void* const* out_;
    const MatrixRoutines<T>& f_;
    void* handle_;
    int m_, n_, k_, columns_, vectors_;
    Arrays<T> arrays_;
    Failures failures_;
    ElementScratch<T> a_, tau_;
    ElementScratch<int> exchanged_;
    ElementScratch<T> u_, v_;
    int work_size_;
    ElementScratch<T> work_;
};

/// The triangular systems of a batch. cuBLAS solves x' t' = b' for the transposes, as in runtime/kernels/matrices.cpp.
template <class T>
class Solving {
    using A = Arrays<T>;
    static constexpr bool complex = A::parts == 2;

  public:
    Solving(const Tools& tools, const TriangularSpec& spec, void* const* buffers)
        : tools_(tools), spec_(spec), t_(buffers), b_(buffers + A::parts), x_(buffers + 2 * A::parts), arrays_(tools),
          own_t_(tools, complex ? spec.n * spec.n : 0), own_x_(tools, complex ? spec.n * spec.m : 0) {
        const auto bytes = static_cast<std::size_t>(spec.batch * spec.n * spec.m) * sizeof(T);
        if (!complex && *x_ != *b_)
            tools.device.copy(static_cast<std::byte*>(*x_), static_cast<const std::byte*>(*b_), bytes);
    }

    void one(std::int64_t at) {
        if constexpr (complex) {
            const StridedMatrix<T> x = by_rows(own_x_.data(), spec_.n, spec_.m);
            arrays_.take(t_, at, by_rows(own_t_.data(), spec_.n, spec_.n));
            arrays_.take(b_, at, x);
            solve(own_t_.data(), x.first);
            arrays_.give(x, x_, at);
        } else {
            solve(static_cast<const T*>(*t_) + at * spec_.n * spec_.n, static_cast<T*>(*x_) + at * spec_.n * spec_.m);
        }
    }
    void end() {}

  private:
    void solve(const T* t, T* x) {
        const T one = 1;
        const int n = narrow(spec_.n), m = narrow(spec_.m);
        tools_.call(tools_.libraries.routines<T>().trsm, tools_.libraries.blas(), side_right,
                    spec_.lower ? fill_upper : fill_lower, spec_.transposed ? transposed : as_it_is,
                    spec_.unit ? diagonal_of_ones : diagonal_any, m, n, &one, t, n, x, m);
    }

    const Tools& tools_;
    TriangularSpec spec_;
    void *const *t_, *const *b_, *const *x_;
    Arrays<T> arrays_;
    ElementScratch<T> own_t_, own_x_;
};

class CudaMatrices final : public DeviceMatrices {
  public:
    CudaMatrices(const Workplace& place, std::unique_ptr<MatrixLibraries> libraries,
                 std::shared_ptr<const Kernels> arranging)
        : place_(place), libraries_(std::move(libraries)), arranger_(place.device, std::move(arranging)) {}
    ~CudaMatrices() override {
        const CurrentContext entered(place_.driver, place_.context);
        libraries_.reset();
    }

    bool run(const FactorizeSpec& spec, void* const* buffers, const std::function<bool()>& leave) override {
        return in_type<Factorizing>(spec, buffers, leave);
    }
    bool run(const TriangularSpec& spec, void* const* buffers, const std::function<bool()>& leave) override {
        return in_type<Solving>(spec, buffers, leave);
    }

  private:
    template <template <class> class Work, class Spec>
    bool in_type(const Spec& spec, void* const* buffers, const std::function<bool()>& leave) {
        if (spec.dtype == DType::f32) return each<Work<float>>(spec, buffers, leave);
        if (spec.dtype == DType::f64) return each<Work<double>>(spec, buffers, leave);
        if (spec.dtype == DType::c64) return each<Work<std::complex<float>>>(spec, buffers, leave);
        return each<Work<std::complex<double>>>(spec, buffers, leave);
    }

    template <class Work, class Spec>
    bool each(const Spec& spec, void* const* buffers, const std::function<bool()>& leave) {
        if (spec.batch == 0) return true;
        const EnteredContext entered(place_.driver, place_.context);
        const MemoryWaiters::Use use(place_.device.users());
        const Tools tools(place_, *libraries_, arranger_, handles_, leave);
        std::optional<Work> work;
        with_memory(place_.device, leave, [&] { work.emplace(tools, spec, buffers); });
        for (std::int64_t at = 0; at < spec.batch; ++at) {
            if (tools.must_end()) return false;
            // A retry begins with the copy of the matrix, because a routine that works in place may have changed its
            // input.
            with_memory(place_.device, leave, [&] { work->one(at); });
        }
        if (tools.must_end()) return false;
        work->end();
        return true;
    }

    Workplace place_;
    std::unique_ptr<MatrixLibraries> libraries_;
    Arranger arranger_;
    std::timed_mutex handles_;
};

} // namespace

std::unique_ptr<DeviceMatrices> open_matrices(const Workplace& place,
                                              const std::function<std::shared_ptr<const Kernels>()>& arranging) {
    const EnteredContext entered(place.driver, place.context);
    std::unique_ptr<MatrixLibraries> libraries = MatrixLibraries::open(place.queue.stream(), place.driver.version());
    if (libraries == nullptr) return nullptr;
    return std::make_unique<CudaMatrices>(place, std::move(libraries), arranging());
}

} // namespace cuda
} // namespace pm::runtime
