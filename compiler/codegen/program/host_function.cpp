#include "compiler/codegen/program/host_function.hpp"

#include "compiler/codegen/steps/buffers.hpp"
#include "runtime/call.hpp"

#include <algorithm>

namespace pm::codegen {

using plan::Space;

HostFunction::HostFunction(Emit& e, const plan::Program& program, Value* call, llvm::BasicBlock* exit)
    : e_(e), program_(program), call_(call), exit_(exit) {}

void HostFunction::set_lane(Value* lane) {
    lane_ = lane;
    failed_ = e_.slot(e_.b.getInt1Ty(), "failed");
    e_.at_entry([&] { return e_.b.CreateStore(e_.b.getFalse(), failed_); });
}

void HostFunction::fail_lane() {
    if (lane_ != nullptr) e_.b.CreateStore(e_.b.getTrue(), failed_);
}

std::vector<Value*> HostFunction::arguments_of(const OutlinedRegion& region) {
    std::vector<Value*> arguments{call_, done()};
    if (region.in_lane) arguments.insert(arguments.end(), {failed_, lane_});
    for (const std::uint32_t loop : region.loops) arguments.push_back(loops_.at(loop));
    for (const std::uint32_t index : region.locals) arguments.push_back(local(index));
    return arguments;
}

void HostFunction::begin_region(const OutlinedRegion& region, llvm::Function* function) {
    llvm::Function::arg_iterator argument = function->arg_begin() + 1;
    done_ = argument++;
    if (region.in_lane) {
        failed_ = argument++;
        lane_ = argument++;
    }
    for (const std::uint32_t loop : region.loops) loops_[loop] = argument++;
    for (const std::uint32_t index : region.locals) locals_[index] = argument++;
}

// ---- addresses

Value* HostFunction::held(Space space) {
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

/// The address of the block that contains a buffer. The address is loaded only once.
Value* HostFunction::base(plan::BufferId id) {
    const plan::Buffer& b = buffer(id);
    if (b.space == Space::local) return local(b.index);
    Value* const list = held(b.space);
    if (b.space == Space::arena) return list;
    Value*& known = blocks_[{b.space, b.index}];
    if (known == nullptr)
        known =
            e_.at_entry([&] { return e_.b.CreateLoad(e_.pointer(), e_.byte_offset(list, std::int64_t{8} * b.index)); });
    return known;
}

/// Local buffers with the same index share their bytes.
Value* HostFunction::local(std::uint32_t index) {
    Value*& slot = locals_[index];
    if (slot == nullptr) slot = e_.slot(llvm::ArrayType::get(e_.b.getInt8Ty(), 64), "local", 64);
    return slot;
}

/// Adds the strides of the enclosing loops.
Value* HostFunction::moved(Value* base, const plan::Buffer& b, const Loops* inner) {
    for (const plan::Stride& s : b.strides) {
        if (s.loop == plan::lane || (inner != nullptr && inner->contains(s.loop))) continue;
        const auto loop = loops_.find(s.loop);
        PM_CHECK(loop != loops_.end(), b.note);
        base = e_.byte_offset(base, e_.mul(loop->second, s.bytes));
    }
    return base;
}

Value* HostFunction::address(plan::BufferId id, const Loops* inner) {
    const plan::Buffer& b = buffer(id);
    Value* at = moved(e_.byte_offset(base(id), b.offset), b, inner);
    const std::int64_t stride = lane_stride(b);
    return stride == 0 || lane_ == nullptr ? at : e_.byte_offset(at, e_.mul(lane_, stride));
}

Value* HostFunction::address_of_first_lane(plan::BufferId id) {
    const plan::Buffer& b = buffer(id);
    return moved(e_.byte_offset(base(id), b.offset), b);
}

std::vector<Value*> HostFunction::addresses(const plan::Step& step) {
    std::vector<Value*> made;
    for (const plan::BufferId id : step.buffers) made.push_back(address(id));
    return made;
}

Value* HostFunction::table_of(const std::vector<std::int64_t>& numbers) {
    auto* constants = llvm::ConstantDataArray::get(
        e_.context, llvm::ArrayRef(reinterpret_cast<const std::uint64_t*>(numbers.data()), numbers.size()));
    return new llvm::GlobalVariable(e_.module, constants->getType(), true, llvm::GlobalValue::InternalLinkage,
                                    constants, "attributes");
}

Value* HostFunction::array_of(const std::vector<Value*>& words) {
    Value* array = e_.slot(llvm::ArrayType::get(e_.i64(), std::max<std::size_t>(1, words.size())));
    std::int64_t i = 0;
    for (Value* word : words) e_.b.CreateStore(word, e_.byte_offset(array, 8 * i++));
    return array;
}

// ---- exits and polls

Value* HostFunction::stop_flag() {
    Value* flag = e_.byte_offset(call_, static_cast<std::int64_t>(CallField::stop));
    return e_.b.CreateAlignedLoad(e_.i32(), flag, llvm::Align(4), true);
}

void HostFunction::exit_if_abandoned() {
    exit_if(e_.b.CreateICmpNE(e_.b.CreateAnd(stop_flag(), e_.b.getInt32(runtime::abandon)), e_.b.getInt32(0)));
}

void HostFunction::exit_if_failed() {
    if (lane_ == nullptr) return exit_if(e_.b.CreateICmpNE(stop_flag(), e_.b.getInt32(0)));
    exit_if_abandoned();
    exit_if(e_.b.CreateLoad(e_.b.getInt1Ty(), failed_));
}

void HostFunction::exit_if(Value* condition) {
    auto* on = llvm::BasicBlock::Create(e_.context, "on", e_.function());
    e_.b.CreateCondBr(condition, exit_, on);
    e_.b.SetInsertPoint(on);
}

void HostFunction::poll() { add_up(std::max(exchange_work(0), poll_work / 64)); }

void HostFunction::add_up(double work) {
    const auto ask = [&] {
        e_.call_symbol("pm_poll", e_.i32(), {call_});
        exit_if_failed();
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

void HostFunction::poll_now() {
    work_ = 0;
    e_.call_symbol("pm_poll", e_.i32(), {call_});
    exit_if_abandoned();
}

Value* HostFunction::done() {
    if (done_ == nullptr) {
        done_ = e_.slot(e_.i32(), "done");
        e_.at_entry([&] { return e_.b.CreateStore(e_.b.getInt32(0), done_); });
    }
    return done_;
}

} // namespace pm::codegen
