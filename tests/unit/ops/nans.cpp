#include "compiler/ops/core/nans.hpp"

#include "tests/unit/ops/apply.hpp"
#include "tests/unit/ops/harness.hpp"

#include <cmath>
#include <limits>

// Compares may_make_nan and poles with results and derivatives of the operations at edge values such as 0 and inf.
// Tests nan_made and nan_given with small examples.

using namespace pm;
using namespace pm::ops;
using namespace pm::ops::test;
using ir::Attr;

namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

const std::vector<double> edges = {0.0, -0.0, 0.5,    -0.5,    1.0,   -1.0,   2.0, -2.0,
                                   3.0, -3.5, 1e-300, -1e-300, 1e300, -1e300, inf, -inf};

Attrs power(std::int64_t exponent) { return {{Attr::exponent, exponent}}; }

Array filled(const Shape& shape, double value) {
    Array x = Array::empty(DType::f64, shape);
    for (std::int64_t i = 0; i < x.elements(); ++i) x.mutable_as<double>()[i] = value;
    return x;
}

/// All combinations of these values for this number of operands, as one array for each operand.
std::vector<Array> combinations(std::size_t operands, const std::vector<double>& all) {
    const auto n = static_cast<std::int64_t>(all.size());
    std::int64_t size = 1;
    for (std::size_t i = 0; i < operands; ++i) size *= n;
    std::vector<Array> in;
    for (std::int64_t step = 1; in.size() < operands; step *= n) {
        Array x = Array::empty(DType::f64, {size});
        for (std::int64_t k = 0; k < size; ++k)
            runtime::write_f64(DType::f64, x.mutable_data(), k, all[static_cast<std::size_t>(k / step % n)]);
        in.push_back(std::move(x));
    }
    return in;
}

bool has_nan(const Array& x) {
    for (std::int64_t i = 0; i < x.elements(); ++i)
        if (std::isnan(x.as_f64(i))) return true;
    return false;
}

bool all_finite(const std::vector<Array>& arrays) {
    for (const Array& x : arrays)
        for (std::int64_t i = 0; i < x.elements(); ++i)
            if (!std::isfinite(x.as_f64(i))) return false;
    return true;
}

std::size_t operands_of(Op op) { return static_cast<std::size_t>(ir::info(op).operands); }

/// Every elementwise function of floats; powers have several exponents.
std::vector<Inst> functions_of_floats() {
    std::vector<Inst> all;
    for (const Op op : every_op()) {
        const ir::OpInfo& about = ir::info(op);
        const bool taken = about.has(ir::elementwise) && !about.has(ir::boolean) && op != Op::select &&
                           op != Op::convert && op != Op::bitcast && op != Op::complex && rules(op).eval;
        if (!taken || !refusal(op, std::vector<Type>(operands_of(op), {DType::f64, {}}), power(1)).empty()) continue;
        if (op != Op::integer_pow) {
            all.push_back({op, {}, {}, {}, {}, {}});
            continue;
        }
        for (const std::int64_t exponent : {-3, -1, 0, 2, 5}) all.push_back({op, {}, {}, power(exponent), {}, {}});
    }
    return all;
}

/// The results of an instruction, and the results of its derivative along each operand.
std::vector<Array> values_and_slopes(const Inst& inst, const std::vector<Array>& in) {
    std::vector<Array> all = apply(inst.op, in, inst.attrs);
    const ir::BlockPtr primal =
        primal_block(inst.op, {std::vector<Type>(in.size(), {DType::f64, in[0].shape()}), inst.attrs, {}});
    for (std::size_t i = 0; i < in.size(); ++i) {
        std::vector<bool> active(in.size(), false);
        active[i] = true;
        std::vector<Array> arguments = in;
        arguments.push_back(filled(in[0].shape(), 1));
        for (Array& slope : evaluate::evaluate(jvp_block(*primal, active), arguments)) all.push_back(std::move(slope));
    }
    return all;
}

/// For an operation on these arrays, `nan_made` and not `nan_given`: where the result has a NaN that no operand
/// explains.
Array made(Op op, const std::vector<Array>& in, const Attrs& attrs) {
    Build b("made");
    Values params;
    for (const Array& x : in) params.push_back(b.param({x.dtype(), x.shape()}));
    const Values results = b.emit(op, params, attrs);
    const Inst inst = *b.definition(results[0]);
    const Value found = nan_made(b, inst, params, results);
    const std::optional<Value> given = nan_given(b, inst, params);
    REQUIRE(given);
    return evaluate::evaluate(b.finish({b.binary(Op::and_, found, b.unary(Op::not_, *given))}), in).at(0);
}

std::vector<bool> bools_of(const Array& x) {
    std::vector<bool> all;
    for (std::int64_t i = 0; i < x.elements(); ++i) all.push_back(x.as_bool(i));
    return all;
}

} // namespace

TEST_CASE("may_make_nan is true exactly for elementwise operations that make a NaN of some edge values") {
    for (const Inst& inst : functions_of_floats()) {
        const std::vector<Array> in = combinations(operands_of(inst.op), edges);
        CHECK_MESSAGE(may_make_nan(inst, DType::f64) == has_nan(apply(inst.op, in, inst.attrs).at(0)),
                      ir::info(inst.op).name);
    }
}

TEST_CASE(
    "an elementwise operation without a pole has finite values and slopes, one with a pole has them away from it") {
    const std::vector<double> finite = {0.0,  -0.0, 0.5,  -0.5,   1.0,     -1.0, 2.0,
                                        -2.0, 3.0,  -3.5, 1e-300, -1e-300, 1e3,  -1e3};
    for (const Inst& inst : functions_of_floats()) {
        const std::size_t count = operands_of(inst.op);
        std::vector<Array> in = combinations(count, finite);
        const bool everywhere = all_finite(values_and_slopes(inst, in));
        const std::optional<Pole>& pole = rules(inst.op).pole;
        const bool has_pole = pole && !pole->complex_only;
        if (has_pole) {
            in[pole->operand] = filled(in[0].shape(), pole->away);
            CHECK_MESSAGE(all_finite(values_and_slopes(inst, in)), ir::info(inst.op).name);
        }
        if (inst.op != Op::integer_pow) CHECK_MESSAGE(everywhere != has_pole, ir::info(inst.op).name);
    }
}

TEST_CASE("the maximum and the minimum of a NaN and a number are NaN, in both orders") {
    const std::vector<Array> in = {doubles({4}, {no_number, 2, no_number, 2}), doubles({4}, {1, no_number, inf, 1})};
    for (const Op op : {Op::max, Op::min}) {
        const Array found = apply1(op, in, {});
        for (std::int64_t i = 0; i < 3; ++i) CHECK(std::isnan(found.as_f64(i)));
        CHECK(found.as_f64(3) == (op == Op::max ? 2 : 1));
    }
}

TEST_CASE("a NaN is reported if no operand of the element is a NaN") {
    CHECK(bools_of(made(Op::sub, {doubles({4}, {inf, no_number, 1, inf}), doubles({4}, {inf, inf, no_number, 1})},
                        {})) == std::vector<bool>{true, false, false, false});
    const Array rows = doubles({3, 2}, {inf, -inf, inf, no_number, 1, 2});
    const Attrs last{{Attr::axes, Integers{1}}};
    CHECK(bools_of(made(Op::reduce_sum, {rows}, last)) == std::vector<bool>{true, false, false});
    const Attrs along{{Attr::axis, std::int64_t{0}}, {Attr::reverse, std::int64_t{0}}};
    CHECK(bools_of(made(Op::cumsum, {doubles({4}, {inf, -inf, no_number, 1})}, along)) ==
          std::vector<bool>{false, true, false, false});
    const Attrs back{{Attr::axis, std::int64_t{0}}, {Attr::reverse, std::int64_t{1}}};
    CHECK(bools_of(made(Op::cumsum, {doubles({4}, {inf, -inf, no_number, 1})}, back)) ==
          std::vector<bool>{false, false, false, false});
}

TEST_CASE("a NaN of a product is reported if neither its row nor its column has a NaN") {
    const auto product = [](Integers lhs, Integers rhs, Integers lhs_batch = {}, Integers rhs_batch = {}) {
        return Attrs{{Attr::lhs_contract, std::move(lhs)},
                     {Attr::rhs_contract, std::move(rhs)},
                     {Attr::lhs_batch, std::move(lhs_batch)},
                     {Attr::rhs_batch, std::move(rhs_batch)}};
    };
    const Array a = doubles({2, 2}, {inf, 1, no_number, 1});
    const Array b = doubles({2, 3}, {0, 1, no_number, 1, 1, 1});
    CHECK(bools_of(made(Op::dot, {a, b}, product({1}, {0}))) ==
          std::vector<bool>{true, false, false, false, false, false});
    // The batch axis of the right operand is after its other axis.
    const Array c = doubles({3, 2}, {inf, 1, 1, no_number, inf, inf});
    const Array d = doubles({2, 3}, {0, 1, 0, 1, 1, no_number});
    const Array got = made(Op::dot, {c, d}, product({}, {}, {0}, {1}));
    CHECK(got.shape() == Shape{3, 2, 2}); // batch, remaining axis of c, remaining axis of d
    CHECK(bools_of(got) ==
          std::vector<bool>{true, false, false, false, false, false, false, false, true, false, true, false});
}

TEST_CASE("a NaN of a scatter is reported if none of its updates is a NaN") {
    const Attrs attrs{{Attr::axes, Integers{0}}, {Attr::batch, std::int64_t{0}}, {Attr::mode, std::string("add")}};
    CHECK(bools_of(made(Op::scatter,
                        {doubles({3}, {inf, inf, no_number}), doubles({4}, {-inf, -inf, no_number, 1}),
                         ints_of({4}, {0, 1, 1, 2})},
                        attrs)) == std::vector<bool>{true, false, false});
}
