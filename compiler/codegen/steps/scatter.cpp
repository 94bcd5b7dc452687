#include "compiler/codegen/steps/scatter.hpp"

#include "compiler/codegen/scalar/emit_scalar.hpp"

namespace pm::codegen {

double scatter_work(const plan::Step& step) {
    const auto& scatter = step.as<plan::ScatterStep>();
    const auto window = static_cast<double>(scatter.window);
    const auto indices = static_cast<double>(scatter.sizes.size());
    return static_cast<double>(scatter.batch * scatter.count) * (16 + 4 * indices + window);
}

Scatter::Scatter(Emit& e, const plan::Step& step, const plan::Program& program, llvm::ArrayRef<Value*> buffers)
    : e_(e), step_(step), program_(program), buffers_(buffers) {
    const auto& scatter = step.as<plan::ScatterStep>();
    batch_ = scatter.batch;
    count_ = scatter.count;
    window_ = scatter.window;
    sizes_ = scatter.sizes;
    block_ = window_;
    for (const std::int64_t size : sizes_) block_ *= size;
    dtype_ = program.buffers[step.buffers.back()].dtype;
    width_ = static_cast<std::int64_t>(runtime::size_of(dtype_));
    update_dtype_ = program.buffers[step.buffers.front()].dtype;
    update_width_ = static_cast<std::int64_t>(runtime::size_of(update_dtype_));
}

Scatter::Place Scatter::place(Value* row) {
    Value* inside = e_.b.getTrue();
    Value* offset = e_.int64(0);
    for (std::size_t d = 0; d < sizes_.size(); ++d) {
        const DType type = program_.buffers[step_.buffers[1 + d]].dtype;
        Value* at = e_.byte_offset(buffers_[1 + d], e_.mul(row, static_cast<std::int64_t>(runtime::size_of(type))));
        Value* index = emit_scalar(e_, nest::ScalarOp::convert, DType::i64, type, {load_scalar(e_, type, at)});
        inside = e_.b.CreateAnd(inside, e_.b.CreateICmpULT(index, e_.int64(sizes_[d])));
        offset = e_.add(e_.mul(offset, sizes_[d]), index);
    }
    return {inside, offset};
}

void Scatter::one(Value* batch, Value* update, const std::function<void(Value*, Value*)>& write) {
    Value* row = e_.add(e_.mul(batch, count_), update);
    const Place found = place(row);
    e_.when(found.inside, [&] {
        Value* to = e_.add(e_.mul(batch, block_), e_.mul(found.number, window_));
        write(e_.byte_offset(buffers_.front(), e_.mul(row, window_ * update_width_)),
              e_.byte_offset(buffers_.back(), e_.mul(to, width_)));
    });
}

void Scatter::elements(Value* from, Value* to, Value* w, int lanes) {
    llvm::Type* memory = memory_type(e_, dtype_, lanes);
    Value* at = e_.mul(w, width_);
    const llvm::Align element(runtime::size_of(dtype_));
    Value* place = e_.byte_offset(to, at);
    Value* made = nullptr;
    if (step_.as<plan::ScatterStep>().replaces) {
        made = e_.b.CreateAlignedLoad(memory, e_.byte_offset(from, at), element);
    } else {
        Value* old = to_register(e_, dtype_, e_.b.CreateAlignedLoad(memory, place, element));
        made = combine(e_, step_.as<plan::ScatterStep>().combine, dtype_, old, update(from, w, lanes));
        made = to_memory(e_, dtype_, round_half(e_, dtype_, made));
    }
    e_.b.CreateAlignedStore(made, place, element);
}

Value* Scatter::update(Value* from, Value* w, int lanes) {
    Value* at = e_.byte_offset(from, e_.mul(w, update_width_));
    const llvm::Align element(runtime::size_of(update_dtype_));
    Value* x = e_.b.CreateAlignedLoad(memory_type(e_, update_dtype_, lanes), at, element);
    x = to_register(e_, update_dtype_, x);
    return dtype_ == update_dtype_ ? x : emit_scalar(e_, nest::ScalarOp::convert, dtype_, update_dtype_, {x});
}

} // namespace pm::codegen
