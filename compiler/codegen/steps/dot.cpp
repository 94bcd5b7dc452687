#include "compiler/codegen/steps/dot.hpp"

namespace pm::codegen {
namespace {

// The sizes of blocks and groups were chosen by the following measurements. Errors are in units of 2e-7 log2(k). For
// each of 20,000 pairs of factors, the product was added k times; the roundings of such a sum all have the same
// direction. The errors are at most 0.81 (k = 64), 0.55 (1024), 0.34 (65536). With blocks of 128 products, they are at
// most 1.37, 1.01, 0.63. With one accumulator for 1M products, the error is 2961. For normal and uniform numbers, the
// errors are at most 0.16.
//
// Times, one core (AVX-512), with one accumulator and with blocks:
//   matrix product 512           1.28 ms   1.23 ms    (with the loop over a block not unrolled 1.32 ms)
//   matrix product 1024         10.2       9.8
//   of f64, 512                  2.59      2.50
//   matrix by vector 2048        0.63      0.65
//   vector by matrix 2048        0.64      0.64
//   1000 products of 8 x 8       0.0123    0.0123
//   a vector of 1M by another    1.01      0.45
constexpr std::int64_t products_of_block = 64;
constexpr std::int64_t products_of_group = 1024;

} // namespace

plan::DotStep dot_sizes(const plan::Step& step) {
    auto s = step.as<plan::DotStep>();
    if (s.n == 1) s.b_n = s.out_n = 1;
    if (s.k == 1) s.a_k = 1;
    return s;
}

DType dot_sum(DType in) { return runtime::is_half(in) ? DType::f32 : in; }

Value* multiply_add(Emit& e, DType dtype, Value* a, Value* b, Value* sum) {
    if (runtime::is_float(dtype)) return e.call(llvm::Intrinsic::fma, {sum->getType()}, {a, b, sum});
    if (dtype == DType::b1) return e.b.CreateOr(sum, e.b.CreateAnd(a, b));
    return e.b.CreateAdd(sum, e.b.CreateMul(a, b));
}

ProductOrder product_order(DType sum, std::int64_t k) {
    if (!runtime::is_float(sum)) return {k, k, k};
    return {products_of_block, products_of_group, k};
}

ProductSums::ProductSums(Emit& e, DType dtype, int lanes, int count, const ProductOrder& order)
    : e_(e), dtype_(dtype), order_(order), type_(memory_type(e, dtype, lanes)) {
    const Reduction sum{{}, nest::Combine::add, dtype, dtype, false};
    for (int i = 0; i < count; ++i) sums_.push_back(e.slot(type_));
    if (order.has_blocks()) groups_.emplace(e, sum, lanes, count);
    if (order.has_groups()) totals_.emplace(e, total_of(sum), lanes, count);
}

void ProductSums::reset() {
    for (std::size_t i = 0; i < sums_.size(); ++i) write(i, llvm::Constant::getNullValue(type_));
    if (groups_) groups_->reset();
    if (totals_) totals_->reset();
}

void ProductSums::end_block() {
    if (!groups_) return;
    for (std::size_t i = 0; i < sums_.size(); ++i) {
        groups_->add(i, {read(i), nullptr}, nullptr);
        write(i, llvm::Constant::getNullValue(type_));
    }
}

void ProductSums::end_group() {
    if (!totals_) return;
    for (std::size_t i = 0; i < sums_.size(); ++i)
        totals_->add(i, widened(e_, totals_->reduction(), groups_->read(i)), nullptr);
    groups_->reset();
}

void ProductSums::end_blocks_at(Value* end) {
    const auto ends = [&](std::int64_t size) {
        return e_.b.CreateICmpEQ(e_.b.CreateURem(end, e_.int64(size)), e_.int64(0));
    };
    if (!groups_) return;
    e_.when(ends(order_.block), [&] {
        end_block();
        if (totals_) e_.when(ends(order_.group), [&] { end_group(); });
    });
}

void ProductSums::end_rest() {
    if (groups_ && order_.k % order_.block != 0) end_block();
    if (totals_ && order_.k % order_.group != 0) end_group();
}

Value* ProductSums::result(std::size_t i) {
    if (totals_) return narrowed(e_, groups_->reduction().dtype, totals_->read(i).value);
    return groups_ ? groups_->read(i).value : read(i);
}

nest::Nest store_nest(const plan::DotStep& s, DType out) {
    nest::Nest made;
    made.name = "store";
    made.grid = {s.batch, s.m, s.n};
    made.buffers = {{out, false}, {out, true}};
    made.insts.resize(2);
    made.insts[0].op = nest::ScalarOp::load;
    made.insts[0].dtype = out;
    made.insts[0].access.offset.coefficients = {s.m * s.n, s.n, 1};
    made.insts[1].op = nest::ScalarOp::store;
    made.insts[1].dtype = out;
    made.insts[1].operands = {nest::Ref{0}};
    made.insts[1].access.buffer = 1;
    made.insts[1].access.offset.coefficients = {s.out_b, s.out_m, s.out_n};
    made.stages.emplace_back();
    made.stages[0].body = {nest::Ref{0}, nest::Ref{1}};
    return made;
}

} // namespace pm::codegen
