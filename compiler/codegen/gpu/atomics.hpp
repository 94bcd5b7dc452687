#pragma once
#include "compiler/codegen/gpu/gpu_threads.hpp"
#include "compiler/nest/nest.hpp"

namespace pm::codegen {

/// Combines the element at `to` in device memory with `x`, a register value. Other threads may change the same element
/// concurrently in this way. Uses the GPU's atomic operation for `how` and `dtype` if there is one, otherwise a
/// compare-and-swap loop.
void combine_atomically(Emit& e, Threads& threads, nest::Combine how, DType dtype, Value* to, Value* x);

} // namespace pm::codegen
