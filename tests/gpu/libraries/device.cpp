#include "tests/gpu/libraries/device.hpp"

#include "tests/gpu/driver/cuda.hpp"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <map>
#include <memory>
#include <mutex>

namespace pm::libraries {
namespace {

struct Handle {
    CUcontext context = nullptr;
    void* stream = nullptr;
    OwnMemory memory;
};

/// Never destroyed: a device may be closed after this library's static objects are destroyed.
std::mutex& mutex = *new std::mutex;
std::map<void*, std::unique_ptr<Handle>>& handles = *new std::map<void*, std::unique_ptr<Handle>>;
std::map<std::string, int>& calls = *new std::map<std::string, int>;

CUcontext current() {
    CUcontext context = nullptr;
    return PM_OF_DRIVER(cuCtxGetCurrent)(&context) == CUDA_SUCCESS ? context : nullptr;
}

CUstream stream_of(void* stream) { return reinterpret_cast<CUstream>(stream); }

void wait(void* stream) {
    require(PM_OF_DRIVER(cuStreamSynchronize)(stream_of(stream)) == CUDA_SUCCESS, "the stream has failed");
}

} // namespace

int failure_of(const std::string& function) {
    const char* wanted = std::getenv("PM_CUDA_LIBRARIES_FAIL");
    if (wanted == nullptr) return 0;
    const std::string list = std::string(",") + wanted;
    const int number = ++calls[function];
    const std::string key = "," + function + ":" + std::to_string(number) + ":";
    const auto at = list.find(key);
    return at == std::string::npos ? 0 : std::atoi(list.c_str() + at + key.size());
}

bool OwnMemory::take() {
    const char* bytes = std::getenv("PM_CUDA_LIBRARIES_MEMORY");
    if (bytes == nullptr) return true;
    CUdeviceptr made = 0;
    if (PM_OF_DRIVER(cuMemAlloc_v2)(&made, static_cast<std::size_t>(std::atoll(bytes))) != CUDA_SUCCESS) return false;
    address_ = made;
    return true;
}

void OwnMemory::give_back() {
    if (address_ != 0) static_cast<void>(PM_OF_DRIVER(cuMemFree_v2)(static_cast<CUdeviceptr>(address_)));
}

int create(const char* function, void** handle, const Statuses& statuses) {
    const std::scoped_lock lock(mutex);
    if (const int code = failure_of(function); code != 0) return code;
    if (current() == nullptr) return statuses.not_initialized;
    auto made = std::make_unique<Handle>();
    made->context = current();
    if (!made->memory.take()) return statuses.no_memory;
    *handle = made.get();
    handles[*handle] = std::move(made);
    return 0;
}

int destroy(const char* function, void* handle, const Statuses& statuses) {
    const std::scoped_lock lock(mutex);
    if (const int code = failure_of(function); code != 0) return code;
    const auto found = handles.find(handle);
    if (found == handles.end() || found->second->context != current()) return statuses.not_initialized;
    found->second->memory.give_back();
    handles.erase(found);
    return 0;
}

int set_stream(const char* function, void* handle, void* stream, const Statuses& statuses) {
    const std::scoped_lock lock(mutex);
    if (const int code = failure_of(function); code != 0) return code;
    const auto found = handles.find(handle);
    if (found == handles.end()) return statuses.not_initialized;
    found->second->stream = stream;
    return 0;
}

int run_in_any(const std::string& function, void* handle, const Statuses& statuses,
               const std::function<void(void* stream)>& work) {
    const std::scoped_lock lock(mutex);
    if (const int code = failure_of(function); code != 0) return code;
    const auto found = handles.find(handle);
    if (found == handles.end()) return statuses.not_initialized;
    try {
        require(found->second->context == current(), "another context than the handle's is the current one");
        work(found->second->stream);
        return 0;
    } catch (const CallerError& wrong) {
        std::fprintf(stderr, "%s: %s\n", function.c_str(), wrong.what());
        return statuses.invalid_value;
    }
}

int run(const std::string& function, void* handle, const Statuses& statuses,
        const std::function<void(void* stream)>& work) {
    return run_in_any(function, handle, statuses, [&](void* stream) {
        require(stream != nullptr, "no stream is set");
        work(stream);
    });
}

void read(void* to, const void* device, std::size_t bytes, void* stream, const char* what) {
    const auto address = static_cast<CUdeviceptr>(reinterpret_cast<std::size_t>(device));
    require(PM_OF_DRIVER(cuMemcpyDtoHAsync_v2)(to, address, bytes, stream_of(stream)) == CUDA_SUCCESS, what);
    wait(stream);
}

void write(void* device, const void* from, std::size_t bytes, void* stream) {
    const auto address = static_cast<CUdeviceptr>(reinterpret_cast<std::size_t>(device));
    require(PM_OF_DRIVER(cuMemcpyHtoDAsync_v2)(address, from, bytes, stream_of(stream)) == CUDA_SUCCESS, "writing");
    wait(stream);
}

void* driver_function(const char* name) {
    static void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    require(library != nullptr, "there is no driver");
    void* found = dlsym(library, name);
    require(found != nullptr, name);
    return found;
}

void* lapack_function(const std::string& name) {
    static void* const library = dlopen(PM_LAPACK, RTLD_NOW | RTLD_LOCAL);
    require(library != nullptr, "there is no LAPACK");
    void* found = dlsym(library, name.c_str());
    require(found != nullptr, name.c_str());
    return found;
}

} // namespace pm::libraries
