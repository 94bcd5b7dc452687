#pragma once
#include "runtime/gpu/device/device.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace pm::codegen {

/// The device for which the steps of a program are compiled.
enum class Target : std::uint8_t {
    cpu,
    gpu,          ///< kernels in PTX, for Options::device
    gpu_emulated, ///< kernels as for a GPU, emulated on the CPU: see runtime/gpu/host/emulated.hpp
};

/// The name on the command line: "cpu", "gpu" or "gpu-emulated".
std::string_view name(Target target);

struct Options {
    Target target = Target::cpu;
    std::shared_ptr<runtime::Device> device; ///< the GPU of Target::gpu
    std::string cache_folder;                ///< the folder of the object cache; empty: no cache
    int vector_bits = 0;  ///< 128, 256 or 512; 0: the widest vectors that the processor runs at full speed
    bool optimize = true; ///< true: LLVM's optimizer runs on the code for the CPU
    /// The approximate limit for the number of instructions in a function; longer functions are divided. An instruction
    /// takes about 25 us to compile, and more in a long function. After Ctrl-C, the functions that are being compiled
    /// are finished first. This takes at most 106 ms with a limit of 1250, and 195 ms with a limit of 2500. If the
    /// functions of a program are divided, a limit of 2500 saves a fifth of its compile time.
    int function_size = 1250;
    int compile_threads = 2;
};

} // namespace pm::codegen
