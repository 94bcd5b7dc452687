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

/// Whether the regions of the operation are callees.
bool is_call(Op op);
/// Whether inlining records the call in an instruction of the callee. True for instructions that can fail when they run
/// and for calls.
bool records_callers(Op op);
/// The list `callers` after the instruction `call`, which is outside of these calls, was inlined.
Callers called_from(const Callers& callers, const Inst& call);
/// A region of a callee after `call` was inlined. The function also changes regions of the region, but not callees.
BlockPtr called_from(const BlockPtr& region, const Inst& call);
/// Adds the calls to the diagnostic.
void add_callers(Diagnostic& d, const Callers& callers);

/// `same` must have the same instructions as `block`; only spans may differ. Returns the span in `block` of the first
/// instruction that has `span` in `same`. Empty if there is none.
Span place_in(const Block& block, const Block& same, Span span);

/// Calls `work`, which processes the callee of `call`. An error without a place gets the place of the call. The error
/// also gets the call and its callers.
template <class Work>
decltype(auto) placed_at(const Inst& call, const Work& work) {
    try {
        return work();
    } catch (Error& e) {
        if (!e.diagnostic().span) e.diagnostic().span = call.place.span;
        if (is_call(call.op)) {
            e.diagnostic().called_at(call.place.span);
            add_callers(e.diagnostic(), call.place.callers);
        }
        throw;
    }
}

} // namespace pm::ir
