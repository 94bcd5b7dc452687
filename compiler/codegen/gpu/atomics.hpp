#pragma once
#include "compiler/codegen/gpu/gpu_threads.hpp"
#include "compiler/nest/nest.hpp"

namespace pm::codegen {

/// Combines the element at `to` in device memory with `x`, a register value. Other threads may run this code for the
/// same element concurrently. If the GPU has an atomic operation for `how` and `dtype`, the code uses this operation.
/// Otherwise the code is a compare-and-swap loop.
void combine_atomically(Emit& e, Threads& threads, nest::Combine how, DType dtype, Value* to, Value* x);

} // namespace pm::codegen
