#pragma once
#include "compiler/codegen/gpu/kernel.hpp"

namespace pm::codegen {

/// How a sort (plan::StepKind::sort, in the order of runtime/kernels/kernels.hpp) is done by a GPU. The keys of an
/// element become words, unsigned numbers in the order wanted; an entry is these words and the element's index. Entries
/// are sorted by merging, which is stable: each finds its place by looking up in the other half how many go before it.
///  - Rows that a tile has room for are sorted in shared memory, short ones several by one block, and their operands
///    are put in order there.
///  - Longer rows are sorted tile by tile, then their runs are merged through scratch memory, each tile of the merged
///    runs by a block: one kernel, launched once for each pass, with two parameters after its buffers, the scratch
///    memory and the number of the pass.
class SortSizes {
  public:
    explicit SortSizes(const plan::Step& step);

    std::int64_t rows;
    std::int64_t n;
    std::size_t operands;
    std::size_t keys;
    std::int64_t tile; ///< entries, a power of two

    bool in_passes() const { return n > tile; }
    std::int64_t elements() const { return rows * n; }
    /// Levels of merging that make runs of one entry into runs of `length`.
    static int levels(std::int64_t length);
    /// Of a row, beyond those within tiles.
    int merges() const { return levels(n) - levels(tile); }

    /// The passes, in order: the tiles, then merges() merges, then for each operand the move to its output; an operand
    /// that is its own output is copied to scratch memory first and moved from there.
    std::int64_t move(std::size_t operand) const { return 1 + merges() + 3 * static_cast<std::int64_t>(operand); }
    std::int64_t copy(std::size_t operand) const { return move(operand) + 1; }
    std::int64_t move_copied(std::size_t operand) const { return move(operand) + 2; }
};
/// Shared memory has room for tiles, and indices for the elements of a row.
bool sorts_on_gpu(const plan::Step& step);
/// A step that is a sort in passes.
bool sorts_in_passes(const plan::Step& step);
/// See step_passes(): all numbers of passes, of which some are left out.
int sort_passes(const plan::Step& step);
/// Turns of a thread, one after the other, through a tile; and instructions, about, of the whole sort.
double sort_iterations(const plan::Step& step, int threads);
double sort_work(const plan::Step& step);
std::int64_t sort_scratch_bytes(const plan::Step& step, const plan::Program& program);

/// `threads`: of a block, a power of two; 0: as is best.
Mapping map_sort(const plan::Step& step, int threads = 0);
void emit_sort_kernel(Emit& e, Threads& threads, const plan::Step& step, const plan::Program& program,
                      const Mapping& mapping, llvm::ArrayRef<Value*> buffers);

} // namespace pm::codegen
