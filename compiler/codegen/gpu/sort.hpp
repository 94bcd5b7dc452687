#pragma once
#include "compiler/codegen/gpu/kernel.hpp"

namespace pm::codegen {

/// The sort on a GPU (plan::StepKind::sort, in the order of runtime/kernels/kernels.hpp). The keys of an element become
/// words: unsigned numbers in the desired order. An entry consists of the words and the index of an element. The
/// entries are sorted by merging, which is stable. When two halves are merged, the position of an entry depends on the
/// number of entries of the other half that precede it. A binary search finds this number.
///  - Rows that fit into a tile are sorted in shared memory; one thread block sorts several short rows. The operands of
///    these rows are permuted in shared memory too.
///  - Longer rows are sorted tile by tile. The sorted runs are then merged through scratch memory; one thread block
///    computes each tile of the merged runs. The sort is one kernel, launched once per pass. The kernel has two
///    parameters after its buffers: the scratch memory and the number of the pass.
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
    /// The number of merge levels from runs of one entry to runs of `length`.
    static int levels(std::int64_t length);
    /// The number of merge levels of a row after the levels within tiles.
    int merges() const { return levels(n) - levels(tile); }

    /// The numbers of the passes. The passes are, in order: the tiles, merges() merges, and for each operand the move
    /// to its output. An operand that is its own output is first copied to scratch memory and moved from there.
    std::int64_t move(std::size_t operand) const { return 1 + merges() + 3 * static_cast<std::int64_t>(operand); }
    std::int64_t copy(std::size_t operand) const { return move(operand) + 1; }
    std::int64_t move_copied(std::size_t operand) const { return move(operand) + 2; }
};
/// Whether shared memory has room for tiles, and indices are wide enough to number the elements of a row.
bool sorts_on_gpu(const plan::Step& step);
/// Whether the step is a sort in passes.
bool sorts_in_passes(const plan::Step& step);
/// See step_passes(). Includes the passes that a launch skips.
int sort_passes(const plan::Step& step);
/// sort_iterations(): the number of sequential iterations of a thread for a tile. sort_work(): the approximate number
/// of instructions of the whole sort.
double sort_iterations(const plan::Step& step, int threads);
double sort_work(const plan::Step& step);
std::int64_t sort_scratch_bytes(const plan::Step& step, const plan::Program& program);

/// `threads` is the number of threads of a thread block, a power of two. If `threads` is 0, the best number is chosen.
Mapping map_sort(const plan::Step& step, int threads = 0);
void emit_sort_kernel(Emit& e, Threads& threads, const plan::Step& step, const plan::Program& program,
                      const Mapping& mapping, llvm::ArrayRef<Value*> buffers);

} // namespace pm::codegen
