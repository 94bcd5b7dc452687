#include "compiler/codegen/program/emit_steps.hpp"

#include "compiler/codegen/program/emit_program.hpp"
#include "compiler/codegen/scalar/emit_scalar.hpp"
#include "compiler/codegen/steps/collective.hpp"
#include "compiler/codegen/steps/parallel.hpp"
#include "runtime/kernels/kernels.hpp"
#include "runtime/processes/lane_exchange.hpp"

#include <algorithm>

namespace pm::codegen {

using plan::Step;
using plan::StepKind;

StepEmitter::StepEmitter(Emit& e, const Layout& layout, Value* call, llvm::BasicBlock* exit)
    : e_(e), layout_(layout), function_(e, layout.program(), call, exit), target_(layout.backend().steps(*this)) {}

void StepEmitter::steps(const plan::Steps& list) {
    const std::vector<const OutlinedRegion*>& regions = layout_.regions_of(list);
    if (regions.empty()) return steps(list, 0, list.size());
    for (const OutlinedRegion* region : regions) {
        llvm::FunctionCallee callee = e_.declare(region->name, region_type(e_, *region));
        function_.exit_if(e_.b.CreateCall(callee, function_.arguments_of(*region)));
    }
}

void StepEmitter::steps(const plan::Steps& steps, std::size_t first, std::size_t last) {
    for (std::size_t i = first, count = 0; i < last; i += count) {
        count = layout_.equal_steps(steps, i, last);
        if (count > 1)
            PM_CHECK(target_->emit(llvm::ArrayRef(steps).slice(i, count)));
        else
            step(steps[i]);
        const bool polls_next = i + count < steps.size() && steps[i + count].kind() == StepKind::poll;
        if (function_.work() >= poll_work && !polls_next) function_.poll_now();
    }
}

void StepEmitter::region(const OutlinedRegion& region, llvm::Function* function) {
    function_.begin_region(region, function);
    steps(*region.list, region.first, region.last);
    if (function_.work() > 0) function_.add_up(function_.work());
}

void StepEmitter::step(const Step& step) {
    if (target_->emit(step)) return;
    switch (step.kind()) {
    case StepKind::nest:
    case StepKind::dot:
    case StepKind::scatter:
    case StepKind::cumulative:
    case StepKind::matrices: PM_UNREACHABLE(); // each target emits these steps itself
    case StepKind::sort: sort(step); return;
    case StepKind::tape: tape(step); return;
    case StepKind::copy: copy(step); return;
    case StepKind::collective: collective(step); return;
    case StepKind::meeting: meeting(step); return;
    case StepKind::if_: branch(step); return;
    case StepKind::while_: while_loop(step); return;
    case StepKind::loop: counted_loop(step); return;
    case StepKind::lanes: lanes(step); return;
    case StepKind::tapes: tapes(step); return;
    case StepKind::check: check(step); return;
    case StepKind::print: print(step); return;
    case StepKind::poll: function_.poll(); return;
    }
}

/// The address at which the host reads a buffer, until TargetSteps::end_access().
Value* StepEmitter::read_by_host(plan::BufferId id) { return target_->read(function_.address(id), buffer(id).bytes()); }

/// The addresses of all buffers of a step for accesses by the host. The host reads the first `written` buffers and
/// changes the other buffers. If `all` is true, the host overwrites all bytes of the changed buffers.
std::vector<Value*> StepEmitter::host_addresses(const Step& step, std::size_t written, bool all) {
    std::vector<Value*> made;
    for (std::size_t i = 0; i < step.buffers.size(); ++i) {
        const plan::BufferId id = step.buffers[i];
        made.push_back(i < written ? read_by_host(id) : target_->write(function_.address(id), buffer(id).bytes(), all));
    }
    return made;
}

void StepEmitter::call_matrices(const std::string& symbol, const Step& step) {
    e_.call_symbol(symbol.c_str(), e_.i32(),
                   {function_.call(), function_.array_of(function_.addresses(step)),
                    function_.table_of(step.as<plan::MatricesStep>().attributes)});
    function_.add_work(poll_work);
}

void StepEmitter::sort(const Step& step) {
    const auto& sort = step.as<plan::SortStep>();
    runtime::SortSpec spec;
    spec.batch = sort.rows;
    spec.n = sort.n;
    spec.keys = static_cast<int>(sort.keys);
    spec.parallel = step.parallel;
    for (std::int64_t i = 0; i < sort.arrays; ++i)
        spec.operands.push_back(buffer(step.buffers[static_cast<std::size_t>(i)]).dtype);
    Value* table = function_.table_of(runtime::sort_attributes(spec));
    Value* pointers = function_.array_of(host_addresses(step, spec.operands.size()));
    const std::int64_t bytes = runtime::sort_workspace_bytes(spec);
    Value* workspace = e_.call_symbol("pm_scratch", e_.pointer(), {function_.call(), e_.int64(bytes)});
    e_.when(e_.b.CreateIsNotNull(workspace), [&] {
        e_.call_symbol("pm_kernel_sort", e_.i32(), {function_.call(), pointers, table, workspace});
        e_.call_symbol("pm_scratch_free", e_.b.getVoidTy(), {function_.call(), workspace, e_.int64(bytes)});
    });
    target_->end_access();
    function_.add_work(poll_work);
}

void StepEmitter::call_tape(const char* symbol, const Step& step, llvm::ArrayRef<Value*> own,
                            llvm::ArrayRef<Value*> addresses) {
    const auto& tape = step.as<plan::TapeStep>();
    std::vector<Value*> arguments = {function_.call(), function_.tape_lane(),
                                     e_.int64(static_cast<std::int64_t>(tape.work))};
    arguments.insert(arguments.end(), own.begin(), own.end());
    const DType dtype = buffer(tape.values(step.buffers)).dtype;
    arguments.push_back(e_.int64(static_cast<std::int64_t>(dtype)));
    arguments.insert(arguments.end(), {e_.int64(tape.tapes), e_.int64(tape.elements)});
    arguments.insert(arguments.end(), addresses.begin(), addresses.end());
    if (step.buffers.size() == 2) arguments.push_back(arguments.back());
    e_.call_symbol(symbol, e_.b.getVoidTy(), arguments);
    function_.add_work(static_cast<double>(tape.tapes) * 30 + move_work(tape.tapes * tape.elements * 8));
}

void StepEmitter::tape(const Step& step) {
    const bool all = step.as<plan::TapeStep>().is_get(); // steps other than get add to existing handles
    call_tape("pm_tape", step, {}, host_addresses(step, step.buffers.size() - 1, all));
    target_->end_access();
}

void StepEmitter::tapes(const Step& step) {
    e_.call_symbol("pm_tapes_enter", e_.b.getVoidTy(), {function_.call(), function_.tape_lane()});
    steps(step.children[0]);
    e_.call_symbol("pm_tapes_leave", e_.b.getVoidTy(), {function_.call(), function_.tape_lane()});
}

void StepEmitter::copy(const Step& step) {
    const std::int64_t bytes = buffer(step.buffers[1]).bytes();
    if (bytes == 0) return;
    const llvm::Align align(runtime::size_of(buffer(step.buffers[1]).dtype));
    e_.b.CreateMemMove(function_.address(step.buffers[1]), align, function_.address(step.buffers[0]), align,
                       static_cast<std::uint64_t>(bytes));
    function_.add_work(move_work(bytes));
}

void StepEmitter::collective(const Step& step) {
    if (const Step* made = layout_.replacement(step)) return this->step(*made);
    const llvm::Align align(runtime::size_of(buffer(step.buffers[0]).dtype));
    Value* from = function_.address_of_first_lane(step.buffers[0]);
    Value* to = function_.address_of_first_lane(step.buffers[1]);
    const auto size = [](std::int64_t bytes) { return static_cast<std::uint64_t>(bytes); };
    for (const LaneMoves& m : collective_moves(layout_.program(), step)) {
        function_.add_work(move_work(m.receivers * m.senders * m.bytes));
        // Up to 16 moves are unrolled.
        const auto each = [&](std::int64_t n, const std::function<void(Value*)>& body) {
            if (m.receivers * m.senders > 16) return e_.loop(0, n, 1, body);
            for (std::int64_t i = 0; i < n; ++i) body(e_.int64(i));
        };
        each(m.receivers, [&](Value* receiver) {
            Value* out = e_.byte_offset(e_.byte_offset(to, m.out), e_.mul(receiver, m.out_by_receiver));
            Value* in = e_.byte_offset(e_.byte_offset(from, m.in), e_.mul(receiver, m.in_by_receiver));
            if (m.senders == 0) e_.b.CreateMemSet(out, e_.b.getInt8(0), size(m.bytes), align);
            each(m.senders, [&](Value* sender) {
                e_.b.CreateMemMove(e_.byte_offset(out, e_.mul(sender, m.out_by_sender)), align,
                                   e_.byte_offset(in, e_.mul(sender, m.in_by_sender)), align, size(m.bytes));
            });
        });
    }
}

/// Calls the runtime, and exits if the call must end.
void StepEmitter::meeting(const Step& step) {
    using plan::MeetingWork;
    const auto& meeting = step.as<plan::MeetingStep>();
    const bool by_parts = meeting.work == MeetingWork::parts || meeting.work == MeetingWork::share;
    runtime::LaneExchange exchange{
        .work = meeting.work, .site = meeting.site, .lanes = meeting.lanes, .first = meeting.first, .to = meeting.to};
    std::vector<Value*> addresses;
    for (std::size_t i = 0; i < step.buffers.size(); ++i) {
        const plan::BufferId id = step.buffers[i];
        const runtime::LaneValues values{buffer(id).bytes(), lane_stride(buffer(id))};
        if (!by_parts || (i == 0) == (meeting.work == MeetingWork::parts)) exchange.values.push_back(values);
        const std::int64_t bytes = runtime::span_of(values, meeting.first.back());
        Value* const at = function_.address_of_first_lane(id);
        addresses.push_back(writes(step, i) ? target_->write(at, bytes, false) : target_->read(at, bytes));
    }
    Value* goes_on =
        e_.call_symbol("pm_meeting", e_.i32(),
                       {function_.call(), function_.table_of(attributes_of(exchange)), function_.array_of(addresses)});
    target_->end_access();
    function_.exit_if(e_.b.CreateICmpEQ(goes_on, e_.b.getInt32(0)));
}

Value* StepEmitter::condition_of(const Step& step) {
    Value* condition = load_scalar(e_, DType::b1, read_by_host(step.buffers[0]));
    target_->end_access();
    return condition;
}

void StepEmitter::branch(const Step& step) {
    Value* condition = condition_of(step);
    auto* then = llvm::BasicBlock::Create(e_.context, "then", e_.function());
    auto* otherwise = llvm::BasicBlock::Create(e_.context, "otherwise", e_.function());
    auto* join = llvm::BasicBlock::Create(e_.context, "join", e_.function());
    e_.b.CreateCondBr(condition, then, otherwise);
    e_.b.SetInsertPoint(then);
    const double before = function_.work();
    steps(step.children[0]);
    const double after_then = function_.exchange_work(before);
    e_.b.CreateBr(join);
    e_.b.SetInsertPoint(otherwise);
    if (step.children.size() > 1) steps(step.children[1]);
    function_.exchange_work(std::max(function_.work(), after_then));
    e_.b.CreateBr(join);
    e_.b.SetInsertPoint(join);
}

void StepEmitter::while_loop(const Step& step) {
    auto* head = llvm::BasicBlock::Create(e_.context, "while", e_.function());
    auto* body = llvm::BasicBlock::Create(e_.context, "body", e_.function());
    auto* after = llvm::BasicBlock::Create(e_.context, "after", e_.function());
    e_.b.CreateBr(head);
    e_.b.SetInsertPoint(head);
    function_.exchange_work(0); // the work of an iteration is added at run time, see poll()
    steps(step.children[0]);
    const double condition = function_.work();
    e_.b.CreateCondBr(condition_of(step), body, after);
    e_.b.SetInsertPoint(body);
    steps(step.children[1]);
    e_.b.CreateBr(head);
    e_.b.SetInsertPoint(after);
    function_.exchange_work(condition);
}

void StepEmitter::counted_loop(const Step& step) {
    const auto& loop = step.as<plan::LoopStep>();
    function_.exchange_work(0);
    e_.loop(0, loop.iterations, 1, [&](Value* iteration) {
        Value* index = loop.reverse ? e_.b.CreateSub(e_.int64(loop.iterations - 1), iteration) : iteration;
        function_.enter_loop(loop.id, index);
        if (!step.buffers.empty()) {
            const DType dtype = buffer(step.buffers[0]).dtype;
            target_->store_index(dtype, index, function_.address(step.buffers[0]));
        }
        steps(step.children[0]);
        function_.leave_loop(loop.id);
    });
}

namespace {

bool prints(const plan::Steps& steps) {
    for (const Step& s : steps) {
        if (s.kind() == StepKind::print) return true;
        for (const plan::Steps& child : s.children)
            if (prints(child)) return true;
    }
    return false;
}

} // namespace

/// The frame contains the indices of the enclosing loops. Each lane has its own local buffers.
void StepEmitter::for_each_lane(const plan::LanesStep& lanes,
                                const std::function<void(StepEmitter& body, Value* lane)>& write) {
    std::vector<Value*> values;
    std::vector<std::uint32_t> loops;
    for (const auto& [id, index] : function_.loops()) {
        loops.push_back(id);
        values.push_back(index);
    }
    const std::string name = "lanes_" + std::to_string(e_.module.size());
    const Chunk chunk = emit_chunk(e_, name, values, [&](Value* call, Value* lane, llvm::ArrayRef<Value*> inner) {
        auto* exit = llvm::BasicBlock::Create(e_.context, "exit", e_.function());
        StepEmitter body(e_, layout_, call, exit);
        for (std::size_t i = 0; i < loops.size(); ++i) body.function_.enter_loop(loops[i], inner[i]);
        write(body, lane);
        e_.b.CreateBr(exit);
        e_.b.SetInsertPoint(exit);
    });
    const bool alone = lanes.first.empty();
    e_.call_symbol(alone ? "pm_run" : "pm_run_own_lanes", e_.b.getVoidTy(),
                   {function_.call(), alone ? e_.int64(lanes.count) : function_.table_of(lanes.first), chunk.function,
                    chunk.frame});
}

void StepEmitter::lanes(const Step& step) {
    const auto& lanes = step.as<plan::LanesStep>();
    for_each_lane(lanes, [&](StepEmitter& body, Value* lane) {
        body.function_.set_lane(lane);
        body.steps(step.children[0]);
    });
    function_.exchange_work(0); // a poll precedes each lane
    if (prints(step.children[0]))
        e_.call_symbol(lanes.first.empty() ? "pm_flush" : "pm_flush_lanes", e_.b.getVoidTy(), {function_.call()});
    function_.exit_if_failed();
}

/// Prints nothing after a check has failed.
void StepEmitter::print(const Step& step) {
    function_.exit_if_failed();
    Value* pointers = function_.array_of(host_addresses(step, step.buffers.size()));
    e_.call_symbol("pm_print", e_.b.getVoidTy(),
                   {function_.call(), e_.int64(step.as<plan::PrintStep>().site), function_.lane_or_first(), pointers});
    target_->end_access();
    if (function_.lane() == nullptr) e_.call_symbol("pm_flush", e_.b.getVoidTy(), {function_.call()});
}

} // namespace pm::codegen
