#include "compiler/codegen/scatter.hpp"
#include "compiler/codegen/emit_scalar.hpp"
#include "compiler/codegen/emit_steps.hpp"

namespace pm::codegen {
namespace {

/// Of one element of a cumulative step: each waits for the sum before it.
constexpr double cumulative_cost = 16;

} // namespace

double scatter_work(const plan::Step& step) {
    const auto window = static_cast<double>(step.integers[2]);
    const auto indices = static_cast<double>(step.integers[3]);
    return static_cast<double>(step.integers[0] * step.integers[1]) * (16 + 4 * indices + window);
}

double cumulative_work(const plan::Step& step) {
    return cumulative_cost * static_cast<double>(step.integers[0] * step.integers[1] * step.integers[2]);
}

void emit_scatter(Emit& e, const plan::Step& step, const plan::Program& program, llvm::ArrayRef<Value*> buffers) {
    Scatter scatter(e, step, program, buffers);
    if (scatter.empty()) return;
    const std::int64_t window = scatter.window();
    const auto width = static_cast<std::int64_t>(runtime::size_of(scatter.dtype()));
    const auto row = [&](Value* from, Value* to) {
        if (step.text == "set") {
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

void emit_running(Emit& e, const plan::Step& step, const plan::Program& program, Value* from, Value* to, Value* block,
                  Value* at, int lanes) {
    const std::int64_t n = step.integers[1];
    const std::int64_t inner = step.integers[2];
    const bool reverse = step.integers[3] != 0;
    const DType dtype = program.buffers[step.buffers[1]].dtype;
    const DType sum = accumulator(step.combine, dtype);
    const auto width = static_cast<std::int64_t>(runtime::size_of(dtype));
    llvm::Type* type = register_type(e, sum, lanes);
    Value* so_far = e.slot(type);
    // -0 leaves even the first element as it is.
    const bool adds = step.combine == nest::Combine::add && runtime::is_float(sum);
    e.b.CreateStore(adds ? llvm::ConstantFP::getNegativeZero(type)
                         : constant_bits(e, sum, nest::identity_bits(step.combine, sum), lanes),
                    so_far);
    e.polled_loop(e.int64(0), e.int64(n), 1, cumulative_cost, n, [&](Value* turn) {
        Value* i = reverse ? e.b.CreateSub(e.int64(n - 1), turn) : turn;
        Value* offset = e.mul(e.add(e.mul(e.add(e.mul(block, n), i), inner), at), width);
        const llvm::Align align(static_cast<std::uint64_t>(width));
        Value* x = to_register(e, dtype,
                               e.b.CreateAlignedLoad(memory_type(e, dtype, lanes), e.byte_offset(from, offset), align));
        Value* next = combine(e, step.combine, sum, e.b.CreateLoad(type, so_far), x);
        e.b.CreateStore(next, so_far);
        e.b.CreateAlignedStore(to_memory(e, dtype, next), e.byte_offset(to, offset), align);
    });
}

/// Runs along n for each outer and inner index, lanes along inner.
void emit_cumulative(Emit& e, const plan::Step& step, const plan::Program& program, Value* from, Value* to) {
    const std::int64_t outer = step.integers[0];
    const std::int64_t n = step.integers[1];
    const std::int64_t inner = step.integers[2];
    if (outer == 0 || n == 0 || inner == 0) return;
    const DType dtype = program.buffers[step.buffers[1]].dtype;
    const std::int64_t lanes =
        std::min<std::int64_t>(inner, e.lanes_for(std::max<std::size_t>(4, runtime::size_of(dtype))));
    const double columns_cost = cumulative_cost * static_cast<double>(n);
    const std::int64_t vectors = inner / lanes;
    const double outer_cost = columns_cost * static_cast<double>(vectors + inner % lanes);
    const auto column = [&](Value* block, Value* at, int width) {
        emit_running(e, step, program, from, to, block, at, width);
    };
    e.polled_loop(e.int64(0), e.int64(outer), 1, outer_cost, outer, [&](Value* block) {
        e.polled_loop(e.int64(0), e.int64(vectors * lanes), lanes, columns_cost, vectors,
                      [&](Value* at) { column(block, at, static_cast<int>(lanes)); });
        e.polled_loop(e.int64(vectors * lanes), e.int64(inner), 1, columns_cost, inner % lanes,
                      [&](Value* at) { column(block, at, 1); });
    });
}

} // namespace pm::codegen
