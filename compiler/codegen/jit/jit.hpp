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

/// The loaded code of one program. When the last reference is dropped, the code is unloaded. At that time no call of
/// the code may be running.
class Code {
  public:
    virtual ~Code() = default;
    virtual PmEntry entry() const = 0;
    /// The kernels, indexed by the number that the entry passes to launch a kernel. Empty for a CPU.
    virtual std::span<void* const> kernels() const = 0;
    virtual std::size_t bytes() const = 0;
};

/// Called between the parts of a compilation, on any thread of the compilation. An exception stops the compilation and
/// is rethrown by compile().
using Poll = std::function<void()>;

/// One JIT session. The session is thread-safe and has no global state except LLVM's target registry.
class Jit {
  public:
    virtual ~Jit() = default;
    /// Compiles the program, or loads its code from the cache. The program must pass the verifier. An error of LLVM
    /// becomes an internal error.
    virtual std::shared_ptr<const Code> compile(const plan::Program& program, const Poll& poll = {}) = 0;
    /// LLVM IR or assembly as text, for `pm ir --after=llvm` and `--after=asm`.
    virtual std::string llvm_text(const plan::Program& program, bool assembly) = 0;
    /// The kernels of the program as PTX, for a GPU architecture ("sm_80", "sm_90a").
    virtual std::string ptx_text(const plan::Program& program, const std::string& architecture) = 0;
};
std::unique_ptr<Jit> make_jit(const Options& options);

} // namespace pm::codegen
