#include "compiler/codegen/cpu/negations.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace pm::codegen {
namespace {

using llvm::Instruction;
using llvm::Value;

/// Returns x if the operand is -x and was computed in the same basic block, otherwise null. LLVM selects instructions
/// one basic block at a time, so LLVM cannot combine an fneg with a use in another basic block.
Value* negated(const Instruction& inst, unsigned operand) {
    const auto* made = llvm::dyn_cast<Instruction>(inst.getOperand(operand));
    const bool here =
        made != nullptr && made->getOpcode() == Instruction::FNeg && made->getParent() == inst.getParent();
    return here ? made->getOperand(0) : nullptr;
}

bool undefined(Value* v) { return llvm::isa<llvm::UndefValue>(v); } // poison is undefined too

/// Removes the negations of the operands. Returns true if the result must be negated instead.
bool strip(Instruction& inst, llvm::IRBuilder<>& b) {
    const auto strip_operand = [&](unsigned i) {
        Value* of = negated(inst, i);
        if (of != nullptr) inst.setOperand(i, of);
        return of != nullptr;
    };
    switch (inst.getOpcode()) {
    case Instruction::FMul:
    case Instruction::FDiv: {
        const bool first = strip_operand(0);
        return strip_operand(1) != first;
    }
    case Instruction::InsertElement: return undefined(inst.getOperand(0)) && strip_operand(1);
    case Instruction::ShuffleVector: return undefined(inst.getOperand(1)) && strip_operand(0);
    case Instruction::Select: {
        const auto negates = [&](unsigned i) {
            return negated(inst, i) != nullptr || llvm::isa<llvm::Constant>(inst.getOperand(i));
        };
        if (!negates(1) || !negates(2)) return false;
        if (negated(inst, 1) == nullptr && negated(inst, 2) == nullptr) return false;
        for (const unsigned i : {1U, 2U})
            if (!strip_operand(i)) inst.setOperand(i, b.CreateFNeg(inst.getOperand(i)));
        return true;
    }
    default: return false;
    }
}

} // namespace

void negate_late(llvm::Module& module) {
    for (llvm::Function& function : module) {
        if (function.isDeclaration()) continue;
        for (llvm::BasicBlock& block : function) {
            // Operands precede their uses, so one pass moves a negation to the end of a chain of operations.
            for (auto at = block.begin(); at != block.end();) {
                Instruction& inst = *at++;
                llvm::IRBuilder<> b(&inst);
                if (!strip(inst, b)) continue;
                b.SetInsertPoint(&block, at);
                Value* negative = b.CreateFNeg(&inst);
                inst.replaceUsesWithIf(negative, [&](const llvm::Use& use) { return use.getUser() != negative; });
            }
        }
    }
}

} // namespace pm::codegen
