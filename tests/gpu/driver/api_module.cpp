#include "tests/gpu/driver/lexer.hpp"
#include "tests/gpu/driver/state.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>

using namespace pm::ptx;

namespace {

LoadedFunction* function_of(CUfunction handle) {
    const auto found = driver().functions.find(handle);
    return found == driver().functions.end() ? nullptr : found->second;
}

LoadedModule* module_of(CUmodule handle) {
    for (const auto& device : driver().devices)
        if (LoadedModule* found = device->modules.find(handle)) return found;
    return nullptr;
}

/// Writes to the log buffer of the options, if there is one.
void write_log(const std::string& text, unsigned count, const CUjit_option* options, void** values) {
    char* buffer = nullptr;
    std::size_t size = 0;
    for (unsigned n = 0; n < count; ++n) {
        if (options[n] == CU_JIT_ERROR_LOG_BUFFER) buffer = static_cast<char*>(values[n]);
        if (options[n] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) size = reinterpret_cast<std::uintptr_t>(values[n]);
    }
    if (!buffer || size == 0) return;
    const std::size_t length = std::min(text.size(), size - 1);
    std::memcpy(buffer, text.data(), length);
    buffer[length] = '\0';
}

int registers_of(const Function& function) {
    return static_cast<int>(std::clamp<std::uint32_t>(function.declared_registers / 4, 16, 255));
}
int most_threads_of(const Function& function) {
    const auto& limit = function.required_threads[0] ? function.required_threads : function.max_threads;
    const unsigned threads = limit[0] * limit[1] * limit[2];
    return static_cast<int>(threads ? std::min(threads, most_threads) : most_threads);
}

int blocks_at_once(const LoadedFunction& function, int threads, std::size_t dynamic) {
    if (threads < 1 || threads > most_threads_of(*function.function)) return 0;
    const int whole_warps = (threads + 31) / 32 * 32;
    const std::size_t shared = function.function->shared_bytes + dynamic + shared_reserved;
    const int by_registers = registers_per_multiprocessor / (registers_of(*function.function) * whole_warps);
    return std::min({blocks_per_multiprocessor, threads_per_multiprocessor / whole_warps, by_registers,
                     static_cast<int>(shared_per_multiprocessor / shared)});
}

CUresult check_shape(const LoadedFunction& function, const LaunchShape& s) {
    const Function& f = *function.function;
    for (std::size_t n = 0; n < 3; ++n) {
        if (s.grid[n] == 0 || s.block[n] == 0) return CUDA_ERROR_INVALID_VALUE;
        if (s.grid[n] > (n == 0 ? 0x7FFF'FFFFU : 65535U) || s.block[n] > (n == 2 ? 64U : most_threads))
            return CUDA_ERROR_INVALID_VALUE;
        if (f.required_threads[0] && f.required_threads[n] != s.block[n]) return CUDA_ERROR_INVALID_VALUE;
    }
    const unsigned threads = s.block[0] * s.block[1] * s.block[2];
    if (threads > most_threads) return CUDA_ERROR_INVALID_VALUE;
    if (threads > static_cast<unsigned>(most_threads_of(f))) return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    if (f.shared_bytes + s.shared > std::max(shared_per_block, f.shared_bytes + function.dynamic_shared) ||
        f.shared_bytes + s.shared > shared_opt_in || (s.shared > 0 && s.shared > function.dynamic_shared))
        return CUDA_ERROR_INVALID_VALUE;
    const std::uint64_t blocks = static_cast<std::uint64_t>(s.grid[0]) * s.grid[1] * s.grid[2];
    const auto at_once =
        static_cast<std::uint64_t>(blocks_at_once(function, static_cast<int>(threads), s.shared)) * multiprocessors;
    return s.cooperative && blocks > at_once ? CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE : CUDA_SUCCESS;
}

/// The arguments in the layout of the parameter space. False if one is missing.
bool arguments_of(const Function& f, void** parameters, void** extra, std::vector<std::uint8_t>& bytes) {
    bytes.assign(f.parameter_bytes, 0);
    if (f.parameter_bytes == 0) return true;
    if (parameters) {
        for (std::size_t n = 0; n < f.parameters.size(); ++n) {
            if (!parameters[n]) return false;
            std::memcpy(bytes.data() + f.parameters[n].offset, parameters[n], f.parameters[n].bytes);
        }
        return true;
    }
    const void* buffer = nullptr;
    std::size_t size = 0;
    for (std::size_t n = 0; extra && extra[n]; n += 2) {
        const auto what = reinterpret_cast<std::uintptr_t>(extra[n]);
        if (what == 1) buffer = extra[n + 1];
        if (what == 2) size = *static_cast<std::size_t*>(extra[n + 1]);
    }
    if (!buffer || size < f.parameter_bytes) return false;
    std::memcpy(bytes.data(), buffer, f.parameter_bytes);
    return true;
}

CUresult run_kernel(LoadedFunction& function, const LaunchShape& s, const std::vector<std::uint8_t>& arguments) {
    LoadedModule& loaded = *function.module;
    Context& context = *loaded.context;
    if (context.error != CUDA_SUCCESS) return context.error;
    Module& module = *loaded.module;
    if (module.sites_epoch != context.memory.epoch()) {
        std::fill(module.sites.begin(), module.sites.end(), Site{});
        module.sites_epoch = context.memory.epoch();
    }
    Launch launch;
    launch.module = &module;
    launch.kernel = function.function;
    launch.memory = &context.memory;
    launch.sites = &module.sites;
    launch.parameters = arguments;
    launch.grid = s.grid;
    launch.block = s.block;
    launch.dynamic_shared = s.shared;
    run_launch(launch, s.cooperative, context.blocks);
    if (launch.fault == Fault::none) return CUDA_SUCCESS;
    if (driver().verbose) std::fprintf(stderr, "%s\n", launch.report.c_str());
    context.error = static_cast<CUresult>(launch.fault);
    // A launch does not wait: the next call reports the error.
    return driver().blocking ? context.error : CUDA_SUCCESS;
}

CUresult launch(Context& context, CUfunction handle, const LaunchShape& shape, CUstream stream, void** parameters,
                void** extra) {
    if (!is_default(stream)) {
        const Stream* found = stream_of(stream);
        if (!found || found->context != &context) return CUDA_ERROR_INVALID_HANDLE;
    }
    KernelCall call;
    if (const CUresult made = prepare(context, handle, shape, parameters, extra, call); made != CUDA_SUCCESS)
        return made;
    return submit(context, stream, work_of(call));
}

} // namespace

namespace pm::ptx {

CUresult prepare(Context& context, CUfunction handle, const LaunchShape& shape, void** parameters, void** extra,
                 KernelCall& made) {
    const LoadedFunction* function = function_of(handle);
    if (!function) return CUDA_ERROR_INVALID_HANDLE;
    if (function->module->context != &context) return CUDA_ERROR_INVALID_CONTEXT;
    made = {handle, shape, {}};
    if (const CUresult checked = check_launch(made); checked != CUDA_SUCCESS) return checked;
    return arguments_of(*function->function, parameters, extra, made.arguments) ? CUDA_SUCCESS
                                                                                : CUDA_ERROR_INVALID_VALUE;
}

CUresult check_launch(const KernelCall& call) {
    const LoadedFunction* function = function_of(call.function);
    return function ? check_shape(*function, call.shape) : CUDA_ERROR_INVALID_HANDLE;
}

Work work_of(const KernelCall& call) {
    return {Work::Kind::kernel, [call] {
                LoadedFunction* kernel = function_of(call.function);
                return kernel ? run_kernel(*kernel, call.shape, call.arguments) : CUDA_ERROR_INVALID_HANDLE;
            }};
}

} // namespace pm::ptx

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned count, CUjit_option* options, void** values) {
    return call_in_context("cuModuleLoadDataEx", [&](Context& context) {
        if (!module || !image || (count > 0 && (!options || !values))) return CUDA_ERROR_INVALID_VALUE;
        if (break_careful_captures()) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
        auto made = std::make_unique<LoadedModule>();
        made->context = &context;
        try {
            made->module = read_module(static_cast<const char*>(image), context.memory);
        } catch (const SourceError& error) {
            if (driver().verbose) std::fprintf(stderr, "%s\n", error.what());
            write_log(error.what(), count, options, values);
            return CUDA_ERROR_INVALID_PTX;
        }
        for (const auto& [name, function] : made->module->functions) {
            if (!function->entry) continue;
            const std::size_t static_bytes = std::min(function->shared_bytes, shared_per_block);
            made->functions.push_back({made.get(), function.get(), shared_per_block - static_bytes});
        }
        for (LoadedFunction& function : made->functions) driver().functions[&function] = &function;
        *module = reinterpret_cast<CUmodule>(context.modules.add(std::move(made)));
        return CUDA_SUCCESS;
    });
}

CUresult cuModuleUnload(CUmodule handle) {
    return call("cuModuleUnload", [&] {
        LoadedModule* module = module_of(handle);
        if (!module) return CUDA_ERROR_INVALID_HANDLE;
        Context& context = *module->context;
        if (break_careful_captures()) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
        for (const std::uint64_t address : module->module->variables) context.memory.free(address);
        for (const LoadedFunction& function : module->functions) driver().functions.erase(&function);
        context.modules.remove(module);
        return CUDA_SUCCESS;
    });
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule handle, const char* name) {
    return call_in_context("cuModuleGetFunction", [&](Context&) {
        if (!function || !name) return CUDA_ERROR_INVALID_VALUE;
        LoadedModule* module = module_of(handle);
        if (!module) return CUDA_ERROR_INVALID_HANDLE;
        for (LoadedFunction& one : module->functions) {
            if (one.function->name != name) continue;
            *function = reinterpret_cast<CUfunction>(&one);
            return CUDA_SUCCESS;
        }
        return CUDA_ERROR_NOT_FOUND;
    });
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction handle) {
    return call_in_context("cuFuncGetAttribute", [&](Context&) {
        const LoadedFunction* function = function_of(handle);
        if (!value) return CUDA_ERROR_INVALID_VALUE;
        if (!function) return CUDA_ERROR_INVALID_HANDLE;
        const Function& f = *function->function;
        switch (attribute) {
        case 0: *value = most_threads_of(f); break;                         // MAX_THREADS_PER_BLOCK
        case 1: *value = static_cast<int>(f.shared_bytes); break;           // SHARED_SIZE_BYTES
        case 2: *value = 0; break;                                          // CONST_SIZE_BYTES
        case 3: *value = static_cast<int>(f.local_bytes); break;            // LOCAL_SIZE_BYTES
        case 4: *value = registers_of(f); break;                            // NUM_REGS
        case 5:                                                             // PTX_VERSION
        case 6: *value = 80; break;                                         // BINARY_VERSION
        case 8: *value = static_cast<int>(function->dynamic_shared); break; // MAX_DYNAMIC_SHARED_SIZE_BYTES
        case 9: *value = -1; break;                                         // PREFERRED_SHARED_MEMORY_CARVEOUT
        default: return CUDA_ERROR_INVALID_VALUE;
        }
        return CUDA_SUCCESS;
    });
}

CUresult cuFuncSetAttribute(CUfunction handle, CUfunction_attribute attribute, int value) {
    return call_in_context("cuFuncSetAttribute", [&](Context&) {
        LoadedFunction* function = function_of(handle);
        if (!function) return CUDA_ERROR_INVALID_HANDLE;
        if (attribute == 9 && value >= -1 && value <= 100) return CUDA_SUCCESS;
        if (attribute != 8 || value < 0 ||
            function->function->shared_bytes + static_cast<std::size_t>(value) > shared_opt_in)
            return CUDA_ERROR_INVALID_VALUE;
        function->dynamic_shared = static_cast<std::size_t>(value);
        return CUDA_SUCCESS;
    });
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                        unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, void** parameters,
                        void** extra) {
    return call_in_context("cuLaunchKernel", [&](Context& context) {
        const LaunchShape shape{{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, false};
        return launch(context, function, shape, stream, parameters, extra);
    });
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                                   CUstream stream, void** parameters) {
    return call_in_context("cuLaunchCooperativeKernel", [&](Context& context) {
        const LaunchShape shape{{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, true};
        return launch(context, function, shape, stream, parameters, nullptr);
    });
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction handle, int threads,
                                                     std::size_t shared_bytes) {
    return call_in_context("cuOccupancyMaxActiveBlocksPerMultiprocessor", [&](Context&) {
        const LoadedFunction* function = function_of(handle);
        if (!blocks || threads < 1) return CUDA_ERROR_INVALID_VALUE;
        if (!function) return CUDA_ERROR_INVALID_HANDLE;
        *blocks = blocks_at_once(*function, threads, shared_bytes);
        return CUDA_SUCCESS;
    });
}
