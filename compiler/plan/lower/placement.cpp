#include "compiler/base/stop.hpp"
#include "compiler/plan/lower/block.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>

// Chooses the buffers of the members of units. A value may have a wished buffer, its destination. The value is computed
// there unless a value in this buffer is still needed. If its operand is not read later, an update, a loop or a branch
// works on the bytes of this operand.

namespace pm::plan {
namespace {

constexpr std::int64_t least_reused_bytes = 16'384;

void add(std::vector<std::int32_t>& list, std::int32_t n) {
    if (std::find(list.begin(), list.end(), n) == list.end()) list.push_back(n);
}

bool is_loop(const Inst& inst) { return inst.op == Op::scan || inst.op == Op::while_; }

/// Finds the operands of a loop that are the initial carried values. Returns the index of the first one, and their
/// number.
std::pair<std::size_t, std::size_t> carried_operands(const Inst& inst) {
    return {static_cast<std::size_t>(inst.attrs.integer(ir::Attr::whole)),
            static_cast<std::size_t>(inst.attrs.integer(ir::Attr::carried))};
}

/// For each result of a block: the parameters of which the result may be an in-place update, on any path through the
/// block.
const Origins& origins(OriginsOfBlocks& known, const ir::BlockPtr& given) {
    if (const auto found = known.find(given); found != known.end()) return found->second;
    const ir::Block& block = *given;
    std::vector<std::vector<std::int32_t>> of(block.values.size());
    for (std::size_t i = 0; i < block.params.size(); ++i) of[block.params[i].id] = {static_cast<std::int32_t>(i)};
    for (const Inst& inst : block.insts) {
        if (inst.op == Op::dynamic_update || inst.op == Op::scatter) {
            of[inst.results[0].id] = of[inst.operands[0].id];
        } else if (is_loop(inst)) {
            const auto [first, count] = carried_operands(inst);
            for (std::size_t c = 0; c < count; ++c) of[inst.results[c].id] = of[inst.operands[first + c].id];
        } else if (inst.op == Op::if_) {
            for (const ir::BlockPtr& side : inst.regions) {
                const Origins& inner = origins(known, side);
                for (std::size_t r = 0; r < inst.results.size(); ++r)
                    for (const std::int32_t param : inner[r])
                        for (const std::int32_t n : of[inst.operands[static_cast<std::size_t>(param) + 1].id])
                            add(of[inst.results[r].id], n);
            }
        }
    }
    Origins results;
    for (const Value v : block.results) results.push_back(of[v.id]);
    return known.emplace(given, std::move(results)).first->second;
}

/// The operands of which result `r` of an `if` may be an in-place update. Operands for which this holds in both
/// branches come first. If a branch returns such an operand unchanged, this branch needs no steps for the result.
Values origins_of_branch(OriginsOfBlocks& known, const Inst& branch, std::size_t r) {
    const std::vector<std::int32_t>& left = origins(known, branch.regions[0])[r];
    const std::vector<std::int32_t>& right = origins(known, branch.regions[1])[r];
    std::vector<std::int32_t> params;
    for (const std::int32_t p : left)
        if (std::find(right.begin(), right.end(), p) != right.end()) params.push_back(p);
    for (const auto* side : {&left, &right})
        for (const std::int32_t p : *side) add(params, p);
    Values operands;
    for (const std::int32_t p : params) operands.push_back(branch.operands[static_cast<std::size_t>(p) + 1]);
    return operands;
}

/// True if the unit is a tape operation that writes to its operand.
bool writes_tape(const Unit& unit) { return unit.kind == Kind::tape && unit.inst->op != Op::tape_get; }

bool works_in_place(const Unit& unit) {
    return unit.kind == Kind::update || unit.kind == Kind::scatter || writes_tape(unit) ||
           (unit.kind == Kind::control && is_loop(*unit.inst));
}

/// Counts, for each base, how often it is an operand of the instruction.
class Operands {
  public:
    Operands(const Partition& part, const Inst& inst) : part_(part) {
        for (const Value o : inst.operands)
            if (part.role(o) != Role::inlined) ++count_[part.base(o).id];
    }
    /// True if no other operand has the same bytes as `x`.
    bool given_once(Value x) const {
        if (part_.role(x) == Role::inlined) return false;
        const auto found = count_.find(part_.base(x).id);
        return found != count_.end() && found->second == 1;
    }

  private:
    const Partition& part_;
    std::unordered_map<std::uint32_t, int> count_;
};

/// True if the unit is a convolution with an epilogue. Such a unit stores its result before the epilogue runs. (A dot
/// does not: its epilogue runs inside the dot.)
bool has_epilogue(const Unit& unit) {
    return unit.kind == Kind::matrices && unit.may_have_epilogue() && unit.members.size() > 1;
}

bool has_effects(const Unit& unit) {
    if (unit.kind == Kind::effect) return true;
    if (unit.kind != Kind::control) return false;
    return std::any_of(unit.inst->regions.begin(), unit.inst->regions.end(),
                       [](const ir::BlockPtr& r) { return ir::has_effect(*r); });
}

} // namespace

/// Determines the order of the units. In Mode::phases, the units that run in lanes are grouped, to keep the number of
/// phases small. In the other modes, units run in program order. A unit runs after the units whose results it reads. A
/// unit that works in place runs after the earlier readers of its operands. Effects keep their order.
void BlockPlanner::schedule() {
    const std::size_t n = part_.units.size();
    if (task_.mode != Mode::phases) {
        for (std::size_t u = 0; u < n; ++u) order_.push_back(static_cast<std::int32_t>(u));
    } else {
        std::vector<std::vector<std::size_t>> after(n);
        std::vector<std::int32_t> waits(n, 0);
        const auto edge = [&](std::size_t first, std::size_t second) {
            after[first].push_back(second);
            ++waits[second];
        };
        std::map<std::uint32_t, std::vector<std::size_t>> readers;
        std::optional<std::size_t> effect;
        for (std::size_t u = 0; u < n; ++u) {
            const Unit& unit = part_.units[u];
            for (const Value v : unit.reads) {
                if (part_.unit_of[v.id] >= 0) edge(static_cast<std::size_t>(part_.unit_of[v.id]), u);
                if (works_in_place(unit))
                    for (const std::size_t reader : readers[v.id]) edge(reader, u);
                readers[v.id].push_back(u);
            }
            if (!has_effects(unit)) continue;
            if (effect) edge(*effect, u);
            effect = u;
        }
        std::set<std::size_t> ready[2]; // the units that are ready: [0] those of the driver, [1] those of the lanes
        for (std::size_t u = 0; u < n; ++u)
            if (waits[u] == 0) ready[part_.units[u].in_lanes ? 1 : 0].insert(u);
        bool in_lanes = false;
        while (order_.size() < n) {
            if (ready[in_lanes ? 1 : 0].empty()) in_lanes = !in_lanes;
            auto& from = ready[in_lanes ? 1 : 0];
            PM_CHECK(!from.empty(), "units wait for each other");
            const std::size_t u = *from.begin();
            from.erase(from.begin());
            order_.push_back(static_cast<std::int32_t>(u));
            for (const std::size_t next : after[u])
                if (--waits[next] == 0) ready[part_.units[next].in_lanes ? 1 : 0].insert(next);
        }
    }
    at_.assign(n, 0);
    for (std::size_t i = 0; i < n; ++i) at_[static_cast<std::size_t>(order_[i])] = static_cast<std::int32_t>(i);
}

void BlockPlanner::find_lives() {
    last_read_.assign(facts_.block.values.size(), -1);
    for (std::size_t u = 0; u < part_.units.size(); ++u)
        for (const Value v : part_.units[u].reads) last_read_[v.id] = std::max(last_read_[v.id], at_[u]);
    for (const Value v : facts_.block.results) last_read_[part_.base(v).id] = static_cast<std::int32_t>(order_.size());
}

void BlockPlanner::wish(Value v, BufferId place) {
    const Value base = part_.base(v);
    if (part_.role(base) != Role::member || wishes_[base.id] || part_.offsets[v.id] != 0) return;
    const ir::Type base_type = type(base);
    if (bytes_of(base_type) != s_.memory[place].bytes()) return;
    // Lanes must not write a value of the driver, and the driver must not write a value of a lane.
    if (task_.mode == Mode::phases && is_per_lane(place) != varies(base)) return;
    wishes_[base.id] = s_.memory.view(place, base_type);
}

void BlockPlanner::find_wishes() {
    for (std::size_t i = 0; i < facts_.block.results.size() && i < task_.destinations.size(); ++i)
        if (task_.destinations[i]) wish(facts_.block.results[i], *task_.destinations[i]);
    for (std::size_t i = order_.size(); i-- > 0;)
        pass_on_wishes(part_.units[static_cast<std::size_t>(order_[i])], static_cast<std::int32_t>(i));
}

/// A unit that works in place updates one of its operands. The function makes the wished buffer of the unit's result
/// the wished buffer of this operand.
void BlockPlanner::pass_on_wishes(const Unit& unit, std::int32_t at) {
    const bool branch = unit.kind == Kind::control && unit.inst->op == Op::if_;
    if (!works_in_place(unit) && !branch) return;
    const Inst& inst = *unit.inst;
    const auto pass = [&](Value result, Value operand) {
        if (wishes_[result.id] && dies_at(part_.base(operand), at)) wish(operand, *wishes_[result.id]);
    };
    const Operands operands(part_, inst);
    if (branch) {
        for (std::size_t r = 0; r < inst.results.size(); ++r) {
            if (!wishes_[inst.results[r].id]) continue;
            for (const Value operand : origins_of_branch(s_.origins, inst, r)) {
                if (part_.role(operand) == Role::inlined || !(type(operand) == type(inst.results[r]))) continue;
                if (operands.given_once(operand)) pass(inst.results[r], operand);
            }
        }
        return;
    }
    if (!is_loop(inst)) {
        pass(inst.results[0], inst.operands[0]);
        return;
    }
    const auto [first, count] = carried_operands(inst);
    for (std::size_t c = 0; c < count; ++c) {
        const Value operand = inst.operands[first + c];
        if (operands.given_once(operand)) pass(inst.results[c], operand);
    }
}

/// True if both buffers have a part for each lane, or neither of them has. If only one of them has, a lane may still
/// read the whole array while another lane writes its part.
bool BlockPlanner::same_lanes(BufferId read, BufferId written) const {
    return task_.mode == Mode::driver || is_per_lane(read) == is_per_lane(written);
}

/// True if the block may change `x`. The unit at position `at` must be the last unit that reads `x`.
bool BlockPlanner::may_overwrite(Value x, Value by, bool in_each_lane, std::int32_t at) const {
    const Value base = part_.base(x);
    if (!dies_at(base, at) || part_.offsets[x.id] != 0 || !buffers_[base.id]) return false;
    if (!(type(base).elements() == type(x).elements()) || varies(base) != in_each_lane) return false;
    if (!s_.memory.writable(*buffers_[base.id])) return false;
    poll_stop();
    // Another value may have the same bytes, for example if one array is passed to a region twice.
    const StorageId storage = s_.memory.storage_of(*buffers_[base.id]);
    for (const std::uint32_t y : values_in(storage))
        if (buffers_[y] && s_.memory.storage_of(*buffers_[y]) == storage && !(part_.base(Value{y}) == base) &&
            (last_read_[part_.base(Value{y}).id] >= at || !same_lanes(*buffers_[y], *buffers_[base.id])))
            return false;
    if (part_.role(base) == Role::member) return true;
    const auto param = param_numbers_.find(base.id);
    if (param == param_numbers_.end()) return false;
    if (task_.params[param->second].owned) return true;
    // The block may also change the bytes if the wished buffer of the result is exactly the buffer of the operand.
    return wishes_[by.id] && s_.memory.same_place(*wishes_[by.id], *buffers_[base.id]);
}

/// True if `unit`, which computes `v`, may write to `place`. False if a value in `place` is read later.
bool BlockPlanner::may_take(BufferId place, Value v, const Unit& unit, std::int32_t at) {
    const StorageId storage = s_.memory.storage_of(place);
    bool read_now = false;
    poll_stop();
    for (const std::uint32_t y : values_in(storage)) {
        if (!buffers_[y] || y == v.id || s_.memory.storage_of(*buffers_[y]) != storage) continue;
        if (!same_lanes(*buffers_[y], place)) return false;
        const Value base = part_.base(Value{y});
        if (last_read_[base.id] > at) return false;
        read_now = read_now || last_read_[base.id] == at;
    }
    if (!read_now) return true;
    if (unit.kind == Kind::nest || has_epilogue(unit)) {
        const auto lies_there = [&](Value o) { return s_.memory.storage_of(buffer(o)) == storage; };
        if (unit.inst != nullptr && std::ranges::any_of(unit.inst->operands, lies_there)) return false;
        buffers_[v.id] = place;
        NestSource from = source();
        const bool complete = std::all_of(unit.members.begin(), unit.members.end(),
                                          [&](Value m) { return !part_.stored[m.id] || buffers_[m.id]; });
        const bool fits =
            complete && overwrites_in_step(build_nest(from, unit), s_.memory, storage, unit.inst != nullptr ? 1 : 0);
        buffers_[v.id].reset();
        return fits;
    }
    // This check is repeated when the branches or the body are planned.
    return unit.kind == Kind::control && (unit.inst->op == Op::if_ || unit.inst->op == Op::pmap);
}

BufferId BlockPlanner::take(Value v, const Unit& unit, std::int32_t at) {
    if (wishes_[v.id] && may_take(*wishes_[v.id], v, unit, at)) return *wishes_[v.id];
    return temporary(v);
}

void BlockPlanner::place_members() {
    for (std::size_t i = 0; i < order_.size(); ++i) {
        const Unit& unit = part_.units[static_cast<std::size_t>(order_[i])];
        const auto at = static_cast<std::int32_t>(i);
        if (unit.kind == Kind::control && is_loop(*unit.inst)) {
            place_loop(unit, at);
            continue;
        }
        if (unit.kind == Kind::control && unit.in_lanes && task_.mode == Mode::phases)
            for (const Value v : unit.members)
                if (!varies(v)) lane_results_[v.id] = s_.memory.temporary(type(v), task_.lanes, note(v));
        if (unit.kind == Kind::control && unit.inst->op == Op::if_) {
            place_branches(unit, at);
            continue;
        }
        if (unit.kind == Kind::update || unit.kind == Kind::scatter || writes_tape(unit)) {
            const Value x = unit.inst->operands[0];
            const Value u = unit.members[0];
            // A scatter reads its other operands while it writes to the array. So none of the other operands may be the
            // array itself.
            const bool also_read =
                unit.kind != Kind::update && std::any_of(unit.inst->operands.begin() + 1, unit.inst->operands.end(),
                                                         [&](Value o) { return part_.base(o) == part_.base(x); });
            set_buffer(u, !also_read && may_overwrite(x, u, varies(u), at) ? s_.memory.view(buffer(x), type(u))
                                                                           : take(u, unit, at));
            continue;
        }
        if (unit.kind == Kind::collective && unit.inst->op == Op::axis_index) {
            set_buffer(unit.members[0], lane_number(s_.memory, task_.lanes));
            continue;
        }
        // Values without a wished buffer are placed first. The reason: to test a buffer that the nest also reads,
        // may_take() needs the buffers of all other members.
        Values fresh;
        for (const bool wished : {false, true})
            for (const Value v : unit.members) {
                if (!part_.stored[v.id] || buffers_[v.id] || wishes_[v.id].has_value() != wished) continue;
                set_buffer(v, take(v, unit, at));
                if (!wished) fresh.push_back(v);
            }
        if (unit.kind == Kind::nest || has_epilogue(unit)) reuse_operands(unit, at, fresh);
    }
}

/// Places large temporaries in the memory of operands of this unit. The unit must be the last reader of the operand.
/// Each element of the operand must be read only by the iteration that overwrites it. This halves the memory traffic of
/// such a temporary.
void BlockPlanner::reuse_operands(const Unit& unit, std::int32_t at, const Values& fresh) {
    for (const Value v : fresh) {
        if (s_.memory[*buffers_[v.id]].bytes() < least_reused_bytes) continue;
        for (const Value y : unit.reads) {
            const bool dies = part_.role(y) == Role::member && last_read_[y.id] == at && buffers_[y.id].has_value();
            if (!dies || !(type(y) == type(v)) || varies(y) != varies(v)) continue;
            const BufferId before = *buffers_[v.id];
            const BufferId place = *buffers_[y.id];
            buffers_[v.id].reset();
            const bool taken = may_take(place, v, unit, at);
            set_buffer(v, taken ? place : before);
            if (taken) break;
        }
    }
}

void BlockPlanner::place_loop(const Unit& unit, std::int32_t at) {
    const Inst& inst = *unit.inst;
    const Operands operands(part_, inst);
    const auto [first, count] = carried_operands(inst);
    for (std::size_t r = 0; r < inst.results.size(); ++r) {
        const Value v = inst.results[r];
        const bool in_each_lane = task_.mode == Mode::phases && (unit.in_lanes || varies_in_iterations(v));
        std::optional<BufferId> place;
        if (r < count) {
            const Value init = inst.operands[first + r];
            if (operands.given_once(init) && may_overwrite(init, v, in_each_lane, at))
                place = s_.memory.view(buffer(init), type(v));
        }
        if (in_each_lane && !varies(v)) {
            lane_results_[v.id] = place ? *place : s_.memory.temporary(type(v), task_.lanes, note(v));
            place.reset();
        }
        set_buffer(v, place ? *place : take(v, unit, at));
    }
}

/// If a branch updates an array that is not read later, the branch works on the array itself.
void BlockPlanner::place_branches(const Unit& unit, std::int32_t at) {
    const Inst& inst = *unit.inst;
    const Operands operands(part_, inst);
    std::set<std::uint32_t> given;
    for (std::size_t r = 0; r < inst.results.size(); ++r) {
        const Value v = inst.results[r];
        for (const Value x : origins_of_branch(s_.origins, inst, r)) {
            if (buffers_[v.id] || lane_results_.count(v.id) != 0) break;
            if (part_.role(x) == Role::inlined || given.count(part_.base(x).id) != 0) continue;
            if (!(type(x) == type(v)) || !operands.given_once(x) || !may_overwrite(x, v, varies(v), at)) continue;
            set_buffer(v, s_.memory.view(buffer(x), type(v)));
            given.insert(part_.base(x).id);
        }
        if (!buffers_[v.id]) set_buffer(v, take(v, unit, at));
    }
}

} // namespace pm::plan
