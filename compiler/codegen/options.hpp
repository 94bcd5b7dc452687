#pragma once
#include "runtime/gpu/device/device.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace pm::codegen {

/// What runs the steps of a program.
enum class Target : std::uint8_t {
    cpu,
    gpu,          ///< kernels as PTX, for Options::device
    gpu_emulated, ///< kernels as a GPU has them, run on the host thread by thread: see runtime/gpu/host/emulated.hpp
};

/// "cpu", "gpu", "gpu-emulated", as users call it.
std::string_view name(Target target);

struct Options {
    Target target = Target::cpu;
    std::shared_ptr<runtime::Device> device; ///< of Target::gpu
    std::string cache_folder;                ///< objects are kept here between runs; empty: none are
    int vector_bits = 0;                     ///< 128, 256 or 512; 0: what the processor runs at full width
    bool optimize = true;                    ///< the processor's code, by LLVM
    /// Instructions, about, that a function holds at most; longer ones are cut. Each takes some 25 us to compile, more
    /// in a long function, and Ctrl-C waits for the functions that are being compiled: at most 106 ms with this, 195
    /// with 2500, which saves a fifth of the time of a program that is cut.
    int function_size = 1250;
    int compile_threads = 2;
};

} // namespace pm::codegen
