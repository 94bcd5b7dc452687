#include "compiler/codegen/scalar/real.hpp"

#include <llvm/IR/IntrinsicsX86.h>

#include <algorithm>

// Powers of two. Only these formulas use instructions of a particular processor.

namespace pm::codegen {
namespace {

/// The AVX-512 instruction that multiplies by a power of two. not_intrinsic if no instruction exists for the vector
/// length.
llvm::Intrinsic::ID scale_instruction(Real x) {
    if (!x.e->machine.avx512) return llvm::Intrinsic::not_intrinsic;
    const bool wide = x.is_double();
    switch (Emit::lanes_of(x.v) * (wide ? 64 : 32)) {
    case 128:
        return wide ? llvm::Intrinsic::x86_avx512_mask_scalef_pd_128 : llvm::Intrinsic::x86_avx512_mask_scalef_ps_128;
    case 256:
        return wide ? llvm::Intrinsic::x86_avx512_mask_scalef_pd_256 : llvm::Intrinsic::x86_avx512_mask_scalef_ps_256;
    case 512:
        if (x.e->machine.vector_bits < 512) break;
        return wide ? llvm::Intrinsic::x86_avx512_mask_scalef_pd_512 : llvm::Intrinsic::x86_avx512_mask_scalef_ps_512;
    default: break;
    }
    return llvm::Intrinsic::not_intrinsic;
}

} // namespace

Real power_of_two(Real like, Word k) {
    return like.is_double() ? from_bits(like, (k + 1023) << 52) : from_bits(like, (k + 127) << 23);
}

Rounded nearest(Real x, Real times) {
    // Adding 1.5 * 2^mantissa leaves the rounded integer in the low bits.
    const Real magic = x.like(x.is_double() ? 0x1.8p52 : 0x1.8p23);
    const Real moved = fma(x, times, magic);
    return {moved - magic, bits(moved) - bits(magic)};
}

Real scale(Real x, Rounded rounded) {
    if (const llvm::Intrinsic::ID id = scale_instruction(x); id != llvm::Intrinsic::not_intrinsic) {
        auto& b = x.e->b;
        const bool full = x.v->getType()->getPrimitiveSizeInBits() == 512;
        Value* mask = b.getIntN(std::max(8U, static_cast<unsigned>(Emit::lanes_of(x.v))), ~std::uint64_t{0});
        llvm::SmallVector<Value*, 5> operands{x.v, rounded.real.v, x.v, mask};
        if (full) operands.push_back(b.getInt32(4)); // the current rounding mode
        return {x.e, b.CreateIntrinsic(id, {}, operands)};
    }
    // 2^k may be out of the range of normal numbers, so x is multiplied by 2^(k / 2) and then by the remaining power.
    // The callers have x near 1, so only the second multiplication can be inexact.
    const Word half = signed_shift(rounded.integer, 1);
    return x * power_of_two(x, half) * power_of_two(x, rounded.integer - half);
}

Word looked_up(const char* name, llvm::ArrayRef<std::uint64_t> table, Word index) {
    Emit& e = *index.e;
    llvm::GlobalVariable* values = e.module.getGlobalVariable(name, true);
    if (values == nullptr) {
        llvm::Constant* content = llvm::ConstantDataArray::get(e.context, table);
        values = new llvm::GlobalVariable(e.module, content->getType(), true, llvm::GlobalValue::InternalLinkage,
                                          content, name);
    }
    const int lanes = Emit::lanes_of(index.v);
    Value* at = e.b.CreateGEP(e.i64(), values, index.v);
    if (lanes == 1) return {&e, e.b.CreateLoad(e.i64(), at)};
    return {&e, e.b.CreateMaskedGather(index.v->getType(), at, llvm::Align(8))};
}

} // namespace pm::codegen
