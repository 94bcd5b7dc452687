#pragma once
#include "compiler/codegen/scalar/emit.hpp"
#include "compiler/plan/program/program.hpp"

namespace pm::codegen {

/// The approximate number of instructions that a cumulative step executes. If this number exceeds poll_work, the step
/// polls.
double cumulative_work(const plan::Step& step);
/// A cumulative step with its operand and result.
struct PrefixScanCode {
    Emit& e;
    const plan::Step& step;
    const plan::Program& program;
    Value* from;
    Value* to;
};
/// Emits the scan at index `block` of the outer extent, for `lanes` indices of the inner extent from `at` on. A line
/// consists of the elements along n at one outer and one inner index. The order in which elements are combined depends
/// only on the extents, the dtype and the operation:
///  - Sums and products of floats are computed in f64. Each element of the result is rounded once.
///  - With an inner extent of 1, a line is cut into rows of 8; the last row has the remainder. Within a row, prefixes
///    are combined over 2, 4 and 8 neighbours: the last prefix of the lower half is combined with each prefix of the
///    upper half. Rows are combined in order. Products of f64, and lines with another inner extent, are combined
///    element by element.
///  - A line of more than 512 f64 is summed in blocks of 512, each in the order above. Two values are added to each
///    prefix sum within a block. One is the sum of the totals of all earlier blocks, in order. The other is the
///    accumulated rounding error of this sum.
void emit_prefix_scan(const PrefixScanCode& code, Value* block, Value* at, int lanes);
void emit_cumulative(Emit& e, const plan::Step& step, const plan::Program& program, Value* from, Value* to);

} // namespace pm::codegen
