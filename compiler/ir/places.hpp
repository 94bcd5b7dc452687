#pragma once
#include "compiler/base/diagnostic.hpp"
#include "compiler/ir/ir.hpp"

namespace pm::ir {

// Code that several calls share has no place of its own: errors in it are reported at the line of the call. Its
// instructions have no span, and get the span of the call when they are inlined. The functions here also rewrite
// regions, but not callees.

/// The block without the spans that are equal to `span`.
BlockPtr without_place(const BlockPtr& block, Span span);
/// The block with `span` for instructions that have no span.
BlockPtr with_place(const BlockPtr& block, Span span);

/// `same` has the same instructions as `block`, with other spans. Returns the span in `block` of the first instruction
/// that has `span` in `same`. Empty if there is none.
Span place_in(const Block& block, const Block& same, Span span);

/// Calls `work`, which processes the callee of `call`. An error without a place gets the place of the call.
template <class Work>
decltype(auto) placed_at(const Inst& call, const Work& work) {
    try {
        return work();
    } catch (Error& e) {
        if (!e.diagnostic().span) e.diagnostic().span = call.span;
        throw;
    }
}

} // namespace pm::ir
