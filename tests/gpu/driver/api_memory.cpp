#include "tests/gpu/driver/state.hpp"

#include <algorithm>
#include <cstring>

using namespace pm::ptx;

namespace {

CUresult allocate(Context& context, CUdeviceptr* address, std::size_t bytes, bool open = false) {
    if (!address || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    const std::uint64_t made = context.memory.allocate(bytes, open);
    if (made == 0) return CUDA_ERROR_OUT_OF_MEMORY;
    *address = made;
    return CUDA_SUCCESS;
}

/// Frees memory of any device.
CUresult release(CUdeviceptr address) {
    const auto& devices = driver().devices;
    const bool found = std::ranges::any_of(devices, [&](const auto& device) { return device->memory.free(address); });
    for (const auto& device : devices)
        for (const auto& [handle, pool] : device->pools) pool->allocations.erase(address);
    return address == 0 || found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/// All devices share one address space. Of another device's memory only that of cuMemAlloc is accessible; pools and
/// reserved addresses are accessible to their own device alone.
std::uint8_t* host_of(const Context& context, std::uint64_t address, std::size_t bytes) {
    if (std::uint8_t* found = context.memory.host(address, bytes)) return found;
    for (const auto& device : driver().devices)
        if (const Memory::Block* found = device->memory.find(address, bytes); found != nullptr && found->open)
            return found->host + (address - found->begin);
    return nullptr;
}

bool is_host(const void* memory) {
    return memory && !Memory::is_device(static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(memory)));
}

/// Queues a copy. Errors that exist now are reported now, also during a capture. Memory that is freed later is detected
/// when the copy runs.
CUresult copy(Context& context, CUstream stream, std::size_t bytes,
              const std::function<std::pair<void*, const void*>()>& ends) {
    if (bytes == 0) return CUDA_SUCCESS;
    const auto usable = [ends] {
        const auto [to, from] = ends();
        return to && from;
    };
    if (!usable()) return CUDA_ERROR_INVALID_VALUE;
    return submit(context, stream, {Work::Kind::copy, [ends, bytes] {
                                        const auto [to, from] = ends();
                                        if (!to || !from) return CUDA_ERROR_INVALID_VALUE;
                                        std::memmove(to, from, bytes);
                                        return CUDA_SUCCESS;
                                    }});
}

CUresult fill(Context& context, CUstream stream, const MemorySet& set) {
    if (set.count == 0) return CUDA_SUCCESS;
    const CUresult checked = check_set(set);
    return checked == CUDA_SUCCESS ? submit(context, stream, work_of(set)) : checked;
}

/// Checks that the stream exists and is not capturing.
CUresult ready_to_allocate(CUstream stream) {
    if (is_default(stream)) return CUDA_SUCCESS;
    const Stream* found = stream_of(stream);
    if (!found) return CUDA_ERROR_INVALID_HANDLE;
    if (!found->capture) return CUDA_SUCCESS;
    found->capture->broken = true;
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

/// The default pool of a device, which is not in `pools`; its handle is the context's address.
CUmemoryPool pool_of(Context* context) { return reinterpret_cast<CUmemoryPool>(context); }
Pool* made_pool(CUmemoryPool pool) {
    for (const auto& device : driver().devices)
        if (Pool* found = device->pools.find(pool)) return found;
    return nullptr;
}
bool is_pool(CUmemoryPool pool) {
    return made_pool(pool) ||
           std::ranges::any_of(driver().devices, [&](const auto& device) { return pool_of(device.get()) == pool; });
}

} // namespace

namespace pm::ptx {

CUresult check_set(const MemorySet& set) {
    if (set.element != 1 && set.element != 2 && set.element != 4) return CUDA_ERROR_INVALID_VALUE;
    const bool there =
        set.count > 0 && set.to % set.element == 0 && host_of(*set.context, set.to, set.count * set.element);
    return there ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

Work work_of(const MemorySet& set) {
    return {Work::Kind::set, [set] {
                std::uint8_t* memory = host_of(*set.context, set.to, set.count * set.element);
                if (!memory) return CUDA_ERROR_INVALID_VALUE;
                for (std::size_t n = 0; n < set.count; ++n)
                    std::memcpy(memory + n * set.element, &set.value, set.element);
                return CUDA_SUCCESS;
            }};
}

} // namespace pm::ptx

CUresult cuMemGetInfo_v2(std::size_t* left, std::size_t* total) {
    return call_in_context("cuMemGetInfo_v2", [&](Context& context) {
        if (!left || !total) return CUDA_ERROR_INVALID_VALUE;
        *left = context.memory.left();
        *total = context.memory.limit();
        return CUDA_SUCCESS;
    });
}

CUresult cuMemAlloc_v2(CUdeviceptr* address, std::size_t bytes) {
    return call_in_context("cuMemAlloc_v2", [&](Context& context) {
        if (break_careful_captures()) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
        return allocate(context, address, bytes, true);
    });
}

CUresult cuMemFree_v2(CUdeviceptr address) {
    return call_in_context("cuMemFree_v2", [&](Context& context) {
        if (break_careful_captures()) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
        do_all(context);
        return release(address);
    });
}

CUresult cuMemAllocAsync(CUdeviceptr* address, std::size_t bytes, CUstream stream) {
    return call_in_context("cuMemAllocAsync", [&](Context& context) {
        const CUresult ready = ready_to_allocate(stream);
        return ready == CUDA_SUCCESS ? allocate(context, address, bytes) : ready;
    });
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
    return call_in_context("cuMemFreeAsync", [&](Context& context) {
        const CUresult ready = ready_to_allocate(stream);
        if (ready != CUDA_SUCCESS) return ready;
        if (address != 0 && !host_of(context, address, 1)) return CUDA_ERROR_INVALID_VALUE;
        return do_in_order(context, stream, [address] { return release(address); });
    });
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice device) {
    return call("cuDeviceGetDefaultMemPool", [&] {
        Context* context = device_of(device);
        if (!pool) return CUDA_ERROR_INVALID_VALUE;
        if (!context) return CUDA_ERROR_INVALID_DEVICE;
        *pool = pool_of(context);
        return CUDA_SUCCESS;
    });
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value) {
    return call("cuMemPoolSetAttribute", [&] {
        // Attributes 1 to 4 control the reuse of freed memory; nothing is reused.
        return is_pool(pool) && value && attribute >= 1 && attribute <= 4 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    });
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value) {
    return call("cuMemPoolGetAttribute", [&] {
        const Pool* made = made_pool(pool);
        // Attributes 5 to 8: reserved and used bytes, now and at most. Nothing is cached, so 5 and 7 are equal.
        if (!made || !value || (attribute != 5 && attribute != 7)) return CUDA_ERROR_INVALID_VALUE;
        std::uint64_t bytes = 0;
        for (const auto& [address, size] : made->allocations) bytes += size;
        std::memcpy(value, &bytes, sizeof bytes);
        return CUDA_SUCCESS;
    });
}

CUresult cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* properties) {
    return call("cuMemPoolCreate", [&] {
        if (!pool || !properties || properties->allocType != 1 || properties->handleTypes != 0 ||
            properties->location.type != 1)
            return CUDA_ERROR_INVALID_VALUE;
        Context* context = device_of(properties->location.id);
        if (!context) return CUDA_ERROR_INVALID_DEVICE;
        auto made = std::make_unique<Pool>();
        made->context = context;
        *pool = reinterpret_cast<CUmemoryPool>(context->pools.add(std::move(made)));
        return CUDA_SUCCESS;
    });
}

CUresult cuMemPoolDestroy(CUmemoryPool pool) {
    return call("cuMemPoolDestroy", [&] {
        Pool* made = made_pool(pool);
        return made && made->context->pools.remove(made) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    });
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr* address, std::size_t bytes, CUmemoryPool pool, CUstream stream) {
    return call_in_context("cuMemAllocFromPoolAsync", [&](Context&) {
        Pool* made = made_pool(pool);
        if (!made) return CUDA_ERROR_INVALID_VALUE;
        if (const CUresult ready = ready_to_allocate(stream); ready != CUDA_SUCCESS) return ready;
        const CUresult result = allocate(*made->context, address, bytes);
        if (result == CUDA_SUCCESS) made->allocations[*address] = bytes;
        return result;
    });
}

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc* access, std::size_t count) {
    return call("cuMemPoolSetAccess", [&] {
        const Pool* made = made_pool(pool);
        if (!made || !access || count == 0) return CUDA_ERROR_INVALID_VALUE;
        for (std::size_t i = 0; i < count; ++i) {
            if (access[i].location.type != 1 || access[i].flags != 3) return CUDA_ERROR_INVALID_VALUE;
            const Context* device = device_of(access[i].location.id);
            if (!device || (device != made->context && !driver().peers)) return CUDA_ERROR_INVALID_DEVICE;
        }
        return CUDA_SUCCESS;
    });
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, std::size_t) {
    return call("cuMemPoolTrimTo", [&] { return is_pool(pool) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; });
}

CUresult cuMemHostAlloc(void** memory, std::size_t bytes, unsigned) {
    return call_in_context("cuMemHostAlloc", [&](Context&) {
        if (!memory || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
        if (break_careful_captures()) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
        auto& all = driver().host_memory;
        all.push_back({std::make_unique<std::byte[]>(bytes), bytes});
        *memory = all.back().memory.get();
        std::memset(*memory, 0xFF, bytes);
        for (const auto& device : driver().devices) device->memory.map(static_cast<std::uint8_t*>(*memory), bytes);
        return CUDA_SUCCESS;
    });
}

CUresult cuMemFreeHost(void* memory) {
    return call("cuMemFreeHost", [&] {
        for (const auto& device : driver().devices) device->memory.unmap(static_cast<std::uint8_t*>(memory));
        auto& all = driver().host_memory;
        const auto freed = std::ranges::find(all, memory, [](const auto& one) { return one.memory.get(); });
        if (freed == all.end()) return CUDA_ERROR_INVALID_VALUE;
        // Deferred work that still accesses the memory is an error of the program. It reads 0xFF.
        std::memset(memory, 0xFF, freed->bytes);
        if (driver().deferring) driver().freed_host_memory.push_back(std::move(*freed));
        all.erase(freed);
        return CUDA_SUCCESS;
    });
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream) {
    return call_in_context("cuMemcpyHtoDAsync_v2", [&](Context& context) {
        return copy(context, stream, bytes, [=, &context] {
            return std::pair<void*, const void*>(host_of(context, to, bytes), is_host(from) ? from : nullptr);
        });
    });
}

CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
    return call_in_context("cuMemcpyDtoHAsync_v2", [&](Context& context) {
        if (bytes > driver().most_to_host) return CUDA_ERROR_NOT_PERMITTED;
        return copy(context, stream, bytes, [=, &context] {
            return std::pair<void*, const void*>(is_host(to) ? to : nullptr, host_of(context, from, bytes));
        });
    });
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
    return call_in_context("cuMemcpyDtoDAsync_v2", [&](Context& context) {
        return copy(context, stream, bytes, [=, &context] {
            return std::pair<void*, const void*>(host_of(context, to, bytes), host_of(context, from, bytes));
        });
    });
}

CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
                           std::size_t bytes, CUstream stream) {
    return call_in_context("cuMemcpyPeerAsync", [&](Context& context) {
        const Context* receiver = context_of(to_context);
        const Context* sender = context_of(from_context);
        if (!receiver || !sender) return CUDA_ERROR_INVALID_CONTEXT;
        if (receiver->error != CUDA_SUCCESS) return receiver->error;
        if (sender->error != CUDA_SUCCESS) return sender->error;
        return copy(context, stream, bytes, [=] {
            return std::pair<void*, const void*>(receiver->memory.host(to, bytes), sender->memory.host(from, bytes));
        });
    });
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t count, CUstream stream) {
    return call_in_context("cuMemsetD8Async",
                           [&](Context& context) { return fill(context, stream, {to, value, 1, count, &context}); });
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, std::size_t count, CUstream stream) {
    return call_in_context("cuMemsetD32Async",
                           [&](Context& context) { return fill(context, stream, {to, value, 4, count, &context}); });
}
