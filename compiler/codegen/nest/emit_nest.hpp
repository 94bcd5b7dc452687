#pragma once
#include "compiler/codegen/nest/nest_body.hpp"
#include "compiler/codegen/nest/reduction.hpp"

namespace pm::codegen {

/// Emits the loops of a nest at the insertion point. `buffers`: the base address of each buffer. `begin`, `end`: the
/// range of units to run (see NestShape::chunk_loops). If both are null, all units run. The order of reductions is that
/// of nest::Stage, for any vector width.
void emit_nest(Emit& e, const NestShape& shape, llvm::ArrayRef<Value*> buffers, Value* begin = nullptr,
               Value* end = nullptr);

/// Emits a nest whose shape is a result of shape_points(). Each loop of the grid iterates from `begin` to `end`. `even`
/// is true if the trip count of the last loop is a multiple of the vector length.
void emit_points(NestBody& body, llvm::ArrayRef<Value*> begin, llvm::ArrayRef<Value*> end, bool even);

/// Emits an elementwise nest that transposes: some loads are contiguous along NestShape::transposed_loop. For each of
/// these loads, a block of lanes x lanes elements is read, transposed in registers and stored on the stack. The
/// iterations of the block then load from the stack. `begin`, `end`: the range of the first loop.
void emit_transposed(Emit& e, NestBody& body, Value* begin, Value* end);

/// Emits the reductions of one stage for the points of `scopes` and sets the values of the reduce instructions. There
/// are several scopes if vectors lie along the grid. Each scope has entered the loops of the grid.
void emit_reductions(NestBody& body, std::vector<Scope>& scopes, const nest::Stage& stage);

/// Emits the own loops of a stage, except the innermost `left_out` loops, for several scopes.
struct OwnLoops {
    NestBody& body;
    const nest::Stage& stage;
    std::size_t left_out;
    std::function<void(std::vector<Scope>&)> inner;
    Accumulators* sums = nullptr; ///< accumulators whose chunks end in these loops; may be null

    /// Runs all iterations, or the iterations `begin` .. `end` of the outermost loop.
    void run(const std::vector<Scope>& scopes) const;
    void run(const std::vector<Scope>& scopes, Value* begin, Value* end) const { run(scopes, 0, begin, end); }

  private:
    void run(const std::vector<Scope>& scopes, std::size_t loop, Value* begin, Value* end) const;
};

} // namespace pm::codegen
