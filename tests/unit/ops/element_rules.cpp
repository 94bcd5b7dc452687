#include "tests/unit/ops/harness.hpp"

#include "compiler/nest/builder.hpp"

#include <doctest/doctest.h>

#include <cstring>

// The element rules of shape and indexing operations. A small interpreter runs a nest of one operation. The result must
// have the same bits as the result of the eval rule. No load may be outside of its operand.

using namespace pm;
using namespace pm::ops;
using namespace pm::ops::test;

namespace {

std::int64_t offset_at(const nest::Affine& affine, const std::vector<std::int64_t>& loops) {
    std::int64_t offset = affine.base;
    for (std::size_t l = 0; l < loops.size(); ++l) offset += affine.coefficient(l) * loops[l];
    return offset;
}

/// One iteration of a body. Each value is in the low bytes of 64 bits; integers are sign-extended.
class Iteration {
  public:
    Iteration(const nest::Nest& nest, std::vector<Array>& buffers, std::vector<std::int64_t> loops)
        : nest_(nest), buffers_(buffers), loops_(std::move(loops)), values_(nest.insts.size(), 0) {}

    void run() {
        for (nest::Ref r : nest_.stages.at(0).body) values_[r.id] = value(nest_[r]);
    }

  private:
    std::int64_t integer(const nest::Inst& inst, std::size_t i) const {
        return static_cast<std::int64_t>(values_[inst.operands[i].id]);
    }

    std::int64_t place(const nest::Access& access) const {
        std::int64_t offset = offset_at(access.offset, loops_);
        if (access.dynamic) offset += static_cast<std::int64_t>(values_[access.dynamic.id]);
        REQUIRE(!access.mask);
        REQUIRE(offset >= 0);
        REQUIRE(offset < buffers_[access.buffer].elements());
        return offset;
    }

    std::uint64_t load(const nest::Access& access) const {
        const Array& x = buffers_[access.buffer];
        const std::int64_t at = place(access);
        if (runtime::is_signed_integer(x.dtype())) return static_cast<std::uint64_t>(x.as_i64(at));
        const std::size_t width = runtime::size_of(x.dtype());
        std::uint64_t bits = 0;
        std::memcpy(&bits, static_cast<const std::byte*>(x.data()) + static_cast<std::size_t>(at) * width, width);
        return bits;
    }

    std::uint64_t store(const nest::Inst& inst) {
        Array& x = buffers_[inst.access.buffer];
        const std::size_t width = runtime::size_of(x.dtype());
        const std::uint64_t bits = values_[inst.operands[0].id];
        std::memcpy(static_cast<std::byte*>(x.mutable_data()) + static_cast<std::size_t>(place(inst.access)) * width,
                    &bits, width);
        return 0;
    }

    std::uint64_t value(const nest::Inst& inst) {
        const auto made = [](std::int64_t v) { return static_cast<std::uint64_t>(v); };
        switch (inst.op) {
        case ScalarOp::constant: return inst.bits;
        case ScalarOp::index: return made(offset_at(inst.affine, loops_));
        case ScalarOp::load: return load(inst.access);
        case ScalarOp::store: return store(inst);
        case ScalarOp::convert: return values_[inst.operands[0].id];
        case ScalarOp::add: return made(integer(inst, 0) + integer(inst, 1));
        case ScalarOp::mul: return made(integer(inst, 0) * integer(inst, 1));
        case ScalarOp::div: return made(integer(inst, 0) / integer(inst, 1));
        case ScalarOp::rem: return made(integer(inst, 0) % integer(inst, 1));
        case ScalarOp::max: return made(std::max(integer(inst, 0), integer(inst, 1)));
        case ScalarOp::min: return made(std::min(integer(inst, 0), integer(inst, 1)));
        case ScalarOp::less: return integer(inst, 0) < integer(inst, 1) ? 1 : 0;
        case ScalarOp::less_equal: return integer(inst, 0) <= integer(inst, 1) ? 1 : 0;
        case ScalarOp::and_: return values_[inst.operands[0].id] & values_[inst.operands[1].id];
        case ScalarOp::select:
            return values_[inst.operands[0].id] != 0 ? values_[inst.operands[1].id] : values_[inst.operands[2].id];
        default: FAIL("the interpreter of this test lacks " << std::string(nest::name(inst.op)));
        }
        return 0;
    }

    const nest::Nest& nest_;
    std::vector<Array>& buffers_;
    std::vector<std::int64_t> loops_;
    std::vector<std::uint64_t> values_;
};

/// Runs a nest that reads the operands from memory; the grid of the nest is that of the result.
Array run_element_rule(const Inst& inst, const std::vector<Array>& in, const Type& result) {
    std::vector<Type> types;
    for (const Array& x : in) types.push_back({x.dtype(), x.shape()});
    nest::Builder n("element", result.shape);
    std::vector<Array> buffers = in;
    std::vector<std::uint32_t> ids;
    for (const Type& type : types) ids.push_back(n.buffer(type.dtype, false));
    const std::uint32_t out = n.buffer(result.dtype, true);
    buffers.push_back(Array::zeros(result.dtype, result.shape));
    n.begin_stage({});
    ElementContext c{n, inst, types, result, [&](std::size_t operand, const nest::Indices& at) {
                         return n.load(ids[operand], types[operand].shape, at);
                     }};
    const nest::Indices at = n.grid_indices();
    n.store(out, result.shape, at, std::get<LowerElement>(rules(inst.op).lower).rule(c, at));
    const nest::Nest nest = n.finish();
    nest::verify(nest, "element rule");
    if (result.elements() == 0) return buffers.back();
    std::vector<std::int64_t> loops(result.shape.size(), 0);
    for (std::int64_t i = 0; i < result.elements(); ++i) {
        Iteration(nest, buffers, loops).run();
        for (std::size_t axis = loops.size(); axis-- > 0;) {
            if (++loops[axis] < result.shape[axis]) break;
            loops[axis] = 0;
        }
    }
    return buffers.back();
}

/// Replaces index operands by indices far out of range, which reads clamp.
void scatter_indices(const Sample& sample, std::vector<Array>& inputs, std::mt19937_64& random) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (domain_of(sample, i) != Domain::index) continue;
        for (std::int64_t e = 0; e < inputs[i].elements(); ++e)
            runtime::write_i64(inputs[i].dtype(), inputs[i].mutable_data(), e,
                               static_cast<std::int64_t>(random() % 200) - 100);
    }
}

} // namespace

TEST_CASE("element rules agree with eval") {
    int tried = 0;
    std::mt19937_64 random(8);
    for (Op op : every_op()) {
        if (!ir::info(op).has(ir::shape_only) || !std::holds_alternative<LowerElement>(rules(op).lower)) continue;
        for (const Sample& sample : rules(op).samples.fn()) {
            INFO(describe(op, sample));
            const ir::BlockPtr block = primal_block(op, sample);
            std::vector<Array> inputs = make_inputs(sample, 21);
            for (int round = 0; round < 2; ++round) {
                const Array expected = evaluate::evaluate(block, inputs).at(0);
                const Array made = run_element_rule(block->insts[0], inputs, block->type(block->results[0]));
                CHECK(runtime::identical(made, expected));
                ++tried;
                scatter_indices(sample, inputs, random);
            }
        }
    }
    CHECK(tried > 200);
}
