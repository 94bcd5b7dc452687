#include "tests/unit/ops/harness.hpp"

#include <doctest/doctest.h>

// Derivatives of every operation of the census. First and second forward derivatives are compared with finite
// differences. Transposes are tested by inner products.

using namespace pm;
using namespace pm::ops;
using namespace pm::ops::test;

namespace {

bool all_f64(const Sample& sample) {
    bool any = false;
    for (const Type& type : sample.operands) {
        if (type.dtype == DType::f64)
            any = true;
        else if (runtime::is_float(type.dtype))
            return false;
    }
    return any;
}

/// The largest size of samples that are differentiated. Larger samples are for tests of compiled code; finite
/// differences of them are slow.
constexpr std::int64_t most_elements = 200;
bool small(const Sample& sample) {
    return std::all_of(sample.operands.begin(), sample.operands.end(),
                       [](const Type& type) { return type.elements() <= most_elements; });
}

struct Probe {
    std::vector<bool> active;
    std::vector<Array> point;
    std::vector<Array> directions; ///< a direction for each active parameter
};

Probe probe(const Sample& sample, std::uint64_t seed) {
    Probe p;
    p.point = make_inputs(sample, seed);
    std::mt19937_64 random(seed + 1);
    for (const Type& type : sample.operands) {
        p.active.push_back(type.dtype == DType::f64);
        if (p.active.back()) p.directions.push_back(make_input(type, Domain::any, random));
    }
    return p;
}

std::vector<Array> with(std::vector<Array> arguments, const std::vector<Array>& more) {
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

/// The difference quotient; 0 for equal values, also for equal infinities (a maximum over no element).
double slope(double low, double high, double distance) { return low == high ? 0 : (high - low) / distance; }

/// Central differences of the floating results along the directions (`directions`) of the active parameters.
std::vector<Array> difference(const ir::BlockPtr& block, const std::vector<Array>& point,
                              const std::vector<bool>& active, const std::vector<Array>& directions) {
    constexpr double h = 2e-6;
    const auto at = [&](double step) {
        std::vector<Array> arguments = point;
        std::size_t next = 0;
        for (std::size_t i = 0; i < active.size(); ++i)
            if (active[i]) arguments[i] = moved(point[i], directions[next++], step);
        return evaluate::evaluate(block, arguments);
    };
    const std::vector<Array> high = at(h);
    const std::vector<Array> low = at(-h);
    std::vector<Array> out;
    for (std::size_t i = 0; i < high.size(); ++i) {
        if (!runtime::is_float(high[i].dtype())) continue;
        Array d = Array::empty(DType::f64, high[i].shape());
        for (std::int64_t e = 0; e < d.elements(); ++e)
            d.mutable_as<double>()[e] = slope(low[i].as_f64(e), high[i].as_f64(e), 2 * h);
        out.push_back(std::move(d));
    }
    return out;
}

void compare(const std::vector<Array>& made, const std::vector<Array>& expected, double tolerance) {
    REQUIRE(made.size() == expected.size());
    for (std::size_t i = 0; i < made.size(); ++i) CHECK(distance(made[i], expected[i]) < tolerance);
}

/// The sets of operands in which an operation is jointly linear.
std::vector<std::vector<std::size_t>> linear_sets(Op op, const Sample& sample) {
    const ir::OpInfo& about = ir::info(op);
    if (about.has(ir::linear)) {
        std::vector<std::size_t> all(sample.operands.size());
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
        return {all};
    }
    if (about.has(ir::bilinear)) return {{0}, {1}};
    if (about.has(ir::linear_first)) return {{0}};
    if (op == Op::select) return {{1, 2}, {1}, {2}};
    if (op == Op::dynamic_update) return {{0, 1}, {0}, {1}};
    if (op == Op::scatter && (sample.attrs.text(Attr::mode) == "add" || sample.attrs.text(Attr::mode) == "set"))
        return {{0, 1}, {0}, {1}};
    if (op == Op::convert && runtime::is_float(sample.attrs.dtype(Attr::dtype))) return {{0}};
    return {};
}

/// Checks <T(ct), x> = <ct, L(x)>. L is the operation as a function of the operands `linear`, the other operands are
/// constant. T is the transpose of L.
void transpose_identity(Op op, const Sample& sample, const std::vector<std::size_t>& linear) {
    std::vector<bool> is_linear(sample.operands.size(), false);
    for (std::size_t i : linear) is_linear[i] = true;
    std::vector<Array> inputs = make_inputs(sample, 17);
    std::vector<Array> applied = inputs; // zero for operands outside of `linear` in which it is jointly linear
    for (const auto& set : linear_sets(op, sample))
        if (!ir::info(op).has(ir::bilinear))
            for (std::size_t i : set)
                if (!is_linear[i]) applied[i] = Array::zeros(inputs[i].dtype(), inputs[i].shape());
    const ir::BlockPtr primal = primal_block(op, sample);
    const std::vector<Array> out = evaluate::evaluate(primal, applied);

    Build b("transpose");
    Values results;
    std::vector<Array> arguments;
    std::mt19937_64 random(99);
    std::vector<std::optional<Value>> known;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        known.emplace_back();
        if (is_linear[i]) continue;
        known[i] = b.param(sample.operands[i]);
        arguments.push_back(inputs[i]);
    }
    std::vector<std::optional<Value>> cotangents;
    double left = 0;
    for (const Array& y : out) {
        const Type type{y.dtype(), y.shape()};
        cotangents.emplace_back(b.param(type));
        arguments.push_back(make_input(type, Domain::any, random));
        left += dot(arguments.back(), y);
    }
    const Inst& inst = primal->insts[0];
    std::vector<std::optional<Value>> sums(inputs.size());
    TransposeContext c{b, inst, known, sample.operands, cotangents, sums};
    rules(op).transpose.fn(c);
    for (std::size_t i : linear) results.push_back(sums[i] ? *sums[i] : b.zeros(sample.operands[i]));
    const std::vector<Array> back = evaluate::evaluate(b.finish(results), arguments);
    double right = 0;
    for (std::size_t k = 0; k < linear.size(); ++k) {
        REQUIRE(back[k].shape() == inputs[linear[k]].shape());
        REQUIRE(back[k].dtype() == inputs[linear[k]].dtype());
        right += dot(back[k], inputs[linear[k]]);
    }
    const double scale = std::max({1.0, std::fabs(left), std::fabs(right)});
    CHECK(std::fabs(left - right) / scale < 1e-10);
}

template <class Fn>
void for_differentiable(Fn&& fn) {
    for (Op op : every_op()) {
        if (!rules(op).samples || !rules(op).eval) continue;
        for (const Sample& sample : rules(op).samples.fn()) {
            if (!sample.differentiable || !all_f64(sample) || !small(sample)) continue;
            INFO(describe(op, sample));
            fn(op, sample);
        }
    }
}

} // namespace

TEST_CASE("forward derivatives agree with finite differences") {
    int tried = 0;
    for_differentiable([&](Op op, const Sample& sample) {
        const ir::BlockPtr primal = primal_block(op, sample);
        const Probe p = probe(sample, 5);
        const ir::BlockPtr forward = jvp_block(*primal, p.active);
        compare(evaluate::evaluate(forward, with(p.point, p.directions)),
                difference(primal, p.point, p.active, p.directions), 2e-7);
        ++tried;
    });
    CHECK(tried > 60);
}

TEST_CASE("operations without a derivative are constant near their samples") {
    int tried = 0;
    for (Op op : every_op()) {
        if (rules(op).jvp || !rules(op).samples) continue;
        // These operations have no derivative by definition.
        if (op == Op::stop_gradient || op == Op::bitcast || op == Op::factorize) continue;
        for (const Sample& sample : rules(op).samples.fn()) {
            if (!all_f64(sample) || !small(sample)) continue;
            INFO(describe(op, sample));
            const Probe p = probe(sample, 8);
            for (const Array& slope : difference(primal_block(op, sample), p.point, p.active, p.directions)) {
                CHECK(distance(slope, Array::zeros(slope.dtype(), slope.shape())) == 0);
                tried += static_cast<int>(slope.elements());
            }
        }
    }
    CHECK(tried > 60);
}

TEST_CASE("second derivatives agree with finite differences of the first") {
    for_differentiable([&](Op op, const Sample& sample) {
        const ir::BlockPtr primal = primal_block(op, sample);
        const Probe p = probe(sample, 6);
        const ir::BlockPtr first = jvp_block(*primal, p.active);
        // Derivatives with loops need transform/. tests/lang/programs/slopes_at_edges.pm has second derivatives of
        // them.
        const auto loops = [](const ir::Inst& inst) { return !inst.regions.empty(); };
        if (std::any_of(first->insts.begin(), first->insts.end(), loops)) return;
        // The derivative is with respect to the parameters; the tangents of the first derivative are constant.
        const ir::BlockPtr second = jvp_block(*first, p.active);
        const std::vector<Array> point = with(p.point, p.directions);
        compare(evaluate::evaluate(second, with(point, p.directions)), difference(first, point, p.active, p.directions),
                3e-6);
    });
}

TEST_CASE("a derivative along several tangents is the sum of the derivatives along each tangent alone") {
    for_differentiable([&](Op op, const Sample& sample) {
        const ir::BlockPtr primal = primal_block(op, sample);
        const Probe p = probe(sample, 7);
        const std::vector<Array> combined =
            evaluate::evaluate(jvp_block(*primal, p.active), with(p.point, p.directions));
        std::vector<Array> sum;
        std::size_t next = 0;
        for (std::size_t i = 0; i < p.active.size(); ++i) {
            if (!p.active[i]) continue;
            std::vector<bool> one(p.active.size(), false);
            one[i] = true;
            const std::vector<Array> part =
                evaluate::evaluate(jvp_block(*primal, one), with(p.point, {p.directions[next++]}));
            for (std::size_t r = 0; r < part.size(); ++r) {
                if (sum.size() <= r)
                    sum.push_back(part[r]);
                else
                    sum[r] = moved(sum[r], part[r], 1);
            }
        }
        compare(combined, sum, 1e-12);
    });
}

TEST_CASE("transposes satisfy the inner product identity") {
    int tried = 0;
    for (Op op : every_op()) {
        if (!rules(op).transpose || !rules(op).eval || !rules(op).samples) continue;
        for (const Sample& sample : rules(op).samples.fn()) {
            if (!all_f64(sample) || !small(sample)) continue;
            for (const auto& linear : linear_sets(op, sample)) {
                bool inexact = true;
                for (std::size_t i : linear) inexact = inexact && sample.operands[i].dtype == DType::f64;
                for (const Type& type : result_types({op, {}, {}, sample.attrs, {}, {}}, sample.operands))
                    inexact = inexact && type.dtype == DType::f64; // dtypes narrower than f64 round
                if (!inexact) continue;
                INFO(describe(op, sample));
                transpose_identity(op, sample, linear);
                ++tried;
            }
        }
    }
    CHECK(tried > 20);
}
