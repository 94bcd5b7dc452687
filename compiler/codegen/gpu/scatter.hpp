#pragma once
#include "compiler/codegen/gpu/kernel.hpp"

namespace pm::codegen {

/// How a scatter (plan::StepKind::scatter) is done by a GPU: mostly a thread for each element of the updates. Where
/// several updates go to one place the processor takes them one after the other.
enum class ScatterWay {
    each,     ///< no two do, or the order does not matter: each thread stores its element, or combines it atomically
    look,     ///< of few updates each thread looks at the others: the last of a place sets it, the first adds them all
    numbered, ///< passes: the greatest number of an update is found for each place, which then sets it
    sorted,   ///< passes: numbers of updates are sorted by their places, a thread adds those of a place in order
    lines,    ///< a thread for each line of elements that must be taken in order: more updates than a sort takes
};
ScatterWay scatter_way(const plan::Step& step, const plan::Program& program);

/// See step_passes().
int scatter_passes(const plan::Step& step, const plan::Program& program);
std::int64_t scatter_scratch_bytes(const plan::Step& step, const plan::Program& program);
/// Turns of a thread, one after the other, through a point.
double scatter_iterations(const plan::Step& step, const plan::Program& program);

Mapping map_scatter(const plan::Step& step, const plan::Program& program, int threads = 0);
void emit_scatter_kernel(Emit& e, Threads& threads, const plan::Step& step, const plan::Program& program,
                         const Mapping& mapping, llvm::ArrayRef<Value*> buffers);

} // namespace pm::codegen
