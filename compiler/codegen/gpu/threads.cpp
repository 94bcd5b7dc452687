#include "compiler/codegen/gpu/threads.hpp"

#include "runtime/gpu/thread.h"

#include <llvm/IR/IntrinsicsNVPTX.h>

#include <cstddef>

namespace pm::codegen {
namespace {

constexpr unsigned shared_space = 3;

class NvptxThreads final : public Threads {
  public:
    using Threads::Threads;

    Value* thread() override { return number(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x); }
    Value* block() override { return number(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x); }
    void barrier() override { e.call(llvm::Intrinsic::nvvm_barrier0, {}, {}); }
    void meet(int width) override { e.call(llvm::Intrinsic::nvvm_bar_warp_sync, {}, {members(width)}); }

    Value* shared(std::int64_t bytes) override {
        auto* type = llvm::ArrayType::get(e.b.getInt8Ty(), static_cast<std::uint64_t>(bytes));
        auto* made = new llvm::GlobalVariable(e.module, type, false, llvm::GlobalValue::InternalLinkage,
                                              llvm::UndefValue::get(type), "shared", nullptr,
                                              llvm::GlobalValue::NotThreadLocal, shared_space);
        made->setAlignment(llvm::Align(16));
        return e.b.CreateAddrSpaceCast(made, e.pointer());
    }

  private:
    Value* number(llvm::Intrinsic::ID id) { return e.b.CreateZExt(e.call(id, {}, {}), e.i64()); }

    /// A bit for each thread of the warp that comes here.
    Value* members(int width) {
        if (width == warp) return e.b.getInt32(0xFFFFFFFFU);
        Value* lane = e.call(llvm::Intrinsic::nvvm_read_ptx_sreg_laneid, {}, {});
        Value* first = e.b.CreateAnd(lane, e.b.getInt32(static_cast<std::uint32_t>(warp - width)));
        return e.b.CreateShl(e.b.getInt32((1U << static_cast<unsigned>(width)) - 1), first);
    }
    Value* take_word(Value* word, Value* source, int width) override {
        // Of a thread's number in the warp, the bits that stay: its segment's.
        const auto clamp = static_cast<std::uint32_t>((warp - width) << 8 | (warp - 1));
        return e.call(llvm::Intrinsic::nvvm_shfl_sync_idx_i32, {}, {members(width), word, source, e.b.getInt32(clamp)});
    }
};

class EmulatedThreads final : public Threads {
  public:
    EmulatedThreads(Emit& e, Value* self) : Threads(e), self_(self) {}

    Value* thread() override { return field(offsetof(PmThread, thread), e.i64()); }
    Value* block() override { return field(offsetof(PmThread, block), e.i64()); }
    void barrier() override { e.call_symbol("pm_gpu_barrier", e.b.getVoidTy(), {self_}); }
    void meet(int width) override { take_word(e.b.getInt32(0), e.b.getInt32(0), width); }

    Value* shared(std::int64_t bytes) override {
        Value* at = e.byte_offset(field(offsetof(PmThread, shared), e.pointer()), used_);
        used_ += (bytes + 15) / 16 * 16;
        PM_CHECK(used_ <= PM_SHARED_BYTES);
        return at;
    }

  private:
    Value* field(std::size_t offset, llvm::Type* type) {
        return e.b.CreateLoad(type, e.byte_offset(self_, static_cast<std::int64_t>(offset)));
    }
    Value* take_word(Value* word, Value* source, int width) override {
        return e.call_symbol("pm_gpu_take", e.i32(),
                             {self_, word, source, e.b.getInt32(static_cast<std::uint32_t>(width))});
    }

    Value* self_;
    std::int64_t used_ = 0;
};

} // namespace

Value* Threads::take(Value* value, Value* source, int width) {
    auto& b = e.b;
    llvm::Type* type = value->getType();
    const unsigned bits = type->getScalarSizeInBits();
    if (bits == 64) {
        Value* whole = b.CreateBitCast(value, e.i64());
        Value* low = take_word(b.CreateTrunc(whole, e.i32()), source, width);
        Value* high = take_word(b.CreateTrunc(b.CreateLShr(whole, 32), e.i32()), source, width);
        whole = b.CreateOr(b.CreateShl(b.CreateZExt(high, e.i64()), 32), b.CreateZExt(low, e.i64()));
        return b.CreateBitCast(whole, type);
    }
    llvm::Type* word = b.getIntNTy(bits);
    Value* taken = take_word(b.CreateZExtOrTrunc(b.CreateBitCast(value, word), e.i32()), source, width);
    return b.CreateBitCast(b.CreateZExtOrTrunc(taken, word), type);
}

std::unique_ptr<Threads> nvptx_threads(Emit& e) { return std::make_unique<NvptxThreads>(e); }
std::unique_ptr<Threads> emulated_threads(Emit& e, Value* self) { return std::make_unique<EmulatedThreads>(e, self); }

} // namespace pm::codegen
