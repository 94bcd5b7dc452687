#pragma once
#include "compiler/base/diagnostic.hpp"
#include "compiler/ir/ir.hpp"

namespace pm::ir {

// Several calls may share a callee. So a callee contains no source places, and an error in it is reported at the place
// of the call. The instructions of a callee have no span. If the callee is inlined, they get the span of the call. The
// first two functions also change the spans in regions, but not in callees.

/// Returns the block with the span `span` removed from its instructions.
BlockPtr without_place(const BlockPtr& block, Span span);
/// Returns the block with the span `span` set on its instructions that have none.
BlockPtr with_place(const BlockPtr& block, Span span);

/// True if the regions of the operation are callees.
bool is_call(Op op);
/// True if an inlined instruction with this operation records the call that was inlined. These are the operations that
/// can fail when they run, and calls.
bool records_callers(Op op);
/// Returns `callers` after `call` has been inlined: `call` and its callers become the outermost calls.
Callers called_from(const Callers& callers, const Inst& call);
/// Returns `region`, a region of the inlined callee of `call`, with `call` added to the callers of its instructions.
/// The function also changes nested regions, but not other callees.
BlockPtr called_from(const BlockPtr& region, const Inst& call);
/// Adds the calls `callers` to the diagnostic.
void add_callers(Diagnostic& d, const Callers& callers);

/// `same` must have the same instructions as `block`. Only their spans may differ. Returns the span in `block` of the
/// first instruction whose span in `same` is `span`. Empty if no instruction has this span.
Span place_in(const Block& block, const Block& same, Span span);

/// Calls `work`, which processes the callee of `call`. If `work` throws an error without a place, the error gets the
/// place of `call`. Every error gets `call` and its callers.
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
