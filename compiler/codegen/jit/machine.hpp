#pragma once
#include "compiler/codegen/scalar/emit.hpp"

#include <memory>

namespace llvm {
class TargetMachine;
}

namespace pm::codegen {

/// The processor this runs on. `vector_bits` 0: as wide as it runs at full speed.
Machine detect_machine(int vector_bits);
/// A code generator for it: small code model, position independent. Not shared between threads.
std::unique_ptr<llvm::TargetMachine> make_target(const Machine& machine, bool optimize = true);

/// A GPU of this architecture ("sm_80", "sm_90a"), for PTX of ISA 8.3.
Machine gpu_machine(const std::string& architecture);
std::unique_ptr<llvm::TargetMachine> make_gpu_target(const Machine& machine);

} // namespace pm::codegen
