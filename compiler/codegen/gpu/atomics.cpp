#include "compiler/codegen/gpu/atomics.hpp"

#include "compiler/codegen/scalar/emit_scalar.hpp"

#include <optional>

namespace pm::codegen {
namespace {

using nest::Combine;
using Operation = llvm::AtomicRMWInst::BinOp;

std::optional<Operation> native(Combine how, DType dtype) {
    const std::size_t bytes = runtime::size_of(dtype);
    if (bytes < 4) return std::nullopt;
    if (runtime::is_float(dtype)) return how == Combine::add ? std::optional(Operation::FAdd) : std::nullopt;
    const bool is_signed = runtime::is_signed_integer(dtype);
    switch (how) {
    case Combine::add: return Operation::Add;
    case Combine::max: return is_signed ? Operation::Max : Operation::UMax;
    case Combine::min: return is_signed ? Operation::Min : Operation::UMin;
    default: return std::nullopt;
    }
}

} // namespace

void combine_atomically(Emit& e, Threads& threads, Combine how, DType dtype, Value* to, Value* x) {
    auto& b = e.b;
    const llvm::Align align(runtime::size_of(dtype));
    constexpr auto relaxed = llvm::AtomicOrdering::Monotonic;
    Value* at = threads.in_device(to);
    if (const auto operation = native(how, dtype)) {
        b.CreateAtomicRMW(*operation, at, x, align, relaxed);
        return;
    }
    llvm::Type* bits = b.getIntNTy(static_cast<unsigned>(8 * runtime::size_of(dtype)));
    llvm::Type* memory = memory_type(e, dtype);
    auto* before = b.GetInsertBlock();
    auto* again = llvm::BasicBlock::Create(e.context, "again", e.function());
    auto* done = llvm::BasicBlock::Create(e.context, "done", e.function());
    Value* first = b.CreateAlignedLoad(bits, at, align);
    b.CreateBr(again);
    b.SetInsertPoint(again);
    auto* old = b.CreatePHI(bits, 2);
    old->addIncoming(first, before);
    Value* made = combine(e, how, dtype, to_register(e, dtype, b.CreateBitCast(old, memory)), x);
    made = b.CreateBitCast(to_memory(e, dtype, round_half(e, dtype, made)), bits);
    Value* tried = b.CreateAtomicCmpXchg(at, old, made, align, relaxed, relaxed);
    old->addIncoming(b.CreateExtractValue(tried, 0), b.GetInsertBlock());
    b.CreateCondBr(b.CreateExtractValue(tried, 1), done, again);
    b.SetInsertPoint(done);
}

} // namespace pm::codegen
