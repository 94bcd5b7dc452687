// Removes dead code, by a liveness analysis from the results backwards. The result of a control instruction is live if
// it is used. A carried result is also live if the next iteration needs it. An operand is live if a region needs it to
// compute the live results.
#include "compiler/base/stop.hpp"
#include "compiler/optimize/pass.hpp"
#include "compiler/optimize/rewrite.hpp"

#include <algorithm>
#include <map>

namespace pm::optimize {
namespace {

using ir::Attr;
using ir::Op;
using Mask = std::vector<bool>;

bool any(const Mask& mask) { return std::find(mask.begin(), mask.end(), true) != mask.end(); }
bool all(const Mask& mask) { return std::find(mask.begin(), mask.end(), false) == mask.end(); }

template <class T>
std::vector<T> chosen(const std::vector<T>& items, const Mask& keep) {
    std::vector<T> out;
    for (std::size_t i = 0; i < items.size(); ++i)
        if (keep[i]) out.push_back(items[i]);
    return out;
}

/// Describes which results and operands of an instruction are live.
struct Keep {
    bool live = false;
    Mask results;
    Mask operands;
};

class Dce {
  public:
    BlockPtr run(const BlockPtr& block) {
        return rebuild(block, Mask(block->results.size(), true), Mask(block->params.size(), true));
    }

  private:
    using Key = std::pair<const Block*, Mask>;
    using RebuildKey = std::pair<Key, Mask>;

    static std::size_t count(const Inst& inst, Attr attr) { return static_cast<std::size_t>(inst.attrs.integer(attr)); }

    /// Returns the parameters on which the results marked in `results`, or an effect of the block, depend.
    const Mask& needed(const BlockPtr& block, const Mask& results) {
        const Key key{block.get(), results};
        const auto known = needed_.find(key);
        if (known != needed_.end()) return known->second;
        const auto [keeps, live] = analyse(*block, results);
        Mask params;
        for (const Value p : block->params) params.push_back(live[p.id]);
        return needed_.emplace(key, std::move(params)).first->second;
    }

    std::pair<std::vector<Keep>, Mask> analyse(const Block& block, const Mask& results) {
        Mask live(block.values.size(), false);
        for (std::size_t i = 0; i < results.size(); ++i)
            if (results[i]) live[block.results[i].id] = true;
        std::vector<Keep> keeps(block.insts.size());
        for (std::size_t i = block.insts.size(); i-- > 0;) {
            poll_stop();
            const Inst& inst = block.insts[i];
            Mask used;
            for (const Value v : inst.results) used.push_back(live[v.id]);
            if (!any(used) && is_pure(inst)) continue;
            keeps[i] = keep(inst, std::move(used));
            for (std::size_t k = 0; k < inst.operands.size(); ++k)
                if (keeps[i].operands[k]) live[inst.operands[k].id] = true;
        }
        return {std::move(keeps), std::move(live)};
    }

    Keep keep(const Inst& inst, Mask used) {
        if (inst.op == Op::if_) return keep_if(inst, std::move(used));
        if (inst.op == Op::while_) return keep_while(inst, std::move(used));
        if (inst.op == Op::scan) return keep_scan(inst, std::move(used));
        if (inst.op == Op::pmap) return {true, used, needed(inst.regions[0], used)};
        // Calls and operations without regions keep all operands and results.
        return {true, Mask(inst.results.size(), true), Mask(inst.operands.size(), true)};
    }

    Keep keep_if(const Inst& inst, Mask used) {
        Mask operands{true};
        const Mask& then = needed(inst.regions[0], used);
        const Mask& otherwise = needed(inst.regions[1], used);
        for (std::size_t i = 0; i < then.size(); ++i) operands.push_back(then[i] || otherwise[i]);
        return {true, std::move(used), std::move(operands)};
    }

    Keep keep_while(const Inst& inst, Mask used) {
        const std::size_t whole = count(inst, Attr::whole);
        const Mask& condition = needed(inst.regions[0], {true});
        for (bool grown = true; grown;) {
            grown = false;
            const Mask& body = needed(inst.regions[1], used);
            for (std::size_t j = 0; j < used.size(); ++j) {
                const bool read = condition[whole + j] || body[whole + j];
                grown = grown || (read && !used[j]);
                used[j] = used[j] || read;
            }
        }
        const Mask& body = needed(inst.regions[1], used);
        Mask operands;
        for (std::size_t i = 0; i < inst.operands.size(); ++i)
            operands.push_back(i < whole ? condition[i] || body[i] : static_cast<bool>(used[i - whole]));
        return {true, std::move(used), std::move(operands)};
    }

    Keep keep_scan(const Inst& inst, Mask used) {
        const std::size_t whole = count(inst, Attr::whole);
        const std::size_t carried = count(inst, Attr::carried);
        for (bool grown = true; grown;) {
            grown = false;
            const Mask& body = needed(inst.regions[0], used);
            for (std::size_t j = 0; j < carried; ++j) {
                const bool read = body[1 + whole + j];
                grown = grown || (read && !used[j]);
                used[j] = used[j] || read;
            }
        }
        const Mask& body = needed(inst.regions[0], used);
        Mask operands;
        for (std::size_t i = 0; i < inst.operands.size(); ++i) {
            const bool is_carried = i >= whole && i < whole + carried;
            operands.push_back(is_carried ? static_cast<bool>(used[i - whole]) : static_cast<bool>(body[1 + i]));
        }
        return {true, std::move(used), std::move(operands)};
    }

    BlockPtr rebuild(const BlockPtr& block, const Mask& results, const Mask& params) {
        const RebuildKey key{{block.get(), results}, params};
        const auto known = rebuilt_.find(key);
        if (known != rebuilt_.end()) return known->second;
        const std::vector<Keep> keeps = analyse(*block, results).first;
        bool changed = !all(results) || !all(params);
        Rebuild to(*block, nullptr);
        for (std::size_t i = 0; i < params.size(); ++i)
            if (params[i]) to.set(block->params[i], to.b.param(block->type(block->params[i])));
        for (std::size_t i = 0; i < block->insts.size(); ++i) {
            if (!keeps[i].live) {
                changed = true;
                continue;
            }
            changed = trimmed(to, *block, block->insts[i], keeps[i]) || changed;
        }
        BlockPtr made = changed ? to.b.finish(to(chosen(block->results, results))) : block;
        return rebuilt_.emplace(key, std::move(made)).first->second;
    }

    /// Appends an instruction with only its live results and operands. Returns true if the appended instruction differs
    /// from `inst`.
    bool trimmed(Rebuild& to, const Block& block, const Inst& inst, const Keep& keep) {
        Inst made{inst.op, to(chosen(inst.operands, keep.operands)), {}, inst.attrs, {}, inst.place};
        trim_regions(inst, keep, made);
        std::vector<ir::Type> types;
        const Values kept = chosen(inst.results, keep.results);
        for (const Value v : kept) types.push_back(block.type(v));
        const bool changed = !all(keep.results) || !all(keep.operands) || made.regions != inst.regions;
        const Values now = to.b.raw().append(std::move(made), types);
        for (std::size_t i = 0; i < kept.size(); ++i) to.set(kept[i], now[i]);
        return changed;
    }

    void trim_regions(const Inst& inst, const Keep& keep, Inst& made) {
        const auto region = [&](std::size_t i, const Mask& results, const Mask& params) {
            made.regions.push_back(rebuild(inst.regions[i], results, params));
        };
        Mask params = keep.operands;
        if (inst.op == Op::call) region(0, keep.results, params);
        if (inst.op == Op::if_) {
            params.erase(params.begin());
            region(0, keep.results, params);
            region(1, keep.results, params);
        }
        if (inst.op == Op::while_) region(0, {true}, params);
        if (inst.op == Op::while_) region(1, keep.results, params);
        if (inst.op == Op::scan) {
            params.insert(params.begin(), true); // the index parameter is always kept
            region(0, keep.results, params);
        }
        if (inst.op == Op::while_ || inst.op == Op::scan) {
            const std::size_t whole = count(inst, Attr::whole);
            const std::size_t carried = count(inst, Attr::carried);
            const auto kept = [&](std::size_t begin, std::size_t end) {
                return std::count(keep.operands.begin() + static_cast<std::ptrdiff_t>(begin),
                                  keep.operands.begin() + static_cast<std::ptrdiff_t>(end), true);
            };
            made.attrs.set(Attr::whole, std::int64_t{kept(0, whole)});
            made.attrs.set(Attr::carried, std::int64_t{kept(whole, whole + carried)});
        }
        if (inst.op == Op::pmap) {
            region(0, keep.results, params);
            made.attrs.set(Attr::in_axes, chosen(inst.attrs.integers(Attr::in_axes), keep.operands));
            made.attrs.set(Attr::out_axes, chosen(inst.attrs.integers(Attr::out_axes), keep.results));
        }
    }

    std::map<Key, Mask> needed_;
    std::map<RebuildKey, BlockPtr> rebuilt_;
};

} // namespace

BlockPtr pass::dce(const BlockPtr& block) { return Dce().run(block); }

} // namespace pm::optimize
