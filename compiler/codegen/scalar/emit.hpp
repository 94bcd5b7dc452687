#pragma once
#include "compiler/base/check.hpp"
#include "runtime/dtype.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace pm::codegen {

using llvm::Value;
using runtime::DType;

/// What the code is made for.
struct Machine {
    int vector_bits = 128;
    bool avx512 = false; ///< F, DQ, BW and VL
    std::string cpu;
    std::string features;
};

/// The instructions, about, between two questions whether the call is to stop: 250 us, a few times that where memory is
/// waited for.
inline constexpr double poll_work = 1e6;

/// Writes one function at a time into one module: LLVM's builder with the types of the language, loops and stack slots.
/// All code that is emitted goes through one of these; it knows nothing of nests or programs.
class Emit {
  public:
    Emit(llvm::Module& module, const Machine& machine);

    llvm::Module& module;
    llvm::LLVMContext& context;
    const Machine& machine;
    llvm::IRBuilder<> b;
    bool aligned = false; ///< memory that programs get begins at a multiple of 16 bytes
    bool polls = true;    ///< there is a call to ask whether to stop; not so in kernels of a GPU

    /// Starts a function and its entry block; `internal`: of this module only.
    llvm::Function* begin_function(const std::string& name, llvm::FunctionType* type, bool internal);
    /// Ends it; the entry block falls through to the first block of code.
    void end_function();
    /// A function of another object, or of this module later on.
    llvm::Function* declare(const std::string& name, llvm::FunctionType* type);
    llvm::Function* function() const { return function_; }
    /// The builder's place and function, to emit a helper function in between.
    struct Place {
        llvm::IRBuilderBase::InsertPoint point;
        llvm::Function* function;
        llvm::BasicBlock* entry;
    };
    Place leave() { return {b.saveIP(), function_, entry_}; }
    void resume(const Place& place);

    /// Lanes of an f32 (or another type of `bytes`) in a full vector register.
    int lanes_for(std::size_t bytes) const { return std::max(2, machine.vector_bits / 8 / static_cast<int>(bytes)); }

    llvm::Type* i1() { return b.getInt1Ty(); }
    llvm::Type* i32() { return b.getInt32Ty(); }
    llvm::Type* i64() { return b.getInt64Ty(); }
    llvm::PointerType* pointer() { return b.getPtrTy(); }
    llvm::Type* vector(llvm::Type* element, int lanes) {
        return lanes == 1 ? element : llvm::FixedVectorType::get(element, static_cast<unsigned>(lanes));
    }
    /// `element` in as many lanes as `like` has.
    llvm::Type* shaped(llvm::Type* element, const Value* like) { return vector(element, lanes_of(like)); }
    static int lanes_of(const Value* v) {
        const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(v->getType());
        return type == nullptr ? 1 : static_cast<int>(type->getNumElements());
    }
    llvm::ConstantInt* int64(std::int64_t value) { return b.getInt64(static_cast<std::uint64_t>(value)); }
    Value* splat(Value* scalar, int lanes) {
        return lanes == 1 || lanes_of(scalar) == lanes ? scalar
                                                       : b.CreateVectorSplat(static_cast<unsigned>(lanes), scalar);
    }
    /// 0, 1, 2 ... as `type` elements, times `step`.
    Value* iota(llvm::Type* type, int lanes, std::int64_t step = 1);
    /// Which of the lanes from `from` on are below `count`, an i64.
    Value* lanes_below(Value* count, int lanes, int from = 0);

    /// A slot in the function's frame.
    llvm::AllocaInst* slot(llvm::Type* type, const llvm::Twine& name = "", std::uint64_t align = 0);
    /// Code of the entry block: values that hold for the whole function. Runs `make` with the builder there.
    Value* at_entry(const std::function<Value*()>& make);
    Value* byte_offset(Value* base, Value* bytes) { return b.CreateGEP(b.getInt8Ty(), base, bytes); }
    Value* byte_offset(Value* base, std::int64_t bytes) {
        return bytes == 0 ? base : b.CreateConstGEP1_64(b.getInt8Ty(), base, static_cast<std::uint64_t>(bytes));
    }
    Value* mul(Value* a, std::int64_t factor);
    Value* add(Value* a, Value* c);

    /// for (i = begin; i < end; i += step) body(i). Loops of known single iterations are not made.
    void loop(Value* begin, Value* end, std::int64_t step, const std::function<void(Value*)>& body);
    void loop(Value* begin, Value* end, Value* step, const std::function<void(Value*)>& body);
    void loop(std::int64_t begin, std::int64_t end, std::int64_t step, const std::function<void(Value*)>& body) {
        loop(int64(begin), int64(end), step, body);
    }
    /// The same for work of about `cost` instructions an iteration and `iterations` iterations at most: asks now and
    /// then whether the call is to be abandoned, and then leaves out what is left.
    void polled_loop(Value* begin, Value* end, std::int64_t step, double cost, std::int64_t iterations,
                     const std::function<void(Value*)>& body);
    /// if (condition) then(); `likely` false: the block is kept out of the way.
    void when(Value* condition, const std::function<void()>& then, bool likely = true);
    /// Runs `then` unless the call that this function belongs to, its first argument, has been asked to stop.
    void unless_stopped(const std::function<void()>& then);

    Value* call(llvm::Intrinsic::ID id, llvm::ArrayRef<llvm::Type*> types, llvm::ArrayRef<Value*> arguments);
    /// A call of a function from runtime/symbols.def.
    Value* call_symbol(const char* name, llvm::Type* result, llvm::ArrayRef<Value*> arguments);
    /// Any lane true?
    Value* any(Value* mask);

  private:
    llvm::Function* function_ = nullptr;
    llvm::BasicBlock* entry_ = nullptr;
};

/// How values of a dtype stand in registers and in memory. bool: i1, a byte in memory; f16 and bf16: an f32 that is
/// one; key: its 64 bits; other types as they are.
llvm::Type* register_type(Emit& e, DType dtype, int lanes = 1);
llvm::Type* memory_type(Emit& e, DType dtype, int lanes = 1);
Value* to_register(Emit& e, DType dtype, Value* memory);
Value* to_memory(Emit& e, DType dtype, Value* reg);
/// A constant from an element's bits.
Value* constant_bits(Emit& e, DType dtype, std::uint64_t bits, int lanes = 1);
Value* load_scalar(Emit& e, DType dtype, Value* pointer);
void store_scalar(Emit& e, DType dtype, Value* value, Value* pointer);
/// Rounds an f32 to an f16 or bf16 held as f32; other dtypes stay.
Value* round_half(Emit& e, DType dtype, Value* value);

} // namespace pm::codegen
