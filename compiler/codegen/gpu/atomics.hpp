#pragma once
#include "compiler/codegen/gpu/threads.hpp"
#include "compiler/nest/nest.hpp"

namespace pm::codegen {

/// Combines the element at `to` of the device's memory with `x`, as it stands in registers, while other threads may do
/// the same: with the GPU's own operation where it has one, otherwise until nobody has come between.
void combine_atomically(Emit& e, Threads& threads, nest::Combine how, DType dtype, Value* to, Value* x);

} // namespace pm::codegen
