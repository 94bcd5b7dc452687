#pragma once
#include "compiler/codegen/gpu/gpu_threads.hpp"
#include "compiler/codegen/nest/nest_body.hpp"
#include "compiler/codegen/nest/nest_shape.hpp"
#include "compiler/codegen/steps/buffers.hpp"
#include "compiler/plan/program/program.hpp"
#include "runtime/memory/tape.hpp"

#include <functional>

namespace pm::codegen {

/// The mapping of a nest to the threads of a GPU. A team of threads runs one point of the grid at a time, in the order
/// of nest::Stage. Results thus have the same bits as on a CPU.
///  - If the nest has no reduction along the last axis, a team is one thread. In a large elementwise nest, each thread
///    handles a vector of elements.
///  - If a reduction has 64 accumulators, each accumulator is a thread. The 64 values are combined through shared
///    memory and then within a warp. If nest::Stage cuts the reduction into blocks, a team has several groups of 64
///    threads, and each group reduces one block at a time. Outside of persistent kernels the team is the thread block.
///  - If a reduction has 16 accumulators, they are the threads of half a warp. If there are many points with at most 16
///    elements each, one thread has all accumulators of a point.
struct Mapping {
    int team = 1;
    int threads = 256;         ///< number of threads of a thread block
    std::int64_t points = 1;   ///< the number of points that the teams run
    std::int64_t blocks = 1;   ///< thread blocks; if there are more points than teams, a team runs several points
    bool has_barriers = false; ///< true if the kernel has barriers for the threads of a thread block
    int at_once = 1;           ///< the number of thread blocks whose registers must together fit on one multiprocessor
    /// If true, the launch has exactly `blocks` thread blocks. If false, the launch chooses the number, which is at
    /// most `blocks`.
    bool fixed = true;

    /// The limits of the number of threads per thread block of a persistent kernel.
    static constexpr int least_threads = 32;
    static constexpr int most_threads = 256;
};
/// `threads` is the number of threads of a thread block, a power of two. If `threads` is 0, the best number is chosen.
Mapping map_threads(const NestShape& shape, int threads = 0);

/// The shape of a nest that runs as a kernel.
NestShape shape_kernel(const plan::Program& program, const plan::Step& step);

/// Emits the code of one thread of a kernel for a nest. `shape`: a result of shape_threads(). `source`: see
/// NestBody::replace_loads.
void emit_threaded_nest(Emit& e, Threads& threads, const NestShape& shape, const Mapping& mapping,
                        llvm::ArrayRef<Value*> buffers, NestBody::Source source = {});

/// The number of passes of a nest. A nest of few points with large reductions runs on the whole GPU in several passes.
/// The passes keep the order of the reductions, so the results have the same bits as with a single pass. nest::Stage
/// cuts a reduction into blocks. The first pass reduces these blocks, with a group of threads for each block. For each
/// point, the next pass combines the results of the blocks in order, and runs the following stages. A stage without
/// reductions that has long own loops is a separate pass, which distributes the iterations over all threads. Other
/// nests have 1 pass.
int nest_passes(const NestShape& shape);
std::int64_t nest_scratch_bytes(const NestShape& shape);
Mapping map_nest_passes(const NestShape& shape, int threads = 0);
/// The passes of a nest to emit.
struct NestPass {
    Value* memory; ///< scratch memory of nest_scratch_bytes() bytes
    Value* number; ///< the number of the pass to run; null: all passes, with a barrier of the whole launch between them
    NestBody::Source source = {}; ///< see NestBody::replace_loads
};
void emit_nest_passes(Emit& e, Threads& threads, const NestShape& shape, const Mapping& mapping,
                      llvm::ArrayRef<Value*> buffers, const NestPass& pass);

/// Whether a step runs as a kernel. These steps run as kernels: nests; matrix products, in tiles and with the sums in
/// the order of the CPU; sorts (sort.hpp); scatters (scatter.hpp); prefix scans (prefix_scan.hpp); copies; collectives.
bool is_kernel(const plan::Step& step);
/// The number of launches of a kernel that is not a nest. If the number is more than 1, the kernel has two parameters
/// after its buffers: scratch memory of step_scratch_bytes() bytes, and the pass number, which is cast to an address.
int step_passes(const plan::Step& step, const plan::Program& program);
std::int64_t step_scratch_bytes(const plan::Step& step, const plan::Program& program);
Mapping map_step(const plan::Step& step, const plan::Program& program, int threads = 0);
/// `buffers`: the addresses of the step's buffers; for a collective, the addresses of the first lane's parts.
void emit_step_kernel(Emit& e, Threads& threads, const plan::Step& step, const plan::Program& program,
                      const Mapping& mapping, llvm::ArrayRef<Value*> buffers);

/// Whether the host launches a separate kernel for a check, because the check has many elements. The parameters of the
/// kernel are the addresses of the flags and of a u64 that is initially all ones. If a flag is false, the kernel sets
/// the u64 to the index of the first false flag. In a persistent kernel every check runs this code.
bool checks_on_gpu(const plan::Step& step, const plan::Program& program);
Mapping map_check(const plan::Step& step, const plan::Program& program, int threads);
void emit_check_kernel(Emit& e, Threads& threads, const plan::Step& step, const plan::Program& program,
                       const Mapping& mapping, llvm::ArrayRef<Value*> buffers);

/// Whether a tape step has a kernel. A step that adds handles instead of values has no kernel
/// (runtime/gpu/host/tapes.hpp); all other tape steps have one. The first parameter of the kernel is the address of the
/// values. If the step has one tape, the second parameter is the address of the tape's array. If the step has several
/// tapes, the second parameter is the address of an array of such addresses. If the address of a tape's array is null,
/// a read of this array returns zeros and a write does nothing.
bool moves_tapes(const plan::Step& step, const plan::Program& program);
Mapping map_tape(const plan::Step& step, int threads = 0);
/// The values of a tape step, and a function from the number of a tape to the address of the tape's array.
struct TapeMemory {
    Value* values;
    std::function<Value*(Value* tape)> place;
};
/// Emits the moves of a tape step between the values and the arrays of `memory`.
void emit_tape_moves(Emit& e, Threads& threads, const plan::Step& step, const plan::Program& program,
                     const Mapping& mapping, const TapeMemory& memory);
void emit_tape_kernel(Emit& e, Threads& threads, const plan::Step& step, const plan::Program& program,
                      const Mapping& mapping, llvm::ArrayRef<Value*> buffers);

Mapping map_dot(const plan::Step& step, const plan::Program& program, int threads = 0);
void emit_dot_kernel(Emit& e, Threads& threads, const plan::Step& step, const plan::Program& program,
                     const Mapping& mapping, llvm::ArrayRef<Value*> buffers);

} // namespace pm::codegen
