#include "compiler/plan/block.hpp"

#include "compiler/base/stop.hpp"

#include "compiler/plan/roots.hpp"
#include "compiler/transform/transform.hpp"

#include <algorithm>

namespace pm::plan {
namespace {

/// Below about this many simple operations a step is not worth waking the workers for (2 us).
constexpr std::int64_t parallel_work = 40'000;

std::vector<Recipe> recipes_of(const BlockTask& task) {
    std::vector<Recipe> recipes;
    for (const Binding& b : task.params) recipes.push_back(b.buffer ? nullptr : b.recipe);
    return recipes;
}

Varying find_varying(const BlockTask& task) {
    if (task.mode != Mode::phases) return {};
    std::vector<transform::AxisSet> params;
    for (const Binding& b : task.params) params.push_back(b.varying ? 1 : 0);
    const transform::Varies sets = transform::varies(task.block, {task.axis}, params);
    Varying found;
    for (const transform::AxisSet set : sets.values) found.values.push_back(set != 0);
    for (const auto& [result, set] : sets.carried)
        if (set != 0) found.carried.insert(result);
    return found;
}

std::int64_t work_of(const nest::Nest& nest) {
    std::int64_t work = 0;
    for (const nest::Stage& stage : nest.stages) {
        std::int64_t cost = 0;
        for (const nest::Ref r : stage.body) cost += nest::weight(nest[r].op, nest[r].dtype);
        work += cost * ir::product(stage.loops);
    }
    return work * ir::product(nest.grid);
}

} // namespace

std::vector<BufferId> plan_block(Session& session, const BlockTask& task, Steps& out) {
    return BlockPlanner(session, task, out).run();
}

BlockPlanner::BlockPlanner(Session& session, const BlockTask& task, Steps& out)
    : s_(session), task_(task), out_(out), facts_(task.block, recipes_of(task)), varying_(find_varying(task)),
      part_(partition(facts_, {session.options.fuse, varying_.values})), buffers_(task.block.values.size()),
      wishes_(task.block.values.size()) {
    PM_CHECK(task.params.size() == task.block.params.size(), task.block.name);
    for (std::size_t i = 0; i < task.params.size(); ++i) buffers_[task.block.params[i].id] = task.params[i].buffer;
}

std::vector<BufferId> BlockPlanner::run() {
    schedule();
    find_lives();
    find_wishes();
    place_members();
    for (const std::int32_t u : order_) emit(part_.units[static_cast<std::size_t>(u)]);
    emit_copies();
    std::vector<BufferId> results;
    for (std::size_t i = 0; i < task_.block.results.size(); ++i) {
        const auto& destination = i < task_.destinations.size() ? task_.destinations[i] : std::nullopt;
        results.push_back(destination ? *destination : buffer(task_.block.results[i]));
    }
    return results;
}

std::string BlockPlanner::note(Value v) const {
    const Inst* inst = facts_.definition(v);
    return inst == nullptr ? std::string() : std::string(ir::info(inst->op).name);
}

BufferId BlockPlanner::buffer(Value v) {
    if (buffers_[v.id]) return *buffers_[v.id];
    if (facts_.is_table(v)) {
        const Inst& inst = *facts_.definition(v);
        buffers_[v.id] = s_.memory.constant(type(v), inst.attrs.literal(ir::Attr::value).bytes);
    } else {
        PM_CHECK(part_.role(v) == Role::alias, "a value without a buffer: " + note(v));
        buffers_[v.id] = s_.memory.view(buffer(part_.base(v)), type(v), part_.offsets[v.id]);
    }
    return *buffers_[v.id];
}

bool BlockPlanner::is_per_lane(BufferId id) const {
    if (s_.memory.storage(s_.memory.storage_of(id)).lanes != 0) return true;
    for (const Stride& s : s_.memory[id].strides)
        if (s.loop == lane) return true;
    return false;
}

void BlockPlanner::add(Step step, bool in_lanes) {
    poll_stop();
    Steps one;
    one.push_back(std::move(step));
    add_all(std::move(one), in_lanes);
}

void BlockPlanner::add_all(Steps steps, bool in_lanes) {
    Steps* to = &out_;
    if (in_lanes && task_.mode == Mode::phases) {
        if (out_.empty() || out_.back().kind != StepKind::lanes) {
            Step lanes;
            lanes.kind = StepKind::lanes;
            lanes.turns = task_.lanes;
            lanes.children.resize(1);
            out_.push_back(std::move(lanes));
        }
        to = &out_.back().children[0];
    }
    std::move(steps.begin(), steps.end(), std::back_inserter(*to));
}

Step BlockPlanner::nest_step(BuiltNest built, bool in_lanes) const {
    Step step;
    step.kind = StepKind::nest;
    step.buffers = std::move(built.buffers);
    step.nest = std::move(built.nest);
    step.parallel =
        s_.options.workers > 1 && task_.mode != Mode::lane && !in_lanes && work_of(*step.nest) > parallel_work;
    return step;
}

void BlockPlanner::emit(const Unit& unit) {
    switch (unit.kind) {
    case UnitKind::nest: emit_nest(unit); return;
    case UnitKind::concatenate: emit_concatenate(unit); return;
    case UnitKind::dot: emit_dot(unit); return;
    case UnitKind::update: emit_update(unit); return;
    case UnitKind::scatter: emit_scatter(unit); return;
    case UnitKind::matrices: emit_matrices(unit); return;
    case UnitKind::sort: emit_sort(unit); return;
    case UnitKind::cumulative: emit_cumulative(unit); return;
    case UnitKind::tape: emit_tape(unit); return;
    case UnitKind::control: emit_control(unit); return;
    case UnitKind::collective: emit_collective(unit); return;
    case UnitKind::effect: emit_effect(unit); return;
    }
}

void BlockPlanner::emit_nest(const Unit& unit) {
    const auto unread = [this](Value v) { return facts_.is_unread(v); };
    if (std::all_of(unit.members.begin(), unit.members.end(), unread)) return;
    if (ir::product(NestShape(unit.full, unit.axes).grid) == 0) return;
    add(nest_step(build_nest(source(), unit), unit.in_lanes), unit.in_lanes);
}

void BlockPlanner::emit_concatenate(const Unit& unit) {
    const auto axis = static_cast<std::size_t>(unit.inst->attrs.integer(ir::Attr::axis));
    std::int64_t begin = 0;
    for (const Value part : unit.inst->operands) {
        if (type(part).elements() != 0)
            add(nest_step(build_part(source(), unit, part, begin, *buffers_[unit.members[0].id]), unit.in_lanes),
                unit.in_lanes);
        begin += type(part).shape[axis];
    }
}

void BlockPlanner::emit_copy(BufferId from, BufferId to) {
    if (s_.memory.same_place(from, to) || s_.memory[to].bytes() == 0) return;
    const bool from_lane = task_.mode == Mode::phases && is_per_lane(from);
    const bool to_lane = task_.mode == Mode::phases && is_per_lane(to);
    if (from_lane && !to_lane) {
        // A value said to be equal in all lanes that each lane computed: the first one's counts.
        from = s_.memory.first_lane(from);
    }
    Step step;
    step.kind = StepKind::copy;
    step.buffers = {from, to};
    add(std::move(step), to_lane);
}

/// All results move to their destinations at once: a place that another copy still reads is not overwritten before.
void BlockPlanner::emit_copies() {
    std::vector<Pending> pending;
    for (std::size_t i = 0; i < task_.block.results.size() && i < task_.destinations.size(); ++i) {
        if (!task_.destinations[i] || facts_.is_unread(task_.block.results[i])) continue;
        const BufferId from = buffer(task_.block.results[i]);
        if (!s_.memory.same_place(from, *task_.destinations[i])) pending.push_back({from, *task_.destinations[i]});
    }
    const auto storage = [&](BufferId id) { return s_.memory.storage_of(id); };
    while (!pending.empty()) {
        const auto read_by_other = [&](const Pending& p) {
            return std::find_if(pending.begin(), pending.end(),
                                [&](const Pending& q) { return &q != &p && storage(q.from) == storage(p.to); });
        };
        const auto free = std::find_if(pending.begin(), pending.end(),
                                       [&](const Pending& p) { return read_by_other(p) == pending.end(); });
        if (free != pending.end()) {
            emit_copy(free->from, free->to);
            pending.erase(free);
            continue;
        }
        const auto blocking = read_by_other(pending.front());
        const std::int64_t lanes = task_.mode == Mode::lane || is_per_lane(blocking->from) ? task_.lanes : 0;
        const BufferId aside = s_.memory.temporary(s_.memory.type(blocking->from), lanes, "swap");
        emit_copy(blocking->from, aside);
        blocking->from = aside;
    }
}

} // namespace pm::plan
