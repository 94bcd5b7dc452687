#include "compiler/codegen/cpu/dot_pack.hpp"

#include "compiler/codegen/emit_nest.hpp"

namespace pm::codegen {
namespace {

using nest::Inst;
using nest::Nest;
using nest::Ref;
using nest::ScalarOp;

Ref push(Nest& nest, ScalarOp op, DType dtype, std::vector<Ref> operands = {}) {
    Inst inst;
    inst.op = op;
    inst.dtype = dtype;
    inst.operands = std::move(operands);
    nest.insts.push_back(std::move(inst));
    nest.stages[0].body.push_back(Ref{static_cast<std::uint32_t>(nest.insts.size() - 1)});
    return nest.stages[0].body.back();
}

} // namespace

void emit_pack(Emit& e, const PackSizes& s, std::int64_t present, Value* from, Value* to) {
    Nest nest;
    nest.name = "pack";
    nest.grid = {s.k, s.width};
    nest.buffers = {{s.from, false}, {s.to, true}};
    nest.stages.emplace_back();
    Ref mask;
    if (present < s.width) {
        const Ref j = push(nest, ScalarOp::index, DType::i64);
        nest.insts[j.id].affine.coefficients = {0, 1};
        const Ref end = push(nest, ScalarOp::constant, DType::i64);
        nest.insts[end.id].bits = static_cast<std::uint64_t>(present);
        mask = push(nest, ScalarOp::less, DType::b1, {j, end});
    }
    Ref value = push(nest, ScalarOp::load, s.from);
    nest.insts[value.id].access.offset.coefficients = {s.k_step, s.step};
    nest.insts[value.id].access.mask = mask;
    if (s.from != s.to) value = push(nest, ScalarOp::convert, s.to, {value});
    const Ref store = push(nest, ScalarOp::store, s.to, {value});
    nest.insts[store.id].access.buffer = 1;
    nest.insts[store.id].access.offset.coefficients = {s.width, 1};
    emit_nest(e, shape_nest(nest, e.machine), {from, to});
}

} // namespace pm::codegen
