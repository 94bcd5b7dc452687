// Factorizations in a device's memory, compared with those of the host. The stand-ins of NVIDIA's libraries
// (tests/gpu/libraries) compute them.
#include "runtime/gpu/device/matrices.hpp"
#include "runtime/gpu/libraries/arrange.hpp"
#include "runtime/kernels/lapack.hpp"
#include "tests/gpu/device/library.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

using namespace pm::runtime;

namespace {

using Elements = std::vector<std::complex<double>>;

std::shared_ptr<Device> device() {
    // Never closed: at the end of the process the driver's own objects may be gone.
    static const auto& one = *new std::shared_ptr<Device>(open_gpu());
    return one;
}
bool has_libraries() { return is_there(device()->matrices(), "cuSOLVER with cuBLAS"); }
/// Whether LAPACK, which computes the results to compare with, exists too.
bool has_both() { return has_libraries() && is_there(has_lapack() ? device().get() : nullptr, "LAPACK"); }

/// Buffers of a step, on the host and, with the same contents, on the device.
class Buffers {
  public:
    explicit Buffers(const std::vector<std::size_t>& sizes) {
        for (const std::size_t bytes : sizes) {
            host.emplace_back(bytes, std::byte{0x77});
            device_.push_back(device()->allocate(bytes));
            device()->upload(device_.back(), host.back().data(), bytes);
        }
    }
    ~Buffers() {
        for (std::byte* block : device_) device()->release(block);
    }
    Buffers(const Buffers&) = delete;
    Buffers& operator=(const Buffers&) = delete;

    void upload(std::size_t i) { device()->upload(device_[i], host[i].data(), host[i].size()); }
    std::vector<void*> on_host() {
        std::vector<void*> made;
        for (auto& bytes : host) made.push_back(bytes.data());
        return made;
    }
    std::vector<void*> on_device() const { return {device_.begin(), device_.end()}; }
    std::vector<std::byte> download(std::size_t i) const {
        std::vector<std::byte> bytes(host[i].size());
        device()->download(bytes.data(), device_[i], bytes.size());
        return bytes;
    }

    std::vector<std::vector<std::byte>> host;

  private:
    std::vector<std::byte*> device_;
};

template <class E>
std::vector<E> elements(const std::vector<std::byte>& bytes) {
    std::vector<E> made(bytes.size() / sizeof(E));
    if (!bytes.empty()) std::memcpy(made.data(), bytes.data(), bytes.size());
    return made;
}
std::vector<double> reals(const std::vector<std::byte>& bytes, DType part) {
    if (part == DType::f64) return elements<double>(bytes);
    if (part == DType::i32) {
        const auto made = elements<std::int32_t>(bytes);
        return {made.begin(), made.end()};
    }
    const auto made = elements<float>(bytes);
    return {made.begin(), made.end()};
}
void set(std::vector<std::byte>& bytes, DType part, std::size_t i, double value) {
    if (part == DType::f64) {
        std::memcpy(bytes.data() + i * 8, &value, 8);
    } else {
        const auto small = static_cast<float>(value);
        std::memcpy(bytes.data() + i * 4, &small, 4);
    }
}

/// Fills buffers with numbers between -1 and 1.
void fill(Buffers& buffers, std::size_t count, DType part) {
    std::mt19937 generator(7);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (std::size_t b = 0; b < count; ++b) {
        for (std::size_t i = 0; i < buffers.host[b].size() / size_of(part); ++i)
            set(buffers.host[b], part, i, uniform(generator));
        buffers.upload(b);
    }
}

/// Compares the results of a step on the host and on the device: the buffers from `first` on.
void compare(const Buffers& buffers, std::size_t first, const std::vector<DType>& of, double tolerance) {
    for (std::size_t b = first; b < buffers.host.size(); ++b) {
        const std::vector<double> here = reals(buffers.host[b], of[b]), there = reals(buffers.download(b), of[b]);
        double most = 0;
        std::size_t differ = 0;
        for (std::size_t i = 0; i < here.size(); ++i) {
            if (std::isnan(here[i]) != std::isnan(there[i])) ++differ;
            if (!std::isnan(here[i])) most = std::max(most, std::abs(here[i] - there[i]));
        }
        INFO("result ", b - first);
        CHECK(differ == 0);
        CHECK(most <= tolerance);
    }
}

std::vector<DType> dtypes(const FactorizeSpec& spec) {
    const DType part = part_type(spec.dtype);
    std::vector<DType> made(spec.operands(), part);
    for (const auto& [size, of] : spec.results())
        if (size > 0)
            made.insert(made.end(), of == FactorizeSpec::Of::matrix ? spec.operands() : 1,
                        of == FactorizeSpec::Of::rows ? DType::i32 : part);
    return made;
}

/// Makes matrices Hermitian and positive definite.
void make_positive(Buffers& buffers, const FactorizeSpec& spec) {
    const DType part = part_type(spec.dtype);
    for (std::size_t b = 0; b < spec.operands(); ++b) {
        const std::vector<double> all = reals(buffers.host[b], part);
        const auto n = static_cast<std::size_t>(spec.n);
        for (std::size_t at = 0; at < all.size(); at += n * n)
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t j = 0; j < n; ++j) {
                    const double low = all[at + std::max(i, j) * n + std::min(i, j)];
                    const double value = b == 0   ? low + (i == j ? 2.0 * static_cast<double>(n) : 0)
                                         : i == j ? 0
                                         : i > j  ? low
                                                  : -low;
                    set(buffers.host[b], part, at + i * n + j, value);
                }
        buffers.upload(b);
    }
}

/// Matrix `at` of result `buffer`, downloaded from the device.
Elements matrix(const Buffers& buffers, const FactorizeSpec& spec, std::size_t buffer, std::int64_t at,
                std::int64_t size, bool real = false) {
    const DType part = part_type(spec.dtype);
    const std::vector<double> re = reals(buffers.download(buffer), part);
    const std::vector<double> im =
        is_complex(spec.dtype) && !real ? reals(buffers.download(buffer + 1), part) : std::vector<double>(re.size());
    Elements made;
    for (std::int64_t i = at * size; i < (at + 1) * size; ++i)
        made.emplace_back(re[static_cast<std::size_t>(i)], im[static_cast<std::size_t>(i)]);
    return made;
}
/// The greatest difference between a[rows, inner] @ b[inner, columns] and c.
double distance(const Elements& a, const Elements& b, const Elements& c, std::size_t rows, std::size_t inner,
                std::size_t columns) {
    double most = 0;
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) {
            std::complex<double> sum = 0;
            for (std::size_t k = 0; k < inner; ++k) sum += a[i * inner + k] * b[k * columns + j];
            const double d = std::abs(sum - c[i * columns + j]);
            most = std::isnan(d) ? d : std::max(most, d);
        }
    return most;
}

/// Checks that the columns of u[m, columns] are orthonormal.
void check_orthogonal(const Elements& u, std::size_t m, std::size_t columns, double tolerance) {
    Elements eye(columns * columns), adjoint(columns * m);
    for (std::size_t i = 0; i < columns; ++i) {
        eye[i * columns + i] = 1;
        for (std::size_t j = 0; j < m; ++j) adjoint[i * m + j] = std::conj(u[j * columns + i]);
    }
    CHECK(distance(adjoint, u, eye, columns, m, columns) <= tolerance);
}

struct Case {
    Factorization kind;
    bool full;
    std::int64_t batch, m, n;
};

void compare_with_host(const Case& c, DType dtype) {
    const FactorizeSpec spec{c.kind, dtype, c.full, false, c.batch, c.m, c.n};
    INFO("kind ", static_cast<int>(c.kind), " full ", c.full, " batch ", c.batch, " m ", c.m, " n ", c.n, " dtype ",
         static_cast<int>(dtype));
    Buffers buffers(spec.bytes());
    fill(buffers, spec.operands(), part_type(dtype));
    if (c.kind == Factorization::cholesky || c.kind == Factorization::eigh) make_positive(buffers, spec);
    REQUIRE(factorize(nullptr, spec, buffers.on_host().data()));
    REQUIRE(device()->matrices()->run(spec, buffers.on_device().data(), never));
    const double tolerance = part_type(dtype) == DType::f64 ? 1e-11 : 3e-4;
    const std::size_t first = spec.operands();
    const auto m = static_cast<std::size_t>(c.m), n = static_cast<std::size_t>(c.n),
               columns = static_cast<std::size_t>(spec.columns());
    const std::int64_t at = c.batch - 1;
    if (c.kind == Factorization::qr) {
        const Elements q = matrix(buffers, spec, first, at, c.m * spec.columns());
        check_orthogonal(q, m, columns, tolerance);
        CHECK(distance(q, matrix(buffers, spec, 2 * first, at, spec.columns() * c.n),
                       matrix(buffers, spec, 0, at, c.m * c.n), m, columns, n) <= tolerance);
        if (!interpreted()) return; // other libraries choose other signs
    }
    if (c.kind != Factorization::eigh && c.kind != Factorization::svd)
        return compare(buffers, first, dtypes(spec), tolerance);

    // Vectors may have other signs. Compares the values, and for the last matrix the product of its factors.
    const std::size_t values = c.kind == Factorization::eigh ? first : 2 * first;
    const std::vector<double> here = reals(buffers.host[values], part_type(dtype)),
                              there = reals(buffers.download(values), part_type(dtype));
    for (std::size_t i = 0; i < here.size(); ++i) CHECK(std::abs(here[i] - there[i]) <= tolerance);
    const std::int64_t k = spec.rank();
    const Elements a = matrix(buffers, spec, 0, at, c.m * c.n);
    const Elements w = matrix(buffers, spec, values, at, k, true);
    const auto r = static_cast<std::size_t>(k);
    if (c.kind == Factorization::eigh) {
        const Elements v = matrix(buffers, spec, values + 1, at, c.n * c.n);
        Elements scaled = v;
        for (std::size_t i = 0; i < scaled.size(); ++i) scaled[i] *= w[i % n];
        CHECK(distance(a, v, scaled, n, n, n) <= tolerance * 10);
        return;
    }
    const Elements u = matrix(buffers, spec, first, at, c.m * spec.columns());
    const Elements vh = matrix(buffers, spec, values + 1, at, spec.vectors() * c.n);
    check_orthogonal(u, m, columns, tolerance);
    Elements left(m * r);
    for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < r; ++j) left[i * r + j] = u[i * columns + j] * w[j];
    CHECK(distance(left, {vh.begin(), vh.begin() + static_cast<std::ptrdiff_t>(r * n)}, a, m, r, n) <= tolerance);
}

constexpr DType all_dtypes[] = {DType::f32, DType::f64, DType::c64, DType::c128};

} // namespace

TEST_CASE("factorizations on the device agree with those of the host") {
    if (!has_both()) return;
    for (const DType dtype : all_dtypes)
        for (const Case& c : {Case{Factorization::cholesky, false, 3, 19, 19},
                              Case{Factorization::lu, false, 3, 21, 21}, Case{Factorization::lu, false, 1, 1, 1},
                              Case{Factorization::qr, false, 2, 23, 9}, Case{Factorization::qr, false, 2, 9, 23},
                              Case{Factorization::qr, true, 2, 23, 9}, Case{Factorization::qr, true, 1, 9, 23},
                              Case{Factorization::qr, true, 1, 17, 17}, Case{Factorization::eigh, false, 2, 18, 18},
                              Case{Factorization::svd, false, 2, 20, 11}, Case{Factorization::svd, false, 2, 11, 20},
                              Case{Factorization::svd, true, 2, 20, 11}, Case{Factorization::svd, true, 2, 11, 20},
                              Case{Factorization::svd, false, 1, 16, 16}, Case{Factorization::lu, false, 0, 4, 4}})
            compare_with_host(c, dtype);
}

TEST_CASE("triangular systems on the device agree with the host, also in place") {
    if (!has_both()) return;
    for (const DType dtype : all_dtypes)
        for (int which = 0; which < 16; ++which) {
            const TriangularSpec spec{dtype, (which & 1) != 0, (which & 2) != 0, (which & 4) != 0, false, 2, 13, 6};
            const bool in_place = (which & 8) != 0;
            Buffers buffers(spec.bytes());
            const DType part = part_type(dtype);
            fill(buffers, spec.operands(), part);
            for (std::size_t i = 0; i < 2 * 13 * 13; i += i % 169 == 168 ? 1 : 14) set(buffers.host[0], part, i, 3);
            buffers.upload(0);
            std::vector<void*> host = buffers.on_host(), there = buffers.on_device();
            const std::size_t half = spec.operands() / 2;
            REQUIRE(solve_triangular(nullptr, spec, host.data()));
            if (in_place)
                for (std::size_t i = 0; i < half; ++i) there[2 * half + i] = there[half + i];
            REQUIRE(device()->matrices()->run(spec, there.data(), never));
            for (std::size_t i = 0; i < half; ++i) {
                const std::vector<double> want = reals(buffers.host[2 * half + i], part);
                const std::vector<double> got = reals(buffers.download((in_place ? 1 : 2) * half + i), part);
                for (std::size_t j = 0; j < want.size(); ++j)
                    CHECK(std::abs(want[j] - got[j]) <= (part == DType::f64 ? 1e-9 : 1e-1) * (1 + std::abs(want[j])));
            }
        }
}

TEST_CASE("a matrix without factors gives NaN, and the other matrices of the batch have factors") {
    if (!has_both()) return;
    const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
    for (const DType dtype : all_dtypes)
        for (const Factorization kind : {Factorization::cholesky, Factorization::eigh, Factorization::svd})
            for (const double bad : {-1.0, nan, infinity}) {
                if (kind == Factorization::cholesky ? bad == infinity : bad == -1.0) continue;
                constexpr std::int64_t n = 9;
                const FactorizeSpec spec{kind, dtype, false, false, 3, n, n};
                INFO("kind ", static_cast<int>(kind), " dtype ", static_cast<int>(dtype), " of ", bad);
                Buffers buffers(spec.bytes());
                const DType part = part_type(dtype);
                fill(buffers, spec.operands(), part);
                make_positive(buffers, spec);
                for (const std::size_t place : {4 * n + 4, 6 * n + 2}) // the second matrix
                    set(buffers.host[0], part, n * n + place, bad);
                buffers.upload(0);
                REQUIRE(factorize(nullptr, spec, buffers.on_host().data()));
                REQUIRE(device()->matrices()->run(spec, buffers.on_device().data(), never));
                const std::vector<DType> of = dtypes(spec);
                for (std::size_t b = spec.operands(); b < of.size(); ++b) {
                    const std::vector<double> here = reals(buffers.host[b], part),
                                              there = reals(buffers.download(b), part);
                    for (std::size_t i = 0; i < here.size(); ++i) CHECK(std::isnan(here[i]) == std::isnan(there[i]));
                }
            }
}

TEST_CASE("a singular matrix has LU factors") {
    if (!has_both()) return;
    for (const DType dtype : all_dtypes) {
        constexpr std::int64_t n = 8;
        const FactorizeSpec spec{Factorization::lu, dtype, false, false, 1, n, n};
        Buffers buffers(spec.bytes());
        fill(buffers, spec.operands(), part_type(dtype));
        for (std::size_t b = 0; b < spec.operands(); ++b) {
            for (std::size_t j = 0; j < n; ++j) set(buffers.host[b], part_type(dtype), j * n + 3, 0);
            buffers.upload(b);
        }
        REQUIRE(factorize(nullptr, spec, buffers.on_host().data()));
        REQUIRE(device()->matrices()->run(spec, buffers.on_device().data(), never));
        compare(buffers, spec.operands(), dtypes(spec), part_type(dtype) == DType::f64 ? 1e-12 : 1e-4);
    }
}

TEST_CASE("a batch can stop between its matrices, and memory is freed") {
    if (!has_libraries()) return;
    const FactorizeSpec spec{Factorization::lu, DType::f64, false, false, 5, 6, 6};
    Buffers buffers(spec.bytes());
    fill(buffers, 1, DType::f64);
    device()->wait();
    const std::size_t free = device()->free_memory();
    int polls = 0;
    CHECK_FALSE(device()->matrices()->run(spec, buffers.on_device().data(), [&] { return ++polls > 2; }));
    CHECK(polls == 3);
    device()->wait();
    PM_CHECK_INTERPRETED(device()->free_memory() == free);
}

TEST_CASE("matrices too large for the libraries' integers are refused") {
    FactorizeSpec spec{Factorization::svd, DType::f32, false, false, 1, 1 << 20, 1 << 10};
    CHECK(DeviceMatrices::counts(spec));
    spec.full = true;
    CHECK_FALSE(DeviceMatrices::counts(spec));
    CHECK_FALSE(DeviceMatrices::counts(FactorizeSpec{Factorization::eigh, DType::f32, false, false, 1, 30000, 30000}));
    CHECK_FALSE(DeviceMatrices::counts(TriangularSpec{DType::f32, false, false, false, false, 1, 50000, 1}));
}

TEST_CASE("the runtime's own kernels can be loaded") {
    CHECK(ptx_names().size() == 1);
    for (const std::string_view name : ptx_names()) CHECK_NOTHROW(device()->load(std::string(*ptx_source(name)), 3));
}

TEST_CASE("the arranger transposes, interleaves, masks and overwrites matrices") {
    const Arranger arranger(*device(), device()->load(std::string(*ptx_source("arrange")), Arranger::kernels));
    for (const int words : {1, 2}) {
        constexpr std::int64_t rows = 37, columns = 18;
        const auto size = static_cast<std::size_t>(2 * rows * columns * words);
        std::vector<std::uint32_t> from(size), to(size, 5), got(size);
        for (std::size_t i = 0; i < size; ++i) from[i] = static_cast<std::uint32_t>(1000 + i);
        const std::uint32_t failed[2] = {0, 3};
        for (const Kept kept : {Kept::all, Kept::lower, Kept::upper, Kept::none})
            for (const bool fails : {false, true}) {
                Buffers memory({4 * size, 4 * size, 8});
                std::memcpy(memory.host[0].data(), from.data(), 4 * size);
                std::memcpy(memory.host[1].data(), to.data(), 4 * size);
                if (fails)
                    std::memcpy(memory.host[2].data(), failed, 8);
                else
                    std::fill(memory.host[2].begin(), memory.host[2].end(), std::byte{0});
                for (const std::size_t i : {0, 1, 2}) memory.upload(i);
                std::vector<void*> at = memory.on_device();
                const auto address = [&](std::size_t i) { return static_cast<std::byte*>(at[i]); };
                arranger.move({address(0), columns * words, words}, {address(1), 2 * words, 2 * rows * words}, rows,
                              columns, words, {kept, address(2), 9});
                got = elements<std::uint32_t>(memory.download(1));
                std::size_t wrong = 0;
                for (std::int64_t j = 0; j < columns; ++j)
                    for (std::int64_t i = 0; i < rows; ++i)
                        for (int part = 0; part < 2; ++part)
                            for (int w = 0; w < words; ++w) {
                                const auto place = static_cast<std::size_t>((2 * (j * rows + i) + part) * words + w);
                                const auto source = static_cast<std::size_t>((i * columns + j) * words + w);
                                const bool is_kept = kept == Kept::all || (kept == Kept::lower && i >= j) ||
                                                     (kept == Kept::upper && i <= j);
                                const std::uint32_t want = part == 1 ? 5U : !is_kept ? 0U : fails ? 9U : from[source];
                                if (got[place] != want) ++wrong;
                            }
                CHECK(wrong == 0);
            }
    }
}

TEST_CASE("the arranger checks more numbers than threads, and applies long permutations") {
    const Arranger arranger(*device(), device()->load(std::string(*ptx_source("arrange")), Arranger::kernels));
    const std::size_t count = 300000; // more than 1024 blocks of 256 threads
    Buffers memory({4 * count, 4});
    for (std::size_t i = 0; i < count; ++i) set(memory.host[0], DType::f32, i, 1);
    for (const bool bad : {false, true}) {
        if (bad) set(memory.host[0], DType::f32, count - 2, std::numeric_limits<double>::infinity());
        std::fill(memory.host[1].begin(), memory.host[1].end(), std::byte{0});
        memory.upload(0);
        memory.upload(1);
        auto* from = static_cast<std::byte*>(memory.on_device()[0]);
        auto* failed = static_cast<std::byte*>(memory.on_device()[1]);
        arranger.flag_if_wrong(from, count, 1, 1, Arranger::Wrong::nan, failed);
        CHECK(elements<std::int32_t>(memory.download(1))[0] == 0);
        arranger.flag_if_wrong(from, count / 2, 2, 1, Arranger::Wrong::infinite_or_nan, failed);
        CHECK(elements<std::int32_t>(memory.download(1))[0] == (bad ? 1 : 0));
    }
    constexpr std::int32_t n = 700;
    Buffers rows({2 * n * 4, 2 * n * 4, 16});
    std::vector<std::int32_t> exchanged(2 * n);
    for (std::int32_t i = 0; i < n; ++i) {
        exchanged[static_cast<std::size_t>(i)] = n;                                   // n - 1 exchanges
        exchanged[static_cast<std::size_t>(n + i)] = i == 0 ? 1 : std::min(i + 2, n); // n - 2
    }
    std::memcpy(rows.host[0].data(), exchanged.data(), exchanged.size() * 4);
    rows.upload(0);
    std::vector<void*> at = rows.on_device();
    arranger.permute(static_cast<std::byte*>(at[0]), static_cast<std::byte*>(at[1]), static_cast<std::byte*>(at[2]), 2,
                     n, 2);
    const auto got = elements<std::int32_t>(rows.download(1));
    const auto signs = elements<double>(rows.download(2));
    for (std::size_t b = 0; b < 2; ++b) {
        std::vector<std::int32_t> want(n);
        for (std::int32_t i = 0; i < n; ++i) want[static_cast<std::size_t>(i)] = i;
        double sign = 1;
        for (std::size_t i = 0; i < n; ++i) {
            const auto other = static_cast<std::size_t>(exchanged[b * n + i] - 1);
            if (other != i) sign = -sign;
            std::swap(want[i], want[other]);
        }
        CHECK(std::equal(want.begin(), want.end(), got.begin() + static_cast<std::ptrdiff_t>(b * n)));
        CHECK(signs[b] == sign);
    }
}
