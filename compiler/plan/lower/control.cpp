#include "compiler/plan/lower/block.hpp"

#include <algorithm>

// Plans control flow. The parameters of regions use the buffers of the operands. A carried value has one buffer. The
// body computes the next value in this buffer, or the value is copied to the buffer. The slices and the stacked results
// of a loop are views whose address depends on the loop index.

namespace pm::plan {
namespace {

/// Appends a step that frees the tapes that the iteration has created. Appends nothing if the iteration's results
/// include a tape.
void end_iteration(const ir::Block& body, Steps& steps) {
    const bool makes = ir::any_inst(body, [](const Inst& inst) { return ir::info(inst.op).has(ir::in_place); });
    const std::vector<ir::Type> results = body.result_types();
    const bool returns_tape =
        std::any_of(results.begin(), results.end(), [](const ir::Type& type) { return type.dtype == DType::tape; });
    if (makes && !returns_tape) {
        Step scope{TapesStep{}};
        scope.children.push_back(std::move(steps));
        steps.clear();
        steps.push_back(std::move(scope));
    }
    steps.push_back({PollStep{}});
}

} // namespace

Binding BlockPlanner::bind(Value v, bool owned) {
    Binding b;
    b.varying = varies(v);
    b.owned = owned;
    b.present = is_present(v);
    if (part_.role(v) == Role::inlined) {
        PM_CHECK(is_recipe(facts_, v), "an operand of a region that is not in memory");
        b.recipe = std::make_shared<const Inst>(*facts_.definition(v));
    } else {
        b.buffer = buffer(v);
    }
    return b;
}

/// In Mode::phases, control flow without collectives runs as a whole. If `in_lanes` is true, the control flow runs in
/// each lane, otherwise once.
Mode BlockPlanner::region_mode(const Inst& inst, bool in_lanes) const {
    if (task_.mode != Mode::phases) return task_.mode;
    if (in_lanes) return Mode::lane;
    const bool meet = std::any_of(inst.regions.begin(), inst.regions.end(),
                                  [](const ir::BlockPtr& r) { return needs_several_lanes(*r); });
    return meet ? Mode::phases : Mode::driver;
}

BlockTask BlockPlanner::region(const Inst& inst, std::size_t region, bool in_lanes) const {
    return {*inst.regions[region],
            {},
            {},
            region_mode(inst, in_lanes),
            task_.lanes,
            task_.axis,
            task_.devices,
            task_.first,
            task_.pmap,
            task_.loops};
}

void BlockPlanner::emit_control(const Unit& unit) {
    if (unit.inst->op == Op::pmap) {
        emit_pmap(unit);
        return;
    }
    const Mode mode = region_mode(*unit.inst, unit.in_lanes);
    Steps steps;
    switch (unit.inst->op) {
    case Op::scan: emit_scan(unit, steps); break;
    case Op::while_: emit_while(unit, steps); break;
    case Op::if_: emit_if(unit, steps); break;
    case Op::call: emit_call(unit, steps); break;
    default: PM_UNREACHABLE();
    }
    add_all(std::move(steps), mode == Mode::lane);
    for (const Value v : unit.inst->results)
        if (lane_results_.count(v.id) != 0) emit_copy(region_result(v), *buffers_[v.id]);
}

BufferId BlockPlanner::region_result(Value v) const {
    const auto own = lane_results_.find(v.id);
    return own != lane_results_.end() ? own->second : *buffers_[v.id];
}

void BlockPlanner::emit_scan(const Unit& unit, Steps& out) {
    const Inst& inst = *unit.inst;
    const auto whole = static_cast<std::size_t>(inst.attrs.integer(ir::Attr::whole));
    const auto carried = static_cast<std::size_t>(inst.attrs.integer(ir::Attr::carried));
    const ir::Block& body = *inst.regions[0];
    const Mode mode = region_mode(inst, unit.in_lanes);
    BlockTask task = region(inst, 0, unit.in_lanes);

    const LoopStep counted{.id = s_.loops++,
                           .iterations = inst.attrs.integer(ir::Attr::length),
                           .reverse = inst.attrs.integer(ir::Attr::reverse, 0) != 0};
    Step loop{counted};
    loop.children.resize(1);
    task.loops.push_back(inst.place.span);

    Binding index;
    const auto used = [&](Value v) {
        if (std::find(body.results.begin(), body.results.end(), v) != body.results.end()) return true;
        return std::any_of(body.insts.begin(), body.insts.end(), [&](const Inst& i) {
            return std::find(i.operands.begin(), i.operands.end(), v) != i.operands.end();
        });
    };
    // Every parameter has a buffer. But the loop writes the index only if the body reads it.
    index.buffer = s_.memory.temporary(body.type(body.params[0]), mode == Mode::lane ? task_.lanes : 0, "index");
    if (used(body.params[0])) loop.buffers = {*index.buffer};
    task.params.push_back(std::move(index));

    for (std::size_t i = 0; i < whole; ++i) task.params.push_back(bind(inst.operands[i]));
    for (std::size_t c = 0; c < carried; ++c) {
        const BufferId carry = region_result(inst.results[c]);
        emit_copy(buffer(inst.operands[whole + c]), carry);
        task.params.push_back({carry, nullptr, true, varies_in_iterations(inst.results[c])});
        task.destinations.emplace_back(carry);
    }
    for (std::size_t i = whole + carried; i < inst.operands.size(); ++i) {
        Binding slice = bind(inst.operands[i]);
        const Type row = row_of(type(inst.operands[i]));
        slice.buffer = s_.memory.view(*slice.buffer, row, 0, Stride{counted.id, bytes_of(row)});
        task.params.push_back(std::move(slice));
    }
    for (std::size_t r = carried; r < inst.results.size(); ++r) {
        const Type row = row_of(type(inst.results[r]));
        task.destinations.emplace_back(
            s_.memory.view(region_result(inst.results[r]), row, 0, Stride{counted.id, bytes_of(row)}));
    }
    if (counted.iterations == 0) return;
    plan_block(s_, task, loop.children[0]);
    end_iteration(body, loop.children[0]);
    out.push_back(std::move(loop));
}

void BlockPlanner::emit_while(const Unit& unit, Steps& out) {
    const Inst& inst = *unit.inst;
    const auto whole = static_cast<std::size_t>(inst.attrs.integer(ir::Attr::whole));
    const Mode mode = region_mode(inst, unit.in_lanes);
    BlockTask condition = region(inst, 0, unit.in_lanes);
    BlockTask body = region(inst, 1, unit.in_lanes);
    for (std::size_t i = 0; i < whole; ++i) {
        condition.params.push_back(bind(inst.operands[i]));
        body.params.push_back(condition.params.back());
    }
    for (std::size_t c = 0; c < inst.results.size(); ++c) {
        const BufferId carry = region_result(inst.results[c]);
        emit_copy(buffer(inst.operands[whole + c]), carry);
        condition.params.push_back({carry, nullptr, false, varies(inst.results[c])});
        body.params.push_back({carry, nullptr, true, varies(inst.results[c])});
        body.destinations.emplace_back(carry);
    }
    const BufferId go_on = s_.memory.temporary({DType::b1, {}}, mode == Mode::lane ? task_.lanes : 0, "condition");
    condition.destinations.emplace_back(go_on);

    Step loop{WhileStep{}};
    loop.buffers = {go_on};
    loop.children.resize(2);
    plan_block(s_, condition, loop.children[0]);
    plan_block(s_, body, loop.children[1]);
    end_iteration(*inst.regions[1], loop.children[1]);
    out.push_back(std::move(loop));
}

void BlockPlanner::emit_if(const Unit& unit, Steps& out) {
    const Inst& inst = *unit.inst;
    Step step{IfStep{}};
    step.buffers = {buffer(inst.operands[0])};
    step.children.resize(2);
    for (std::size_t side = 0; side < 2; ++side) {
        BlockTask task = region(inst, side, unit.in_lanes);
        for (std::size_t i = 1; i < inst.operands.size(); ++i) task.params.push_back(bind(inst.operands[i]));
        for (const Value v : inst.results) task.destinations.emplace_back(region_result(v));
        plan_block(s_, task, step.children[side]);
    }
    out.push_back(std::move(step));
}

/// Plans a call that was not inlined. The steps of the callee become part of this block's steps.
void BlockPlanner::emit_call(const Unit& unit, Steps& out) {
    const Inst& inst = *unit.inst;
    BlockTask task = region(inst, 0, unit.in_lanes);
    for (const Value v : inst.operands) task.params.push_back(bind(v));
    for (const Value v : inst.results) task.destinations.emplace_back(region_result(v));
    plan_block(s_, task, out);
}

} // namespace pm::plan
