#pragma once
#include "compiler/codegen/gpu/kernel.hpp"

namespace pm::codegen {

/// The methods of a scatter (plan::StepKind::scatter) on a GPU. Most methods have a thread for each element of the
/// updates. If a destination has several updates, the result must be that of a CPU, which applies the updates in order.
enum class ScatterMethod {
    each, ///< used if no destination has two updates, or if the order of updates does not matter: each thread stores
          ///< its element, or combines it atomically
    compare_all, ///< for few updates; each thread compares its update with the others. If the scatter replaces
                 ///< elements, the thread of a destination's last update stores the element. Otherwise the thread of a
                 ///< destination's first update combines all updates of this destination
    numbered, ///< in passes: find the greatest update number of each destination, and store the update with this number
    sorted, ///< in passes: sort the update numbers by destination; a thread adds the updates of a destination in order
    lines,  ///< a thread per line of elements applies the updates in order: for more updates than a sort can handle
};
ScatterMethod scatter_method(const plan::Step& step, const plan::Program& program);

/// See step_passes().
int scatter_passes(const plan::Step& step, const plan::Program& program);
std::int64_t scatter_scratch_bytes(const plan::Step& step, const plan::Program& program);
/// The number of sequential iterations of a thread for one point.
double scatter_iterations(const plan::Step& step, const plan::Program& program);

Mapping map_scatter(const plan::Step& step, const plan::Program& program, int threads = 0);
void emit_scatter_kernel(Emit& e, Threads& threads, const plan::Step& step, const plan::Program& program,
                         const Mapping& mapping, llvm::ArrayRef<Value*> buffers);

} // namespace pm::codegen
