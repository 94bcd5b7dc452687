#include "compiler/codegen/gpu/dot/dot.hpp"
#include "compiler/codegen/gpu/points.hpp"
#include "compiler/codegen/gpu/prefix_scan.hpp"
#include "compiler/codegen/gpu/scatter.hpp"
#include "compiler/codegen/gpu/sort.hpp"
#include "compiler/codegen/steps/collective.hpp"
#include "compiler/codegen/steps/prefix_scan.hpp"

#include <algorithm>

namespace pm::codegen {

using plan::Step;
using plan::StepKind;

namespace {

std::vector<LaneMoves> moves_of(const plan::Program& program, const Step& step) {
    switch (step.kind()) {
    case StepKind::collective: return collective_moves(program, step);
    case StepKind::copy: return {{.bytes = program.buffers[step.buffers[1]].bytes()}};
    default: PM_UNREACHABLE(); // moves no elements between lanes
    }
}

/// The bytes of an element. A move copies one element at a time.
std::int64_t width_of(const plan::Program& program, const Step& step) {
    return static_cast<std::int64_t>(runtime::size_of(program.buffers[step.buffers[0]].dtype));
}
std::vector<std::int64_t> extents_of(const LaneMoves& m, std::int64_t width) {
    return {m.receivers, std::max<std::int64_t>(1, m.senders), m.bytes / width};
}
std::int64_t points_of(const LaneMoves& m, std::int64_t width) { return nest::product(extents_of(m, width)); }

void emit_moves(Emit& e, Threads& threads, const Step& step, const plan::Program& program, const Mapping& mapping,
                llvm::ArrayRef<Value*> buffers) {
    const std::int64_t width = width_of(program, step);
    llvm::Type* element = e.b.getIntNTy(static_cast<unsigned>(8 * width));
    const llvm::Align align(static_cast<std::uint64_t>(width));
    for (const LaneMoves& m : moves_of(program, step)) {
        each_point(e, threads, mapping, points_of(m, width), [&](Value* number) {
            const std::vector<Value*> at = digits(e, number, extents_of(m, width));
            const auto place = [&](Value* base, std::int64_t first, std::int64_t by_receiver, std::int64_t by_sender) {
                Value* bytes = e.add(e.mul(at[0], by_receiver), e.mul(at[1], by_sender));
                return e.byte_offset(e.byte_offset(base, first), e.add(bytes, e.mul(at[2], width)));
            };
            Value* moved =
                m.senders == 0
                    ? static_cast<Value*>(llvm::ConstantInt::get(element, 0))
                    : e.b.CreateAlignedLoad(element, place(buffers[0], m.in, m.in_by_receiver, m.in_by_sender), align);
            e.b.CreateAlignedStore(moved, place(buffers[1], m.out, m.out_by_receiver, m.out_by_sender), align);
        });
    }
}

} // namespace

bool is_kernel(const Step& step) {
    switch (step.kind()) {
    case StepKind::nest:
    case StepKind::dot:
    case StepKind::scatter:
    case StepKind::cumulative:
    case StepKind::copy:
    case StepKind::collective: return true;
    case StepKind::sort: return sorts_on_gpu(step);
    default: return false;
    }
}

int step_passes(const Step& step, const plan::Program& program) {
    switch (step.kind()) {
    case StepKind::dot: return dot_passes(step, program);
    case StepKind::scatter: return scatter_passes(step, program);
    case StepKind::cumulative: return prefix_scan_passes(step, program);
    case StepKind::sort: return sort_passes(step);
    default: return 1;
    }
}

std::int64_t step_scratch_bytes(const Step& step, const plan::Program& program) {
    switch (step.kind()) {
    case StepKind::dot: return dot_scratch_bytes(step, program);
    case StepKind::scatter: return scatter_scratch_bytes(step, program);
    case StepKind::cumulative: return prefix_scan_scratch_bytes(step, program);
    case StepKind::sort: return sort_scratch_bytes(step, program);
    default: PM_UNREACHABLE(); // other kernels have one pass
    }
}

Mapping map_step(const Step& step, const plan::Program& program, int threads) {
    switch (step.kind()) {
    case StepKind::dot: return map_dot(step, program, threads);
    case StepKind::sort: return map_sort(step, threads);
    case StepKind::scatter: return map_scatter(step, program, threads);
    case StepKind::cumulative: return map_prefix_scan(step, program, threads);
    case StepKind::check: return map_check(step, program, threads);
    case StepKind::tape: return map_tape(step, threads);
    case StepKind::copy:
    case StepKind::collective: {
        std::int64_t most = 1;
        for (const LaneMoves& m : moves_of(program, step)) most = std::max(most, points_of(m, width_of(program, step)));
        return map_points(most, 1, threads == 0 ? 256 : threads);
    }
    default: PM_UNREACHABLE(); // not a kernel
    }
}

void emit_step_kernel(Emit& e, Threads& threads, const Step& step, const plan::Program& program, const Mapping& mapping,
                      llvm::ArrayRef<Value*> buffers) {
    switch (step.kind()) {
    case StepKind::dot: emit_dot_kernel(e, threads, step, program, mapping, buffers); return;
    case StepKind::sort: emit_sort_kernel(e, threads, step, program, mapping, buffers); return;
    case StepKind::scatter: emit_scatter_kernel(e, threads, step, program, mapping, buffers); return;
    case StepKind::check: emit_check_kernel(e, threads, step, program, mapping, buffers); return;
    case StepKind::tape: emit_tape_kernel(e, threads, step, program, mapping, buffers); return;
    case StepKind::cumulative: emit_prefix_scan_kernel(e, threads, step, program, mapping, buffers); return;
    case StepKind::copy:
    case StepKind::collective: emit_moves(e, threads, step, program, mapping, buffers); return;
    default: PM_UNREACHABLE(); // not a kernel
    }
}

} // namespace pm::codegen
