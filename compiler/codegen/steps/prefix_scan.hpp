#pragma once
#include "compiler/codegen/scalar/emit.hpp"
#include "compiler/plan/program/program.hpp"

namespace pm::codegen {

/// Instructions of a cumulative step. It asks whether to stop when they are more than poll_work.
double cumulative_work(const plan::Step& step);
/// Of a cumulative step the lanes at `at` of the inner extent, for one index of the outer. The order is a function of
/// the extents alone:
///  - Sums and products of floats are taken in f64, and each element of the result is rounded once.
///  - With an inner extent of 1 a line is cut into rows of 8, the last of them with what is left. Within a row running
///    results are taken of 2, 4 and 8 neighbours, the last of the lower half before each of the upper. Rows are
///    combined in order. Products of f64, and lines of another inner extent, are taken element by element.
///  - A line of more than 512 f64 is added up in blocks of 512, each of them as above. To its sums is added what stands
///    before the block: the sum of all blocks' totals in order, and the sum of the rounding errors of that.
void emit_prefix_scan(Emit& e, const plan::Step& step, const plan::Program& program, Value* from, Value* to,
                      Value* block, Value* at, int lanes);
void emit_cumulative(Emit& e, const plan::Step& step, const plan::Program& program, Value* from, Value* to);

} // namespace pm::codegen
