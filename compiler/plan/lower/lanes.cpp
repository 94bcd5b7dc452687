#include "compiler/plan/lower/block.hpp"

#include <cstring>

// Plans a pmap over lanes, in the form that spmd() returns. Every mapped axis is axis 0. The collectives are psum,
// pmax, pmin, all_gather along a new axis 0, ppermute, all_to_all from axis 0 to axis 0, and axis_index.

namespace pm::plan {
namespace {

constexpr std::int64_t parallel_bytes = 32'768;

} // namespace

void BlockPlanner::emit_pmap(const Unit& unit) {
    const Inst& inst = *unit.inst;
    PM_CHECK(task_.mode == Mode::driver, "a pmap inside lanes");
    const auto& in_axes = inst.attrs.integers(ir::Attr::in_axes);
    const auto& out_axes = inst.attrs.integers(ir::Attr::out_axes);
    BlockTask task{*inst.regions[0],
                   {},
                   {},
                   Mode::phases,
                   inst.attrs.integer(ir::Attr::axis_size),
                   inst.attrs.integer(ir::Attr::axis_id),
                   inst.attrs.has(ir::Attr::devices) ? inst.attrs.integers(ir::Attr::devices) : ir::Integers{},
                   task_.loops};
    for (std::size_t i = 0; i < inst.operands.size(); ++i) {
        Binding b = bind(inst.operands[i]);
        if (in_axes[i] >= 0) {
            const Type part = row_of(type(inst.operands[i]));
            b.buffer = s_.memory.view(*b.buffer, part, 0, Stride{lane, bytes_of(part)});
            b.varying = true;
        }
        task.params.push_back(std::move(b));
    }
    for (std::size_t r = 0; r < inst.results.size(); ++r) {
        const BufferId whole = *buffers_[inst.results[r].id];
        if (out_axes[r] < 0) {
            task.destinations.emplace_back(whole);
            continue;
        }
        const Type part = row_of(type(inst.results[r]));
        task.destinations.emplace_back(s_.memory.view(whole, part, 0, Stride{lane, bytes_of(part)}));
    }
    // The steps of this pmap start new phases. The previous pmap may have another number of lanes. Also, a lane of this
    // pmap may read results of all lanes of the previous pmap.
    Steps own;
    plan_block(s_, task, own);
    std::move(own.begin(), own.end(), std::back_inserter(out_));
}

void BlockPlanner::emit_collective(const Unit& unit) {
    const Inst& inst = *unit.inst;
    const Value result = inst.results[0];
    PM_CHECK(inst.op == Op::axis_index || task_.mode == Mode::phases, "a collective that lanes cannot meet at");
    if (inst.op == Op::axis_index) return; // the result's buffer is a view of the constant 0, 1, 2 ..
    CollectiveStep collective{.lanes = task_.lanes};
    Step step;
    step.buffers = {buffer(inst.operands[0]), *buffers_[result.id]};
    if (s_.memory[step.buffers[0]].bytes() == 0) return;
    switch (inst.op) {
    case Op::psum: collective.combine = nest::Combine::add; break;
    case Op::pmax: collective.combine = nest::Combine::max; break;
    case Op::pmin: collective.combine = nest::Combine::min; break;
    case Op::all_gather: collective.work = CollectiveWork::gather; break;
    case Op::all_to_all: collective.work = CollectiveWork::all_to_all; break;
    case Op::ppermute: {
        collective.work = CollectiveWork::exchange;
        collective.to.assign(static_cast<std::size_t>(task_.lanes), -1);
        const auto& pairs = inst.attrs.integers(ir::Attr::pairs);
        for (std::size_t i = 0; i + 1 < pairs.size(); i += 2)
            collective.to[static_cast<std::size_t>(pairs[i])] = pairs[i + 1];
        break;
    }
    default: PM_UNREACHABLE();
    }
    step.parallel = collective.work == CollectiveWork::reduce && s_.options.workers > 1 &&
                    s_.memory[step.buffers[0]].bytes() * task_.lanes > parallel_bytes;
    step.attributes = std::move(collective);
    add(std::move(step), false);
}

/// A view of the constant 0, 1, 2 .. In each lane, the view contains the lane's number.
BufferId lane_number(Memory& memory, std::int64_t lanes) {
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(lanes) * 4);
    for (std::int64_t l = 0; l < lanes; ++l) {
        const auto value = static_cast<std::int32_t>(l);
        std::memcpy(bytes.data() + 4 * l, &value, 4);
    }
    const BufferId all = memory.constant({DType::i32, {lanes}}, std::move(bytes));
    return memory.view(all, {DType::i32, {}}, 0, Stride{lane, 4});
}

} // namespace pm::plan
