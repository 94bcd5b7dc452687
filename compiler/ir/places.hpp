#pragma once
#include "compiler/base/diagnostic.hpp"
#include "compiler/ir/ir.hpp"

namespace pm::ir {

// Code that several calls share has no place of its own: it belongs to the line of each call. Its instructions have no
// span, and get the call's where they are put into the caller. The functions here look into regions, but not into
// blocks that are called: those are shared on their own.

/// The block without the places that are `span`.
BlockPtr without_place(const BlockPtr& block, Span span);
/// The block with `span` for what has no place.
BlockPtr with_place(const BlockPtr& block, Span span);

/// The place in `block` of what stands at `span` in `same`, a block with the same instructions made elsewhere; nowhere
/// when nothing does.
Span place_in(const Block& block, const Block& same, Span span);

/// Calls `work`, which goes through a block that `call` calls: an error without a place gets that of the call.
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
