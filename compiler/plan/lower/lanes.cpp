#include "compiler/plan/lower/block.hpp"

#include "runtime/processes/lane_exchange.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

// Plans a pmap over lanes, in the form that spmd() returns. Every mapped axis is axis 0. The collectives are psum,
// pmax, pmin, all_gather along a new axis 0, ppermute, all_to_all from axis 0 to axis 0, and axis_index.

namespace pm::plan {
namespace {

constexpr std::int64_t parallel_bytes = 32'768;

/// The device number of each lane of a pmap; empty: the device number is the lane number.
ir::Integers devices_of(const Inst& pmap) {
    return pmap.attrs.has(ir::Attr::devices) ? pmap.attrs.integers(ir::Attr::devices) : ir::Integers{};
}

/// The division of lanes among processes. A lane runs in the process of its device. If that is impossible because the
/// devices are listed in another order, the processes get the same number of lanes.
ir::Integers division(const Options& options, std::int64_t lanes, const ir::Integers& devices) {
    if (options.processes == 1) return {};
    const std::int64_t each = options.devices / options.processes;
    ir::Integers processes, first(static_cast<std::size_t>(options.processes) + 1);
    for (std::int64_t l = 0; l < lanes; ++l)
        processes.push_back((devices.empty() ? l : devices[static_cast<std::size_t>(l)]) / each);
    const bool in_order = std::ranges::is_sorted(processes);
    for (std::size_t p = 0; p < first.size(); ++p)
        first[p] = in_order ? std::ranges::lower_bound(processes, static_cast<std::int64_t>(p)) - processes.begin()
                            : static_cast<std::int64_t>(p) * lanes / options.processes;
    return first;
}

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
                   devices_of(inst),
                   {},
                   inst.place,
                   task_.loops};
    task.first = division(s_.options, task.lanes, task.devices);
    for (std::size_t i = 0; i < inst.operands.size(); ++i) {
        Binding b = bind(inst.operands[i]);
        if (in_axes[i] >= 0) {
            const Type part = row_of(type(inst.operands[i]));
            b.buffer = s_.memory.view(*b.buffer, part, 0, Stride{lane, bytes_of(part)});
            b.varying = true;
            // An argument of the program may be divided among the processes (divide()).
            b.present =
                parted_.count(part_.base(inst.operands[i]).id) == 0 && s_.memory[*b.buffer].space != Space::argument;
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
    if (task.first.empty()) return;
    for (std::size_t r = 0; r < inst.results.size(); ++r) {
        const Value v = inst.results[r];
        if (out_axes[r] < 0 || facts_.is_unread(v)) continue;
        if (!is_read_elsewhere(v, task))
            parted_.insert(part_.base(v).id);
        else
            add_meeting(type(v).dtype == DType::tape ? MeetingWork::tapes : MeetingWork::gather,
                        {*task.destinations[r]}, task.lanes, task.first, {inst.place, "pmap"});
    }
}

/// Whether the result `v` of a pmap has readers that need values of other lanes. All other readers are pmaps with the
/// same lanes, in which each lane reads its own part.
bool BlockPlanner::is_read_elsewhere(Value v, const BlockTask& pmap) {
    if (!readers_) {
        readers_.emplace();
        const auto add = [&](Value read, std::int64_t lanes, const ir::Integers& devices) {
            if (part_.role(read) != Role::inlined) (*readers_)[part_.base(read).id].emplace(lanes, devices);
        };
        for (const Inst& inst : task_.block.insts) {
            const bool whole = inst.op != Op::pmap;
            if (whole && !inst.results.empty() && is_alias(inst, facts_) && part_.role(inst.results[0]) == Role::alias)
                continue;
            for (std::size_t i = 0; i < inst.operands.size(); ++i)
                if (whole || inst.attrs.integers(ir::Attr::in_axes)[i] < 0 || part_.offsets[inst.operands[i].id] != 0)
                    add(inst.operands[i], 0, {});
                else
                    add(inst.operands[i], inst.attrs.integer(ir::Attr::axis_size), devices_of(inst));
        }
        for (const Value result : task_.block.results) add(result, 0, {});
    }
    const Readers& readers = (*readers_)[part_.base(v).id];
    return std::ranges::any_of(readers, [&](const auto& r) { return r != std::pair(pmap.lanes, pmap.devices); });
}

/// Whether each process has the values of all lanes of `v`: if all lanes have the same value, or if it is a part of a
/// value from outside of the pmap.
bool BlockPlanner::is_present(Value v) const {
    if (!varies(v) || present_.count(part_.base(v).id) != 0) return true;
    const auto param = param_numbers_.find(part_.base(v).id);
    if (param != param_numbers_.end()) return task_.params[param->second].present;
    const std::optional<BufferId>& place = buffers_[part_.base(v).id];
    return place && s_.memory[*place].space == Space::constant; // the numbers of the lanes
}

/// Adds a meeting of the processes among which the lanes are divided, unless the program is for one process.
void BlockPlanner::add_meeting(MeetingWork work, std::vector<BufferId> buffers, std::int64_t lanes,
                               const ir::Integers& first, const MeetingPlace& place) {
    if (first.empty() || s_.memory[buffers[0]].bytes() == 0) return;
    // A meeting for an earlier collective, after which no lanes have run, brings this value too.
    for (auto step = out_.rbegin(); work == MeetingWork::gather && step != out_.rend(); ++step) {
        const auto* earlier = std::get_if<MeetingStep>(&step->attributes);
        if (earlier != nullptr && earlier->work == work && earlier->lanes == lanes && earlier->first == first)
            return step->buffers.push_back(buffers[0]);
        if (step->kind() != StepKind::collective) break;
    }
    MeetingStep meeting{{static_cast<std::uint32_t>(s_.program.sites.size())}, work, lanes, first};
    s_.program.sites.push_back({SiteKind::meeting, place.place, place.text, {}, {}});
    Step step{std::move(meeting)};
    step.buffers = std::move(buffers);
    add(std::move(step), false);
}

/// Adds a reduction over many bytes: each process combines one part of the elements, in the order of lanes.
void BlockPlanner::add_sum_by_parts(Step sum, const MeetingPlace& place) {
    const Buffer& in = s_.memory[sum.buffers[0]];
    const auto width = static_cast<std::int64_t>(runtime::size_of(in.dtype));
    const auto processes = static_cast<std::int64_t>(task_.first.size()) - 1;
    const Type part{in.dtype, {runtime::part_bytes(in.bytes(), processes) / width}};
    const BufferId parts = s_.memory.temporary(part, task_.lanes, "parts");
    const BufferId combined = s_.memory.temporary(part, 0, "part");
    add_meeting(MeetingWork::parts, {sum.buffers[0], parts}, task_.lanes, task_.first, place);
    const BufferId out = std::exchange(sum.buffers[1], combined);
    sum.buffers[0] = parts;
    add(std::move(sum), false);
    add_meeting(MeetingWork::share, {combined, out}, task_.lanes, task_.first, place);
}

/// Adds a meeting in place of a collective that moves values. Each process receives the values of its own lanes.
void BlockPlanner::add_send(const Step& collective, const MeetingPlace& place) {
    const auto storage = [&](BufferId id) { return s_.memory.storage_of(id); };
    // A meeting just before sends these values too, unless they are values that it receives.
    if (auto* earlier = out_.empty() ? nullptr : std::get_if<MeetingStep>(&out_.back().attributes);
        earlier != nullptr && earlier->work == MeetingWork::send && earlier->lanes == task_.lanes &&
        earlier->first == task_.first && earlier->to == collective.as<CollectiveStep>().to &&
        std::ranges::none_of(out_.back().buffers, [&](BufferId id) {
            return storage(id) == storage(collective.buffers[0]) || storage(id) == storage(collective.buffers[1]);
        })) {
        out_.back().buffers.insert(out_.back().buffers.end(), collective.buffers.begin(), collective.buffers.end());
        return;
    }
    add_meeting(MeetingWork::send, collective.buffers, task_.lanes, task_.first, place);
    out_.back().as<MeetingStep>().to = collective.as<CollectiveStep>().to;
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
    if (!task_.first.empty() && !is_present(inst.operands[0])) {
        const MeetingPlace place{inst.place, std::string(ir::info(inst.op).name)};
        const CollectiveWork work = step.as<CollectiveStep>().work;
        if (work == CollectiveWork::reduce &&
            s_.memory[step.buffers[0]].bytes() * task_.lanes > runtime::most_gathered_bytes)
            return add_sum_by_parts(std::move(step), place);
        if (work == CollectiveWork::exchange || work == CollectiveWork::all_to_all) return add_send(step, place);
        if (s_.memory[step.buffers[0]].space == Space::argument) { // a meeting writes the values of the other lanes
            Step copy{CopyStep{}};
            copy.buffers = {step.buffers[0], s_.memory.temporary(type(inst.operands[0]), task_.lanes, "lanes")};
            step.buffers[0] = copy.buffers[1];
            add(std::move(copy), true);
        }
        add_meeting(MeetingWork::gather, {step.buffers[0]}, task_.lanes, task_.first, place);
    }
    add(std::move(step), false);
    present_.insert(part_.base(result).id);
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
