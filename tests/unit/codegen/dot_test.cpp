#include "runtime/element.hpp"
#include "tests/unit/codegen/harness.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

using namespace pm;
using namespace pm::codegen::test;

namespace {

struct Product {
    std::int64_t batch, m, n, k;
    bool a_transposed = false;
    bool b_transposed = false;
    DType dtype = DType::f32;
    bool epilogue = false; ///< out = relu(product + bias[n])
    bool parallel = false;
};

plan::Program program_of(const Product& p) {
    plan::Program program;
    program.name = "dot";
    const auto add = [&](Shape shape, plan::Space space) {
        plan::Buffer b;
        b.dtype = p.dtype;
        b.shape = std::move(shape);
        b.space = space;
        auto& list = space == plan::Space::argument ? program.arguments : program.results;
        b.index = static_cast<std::uint32_t>(list.size());
        list.push_back(static_cast<plan::BufferId>(program.buffers.size()));
        program.buffers.push_back(b);
    };
    add({p.batch * p.m * p.k}, plan::Space::argument);
    add({p.batch * p.k * p.n}, plan::Space::argument);
    add({p.batch, p.m, p.n}, plan::Space::result);
    add({p.n}, plan::Space::argument);
    plan::Step step{plan::DotStep{.batch = p.batch,
                                  .m = p.m,
                                  .n = p.n,
                                  .k = p.k,
                                  .a_b = p.m * p.k,
                                  .a_m = p.a_transposed ? 1 : p.k,
                                  .a_k = p.a_transposed ? p.m : 1,
                                  .b_b = p.k * p.n,
                                  .b_k = p.b_transposed ? 1 : p.n,
                                  .b_n = p.b_transposed ? p.k : 1,
                                  .out_b = p.m * p.n,
                                  .out_m = p.n,
                                  .out_n = 1}};
    step.parallel = p.parallel;
    step.buffers = {0, 1, 2};
    if (p.epilogue) {
        step.buffers = {0, 1, 2, 3, 2};
        const std::string name(runtime::name(p.dtype));
        step.nest = std::make_shared<nest::Nest>(
            nest::read_nest(fmt::format(R"(nest "e" (b0: {0}, b1: {0}, b2: written {0}) grid=[{1}, {2}, {3}] {{
  stage loops=[] order=lanes block=0 {{
    %0: {0} = load b0[{4}*i0 + {3}*i1 + i2]
    %1: {0} = load b1[i2]
    %2: {0} = add(%0, %1)
    %3: {0} = constant 0x0
    %4: {0} = max(%2, %3)
    store b2[{4}*i0 + {3}*i1 + i2] = %4
  }}
}})",
                                        name, p.batch, p.m, p.n, p.m * p.n)));
    }
    program.forwarded = {-1};
    program.steps.push_back(step);
    return program;
}

/// The sum over k of factors(k), in the order of compiled products. Blocks of 64 terms are summed by fma, blocks are
/// added in groups of 1024 terms, and groups are added in f64.
template <class T>
T sum_in_order(std::int64_t k, const std::function<std::pair<T, T>(std::int64_t)>& factors) {
    using Total = std::conditional_t<std::is_same_v<T, float>, double, T>;
    Total total = 0;
    for (std::int64_t group = 0; group < k; group += 1024) {
        T of_group = 0;
        for (std::int64_t block = group; block < std::min(group + 1024, k); block += 64) {
            T sum = 0;
            for (std::int64_t i = block; i < std::min(block + 64, k); ++i) {
                const auto [x, y] = factors(i);
                if constexpr (std::is_floating_point_v<T>)
                    sum = std::fma(x, y, sum);
                else
                    sum = static_cast<T>(sum + x * y);
            }
            of_group = static_cast<T>(of_group + sum);
        }
        total = static_cast<Total>(total + of_group);
    }
    return static_cast<T>(total);
}

template <class T>
void expected_sums(const Product& p, const Array& a, const Array& b, std::vector<double>& out) {
    for (std::int64_t batch = 0; batch < p.batch; ++batch)
        for (std::int64_t m = 0; m < p.m; ++m)
            for (std::int64_t n = 0; n < p.n; ++n) {
                const T sum = sum_in_order<T>(p.k, [&](std::int64_t k) {
                    const std::int64_t at = p.a_transposed ? k * p.m + m : m * p.k + k;
                    const std::int64_t to = p.b_transposed ? n * p.k + k : k * p.n + n;
                    return std::pair{static_cast<T>(a.as_f64(batch * p.m * p.k + at)),
                                     static_cast<T>(b.as_f64(batch * p.k * p.n + to))};
                });
                out.push_back(static_cast<double>(sum));
            }
}

void check(const Product& p) {
    const Array a = random_array(p.dtype, {p.batch * p.m * p.k}, 1);
    const Array b = random_array(p.dtype, {p.batch * p.k * p.n}, 2);
    const Array bias = random_array(p.dtype, {p.n}, 3);
    std::vector<double> sums;
    if (p.dtype == DType::f64)
        expected_sums<double>(p, a, b, sums);
    else if (runtime::is_float(p.dtype))
        expected_sums<float>(p, a, b, sums);
    else if (p.dtype == DType::i8)
        expected_sums<std::int8_t>(p, a, b, sums);
    else
        expected_sums<std::int32_t>(p, a, b, sums);
    Array expected = Array::empty(p.dtype, {p.batch, p.m, p.n});
    for (std::int64_t i = 0; i < expected.elements(); ++i) {
        runtime::write_f64(p.dtype, expected.mutable_data(), i, sums[static_cast<std::size_t>(i)]);
        if (!p.epilogue) continue;
        const float biased = static_cast<float>(expected.as_f64(i)) + static_cast<float>(bias.as_f64(i % p.n));
        runtime::write_f64(p.dtype, expected.mutable_data(), i, biased);
        runtime::write_f64(p.dtype, expected.mutable_data(), i, std::max(expected.as_f64(i), 0.0));
    }
    for (const int bits : {512, 256, 128})
        for (const int workers : {1, 2}) {
            Product parallel = p;
            parallel.parallel = workers == 2;
            const Outcome out = run(program_of(parallel), {a, b, bias}, bits, workers);
            REQUIRE(out.call);
            int wrong = 0;
            for (std::int64_t i = 0; i < expected.elements(); ++i) {
                const bool same = p.dtype == DType::f64 ? out.results[0].as<double>()[i] == expected.as<double>()[i]
                                                        : out.results[0].as_f64(i) == expected.as_f64(i);
                if (!same && ++wrong < 3)
                    FAIL_CHECK(fmt::format("{}x{}x{}x{} {}{} {} bits {} workers {}: element {}: {} instead of {}",
                                           p.batch, p.m, p.n, p.k, p.a_transposed ? "T" : "N",
                                           p.b_transposed ? "T" : "N", runtime::name(p.dtype), bits, workers, i,
                                           out.results[0].as_f64(i), expected.as_f64(i)));
            }
        }
}

} // namespace

TEST_CASE("the order of the sum of a product does not depend on its shape") {
    for (const bool at : {false, true})
        for (const bool bt : {false, true})
            for (const auto [m, n, k] : std::vector<std::array<std::int64_t, 3>>{{1, 1, 1},
                                                                                 {1, 1, 100},
                                                                                 {3, 3, 3},
                                                                                 {1, 33, 17},
                                                                                 {2, 200, 9},
                                                                                 {5, 64, 40},
                                                                                 {8, 32, 64},
                                                                                 {9, 33, 20},
                                                                                 {17, 70, 33},
                                                                                 {64, 10, 50},
                                                                                 {100, 1, 60},
                                                                                 {33, 7, 128},
                                                                                 {70, 100, 65}})
                check({1, m, n, k, at, bt});
}

TEST_CASE("long products are summed in blocks and groups of blocks") {
    for (const std::int64_t k : {127, 128, 1024, 1025}) check({1, 3, 5, k});
    check({1, 1, 1, 2500});
    check({1, 1, 40, 2050, true});
    check({1, 13, 1, 1100, false, true});
    check({2, 9, 33, 1100, true, true});
    check({1, 9, 33, 1100, false, false, DType::f32, true});
    for (const DType d : {DType::f64, DType::f16, DType::bf16, DType::i32, DType::i8})
        check({1, 3, 7, 1100, false, true, d});
}

TEST_CASE("products in batches and products without elements") {
    check({5, 9, 40, 16});
    check({3, 16, 16, 16, true, true});
    check({7, 1, 5, 3});
    check({1, 4, 5, 0});
    check({1, 0, 5, 3});
}

TEST_CASE("products of other dtypes") {
    for (const DType d : {DType::f64, DType::f16, DType::bf16, DType::i32, DType::i8})
        for (const bool t : {false, true}) {
            check({1, 17, 35, 30, t, !t, d});
            check({1, 3, 5, 4, t, t, d});
            check({2, 20, 1, 40, false, t, d});
        }
}

TEST_CASE("an epilogue is applied to the elements of the product") {
    check({1, 3, 5, 4, false, false, DType::f32, true});
    check({1, 37, 50, 20, false, false, DType::f32, true});
    check({2, 37, 130, 20, false, true, DType::f32, true});
    check({1, 20, 10, 64, true, false, DType::f32, true});
    check({1, 20, 40, 64, false, false, DType::bf16, true});
}
