#pragma once
#include "compiler/codegen/options.hpp"
#include "compiler/plan/program/program.hpp"
#include "runtime/abi.h"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace pm::codegen {

/// The code of one program, loaded. Freed with the last reference; a call under way must be over by then.
class Code {
  public:
    virtual ~Code() = default;
    virtual PmEntry entry() const = 0;
    /// What the entry launches by number; none for a CPU.
    virtual std::span<void* const> kernels() const = 0;
    virtual std::size_t bytes() const = 0;
};

/// Called between the pieces of a compilation, on any of its threads. What it throws ends the compilation and comes out
/// of it.
using Poll = std::function<void()>;

/// One JIT session: thread-safe, no global state but LLVM's target registry.
class Jit {
  public:
    virtual ~Jit() = default;
    /// Makes the code, or loads it from the cache. The program must verify; LLVM's refusal is an internal error.
    virtual std::shared_ptr<const Code> compile(const plan::Program& program, const Poll& poll = {}) = 0;
    /// LLVM IR or assembly as text, for `pm ir --after=llvm` and `--after=asm`.
    virtual std::string llvm_text(const plan::Program& program, bool assembly) = 0;
    /// The kernels of the program's nests for a GPU ("sm_80", "sm_90a"), as PTX.
    virtual std::string ptx_text(const plan::Program& program, const std::string& architecture) = 0;
};
std::unique_ptr<Jit> make_jit(const Options& options);

} // namespace pm::codegen
