#include "compiler/codegen/emit_scalar.hpp"
#include "compiler/codegen/emit_steps.hpp"

namespace pm::codegen {
namespace {

/// out[b, i_0[b, u], .., i_(k-1)[b, u], w] is set to, or combined with, updates[b, u, w], in order of u; what is out of
/// range is dropped.
class Scatter {
  public:
    Scatter(Emit& e, const plan::Step& step, const plan::Program& program, llvm::ArrayRef<Value*> buffers)
        : e_(e), step_(step), program_(program), buffers_(buffers) {
        batch_ = step.integers[0];
        count_ = step.integers[1];
        window_ = step.integers[2];
        sizes_.assign(step.integers.begin() + 4, step.integers.end());
        block_ = window_;
        for (const std::int64_t size : sizes_) block_ *= size;
        dtype_ = program.buffers[step.buffers.back()].dtype;
        width_ = static_cast<std::int64_t>(runtime::size_of(dtype_));
    }

    void run() {
        if (batch_ == 0 || count_ == 0 || window_ == 0 || block_ == 0) return;
        const double cost = scatter_work(step_) / static_cast<double>(batch_ * count_);
        e_.polled_loop(e_.int64(0), e_.int64(batch_), 1, cost * static_cast<double>(count_), batch_, [&](Value* batch) {
            e_.polled_loop(e_.int64(0), e_.int64(count_), 1, cost, count_, [&](Value* update) { one(batch, update); });
        });
    }

  private:
    void one(Value* batch, Value* update) {
        Value* row = e_.add(e_.mul(batch, count_), update);
        Value* inside = e_.b.getTrue();
        Value* offset = e_.int64(0);
        for (std::size_t d = 0; d < sizes_.size(); ++d) {
            const DType type = program_.buffers[step_.buffers[1 + d]].dtype;
            Value* at = e_.byte_offset(buffers_[1 + d], e_.mul(row, static_cast<std::int64_t>(runtime::size_of(type))));
            Value* index = emit_scalar(e_, nest::ScalarOp::convert, DType::i64, type, {load_scalar(e_, type, at)});
            inside = e_.b.CreateAnd(inside, e_.b.CreateICmpULT(index, e_.int64(sizes_[d])));
            offset = e_.add(e_.mul(offset, sizes_[d]), index);
        }
        e_.when(inside, [&] {
            Value* to = e_.add(e_.mul(batch, block_), e_.mul(offset, window_));
            window(e_.byte_offset(buffers_.front(), e_.mul(row, window_ * width_)),
                   e_.byte_offset(buffers_.back(), e_.mul(to, width_)));
        });
    }

    void window(Value* from, Value* to) {
        if (step_.text == "set") {
            e_.b.CreateMemMove(to, llvm::Align(static_cast<std::uint64_t>(width_)), from,
                               llvm::Align(static_cast<std::uint64_t>(width_)),
                               static_cast<std::uint64_t>(window_ * width_));
            return;
        }
        const std::int64_t lanes =
            std::min<std::int64_t>(e_.lanes_for(std::max<std::size_t>(4, runtime::size_of(dtype_))), window_);
        const std::int64_t whole = window_ / lanes * lanes;
        e_.loop(0, whole, lanes, [&](Value* w) { elements(from, to, w, static_cast<int>(lanes)); });
        e_.loop(whole, window_, 1, [&](Value* w) { elements(from, to, w, 1); });
    }

    void elements(Value* from, Value* to, Value* w, int lanes) {
        llvm::Type* memory = memory_type(e_, dtype_, lanes);
        Value* at = e_.mul(w, width_);
        const llvm::Align element(runtime::size_of(dtype_));
        Value* update = to_register(e_, dtype_, e_.b.CreateAlignedLoad(memory, e_.byte_offset(from, at), element));
        Value* place = e_.byte_offset(to, at);
        Value* old = to_register(e_, dtype_, e_.b.CreateAlignedLoad(memory, place, element));
        Value* made = round_half(e_, dtype_, combine(e_, step_.combine, dtype_, old, update));
        e_.b.CreateAlignedStore(to_memory(e_, dtype_, made), place, element);
    }

    Emit& e_;
    const plan::Step& step_;
    const plan::Program& program_;
    llvm::ArrayRef<Value*> buffers_;
    std::int64_t batch_ = 0;
    std::int64_t count_ = 0;
    std::int64_t window_ = 0;
    std::int64_t block_ = 0;
    std::int64_t width_ = 0;
    std::vector<std::int64_t> sizes_;
    DType dtype_{};
};

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
    Scatter(e, step, program, buffers).run();
}

/// Runs along n for each outer and inner index, lanes along inner; each element is written as the sum so far is rounded
/// to it.
void emit_cumulative(Emit& e, const plan::Step& step, const plan::Program& program, Value* from, Value* to) {
    const std::int64_t outer = step.integers[0];
    const std::int64_t n = step.integers[1];
    const std::int64_t inner = step.integers[2];
    const bool reverse = step.integers[3] != 0;
    if (outer == 0 || n == 0 || inner == 0) return;
    const DType dtype = program.buffers[step.buffers[1]].dtype;
    const DType sum = accumulator(step.combine, dtype);
    const auto width = static_cast<std::int64_t>(runtime::size_of(dtype));
    const std::int64_t lanes =
        std::min<std::int64_t>(inner, e.lanes_for(std::max<std::size_t>(4, runtime::size_of(dtype))));
    constexpr double cost = cumulative_cost;
    const auto column = [&](Value* block, Value* at, int width_lanes) {
        llvm::Type* type = register_type(e, sum, width_lanes);
        Value* so_far = e.slot(type);
        // -0 leaves even the first element as it is.
        const bool adds = step.combine == nest::Combine::add && runtime::is_float(sum);
        e.b.CreateStore(adds ? llvm::ConstantFP::getNegativeZero(type)
                             : constant_bits(e, sum, nest::identity_bits(step.combine, sum), width_lanes),
                        so_far);
        e.polled_loop(e.int64(0), e.int64(n), 1, cost, n, [&](Value* turn) {
            Value* i = reverse ? e.b.CreateSub(e.int64(n - 1), turn) : turn;
            Value* offset = e.mul(e.add(e.mul(e.add(e.mul(block, n), i), inner), at), width);
            const llvm::Align align(static_cast<std::uint64_t>(width));
            Value* x = to_register(
                e, dtype,
                e.b.CreateAlignedLoad(memory_type(e, dtype, width_lanes), e.byte_offset(from, offset), align));
            Value* next = combine(e, step.combine, sum, e.b.CreateLoad(type, so_far), x);
            e.b.CreateStore(next, so_far);
            e.b.CreateAlignedStore(to_memory(e, dtype, next), e.byte_offset(to, offset), align);
        });
    };
    const double columns_cost = cost * static_cast<double>(n);
    const std::int64_t vectors = inner / lanes;
    const double outer_cost = columns_cost * static_cast<double>(vectors + inner % lanes);
    e.polled_loop(e.int64(0), e.int64(outer), 1, outer_cost, outer, [&](Value* block) {
        e.polled_loop(e.int64(0), e.int64(vectors * lanes), lanes, columns_cost, vectors,
                      [&](Value* at) { column(block, at, static_cast<int>(lanes)); });
        e.polled_loop(e.int64(vectors * lanes), e.int64(inner), 1, columns_cost, inner % lanes,
                      [&](Value* at) { column(block, at, 1); });
    });
}

} // namespace pm::codegen
