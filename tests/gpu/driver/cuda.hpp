#pragma once

#include <cstddef>

// The part of CUDA's driver API that is implemented, with the names and signatures of NVIDIA's cuda.h.

enum CUresult : int {
#define ERROR(name, code, text) name = code,
#include "tests/gpu/driver/errors.def"
#undef ERROR
};

using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
using CUstream = struct CUstream_st*;
using CUevent = struct CUevent_st*;
using CUgraph = struct CUgraph_st*;
using CUgraphNode = struct CUgraphNode_st*;
using CUgraphExec = struct CUgraphExec_st*;
using CUmemoryPool = struct CUmemPoolHandle_st*;
using CUmemGenericAllocationHandle = unsigned long long;
using CUdevice_attribute = int;
using CUfunction_attribute = int;
using CUjit_option = int;
using CUmemPool_attribute = int;
using CUstreamCaptureMode = int;
using CUstreamCaptureStatus = int;
using CUlaunchAttributeID = int;

struct CUgraphExecUpdateResultInfo {
    int result;
    CUgraphNode errorNode;
    CUgraphNode errorFromNode;
};

struct CUmemLocation {
    int type; ///< 1: a device
    int id;
};

struct CUmemAllocationProp {
    int type;                 ///< 1: pinned
    int requestedHandleTypes; ///< 0: not shared with other processes
    CUmemLocation location;
    void* win32HandleMetaData;
    struct {
        unsigned char compressionType;
        unsigned char gpuDirectRDMACapable;
        unsigned short usage;
        unsigned char reserved[4];
    } allocFlags;
};

struct CUmemAccessDesc {
    CUmemLocation location;
    int flags; ///< 3: read and write
};

struct CUmemPoolProps {
    int allocType;   ///< 1: pinned
    int handleTypes; ///< 0: not shared with other processes
    CUmemLocation location;
    void* win32SecurityAttributes;
    std::size_t maxSize;
    unsigned char reserved[56];
};

/// The structure of version 2, since CUDA 12.
struct CUDA_KERNEL_NODE_PARAMS {
    CUfunction func;
    unsigned gridDimX, gridDimY, gridDimZ;
    unsigned blockDimX, blockDimY, blockDimZ;
    unsigned sharedMemBytes;
    void** kernelParams;
    void** extra;
    void* kern; ///< may be given instead of func
    CUcontext ctx;
};

struct CUDA_MEMSET_NODE_PARAMS {
    CUdeviceptr dst;
    std::size_t pitch; ///< bytes from row to row
    unsigned value;
    unsigned elementSize;
    std::size_t width; ///< elements per row
    std::size_t height;
};

union CUlaunchAttributeValue {
    char pad[64];
    int cooperative;
};

constexpr CUjit_option CU_JIT_ERROR_LOG_BUFFER = 5;
constexpr CUjit_option CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6;
constexpr unsigned CU_EVENT_DISABLE_TIMING = 2;
constexpr CUstreamCaptureStatus CU_STREAM_CAPTURE_STATUS_NONE = 0;
constexpr CUstreamCaptureStatus CU_STREAM_CAPTURE_STATUS_ACTIVE = 1;
constexpr CUstreamCaptureStatus CU_STREAM_CAPTURE_STATUS_INVALIDATED = 2;
constexpr CUlaunchAttributeID CU_LAUNCH_ATTRIBUTE_COOPERATIVE = 2;
constexpr int CU_GRAPH_EXEC_UPDATE_SUCCESS = 0;
constexpr int CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED = 2;
constexpr int CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED = 3;

#define PM_CUDA extern "C" __attribute__((visibility("default"))) CUresult

PM_CUDA cuInit(unsigned flags);
PM_CUDA cuDriverGetVersion(int* version);
PM_CUDA cuGetErrorName(CUresult error, const char** text);
PM_CUDA cuGetErrorString(CUresult error, const char** text);

PM_CUDA cuDeviceGetCount(int* count);
PM_CUDA cuDeviceGet(CUdevice* device, int ordinal);
PM_CUDA cuDeviceGetName(char* name, int length, CUdevice device);
PM_CUDA cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device);
PM_CUDA cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice device);
PM_CUDA cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer);
PM_CUDA cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device);
PM_CUDA cuDevicePrimaryCtxRelease_v2(CUdevice device);
PM_CUDA cuCtxSetCurrent(CUcontext context);
PM_CUDA cuCtxGetCurrent(CUcontext* context);
PM_CUDA cuCtxPushCurrent_v2(CUcontext context);
PM_CUDA cuCtxPopCurrent_v2(CUcontext* context);
PM_CUDA cuCtxSynchronize();

PM_CUDA cuMemGetInfo_v2(std::size_t* left, std::size_t* total);
PM_CUDA cuMemAlloc_v2(CUdeviceptr* address, std::size_t bytes);
PM_CUDA cuMemFree_v2(CUdeviceptr address);
PM_CUDA cuMemAllocAsync(CUdeviceptr* address, std::size_t bytes, CUstream stream);
PM_CUDA cuMemFreeAsync(CUdeviceptr address, CUstream stream);
PM_CUDA cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice device);
PM_CUDA cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value);
PM_CUDA cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value);
PM_CUDA cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* properties);
PM_CUDA cuMemPoolDestroy(CUmemoryPool pool);
PM_CUDA cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc* access, std::size_t count);
PM_CUDA cuMemAllocFromPoolAsync(CUdeviceptr* address, std::size_t bytes, CUmemoryPool pool, CUstream stream);
PM_CUDA cuMemPoolTrimTo(CUmemoryPool pool, std::size_t bytes);
PM_CUDA cuMemGetAllocationGranularity(std::size_t* bytes, const CUmemAllocationProp* properties, int which);
PM_CUDA cuMemAddressReserve(CUdeviceptr* address, std::size_t bytes, std::size_t alignment, CUdeviceptr hint,
                            unsigned long long flags);
PM_CUDA cuMemAddressFree(CUdeviceptr address, std::size_t bytes);
PM_CUDA cuMemCreate(CUmemGenericAllocationHandle* memory, std::size_t bytes, const CUmemAllocationProp* properties,
                    unsigned long long flags);
PM_CUDA cuMemRelease(CUmemGenericAllocationHandle memory);
PM_CUDA cuMemMap(CUdeviceptr address, std::size_t bytes, std::size_t offset, CUmemGenericAllocationHandle memory,
                 unsigned long long flags);
PM_CUDA cuMemSetAccess(CUdeviceptr address, std::size_t bytes, const CUmemAccessDesc* access, std::size_t count);
PM_CUDA cuMemUnmap(CUdeviceptr address, std::size_t bytes);
PM_CUDA cuMemHostAlloc(void** memory, std::size_t bytes, unsigned flags);
PM_CUDA cuMemFreeHost(void* memory);
PM_CUDA cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream);
PM_CUDA cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream);
PM_CUDA cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream);
PM_CUDA cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
                          std::size_t bytes, CUstream stream);
PM_CUDA cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t count, CUstream stream);
PM_CUDA cuMemsetD32Async(CUdeviceptr to, unsigned value, std::size_t count, CUstream stream);

PM_CUDA cuStreamCreate(CUstream* stream, unsigned flags);
PM_CUDA cuStreamDestroy_v2(CUstream stream);
PM_CUDA cuStreamSynchronize(CUstream stream);
PM_CUDA cuStreamQuery(CUstream stream);
PM_CUDA cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags);
PM_CUDA cuEventCreate(CUevent* event, unsigned flags);
PM_CUDA cuEventRecord(CUevent event, CUstream stream);
PM_CUDA cuEventQuery(CUevent event);
PM_CUDA cuEventSynchronize(CUevent event);
PM_CUDA cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end);
PM_CUDA cuEventDestroy_v2(CUevent event);

PM_CUDA cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned count, CUjit_option* options, void** values);
PM_CUDA cuModuleUnload(CUmodule module);
PM_CUDA cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name);
PM_CUDA cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function);
PM_CUDA cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value);
PM_CUDA cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                       unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, void** parameters,
                       void** extra);
PM_CUDA cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                  unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                                  CUstream stream, void** parameters);
PM_CUDA cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int threads,
                                                    std::size_t shared_bytes);

PM_CUDA cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode);
PM_CUDA cuStreamEndCapture(CUstream stream, CUgraph* graph);
PM_CUDA cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status);
PM_CUDA cuGraphInstantiateWithFlags(CUgraphExec* exec, CUgraph graph, unsigned long long flags);
PM_CUDA cuGraphLaunch(CUgraphExec exec, CUstream stream);
PM_CUDA cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo* result);
PM_CUDA cuGraphCreate(CUgraph* graph, unsigned flags);
PM_CUDA cuGraphAddKernelNode_v2(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies, std::size_t count,
                                const CUDA_KERNEL_NODE_PARAMS* parameters);
PM_CUDA cuGraphAddMemsetNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies, std::size_t count,
                             const CUDA_MEMSET_NODE_PARAMS* parameters, CUcontext context);
PM_CUDA cuGraphKernelNodeSetAttribute(CUgraphNode node, CUlaunchAttributeID attribute,
                                      const CUlaunchAttributeValue* value);
PM_CUDA cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node,
                                          const CUDA_KERNEL_NODE_PARAMS* parameters);
PM_CUDA cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS* parameters,
                                       CUcontext context);
PM_CUDA cuGraphExecDestroy(CUgraphExec exec);
PM_CUDA cuGraphDestroy(CUgraph graph);

// Additional functions for tests: the number of calls of a function, and a failure of the call after `call` calls.
extern "C" __attribute__((visibility("default"))) long pm_interpreter_calls(const char* function);
extern "C" __attribute__((visibility("default"))) void pm_interpreter_fail(const char* function, int call,
                                                                           CUresult code);
