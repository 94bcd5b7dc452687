#include "compiler/codegen/cpu/scatter.hpp"

#include "compiler/codegen/scalar/emit_scalar.hpp"
#include "compiler/codegen/steps/scatter.hpp"

namespace pm::codegen {

void emit_scatter(Emit& e, const plan::Step& step, const plan::Program& program, llvm::ArrayRef<Value*> buffers) {
    Scatter scatter(e, step, program, buffers);
    if (scatter.empty()) return;
    const std::int64_t window = scatter.window();
    const auto width = static_cast<std::int64_t>(runtime::size_of(scatter.dtype()));
    const auto row = [&](Value* from, Value* to) {
        if (step.as<plan::ScatterStep>().replaces) {
            const llvm::Align align(static_cast<std::uint64_t>(width));
            e.b.CreateMemMove(to, align, from, align, static_cast<std::uint64_t>(window * width));
            return;
        }
        const std::int64_t lanes =
            std::min<std::int64_t>(e.lanes_for(static_cast<std::size_t>(std::max<std::int64_t>(4, width))), window);
        const std::int64_t whole = window / lanes * lanes;
        e.loop(0, whole, lanes, [&](Value* w) { scatter.elements(from, to, w, static_cast<int>(lanes)); });
        e.loop(whole, window, 1, [&](Value* w) { scatter.elements(from, to, w, 1); });
    };
    const double cost = scatter_work(step) / static_cast<double>(scatter.batch() * scatter.count());
    e.polled_loop(e.int64(0), e.int64(scatter.batch()), 1, cost * static_cast<double>(scatter.count()), scatter.batch(),
                  [&](Value* batch) {
                      e.polled_loop(e.int64(0), e.int64(scatter.count()), 1, cost, scatter.count(),
                                    [&](Value* update) { scatter.one(batch, update, row); });
                  });
}

} // namespace pm::codegen
