#include "compiler/codegen/program/emit_steps.hpp"
#include "compiler/codegen/scalar/emit_scalar.hpp"

// Emits checks.

namespace pm::codegen {

using plan::Step;

/// Reports the first false element of a check to the runtime, with the values of the check.
void StepEmitter::check(const Step& step) {
    const std::int64_t n = buffer(step.buffers[0]).elements();
    if (n == 0) return;
    function_.add_work(move_work(n));
    Value* least = target_->first_failure(step);
    if (least == nullptr) least = first_failure(read_by_host(step.buffers[0]), n);
    e_.when(e_.b.CreateICmpSGE(least, e_.int64(0)), [&] { report(step, least); }, false);
    target_->end_access();
}

void StepEmitter::report(const Step& check, Value* element) {
    const std::uint32_t site = check.as<plan::CheckStep>().site;
    const std::int64_t n = buffer(check.buffers[0]).elements();
    std::vector<Value*> values;
    for (std::size_t i = 1; i < check.buffers.size(); ++i) {
        const plan::Buffer& b = buffer(check.buffers[i]);
        const bool part = layout_.program().sites[site].shapes[i - 1].size() < b.shape.size();
        const std::int64_t bytes = part ? b.bytes() / n : b.bytes();
        Value* at = function_.address(check.buffers[i]);
        values.push_back(target_->read(part ? e_.byte_offset(at, e_.mul(element, bytes)) : at, bytes));
    }
    Value* pointers = function_.array_of(values);
    std::vector<Value*> iterations; // from the outermost loop inwards, since inner loops have greater ids
    for (const auto& [loop, index] : function_.loops()) iterations.push_back(index);
    const auto loops = static_cast<std::int64_t>(iterations.size());
    e_.call_symbol("pm_check_failed", e_.b.getVoidTy(),
                   {function_.call(), e_.int64(site), function_.lane_or_first(), element, pointers, e_.int64(loops),
                    function_.array_of(iterations)});
    function_.fail_lane();
}

/// The index of the first element that is 0, or -1 if no element is 0.
Value* StepEmitter::first_failure(Value* ok, std::int64_t n) {
    if (n == 1) return e_.b.CreateSelect(load_scalar(e_, DType::b1, ok), e_.int64(-1), e_.int64(0));
    // Tests 64 bytes at a time. If one of these bytes is 0, tests these elements one by one, from the last to the
    // first. So the least index remains.
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

} // namespace pm::codegen
