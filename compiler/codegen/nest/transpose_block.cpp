#include "compiler/codegen/nest/transpose_block.hpp"

#include <algorithm>

namespace pm::codegen {
namespace {

/// Transposes in steps of half = lanes / 2, ..., 2, 1. Each step combines rows i and i + half: in every square of 2
/// half x 2 half elements, the step swaps the upper right and the lower left quarter.
void transpose_rows(Emit& e, std::vector<Value*>& rows) {
    const int lanes = static_cast<int>(rows.size());
    for (int half = lanes / 2; half >= 1; half /= 2)
        for (int i = 0; i < lanes; ++i) {
            if ((i & half) != 0) continue;
            std::vector<int> low;
            std::vector<int> high;
            for (int l = 0; l < lanes; ++l) {
                low.push_back((l & half) == 0 ? l : lanes + l - half);
                high.push_back((l & half) == 0 ? l + half : lanes + l);
            }
            Value* a = rows[static_cast<std::size_t>(i)];
            Value* b = rows[static_cast<std::size_t>(i + half)];
            rows[static_cast<std::size_t>(i)] = e.b.CreateShuffleVector(a, b, low);
            rows[static_cast<std::size_t>(i + half)] = e.b.CreateShuffleVector(a, b, high);
        }
}

void body(Emit& e, DType dtype, bool widen, int lanes, llvm::Function* f) {
    auto& b = e.b;
    llvm::Type* type = memory_type(e, dtype, lanes);
    const llvm::Align align(runtime::size_of(dtype));
    Value* columns = b.CreateICmpSLT(e.iota(e.i32(), lanes), e.splat(b.CreateTrunc(f->getArg(5), e.i32()), lanes));
    Value* nothing = llvm::Constant::getNullValue(columns->getType());
    std::vector<Value*> rows;
    for (int j = 0; j < lanes; ++j) {
        Value* mask = b.CreateSelect(b.CreateICmpSGT(f->getArg(4), e.int64(j)), columns, nothing);
        Value* from = e.byte_offset(f->getArg(0), e.mul(f->getArg(1), j));
        Value* row = b.CreateMaskedLoad(type, from, align, mask, llvm::Constant::getNullValue(type));
        rows.push_back(widen ? to_register(e, dtype, row) : row);
    }
    transpose_rows(e, rows);
    const llvm::Align to_align(widen ? 4 : runtime::size_of(dtype));
    for (int k = 0; k < lanes; ++k)
        b.CreateAlignedStore(rows[static_cast<std::size_t>(k)], e.byte_offset(f->getArg(2), e.mul(f->getArg(3), k)),
                             to_align);
}

} // namespace

void emit_transpose(Emit& e, const TransposeBlock& block) {
    const bool widen = block.widen && runtime::is_half(block.dtype);
    const std::string name =
        "transpose." + std::string(runtime::name(block.dtype)) + (widen ? "w" : "") + std::to_string(block.lanes);
    if (e.module.getFunction(name) == nullptr) {
        auto* type = llvm::FunctionType::get(e.b.getVoidTy(),
                                             {e.pointer(), e.i64(), e.pointer(), e.i64(), e.i64(), e.i64()}, false);
        const Emit::Place place = e.leave();
        llvm::Function* made = e.begin_function(name, type, true);
        made->addFnAttr(llvm::Attribute::NoInline);
        body(e, block.dtype, widen, block.lanes, made);
        e.b.CreateRetVoid();
        e.end_function();
        e.resume(place);
    }
    e.b.CreateCall(e.module.getFunction(name),
                   {block.from, block.from_row, block.to, block.to_row, block.rows, block.columns});
}

} // namespace pm::codegen
