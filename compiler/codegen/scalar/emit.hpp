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

/// The target machine of the code.
struct Machine {
    int vector_bits = 128;
    bool avx512 = false; ///< F, DQ, BW and VL
    std::string cpu;
    std::string features;
};

/// The approximate number of instructions between two polls whether the call must stop. This number of instructions
/// takes 250 us, or a few times as long if the instructions wait for memory.
inline constexpr double poll_work = 1e6;

/// Emits one function at a time into one module. Extends LLVM's builder with the dtypes of the language, loops and
/// stack slots. All code is emitted through this class, which does not depend on nests or programs.
class Emit {
  public:
    Emit(llvm::Module& module, const Machine& machine);

    llvm::Module& module;
    llvm::LLVMContext& context;
    const Machine& machine;
    llvm::IRBuilder<> b;
    bool aligned = false; ///< true if the memory of a program begins at a multiple of 16 bytes
    bool polls = true;    ///< true if the code can poll whether the call must stop; false in GPU kernels

    /// Starts a function and its entry block. If `internal` is true, the function has internal linkage.
    llvm::Function* begin_function(const std::string& name, llvm::FunctionType* type, bool internal);
    /// Ends the function. Adds a branch from the entry block to the first block of code.
    void end_function();
    /// Declares a function of another object, or a function of this module that is defined later.
    llvm::Function* declare(const std::string& name, llvm::FunctionType* type);
    llvm::Function* function() const { return function_; }
    /// The insertion point and function of the builder, saved while a helper function is emitted.
    struct Place {
        llvm::IRBuilderBase::InsertPoint point;
        llvm::Function* function;
        llvm::BasicBlock* entry;
    };
    Place leave() { return {b.saveIP(), function_, entry_}; }
    void resume(const Place& place);

    /// The number of lanes in a full vector register of elements of `bytes` bytes; at least 2.
    int lanes_for(std::size_t bytes) const { return std::max(2, machine.vector_bits / 8 / static_cast<int>(bytes)); }

    llvm::Type* i1() { return b.getInt1Ty(); }
    llvm::Type* i32() { return b.getInt32Ty(); }
    llvm::Type* i64() { return b.getInt64Ty(); }
    llvm::PointerType* pointer() { return b.getPtrTy(); }
    llvm::Type* vector(llvm::Type* element, int lanes) {
        return lanes == 1 ? element : llvm::FixedVectorType::get(element, static_cast<unsigned>(lanes));
    }
    /// The type `element` with as many lanes as `like`.
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
    /// The elements 0, step, 2 * step ... of type `type`.
    Value* iota(llvm::Type* type, int lanes, std::int64_t step = 1);
    /// A mask whose lane i is true if from + i < count. `count` is an i64.
    Value* lanes_below(Value* count, int lanes, int from = 0);

    /// A slot in the stack frame of the function.
    llvm::AllocaInst* slot(llvm::Type* type, const llvm::Twine& name = "", std::uint64_t align = 0);
    /// Calls `make` while the builder inserts into the entry block. The resulting value is valid in the whole function.
    Value* at_entry(const std::function<Value*()>& make);
    Value* byte_offset(Value* base, Value* bytes) { return b.CreateGEP(b.getInt8Ty(), base, bytes); }
    Value* byte_offset(Value* base, std::int64_t bytes) {
        return bytes == 0 ? base : b.CreateConstGEP1_64(b.getInt8Ty(), base, static_cast<std::uint64_t>(bytes));
    }
    Value* mul(Value* a, std::int64_t factor);
    Value* add(Value* a, Value* c);

    /// for (i = begin; i < end; i += step) body(i). If the bounds are constants and there is one iteration, only the
    /// body is emitted.
    void loop(Value* begin, Value* end, std::int64_t step, const std::function<void(Value*)>& body);
    void loop(Value* begin, Value* end, Value* step, const std::function<void(Value*)>& body);
    void loop(std::int64_t begin, std::int64_t end, std::int64_t step, const std::function<void(Value*)>& body) {
        loop(int64(begin), int64(end), step, body);
    }
    /// As loop(), for a body of about `cost` instructions and at most `iterations` iterations. If the total work is
    /// large, the loop polls between blocks of iterations. After the call is abandoned, the remaining iterations are
    /// skipped.
    void polled_loop(Value* begin, Value* end, std::int64_t step, double cost, std::int64_t iterations,
                     const std::function<void(Value*)>& body);
    /// if (condition) then(). If `likely` is false, branch weights mark the code of `then` as rarely executed.
    void when(Value* condition, const std::function<void()>& then, bool likely = true);
    /// Runs `then` unless the call is abandoned. The call must be the first argument of the emitted function.
    void unless_stopped(const std::function<void()>& then);

    Value* call(llvm::Intrinsic::ID id, llvm::ArrayRef<llvm::Type*> types, llvm::ArrayRef<Value*> arguments);
    /// Calls a function from runtime/symbols.def.
    Value* call_symbol(const char* name, llvm::Type* result, llvm::ArrayRef<Value*> arguments);
    /// Whether any lane of `mask` is true.
    Value* any(Value* mask);

  private:
    llvm::Function* function_ = nullptr;
    llvm::BasicBlock* entry_ = nullptr;
};

/// The types of a dtype in registers and in memory. A bool is an i1 in registers and a byte in memory. An f16 or bf16
/// has 16 bits in memory; in registers it is an f32 that holds exactly the same value. A key is an integer of 64 bits.
/// Other dtypes have the same type in registers and in memory.
llvm::Type* register_type(Emit& e, DType dtype, int lanes = 1);
llvm::Type* memory_type(Emit& e, DType dtype, int lanes = 1);
Value* to_register(Emit& e, DType dtype, Value* memory);
Value* to_memory(Emit& e, DType dtype, Value* reg);
/// A constant with the bits of an element.
Value* constant_bits(Emit& e, DType dtype, std::uint64_t bits, int lanes = 1);
Value* load_scalar(Emit& e, DType dtype, Value* pointer);
void store_scalar(Emit& e, DType dtype, Value* value, Value* pointer);
/// Rounds an f32 register to the nearest value of `dtype` if this is f16 or bf16; the result is an f32 register. Values
/// of other dtypes do not change.
Value* round_half(Emit& e, DType dtype, Value* value);

} // namespace pm::codegen
