#pragma once
#include "compiler/ops/core/build.hpp"

namespace pm::ops {

/// Runs `steps`, which computes a reduction over devices in several steps. If `op` is a sum and `x` is f16 or bf16, all
/// steps compute in f32, and the result is rounded once.
template <class Steps>
Value in_steps(Build& b, ir::Op op, Value x, Steps steps) {
    const ir::DType given = b.dtype(x);
    const bool half = given == ir::DType::f16 || given == ir::DType::bf16;
    if (op != ir::Op::psum || !half) return steps(x);
    return b.convert(steps(b.convert(x, ir::DType::f32)), given);
}

} // namespace pm::ops
