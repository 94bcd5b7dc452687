#include "compiler/codegen/gpu/gpu_threads.hpp"

#include "runtime/gpu/device/thread.h"

#include <llvm/IR/IntrinsicsNVPTX.h>

#include <cstddef>

namespace pm::codegen {
namespace {

constexpr unsigned global_space = 1;
constexpr unsigned shared_space = 3;

class NvptxThreads final : public Threads {
  public:
    NvptxThreads(Emit& e, const Host& host) : Threads(e) {
        if (host.stop != nullptr) stop_ = in_device(host.stop);
        if (host.sync != nullptr) sync_ = in_device(host.sync);
    }

    Value* thread() override { return number(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x); }
    Value* block() override { return number(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x); }
    Value* blocks() override { return number(llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_x); }
    void barrier() override { e.call(llvm::Intrinsic::nvvm_barrier0, {}, {}); }
    void team_barrier(int width) override {
        if (width <= warp) {
            e.call(llvm::Intrinsic::nvvm_bar_warp_sync, {}, {members(width)});
            return;
        }
        // Barrier 0 is for all threads of the thread block.
        Value* first = e.b.CreateAdd(e.b.CreateUDiv(thread(), e.int64(width)), e.int64(1));
        e.call(llvm::Intrinsic::nvvm_barrier, {},
               {e.b.CreateTrunc(first, e.i32()), e.b.getInt32(static_cast<std::uint32_t>(width))});
    }

    Value* in_device(Value* address) override { return e.b.CreateAddrSpaceCast(address, e.b.getPtrTy(global_space)); }
    std::array<Value*, 4> multiply_add(Factors factors, const std::array<Value*, 4>& a, const std::array<Value*, 2>& b,
                                       const std::array<Value*, 4>& c) override {
        const llvm::Intrinsic::ID id = factors == Factors::tf32   ? llvm::Intrinsic::nvvm_mma_m16n8k8_row_col_tf32
                                       : factors == Factors::bf16 ? llvm::Intrinsic::nvvm_mma_m16n8k16_row_col_bf16
                                                                  : llvm::Intrinsic::nvvm_mma_m16n8k16_row_col_f32_f32;
        const auto factor = [&](Value* word) {
            return factors == Factors::f16 ? e.b.CreateBitCast(word, e.vector(e.b.getHalfTy(), 2)) : word;
        };
        std::vector<Value*> all;
        for (Value* word : a) all.push_back(factor(word));
        for (Value* word : b) all.push_back(factor(word));
        all.insert(all.end(), c.begin(), c.end());
        return parts_of(e.call(id, {}, all));
    }
    std::array<Value*, 4> load_blocks(const std::function<Value*(Value* lane)>& line, bool transposed) override {
        Value* at = in_shared(line(e.b.CreateURem(thread(), e.int64(warp))));
        return parts_of(e.call(transposed ? llvm::Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_trans_b16
                                          : llvm::Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_b16,
                               {at->getType()}, {at}));
    }
    Value* to_tf32(Value* value) override { return e.call(llvm::Intrinsic::nvvm_f2tf32_rna, {}, {value}); }
    void copy_later(Value* to, Value* from, int bytes, Value* there) override {
        const llvm::Intrinsic::ID id = bytes == 16  ? llvm::Intrinsic::nvvm_cp_async_cg_shared_global_16_s
                                       : bytes == 8 ? llvm::Intrinsic::nvvm_cp_async_ca_shared_global_8_s
                                                    : llvm::Intrinsic::nvvm_cp_async_ca_shared_global_4_s;
        Value* used = e.b.CreateSelect(there, e.b.getInt32(static_cast<std::uint32_t>(bytes)), e.b.getInt32(0));
        e.call(id, {}, {in_shared(to), global(from), used});
    }
    void close_group() override { e.call(llvm::Intrinsic::nvvm_cp_async_commit_group, {}, {}); }
    void wait_for_groups(int but) override {
        e.call(llvm::Intrinsic::nvvm_cp_async_wait_group, {}, {e.b.getInt32(static_cast<std::uint32_t>(but))});
    }

    void grid_barrier() override {
        barrier();
        if (sync_ == nullptr) return;
        e.when(e.b.CreateICmpEQ(thread(), e.int64(0)), [&] { barrier_of_blocks(nullptr); });
        barrier();
    }

    Value* grid_barrier_and_poll() override {
        Value* request = e.slot(e.i32(), "request");
        e.b.CreateStore(e.b.getInt32(0), request);
        if (sync_ != nullptr) barrier();
        e.when(e.b.CreateICmpEQ(thread(), e.int64(0)), [&] {
            if (sync_ == nullptr)
                poll(request);
            else
                barrier_of_blocks(request);
        });
        Value* any = e.call(llvm::Intrinsic::nvvm_barrier0_or, {}, {e.b.CreateLoad(e.i32(), request)});
        return e.b.CreateICmpNE(any, e.b.getInt32(0));
    }

  private:
    Value* number(llvm::Intrinsic::ID id) { return e.b.CreateZExt(e.call(id, {}, {}), e.i64()); }
    Value* global(Value* generic) { return generic == nullptr ? nullptr : in_device(generic); }
    Value* in_shared(Value* generic) { return e.b.CreateAddrSpaceCast(generic, e.b.getPtrTy(shared_space)); }
    std::array<Value*, 4> parts_of(Value* made) {
        std::array<Value*, 4> parts{};
        for (unsigned i = 0; i < parts.size(); ++i) parts[i] = e.b.CreateExtractValue(made, i);
        return parts;
    }
    Value* clock() { return e.call(llvm::Intrinsic::nvvm_read_ptx_sreg_clock, {}, {}); }
    Value* read(Value* at) { return e.b.CreateAlignedLoad(e.i32(), at, llvm::Align(4), true); }

    /// Reads the host's flag into `request`. Host memory is slow, so the flag is read about once per millisecond.
    void poll(Value* request) {
        constexpr std::uint32_t between = 1U << 20U; // clock cycles
        if (asked_ == nullptr) {
            asked_ = e.slot(e.i32(), "asked");
            e.at_entry([&] { return e.b.CreateStore(clock(), asked_); });
        }
        Value* now = clock();
        Value* since = e.b.CreateSub(now, e.b.CreateLoad(e.i32(), asked_));
        e.when(
            e.b.CreateICmpUGE(since, e.b.getInt32(between)),
            [&] {
                e.b.CreateStore(now, asked_);
                e.b.CreateStore(read(stop_), request);
            },
            false);
    }

    /// A barrier of all thread blocks. The first thread of each thread block calls this function. Every block except
    /// the first adds 1 to a sum in memory. The first block adds 2^31 minus the number of other blocks. So the highest
    /// bit of the sum flips when all blocks have arrived. The value of this bit before the addition distinguishes two
    /// consecutive barriers. The same value selects the word in which the first block stores the host's flag.
    void barrier_of_blocks(Value* request) {
        auto& b = e.b;
        constexpr std::uint32_t highest = 1U << 31U;
        Value* first = b.CreateICmpEQ(block(), e.int64(0));
        const auto place = [&](Value* sum) { // the word 4 or 8 bytes after the sum
            Value* odd = b.CreateLShr(sum, b.getInt32(31));
            return b.CreateGEP(e.i32(), sync_, b.CreateZExt(b.CreateAdd(odd, b.getInt32(1)), e.i64()));
        };
        if (request != nullptr)
            e.when(first, [&] {
                poll(request);
                e.when(
                    b.CreateICmpNE(b.CreateLoad(e.i32(), request), b.getInt32(0)),
                    [&] { b.CreateStore(b.getInt32(1), place(read(sync_)), true); }, false);
            });
        e.call(llvm::Intrinsic::nvvm_membar_gl, {}, {});
        Value* others = b.CreateTrunc(b.CreateSub(blocks(), e.int64(1)), e.i32());
        Value* give = b.CreateSelect(first, b.CreateSub(b.getInt32(highest), others), b.getInt32(1));
        Value* before =
            b.CreateAtomicRMW(llvm::AtomicRMWInst::Add, sync_, give, llvm::Align(4), llvm::AtomicOrdering::Monotonic);
        auto* wait = llvm::BasicBlock::Create(e.context, "wait", e.function());
        auto* on = llvm::BasicBlock::Create(e.context, "on", e.function());
        b.CreateBr(wait);
        b.SetInsertPoint(wait);
        Value* changed = b.CreateAnd(b.CreateXor(before, read(sync_)), b.getInt32(highest));
        b.CreateCondBr(b.CreateICmpEQ(changed, b.getInt32(0)), wait, on);
        b.SetInsertPoint(on);
        e.call(llvm::Intrinsic::nvvm_membar_gl, {}, {});
        if (request != nullptr) b.CreateStore(read(place(before)), request);
    }

    Value* shared_memory(std::int64_t bytes) override {
        if (bytes <= shared_bytes_) return shared_;
        shared_bytes_ = bytes;
        auto* type = llvm::ArrayType::get(e.b.getInt8Ty(), static_cast<std::uint64_t>(bytes));
        auto* made = new llvm::GlobalVariable(e.module, type, false, llvm::GlobalValue::InternalLinkage,
                                              llvm::UndefValue::get(type), "shared", nullptr,
                                              llvm::GlobalValue::NotThreadLocal, shared_space);
        made->setAlignment(llvm::Align(16));
        if (shared_ == nullptr) {
            // The cast is an instruction, not a constant, so its operand can be replaced when a larger shared array is
            // needed.
            shared_ = new llvm::AddrSpaceCastInst(made, e.pointer());
            e.at_entry([&] { return e.b.Insert(shared_); });
        } else {
            auto* small = llvm::cast<llvm::GlobalVariable>(shared_->getOperand(0));
            shared_->setOperand(0, made);
            made->takeName(small);
            small->eraseFromParent();
        }
        return shared_;
    }

    /// A mask with a bit for each thread of the segment.
    Value* members(int width) {
        if (width == warp) return e.b.getInt32(0xFFFFFFFFU);
        Value* lane = e.call(llvm::Intrinsic::nvvm_read_ptx_sreg_laneid, {}, {});
        Value* first = e.b.CreateAnd(lane, e.b.getInt32(static_cast<std::uint32_t>(warp - width)));
        return e.b.CreateShl(e.b.getInt32((1U << static_cast<unsigned>(width)) - 1), first);
    }
    Value* take_word(Value* word, Value* source, int width) override {
        // The operand has a mask of the bits of the lane number that are equal in all lanes of a segment.
        const auto clamp = static_cast<std::uint32_t>((warp - width) << 8 | (warp - 1));
        return e.call(llvm::Intrinsic::nvvm_shfl_sync_idx_i32, {}, {members(width), word, source, e.b.getInt32(clamp)});
    }

    Value* stop_ = nullptr;
    Value* sync_ = nullptr;
    Value* asked_ = nullptr; ///< the time of the last read of the host's flag
    llvm::AddrSpaceCastInst* shared_ = nullptr;
    std::int64_t shared_bytes_ = 0;
};

class EmulatedThreads final : public Threads {
  public:
    EmulatedThreads(Emit& e, Value* self) : Threads(e), self_(self) {}

    Value* thread() override { return field(offsetof(PmThread, thread), e.i64()); }
    Value* block() override { return field(offsetof(PmThread, block), e.i64()); }
    Value* blocks() override { return field(offsetof(PmThread, blocks), e.i64()); }
    void barrier() override { e.call_symbol("pm_gpu_barrier", e.b.getVoidTy(), {self_}); }
    void team_barrier(int width) override { take_word(e.b.getInt32(0), e.b.getInt32(0), width); }
    Value* in_device(Value* address) override { return address; }
    void grid_barrier() override { gathered(); }

    std::array<Value*, 4> multiply_add(Factors factors, const std::array<Value*, 4>& a, const std::array<Value*, 2>& b,
                                       const std::array<Value*, 4>& c) override {
        if (factors_ == nullptr) {
            factors_ = e.slot(llvm::ArrayType::get(e.i32(), 6), "factors");
            sums_ = e.slot(llvm::ArrayType::get(e.b.getFloatTy(), 4), "sums");
        }
        const auto place = [&](Value* list, std::size_t i) {
            return e.byte_offset(list, static_cast<std::int64_t>(4 * i));
        };
        for (std::size_t i = 0; i < 6; ++i) e.b.CreateStore(i < 4 ? a[i] : b[i - 4], place(factors_, i));
        for (std::size_t i = 0; i < 4; ++i) e.b.CreateStore(c[i], place(sums_, i));
        const auto kind = static_cast<std::uint32_t>(factors == Factors::tf32   ? PM_FACTORS_TF32
                                                     : factors == Factors::bf16 ? PM_FACTORS_BF16
                                                                                : PM_FACTORS_F16);
        e.call_symbol("pm_gpu_multiply_add", e.b.getVoidTy(), {self_, e.b.getInt32(kind), factors_, sums_});
        std::array<Value*, 4> made{};
        for (std::size_t i = 0; i < 4; ++i) made[i] = e.b.CreateLoad(e.b.getFloatTy(), place(sums_, i));
        return made;
    }
    std::array<Value*, 4> load_blocks(const std::function<Value*(Value* lane)>& line, bool transposed) override {
        auto& b = e.b;
        Value* lane = b.CreateURem(thread(), e.int64(warp));
        Value* row = b.CreateUDiv(lane, e.int64(4));
        Value* column = b.CreateURem(lane, e.int64(4));
        std::array<Value*, 4> made{};
        for (std::int64_t i = 0; i < 4; ++i) {
            const auto read = [&](llvm::Type* type, Value* number, Value* bytes) {
                return b.CreateLoad(type, e.byte_offset(line(b.CreateAdd(number, e.int64(8 * i))), bytes));
            };
            Value*& word = made[static_cast<std::size_t>(i)];
            if (!transposed) {
                word = read(e.i32(), row, e.mul(column, 4));
                continue;
            }
            Value* first = e.mul(column, 2);
            Value* low = read(b.getInt16Ty(), first, e.mul(row, 2));
            Value* high = read(b.getInt16Ty(), b.CreateAdd(first, e.int64(1)), e.mul(row, 2));
            word = b.CreateOr(b.CreateZExt(low, e.i32()), b.CreateShl(b.CreateZExt(high, e.i32()), 16));
        }
        return made;
    }
    /// Rounds to nearest, ties away from 0. A NaN becomes 0x7FFFFFFF.
    Value* to_tf32(Value* value) override {
        auto& b = e.b;
        constexpr std::uint32_t half = 1U << 12U;
        Value* sum = b.CreateAdd(b.CreateBitCast(value, e.i32()), b.getInt32(half));
        Value* rounded = b.CreateAnd(sum, b.getInt32(~(2 * half - 1)));
        return b.CreateSelect(b.CreateFCmpUNO(value, value), b.getInt32(0x7FFF'FFFFU), rounded);
    }
    void copy_later(Value* to, Value* from, int bytes, Value* there) override {
        auto* type = e.b.getIntNTy(static_cast<unsigned>(8 * bytes));
        const llvm::Align align(static_cast<std::uint64_t>(bytes));
        e.b.CreateAlignedStore(llvm::ConstantInt::get(type, 0), to, align);
        e.when(there, [&] { e.b.CreateAlignedStore(e.b.CreateAlignedLoad(type, from, align), to, align); });
    }
    void close_group() override {}
    void wait_for_groups(int) override {}
    Value* grid_barrier_and_poll() override { return e.b.CreateICmpNE(gathered(), e.b.getInt32(0)); }

  private:
    Value* gathered() { return e.call_symbol("pm_gpu_barrier_and_poll", e.i32(), {self_}); }
    Value* shared_memory(std::int64_t) override { return field(offsetof(PmThread, shared), e.pointer()); }
    Value* field(std::size_t offset, llvm::Type* type) {
        return e.b.CreateLoad(type, e.byte_offset(self_, static_cast<std::int64_t>(offset)));
    }
    Value* take_word(Value* word, Value* source, int width) override {
        return e.call_symbol("pm_gpu_shuffle", e.i32(),
                             {self_, word, source, e.b.getInt32(static_cast<std::uint32_t>(width))});
    }

    Value* self_;
    Value* factors_ = nullptr; ///< input of pm_gpu_multiply_add()
    Value* sums_ = nullptr;    ///< sums that pm_gpu_multiply_add() changes
};

} // namespace

Value* Threads::shared(std::int64_t bytes) {
    const std::int64_t at = used_;
    used_ += in_words_of_16(bytes);
    PM_CHECK(used_ <= PM_SHARED_BYTES);
    return e.byte_offset(shared_memory(used_), at);
}

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

std::unique_ptr<Threads> nvptx_threads(Emit& e, const Host& host) { return std::make_unique<NvptxThreads>(e, host); }
std::unique_ptr<Threads> emulated_threads(Emit& e, Value* self) { return std::make_unique<EmulatedThreads>(e, self); }

} // namespace pm::codegen
