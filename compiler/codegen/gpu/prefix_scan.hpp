#pragma once
#include "compiler/codegen/gpu/kernel.hpp"

namespace pm::codegen {

/// The methods of a prefix scan (plan::StepKind::cumulative) on a GPU. A line is the elements along the scanned axis at
/// one index of the other axes. For floats, the order of additions matters. In `blocks` and `passes`, 32 neighbours are
/// a row. A row is combined in doubling steps: each element is combined with the element before it, then each result
/// with the result two places before it, and so on. Eight rows, combined in order, are a group of 256. Groups are
/// combined in order. In `passes` a tile has 8 groups. The initial value of a tile is the prefix sum of the totals of
/// the tiles before it, computed in the same order.
enum class PrefixScanMethod {
    lines,  ///< a thread per line: for short lines, for many lines, and for lines that need the order of the CPU
    blocks, ///< a thread block per line
    passes, ///< for few long lines: a pass for the totals of tiles, a scan of the totals, then a scan within each tile
};
PrefixScanMethod prefix_scan_method(const plan::Step& step, const plan::Program& program);

/// See step_passes().
int prefix_scan_passes(const plan::Step& step, const plan::Program& program);
std::int64_t prefix_scan_scratch_bytes(const plan::Step& step, const plan::Program& program);
/// The number of sequential iterations of a thread for one point.
double prefix_scan_iterations(const plan::Step& step, const plan::Program& program, int threads);

Mapping map_prefix_scan(const plan::Step& step, const plan::Program& program, int threads = 0);
void emit_prefix_scan_kernel(Emit& e, Threads& threads, const plan::Step& step, const plan::Program& program,
                             const Mapping& mapping, llvm::ArrayRef<Value*> buffers);

} // namespace pm::codegen
