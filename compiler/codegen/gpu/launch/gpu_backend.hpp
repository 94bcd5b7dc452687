#pragma once
#include "compiler/codegen/gpu/dot/product_epilogue.hpp"
#include "compiler/codegen/gpu/persistent/persistent_kernel.hpp"
#include "compiler/codegen/options.hpp"
#include "compiler/codegen/program/backend.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace pm::codegen {

/// A unit that is a kernel. Its parameters are the addresses of the step's buffers.
struct Kernel {
    const Unit* unit;
    Mapping mapping = {};
    const PersistentKernel* persistent = nullptr; ///< the persistent kernel of a control step; null for other steps
    int passes = 1;                               ///< the number of launches, see step_passes()

    /// The number of parameters, without the additional parameters of persistent kernels.
    std::size_t parameters() const;
};

/// The back end whose units are kernels, for a real GPU or an emulated one (runtime/gpu/host/emulated.hpp). The units
/// are whole control steps, and other steps that have a kernel (may_be_unit()).
class GpuBackend final : public Backend {
  public:
    /// Uses the options target, device and function_size.
    GpuBackend(const plan::Program& program, const Options& options);

    UnitForm form() const override { return runs_on_gpu() ? UnitForm::kernel : UnitForm::emulated; }
    bool runs_whole(const plan::Step& step) override;
    bool may_be_unit(const plan::Step& step) const override;
    std::int64_t parts(const plan::Step& collective) const override;
    std::vector<const plan::Step*> epilogues(const plan::Step& step) override;
    NestShape shape(const plan::Step& step) const override;
    bool inlined(const plan::Step&, const NestShape&) const override { return false; }
    std::string text(const plan::Step& step, const NestShape& shape) const override;
    void add(const Unit& unit) override;
    int weight_after(const plan::Step& step) const override;
    void emit_unit(Emit& e, const Unit& unit, bool internal) const override;
    std::unique_ptr<TargetSteps> steps(StepEmitter& emitter) const override;

    const plan::Program& program() const { return program_; }
    bool runs_on_gpu() const { return target_ == Target::gpu; }
    bool on_several_gpus() const { return several_gpus_; }
    const Kernel& kernel_of(const Unit& unit) const { return kernels_.at(static_cast<std::size_t>(unit.number)); }
    /// The persistent kernel of a control step that runs as one unit. Null for other steps.
    const PersistentKernel* persistent_kernel(const plan::Step& step) const;
    /// The requests to the device's library for a product. They are tried in order before the kernel of the product is
    /// launched.
    llvm::ArrayRef<LibraryProduct> library_products(const plan::Step& step) const;
    /// The convolution of a step with an epilogue. Null for other steps.
    const LibraryConvolution* library_convolution(const plan::Step& step) const;

  private:
    const plan::Program& program_;
    Target target_;
    bool several_gpus_; ///< true if several GPUs run the lanes
    int function_size_;
    std::vector<Kernel> kernels_; ///< indexed by Unit::number
    std::map<const plan::Step*, std::unique_ptr<PersistentKernel>> persistent_kernels_;
    std::map<const plan::Step*, std::vector<LibraryProduct>> library_products_;
    std::map<const plan::Step*, LibraryConvolution> library_convolutions_;
};

/// `program` must outlive the back end.
std::unique_ptr<Backend> gpu_backend(const plan::Program& program, const Options& options);

/// Emits a kernel for the emulated GPU, as a function void name(thread, addresses).
void emit_emulated_kernel(Emit& e, const plan::Program& program, const Kernel& kernel);
/// Emits a kernel for NVPTX.
void emit_ptx_kernel(Emit& e, const plan::Program& program, const Kernel& kernel);

} // namespace pm::codegen
