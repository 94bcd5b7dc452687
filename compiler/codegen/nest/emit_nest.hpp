#pragma once
#include "compiler/codegen/nest/nest_body.hpp"

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

/// Runs the own loops of a stage from `loop` (numbered with the grid's) on for all scopes, calling `inner` inside the
/// innermost one, which is not a vector loop. Extents are the stage's but for the loop `first` when `begin` is given.
void own_loops(NestBody& body, const std::vector<Scope>& scopes, const nest::Stage& stage, std::size_t loop,
               std::size_t until, Value* begin, Value* end, const std::function<void(std::vector<Scope>&)>& inner);

} // namespace pm::codegen
