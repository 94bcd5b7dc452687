#pragma once
#include "compiler/codegen/program/program_layout.hpp"

namespace pm::codegen {

/// Emits the entry function with all inlined steps.
void emit_entry(Emit& e, const Layout& layout);
/// Emits the function of a region.
void emit_region(Emit& e, const Layout& layout, const OutlinedRegion& region);
llvm::FunctionType* region_type(Emit& e, const OutlinedRegion& region);

} // namespace pm::codegen
