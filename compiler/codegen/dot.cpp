#include "compiler/codegen/dot.hpp"

namespace pm::codegen {

DotSizes dot_sizes(const plan::Step& step) {
    const auto& i = step.integers;
    DotSizes s{i[0], i[1], i[2], i[3], i[4], i[5], i[6], i[7], i[8], i[9], i[10], i[11], i[12]};
    // A stride along an extent of 1 says nothing: what suits best.
    if (s.n == 1) s.b_n = s.out_n = 1;
    if (s.k == 1) s.a_k = 1;
    return s;
}

DType dot_sum(DType in) { return runtime::is_half(in) ? DType::f32 : in; }

Value* multiply_add(Emit& e, DType dtype, Value* a, Value* b, Value* sum) {
    if (runtime::is_float(dtype)) return e.call(llvm::Intrinsic::fma, {sum->getType()}, {a, b, sum});
    if (dtype == DType::b1) return e.b.CreateOr(sum, e.b.CreateAnd(a, b));
    return e.b.CreateAdd(sum, e.b.CreateMul(a, b));
}

nest::Nest store_nest(const DotSizes& s, DType out) {
    nest::Nest made;
    made.name = "store";
    made.grid = {s.batch, s.m, s.n};
    made.buffers = {{out, false}, {out, true}};
    made.insts.resize(2);
    made.insts[0].op = nest::ScalarOp::load;
    made.insts[0].dtype = out;
    made.insts[0].access.offset.coefficients = {s.m * s.n, s.n, 1};
    made.insts[1].op = nest::ScalarOp::store;
    made.insts[1].dtype = out;
    made.insts[1].operands = {nest::Ref{0}};
    made.insts[1].access.buffer = 1;
    made.insts[1].access.offset.coefficients = {s.out_b, s.out_m, s.out_n};
    made.stages.emplace_back();
    made.stages[0].body = {nest::Ref{0}, nest::Ref{1}};
    return made;
}

} // namespace pm::codegen
