#include "tests/unit/ops/harness.hpp"

#include "compiler/nest/builder.hpp"

#include <doctest/doctest.h>

// The lowering to nests of elementwise operations and of operations that create arrays. The body of a nest is converted
// back to operations on whole arrays, since scalar and array operations have the same names. The result of the
// converted body must have the same bits as the result of the operation's eval rule.

using namespace pm;
using namespace pm::ops;
using namespace pm::ops::test;

namespace {

nest::Nest lowered(const Inst& inst, const std::vector<Type>& operands, const Type& result) {
    nest::Builder n("element", result.shape);
    std::vector<std::uint32_t> ids;
    for (const Type& type : operands) ids.push_back(n.buffer(type.dtype, false));
    const std::uint32_t out = n.buffer(result.dtype, true);
    n.begin_stage({});
    const nest::Indices at = n.grid_indices();
    ElementContext c{n, inst, operands, result, [&](std::size_t operand, const nest::Indices& where) {
                         return n.load(ids[operand], operands[operand].shape, where);
                     }};
    n.store(out, result.shape, at, std::get<LowerElement>(rules(inst.op).lower).rule(c, at));
    return n.finish();
}

/// base + sum of coefficient * index, as an i64 for each element of the nest's grid.
Value index_value(Build& b, const nest::Affine& affine, const Shape& grid) {
    Value sum = b.constant_i(DType::i64, affine.base, grid);
    for (std::size_t axis = 0; axis < grid.size(); ++axis) {
        const Value place = b.iota(grid, static_cast<int>(axis), DType::i64);
        sum = b.add(sum, b.mul(place, b.constant_i(DType::i64, affine.coefficient(axis), grid)));
    }
    return sum;
}

ir::BlockPtr raised(const nest::Nest& nest, const std::vector<Type>& operands, const Shape& grid) {
    Build b("raised");
    Values params;
    for (const Type& type : operands) params.push_back(b.param(type));
    Values now(nest.insts.size());
    Value result;
    for (nest::Ref ref : nest.stages.at(0).body) {
        const nest::Inst& inst = nest[ref];
        Values in;
        for (nest::Ref operand : inst.operands) in.push_back(now[operand.id]);
        if (inst.op == ScalarOp::constant) {
            ir::Literal literal;
            for (std::size_t i = 0; i < runtime::size_of(inst.dtype); ++i)
                literal.bytes.push_back(static_cast<std::uint8_t>(inst.bits >> (8 * i)));
            now[ref.id] = b.literal({inst.dtype, grid}, std::move(literal));
        } else if (inst.op == ScalarOp::index) {
            now[ref.id] = index_value(b, inst.affine, grid);
        } else if (inst.op == ScalarOp::load) {
            now[ref.id] = params.at(inst.access.buffer); // the access of an elementwise load is at the grid's indices
        } else if (inst.op == ScalarOp::store) {
            result = in.at(0);
        } else {
            const auto op = ir::op_named(nest::name(inst.op));
            REQUIRE(op.has_value());
            const Attrs attrs = inst.op == ScalarOp::convert || inst.op == ScalarOp::bitcast
                                    ? Attrs{{Attr::dtype, inst.dtype}}
                                    : Attrs{};
            now[ref.id] = b.emit1(*op, in, attrs);
            REQUIRE(b.dtype(now[ref.id]) == inst.dtype);
        }
    }
    return b.finish({result});
}

} // namespace

TEST_CASE("a scalar operation has the name of the array operation") {
    for (Op op : every_op()) {
        const auto* scalar = std::get_if<LowerScalar>(&rules(op).lower);
        if (scalar == nullptr) continue;
        std::string_view name = nest::name(scalar->op);
        CHECK(ir::op_named(name) == op);
    }
}

TEST_CASE("bodies of elementwise and creating operations agree with eval") {
    int tried = 0;
    for (Op op : every_op()) {
        const bool here = ir::info(op).has(ir::elementwise) || ir::info(op).has(ir::creation);
        if (!here || !std::holds_alternative<LowerElement>(rules(op).lower)) continue;
        for (const Sample& sample : rules(op).samples.fn()) {
            INFO(describe(op, sample));
            const ir::BlockPtr block = primal_block(op, sample);
            const Type type = block->type(block->results[0]);
            const nest::Nest nest = lowered(block->insts[0], sample.operands, type);
            nest::verify(nest, "element rule");
            const std::vector<Array> inputs = make_inputs(sample, 31);
            const Array made = evaluate::evaluate(raised(nest, sample.operands, type.shape), inputs).at(0);
            CHECK(runtime::identical(made, evaluate::evaluate(block, inputs).at(0)));
            ++tried;
        }
    }
    CHECK(tried > 300);
}
