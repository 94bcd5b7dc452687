#include "tests/gpu/driver/state.hpp"

#include <algorithm>

using namespace pm::ptx;

namespace {

bool is_whole(std::size_t bytes) { return bytes > 0 && bytes % Ranges::granularity == 0; }

/// The device for these properties. Null if they are not supported.
Context* device_of(const CUmemAllocationProp* properties) {
    if (!properties || properties->type != 1 || properties->requestedHandleTypes != 0 ||
        properties->location.type != 1 || properties->allocFlags.compressionType != 0 ||
        properties->allocFlags.usage != 0)
        return nullptr;
    return pm::ptx::device_of(properties->location.id);
}

CUresult said(bool done) { return done ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }

} // namespace

CUresult cuMemGetAllocationGranularity(std::size_t* bytes, const CUmemAllocationProp* properties, int which) {
    return call("cuMemGetAllocationGranularity", [&] {
        if (!bytes || !device_of(properties) || which < 0 || which > 1) return CUDA_ERROR_INVALID_VALUE;
        *bytes = Ranges::granularity;
        return CUDA_SUCCESS;
    });
}

CUresult cuMemAddressReserve(CUdeviceptr* address, std::size_t bytes, std::size_t alignment, CUdeviceptr hint,
                             unsigned long long flags) {
    return call("cuMemAddressReserve", [&] {
        if (!address || !is_whole(bytes) || flags != 0 || hint != 0 || (alignment & (alignment - 1)) != 0 ||
            alignment > Ranges::granularity)
            return CUDA_ERROR_INVALID_VALUE;
        const std::uint64_t made = driver().ranges.reserve(bytes);
        if (made == 0) return CUDA_ERROR_OUT_OF_MEMORY;
        *address = made;
        return CUDA_SUCCESS;
    });
}

CUresult cuMemAddressFree(CUdeviceptr address, std::size_t bytes) {
    return call("cuMemAddressFree", [&] { return said(driver().ranges.free(address, bytes)); });
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* memory, std::size_t bytes, const CUmemAllocationProp* properties,
                     unsigned long long flags) {
    return call("cuMemCreate", [&] {
        Context* context = device_of(properties);
        if (!memory || !is_whole(bytes) || flags != 0 || !context) return CUDA_ERROR_INVALID_VALUE;
        const std::uint64_t made = driver().ranges.create(context->memory, bytes);
        if (made == 0) return CUDA_ERROR_OUT_OF_MEMORY;
        *memory = made;
        return CUDA_SUCCESS;
    });
}

CUresult cuMemRelease(CUmemGenericAllocationHandle memory) {
    return call("cuMemRelease", [&] { return said(driver().ranges.release(memory)); });
}

CUresult cuMemMap(CUdeviceptr address, std::size_t bytes, std::size_t offset, CUmemGenericAllocationHandle memory,
                  unsigned long long flags) {
    return call("cuMemMap",
                [&] { return said(offset == 0 && flags == 0 && driver().ranges.map(address, bytes, memory)); });
}

CUresult cuMemSetAccess(CUdeviceptr address, std::size_t bytes, const CUmemAccessDesc* access, std::size_t count) {
    return call("cuMemSetAccess", [&] {
        if (!access || count == 0) return CUDA_ERROR_INVALID_VALUE;
        for (std::size_t i = 0; i < count; ++i) {
            if (access[i].location.type != 1 || access[i].flags != 3) return CUDA_ERROR_INVALID_VALUE;
            Context* context = pm::ptx::device_of(access[i].location.id);
            if (!context) return CUDA_ERROR_INVALID_DEVICE;
            const bool own = driver().ranges.open(address, bytes, context->memory);
            if (!own && !(driver().peers && driver().ranges.is_full(address, bytes))) return CUDA_ERROR_INVALID_VALUE;
        }
        return CUDA_SUCCESS;
    });
}

CUresult cuMemUnmap(CUdeviceptr address, std::size_t bytes) {
    return call("cuMemUnmap", [&] { return said(driver().ranges.unmap(address, bytes)); });
}
