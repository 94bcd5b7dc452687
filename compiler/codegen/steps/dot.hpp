#pragma once
#include "compiler/codegen/nest/reduction.hpp"
#include "compiler/plan/program/program.hpp"

#include <optional>
#include <vector>

/// Products of matrices: the code that all devices share.
namespace pm::codegen {

/// The attributes of a dot step. If n is 1, the stride along n is set to 1, as for contiguous elements. The same holds
/// for k.
plan::DotStep dot_sizes(const plan::Step& step);
/// The dtype in which products of elements of dtype `in` are summed.
DType dot_sum(DType in);

/// a / b, rounded up.
constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// sum + a * b in the memory type, rounded once. For b1: sum or (a and b).
Value* multiply_add(Emit& e, DType dtype, Value* a, Value* b, Value* sum);

/// The order in which the products of an element are summed over k. The order depends on the dtype and k alone. Floats
/// are summed in blocks of `block` products. Within a block, fma adds the products in increasing k, starting from 0.
/// The sums of the blocks in a group of `group` products are added in order. The sums of the groups are added in order
/// in the dtype of total_of(), and the total is rounded once. Other dtypes have one block, since their sums are exact
/// in any order.
struct ProductOrder {
    std::int64_t block = 0;
    std::int64_t group = 0;
    std::int64_t k = 0;

    bool has_blocks() const { return k > block; }
    bool has_groups() const { return k > group; }
};
ProductOrder product_order(DType sum, std::int64_t k);

/// `count` sums of products in a ProductOrder, each of `lanes` elements. Sums of groups exist only if the order has
/// several blocks. Totals exist only if the order has several groups.
class ProductSums {
  public:
    ProductSums(Emit& e, DType dtype, int lanes, int count, const ProductOrder& order);
    void reset();
    /// The sum of the current block, in the memory type.
    Value* read(std::size_t i) const { return e_.b.CreateLoad(type_, sums_[i]); }
    void write(std::size_t i, Value* sum) { e_.b.CreateStore(sum, sums_[i]); }
    void add_product(std::size_t i, Value* a, Value* b) { write(i, multiply_add(e_, dtype_, a, b, read(i))); }
    /// Adds the block's sums to the sums of its group, and starts the next block.
    void end_block();
    /// Adds the group's sums to the totals, and starts the next group.
    void end_group();
    /// `end` is the number of products added so far. If `end` is a multiple of the size of a block, calls end_block().
    /// If `end` is a multiple of the size of a group, calls end_group(). The caller must call this function at every
    /// multiple of these sizes.
    void end_blocks_at(Value* end);
    /// If the last block or the last group is incomplete, ends it.
    void end_rest();
    Value* result(std::size_t i);

  private:
    Emit& e_;
    DType dtype_;
    ProductOrder order_;
    llvm::Type* type_;
    std::vector<llvm::AllocaInst*> sums_;
    std::optional<Accumulator> groups_; ///< sums of the current group
    std::optional<Accumulator> totals_;
};

/// An epilogue that only stores the product. It reads the product in the result's dtype from buffer 0 and writes it to
/// buffer 1 with the strides of the output.
nest::Nest store_nest(const plan::DotStep& sizes, DType out);

} // namespace pm::codegen
