#include "compiler/optimize/pass.hpp"
#include "compiler/plan/plan.hpp"
#include "tests/unit/codegen/harness.hpp"
#include "tests/unit/ops/harness.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <limits>

// Compiles every operation of the census. The samples are compiled by the passes, the planner and the JIT. The results
// are compared with the results of the operation's eval rule. Each sample is compiled alone, and also between
// elementwise operations that may be fused with the sample. All samples of an operation are in one program, because
// many small programs take much longer to compile.

using namespace pm;
using namespace pm::codegen::test;
using ops::Build;
using ops::Domain;
using ops::Op;
using ops::Sample;
using ops::Values;

namespace {

/// Operations without samples: collectives, which need a pmap around them, effects, and tapes. Their tests are in
/// tests/unit/plan/lanes.cpp, tests/unit/evaluate/pmap.cpp and tests/lang.
bool tried_elsewhere(Op op) {
    using enum Op;
    for (Op one : {psum, pmax, pmin, all_gather, psum_scatter, ppermute, all_to_all, axis_index, check, print})
        if (op == one) return true;
    return ops::detail::on_tapes(op);
}

/// Operations whose compiled code may round differently from eval: functions that compiled code approximates by
/// polynomials, and sums and products that it computes in another order than eval. All other operations have the bits
/// of eval.
bool rounds_otherwise(Op op) {
    using enum Op;
    for (Op one : {exp,  expm1, log,         log1p,   rsqrt,  cbrt,    sin,        cos,         tan,      asin,   acos,
                   atan, sinh,  cosh,        tanh,    asinh,  acosh,   atanh,      atan2,       logistic, erf,    erfc,
                   pow,  dot,   convolution, erf_inv, lgamma, digamma, reduce_sum, reduce_prod, cumsum,   cumprod})
        if (op == one) return true;
    return false;
}

/// The relative tolerance. For 16-bit floats it is one unit in the last place, since they are rounded from a nearly
/// exact result.
double tolerance(const Sample& sample, DType dtype) {
    switch (dtype) {
    case DType::f16: return 0x1p-10;
    case DType::bf16: return 0x1p-7;
    case DType::f32: return sample.tolerance;
    case DType::f64: return 1e-12;
    default: return 0;
    }
}

// ---- operands

/// A random edge value of functions and formats. Rounded to the dtype, edge values are zeros of both signs, infinities,
/// NaN, and the least and greatest numbers. Only elementwise operations get the least and greatest numbers, because
/// sums of them depend on the order.
double edge_float(bool elementwise, std::mt19937_64& random) {
    static const std::vector<double> edges{0.0,    -0.0, 1,     -1,    inf,    -inf,    std::nan(""), 0.5,
                                           -2.5,   3e38, -3e38, 1e-40, -1e-40, 1.7e308, 1e-310,       6e-8,
                                           -65504, 1e-5, 0.999, 1e5,   -20000, 16777217};
    return edges[random() % (elementwise ? edges.size() : 9)];
}

std::int64_t edge_index(std::mt19937_64& random) {
    static const std::vector<std::int64_t> edges{
        0, 1, 2, -1, 6, 7, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
    return random() % 2 == 0 ? edges[random() % edges.size()] : static_cast<std::int64_t>(random() % 20000);
}

std::vector<Array> edge_inputs(Op op, const Sample& sample, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<Array> inputs = ops::test::make_inputs(sample, seed);
    for (std::size_t k = 0; k < inputs.size(); ++k) {
        const DType dtype = inputs[k].dtype();
        const bool index = ops::test::domain_of(sample, k) == Domain::index;
        if (!runtime::is_float(dtype) && !index) continue;
        Array changed = inputs[k].clone();
        for (std::int64_t i = 0; i < changed.elements(); ++i) {
            if (index)
                runtime::write_i64(dtype, changed.mutable_data(), i, edge_index(random));
            else if (random() % 2 == 0)
                runtime::write_f64(dtype, changed.mutable_data(), i,
                                   edge_float(ir::info(op).has(ir::elementwise), random));
        }
        inputs[k] = std::move(changed);
    }
    return inputs;
}

// ---- programs

/// Appends an elementwise operation whose result has the domain of `v`.
ir::Value before(Build& b, ir::Value v) {
    const DType dtype = b.dtype(v);
    if (dtype == DType::b1) return b.unary(Op::not_, v);
    if (dtype == DType::tape) return b.select(b.constant(DType::b1, 1.0, b.shape(v)), v, b.zeros_like(v));
    if (dtype == DType::key) {
        const auto as = [](DType d) { return ir::Attrs{{ir::Attr::dtype, d}}; };
        const ir::Value bits = b.emit1(Op::bitcast, {v}, as(DType::u64));
        const ir::Value other = b.binary(Op::xor_, bits, b.constant_i(DType::u64, 1, b.shape(v)));
        return b.emit1(Op::bitcast, {other}, as(DType::key));
    }
    if (runtime::is_float(dtype)) return b.binary(Op::min, v, b.like(v, 4));
    const auto bits = static_cast<int>(8 * runtime::size_of(dtype)) - (runtime::is_signed_integer(dtype) ? 1 : 0);
    const std::int64_t most = std::numeric_limits<std::int64_t>::max() >> (63 - std::min(63, bits));
    return b.binary(Op::min, v, b.constant_i(dtype, most - 1, b.shape(v)));
}

ir::Value after(Build& b, ir::Value v) {
    if (b.dtype(v) == DType::b1) return b.unary(Op::not_, v);
    if (b.dtype(v) == DType::tape) return b.select(b.constant(DType::b1, 0.0, b.shape(v)), b.zeros_like(v), v);
    if (b.dtype(v) == DType::key) v = b.emit1(Op::bitcast, {v}, {{ir::Attr::dtype, DType::u64}});
    return b.neg(v);
}

/// The samples without complex numbers. Complex samples are tested in tests/unit/transform/lower_complex.cpp.
std::vector<Sample> real_samples(Op op) {
    std::vector<Sample> samples = ops::rules(op).samples.fn();
    std::erase_if(samples, [](const Sample& s) {
        return std::any_of(s.operands.begin(), s.operands.end(),
                           [](const ir::Type& type) { return runtime::is_complex(type.dtype); });
    });
    return samples;
}

/// All real samples of one operation. Each sample has two sets of results: of the operation alone, and of the operation
/// between two elementwise operations.
struct Census {
    Op op;
    std::vector<Sample> samples;
    ir::BlockPtr block;
    std::vector<std::size_t> sample_of; ///< the index of the sample that computes each result

    explicit Census(Op of) : op(of), samples(real_samples(of)) {
        Build b(std::string(ir::info(op).name));
        Values results;
        for (std::size_t i = 0; i < samples.size(); ++i) {
            Values operands;
            Values made;
            for (const ir::Type& type : samples[i].operands) operands.push_back(b.param(type));
            for (const ir::Value v : operands) made.push_back(before(b, v));
            for (const ir::Value v : b.emit(op, operands, samples[i].attrs)) results.push_back(v);
            for (const ir::Value v : b.emit(op, made, samples[i].attrs)) results.push_back(after(b, v));
            sample_of.resize(results.size(), i);
        }
        block = b.finish(std::move(results));
    }

    template <class Make>
    std::vector<Array> inputs(Make&& make) const {
        std::vector<Array> all;
        for (std::size_t i = 0; i < samples.size(); ++i)
            for (Array& x : make(samples[i], 100 + i)) all.push_back(std::move(x));
        return all;
    }
};

// ---- comparison

bool same_zero(double x, double y) { return x != 0 || y != 0 || std::signbit(x) == std::signbit(y); }

/// The least scale of relative differences: 1, so differences near zero are absolute. For a running sum the scale is
/// the largest element: an element has the errors of earlier elements, which may be larger than the element.
double scale_of(Op op, const Array& expected) {
    double largest = 1;
    for (std::int64_t i = 0; op == Op::cumsum && i < expected.elements(); ++i)
        if (std::isfinite(expected.as_f64(i))) largest = std::max(largest, std::fabs(expected.as_f64(i)));
    return largest;
}

/// A description of the difference at element i; empty if there is none.
std::string difference(const Array& made, const Array& expected, std::int64_t i, double allowed, double least_scale) {
    if (runtime::is_float(expected.dtype())) {
        const double x = made.as_f64(i);
        const double y = expected.as_f64(i);
        if (std::isnan(x) && std::isnan(y)) return "";
        const double scale = std::max({least_scale, std::fabs(x), std::fabs(y)});
        if (x == y ? same_zero(x, y) : std::fabs(x - y) <= allowed * scale && std::isfinite(scale)) return "";
        return fmt::format("element {}: {} instead of {}", i, x, y);
    }
    if (made.as_u64(i) == expected.as_u64(i)) return "";
    return fmt::format("element {}: {} instead of {}", i, made.as_u64(i), expected.as_u64(i));
}

void check_results(const Census& census, const std::vector<Array>& made, const std::vector<Array>& expected,
                   std::string_view inputs) {
    REQUIRE(made.size() == expected.size());
    for (std::size_t r = 0; r < made.size(); ++r) {
        REQUIRE(made[r].dtype() == expected[r].dtype());
        REQUIRE(made[r].shape() == expected[r].shape());
        if (identical(made[r], expected[r])) continue;
        const Sample& sample = census.samples[census.sample_of[r]];
        const double allowed = rounds_otherwise(census.op) ? tolerance(sample, made[r].dtype()) : 0;
        const double scale = scale_of(census.op, expected[r]);
        std::string wrong;
        for (std::int64_t i = 0; wrong.empty() && i < made[r].elements(); ++i)
            wrong = difference(made[r], expected[r], i, allowed, scale);
        const bool first = r == 0 || census.sample_of[r - 1] != census.sample_of[r];
        if (!wrong.empty())
            FAIL_CHECK(fmt::format("{} with {} operands: {}\n{}", first ? "alone" : "fused", inputs, wrong,
                                   ops::test::describe(census.op, sample)));
    }
}

std::vector<Array> run_compiled(const plan::Program& program, const codegen::Code& code,
                                const std::vector<Array>& arguments) {
    Outcome outcome = run_code(program, code, arguments, 2);
    REQUIRE(outcome.call);
    for (std::size_t r = 0; r < outcome.results.size(); ++r)
        if (program.forwarded[r] >= 0) outcome.results[r] = arguments[static_cast<std::size_t>(program.forwarded[r])];
    return std::move(outcome.results);
}

} // namespace

TEST_CASE("compiled samples of every operation agree with eval") {
    for (Op op : ops::test::every_op()) {
        const std::string name(ir::info(op).name);
        if (ops::detail::only_complex(op)) continue; // tests/unit/transform/lower_complex.cpp
        REQUIRE_MESSAGE(static_cast<bool>(ops::rules(op).samples) != tried_elsewhere(op), name);
        if (tried_elsewhere(op)) continue;
        INFO(name);
        const Census census(op);
        const plan::Program program =
            plan::plan(optimize::run(census.block, optimize::before_plan), {.devices = 1, .fuse = true, .workers = 2});
        plan::verify(program, name);
        const auto full = jit().compile(program); // compiled for the processor's vector width
        const auto narrow = jit(128).compile(program);
        const auto compare = [&](const std::vector<Array>& inputs, std::string_view what) {
            const std::vector<Array> expected = evaluate::evaluate(census.block, inputs);
            for (const auto& code : {full, narrow})
                check_results(census, run_compiled(program, *code, inputs), expected, what);
        };
        compare(census.inputs(ops::test::make_inputs), "random");
        compare(census.inputs([&](const Sample& s, std::uint64_t seed) { return edge_inputs(op, s, seed); }), "edge");
    }
}
