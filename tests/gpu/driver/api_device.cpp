#include "tests/gpu/driver/state.hpp"

#include <algorithm>
#include <cstring>

using namespace pm::ptx;

namespace {

const char* name_of(CUresult error) {
    switch (error) {
#define ERROR(name, code, text)                                                                                        \
    case name: return #name;
#include "tests/gpu/driver/errors.def"
#undef ERROR
    }
    return nullptr;
}
const char* text_of(CUresult error) {
    switch (error) {
#define ERROR(name, code, text)                                                                                        \
    case name: return text;
#include "tests/gpu/driver/errors.def"
#undef ERROR
    }
    return nullptr;
}

/// The attributes of an A100, but with `multiprocessors` multiprocessors.
constexpr pm::ptx::Attribute attributes[] = {
    {1, most_threads}, // MAX_THREADS_PER_BLOCK
    {2, 1024},
    {3, 1024},
    {4, 64}, // MAX_BLOCK_DIM_X to _Z
    {5, 0x7FFFFFFF},
    {6, 65535},
    {7, 65535},                         // MAX_GRID_DIM_X to _Z
    {8, shared_per_block},              // MAX_SHARED_MEMORY_PER_BLOCK
    {9, 65536},                         // TOTAL_CONSTANT_MEMORY
    {10, 32},                           // WARP_SIZE
    {12, registers_per_multiprocessor}, // MAX_REGISTERS_PER_BLOCK
    {13, 1410000},                      // CLOCK_RATE, kHz
    {16, multiprocessors},              // MULTIPROCESSOR_COUNT
    {18, 0},                            // INTEGRATED
    {20, 0},                            // COMPUTE_MODE: default
    {31, 1},                            // CONCURRENT_KERNELS
    {36, 1215000},                      // MEMORY_CLOCK_RATE, kHz
    {37, 5120},                         // GLOBAL_MEMORY_BUS_WIDTH
    {38, 40 << 20},                     // L2_CACHE_SIZE
    {39, threads_per_multiprocessor},   // MAX_THREADS_PER_MULTIPROCESSOR
    {40, 3},                            // ASYNC_ENGINE_COUNT
    {41, 1},                            // UNIFIED_ADDRESSING
    {75, 8},
    {76, 0},                            // COMPUTE_CAPABILITY_MAJOR, _MINOR
    {81, shared_per_multiprocessor},    // MAX_SHARED_MEMORY_PER_MULTIPROCESSOR
    {82, registers_per_multiprocessor}, // MAX_REGISTERS_PER_MULTIPROCESSOR
    {83, 0},                            // MANAGED_MEMORY
    {88, 0},
    {89, 0},                          // PAGEABLE_MEMORY_ACCESS, CONCURRENT_MANAGED_ACCESS
    {95, 1},                          // COOPERATIVE_LAUNCH
    {102, 1},                         // VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED
    {97, shared_opt_in},              // MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
    {106, blocks_per_multiprocessor}, // MAX_BLOCKS_PER_MULTIPROCESSOR
    {111, shared_reserved},           // RESERVED_SHARED_MEMORY_PER_BLOCK
    {115, 1},                         // MEMORY_POOLS_SUPPORTED
};

CUcontext handle(Context* context) { return reinterpret_cast<CUcontext>(context); }

void forget(Context& context) {
    context.execs.clear();
    context.graphs.clear();
    context.events.clear();
    context.streams.clear();
    context.pools.clear();
    for (const auto& [handle, module] : context.modules)
        for (const LoadedFunction& function : module->functions) driver().functions.erase(&function);
    context.modules.clear();
    driver().ranges.forget(context.memory);
    context.memory.free_all();
    driver().freed_host_memory.clear();
    context.error = CUDA_SUCCESS;
}

} // namespace

Context* pm::ptx::context_of(CUcontext context) {
    for (const auto& device : driver().devices)
        if (handle(device.get()) == context && device->retained > 0) return device.get();
    return nullptr;
}

CUresult cuInit(unsigned flags) {
    return call("cuInit", [&] {
        if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
        if (driver().devices.empty()) return CUDA_ERROR_NO_DEVICE;
        driver().initialized = true;
        return CUDA_SUCCESS;
    });
}

CUresult cuDriverGetVersion(int* version) {
    if (!version) return CUDA_ERROR_INVALID_VALUE;
    *version = driver().version;
    return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult error, const char** text) {
    if (!text) return CUDA_ERROR_INVALID_VALUE;
    *text = name_of(error);
    return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char** text) {
    if (!text) return CUDA_ERROR_INVALID_VALUE;
    *text = text_of(error);
    return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDeviceGetCount(int* count) {
    return call("cuDeviceGetCount", [&] {
        if (!count) return CUDA_ERROR_INVALID_VALUE;
        *count = static_cast<int>(driver().devices.size());
        return CUDA_SUCCESS;
    });
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
    return call("cuDeviceGet", [&] {
        if (!device) return CUDA_ERROR_INVALID_VALUE;
        if (!device_of(ordinal)) return CUDA_ERROR_INVALID_DEVICE;
        *device = ordinal;
        return CUDA_SUCCESS;
    });
}

CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
    return call("cuDeviceGetName", [&] {
        if (!name || length < 1) return CUDA_ERROR_INVALID_VALUE;
        if (!device_of(device)) return CUDA_ERROR_INVALID_DEVICE;
        std::strncpy(name, "PTX interpreter", static_cast<std::size_t>(length));
        name[length - 1] = '\0';
        return CUDA_SUCCESS;
    });
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
    return call("cuDeviceGetAttribute", [&] {
        if (!value) return CUDA_ERROR_INVALID_VALUE;
        if (!device_of(device)) return CUDA_ERROR_INVALID_DEVICE;
        const auto configured = std::ranges::find(driver().attributes, attribute, &Attribute::attribute);
        if (configured != driver().attributes.end()) {
            *value = configured->value;
            return CUDA_SUCCESS;
        }
        const auto* found = std::ranges::find(attributes, attribute, &Attribute::attribute);
        if (found == std::end(attributes)) return CUDA_ERROR_INVALID_VALUE;
        *value = found->value;
        return CUDA_SUCCESS;
    });
}

CUresult cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice device) {
    return call("cuDeviceTotalMem_v2", [&] {
        const Context* context = device_of(device);
        if (!bytes) return CUDA_ERROR_INVALID_VALUE;
        if (!context) return CUDA_ERROR_INVALID_DEVICE;
        *bytes = context->memory.limit();
        return CUDA_SUCCESS;
    });
}

CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
    return call("cuDeviceCanAccessPeer", [&] {
        if (!can) return CUDA_ERROR_INVALID_VALUE;
        if (!device_of(device) || !device_of(peer)) return CUDA_ERROR_INVALID_DEVICE;
        *can = driver().peers && device != peer ? 1 : 0;
        return CUDA_SUCCESS;
    });
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
    return call("cuDevicePrimaryCtxRetain", [&] {
        Context* found = device_of(device);
        if (!context) return CUDA_ERROR_INVALID_VALUE;
        if (!found) return CUDA_ERROR_INVALID_DEVICE;
        ++found->retained;
        *context = handle(found);
        return CUDA_SUCCESS;
    });
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
    return call("cuDevicePrimaryCtxRelease_v2", [&] {
        Context* found = device_of(device);
        if (!found) return CUDA_ERROR_INVALID_DEVICE;
        if (found->retained == 0) return CUDA_ERROR_INVALID_CONTEXT;
        if (--found->retained == 0) forget(*found);
        return CUDA_SUCCESS;
    });
}

CUresult cuCtxSetCurrent(CUcontext context) {
    return call("cuCtxSetCurrent", [&] {
        Context* wanted = context_of(context);
        if (context && !wanted) return CUDA_ERROR_INVALID_CONTEXT;
        if (!pushed().empty()) pushed().pop_back();
        if (wanted) pushed().push_back(wanted);
        return CUDA_SUCCESS;
    });
}

CUresult cuCtxPushCurrent_v2(CUcontext context) {
    return call("cuCtxPushCurrent_v2", [&] {
        Context* wanted = context_of(context);
        if (!wanted) return CUDA_ERROR_INVALID_CONTEXT;
        pushed().push_back(wanted);
        return CUDA_SUCCESS;
    });
}

CUresult cuCtxPopCurrent_v2(CUcontext* context) {
    return call("cuCtxPopCurrent_v2", [&] {
        if (!current()) return CUDA_ERROR_INVALID_CONTEXT;
        if (context) *context = handle(current());
        pushed().pop_back();
        return CUDA_SUCCESS;
    });
}

CUresult cuCtxGetCurrent(CUcontext* context) {
    return call("cuCtxGetCurrent", [&] {
        if (!context) return CUDA_ERROR_INVALID_VALUE;
        *context = handle(current());
        return CUDA_SUCCESS;
    });
}

CUresult cuCtxSynchronize() {
    return call_in_context("cuCtxSynchronize", [](Context& context) {
        if (break_captures(context)) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
        do_all(context);
        return context.error;
    });
}
