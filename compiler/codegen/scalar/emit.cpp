#include "compiler/codegen/scalar/emit.hpp"

#include "runtime/call.hpp"

#include <llvm/IR/MDBuilder.h>

#include <algorithm>

namespace pm::codegen {

Emit::Emit(llvm::Module& m, const Machine& target)
    : module(m), context(m.getContext()), machine(target), b(m.getContext()) {}

llvm::Function* Emit::begin_function(const std::string& name, llvm::FunctionType* type, bool internal) {
    function_ = declare(name, type);
    PM_CHECK(function_->empty(), name);
    if (internal) function_->setLinkage(llvm::GlobalValue::InternalLinkage);
    entry_ = llvm::BasicBlock::Create(context, "entry", function_);
    auto* body = llvm::BasicBlock::Create(context, "body", function_);
    b.SetInsertPoint(body);
    return function_;
}

void Emit::end_function() {
    llvm::BasicBlock* body = entry_->getNextNode();
    b.SetInsertPoint(entry_);
    b.CreateBr(body);
    function_ = nullptr;
    entry_ = nullptr;
}

llvm::Function* Emit::declare(const std::string& name, llvm::FunctionType* type) {
    if (llvm::Function* known = module.getFunction(name)) return known;
    auto* made = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module);
    made->setDoesNotThrow();
    made->addFnAttr("target-cpu", machine.cpu);
    made->addFnAttr("target-features", machine.features);
    const std::string bits = std::to_string(machine.vector_bits);
    made->addFnAttr("prefer-vector-width", bits);
    made->addFnAttr("min-legal-vector-width", bits);
    return made;
}

void Emit::resume(const Place& place) {
    function_ = place.function;
    entry_ = place.entry;
    b.restoreIP(place.point);
}

Value* Emit::iota(llvm::Type* type, int lanes, std::int64_t step) {
    std::vector<llvm::Constant*> values;
    for (int i = 0; i < lanes; ++i)
        values.push_back(llvm::ConstantInt::get(type, static_cast<std::uint64_t>(i * step), true));
    return lanes == 1 ? values.front() : llvm::ConstantVector::get(values);
}

Value* Emit::lanes_below(Value* count, int lanes, int from) {
    // The comparison is in i32. So the count is first clamped, to a number beyond the length of any vector.
    Value* few = b.CreateTrunc(call(llvm::Intrinsic::smin, {i64()}, {count, int64(1 << 20)}), i32());
    Value* lane = iota(i32(), lanes);
    if (from != 0) lane = b.CreateAdd(lane, splat(b.getInt32(static_cast<unsigned>(from)), lanes));
    return b.CreateICmpSLT(lane, splat(few, lanes));
}

llvm::AllocaInst* Emit::slot(llvm::Type* type, const llvm::Twine& name, std::uint64_t align) {
    llvm::IRBuilder<> at(entry_, entry_->begin());
    auto* made = at.CreateAlloca(type, nullptr, name);
    if (align != 0) made->setAlignment(llvm::Align(align));
    return made;
}

Value* Emit::at_entry(const std::function<Value*()>& make) {
    const llvm::IRBuilderBase::InsertPointGuard guard(b);
    b.SetInsertPoint(entry_);
    return make();
}

Value* Emit::mul(Value* a, std::int64_t factor) {
    if (factor == 1) return a;
    return b.CreateMul(a, llvm::ConstantInt::get(a->getType(), static_cast<std::uint64_t>(factor), true));
}

Value* Emit::add(Value* a, Value* c) {
    const auto zero = [](const Value* v) {
        const auto* constant = llvm::dyn_cast<llvm::Constant>(v);
        return constant != nullptr && constant->isNullValue();
    };
    if (zero(a)) return c;
    return zero(c) ? a : b.CreateAdd(a, c);
}

void Emit::unless_stopped(const std::function<void()>& then) {
    if (!polls) return then();
    Value* stop = call_symbol("pm_poll", i32(), {function_->getArg(0)});
    when(b.CreateICmpEQ(b.CreateAnd(stop, b.getInt32(runtime::abandon)), b.getInt32(0)), then);
}

void Emit::loop(Value* begin, Value* end, std::int64_t step, const std::function<void(Value*)>& body) {
    const auto* first = llvm::dyn_cast<llvm::ConstantInt>(begin);
    const auto* last = llvm::dyn_cast<llvm::ConstantInt>(end);
    const bool known = first != nullptr && last != nullptr;
    if (known && first->getSExtValue() >= last->getSExtValue()) return;
    if (known && first->getSExtValue() + step >= last->getSExtValue()) {
        body(begin);
        return;
    }
    loop(begin, end, int64(step), body);
}

void Emit::loop(Value* begin, Value* end, Value* step, const std::function<void(Value*)>& body) {
    const bool enters =
        llvm::isa<llvm::ConstantInt>(begin) && llvm::isa<llvm::ConstantInt>(end) &&
        llvm::cast<llvm::ConstantInt>(begin)->getSExtValue() < llvm::cast<llvm::ConstantInt>(end)->getSExtValue();
    llvm::BasicBlock* before = b.GetInsertBlock();
    auto* head = llvm::BasicBlock::Create(context, "loop", function_);
    auto* after = llvm::BasicBlock::Create(context, "after", function_);
    if (enters)
        b.CreateBr(head);
    else
        b.CreateCondBr(b.CreateICmpSLT(begin, end), head, after);
    b.SetInsertPoint(head);
    auto* index = b.CreatePHI(i64(), 2, "i");
    index->addIncoming(begin, before);
    body(index);
    Value* next = b.CreateAdd(index, step, "", true, true);
    index->addIncoming(next, b.GetInsertBlock());
    b.CreateCondBr(b.CreateICmpSLT(next, end), head, after);
    b.SetInsertPoint(after);
}

void Emit::polled_loop(Value* begin, Value* end, std::int64_t step, double cost, std::int64_t iterations,
                       const std::function<void(Value*)>& body) {
    if (cost * static_cast<double>(iterations) < poll_work) {
        loop(begin, end, step, body);
        return;
    }
    const std::int64_t block = step * std::max<std::int64_t>(1, static_cast<std::int64_t>(poll_work / cost));
    loop(begin, end, block, [&](Value* first) {
        unless_stopped([&] {
            if (block == step) {
                body(first);
                return;
            }
            Value* last = call(llvm::Intrinsic::smin, {i64()}, {b.CreateAdd(first, int64(block)), end});
            loop(first, last, step, body);
        });
    });
}

void Emit::when(Value* condition, const std::function<void()>& then, bool likely) {
    if (const auto* known = llvm::dyn_cast<llvm::ConstantInt>(condition)) {
        if (!known->isZero()) then();
        return;
    }
    auto* block = llvm::BasicBlock::Create(context, "then", function_);
    auto* after = llvm::BasicBlock::Create(context, "join", function_);
    llvm::MDNode* weights = likely ? nullptr : llvm::MDBuilder(context).createBranchWeights(1, 1000);
    b.CreateCondBr(condition, block, after, weights);
    b.SetInsertPoint(block);
    then();
    b.CreateBr(after);
    b.SetInsertPoint(after);
}

Value* Emit::call(llvm::Intrinsic::ID id, llvm::ArrayRef<llvm::Type*> types, llvm::ArrayRef<Value*> arguments) {
    return b.CreateIntrinsic(id, types, arguments);
}

Value* Emit::call_symbol(const char* name, llvm::Type* result, llvm::ArrayRef<Value*> arguments) {
    std::vector<llvm::Type*> types;
    for (const Value* argument : arguments) types.push_back(argument->getType());
    auto* type = llvm::FunctionType::get(result, types, false);
    auto* callee = llvm::cast<llvm::Function>(module.getOrInsertFunction(name, type).getCallee());
    callee->setDoesNotThrow();
    return b.CreateCall(type, callee, arguments);
}

Value* Emit::any(Value* mask) {
    const int lanes = lanes_of(mask);
    if (lanes == 1) return mask->getType()->isVectorTy() ? b.CreateExtractElement(mask, std::uint64_t{0}) : mask;
    Value* bits = b.CreateBitCast(mask, b.getIntNTy(static_cast<unsigned>(lanes)));
    return b.CreateICmpNE(bits, llvm::ConstantInt::get(bits->getType(), 0));
}

namespace {

llvm::Type* element_type(Emit& e, DType dtype, bool memory) {
    switch (dtype) {
    case DType::b1: return memory ? e.b.getInt8Ty() : e.i1();
    case DType::i8:
    case DType::u8: return e.b.getInt8Ty();
    case DType::i16:
    case DType::u16: return e.b.getInt16Ty();
    case DType::i32:
    case DType::u32: return e.i32();
    case DType::i64:
    case DType::u64:
    case DType::key:
    case DType::tape: return e.i64();
    case DType::f16:
    case DType::bf16: return memory ? e.b.getInt16Ty() : e.b.getFloatTy();
    case DType::f32: return e.b.getFloatTy();
    case DType::f64: return e.b.getDoubleTy();
    case DType::c64:
    case DType::c128: break;
    }
    PM_UNREACHABLE();
}

/// The bits of the bf16 nearest to an f32; a NaN stays a NaN. Unlike the processor's conversion, this code does not
/// flush subnormals.
Value* bf16_bits(Emit& e, Value* value) {
    auto& b = e.b;
    llvm::Type* word = e.shaped(e.i32(), value);
    const auto number = [&](std::uint32_t n) { return llvm::ConstantInt::get(word, n); };
    Value* bits = b.CreateBitCast(value, word);
    Value* odd = b.CreateAnd(b.CreateLShr(bits, number(16)), number(1));
    Value* rounded = b.CreateLShr(b.CreateAdd(bits, b.CreateAdd(odd, number(0x7FFF))), number(16));
    Value* quiet = b.CreateOr(b.CreateLShr(bits, number(16)), number(0x40));
    return b.CreateSelect(b.CreateFCmpUNO(value, value), quiet, rounded);
}

Value* bf16_value(Emit& e, Value* bits) {
    auto& b = e.b;
    Value* wide = b.CreateShl(bits, llvm::ConstantInt::get(bits->getType(), 16));
    return b.CreateBitCast(wide, e.shaped(b.getFloatTy(), bits));
}

} // namespace

llvm::Type* register_type(Emit& e, DType dtype, int lanes) { return e.vector(element_type(e, dtype, false), lanes); }
llvm::Type* memory_type(Emit& e, DType dtype, int lanes) { return e.vector(element_type(e, dtype, true), lanes); }

Value* to_register(Emit& e, DType dtype, Value* memory) {
    auto& b = e.b;
    if (dtype == DType::b1) return b.CreateICmpNE(memory, llvm::Constant::getNullValue(memory->getType()));
    if (dtype == DType::f16) {
        Value* half = b.CreateBitCast(memory, e.shaped(b.getHalfTy(), memory));
        return b.CreateFPExt(half, e.shaped(b.getFloatTy(), memory));
    }
    if (dtype == DType::bf16) return bf16_value(e, b.CreateZExt(memory, e.shaped(e.i32(), memory)));
    return memory;
}

Value* to_memory(Emit& e, DType dtype, Value* reg) {
    auto& b = e.b;
    if (dtype == DType::b1) return b.CreateZExt(reg, e.shaped(b.getInt8Ty(), reg));
    llvm::Type* half = e.shaped(b.getInt16Ty(), reg);
    if (dtype == DType::f16) return b.CreateBitCast(b.CreateFPTrunc(reg, e.shaped(b.getHalfTy(), reg)), half);
    if (dtype == DType::bf16) return b.CreateTrunc(bf16_bits(e, reg), half);
    return reg;
}

Value* round_half(Emit& e, DType dtype, Value* value) {
    auto& b = e.b;
    if (dtype == DType::f16)
        return b.CreateFPExt(b.CreateFPTrunc(value, e.shaped(b.getHalfTy(), value)), value->getType());
    return dtype == DType::bf16 ? bf16_value(e, bf16_bits(e, value)) : value;
}

Value* constant_bits(Emit& e, DType dtype, std::uint64_t bits, int lanes) {
    const auto width = static_cast<unsigned>(8 * runtime::size_of(dtype));
    if (width < 64) bits &= (std::uint64_t{1} << width) - 1;
    llvm::Constant* made = nullptr;
    llvm::Type* type = register_type(e, dtype);
    const auto floating = [&](const llvm::fltSemantics& semantics) {
        llvm::APFloat value(semantics, llvm::APInt(width, bits));
        bool inexact = false;
        if (width == 16) value.convert(llvm::APFloat::IEEEsingle(), llvm::APFloat::rmNearestTiesToEven, &inexact);
        made = llvm::ConstantFP::get(e.context, value);
    };
    switch (dtype) {
    case DType::b1: made = llvm::ConstantInt::get(type, bits != 0 ? 1 : 0); break;
    case DType::f16: floating(llvm::APFloat::IEEEhalf()); break;
    case DType::bf16: floating(llvm::APFloat::BFloat()); break;
    case DType::f32: floating(llvm::APFloat::IEEEsingle()); break;
    case DType::f64: floating(llvm::APFloat::IEEEdouble()); break;
    default: made = llvm::ConstantInt::get(type, bits); break;
    }
    return e.splat(made, lanes);
}

Value* load_scalar(Emit& e, DType dtype, Value* pointer) {
    const llvm::Align align(runtime::size_of(dtype));
    return to_register(e, dtype, e.b.CreateAlignedLoad(memory_type(e, dtype), pointer, align));
}

void store_scalar(Emit& e, DType dtype, Value* value, Value* pointer) {
    e.b.CreateAlignedStore(to_memory(e, dtype, value), pointer, llvm::Align(runtime::size_of(dtype)));
}

} // namespace pm::codegen
