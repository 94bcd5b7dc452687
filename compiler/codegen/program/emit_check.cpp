#include "compiler/codegen/program/emit_steps.hpp"
#include "compiler/codegen/scalar/emit_scalar.hpp"

// Checks.

namespace pm::codegen {

using plan::Step;

/// Reports the first element that is false to the runtime, with its values.
void StepEmitter::check(const Step& step) {
    const std::int64_t n = buffer(step.buffers[0]).elements();
    if (n == 0) return;
    pending_ += move_work(n);
    const Unit* unit = layout_.unit_of(step);
    Value* least = unit != nullptr ? first_failure(*unit, step) : first_failure(read_by_host(step.buffers[0]), n);
    e_.when(e_.b.CreateICmpSGE(least, e_.int64(0)), [&] { report(step, least); }, false);
    end_host_access();
}

/// Reports the checks that have failed in a kernel, in the iteration in which it stopped.
void StepEmitter::report(const PersistentKernel& kernel, Value* record) {
    const auto number = [&](std::int64_t place) {
        return e_.b.CreateLoad(e_.i64(), e_.byte_offset(record, place - kernel.record));
    };
    for (std::size_t i = 0; i < kernel.loops_of_record.size(); ++i)
        loops_[kernel.loops_of_record[i]] = number(kernel.place_of_index(i));
    for (std::size_t i = 0; i < kernel.checks.size(); ++i) {
        Value* least = number(kernel.place_of_check(i));
        e_.when(e_.b.CreateICmpSGE(least, e_.int64(0)), [&] { report(*kernel.checks[i], least); }, false);
    }
    for (const std::uint32_t loop : kernel.loops_of_record) loops_.erase(loop);
    end_host_access();
}

void StepEmitter::report(const Step& check, Value* element) {
    const std::uint32_t site = check.as<plan::CheckStep>().site;
    const std::int64_t n = buffer(check.buffers[0]).elements();
    std::vector<Value*> values;
    for (std::size_t i = 1; i < check.buffers.size(); ++i) {
        const plan::Buffer& b = buffer(check.buffers[i]);
        const bool part = layout_.program().sites[site].shapes[i - 1].size() < b.shape.size();
        const std::int64_t bytes = part ? b.bytes() / n : b.bytes();
        Value* at = address(check.buffers[i]);
        values.push_back(read_by_host(part ? e_.byte_offset(at, e_.mul(element, bytes)) : at, bytes));
    }
    Value* pointers = pointers_of(values);
    Value* lane = lane_ == nullptr ? static_cast<Value*>(e_.int64(0)) : lane_;
    e_.call_symbol("pm_check_failed", e_.b.getVoidTy(), {call_, e_.int64(site), lane, element, pointers});
    if (lane_ != nullptr) e_.b.CreateStore(e_.b.getTrue(), failed_);
}

/// The index of the first element that is 0, or -1.
Value* StepEmitter::first_failure(Value* ok, std::int64_t n) {
    if (n == 1) return e_.b.CreateSelect(load_scalar(e_, DType::b1, ok), e_.int64(-1), e_.int64(0));
    // Tests 64 bytes at a time. Only if one is 0, the elements are tested one by one, from the last to the first, so
    // that the least index remains.
    constexpr std::int64_t block = 64;
    Value* found = e_.slot(e_.i64());
    e_.b.CreateStore(e_.int64(-1), found);
    const auto look = [&](Value* begin, std::int64_t count) {
        auto* type = llvm::FixedVectorType::get(e_.b.getInt8Ty(), static_cast<unsigned>(count));
        Value* bytes = e_.b.CreateAlignedLoad(type, e_.byte_offset(ok, begin), llvm::Align(1));
        Value* bad = e_.any(e_.b.CreateICmpEQ(bytes, llvm::Constant::getNullValue(type)));
        Value* first = e_.b.CreateICmpSLT(e_.b.CreateLoad(e_.i64(), found), e_.int64(0));
        e_.when(
            e_.b.CreateAnd(bad, first),
            [&] {
                e_.loop(0, count, 1, [&](Value* i) {
                    Value* element = e_.b.CreateSub(e_.b.CreateAdd(begin, e_.int64(count - 1)), i);
                    e_.when(e_.b.CreateNot(load_scalar(e_, DType::b1, e_.byte_offset(ok, element))),
                            [&] { e_.b.CreateStore(element, found); });
                });
            },
            false);
    };
    e_.loop(0, n / block * block, block, [&](Value* begin) { look(begin, block); });
    if (n % block != 0) look(e_.int64(n / block * block), n % block);
    return e_.b.CreateLoad(e_.i64(), found);
}

/// The same by a kernel. The host reads only that index.
Value* StepEmitter::first_failure(const Unit& kernel, const Step& check) {
    constexpr std::int64_t bytes = 8;
    Value* found = e_.slot(e_.i64());
    Value* left = nullptr;
    with_scratch(bytes, [&](Value* word) {
        e_.call_symbol("pm_gpu_store", e_.b.getVoidTy(), {call_, word, e_.int64(-1), e_.int64(bytes)});
        launch(kernel, {address(check.buffers[0]), word},
               {{runtime::MemoryAccess::reads, buffer(check.buffers[0]).bytes()},
                {runtime::MemoryAccess::changes, bytes}});
        left = fetch(found, word, bytes);
    });
    leave_if(left); // after the memory was freed
    return e_.b.CreateLoad(e_.i64(), found);
}

} // namespace pm::codegen
