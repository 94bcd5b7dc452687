#include "compiler/codegen/cpu/dot_pack.hpp"

#include "compiler/codegen/nest/emit_nest.hpp"
#include "compiler/codegen/nest/transpose_block.hpp"

#include <algorithm>

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

/// Packs a matrix by transposing blocks in registers. The matrix must be contiguous along k but not along the columns.
/// For other matrices, and for too few elements, emits nothing and returns false.
bool pack_transposed(Emit& e, const PackSizes& s, std::int64_t present, Value* from, Value* to) {
    const auto from_width = static_cast<std::int64_t>(runtime::size_of(s.from));
    const auto width = static_cast<std::int64_t>(runtime::size_of(s.to));
    std::int64_t lanes = std::min<std::int64_t>(e.lanes_for(static_cast<std::size_t>(width)), pack_slack);
    while (s.width % lanes != 0) lanes /= 2;
    if (s.k_step != 1 || s.step == 1 || s.k < lanes || lanes < 4) return false;
    TransposeBlock block{s.from,
                         s.from != s.to,
                         static_cast<int>(lanes),
                         nullptr,
                         e.int64(s.step * from_width),
                         nullptr,
                         e.int64(s.width * width),
                         nullptr,
                         nullptr};
    e.loop(0, s.width, lanes, [&](Value* j) {
        e.loop(0, s.k, lanes, [&](Value* k) {
            block.from = e.byte_offset(e.byte_offset(from, e.mul(j, s.step * from_width)), e.mul(k, from_width));
            block.to = e.byte_offset(e.byte_offset(to, e.mul(k, s.width * width)), e.mul(j, width));
            block.rows = e.b.CreateSub(e.int64(present), j);
            block.columns = e.b.CreateSub(e.int64(s.k), k);
            emit_transpose(e, block);
        });
    });
    return true;
}

} // namespace

void emit_pack(Emit& e, const PackSizes& s, std::int64_t present, Value* from, Value* to) {
    if (pack_transposed(e, s, present, from, to)) return;
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
