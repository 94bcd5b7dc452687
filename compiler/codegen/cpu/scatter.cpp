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
        e_.loop(0, batch_, 1, [&](Value* batch) { e_.loop(0, count_, 1, [&](Value* update) { one(batch, update); }); });
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
        // Complex sums are sums of their parts.
        const bool complex = runtime::is_complex(dtype_);
        const DType type = dtype_ == DType::c64 ? DType::f32 : dtype_ == DType::c128 ? DType::f64 : dtype_;
        const int parts = complex ? 2 * lanes : lanes;
        llvm::Type* memory = memory_type(e_, type, parts);
        Value* at = e_.mul(w, width_);
        const llvm::Align element(runtime::size_of(type));
        Value* update = to_register(e_, type, e_.b.CreateAlignedLoad(memory, e_.byte_offset(from, at), element));
        Value* place = e_.byte_offset(to, at);
        Value* old = to_register(e_, type, e_.b.CreateAlignedLoad(memory, place, element));
        Value* made = round_half(e_, type, combine(e_, step_.combine, type, old, update));
        e_.b.CreateAlignedStore(to_memory(e_, type, made), place, element);
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

} // namespace

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
    const DType whole = program.buffers[step.buffers[1]].dtype;
    const bool complex = runtime::is_complex(whole);
    const DType dtype = whole == DType::c64 ? DType::f32 : whole == DType::c128 ? DType::f64 : whole;
    const DType sum = accumulator(step.combine, dtype);
    const auto width = static_cast<std::int64_t>(runtime::size_of(dtype));
    const std::int64_t row = inner * (complex ? 2 : 1);
    const std::int64_t lanes =
        std::min<std::int64_t>(row, e.lanes_for(std::max<std::size_t>(4, runtime::size_of(dtype))));
    const auto column = [&](Value* block, Value* at, int width_lanes) {
        llvm::Type* type = register_type(e, sum, width_lanes);
        Value* so_far = e.slot(type);
        // -0 leaves even the first element as it is.
        const bool adds = step.combine == nest::Combine::add && runtime::is_float(sum);
        e.b.CreateStore(adds ? llvm::ConstantFP::getNegativeZero(type)
                             : constant_bits(e, sum, nest::identity_bits(step.combine, sum), width_lanes),
                        so_far);
        e.loop(0, n, 1, [&](Value* turn) {
            Value* i = reverse ? e.b.CreateSub(e.int64(n - 1), turn) : turn;
            Value* offset = e.mul(e.add(e.mul(e.add(e.mul(block, n), i), row), at), width);
            const llvm::Align align(static_cast<std::uint64_t>(width));
            Value* x = to_register(
                e, dtype,
                e.b.CreateAlignedLoad(memory_type(e, dtype, width_lanes), e.byte_offset(from, offset), align));
            Value* next = combine(e, step.combine, sum, e.b.CreateLoad(type, so_far), x);
            e.b.CreateStore(next, so_far);
            e.b.CreateAlignedStore(to_memory(e, dtype, next), e.byte_offset(to, offset), align);
        });
    };
    e.loop(0, outer, 1, [&](Value* block) {
        const auto columns = [&](Value* at, int width_lanes) {
            // Where a column is long enough for the question to cost nothing.
            if (n >= 4096)
                e.unless_stopped([&] { column(block, at, width_lanes); });
            else
                column(block, at, width_lanes);
        };
        e.loop(0, row / lanes * lanes, lanes, [&](Value* at) { columns(at, static_cast<int>(lanes)); });
        e.loop(row / lanes * lanes, row, 1, [&](Value* at) { columns(at, 1); });
    });
}

} // namespace pm::codegen
