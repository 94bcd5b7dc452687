#include "runtime/array.hpp"
#include "runtime/call.hpp"
#include "runtime/failure.hpp"
#include "runtime/kernels/abandonable_work.hpp"
#include "runtime/kernels/matrices.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <complex>
#include <limits>
#include <memory>
#include <random>
#include <stdexcept>
#include <thread>

using namespace pm::runtime;

namespace {

std::vector<double> uniform(std::int64_t count, unsigned seed) {
    std::mt19937 generator(seed);
    std::uniform_real_distribution<double> one(-1, 1);
    std::vector<double> values(static_cast<std::size_t>(count));
    for (double& v : values) v = one(generator);
    return values;
}

/// Runs `body` as the entry of a program.
template <class Body>
CallResult run(const CallOptions& options, Body&& body) {
    static thread_local std::function<std::int32_t(PmCall*)> entry;
    entry = body;
    CallState state(options);
    return state.run([](PmCall* call) -> std::int32_t { return entry(call); }, {}, {}, {}, 0);
}

} // namespace

TEST_CASE("a batch of factorizations has the results of single matrices, for any number of workers") {
    if (!has_lapack()) return;
    constexpr std::int64_t batch = 23, n = 20;
    std::vector<double> a = uniform(batch * n * n, 1);
    std::vector<std::vector<double>> found;
    for (const int count : {1, 2, 3}) {
        Workers workers(count);
        CallOptions options;
        options.workers = &workers;
        std::vector<double> lu(a.size()), sign(batch);
        std::vector<std::int32_t> rows(batch * n);
        const CallResult result = run(options, [&](PmCall* call) {
            FactorizeSpec spec{Factorization::lu, DType::f64, false, count > 1, batch, n, n};
            void* buffers[] = {a.data(), lu.data(), rows.data(), sign.data()};
            return pm_kernel_factorize(call, buffers, factorize_attributes(spec).data());
        });
        CHECK(result);
        for (const double s : sign) lu.push_back(s);
        for (const std::int32_t r : rows) lu.push_back(r);
        found.push_back(lu);
    }
    CHECK(found[0] == found[1]);
    CHECK(found[0] == found[2]);
    std::vector<double> lu(n * n), sign(1);
    std::vector<std::int32_t> rows(n);
    void* buffers[] = {a.data() + 22 * n * n, lu.data(), rows.data(), sign.data()};
    CHECK(factorize(nullptr, {Factorization::lu, DType::f64, false, false, 1, n, n}, buffers));
    CHECK(std::equal(lu.begin(), lu.end(), found[0].begin() + 22 * n * n));
}

TEST_CASE("a complex matrix whose imaginary parts are zero has the factors of the real matrix, in both precisions") {
    if (!has_lapack()) return;
    const auto try_in = [](auto zero, DType dtype, DType complex, double tolerance) {
        using R = decltype(zero);
        constexpr std::int64_t n = 17;
        std::vector<R> a(n * n), none(n * n, 0);
        const std::vector<double> values = uniform(n * n, 4);
        std::copy(values.begin(), values.end(), a.begin());
        std::vector<R> lu(n * n), re(n * n), im(n * n), sign(1), other_sign(1);
        std::vector<std::int32_t> rows(n), other_rows(n);
        void* real[] = {a.data(), lu.data(), rows.data(), sign.data()};
        void* parts[] = {a.data(), none.data(), re.data(), im.data(), other_rows.data(), other_sign.data()};
        CHECK(factorize(nullptr, {Factorization::lu, dtype, false, false, 1, n, n}, real));
        CHECK(factorize(nullptr, {Factorization::lu, complex, false, false, 1, n, n}, parts));
        CHECK(rows == other_rows);
        CHECK(sign == other_sign);
        for (std::size_t i = 0; i < lu.size(); ++i) {
            CHECK(std::abs(lu[i] - re[i]) < tolerance);
            CHECK(im[i] == 0);
        }
    };
    try_in(float{}, DType::f32, DType::c64, 1e-4);
    try_in(double{}, DType::f64, DType::c128, 1e-12);
}

TEST_CASE("if a complex matrix has elements that are not finite, its eigenvalues and singular values are NaN") {
    if (!has_lapack()) return;
    constexpr std::int64_t n = 6;
    std::vector<double> re = uniform(n * n, 5), im(n * n, 0);
    im[8] = std::numeric_limits<double>::infinity();
    std::vector<double> w(n), v_re(n * n), v_im(n * n), u_re(n * n), u_im(n * n), s(n);
    void* eigen[] = {re.data(), im.data(), w.data(), v_re.data(), v_im.data()};
    void* singular[] = {re.data(), im.data(), u_re.data(), u_im.data(), s.data(), v_re.data(), v_im.data()};
    CHECK(factorize(nullptr, {Factorization::eigh, DType::c128, false, false, 1, n, n}, eigen));
    for (const auto* values : {&w, &v_re, &v_im})
        for (const double x : *values) CHECK(std::isnan(x));
    CHECK(factorize(nullptr, {Factorization::svd, DType::c128, false, false, 1, n, n}, singular));
    for (const auto* values : {&u_re, &u_im, &s, &v_re, &v_im})
        for (const double x : *values) CHECK(std::isnan(x));
    std::vector<double> values(2 * n), vectors(2 * n * n);
    void* general[] = {re.data(), im.data(), values.data(), vectors.data()};
    CHECK(factorize(nullptr, {Factorization::eig, DType::c128, false, false, 1, n, n}, general));
    for (const double x : values) CHECK(std::isnan(x));
    for (const double x : vectors) CHECK(std::isnan(x));
}

TEST_CASE("eigenvalues and vectors of a general matrix, given as a real and as a complex matrix") {
    if (!has_lapack()) return;
    // a block that rotates by a right angle, and the eigenvalue 3
    std::vector<double> re = {0, -1, 0, 1, 0, 0, 0, 0, 3};
    std::vector<double> im(9, 0);
    for (const DType dtype : {DType::f64, DType::c128}) {
        std::vector<double> w(6), v(18);
        std::vector<void*> buffers{re.data()};
        if (dtype == DType::c128) buffers.push_back(im.data());
        buffers.push_back(w.data());
        buffers.push_back(v.data());
        CHECK(factorize(nullptr, {Factorization::eig, dtype, false, false, 1, 3, 3}, buffers.data()));
        std::vector<std::complex<double>> values, vectors;
        for (std::size_t i = 0; i < 3; ++i) values.emplace_back(w[i], w[3 + i]);
        for (std::size_t i = 0; i < 9; ++i) vectors.emplace_back(v[i], v[9 + i]);
        for (std::size_t j = 0; j < 3; ++j)
            for (std::size_t i = 0; i < 3; ++i) {
                std::complex<double> product = 0;
                for (std::size_t k = 0; k < 3; ++k) product += re[3 * i + k] * vectors[3 * k + j];
                CHECK(std::abs(product - values[j] * vectors[3 * i + j]) < 1e-14);
            }
        CHECK(std::abs(std::abs(values[0].imag()) - 1) < 1e-14);
    }
}

TEST_CASE("an LU factorization returns the order of the rows, and the sign of this permutation") {
    if (!has_lapack()) return;
    const auto factorized = [](std::vector<double> a, std::vector<std::int32_t> rows, double sign) {
        const auto n = static_cast<std::int64_t>(rows.size());
        std::vector<double> lu(a.size()), found_sign(1);
        std::vector<std::int32_t> found(rows.size());
        void* buffers[] = {a.data(), lu.data(), found.data(), found_sign.data()};
        CHECK(factorize(nullptr, {Factorization::lu, DType::f64, false, false, 1, n, n}, buffers));
        CHECK(found == rows);
        CHECK(found_sign[0] == sign);
    };
    factorized({1, 0, 0, 2}, {0, 1}, 1);
    factorized({0, 1, 2, 0}, {1, 0}, -1);
    factorized({0, 1, 0, 0, 0, 2, 3, 0, 0}, {2, 0, 1}, 1);
}

TEST_CASE("eigenvectors of a complex Hermitian matrix are not those of its conjugate") {
    if (!has_lapack()) return;
    std::vector<double> re = {2, 0, 0, 2}, im = {0, -1, 1, 0}; // eigenvalues 1 and 3
    std::vector<double> w(2), v_re(4), v_im(4);
    void* buffers[] = {re.data(), im.data(), w.data(), v_re.data(), v_im.data()};
    CHECK(factorize(nullptr, {Factorization::eigh, DType::c128, false, false, 1, 2, 2}, buffers));
    const auto element = [](const auto& real, const auto& imaginary, std::size_t i, std::size_t j) {
        return std::complex<double>(real[2 * i + j], imaginary[2 * i + j]);
    };
    for (std::size_t j = 0; j < 2; ++j) {
        CHECK(w[j] == doctest::Approx(j == 0 ? 1 : 3));
        for (std::size_t i = 0; i < 2; ++i) {
            const std::complex<double> product =
                element(re, im, i, 0) * element(v_re, v_im, 0, j) + element(re, im, i, 1) * element(v_re, v_im, 1, j);
            CHECK(std::abs(product - w[j] * element(v_re, v_im, i, j)) < 1e-14);
        }
    }
}

TEST_CASE("triangular systems with a different number of rows and right-hand sides") {
    if (!has_lapack()) return;
    std::vector<double> lower = {2, 0, 1, 4}, upper = {2, 1, 0, 4};
    const std::vector<double> solution = {1, 2, 3, 4, 5, 6};
    const auto solved = [&](std::vector<double>& t, TriangularSpec spec, std::vector<double> b) {
        spec.dtype = DType::f64;
        spec.n = 2;
        spec.m = 3;
        std::vector<double> x(6);
        void* buffers[] = {t.data(), b.data(), x.data()};
        CHECK(solve_triangular(nullptr, spec, buffers));
        CHECK(x == solution);
    };
    solved(lower, {.lower = true}, {2, 4, 6, 17, 22, 27});
    solved(lower, {.lower = true, .transposed = true}, {6, 9, 12, 16, 20, 24});
    solved(lower, {.lower = true, .unit = true}, {1, 2, 3, 5, 7, 9});
    solved(upper, {}, {6, 9, 12, 16, 20, 24});
}

TEST_CASE("a call waits for detached work and throws its exceptions; an abandoned call does not wait for the work") {
    CallOptions options;
    int value = 0;
    CHECK(run(options, [&](PmCall* call) { return run_detached(call, [&] { value = 3; }) ? 0 : 1; }).code == 0);
    CHECK(value == 3);
    run(options, [&](PmCall* call) {
        CHECK_THROWS_AS(run_detached(call, [] { throw std::runtime_error("x"); }), std::runtime_error);
        return 0;
    });
    // At most eight abandoned works may run at a time. A ninth work is refused until one of the eight has ended.
    const auto open = std::make_shared<std::atomic<bool>>(false);
    const auto ended = std::make_shared<std::atomic<int>>(0);
    const auto soon = [] { return std::chrono::steady_clock::now() + std::chrono::milliseconds(20); };
    const auto left = [&](PmCall* call) {
        return run_detached(call,
                            [open, ended] {
                                while (!*open) std::this_thread::sleep_for(std::chrono::milliseconds(1));
                                ++*ended;
                            })
                   ? 0
                   : 1;
    };
    for (int i = 0; i < 8; ++i) {
        options.deadline = soon();
        CHECK(run(options, left).code == 1);
    }
    options.deadline = soon();
    run(options, [&](PmCall* call) {
        CHECK_THROWS_AS(left(call), Failure);
        return 0;
    });
    CHECK(*ended == 0);
    *open = true;
    for (int i = 0; i < 5000 && *ended < 8; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    CHECK(*ended == 8);
}

TEST_CASE("a call past its deadline does not wait for a long factorization") {
    if (!has_lapack()) return;
    constexpr std::int64_t n = 1200;
    std::vector<double> a = uniform(n * n, 2);
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < i; ++j)
            a[static_cast<std::size_t>(i * n + j)] = a[static_cast<std::size_t>(j * n + i)];
    CallOptions options;
    options.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
    const CallResult result = run(options, [&](PmCall* call) {
        std::vector<double> w(n), v(n * n); // freed before the factorization ends; the factorization uses other memory
        void* buffers[] = {a.data(), w.data(), v.data()};
        return pm_kernel_factorize(
            call, buffers, factorize_attributes({Factorization::eigh, DType::f64, false, false, 1, n, n}).data());
    });
    CHECK(result.status == CallStatus::deadline);
    CHECK(result.code == 1);
}
