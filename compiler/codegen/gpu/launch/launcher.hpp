#pragma once
#include "compiler/codegen/gpu/launch/gpu_backend.hpp"
#include "compiler/codegen/program/emit_steps.hpp"
#include "runtime/gpu/device/device.hpp"

#include <functional>
#include <vector>

namespace pm::codegen {

/// Emits the host's code for steps on a GPU: launches of kernels, calls of the device's libraries, and copies of the
/// device's memory that the host reads.
class Launcher final : public TargetSteps {
  public:
    Launcher(const GpuBackend& backend, StepEmitter& emitter);

    bool emit(llvm::ArrayRef<plan::Step> equal) override;
    Value* read(Value* address, std::int64_t bytes) override;
    Value* write(Value* address, std::int64_t bytes, bool all) override;
    void end_access() override;
    void store_index(DType dtype, Value* index, Value* address) override;
    Value* first_failure(const plan::Step& check) override;

  private:
    using Accesses = std::vector<runtime::MemoryAccess>;

    void launch(const Kernel& kernel, const plan::Step& step);
    void launch(const Kernel& kernel, const std::vector<Value*>& parameters, const Accesses& accesses);
    std::vector<Value*> launch_arguments(const Kernel& kernel, const std::vector<Value*>& parameters,
                                         const Accesses& accesses);
    /// The memory accesses of a step of the emitted function. A step in the body of a lane accesses only this lane's
    /// part of each buffer. Other steps access the parts of all lanes.
    Accesses accesses_here(const plan::Step& step) const;
    void launch_passes(const Kernel& kernel, const plan::Step& step);
    void launch_sort(const plan::Step& sort, const std::vector<Value*>& buffers,
                     const std::function<void(Value*)>& run);
    void launch_part(const Kernel& kernel, const plan::Step& step, Value* part);
    void with_scratch(std::int64_t bytes, const std::function<void(Value*)>& use);
    Value* fetch(Value* to, Value* scratch, std::int64_t bytes);
    bool tape(const plan::Step& step);

    // launch_persistent.cpp
    void launch(const Kernel& kernel, const PersistentKernel& whole);
    Value* launch_with_tapes(const Kernel& kernel, const PersistentKernel& whole, const std::vector<Value*>& parameters,
                             const Accesses& accesses, Value* left);
    void report(const PersistentKernel& whole, Value* record);

    // library_steps.cpp
    void launch_product(const Kernel& kernel, const plan::Step& step, llvm::ArrayRef<LibraryProduct> products);
    void launch_epilogue(const plan::Step& end);
    void convolve(const plan::Step& step, const LibraryConvolution& convolution);
    bool moves_between_gpus(const plan::Step& step);
    bool all_reduce(const plan::Step& collective);

    const GpuBackend& backend_;
    StepEmitter& emitter_;
    HostFunction& f_;
    Emit& e_;
};

} // namespace pm::codegen
