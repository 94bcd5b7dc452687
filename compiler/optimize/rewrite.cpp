#include "compiler/optimize/rewrite.hpp"

#include <unordered_map>

namespace pm::optimize {
namespace {

class BottomUp {
  public:
    BottomUp(const Rewrite& rewrite, const Block& root) : rewrite_(rewrite) { count(root); }

    BlockPtr run(const BlockPtr& block) {
        const auto known = done_.find(block.get());
        if (known != done_.end()) return known->second;
        std::shared_ptr<Block> copy; // allocated when the first region changes
        for (std::size_t i = 0; i < block->insts.size(); ++i)
            for (std::size_t r = 0; r < block->insts[i].regions.size(); ++r) {
                const BlockPtr& old = block->insts[i].regions[r];
                BlockPtr made = run(old);
                // A rewritten block may be large. So it is released after its last use.
                if (--uses_[old.get()] == 0) done_.erase(old.get());
                if (made == old) continue;
                if (!copy) copy = std::make_shared<Block>(*block);
                copy->insts[i].regions[r] = std::move(made);
            }
        return done_[block.get()] = rewrite_(copy ? BlockPtr(std::move(copy)) : block);
    }

  private:
    /// Counts, for each block, the instructions that have it as a region.
    void count(const Block& block) {
        for (const Inst& inst : block.insts)
            for (const BlockPtr& region : inst.regions)
                if (uses_[region.get()]++ == 0) count(*region);
    }

    const Rewrite& rewrite_;
    std::unordered_map<const Block*, std::size_t> uses_; ///< per block: the number of its remaining uses
    std::unordered_map<const Block*, BlockPtr> done_;
};

} // namespace

BlockPtr bottom_up(const BlockPtr& block, const Rewrite& rewrite) { return BottomUp(rewrite, *block).run(block); }

bool is_pure(const Inst& inst) {
    if (ir::info(inst.op).has(ir::effect)) return false;
    for (const BlockPtr& region : inst.regions)
        if (ir::has_effect(*region)) return false;
    return true;
}

std::vector<std::uint32_t> use_counts(const Block& block) {
    std::vector<std::uint32_t> counts(block.values.size(), 0);
    for (const Inst& inst : block.insts)
        for (const Value v : inst.operands) ++counts[v.id];
    for (const Value v : block.results) ++counts[v.id];
    return counts;
}

Rebuild::Rebuild(const Block& from) : Rebuild(from, nullptr) {
    for (const Value p : from.params) now_[p.id] = b.param(from.type(p));
}

Values Rebuild::operator()(const Values& old) const {
    Values now;
    now.reserve(old.size());
    for (const Value v : old) now.push_back(now_[v.id]);
    return now;
}

void Rebuild::set(const Inst& inst, const Values& results) {
    PM_CHECK(inst.results.size() == results.size(), std::string(ir::info(inst.op).name));
    for (std::size_t i = 0; i < results.size(); ++i) now_[inst.results[i].id] = results[i];
}

Inst Rebuild::renamed(const Inst& inst) const {
    return {inst.op, (*this)(inst.operands), {}, inst.attrs, inst.regions, inst.place};
}

Values Rebuild::append(Inst made, const Inst& like) {
    std::vector<ir::Type> types;
    types.reserve(like.results.size());
    for (const Value v : like.results) types.push_back(from_.type(v));
    return b.raw().append(std::move(made), types);
}

} // namespace pm::optimize
