#pragma once
#include "compiler/codegen/scalar/emit.hpp"

#include <memory>

namespace llvm {
class TargetMachine;
}

namespace pm::codegen {

/// The processor of this computer. If `vector_bits` is 0, the vectors are the widest that the processor runs at full
/// speed.
Machine detect_machine(int vector_bits);
/// A code generator for the CPU: small code model, position independent. Threads must not share a code generator.
std::unique_ptr<llvm::TargetMachine> make_target(const Machine& machine, bool optimize = true);

/// A GPU of this architecture ("sm_80", "sm_90a"), for PTX of ISA 8.3.
Machine gpu_machine(const std::string& architecture);
std::unique_ptr<llvm::TargetMachine> make_gpu_target(const Machine& machine);

} // namespace pm::codegen
