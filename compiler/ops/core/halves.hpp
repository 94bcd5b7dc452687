#pragma once
#include "compiler/ops/core/build.hpp"

namespace pm::ops {

/// A reduction over devices in several steps. A sum of f16 or bf16 is computed in f32 in all steps, and rounded once.
template <class Steps>
Value in_steps(Build& b, ir::Op op, Value x, Steps steps) {
    const ir::DType given = b.dtype(x);
    const bool half = given == ir::DType::f16 || given == ir::DType::bf16;
    if (op != ir::Op::psum || !half) return steps(x);
    return b.convert(steps(b.convert(x, ir::DType::f32)), given);
}

} // namespace pm::ops
