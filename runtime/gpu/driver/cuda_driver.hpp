#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace pm::runtime::cuda {

// Constants of the driver API.
constexpr int error_out_of_memory = 2;
constexpr int error_no_device = 100;
constexpr int error_not_ready = 600;
constexpr int attribute_multiprocessors = 16;
constexpr int attribute_major = 75;
constexpr int attribute_minor = 76;
constexpr int attribute_cooperative_launch = 95;
constexpr int attribute_mapped_memory = 102;
constexpr int attribute_memory_pools = 115;
constexpr int pool_release_threshold = 4;
constexpr int pool_reserved = 5;
constexpr int pool_used = 7;
constexpr int allocation_pinned = 1;
constexpr int location_device = 1;
constexpr unsigned stream_non_blocking = 1;
constexpr unsigned host_mapped = 2;
constexpr unsigned event_without_time = 2;
constexpr int option_error_log = 5;
constexpr int option_error_log_bytes = 6;

constexpr int granularity_recommended = 1;
constexpr int access_read_write = 3;

/// CUmemLocation.
struct Place {
    int kind = location_device;
    int device = 0;
};

/// CUmemAllocationProp.
struct MemoryProperties {
    int allocation = allocation_pinned;
    int handles = 0; ///< the kind of handles for sharing with other processes: none
    Place place;
    void* security = nullptr;
    unsigned char flags[8]{};
};

/// CUmemAccessDesc.
struct AccessOf {
    Place place;
    int access = access_read_write;
};

/// CUmemPoolProps.
struct PoolProperties {
    int allocation = allocation_pinned;
    int handles = 0; ///< the kind of handles for sharing with other processes: none
    int location = location_device;
    int device = 0;
    void* security = nullptr;
    std::size_t most = 0; ///< the most bytes of the pool; 0: no limit
    unsigned char reserved[56]{};
};

constexpr int node_is_cooperative = 2;

/// CUDA_KERNEL_NODE_PARAMS of version 2.
struct KernelNode {
    void* function = nullptr;
    unsigned blocks[3]{};
    unsigned threads[3]{};
    unsigned shared_bytes = 0;
    void** arguments = nullptr;
    void** extra = nullptr;
    void* kernel = nullptr;  ///< an alternative to `function`
    void* context = nullptr; ///< context of `kernel`
};

/// CUDA_MEMSET_NODE_PARAMS.
struct MemoryNode {
    std::uint64_t to = 0;
    std::size_t pitch = 0; ///< bytes from row to row
    unsigned value = 0;
    unsigned element = 0;     ///< bytes per element
    std::size_t elements = 0; ///< elements per row
    std::size_t rows = 1;
};

/// CUlaunchAttributeValue.
struct alignas(8) NodeAttribute {
    int value = 0;
    char others[60]{}; ///< room for the larger members of the union
};

/// NVIDIA's driver. It is loaded when a GPU is first requested, so programs without a GPU do not need the driver.
struct Driver {
#define FUNCTION(name, symbol, arguments) int(*name) arguments = nullptr;
#include "runtime/gpu/driver/driver.def"
#undef FUNCTION

    /// Throws Failure(no_device) if there is no driver, or if the driver lacks a function.
    Driver();

    /// The latest version of CUDA that the driver supports, as a number: 12030 means 12.3.
    int version() const;
    /// The text of an error: "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered".
    std::string describe(int error) const;
    /// Throws a Failure unless `error` is 0, which means success.
    void expect(int error, const char* function) const;
};

/// Makes a context current in this thread for the life of the object. The destructor restores the previous context.
class CurrentContext {
  public:
    CurrentContext(const Driver& driver, void* context) : driver_(driver), error_(driver.context_push(context)) {}
    ~CurrentContext() {
        void* context = nullptr;
        if (error_ == 0) static_cast<void>(driver_.context_pop(&context));
    }
    CurrentContext(const CurrentContext&) = delete;
    CurrentContext& operator=(const CurrentContext&) = delete;
    explicit operator bool() const { return error_ == 0; }

  protected:
    const Driver& driver_;
    int error_;
};

/// A CurrentContext that throws on an error.
class EnteredContext : public CurrentContext {
  public:
    EnteredContext(const Driver& driver, void* context) : CurrentContext(driver, context) {
        driver_.expect(error_, "cuCtxPushCurrent");
    }
};

/// Throws Failure(out_of_memory): a function of the driver or of a library found no memory on the GPU.
[[noreturn]] void fail_for_memory(const std::string& function);
/// Throws Failure(device_failed): a function reported another error.
[[noreturn]] void fail(const std::string& function, const std::string& what);

} // namespace pm::runtime::cuda
