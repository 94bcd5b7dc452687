#include "runtime/element.hpp"
#include "tests/unit/codegen/harness.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <limits>

using namespace pm;
using namespace pm::codegen::test;
using nest::Combine;

namespace {

struct Pair {
    double value;
    std::int64_t position;
};

/// Combines values with the rounding of the dtype; argmax and argmin also combine positions.
struct Sum {
    Combine how;
    DType dtype;
    Pair identity() const {
        const std::uint64_t bits = nest::identity_bits(how, dtype);
        return {runtime::read_f64(dtype, &bits, 0), std::numeric_limits<std::int64_t>::max()};
    }
    double rounded(double x) const {
        std::uint64_t place = 0;
        if (runtime::is_float(dtype))
            runtime::write_f64(dtype, &place, 0, x);
        else
            runtime::write_i64(dtype, &place, 0, static_cast<std::int64_t>(x));
        return runtime::read_f64(dtype, &place, 0);
    }
    Pair combine(Pair a, Pair b) const {
        switch (how) {
        case Combine::add: return {rounded(a.value + b.value), 0};
        case Combine::mul: return {rounded(a.value * b.value), 0};
        case Combine::max: return {std::isnan(a.value) || a.value > b.value ? a.value : b.value, 0};
        case Combine::min: return {std::isnan(a.value) || a.value < b.value ? a.value : b.value, 0};
        case Combine::and_: return {a.value != 0 && b.value != 0 ? 1.0 : 0.0, 0};
        case Combine::or_: return {a.value != 0 || b.value != 0 ? 1.0 : 0.0, 0};
        case Combine::argmax:
        case Combine::argmin: break;
        }
        const auto better = [&](double x, double y) {
            return std::isnan(x) ? !std::isnan(y) : how == Combine::argmax ? x > y : x < y;
        };
        if (better(a.value, b.value)) return a;
        if (better(b.value, a.value)) return b;
        return a.position < b.position ? a : b;
    }
};

/// One reduction in the order that nest::Stage defines, over `at(iteration)`.
struct Reference {
    Sum sum;
    std::vector<std::int64_t> loops;
    nest::ReduceOrder order;
    std::function<Pair(const std::vector<std::int64_t>&)> at;

    Sum totals() const {
        const bool wide = sum.dtype == DType::f32 && sum.how == Combine::add;
        return {sum.how, wide ? DType::f64 : sum.dtype};
    }
    /// Whether a chunk ends after this iteration of a block of iterations `begin` to `end`.
    bool chunk_ends(const std::vector<std::int64_t>& iteration, std::int64_t begin, std::int64_t end) const {
        const std::size_t loop = order.chunk.loop;
        if (order.chunk.iterations == 0) return false;
        for (std::size_t l = loop + 1; l < loops.size(); ++l)
            if (iteration[l] + 1 < loops[l]) return false;
        const std::int64_t done = iteration[loop] + 1 - (loop == 0 ? begin : 0);
        return done % order.chunk.iterations == 0 || iteration[loop] + 1 == (loop == 0 ? end : loops[loop]);
    }

    Pair range(std::int64_t begin, std::int64_t end) const {
        const std::int64_t n = loops.back();
        const std::int64_t width = order.order == nest::Order::sequential ? 1 : n >= 64 ? 64 : 16;
        std::vector<Pair> sums(static_cast<std::size_t>(width), sum.identity());
        std::vector<Pair> wide(static_cast<std::size_t>(width), totals().identity());
        std::vector<std::int64_t> iteration(loops.size(), 0);
        iteration[0] = begin;
        for (;;) {
            if (iteration[0] >= end) break;
            bool inside = true;
            for (std::size_t l = 0; l < loops.size(); ++l) inside = inside && iteration[l] < (l == 0 ? end : loops[l]);
            const std::int64_t r = loops.size() == 1 ? iteration[0] - begin : iteration.back();
            if (inside) {
                Pair& place = sums[static_cast<std::size_t>(r % width)];
                place = sum.combine(place, at(iteration));
                if (chunk_ends(iteration, begin, end))
                    for (std::size_t i = 0; i < sums.size(); ++i) {
                        wide[i] = totals().combine(wide[i], sums[i]);
                        sums[i] = sum.identity();
                    }
            }
            std::size_t l = loops.size();
            while (l-- > 0) {
                if (++iteration[l] < loops[l] || l == 0) break;
                iteration[l] = 0;
            }
        }
        const Sum& result = order.chunk.iterations > 0 ? totals() : sum;
        if (order.chunk.iterations > 0) sums = wide;
        for (std::int64_t half = width / 2; half >= 1; half /= 2)
            for (std::int64_t i = 0; i < half; ++i)
                sums[static_cast<std::size_t>(i)] =
                    result.combine(sums[static_cast<std::size_t>(i)], sums[static_cast<std::size_t>(i + half)]);
        return sums[0];
    }
    Pair run() const {
        const std::int64_t block = order.block;
        if (block == 0 || block >= loops[0]) return range(0, loops[0]);
        Pair total = totals().identity();
        for (std::int64_t b = 0; b < loops[0]; b += block)
            total = totals().combine(total, range(b, std::min(b + block, loops[0])));
        return total;
    }
};

struct Job {
    Combine how;
    DType dtype;
    std::int64_t rows;
    std::vector<std::int64_t> loops;
    bool rows_last = false; ///< the operand is x[loops..., row] instead of x[row, loops...]
    nest::ReduceOrder order{};
    bool heavy = false;
};

void check(const Job& job) {
    const bool ranked = job.how == Combine::argmax || job.how == Combine::argmin;
    Shape shape = job.loops;
    shape.insert(job.rows_last ? shape.end() : shape.begin(), job.rows);
    std::vector<std::int64_t> strides(shape.size(), 1);
    for (std::size_t i = shape.size() - 1; i > 0; --i) strides[i - 1] = strides[i] * shape[i];
    const std::string name(runtime::name(job.dtype));
    std::string load = fmt::format("{}*i0", job.rows_last ? strides.back() : strides.front());
    std::string position = "0";
    std::int64_t place = 1;
    for (std::size_t l = job.loops.size(); l-- > 0;) {
        load += fmt::format(" + {}*i{}", strides[l + (job.rows_last ? 0 : 1)], l + 1);
        position += fmt::format(" + {}*i{}", place, l + 1);
        place *= job.loops[l];
    }
    const std::string out = ranked ? "i64" : name;
    std::string body = fmt::format("    %0: {} = load b0[{}]\n", name, load);
    if (job.heavy)
        body += fmt::format("    %8: {0} = tanh(%0)\n    %9: {0} = tanh(%8)\n    %10: {0} = mul(%9, %0)\n", name);
    const std::string value = job.heavy ? "%10" : "%0";
    if (ranked)
        body += fmt::format("    %1: i64 = index [{}]\n    %2: i64 = reduce {}({}, %1)\n", position,
                            nest::name(job.how), value);
    else
        body += fmt::format("    %2: {} = reduce {}({})\n", name, nest::name(job.how), value);
    const nest::Chunk& chunk = job.order.chunk;
    const auto nest = nest::read_nest(fmt::format(
        "nest \"r\" (b0: {}, b1: written {}) grid=[{}] {{\n  stage loops=[{}] order={} block={} chunk=[{}, {}] {{\n{}  "
        "}}\n"
        "  stage loops=[] order=lanes block=0 {{\n    store b1[i0] = %2\n  }}\n}}\n",
        name, out, job.rows, fmt::join(job.loops, ", "), job.order.order == nest::Order::lanes ? "lanes" : "sequential",
        job.order.block, chunk.loop, chunk.iterations, body));
    Array x = random_array(job.dtype, shape, 5);
    if (runtime::is_float(job.dtype) && job.how == Combine::argmax && x.elements() > 40)
        runtime::write_f64(job.dtype, x.mutable_data(), 33, NAN);
    std::vector<Array> got;
    for (const int bits : {128, 256, 512})
        for (const int workers : {1, 2})
            got.push_back(run(nest_program(nest, {shape, {job.rows}}, workers == 2), {x}, bits, workers).results[0]);
    for (std::size_t i = 1; i < got.size(); ++i)
        CHECK_MESSAGE(identical(got[0], got[i]), "bits depend on width or workers: " << i << "\n" << nest::print(nest));
    if (job.heavy) return;
    const bool half = job.dtype == DType::f16 || job.dtype == DType::bf16;
    const bool product = job.how == Combine::mul && runtime::is_float(job.dtype);
    const DType sum_type = product ? DType::f64 : half && job.how == Combine::add ? DType::f32 : job.dtype;
    for (std::int64_t row = 0; row < job.rows; ++row) {
        const auto at = [&](const std::vector<std::int64_t>& iteration) {
            std::int64_t offset = row * (job.rows_last ? strides.back() : strides.front());
            std::int64_t number = 0;
            for (std::size_t l = 0; l < iteration.size(); ++l)
                offset += iteration[l] * strides[l + (job.rows_last ? 0 : 1)],
                    number = number * job.loops[l] + iteration[l];
            return Pair{x.as_f64(offset), number};
        };
        const Pair expected = Reference{{job.how, sum_type}, job.loops, job.order, at}.run();
        if (ranked) {
            REQUIRE(got[0].as<std::int64_t>()[row] == expected.position);
        } else {
            Array one = Array::empty(job.dtype, {});
            runtime::write_f64(job.dtype, one.mutable_data(), 0, expected.value);
            if (!runtime::is_float(job.dtype))
                runtime::write_i64(job.dtype, one.mutable_data(), 0, static_cast<std::int64_t>(expected.value));
            REQUIRE_MESSAGE(std::memcmp(one.data(),
                                        static_cast<const char*>(got[0].data()) +
                                            row * static_cast<std::int64_t>(runtime::size_of(job.dtype)),
                                        runtime::size_of(job.dtype)) == 0,
                            "row " << row << ": " << got[0].as_f64(row) << " instead of " << expected.value << "\n"
                                   << nest::print(nest));
        }
    }
}

} // namespace

TEST_CASE("rows are reduced in 64 or 16 accumulators, by their length") {
    for (const std::int64_t n : {1, 2, 3, 5, 8, 10, 15, 16, 17, 31, 40, 63, 64, 65, 100, 128, 200, 1000}) {
        check({Combine::add, DType::f32, 5, {n}});
        check({Combine::max, DType::f32, 3, {n}});
    }
    for (const std::int64_t n : {3, 40, 100}) {
        for (const DType d : {DType::f64, DType::f16, DType::bf16, DType::i32, DType::i64, DType::u8})
            check({Combine::add, d, 4, {n}});
        for (const DType d : {DType::f64, DType::f32, DType::f16, DType::bf16}) check({Combine::mul, d, 4, {n}});
        check({Combine::min, DType::i8, 4, {n}});
        check({Combine::and_, DType::b1, 4, {n}});
        check({Combine::or_, DType::b1, 4, {n}});
        check({Combine::argmax, DType::f32, 4, {n}});
        check({Combine::argmin, DType::f64, 4, {n}});
        check({Combine::argmax, DType::i32, 4, {n}});
    }
}

TEST_CASE("reductions with several loops, with several blocks, and with long bodies") {
    check({Combine::add, DType::f32, 3, {7, 50}});
    check({Combine::add, DType::f32, 2, {4, 3, 70}});
    check({Combine::add, DType::f32, 1, {40, 1}});
    check({Combine::add, DType::f32, 1, {20000}, false, {nest::Order::lanes, 8192}});
    check({Combine::add, DType::f32, 2, {40, 100}, false, {nest::Order::lanes, 7}});
    check({Combine::argmax, DType::f32, 2, {300}, false, {nest::Order::lanes, 128}});
    check({Combine::argmin, DType::i32, 2, {300}, false, {nest::Order::lanes, 64}});
    check({Combine::mul, DType::f32, 2, {300}, false, {nest::Order::lanes, 100}});
    check({Combine::max, DType::f32, 2, {300}, false, {nest::Order::lanes, 100}});
    for (const DType d : {DType::f16, DType::bf16, DType::f64, DType::i32, DType::u8}) {
        check({Combine::add, d, 2, {300}, false, {nest::Order::lanes, 100}});
        check({Combine::add, d, 37, {50}, true, {nest::Order::sequential, 16}});
        check({Combine::mul, d, 37, {50}, true, {nest::Order::sequential, 16}});
    }
    check({Combine::add, DType::f32, 4, {130}, false, {nest::Order::lanes, 0}, true});
    check({Combine::argmin, DType::f32, 4, {130}, false, {nest::Order::lanes, 0}, true});
    check({Combine::add, DType::f32, 4, {64}, false, {nest::Order::lanes, 0}, true});
    check({Combine::add, DType::f32, 4, {7}, false, {nest::Order::lanes, 0}, true});
    check({Combine::add, DType::f32, 3, {0}});
}

TEST_CASE("columns are reduced in order") {
    for (const std::int64_t columns : {1, 3, 16, 17, 100, 333})
        for (const std::int64_t n : {1, 5, 100})
            check({Combine::add, DType::f32, columns, {n}, true, {nest::Order::sequential}});
    check({Combine::add, DType::f16, 40, {30}, true, {nest::Order::sequential}});
    check({Combine::max, DType::f64, 40, {30, 3}, true, {nest::Order::sequential}});
    check({Combine::argmin, DType::f32, 40, {30}, true, {nest::Order::sequential}});
    check({Combine::and_, DType::b1, 40, {30}, true, {nest::Order::sequential}});
    check({Combine::add, DType::f32, 40, {100}, true, {nest::Order::sequential, 30}});
}

TEST_CASE("accumulators start again after each chunk") {
    const auto lanes = [](std::int64_t block, std::size_t loop, std::int64_t iterations) {
        return nest::ReduceOrder{nest::Order::lanes, block, {loop, iterations}};
    };
    const auto sequential = [](std::int64_t block, std::size_t loop, std::int64_t iterations) {
        return nest::ReduceOrder{nest::Order::sequential, block, {loop, iterations}};
    };
    for (const Combine how : {Combine::add, Combine::mul, Combine::max, Combine::argmax}) {
        for (const bool heavy : {false, true}) {
            check({how, DType::f32, 3, {300}, false, lanes(0, 0, 128), heavy});
            check({how, DType::f32, 3, {256}, false, lanes(0, 0, 128), heavy});
            check({how, DType::f32, 3, {500}, false, lanes(0, 0, 128), heavy});
        }
        check({how, DType::f32, 2, {700}, false, lanes(256, 0, 64)});
        check({how, DType::f32, 2, {1000}, false, lanes(256, 0, 128)});
        check({how, DType::f32, 2, {40, 3}, false, lanes(0, 0, 7)});
        check({how, DType::f32, 2, {40, 3}, false, lanes(11, 0, 4)});
        check({how, DType::f32, 2, {3, 200}, false, lanes(2, 1, 128)});
        check({how, DType::f32, 2, {4, 9, 20}, false, lanes(1, 1, 5)});
        check({how, DType::f32, 37, {50}, true, sequential(0, 0, 16)});
        check({how, DType::f32, 37, {3, 50}, true, sequential(2, 1, 16)});
        check({how, DType::f32, 37, {50, 3}, true, sequential(0, 0, 4)});
        check({how, DType::f32, 1, {3, 4, 5}, true, sequential(0, 1, 3)});
    }
    for (const DType d : {DType::f16, DType::bf16, DType::f64, DType::i32, DType::u8}) {
        check({Combine::add, d, 2, {300}, false, lanes(0, 0, 128)});
        check({Combine::add, d, 37, {50}, true, sequential(0, 0, 16)});
    }
}

TEST_CASE("several stages read and write a row") {
    const auto nest = nest::read_nest(R"(nest "softmax" (b0: f32, b1: written f32) grid=[37] {
  stage loops=[10] order=lanes block=0 {
    %0: f32 = load b0[10*i0 + i1]
    %1: f32 = reduce max(%0)
  }
  stage loops=[10] order=lanes block=0 {
    %2: f32 = load b0[10*i0 + i1]
    %3: f32 = sub(%2, %1)
    %4: f32 = exp(%3)
    %5: f32 = reduce add(%4)
  }
  stage loops=[10] order=lanes block=0 {
    %6: f32 = load b0[10*i0 + i1]
    %7: f32 = sub(%6, %1)
    %8: f32 = exp(%7)
    %9: f32 = div(%8, %5)
    store b1[10*i0 + i1] = %9
  }
}
)");
    const Array x = random_array(DType::f32, {37, 10}, 3);
    const Array a = run(nest_program(nest, {{37, 10}, {37, 10}}), {x}, 512).results[0];
    const Array b = run(nest_program(nest, {{37, 10}, {37, 10}}, true), {x}, 128, 2).results[0];
    CHECK(identical(a, b));
    for (int r = 0; r < 37; ++r) {
        double sum = 0;
        for (int c = 0; c < 10; ++c) sum += std::exp(x.as_f64(r * 10 + c));
        for (int c = 0; c < 10; ++c)
            CHECK(a.as_f64(r * 10 + c) == doctest::Approx(std::exp(x.as_f64(r * 10 + c)) / sum).epsilon(1e-6));
    }
}
