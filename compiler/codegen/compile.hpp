#pragma once
#include "compiler/plan/program.hpp"
#include "runtime/abi.h"
#include "runtime/gpu/device.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace pm::codegen {

/// What runs the steps of a program.
enum class Target : std::uint8_t {
    cpu,
    gpu,          ///< kernels as PTX, for Options::device
    gpu_emulated, ///< kernels as a GPU has them, run on the host thread by thread: see runtime/gpu/emulated.hpp
};

/// "cpu", "gpu", "gpu-emulated", as users call it.
std::string_view name(Target target);

struct Options {
    Target target = Target::cpu;
    std::shared_ptr<runtime::Device> device; ///< of Target::gpu
    std::string cache_folder;                ///< objects are kept here between runs; empty: none are
    int vector_bits = 0;                     ///< 128, 256 or 512; 0: what the processor runs at full width
    int optimize = 1;                        ///< 0: no LLVM passes
    /// Instructions, about, that a function holds at most; longer ones are cut. Each takes some 25 us to compile, more
    /// in a long function, and Ctrl-C waits for the functions that are being compiled: at most 106 ms with this, 195
    /// with 2500, which saves a fifth of the time of a program that is cut.
    int function_size = 1250;
    int compile_threads = 2;
};

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
