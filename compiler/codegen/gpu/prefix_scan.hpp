#pragma once
#include "compiler/codegen/gpu/kernel.hpp"

namespace pm::codegen {

/// How a running sum (plan::StepKind::cumulative) is done by a GPU.
enum class PrefixScanMethod {
    lines,  ///< a thread for each line: short ones, many, and those whose order is the processor's
    blocks, ///< a block for each line
    passes, ///< few long lines, in tiles: sums of tiles, running sums of these, and then within tiles
};
/// The order of the latter two, of numbers whose sum hangs on it: 32 neighbours are combined in doubling steps (each
/// with that before it, then with the result two before it, and so on); eight such rows one after the other are a group
/// of 256, groups are combined one after the other. In passes tiles are 8 groups, and what stands before a tile is the
/// running sum, in the same order, of the tiles' sums.
PrefixScanMethod prefix_scan_method(const plan::Step& step, const plan::Program& program);

/// See step_passes().
int prefix_scan_passes(const plan::Step& step, const plan::Program& program);
std::int64_t prefix_scan_scratch_bytes(const plan::Step& step, const plan::Program& program);
/// Turns of a thread, one after the other, through a point.
double prefix_scan_iterations(const plan::Step& step, const plan::Program& program, int threads);

Mapping map_prefix_scan(const plan::Step& step, const plan::Program& program, int threads = 0);
void emit_prefix_scan_kernel(Emit& e, Threads& threads, const plan::Step& step, const plan::Program& program,
                             const Mapping& mapping, llvm::ArrayRef<Value*> buffers);

} // namespace pm::codegen
