#include "compiler/transform/analysis/numeric_checks.hpp"

#include "compiler/base/diagnostic.hpp"
#include "tests/unit/transform/harness.hpp"

#include <algorithm>

// Tests which checks for NaNs are added to a block. tests/lang/diagnostics/nan_*.pm test the messages of these checks.

using namespace pm;
using namespace pm::transform;
using namespace pm::transform::test;
using ir::Op;

namespace {

std::size_t count_of(const ir::Block& block, Op op) {
    std::size_t n = 0;
    for (const ir::Inst& inst : block.insts) {
        n += inst.op == op ? 1 : 0;
        for (const BlockPtr& region : inst.regions) n += count_of(*region, op);
    }
    return n;
}

/// A block with a parameter f64[n]. `body` builds the results.
template <class Body>
BlockPtr made(std::int64_t n, const Body& body) {
    ops::Build b("f");
    const Value x = b.param({DType::f64, {n}});
    return verified(b.finish(body(b, x)), "build");
}

std::string failure(const BlockPtr& block, std::initializer_list<double> values) {
    Array x = Array::empty(DType::f64, {static_cast<std::int64_t>(values.size())});
    std::copy(values.begin(), values.end(), x.mutable_as<double>());
    try {
        run(block, {x});
    } catch (const Error& e) {
        CHECK(e.diagnostic().id == Diag::made_nan);
        return e.diagnostic().message;
    }
    return "";
}

} // namespace

TEST_CASE("a block in which no NaN can arise is returned unchanged") {
    const BlockPtr block = made(3, [](ops::Build& b, Value x) {
        const Value big = b.compare(Op::less, x, b.unary(Op::exp, x));
        return Values{b.select(big, b.unary(Op::abs, x), b.reverse(x, {0})), b.reduce(Op::reduce_max, x, {0})};
    });
    CHECK(with_nan_checks(block, {}) == block);
}

TEST_CASE("a block with checks for NaNs gets no second checks") {
    const BlockPtr block = made(3, [](ops::Build& b, Value x) {
        const Value y = b.unary(Op::log, x);
        return Values{b.sum(b.mul(y, y), {0})};
    });
    const BlockPtr once = verified(with_nan_checks(block, {}), "checks");
    CHECK(count_of(*once, Op::check) == 3);
    CHECK(with_nan_checks(once, {}) == once);
    CHECK(with_nan_checks(once, {.derivative = true}) == once);
    CHECK(failure(once, {1, -1, 1}) == "`log` makes a NaN at [1]: log(-1.0)");
    CHECK(failure(once, {1, NAN, 1}).empty());
}

TEST_CASE("a derivative keeps the checks of its function, and has checks of derivatives in addition") {
    const BlockPtr block = with_nan_checks(
        made(2, [](ops::Build& b, Value x) { return Values{b.sum(b.unary(Op::sqrt, b.mul(x, x)), {0})}; }), {});
    const std::size_t own = count_of(*block, Op::check);
    const Vjp derived = vjp(block, {true});
    CHECK(count_of(*derived.block, Op::check) == own);
    const BlockPtr all = verified(with_nan_checks(derived.block, {.derivative = true, .whole_from = 1}), "checks");
    CHECK(count_of(*all, Op::check) > own);
    ops::Build b("grad");
    const Value x = b.param({DType::f64, {2}});
    const BlockPtr grad = b.finish(b.inline_block(*all, {x, b.constant(DType::f64, 1.0)}));
    CHECK(failure(grad, {3, 4}).empty());
    CHECK(failure(grad, {3, 0}).find("in the derivative of this makes a NaN at [1]: 0.0 * inf") != std::string::npos);
}

TEST_CASE("a NaN that a select in a derivative does not select is not reported") {
    // sum(where(x > 0, sqrt(x * x), x)): at 0 the derivative of sqrt is infinite, but the select does not select it.
    const auto grad_of = [](bool guarded) {
        const BlockPtr block =
            with_nan_checks(made(2,
                                 [&](ops::Build& b, Value x) {
                                     const Value root = b.unary(Op::sqrt, b.mul(x, x));
                                     const Value on = b.compare(Op::less, b.zeros_like(x), x);
                                     return Values{b.sum(guarded ? b.select(on, root, x) : root, {0})};
                                 }),
                            {});
        const BlockPtr all =
            with_nan_checks(vjp(block, {true}).block, {.derivative = true, .results = {}, .whole_from = 1});
        ops::Build b("grad");
        const Value x = b.param({DType::f64, {2}});
        return b.finish(b.inline_block(*all, {x, b.constant(DType::f64, 1.0)}));
    };
    CHECK(failure(grad_of(true), {3, 0}).empty());
    CHECK(!failure(grad_of(false), {3, 0}).empty());
}

TEST_CASE("a NaN that a select of the same source operation does not select is not reported") {
    const auto guarded = [](std::uint32_t place_of_select) {
        return with_nan_checks(made(2,
                                    [&](ops::Build& b, Value x) {
                                        b.set_span({1, 5, 9});
                                        const Value ratio = b.div(x, x);
                                        b.set_span({1, place_of_select, 9});
                                        const Value zero = b.compare(Op::equal, x, b.zeros_like(x));
                                        return Values{b.select(zero, b.ones_like(x), ratio)};
                                    }),
                               {});
    };
    CHECK(failure(guarded(5), {1, 0}).empty());
    CHECK(failure(guarded(5), {1, INFINITY}) == "`/` makes a NaN at [1]: inf / inf");
    CHECK(failure(guarded(1), {1, 0}) == "`/` makes a NaN at [1]: 0.0 / 0.0");
}
