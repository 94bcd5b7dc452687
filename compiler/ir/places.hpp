#pragma once
#include "compiler/base/diagnostic.hpp"
#include "compiler/ir/ir.hpp"

namespace pm::ir {

// A callee that several calls share contains no source places: an error in it is reported at the place of the call. Its
// instructions have no span, and inlining gives them the span of the call. The first two functions also change the
// spans in regions, but not in callees.

/// The block after the removal of the span `span` from its instructions.
BlockPtr without_place(const BlockPtr& block, Span span);
/// The block after its instructions without a span have received the span `span`.
BlockPtr with_place(const BlockPtr& block, Span span);

/// `same` must have the same instructions as `block`; only spans may differ. Returns the span in `block` of the first
/// instruction that has `span` in `same`. Empty if there is none.
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
