#pragma once
#include "compiler/codegen/nest/reduction.hpp"
#include "compiler/plan/program/program.hpp"

#include <optional>
#include <vector>

/// What products of matrices are, on every device.
namespace pm::codegen {

/// The sizes of a dot step (see plan::Step), strides in elements.
struct DotSizes {
    std::int64_t batch, m, n, k;
    std::int64_t a_b, a_m, a_k;
    std::int64_t b_b, b_k, b_n;
    std::int64_t out_b, out_m, out_n;
};
DotSizes dot_sizes(const plan::Step& step);
/// What products of elements of a dtype are summed in.
DType dot_sum(DType in);

/// a / b rounded up: how many pieces of b make a.
constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// sum + a * b of elements as they are in memory, rounded once. b1: or of and.
Value* multiply_add(Emit& e, DType dtype, Value* a, Value* b, Value* sum);

/// The order of the sum over k of an element's products, a function of the dtype and k alone. Floats: blocks of `block`
/// products, each summed by fma from 0 in increasing k; the sums of the blocks of a group of `group` products added in
/// order; the sums of the groups added in order in the dtype of total_of(), and rounded once. Other dtypes have one
/// block, since their sums are exact in any order.
struct ProductOrder {
    std::int64_t block = 0;
    std::int64_t group = 0;
    std::int64_t k = 0;

    bool has_blocks() const { return k > block; }
    bool has_groups() const { return k > group; }
};
ProductOrder product_order(DType sum, std::int64_t k);

/// `count` sums of products, each of `lanes` elements, in a ProductOrder. Partial sums of levels that the order does
/// not have do not exist.
class ProductSums {
  public:
    ProductSums(Emit& e, DType dtype, int lanes, int count, const ProductOrder& order);
    void reset();
    /// Of the current block, as they are in memory.
    Value* read(std::size_t i) const { return e_.b.CreateLoad(type_, sums_[i]); }
    void write(std::size_t i, Value* sum) { e_.b.CreateStore(sum, sums_[i]); }
    void add_product(std::size_t i, Value* a, Value* b) { write(i, multiply_add(e_, dtype_, a, b, read(i))); }
    /// The block's sums are added to those of its group, and the next block begins.
    void end_block();
    /// The group's sums are added to the totals, and the next group begins.
    void end_group();
    /// end_block() and end_group() where `end`, the number of products added so far, is a multiple of their sizes. It
    /// is called often enough to meet each such number.
    void end_blocks_at(Value* end);
    /// What products behind the last multiple of the sizes of blocks and groups have left to be ended.
    void end_rest();
    Value* result(std::size_t i);

  private:
    Emit& e_;
    DType dtype_;
    ProductOrder order_;
    llvm::Type* type_;
    std::vector<llvm::AllocaInst*> sums_;
    std::optional<Accumulator> groups_; ///< of the current group
    std::optional<Accumulator> totals_;
};

/// An epilogue: the product converted to the result's type, buffer 0, is put where its strides say, in buffer 1.
nest::Nest store_nest(const DotSizes& sizes, DType out);

} // namespace pm::codegen
