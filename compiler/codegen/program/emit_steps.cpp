#include "compiler/codegen/program/emit_steps.hpp"

#include "compiler/codegen/cpu/dot.hpp"
#include "compiler/codegen/cpu/scatter.hpp"
#include "compiler/codegen/nest/emit_nest.hpp"
#include "compiler/codegen/scalar/emit_scalar.hpp"
#include "compiler/codegen/scalar/integer.hpp"
#include "compiler/codegen/steps/collective.hpp"
#include "compiler/codegen/steps/parallel.hpp"
#include "compiler/codegen/steps/prefix_scan.hpp"
#include "compiler/codegen/steps/scatter.hpp"
#include "runtime/call.hpp"
#include "runtime/kernels/kernels.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace pm::codegen {

using plan::Space;
using plan::Step;
using plan::StepKind;

namespace {

/// The work that the call of a unit adds to the work since the last poll. A parallel unit adds at least poll_work, so
/// that a poll follows it.
double work_of_unit(const Step& step, double work) { return step.parallel ? std::max(poll_work, work) : work; }

} // namespace

StepEmitter::StepEmitter(Emit& e, const Layout& layout, Value* call, llvm::BasicBlock* left)
    : e_(e), layout_(layout), call_(call), left_(left) {}

void StepEmitter::set_lane(Value* lane) {
    lane_ = lane;
    failed_ = e_.slot(e_.b.getInt1Ty(), "failed");
    e_.at_entry([&] { return e_.b.CreateStore(e_.b.getFalse(), failed_); });
}

void StepEmitter::steps(const plan::Steps& list) {
    const std::vector<const OutlinedRegion*>& regions = layout_.regions_of(list);
    if (regions.empty()) return steps(list, 0, list.size());
    for (const OutlinedRegion* region : regions) call_region(*region);
}

void StepEmitter::steps(const plan::Steps& steps, std::size_t first, std::size_t last) {
    for (std::size_t i = first, count = 0; i < last; i += count) {
        count = layout_.equal_steps(steps, i, last);
        if (count > 1)
            repeated(llvm::ArrayRef(steps).slice(i, count));
        else
            step(steps[i]);
        const bool polls_next = i + count < steps.size() && steps[i + count].kind() == StepKind::poll;
        if (pending_ >= poll_work && !polls_next) ask_now();
    }
}

void StepEmitter::call_region(const OutlinedRegion& region) {
    std::vector<Value*> arguments{call_, done()};
    if (region.in_lane) arguments.insert(arguments.end(), {failed_, lane_});
    for (const std::uint32_t loop : region.loops) arguments.push_back(loops_.at(loop));
    for (const std::uint32_t index : region.locals) arguments.push_back(local(index));
    leave_if(e_.b.CreateCall(e_.declare(region.name, region_type(e_, region)), arguments));
}

void StepEmitter::region(const OutlinedRegion& region, llvm::Function* function) {
    llvm::Function::arg_iterator argument = function->arg_begin() + 1;
    done_ = argument++;
    if (region.in_lane) {
        failed_ = argument++;
        lane_ = argument++;
    }
    for (const std::uint32_t loop : region.loops) loops_[loop] = argument++;
    for (const std::uint32_t index : region.locals) locals_[index] = argument++;
    steps(*region.list, region.first, region.last);
    if (pending_ > 0) add_up(pending_);
}

void StepEmitter::step(const Step& step) {
    if (layout_.kernels()) {
        const Unit* unit = layout_.unit_of(step);
        const bool by_itself = step.kind() == StepKind::check || step.kind() == StepKind::tape;
        if (unit != nullptr && !by_itself) return launch(*unit, step);
    }
    switch (step.kind()) {
    case StepKind::nest: nest(step); return;
    case StepKind::dot: dot(step); return;
    case StepKind::matrices: matrices(step); return;
    case StepKind::sort: sort(step); return;
    case StepKind::scatter:
        emit_scatter(e_, step, layout_.program(), addresses(step));
        pending_ += scatter_work(step);
        return;
    case StepKind::cumulative:
        emit_cumulative(e_, step, layout_.program(), address(step.buffers[0]), address(step.buffers[1]));
        pending_ += cumulative_work(step);
        return;
    case StepKind::tape: tape(step); return;
    case StepKind::copy: copy(step); return;
    case StepKind::collective: collective(step); return;
    case StepKind::if_: branch(step); return;
    case StepKind::while_: while_loop(step); return;
    case StepKind::loop: counted_loop(step); return;
    case StepKind::lanes: lanes(step); return;
    case StepKind::tapes: tapes(step); return;
    case StepKind::check: check(step); return;
    case StepKind::print: print(step); return;
    case StepKind::poll: poll(); return;
    }
}

/// The pointer that the call holds for a space: the arena, or the array of block addresses. It is loaded once, at the
/// start of the function.
Value* StepEmitter::held(Space space) {
    Value*& known = held_[space];
    const auto field = space == Space::argument   ? CallField::arguments
                       : space == Space::result   ? CallField::results
                       : space == Space::constant ? CallField::constants
                                                  : CallField::arena;
    if (known == nullptr)
        known = e_.at_entry(
            [&] { return e_.b.CreateLoad(e_.pointer(), e_.byte_offset(call_, static_cast<std::int64_t>(field))); });
    return known;
}

/// The address of a space's block, loaded once too.
Value* StepEmitter::base(plan::BufferId id) {
    const plan::Buffer& b = buffer(id);
    if (b.space == Space::local) return local(b.index);
    Value* const list = held(b.space);
    if (b.space == Space::arena) return list;
    Value*& known = spaces_[{static_cast<int>(b.space), b.index}];
    if (known == nullptr)
        known =
            e_.at_entry([&] { return e_.b.CreateLoad(e_.pointer(), e_.byte_offset(list, std::int64_t{8} * b.index)); });
    return known;
}

/// Local buffers with one number share their bytes.
Value* StepEmitter::local(std::uint32_t index) {
    Value*& slot = locals_[index];
    if (slot == nullptr) slot = e_.slot(llvm::ArrayType::get(e_.b.getInt8Ty(), 64), "local", 64);
    return slot;
}

/// Adds the strides of the enclosing loops. The loops of a kernel are added in the kernel.
Value* StepEmitter::moved(Value* base, const plan::Buffer& b, const PersistentKernel* kernel) {
    for (const plan::Stride& s : b.strides) {
        if (s.loop == plan::lane || (kernel != nullptr && kernel->loops.count(s.loop) != 0)) continue;
        const auto loop = loops_.find(s.loop);
        PM_CHECK(loop != loops_.end(), b.note);
        base = e_.byte_offset(base, e_.mul(loop->second, s.bytes));
    }
    return base;
}

Value* StepEmitter::address(plan::BufferId id, const PersistentKernel* kernel) {
    const plan::Buffer& b = buffer(id);
    Value* at = moved(e_.byte_offset(base(id), b.offset), b, kernel);
    const std::int64_t stride = lane_stride(b);
    // Outside the lanes, as in a collective, the address is that of the first lane.
    return stride == 0 || lane_ == nullptr ? at : e_.byte_offset(at, e_.mul(lane_, stride));
}

/// The address in the first lane, for a collective within the lanes.
Value* StepEmitter::address_of_first_lane(plan::BufferId id) {
    const plan::Buffer& b = buffer(id);
    return moved(e_.byte_offset(base(id), b.offset), b);
}

std::vector<Value*> StepEmitter::addresses(const Step& step) {
    std::vector<Value*> made;
    for (const plan::BufferId id : step.buffers) made.push_back(address(id));
    return made;
}

Value* StepEmitter::stop_flag() {
    Value* flag = e_.byte_offset(call_, static_cast<std::int64_t>(CallField::stop));
    return e_.b.CreateAlignedLoad(e_.i32(), flag, llvm::Align(4), true);
}

Value* StepEmitter::call_unit(const Step& step) {
    return layout_.unit_of(step) == nullptr ? nullptr : call_unit(step, addresses(step));
}
Value* StepEmitter::call_unit(const Step& step, std::vector<Value*> arguments) {
    arguments.insert(arguments.begin(), call_);
    return e_.b.CreateCall(e_.declare(layout_.unit_of(step)->name, unit_type(e_, step)), arguments);
}

/// The address at which the host reads a buffer. For a GPU it is a copy, valid until end_host_access().
Value* StepEmitter::read_by_host(plan::BufferId id) { return read_by_host(address(id), buffer(id).bytes()); }
Value* StepEmitter::read_by_host(Value* address, std::int64_t bytes) {
    if (!layout_.kernels()) return address;
    Value* copy = e_.call_symbol("pm_gpu_read", e_.pointer(), {call_, address, e_.int64(bytes)});
    leave_if(e_.b.CreateIsNull(copy));
    return copy;
}

/// The same for a buffer that the host changes. `all`: it overwrites the whole buffer.
Value* StepEmitter::write_by_host(plan::BufferId id, bool all) {
    if (!layout_.kernels()) return address(id);
    Value* copy = e_.call_symbol("pm_gpu_write", e_.pointer(),
                                 {call_, address(id), e_.int64(buffer(id).bytes()), e_.b.getInt32(all ? 1 : 0)});
    leave_if(e_.b.CreateIsNull(copy));
    return copy;
}

/// The addresses for the host of all buffers of a step. Buffers from number `written` on are changed.
std::vector<Value*> StepEmitter::host_addresses(const Step& step, std::size_t written, bool all) {
    std::vector<Value*> made;
    for (std::size_t i = 0; i < step.buffers.size(); ++i)
        made.push_back(i < written ? read_by_host(step.buffers[i]) : write_by_host(step.buffers[i], all));
    return made;
}

void StepEmitter::end_host_access() {
    if (layout_.kernels()) e_.call_symbol("pm_gpu_end", e_.b.getVoidTy(), {call_});
}

void StepEmitter::leave_if_abandoned() {
    leave_if(e_.b.CreateICmpNE(e_.b.CreateAnd(stop_flag(), e_.b.getInt32(runtime::abandon)), e_.b.getInt32(0)));
}

/// Leaves after a failed check too. A lane tests only its own checks, so that its effects do not depend on the progress
/// of other lanes.
void StepEmitter::leave_if_failed() {
    if (lane_ == nullptr) return leave_if(e_.b.CreateICmpNE(stop_flag(), e_.b.getInt32(0)));
    leave_if_abandoned();
    leave_if(e_.b.CreateLoad(e_.b.getInt1Ty(), failed_));
}

void StepEmitter::leave_if(Value* condition) {
    auto* on = llvm::BasicBlock::Create(e_.context, "on", e_.function());
    e_.b.CreateCondBr(condition, left_, on);
    e_.b.SetInsertPoint(on);
}

void StepEmitter::nest(const Step& step) {
    if (const Unit* unit = layout_.unit_of(step)) {
        call_unit(step);
        pending_ += work_of_unit(step, unit->shape.cost());
        return;
    }
    const NestShape shape = shape_nest(*step.nest, layout_.machine());
    emit_nest(e_, shape, addresses(step));
    pending_ += shape.cost();
}

/// Emits steps that differ only in their buffers as a loop over a table. A row has, per buffer of a step, the offset of
/// its address among those of its space, and the offset in bytes from that address.
void StepEmitter::repeated(llvm::ArrayRef<Step> equal) {
    std::vector<std::int64_t> places;
    for (const Step& step : equal)
        for (const plan::BufferId id : step.buffers) {
            places.push_back(buffer(id).space == Space::arena ? 0 : std::int64_t{8} * buffer(id).index);
            places.push_back(buffer(id).offset);
        }
    const std::vector<plan::BufferId>& buffers = equal[0].buffers;
    const double work = work_of_unit(equal[0], layout_.unit_of(equal[0])->shape.cost());
    const bool asks = work * static_cast<double>(equal.size()) >= poll_work;
    Value* const table = table_of(places);
    for (const plan::BufferId id : buffers) held(buffer(id).space);
    e_.loop(0, static_cast<std::int64_t>(equal.size()), 1, [&](Value* iteration) {
        Value* row = e_.byte_offset(table, e_.mul(iteration, static_cast<std::int64_t>(16 * buffers.size())));
        const auto next = [&] {
            Value* place = e_.b.CreateLoad(e_.i64(), row);
            row = e_.byte_offset(row, 8);
            return place;
        };
        std::vector<Value*> found;
        for (const plan::BufferId id : buffers) {
            Value* start = e_.byte_offset(held(buffer(id).space), next());
            if (buffer(id).space != Space::arena) start = e_.b.CreateLoad(e_.pointer(), start);
            found.push_back(e_.byte_offset(start, next()));
        }
        call_unit(equal[0], std::move(found));
        if (asks) add_up(work);
    });
    if (!asks) pending_ += work * static_cast<double>(equal.size());
}

void StepEmitter::dot(const Step& step) {
    if (call_unit(step) == nullptr) {
        emit_dot(e_, step, layout_.program(), call_, addresses(step), "small_dot");
        pending_ += dot_work(step);
        return;
    }
    pending_ += work_of_unit(step, dot_work(step));
    if (pending_ < poll_work) leave_if_abandoned(); // its scratch memory may be missing
}

/// Numbers in the module: the attributes of a runtime kernel, or places of addresses.
Value* StepEmitter::table_of(const std::vector<std::int64_t>& numbers) {
    auto* constants = llvm::ConstantDataArray::get(
        e_.context, llvm::ArrayRef(reinterpret_cast<const std::uint64_t*>(numbers.data()), numbers.size()));
    return new llvm::GlobalVariable(e_.module, constants->getType(), true, llvm::GlobalValue::InternalLinkage,
                                    constants, "attributes");
}
/// An array of the addresses, on the stack.
Value* StepEmitter::pointers_of(const std::vector<Value*>& addresses) {
    Value* pointers = e_.slot(llvm::ArrayType::get(e_.pointer(), std::max<std::size_t>(1, addresses.size())));
    std::int64_t i = 0;
    for (Value* address : addresses) e_.b.CreateStore(address, e_.byte_offset(pointers, 8 * i++));
    return pointers;
}

void StepEmitter::matrices(const Step& step) {
    if (const LibraryConvolution* convolution = layout_.library_convolution(step)) return convolve(step, *convolution);
    const auto& [kernel, attributes] = step.as<plan::MatricesStep>();
    const std::string symbol = (layout_.kernels() ? "pm_gpu_" : "pm_kernel_") + kernel;
    e_.call_symbol(symbol.c_str(), e_.i32(), {call_, pointers_of(addresses(step)), table_of(attributes)});
    pending_ += poll_work;
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
    Value* table = table_of(runtime::sort_attributes(spec));
    Value* pointers = pointers_of(host_addresses(step, spec.operands.size()));
    const std::int64_t bytes = runtime::sort_workspace_bytes(spec);
    Value* workspace = e_.call_symbol("pm_scratch", e_.pointer(), {call_, e_.int64(bytes)});
    e_.when(e_.b.CreateIsNotNull(workspace), [&] {
        e_.call_symbol("pm_kernel_sort", e_.i32(), {call_, pointers, table, workspace});
        e_.call_symbol("pm_scratch_free", e_.b.getVoidTy(), {call_, workspace, e_.int64(bytes)});
    });
    end_host_access();
    pending_ += poll_work;
}

/// The lane that makes tapes; -1 outside the lanes.
Value* StepEmitter::tape_lane() { return lane_ == nullptr ? e_.int64(-1) : lane_; }

void StepEmitter::tape(const Step& step) {
    const auto& tape = step.as<plan::TapeStep>();
    std::vector<Value*> arguments = {call_, tape_lane(), e_.int64(static_cast<std::int64_t>(tape.work))};
    // Kernels of several GPUs have other addresses than a tape's table could hold.
    const bool by_kernel = layout_.kernels() && !layout_.on_several_gpus();
    if (by_kernel) {
        const Unit* unit = layout_.unit_of(step);
        arguments.push_back(e_.int64(unit == nullptr ? -1 : unit->number));
        arguments.push_back(e_.int64(unit == nullptr ? 0 : unit->mapping.blocks));
        arguments.push_back(e_.int64(unit == nullptr ? 0 : unit->mapping.threads));
    }
    const DType dtype = buffer(tape.values(step.buffers)).dtype;
    arguments.push_back(e_.int64(static_cast<std::int64_t>(dtype)));
    arguments.insert(arguments.end(), {e_.int64(tape.tapes), e_.int64(tape.elements)});
    const bool all = tape.is_get(); // other work adds to the handles that are there
    for (Value* at : by_kernel ? addresses(step) : host_addresses(step, step.buffers.size() - 1, all))
        arguments.push_back(at);
    if (step.buffers.size() == 2) arguments.push_back(arguments.back());
    e_.call_symbol(by_kernel ? "pm_gpu_tape" : "pm_tape", e_.b.getVoidTy(), arguments);
    if (!by_kernel) end_host_access();
    pending_ += static_cast<double>(tape.tapes) * 30 + move_work(tape.tapes * tape.elements * 8);
}

void StepEmitter::tapes(const Step& step) {
    e_.call_symbol("pm_tapes_enter", e_.b.getVoidTy(), {call_, tape_lane()});
    steps(step.children[0]);
    e_.call_symbol("pm_tapes_leave", e_.b.getVoidTy(), {call_, tape_lane()});
}

void StepEmitter::copy(const Step& step) {
    const std::int64_t bytes = buffer(step.buffers[1]).bytes();
    if (bytes == 0) return;
    const llvm::Align align(runtime::size_of(buffer(step.buffers[1]).dtype));
    e_.b.CreateMemMove(address(step.buffers[1]), align, address(step.buffers[0]), align,
                       static_cast<std::uint64_t>(bytes));
    pending_ += move_work(bytes);
}

void StepEmitter::collective(const Step& step) {
    if (const Step* made = layout_.replacement(step)) return all_reduce(step, *made);
    const llvm::Align align(runtime::size_of(buffer(step.buffers[0]).dtype));
    Value* from = address_of_first_lane(step.buffers[0]);
    Value* to = address_of_first_lane(step.buffers[1]);
    const auto size = [](std::int64_t bytes) { return static_cast<std::uint64_t>(bytes); };
    for (const LaneMoves& m : collective_moves(layout_.program(), step)) {
        pending_ += move_work(m.receivers * m.senders * m.bytes);
        // At most 16 moves are unrolled.
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

Value* StepEmitter::condition_of(const Step& step) {
    Value* condition = load_scalar(e_, DType::b1, read_by_host(step.buffers[0]));
    end_host_access();
    return condition;
}

void StepEmitter::branch(const Step& step) {
    Value* condition = condition_of(step);
    auto* then = llvm::BasicBlock::Create(e_.context, "then", e_.function());
    auto* otherwise = llvm::BasicBlock::Create(e_.context, "otherwise", e_.function());
    auto* join = llvm::BasicBlock::Create(e_.context, "join", e_.function());
    e_.b.CreateCondBr(condition, then, otherwise);
    e_.b.SetInsertPoint(then);
    const double before = pending_;
    steps(step.children[0]);
    const double after_then = std::exchange(pending_, before);
    e_.b.CreateBr(join);
    e_.b.SetInsertPoint(otherwise);
    if (step.children.size() > 1) steps(step.children[1]);
    pending_ = std::max(pending_, after_then);
    e_.b.CreateBr(join);
    e_.b.SetInsertPoint(join);
}

void StepEmitter::while_loop(const Step& step) {
    auto* head = llvm::BasicBlock::Create(e_.context, "while", e_.function());
    auto* body = llvm::BasicBlock::Create(e_.context, "body", e_.function());
    auto* after = llvm::BasicBlock::Create(e_.context, "after", e_.function());
    e_.b.CreateBr(head);
    e_.b.SetInsertPoint(head);
    pending_ = 0; // the work of an iteration is added at run time, see poll()
    steps(step.children[0]);
    const double condition = pending_;
    e_.b.CreateCondBr(condition_of(step), body, after);
    e_.b.SetInsertPoint(body);
    steps(step.children[1]);
    e_.b.CreateBr(head);
    e_.b.SetInsertPoint(after);
    pending_ = condition;
}

void StepEmitter::counted_loop(const Step& step) {
    const auto& loop = step.as<plan::LoopStep>();
    pending_ = 0;
    e_.loop(0, loop.iterations, 1, [&](Value* iteration) {
        Value* index = loop.reverse ? e_.b.CreateSub(e_.int64(loop.iterations - 1), iteration) : iteration;
        loops_[loop.id] = index;
        if (!step.buffers.empty()) {
            const DType dtype = buffer(step.buffers[0]).dtype;
            if (layout_.kernels())
                e_.call_symbol("pm_gpu_store", e_.b.getVoidTy(),
                               {call_, address(step.buffers[0]), index,
                                e_.int64(static_cast<std::int64_t>(runtime::size_of(dtype)))});
            else
                store_scalar(e_, dtype, convert(e_, dtype, DType::i64, index), address(step.buffers[0]));
        }
        steps(step.children[0]);
        loops_.erase(loop.id);
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

/// The frame holds the indices of the enclosing loops. Each lane has its own local buffers.
void StepEmitter::for_each_lane(std::int64_t lanes, const std::function<void(StepEmitter& body, Value* lane)>& write) {
    std::vector<Value*> values;
    std::vector<std::uint32_t> loops;
    for (const auto& [id, index] : loops_) {
        loops.push_back(id);
        values.push_back(index);
    }
    const std::string name = "lanes_" + std::to_string(e_.module.size());
    emit_parallel(e_, name, call_, e_.int64(lanes), values,
                  [&](Value* call, Value* lane, llvm::ArrayRef<Value*> inner) {
                      auto* left = llvm::BasicBlock::Create(e_.context, "left", e_.function());
                      StepEmitter body(e_, layout_, call, left);
                      for (std::size_t i = 0; i < loops.size(); ++i) body.set_loop(loops[i], inner[i]);
                      write(body, lane);
                      e_.b.CreateBr(left);
                      e_.b.SetInsertPoint(left);
                  });
}

void StepEmitter::lanes(const Step& step) {
    for_each_lane(step.as<plan::LanesStep>().count, [&](StepEmitter& body, Value* lane) {
        body.set_lane(lane);
        body.steps(step.children[0]);
    });
    pending_ = 0; // a poll precedes each lane
    if (prints(step.children[0])) e_.call_symbol("pm_flush", e_.b.getVoidTy(), {call_});
    leave_if_failed();
}

/// Every poll reads the flag. It calls the runtime, which tests the clock and the host's requests, if the flag is set
/// or about `poll_work` instructions have run since the last call. The work of an iteration is known here and added up.
/// An iteration counts as at least poll_work / 64.
void StepEmitter::poll() { add_up(std::max(std::exchange(pending_, 0), poll_work / 64)); }

void StepEmitter::add_up(double work) {
    const auto ask = [&] {
        e_.call_symbol("pm_poll", e_.i32(), {call_});
        leave_if_failed();
    };
    if (work >= poll_work) {
        ask();
        return;
    }
    Value* sum = e_.b.CreateAdd(e_.b.CreateLoad(e_.i32(), done()), e_.b.getInt32(static_cast<std::uint32_t>(work)));
    e_.b.CreateStore(sum, done());
    Value* due = e_.b.CreateICmpUGE(sum, e_.b.getInt32(static_cast<std::uint32_t>(poll_work)));
    e_.when(
        e_.b.CreateOr(due, e_.b.CreateICmpNE(stop_flag(), e_.b.getInt32(0))),
        [&] {
            e_.b.CreateStore(e_.b.getInt32(0), done());
            ask();
        },
        false);
}

Value* StepEmitter::done() {
    if (done_ == nullptr) {
        done_ = e_.slot(e_.i32(), "done");
        e_.at_entry([&] { return e_.b.CreateStore(e_.b.getInt32(0), done_); });
    }
    return done_;
}

/// Polls after steps that are long together, and after a step that skips work once the call is abandoned: a parallel
/// step, or one so long that it polls by itself. The poll at the end of the iteration handles a failed check.
void StepEmitter::ask_now() {
    pending_ = 0;
    e_.call_symbol("pm_poll", e_.i32(), {call_});
    leave_if_abandoned();
}

/// Prints nothing after a check has failed.
void StepEmitter::print(const Step& step) {
    leave_if_failed();
    Value* pointers = pointers_of(host_addresses(step, step.buffers.size()));
    Value* lane = lane_ == nullptr ? static_cast<Value*>(e_.int64(0)) : lane_;
    e_.call_symbol("pm_print", e_.b.getVoidTy(), {call_, e_.int64(step.as<plan::PrintStep>().site), lane, pointers});
    end_host_access();
    if (lane_ == nullptr) e_.call_symbol("pm_flush", e_.b.getVoidTy(), {call_});
}

} // namespace pm::codegen
