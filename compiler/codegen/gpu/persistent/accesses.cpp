#include "compiler/codegen/gpu/persistent/accesses.hpp"

#include "compiler/codegen/steps/collective.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>

namespace pm::codegen {

using plan::Step;
using plan::StepKind;
using runtime::MemoryAccess;

namespace {

/// Whether the store writes each element of its buffer. False if the store has a mask or a computed address.
bool stores_all(const nest::Nest& nest, const nest::Stage& stage, const nest::Inst& store, std::int64_t elements) {
    if (store.access.mask || store.access.dynamic) return false;
    struct Loop {
        std::int64_t step;
        std::int64_t iterations;
    };
    std::vector<Loop> loops;
    std::int64_t first = store.access.offset.base;
    std::size_t number = 0;
    for (const auto* extents : {&nest.grid, &stage.loops})
        for (const std::int64_t iterations : *extents) {
            const std::int64_t step = store.access.offset.coefficient(number++);
            if (iterations == 0) return false;
            first += std::min<std::int64_t>(step * (iterations - 1), 0);
            if (iterations > 1 && step != 0) loops.push_back({std::abs(step), iterations});
        }
    std::sort(loops.begin(), loops.end(), [](const Loop& a, const Loop& b) { return a.step < b.step; });
    std::int64_t stored = 1; // contiguous elements
    for (const Loop& loop : loops) {
        if (loop.step > stored) return false;
        stored += loop.step * (loop.iterations - 1);
    }
    return first == 0 && stored == elements;
}

bool writes_all(const nest::Nest& nest, std::size_t buffer, std::int64_t elements) {
    bool all = false;
    for (const nest::Stage& stage : nest.stages)
        for (const nest::Ref ref : stage.body) {
            const nest::Inst& inst = nest[ref];
            if (inst.access.buffer != buffer) continue;
            if (inst.op == nest::ScalarOp::load) return false;
            if (inst.op == nest::ScalarOp::store) all = all || stores_all(nest, stage, inst, elements);
        }
    return all;
}

/// Whether a step that writes a buffer overwrites all of it.
bool writes_all(const plan::Program& program, const Step& step, std::size_t buffer) {
    const std::int64_t elements = program.buffers[step.buffers[buffer]].elements();
    switch (step.kind()) {
    case StepKind::nest:
        // The nest of a collective has one store for each lane's part.
        return step.as<plan::NestStep>().lanes > 0 || writes_all(*step.nest, buffer, elements);
    case StepKind::dot:
        if (step.nest) return buffer > 2 && writes_all(*step.nest, buffer - 2, elements);
        return step.as<plan::DotStep>().elements() == elements;
    case StepKind::scatter: return false;
    case StepKind::cumulative:
    case StepKind::sort:
    case StepKind::copy:
    case StepKind::collective: return true;
    default: PM_UNREACHABLE(); // not a kernel
    }
}

} // namespace

std::vector<MemoryAccess> accesses_of(const plan::Program& program, const Step& step, bool all_lanes) {
    std::vector<MemoryAccess> made;
    for (std::size_t i = 0; i < step.buffers.size(); ++i) {
        const plan::Buffer& b = program.buffers[step.buffers[i]];
        MemoryAccess touch{.mode = MemoryAccess::reads, .bytes = b.bytes()};
        if (plan::writes(step, i))
            touch.mode = writes_all(program, step, i) ? MemoryAccess::writes : MemoryAccess::changes;
        if (const std::int64_t stride = lane_stride(b); all_lanes && stride != 0) {
            touch.count = plan::collective_lanes(step);
            touch.stride = stride;
        }
        made.push_back(touch);
    }
    return made;
}

std::vector<MemoryAccess> accesses_of(const plan::Program& program, const PersistentKernel& persistent) {
    std::vector<MemoryAccess> made(persistent.parameters.size());
    const auto add = [&](plan::BufferId id, bool written, std::int64_t lanes) {
        const auto found = persistent.parameter_of.find(id);
        if (found == persistent.parameter_of.end()) return; // the buffer is an index in a register
        const AccessRange at = touched(program, persistent, id, written);
        // Buffers that share a parameter have the same address.
        const plan::Buffer& b = program.buffers[id];
        const std::int64_t begin = at.begin - b.offset;
        const std::int64_t end = at.end - b.offset + (lanes > 1 ? (lanes - 1) * lane_stride(b) : 0);
        MemoryAccess& touch = made[found->second];
        const std::int64_t last = touch.mode == MemoryAccess::nothing ? end : std::max(touch.offset + touch.bytes, end);
        touch.offset = touch.mode == MemoryAccess::nothing ? begin : std::min(touch.offset, begin);
        touch.bytes = last - touch.offset;
        // A write counts as a change: only the kernel knows which of the steps run, and which elements they write.
        touch.mode = written ? MemoryAccess::changes : std::max<std::int64_t>(touch.mode, MemoryAccess::reads);
    };
    for (const auto& [place, leaf] : persistent.leaves) {
        const Step& step = *leaf.step;
        // The host reads the other buffers of a check.
        const std::size_t count = step.kind() == StepKind::check ? 1 : step.buffers.size();
        for (std::size_t i = 0; i < count; ++i)
            add(step.buffers[i], plan::writes(step, i), plan::collective_lanes(step));
    }
    const auto controls = [&](const auto& self, const Step& step) -> void {
        if (persistent.leaves.count(&step) != 0) return;
        for (const plan::BufferId id : step.buffers) add(id, step.kind() == StepKind::loop, 0);
        for (const plan::Steps& child : step.children)
            for (const Step& s : child) self(self, s);
    };
    controls(controls, *persistent.root);
    return made;
}

std::vector<std::int64_t> numbers_of(const std::vector<MemoryAccess>& accesses) {
    std::vector<std::int64_t> numbers;
    for (const MemoryAccess& t : accesses)
        numbers.insert(numbers.end(), {t.mode, t.bytes, t.count, t.stride, t.offset});
    return numbers;
}

} // namespace pm::codegen
