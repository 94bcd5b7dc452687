#include "compiler/ir/places.hpp"

namespace pm::ir {
namespace {

/// Returns the block with new places: the place of each instruction `inst` is `change(inst)`. The regions of an
/// operation are changed too if `enters` accepts the operation.
template <class Enters, class Change>
BlockPtr with_places(const BlockPtr& block, const Enters& enters, const Change& change) {
    std::shared_ptr<Block> made;
    for (std::size_t i = 0; i < block->insts.size(); ++i) {
        const Inst& inst = block->insts[i];
        Place place = change(inst);
        std::vector<BlockPtr> regions = inst.regions;
        if (enters(inst.op))
            for (BlockPtr& region : regions) region = with_places(region, enters, change);
        if (place == inst.place && regions == inst.regions) continue;
        if (!made) made = std::make_shared<Block>(*block);
        made->insts[i].place = std::move(place);
        made->insts[i].regions = std::move(regions);
    }
    return made ? made : block;
}

template <class Change>
Callers with_spans(const Callers& callers, const Change& change) {
    if (!callers) return callers;
    const Span span = change(callers->span);
    Callers inner = with_spans(callers->inner, change);
    if (span == callers->span && inner == callers->inner) return callers;
    return std::make_shared<const Caller>(Caller{span, std::move(inner)});
}

template <class Change>
BlockPtr with_spans(const BlockPtr& block, const Change& change) {
    const auto enters = [](Op op) { return op != Op::call; };
    return with_places(block, enters, [&](const Inst& inst) {
        return Place{change(inst.place.span), with_spans(inst.place.callers, change)};
    });
}

/// Returns one list: the calls `outer`, then the calls `inner`.
Callers around(const Callers& outer, Callers inner) {
    if (!outer) return inner;
    return std::make_shared<const Caller>(Caller{outer->span, around(outer->inner, std::move(inner))});
}

} // namespace

BlockPtr without_place(const BlockPtr& block, Span span) {
    return with_spans(block, [&](Span s) { return s == span ? Span{} : s; });
}

BlockPtr with_place(const BlockPtr& block, Span span) {
    return with_spans(block, [&](Span s) { return s ? s : span; });
}

bool is_call(Op op) { return op == Op::call || op == Op::custom || op == Op::custom_linear; }
bool records_callers(Op op) { return op == Op::check || is_call(op); }

Callers called_from(const Callers& callers, const Inst& call) {
    return around(call.place.callers, std::make_shared<const Caller>(Caller{call.place.span, callers}));
}

BlockPtr called_from(const BlockPtr& region, const Inst& call) {
    const auto enters = [](Op op) { return !is_call(op); };
    return with_places(region, enters, [&](const Inst& inst) {
        return Place{inst.place.span,
                     records_callers(inst.op) ? called_from(inst.place.callers, call) : inst.place.callers};
    });
}

void add_callers(Diagnostic& d, const Callers& callers) {
    if (!callers) return;
    add_callers(d, callers->inner);
    d.called_at(callers->span);
}

Span place_in(const Block& block, const Block& same, Span span) {
    for (std::size_t i = 0; i < block.insts.size() && i < same.insts.size(); ++i) {
        if (same.insts[i].place.span == span) return block.insts[i].place.span;
        for (std::size_t r = 0; r < block.insts[i].regions.size() && r < same.insts[i].regions.size(); ++r)
            if (const Span at = place_in(*block.insts[i].regions[r], *same.insts[i].regions[r], span)) return at;
    }
    return {};
}

} // namespace pm::ir
