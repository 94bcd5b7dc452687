// Moves loop-invariant instructions out of loops. Operations are total (ir/ops.def), so this is safe even if the loop
// has no iterations. Two kinds of instructions are not moved: an inner `while`, which may not terminate, and in-place
// operations. If an instruction is cheap to compute again, a buffer for its result is not worthwhile. Constants,
// broadcasts and slices are cheap. If a moved instruction reads the result of such a cheap instruction, a copy of the
// cheap instruction is computed outside of the loop.
#include "compiler/optimize/pass.hpp"
#include "compiler/optimize/rewrite.hpp"

#include <algorithm>

namespace pm::optimize {
namespace {

using ir::Attr;
using ir::Op;

/// One region of a loop, and the choice of the instructions that are moved out of it.
struct Region {
    const Block* block = nullptr;
    std::size_t first_whole = 0; ///< the index of the first whole parameter
    std::vector<bool> invariant; ///< per value: true if it is loop-invariant
    std::vector<bool> leaves;    ///< per instruction: true if it is moved out of the loop
    Values frontier;             ///< results of moved instructions that the rest of the region uses
};

bool may_not_end(const Inst& inst) {
    if (inst.op == Op::while_) return true;
    return std::any_of(inst.regions.begin(), inst.regions.end(), [](const ir::BlockPtr& region) {
        return std::any_of(region->insts.begin(), region->insts.end(), may_not_end);
    });
}

/// True if it is worth moving the loop-invariant instruction `inst` out of the loop. An elementwise instruction is
/// worth moving if its result is not too large. The limit is the largest array that the loop would otherwise read to
/// compute the result.
bool worth(const Block& block, const Inst& inst, const std::vector<std::int64_t>& reads) {
    const ir::OpInfo& info = ir::info(inst.op);
    if (inst.operands.empty() || info.has(ir::shape_only)) return false;
    std::int64_t most = 0;
    for (const Value v : inst.operands) most = std::max(most, reads[v.id]);
    if (!info.has(ir::elementwise)) return true;
    return block.type(inst.results[0]).elements() <= most;
}

Region look(const Block& block, std::size_t first_whole, std::size_t whole) {
    Region region{&block,
                  first_whole,
                  std::vector<bool>(block.values.size(), false),
                  std::vector<bool>(block.insts.size(), false),
                  {}};
    std::vector<std::int64_t> reads(block.values.size(),
                                    0); // per value: the size of the largest array from which it is computed
    for (std::size_t i = 0; i < whole; ++i) {
        const Value p = block.params[first_whole + i];
        region.invariant[p.id] = true;
        reads[p.id] = block.type(p).elements();
    }
    for (std::size_t i = 0; i < block.insts.size(); ++i) {
        const Inst& inst = block.insts[i];
        const auto same = [&](Value v) { return static_cast<bool>(region.invariant[v.id]); };
        if (inst.results.empty() || !is_pure(inst) || !std::all_of(inst.operands.begin(), inst.operands.end(), same) ||
            may_not_end(inst) || ir::info(inst.op).has(ir::in_place))
            continue;
        region.leaves[i] = worth(block, inst, reads);
        std::int64_t most = 0;
        for (const Value v : inst.operands) most = std::max(most, reads[v.id]);
        for (const Value v : inst.results) {
            region.invariant[v.id] = true;
            reads[v.id] = region.leaves[i] ? std::max(most, block.type(v).elements()) : most;
        }
    }
    std::vector<bool> used(block.values.size(), false);
    for (std::size_t i = 0; i < block.insts.size(); ++i)
        if (!region.leaves[i])
            for (const Value v : block.insts[i].operands) used[v.id] = true;
    for (const Value v : block.results) used[v.id] = true;
    for (std::size_t i = 0; i < block.insts.size(); ++i)
        if (region.leaves[i])
            for (const Value v : block.insts[i].results)
                if (used[v.id]) region.frontier.push_back(v);
    return region;
}

/// Appends to `to` the moved instructions and copies of the instructions on which they depend. `whole` has the loop's
/// whole operands. Returns, for each value of the region's frontier, its value outside of the loop.
Values emit_outside(Rebuild& to, const Region& region, const Values& whole) {
    const Block& block = *region.block;
    std::vector<bool> due(block.values.size(), false);
    for (const Value v : region.frontier) due[v.id] = true;
    std::vector<bool> emit(block.insts.size(), false);
    for (std::size_t i = block.insts.size(); i-- > 0;) {
        for (const Value v : block.insts[i].results) emit[i] = emit[i] || due[v.id];
        if (emit[i])
            for (const Value v : block.insts[i].operands) due[v.id] = true;
    }
    Values now(block.values.size());
    for (std::size_t i = 0; i < whole.size(); ++i) now[block.params[region.first_whole + i].id] = whole[i];
    for (std::size_t i = 0; i < block.insts.size(); ++i) {
        if (!emit[i]) continue;
        const Inst& inst = block.insts[i];
        Inst made{inst.op, {}, {}, inst.attrs, inst.regions, inst.place};
        for (const Value v : inst.operands) made.operands.push_back(now[v.id]);
        std::vector<ir::Type> types;
        for (const Value v : inst.results) types.push_back(block.type(v));
        const Values results = to.b.raw().append(std::move(made), types);
        for (std::size_t k = 0; k < results.size(); ++k) now[inst.results[k].id] = results[k];
    }
    Values out;
    for (const Value v : region.frontier) out.push_back(now[v.id]);
    return out;
}

/// Returns the region without the moved instructions. New whole parameters follow the old whole parameters. The first
/// of these are for the frontiers of earlier regions; their types are `before`. Then come those for the frontier of
/// this region. The last are for the frontiers of later regions; their types are `after`.
BlockPtr shrink(const Region& region, std::size_t whole, const std::vector<ir::Type>& before,
                const std::vector<ir::Type>& after) {
    const Block& block = *region.block;
    Rebuild to(block, nullptr);
    for (std::size_t i = 0; i < block.params.size(); ++i) {
        if (i == region.first_whole + whole) break;
        to.set(block.params[i], to.b.param(block.type(block.params[i])));
    }
    for (const ir::Type& type : before) to.b.param(type);
    for (const Value v : region.frontier) to.set(v, to.b.param(block.type(v)));
    for (const ir::Type& type : after) to.b.param(type);
    for (std::size_t i = region.first_whole + whole; i < block.params.size(); ++i)
        to.set(block.params[i], to.b.param(block.type(block.params[i])));
    for (std::size_t i = 0; i < block.insts.size(); ++i)
        if (!region.leaves[i]) to.copy(block.insts[i]);
    return to.finish();
}

std::vector<ir::Type> frontier_types(const Region& region) {
    std::vector<ir::Type> types;
    for (const Value v : region.frontier) types.push_back(region.block->type(v));
    return types;
}

/// Appends the moved instructions, then the loop. Returns false if no instruction is moved.
bool move_out(Rebuild& to, const Inst& loop) {
    const auto whole = static_cast<std::size_t>(loop.attrs.integer(Attr::whole));
    const std::size_t first = loop.op == Op::scan ? 1 : 0; // in a scan, parameter 0 is the index
    std::vector<Region> regions;
    std::size_t added = 0;
    for (const BlockPtr& block : loop.regions) {
        regions.push_back(look(*block, first, whole));
        added += regions.back().frontier.size();
    }
    if (added == 0) return false;
    Inst made = to.renamed(loop);
    const Values outside(made.operands.begin(), made.operands.begin() + static_cast<std::ptrdiff_t>(whole));
    Values moved;
    for (const Region& region : regions) {
        const Values out = emit_outside(to, region, outside);
        moved.insert(moved.end(), out.begin(), out.end());
    }
    made.operands.insert(made.operands.begin() + static_cast<std::ptrdiff_t>(whole), moved.begin(), moved.end());
    made.attrs.set(Attr::whole, static_cast<std::int64_t>(whole + added));
    if (regions.size() == 1) {
        made.regions = {shrink(regions[0], whole, {}, {})};
    } else {
        const auto condition = frontier_types(regions[0]);
        const auto body = frontier_types(regions[1]);
        made.regions = {shrink(regions[0], whole, {}, body), shrink(regions[1], whole, condition, {})};
    }
    to.set(loop, to.append(std::move(made), loop));
    return true;
}

BlockPtr hoist_in(const BlockPtr& block) {
    bool changed = false;
    Rebuild to(*block);
    for (const Inst& inst : block->insts) {
        if ((inst.op == Op::scan || inst.op == Op::while_) && move_out(to, inst))
            changed = true;
        else
            to.copy(inst);
    }
    return changed ? to.finish() : block;
}

} // namespace

BlockPtr pass::hoist(const BlockPtr& block) { return bottom_up(block, hoist_in); }

} // namespace pm::optimize
