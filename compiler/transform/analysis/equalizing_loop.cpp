// Searches backwards, from a result that differs along an axis, for a loop that explains the difference. A loop
// explains it if the result would be equal along the axis after enough complete iterations. If the result also depends
// on a value that differs for another reason, no loop explains the difference.
#include "compiler/transform/core/bit_mask.hpp"
#include "compiler/transform/core/transform.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace pm::transform {
namespace {

using ir::Attr;
using ir::Block;
using Sets = std::vector<AxisSet>;

class Search {
  public:
    Search(const Block& block, std::int64_t axis, const Sets& params)
        : axis_(axis), sets_(varies(block, {axis}, params)) {
        for (const Inst& inst : block.insts)
            for (std::size_t i = 0; i < inst.results.size(); ++i) made_[inst.results[i].id] = {&inst, i};
    }

    /// The loop that explains the difference of `v`. `inst` is null if no loop explains it.
    EqualizingLoop loop_of(Value v) {
        const auto known = found_.find(v.id);
        if (known != found_.end()) return known->second;
        const auto made = made_.find(v.id);
        return found_[v.id] =
                   made == made_.end() ? EqualizingLoop{} : loop_of(*made->second.first, made->second.second);
    }

  private:
    EqualizingLoop loop_of(const Inst& inst, std::size_t result) {
        if (inst.op == Op::while_ || inst.op == Op::scan) {
            if (equalizes(inst, result, false)) return {&inst, false};
            if (equalizes(inst, result, true)) return {&inst, true};
            return {};
        }
        if (inst.op == Op::call) return through(inst, result);
        if (!inst.regions.empty() || ir::info(inst.op).has(ir::collective)) return {};
        return of_all(inst.operands);
    }

    /// A loop that explains the difference of one of these values. `inst` is null if one of the differing values has no
    /// such loop.
    EqualizingLoop of_all(const Values& values) {
        EqualizingLoop loop;
        for (const Value v : values) {
            if (sets_.values[v.id] == 0) continue;
            loop = loop_of(v);
            if (!loop.inst) return {};
        }
        return loop;
    }

    /// Searches within the callee. If the result is a parameter of the callee, continues from the operand of `inst`.
    EqualizingLoop through(const Inst& inst, std::size_t result) {
        const Block& callee = *inst.regions[0];
        const Value v = callee.results[result];
        for (std::size_t i = 0; i < callee.params.size(); ++i)
            if (callee.params[i] == v) return loop_of(inst.operands[i]);
        return Search(callee, axis_, sets_of(inst.operands)).loop_of(v);
    }

    /// True if a carried result is equal along the axis after enough iterations, provided that all devices run equally
    /// many. If `touched` is true, branches that return a carried value unchanged are ignored.
    bool equalizes(const Inst& inst, std::size_t result, bool touched) const {
        const bool counted = inst.op == Op::scan;
        const auto carried = static_cast<std::size_t>(inst.attrs.integer(Attr::carried));
        const auto whole = static_cast<std::size_t>(inst.attrs.integer(Attr::whole));
        if (result >= carried) return false;
        Sets in = sets_of(inst.operands);
        for (std::size_t c = 0; c < carried; ++c) {
            const auto in_any_iteration = sets_.carried.find(inst.results[c].id);
            in[whole + c] =
                in_any_iteration == sets_.carried.end() ? sets_.values[inst.results[c].id] : in_any_iteration->second;
        }
        if (!counted && varies(*inst.regions[0], {axis_}, in).results[0] != 0) return false;
        const Block& body = *inst.regions[counted ? 0 : 1];
        const std::size_t first = whole + (counted ? 1 : 0);
        if (counted) in.insert(in.begin(), 0); // the index is equal on all devices
        for (std::size_t iteration = 0; iteration < carried; ++iteration) {
            const Search made(body, axis_, in);
            for (std::size_t c = 0; c < carried; ++c) {
                const Value v = body.results[c];
                if (const auto set = touched ? made.touched(v, body.params[first + c]) : made.sets_.values[v.id])
                    in[first + c] = *set;
            }
        }
        return in[first + result] == 0;
    }

    /// The axes along which a value differs, if branches that return `param` unchanged are ignored. Nullopt if all
    /// branches return `param` unchanged.
    std::optional<AxisSet> touched(Value v, Value param) const {
        if (v == param) return {};
        const auto made = made_.find(v.id);
        if (made == made_.end() || made->second.first->op != Op::if_) return sets_.values[v.id];
        const auto [branch, result] = made->second;
        const Values given(branch->operands.begin() + 1, branch->operands.end());
        const auto place = std::find(given.begin(), given.end(), param);
        std::optional<AxisSet> all;
        for (const BlockPtr& side : branch->regions) {
            const Value within =
                place == given.end() ? Value{} : side->params[static_cast<std::size_t>(place - given.begin())];
            const auto set = Search(*side, axis_, sets_of(given)).touched(side->results[result], within);
            if (set) all = all.value_or(sets_.values[branch->operands[0].id]) | *set;
        }
        return all;
    }

    Sets sets_of(const Values& values) const {
        Sets sets;
        for (const Value v : values) sets.push_back(sets_.values[v.id]);
        return sets;
    }

    std::int64_t axis_;
    Varies sets_;
    std::map<std::uint32_t, std::pair<const Inst*, std::size_t>> made_;
    std::map<std::uint32_t, EqualizingLoop> found_;
};

} // namespace

EqualizingLoop equalizing_loop(const Block& block, std::size_t result, std::int64_t axis, const Sets& params) {
    return Search(block, axis, params).loop_of(block.results[result]);
}

} // namespace pm::transform
