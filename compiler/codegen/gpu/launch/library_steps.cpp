#include "compiler/codegen/gpu/launch/launcher.hpp"
#include "compiler/codegen/steps/buffers.hpp"
#include "compiler/codegen/steps/collective.hpp"

// Emits the steps that a library of the device runs, and the moves of collectives between several GPUs.

namespace pm::codegen {

using plan::Step;

/// Moves each piece of a collective from the GPU that has the piece to the GPU of the receiving lane. Returns false if
/// a piece is small, or if the step is no collective between several GPUs.
bool Launcher::moves_between_gpus(const Step& step) {
    constexpr std::int64_t least_bytes = 1 << 16;
    if (step.kind() != plan::StepKind::collective || !backend_.on_several_gpus()) return false;
    const std::int64_t stride = lane_stride(f_.buffer(step.buffers[1]));
    std::vector<std::int64_t> table;
    std::int64_t count = 0;
    for (const LaneMoves& m : collective_moves(backend_.program(), step)) {
        if (m.bytes < least_bytes) return false;
        const std::int64_t lane = stride == 0 ? -1 : m.out / stride;
        table.insert(table.end(), {lane, m.receivers, m.senders, m.bytes, m.in, m.in_by_sender, m.in_by_receiver, m.out,
                                   m.out_by_sender, m.out_by_receiver});
        ++count;
    }
    e_.call_symbol("pm_gpu_move", e_.b.getVoidTy(),
                   {f_.call(), e_.int64(step.as<plan::CollectiveStep>().lanes), f_.address(step.buffers[0]),
                    f_.address(step.buffers[1]), e_.int64(count), f_.table_of(table)});
    return true;
}

/// Reduces between several GPUs with a library, or with kernels if the library refuses. Returns false if a library
/// cannot be asked; the caller then uses kernels.
bool Launcher::all_reduce(const Step& collective) {
    const auto spec =
        backend_.on_several_gpus() ? collective_for_library(backend_.program(), collective) : std::nullopt;
    if (!spec) return false;
    const Step* by_kernels = emitter_.layout().replacement(collective);
    PM_CHECK(by_kernels != nullptr);
    Value* done =
        e_.call_symbol("pm_gpu_all_reduce", e_.i32(),
                       {f_.call(), f_.address_of_first_lane(collective.buffers[0]),
                        f_.address_of_first_lane(collective.buffers[1]), f_.table_of(all_reduce_attributes(*spec))});
    e_.when(e_.b.CreateICmpEQ(done, e_.b.getInt32(0)), [&] { emitter_.step(*by_kernels); }, false);
    return true;
}

/// Tries the library's products in order. If the library computes none of them, launches the step's kernel.
void Launcher::launch_product(const Kernel& kernel, const Step& step, llvm::ArrayRef<LibraryProduct> products) {
    if (products.empty() && kernel.passes > 1) return launch_passes(kernel, step);
    const std::vector<Value*> buffers = f_.addresses(step);
    if (products.empty()) return launch(kernel, buffers, accesses_here(step));
    const LibraryProduct& product = products.front();
    const auto at = [&](const std::optional<OperandPlace>& place) -> Value* {
        if (!place) return llvm::ConstantPointerNull::get(e_.pointer());
        const auto width = static_cast<std::int64_t>(runtime::size_of(product.spec.out));
        return e_.byte_offset(buffers[place->buffer], e_.int64(place->element * width));
    };
    Value* done = e_.call_symbol("pm_gpu_multiply", e_.i32(),
                                 {f_.call(), buffers[0], buffers[1], at(product.bias), at(product.added),
                                  at(product.out), f_.table_of(runtime::product_attributes(product.spec))});
    Value* not_so = e_.b.CreateICmpEQ(done, e_.b.getInt32(0));
    e_.when(not_so, [&] { launch_product(kernel, step, products.drop_front()); }, false);
    if (product.epilogue) e_.when(e_.b.CreateNot(not_so), [&] { launch_epilogue(*product.epilogue); });
}

/// Launches the epilogue as a kernel. The library has computed the result that the epilogue reads.
void Launcher::launch_epilogue(const Step& end) {
    launch(backend_.kernel_of(*emitter_.layout().unit_of(end)), f_.addresses(end), accesses_here(end));
}

/// Runs the convolution in the library. The epilogue runs in the same call of the library if the library can compute
/// both. Otherwise the epilogue runs as a kernel.
void Launcher::convolve(const Step& step, const LibraryConvolution& convolution) {
    const std::vector<std::int64_t>& attributes_of_kernel = step.as<plan::MatricesStep>().attributes;
    const std::vector<Value*> buffers = f_.addresses(step);
    const auto in_turn = [&] {
        e_.call_symbol(
            "pm_gpu_convolution", e_.i32(),
            {f_.call(), f_.array_of({buffers[0], buffers[1], buffers[2]}), f_.table_of(attributes_of_kernel)});
        launch_epilogue(convolution.epilogue);
    };
    if (const auto& whole = convolution.whole) {
        const auto at = [&](const OperandPlace& place) {
            const auto width = static_cast<std::int64_t>(runtime::size_of(f_.buffer(step.buffers[2]).dtype));
            return e_.byte_offset(buffers[place.buffer], e_.int64(place.element * width));
        };
        std::vector<Value*> operands{buffers[0], buffers[1], at(whole->bias)};
        if (whole->added) operands.push_back(at(*whole->added));
        operands.push_back(at(whole->out));
        std::vector<std::int64_t> attributes = attributes_of_kernel;
        const std::vector<std::int64_t> more = runtime::convolution_epilogue_attributes(whole->epilogue);
        attributes.insert(attributes.end(), more.begin(), more.end());
        Value* done = e_.call_symbol("pm_gpu_convolution_with_epilogue", e_.i32(),
                                     {f_.call(), f_.array_of(operands), f_.table_of(attributes)});
        e_.when(e_.b.CreateICmpEQ(done, e_.b.getInt32(0)), in_turn, false);
    } else {
        in_turn();
    }
    f_.add_work(poll_work);
}

} // namespace pm::codegen
