#pragma once
#include "compiler/codegen/gpu/kernel.hpp"

namespace pm::codegen {

/// How a GPU does a scatter (plan::StepKind::scatter), mostly with a thread for each element of the updates. A CPU
/// applies several updates of one place in order.
enum class ScatterWay {
    each, ///< no place has two updates, or their order does not matter: each thread stores its element, or combines it
          ///< atomically
    look, ///< few updates, each thread tests the others: the last of a place sets it, the first adds all of them
    numbered, ///< in passes: the greatest number of an update is found for each place; that update sets the place
    sorted,   ///< in passes: the numbers of updates are sorted by place; a thread adds those of a place in order
    lines,    ///< a thread for each line of elements, with updates in order: for more updates than a sort takes
};
ScatterWay scatter_way(const plan::Step& step, const plan::Program& program);

/// See step_passes().
int scatter_passes(const plan::Step& step, const plan::Program& program);
std::int64_t scatter_scratch_bytes(const plan::Step& step, const plan::Program& program);
/// The number of sequential iterations of a thread for one point.
double scatter_iterations(const plan::Step& step, const plan::Program& program);

Mapping map_scatter(const plan::Step& step, const plan::Program& program, int threads = 0);
void emit_scatter_kernel(Emit& e, Threads& threads, const plan::Step& step, const plan::Program& program,
                         const Mapping& mapping, llvm::ArrayRef<Value*> buffers);

} // namespace pm::codegen
