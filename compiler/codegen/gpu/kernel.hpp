#pragma once
#include "compiler/codegen/gpu/threads.hpp"
#include "compiler/codegen/nest/nest_body.hpp"
#include "compiler/codegen/nest/nest_shape.hpp"
#include "compiler/codegen/steps/buffers.hpp"
#include "compiler/plan/program/program.hpp"
#include "runtime/tape.hpp"

#include <functional>

namespace pm::codegen {

/// The mapping of a nest to the threads of a GPU. A team of threads runs one point of the grid at a time, in the order
/// of nest::Stage. Results thus have the same bits as on a CPU.
///  - Without reductions along the last axis a team is one thread. In a large elementwise nest the thread takes a
///    vector of elements.
///  - 64 accumulators are 64 threads. Their values are combined through shared memory and then within a warp. For a
///    reduction in blocks several groups of 64 threads take a block each. The team is the thread block.
///  - 16 accumulators are half a warp. For at most 16 elements at many points they are one thread.
struct Mapping {
    int team = 1;
    int threads = 256;       ///< per block
    std::int64_t points = 1; ///< the work of the teams
    std::int64_t blocks = 1; ///< a team iterates over further points if there are more
    bool meets = false;      ///< threads of a block wait for each other
    int at_once = 1;         ///< blocks whose registers must fit on a multiprocessor
    bool fixed = true;       ///< the launch has `blocks` blocks; otherwise it chooses a number of at most `blocks`

    /// The numbers of threads per block of a persistent kernel.
    static constexpr int least_threads = 32;
    static constexpr int most_threads = 256;
};
/// `threads`: per block, a power of two; 0: the best number.
Mapping map_threads(const NestShape& shape, int threads = 0);

/// The shape of a nest that is a kernel.
NestShape shape_kernel(const plan::Program& program, const plan::Step& step);

/// Emits the code of one thread of a kernel for a nest from shape_threads. `source`: see NestBody::replace_loads.
void emit_threaded_nest(Emit& e, Threads& threads, const NestShape& shape, const Mapping& mapping,
                        llvm::ArrayRef<Value*> buffers, NestBody::Source source = {});

/// The number of passes of a nest. A nest of few points with large reductions runs on all blocks in several passes. It
/// has the order and the bits of a single pass. A pass reduces the blocks that nest::Stage cuts a reduction into, with
/// a group of threads for each. The next combines their results in order for each point, and runs the following stages.
/// Long own loops are distributed by iterations. Other nests have 1 pass.
int nest_passes(const NestShape& shape);
std::int64_t nest_scratch_bytes(const NestShape& shape);
Mapping map_nest_passes(const NestShape& shape, int threads = 0);
/// The pass of a nest to emit.
struct NestPass {
    Value* memory; ///< nest_scratch_bytes() bytes
    Value* number; ///< of the pass to run; null: all, with a barrier for all threads of the launch between them
    NestBody::Source source = {}; ///< see NestBody::replace_loads
};
void emit_nest_passes(Emit& e, Threads& threads, const NestShape& shape, const Mapping& mapping,
                      llvm::ArrayRef<Value*> buffers, const NestPass& pass);

/// Whether a step is a kernel: nests, products of matrices in tiles, which sum as on the CPU; sorts (sort.hpp);
/// scatters (scatter.hpp); prefix scans (prefix_scan.hpp); copies; collectives.
bool is_kernel(const plan::Step& step);
/// The number of launches of a kernel that is not a nest. If it is more than 1, the kernel has two parameters after its
/// buffers: scratch memory of step_scratch_bytes() bytes, and the number of the pass, as an address.
int step_passes(const plan::Step& step, const plan::Program& program);
std::int64_t step_scratch_bytes(const plan::Step& step, const plan::Program& program);
Mapping map_step(const plan::Step& step, const plan::Program& program, int threads = 0);
/// `buffers`: for a collective those of the first lane.
void emit_step_kernel(Emit& e, Threads& threads, const plan::Step& step, const plan::Program& program,
                      const Mapping& mapping, llvm::ArrayRef<Value*> buffers);

/// Whether a check has a kernel of its own, which the host launches: a check of many elements has. The parameters are
/// the address of the flags and that of a u64, initially all ones. The kernel sets it to the index of the first false
/// flag, if any. In a persistent kernel all checks run so.
bool checks_on_gpu(const plan::Step& step, const plan::Program& program);
Mapping map_check(const plan::Step& step, const plan::Program& program, int threads);
void emit_check_kernel(Emit& e, Threads& threads, const plan::Step& step, const plan::Program& program,
                       const Mapping& mapping, llvm::ArrayRef<Value*> buffers);

/// Whether a tape step has such a kernel: it has unless it adds only handles (runtime/gpu/host/tapes.hpp). The
/// parameters are the values and, for one tape, the address of its array; for several tapes an array of such addresses.
/// If an address is null, values read are zeros and nothing is written.
bool moves_tapes(const plan::Step& step, const plan::Program& program);
Mapping map_tape(const plan::Step& step, int threads = 0);
/// The values of a tape step, and the address of a tape's array by the number of the tape.
struct TapeMemory {
    Value* values;
    std::function<Value*(Value* tape)> place;
};
/// The same with these addresses.
void emit_tape_moves(Emit& e, Threads& threads, const plan::Step& step, const plan::Program& program,
                     const Mapping& mapping, const TapeMemory& memory);
void emit_tape_kernel(Emit& e, Threads& threads, const plan::Step& step, const plan::Program& program,
                      const Mapping& mapping, llvm::ArrayRef<Value*> buffers);

Mapping map_dot(const plan::Step& step, const plan::Program& program, int threads = 0);
void emit_dot_kernel(Emit& e, Threads& threads, const plan::Step& step, const plan::Program& program,
                     const Mapping& mapping, llvm::ArrayRef<Value*> buffers);

} // namespace pm::codegen
