#pragma once
#include "runtime/gpu/device/device.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace pm::codegen {

/// The target of the steps of a program.
enum class Target : std::uint8_t {
    cpu,
    gpu,          ///< kernels in PTX, for Options::device
    gpu_emulated, ///< kernels as for a GPU, executed on the host thread by thread: see runtime/gpu/host/emulated.hpp
};

/// The name on the command line: "cpu", "gpu" or "gpu-emulated".
std::string_view name(Target target);

struct Options {
    Target target = Target::cpu;
    std::shared_ptr<runtime::Device> device; ///< of Target::gpu
    std::string cache_folder;                ///< the cache of objects, kept between runs; empty: no cache
    int vector_bits = 0;  ///< 128, 256 or 512; 0: the widest vectors that the processor runs at full speed
    bool optimize = true; ///< run LLVM's optimizer on the processor's code
    /// The approximate limit of the instructions in a function; longer functions are cut. An instruction takes about 25
    /// us to compile, more in a long function. Ctrl-C waits for the functions that are being compiled: at most 106 ms
    /// with 1250, 195 ms with 2500. For a program that is cut, 2500 saves a fifth of the compile time.
    int function_size = 1250;
    int compile_threads = 2;
};

} // namespace pm::codegen
