#include "compiler/codegen/gpu/dot/dot.hpp"
#include "compiler/ir/precision.hpp"

// Large products run in the device's library, which is tuned to the device. The PTX of a kernel is for a whole family
// of devices. On an H100, including launch and wait, a product of size 512 takes 34 us in the library and 29 us in the
// kernel. Size 1024 takes 45 and 54 us, size 2048 takes 81 and 187 us.

namespace pm::codegen {
namespace {

/// The number of multiplications that the fastest device computes in about a microsecond. With fewer multiplications,
/// the cost of a launch dominates.
constexpr double least_work = 1 << 27;
/// The least k for which the library computes a product whose epilogue the library cannot compute. With a smaller k,
/// storing and reloading the product takes longer than the library saves.
constexpr std::int64_t least_k_with_epilogue = 1024;

} // namespace

std::vector<LibraryProduct> products_for_library(const plan::Step& dot, const plan::Program& program) {
    if (program.deterministic || !on_tensor_cores(dot)) return {};
    const plan::DotStep s = dot_sizes(dot);
    const auto work =
        static_cast<double>(s.batch) * static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k);
    if (work < least_work) return {};
    const DType in = program.buffers[dot.buffers[0]].dtype;
    if (in == DType::f32 && s.precision != ir::precision::standard) return {};
    const runtime::ProductSpec spec{in,      program.buffers[dot.buffers[2]].dtype,
                                    s.batch, s.m,
                                    s.n,     s.k,
                                    s.a_b,   s.a_m,
                                    s.a_k,   s.b_b,
                                    s.b_k,   s.b_n,
                                    s.out_b, s.out_m,
                                    s.out_n};
    std::vector<LibraryProduct> made;
    if (auto whole = product_with_epilogue(dot, spec)) made.push_back(*std::move(whole));
    if (!library_multiplies(spec) || (dot.nest && s.k < least_k_with_epilogue)) return made;
    LibraryProduct& alone = made.emplace_back(spec);
    if (dot.nest) {
        plan::Step& epilogue = alone.epilogue.emplace();
        epilogue.attributes = plan::NestStep{};
        epilogue.nest = dot.nest;
        epilogue.buffers.assign(dot.buffers.begin() + 2, dot.buffers.end());
    }
    return made;
}

} // namespace pm::codegen
