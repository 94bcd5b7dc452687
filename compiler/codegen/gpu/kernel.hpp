#pragma once
#include "compiler/codegen/gpu/threads.hpp"
#include "compiler/codegen/nest/nest_body.hpp"
#include "compiler/codegen/nest/nest_shape.hpp"
#include "compiler/codegen/steps/buffers.hpp"
#include "compiler/plan/program/program.hpp"
#include "runtime/tape.hpp"

#include <functional>

namespace pm::codegen {

/// How a nest lies over the threads of a GPU. A team of threads works on one point of the grid at a time, in the order
/// that nest::Stage states: results have the bits that a CPU gives.
///  - Without reductions along the last axis a team is one thread; of a large elementwise nest it takes a vector of
///    elements.
///  - 64 accumulators are 64 threads, whose values are combined through shared memory and then within a warp; of a
///    reduction that is cut into blocks several such groups of threads take a block each. The team is the block.
///  - 16 accumulators are half a warp; of 16 elements or less at many points they are one thread.
struct Mapping {
    int team = 1;
    int threads = 256;       ///< of a block
    std::int64_t points = 1; ///< for teams to do
    std::int64_t blocks = 1; ///< teams go on with further points when there are more
    bool meets = false;      ///< threads of a block wait for each other
    int at_once = 1;         ///< blocks that a multiprocessor is to have registers for
    bool fixed = true;       ///< as many blocks as that; otherwise the launch says how many, not more than `blocks`

    /// The numbers of threads that a resident kernel has.
    static constexpr int least_threads = 32;
    static constexpr int most_threads = 256;
};
/// `threads`: of a block, a power of two; 0: as is best.
Mapping map_threads(const NestShape& shape, int threads = 0);

/// The shape of a nest that is a kernel.
NestShape shape_kernel(const plan::Program& program, const plan::Step& step);

/// Writes what one thread of a kernel does for a nest as made by shape_threads.
/// `source`: see NestBody::replace_loads.
void emit_threaded_nest(Emit& e, Threads& threads, const NestShape& shape, const Mapping& mapping,
                        llvm::ArrayRef<Value*> buffers, NestBody::Source source = {});

/// A nest of few points that reduces much is done by all blocks in several passes, with the order and the bits that it
/// has in one: the blocks that nest::Stage cuts a reduction into are reduced, by a group of threads each; then each
/// point has their results combined in order, and runs what follows; own loops that are long are shared out iteration
/// by iteration. Of other nests there is 1.
int nest_passes(const NestShape& shape);
std::int64_t nest_scratch_bytes(const NestShape& shape);
Mapping map_nest_passes(const NestShape& shape, int threads = 0);
/// `memory`: so many bytes. `pass`: the one to do; null: all, between which the launch's threads meet.
void emit_nest_passes(Emit& e, Threads& threads, const NestShape& shape, const Mapping& mapping,
                      llvm::ArrayRef<Value*> buffers, Value* memory, Value* pass, NestBody::Source source = {});

/// Steps beside nests that are kernels: products of matrices in tiles, which sum as the processor does; sorts
/// (sort.hpp); scatters (scatter.hpp); running sums (prefix_scan.hpp);
/// copies and collectives that move.
bool is_kernel(const plan::Step& step);
/// How often the kernel is launched. Where that is several times it has two parameters after its buffers: scratch
/// memory, of so many bytes, and the number of the pass, as an address. Not of nests.
int step_passes(const plan::Step& step, const plan::Program& program);
std::int64_t step_scratch_bytes(const plan::Step& step, const plan::Program& program);
Mapping map_step(const plan::Step& step, const plan::Program& program, int threads = 0);
/// `buffers`: a collective's are those of the first lane.
void emit_step_kernel(Emit& e, Threads& threads, const plan::Step& step, const plan::Program& program,
                      const Mapping& mapping, llvm::ArrayRef<Value*> buffers);

/// A check of many elements has a kernel, too, that the host launches for itself: with the address of the flags and of
/// a u64 that is all ones at first; then it is the number of the first that is false, if there is one. Within a
/// resident kernel checks are so whatever they have.
bool checks_on_gpu(const plan::Step& step, const plan::Program& program);
Mapping map_check(const plan::Step& step, const plan::Program& program, int threads);
void emit_check_kernel(Emit& e, Threads& threads, const plan::Step& step, const plan::Program& program,
                       const Mapping& mapping, llvm::ArrayRef<Value*> buffers);

/// So has what tapes hold, but where handles alone are added (runtime/gpu/host/tapes.hpp): its parameters are the
/// values and, of one tape, the place in it; of several an array of places. A place that is null has zeros, and nothing
/// is written.
bool moves_tapes(const plan::Step& step, const plan::Program& program);
runtime::TapeWork work_of_tape(const plan::Step& step);
plan::BufferId values_of_tape(const plan::Step& step);
plan::BufferId handles_of_tape(const plan::Step& step);
Mapping map_tape(const plan::Step& step, int threads = 0);
/// The same for a place that is known otherwise: `place` gives that of a tape, by its number.
void emit_tape_moves(Emit& e, Threads& threads, const plan::Step& step, const plan::Program& program,
                     const Mapping& mapping, Value* values, const std::function<Value*(Value* tape)>& place);
void emit_tape_kernel(Emit& e, Threads& threads, const plan::Step& step, const plan::Program& program,
                      const Mapping& mapping, llvm::ArrayRef<Value*> buffers);

Mapping map_dot(const plan::Step& step, const plan::Program& program, int threads = 0);
void emit_dot_kernel(Emit& e, Threads& threads, const plan::Step& step, const plan::Program& program,
                     const Mapping& mapping, llvm::ArrayRef<Value*> buffers);

} // namespace pm::codegen
