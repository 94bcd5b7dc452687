#include "compiler/ir/places.hpp"

namespace pm::ir {
namespace {

template <class Change>
BlockPtr with_spans(const BlockPtr& block, const Change& change) {
    std::shared_ptr<Block> made;
    for (std::size_t i = 0; i < block->insts.size(); ++i) {
        const Inst& inst = block->insts[i];
        const Span span = change(inst.span);
        std::vector<BlockPtr> regions = inst.regions;
        if (inst.op != Op::call)
            for (BlockPtr& region : regions) region = with_spans(region, change);
        if (span == inst.span && regions == inst.regions) continue;
        if (!made) made = std::make_shared<Block>(*block);
        made->insts[i].span = span;
        made->insts[i].regions = std::move(regions);
    }
    return made ? made : block;
}

} // namespace

BlockPtr without_place(const BlockPtr& block, Span span) {
    return with_spans(block, [&](Span s) { return s == span ? Span{} : s; });
}

BlockPtr with_place(const BlockPtr& block, Span span) {
    return with_spans(block, [&](Span s) { return s ? s : span; });
}

Span place_in(const Block& block, const Block& same, Span span) {
    for (std::size_t i = 0; i < block.insts.size() && i < same.insts.size(); ++i) {
        if (same.insts[i].span == span) return block.insts[i].span;
        for (std::size_t r = 0; r < block.insts[i].regions.size() && r < same.insts[i].regions.size(); ++r)
            if (const Span at = place_in(*block.insts[i].regions[r], *same.insts[i].regions[r], span)) return at;
    }
    return {};
}

} // namespace pm::ir
