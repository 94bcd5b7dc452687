#include "compiler/codegen/gpu/launch/gpu_backend.hpp"

#include "compiler/codegen/gpu/dot/dot.hpp"
#include "compiler/codegen/gpu/launch/launcher.hpp"
#include "compiler/codegen/steps/step_text.hpp"

namespace pm::codegen {

using plan::Step;
using plan::StepKind;

GpuBackend::GpuBackend(const plan::Program& program, const Options& options)
    : program_(program), target_(options.target), several_gpus_(options.device && options.device->is_several()),
      function_size_(options.function_size) {}

std::size_t Kernel::parameters() const {
    if (persistent != nullptr) return persistent->parameters.size() + (persistent->scratch_bytes > 0 ? 1 : 0);
    const Step& step = *unit->step;
    if (step.kind() == StepKind::check || step.kind() == StepKind::tape) return 2;
    return step.buffers.size() + (passes > 1 ? 2 : 0);
}

bool GpuBackend::runs_whole(const Step& step) {
    auto made = make_persistent_kernel(program_, step, 2 * function_size_, !several_gpus_);
    if (!made) return false;
    persistent_kernels_.emplace(&step, std::move(made));
    return true;
}

bool GpuBackend::may_be_unit(const Step& step) const {
    return is_kernel(step) || checks_on_gpu(step, program_) || moves_tapes(step, program_);
}

/// If there are several GPUs, a sum over all lanes is divided among the GPUs, so that no GPU has all of the traffic.
/// The sum has one part per lane, since the number of GPUs is unknown at compile time.
std::int64_t GpuBackend::parts(const Step& collective) const {
    constexpr std::int64_t least_bytes = 1 << 16, alignment = 256;
    const std::int64_t bytes = program_.buffers[collective.buffers[0]].bytes();
    const std::int64_t lanes = collective.as<plan::CollectiveStep>().lanes;
    return several_gpus_ && bytes >= least_bytes && bytes % (lanes * alignment) == 0 ? lanes : 1;
}

std::vector<const Step*> GpuBackend::epilogues(const Step& step) {
    if (step.kind() == StepKind::matrices && step.nest)
        return {&library_convolutions_.emplace(&step, convolution_with_epilogue(step)).first->second.epilogue};
    if (step.kind() != StepKind::dot || !runs_on_gpu()) return {};
    std::vector<const Step*> made;
    for (const LibraryProduct& product :
         library_products_.emplace(&step, products_for_library(step, program_)).first->second)
        if (product.epilogue) made.push_back(&*product.epilogue);
    return made;
}

NestShape GpuBackend::shape(const Step& step) const {
    if (step.kind() == StepKind::nest) return shape_kernel(program_, step);
    NestShape shape;
    const PersistentKernel* whole = persistent_kernel(step);
    shape.weight = whole != nullptr ? whole->weight : 150;
    return shape;
}

std::string GpuBackend::text(const Step& step, const NestShape& shape) const {
    const PersistentKernel* whole = persistent_kernel(step);
    return whole != nullptr ? text_of(program_, *whole) : text_of(program_, step, shape);
}

void GpuBackend::add(const Unit& unit) {
    PM_CHECK(unit.number == static_cast<std::int64_t>(kernels_.size()));
    const Step& step = *unit.step;
    Kernel& made = kernels_.emplace_back(Kernel{&unit});
    if (const PersistentKernel* whole = persistent_kernel(step)) {
        made.mapping = whole->mapping;
        made.persistent = whole;
    } else if (step.kind() == StepKind::nest) {
        made.passes = nest_passes(unit.shape);
        made.mapping = made.passes > 1 ? map_nest_passes(unit.shape) : map_threads(unit.shape);
    } else {
        made.passes = step_passes(step, program_);
        made.mapping = map_step(step, program_);
    }
}

/// Counts the host's instructions that report the checks of a persistent kernel.
int GpuBackend::weight_after(const Step& step) const {
    const PersistentKernel* whole = persistent_kernel(step);
    return whole == nullptr ? 0 : 30 * static_cast<int>(whole->checks.size());
}

void GpuBackend::emit_unit(Emit& e, const Unit& unit, bool) const {
    if (runs_on_gpu())
        emit_ptx_kernel(e, program_, kernel_of(unit));
    else
        emit_emulated_kernel(e, program_, kernel_of(unit));
}

std::unique_ptr<TargetSteps> GpuBackend::steps(StepEmitter& emitter) const {
    return std::make_unique<Launcher>(*this, emitter);
}

const PersistentKernel* GpuBackend::persistent_kernel(const Step& step) const {
    const auto found = persistent_kernels_.find(&step);
    return found == persistent_kernels_.end() ? nullptr : found->second.get();
}

llvm::ArrayRef<LibraryProduct> GpuBackend::library_products(const Step& step) const {
    const auto found = library_products_.find(&step);
    if (found == library_products_.end()) return {};
    return found->second;
}

const LibraryConvolution* GpuBackend::library_convolution(const Step& step) const {
    const auto found = library_convolutions_.find(&step);
    return found == library_convolutions_.end() ? nullptr : &found->second;
}

std::unique_ptr<Backend> gpu_backend(const plan::Program& program, const Options& options) {
    return std::make_unique<GpuBackend>(program, options);
}

} // namespace pm::codegen
