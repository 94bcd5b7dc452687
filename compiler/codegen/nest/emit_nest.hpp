#pragma once
#include "compiler/codegen/nest/nest_body.hpp"
#include "compiler/codegen/nest/reduction.hpp"

namespace pm::codegen {

/// Writes the loops of a nest at the builder's place. `buffers`: the base address of each buffer. `begin`, `end`: the
/// units to run (see NestShape::chunk_loops), null for everything. Reductions have the order of nest::Stage whatever
/// the vector width.
void emit_nest(Emit& e, const NestShape& shape, llvm::ArrayRef<Value*> buffers, Value* begin = nullptr,
               Value* end = nullptr);

/// Runs a nest as made by shape_points over begin .. end of each loop of its grid. `even`: the last loop's part is
/// whole vectors.
void emit_points(NestBody& body, llvm::ArrayRef<Value*> begin, llvm::ArrayRef<Value*> end, bool even);

/// An elementwise nest some of whose loads run through memory along NestShape::turned_loop (a transpose): blocks of
/// lanes x lanes of these are turned over in registers and kept on the stack, where the rows of the block find them.
/// `begin`, `end`: of the first loop.
void emit_turned(Emit& e, NestBody& body, Value* begin, Value* end);

/// The reductions of one stage for the points of some scopes (more than one when vectors lie along the grid), put into
/// their values. Each scope has entered the grid's loops.
void emit_reductions(NestBody& body, std::vector<Scope>& scopes, const nest::Stage& stage);

/// The own loops of a stage, but for the innermost `left_out`, run for some scopes.
struct OwnLoops {
    NestBody& body;
    const nest::Stage& stage;
    std::size_t left_out;
    std::function<void(std::vector<Scope>&)> inner;
    Accumulators* sums = nullptr; ///< their chunks are ended

    /// All iterations; of the outermost loop those from `begin` to `end`.
    void run(const std::vector<Scope>& scopes) const;
    void run(const std::vector<Scope>& scopes, Value* begin, Value* end) const { run(scopes, 0, begin, end); }

  private:
    void run(const std::vector<Scope>& scopes, std::size_t loop, Value* begin, Value* end) const;
};

} // namespace pm::codegen
