#include "compiler/codegen/cpu/dot_tile.hpp"

#include <algorithm>

namespace pm::codegen {
namespace {

/// The type of a tile's elements, which is the type of `dtype` in memory: a bool is a byte.
llvm::Type* element(Emit& e, DType dtype) { return memory_type(e, dtype); }

class TileEmitter {
  public:
    TileEmitter(Emit& e, DType dtype, const TileShape& shape, const TileOperands& at)
        : e_(e), dtype_(dtype), shape_(shape), at_(at), align_(runtime::size_of(dtype)) {
        type_ = e.vector(element(e, dtype), shape.lanes);
    }

    void run(std::int64_t k) {
        const ProductOrder order = product_order(dtype_, k);
        ProductSums sums(e_, dtype_, shape_.lanes, shape_.rows * shape_.vectors, order);
        sums.reset();
        for (int i = 0; i < shape_.rows; ++i) rows_.push_back(row(i));
        masks();
        const double cost = shape_.rows * shape_.vectors;
        if (!order.has_blocks())
            e_.polled_loop(e_.int64(0), e_.int64(k), 1, cost, k, [&](Value* step) { add_products(step, sums); });
        else
            e_.polled_loop(e_.int64(0), e_.int64(k), order.group, cost * static_cast<double>(order.group),
                           ceil_div(k, order.group), [&](Value* group) {
                               Value* end = least(e_.add(group, e_.int64(order.group)), e_.int64(k));
                               e_.loop(group, end, order.block, [&](Value* block) {
                                   add_block(block, least(e_.add(block, e_.int64(order.block)), end), k, sums);
                                   sums.end_block();
                               });
                               sums.end_group();
                           });
        store_rows(sums);
    }

  private:
    /// Adds the products from index `begin` to index `end` along k, several per iteration, so that the loop has few
    /// iterations. The processor predicts the exit of such a loop, but not the exit of a loop of 64 iterations. `begin`
    /// is a multiple of `together`.
    void add_block(Value* begin, Value* end, std::int64_t k, ProductSums& sums) {
        constexpr std::int64_t together = 4;
        const bool all = k % together == 0;
        Value* whole = all ? end : e_.b.CreateAnd(end, e_.int64(-together));
        e_.loop(begin, whole, together, [&](Value* first) {
            for (std::int64_t i = 0; i < together; ++i) add_products(e_.add(first, e_.int64(i)), sums);
        });
        if (!all) e_.loop(whole, end, 1, [&](Value* step) { add_products(step, sums); });
    }

    /// Adds the products of index `k` to the sums.
    void add_products(Value* k, ProductSums& sums) {
        std::vector<Value*> columns;
        for (int j = 0; j < shape_.vectors; ++j) columns.push_back(b_vector(k, j));
        Value* step = e_.mul(k, at_.a_step);
        for (int i = 0; i < shape_.rows; ++i) {
            Value* a = e_.b.CreateAlignedLoad(element(e_, dtype_),
                                              e_.byte_offset(rows_[static_cast<std::size_t>(i)], step), align_);
            a = e_.splat(a, shape_.lanes);
            for (int j = 0; j < shape_.vectors; ++j)
                sums.add_product(number(i, j), a, columns[static_cast<std::size_t>(j)]);
        }
    }

    void store_rows(ProductSums& sums) {
        for (int i = 0; i < shape_.rows; ++i) {
            const auto write = [&] {
                for (int j = 0; j < shape_.vectors; ++j) store(i, j, sums.result(number(i, j)));
            };
            if (at_.rows == nullptr || i == 0)
                write();
            else
                e_.when(e_.b.CreateICmpSGT(at_.rows, e_.int64(i)), write);
        }
    }

    /// The index of the sum of row i and vector j.
    std::size_t number(int i, int j) const { return static_cast<std::size_t>(i * shape_.vectors + j); }

    Value* least(Value* x, Value* y) { return e_.call(llvm::Intrinsic::smin, {e_.i64()}, {x, y}); }

    /// The address of row i. A row that does not exist has the address of the last existing row. The sums of such a row
    /// are not stored.
    Value* row(int i) {
        if (at_.rows == nullptr || i == 0) return e_.byte_offset(at_.a, i * at_.a_row);
        Value* last = e_.b.CreateSub(at_.rows, e_.int64(1));
        return e_.byte_offset(at_.a,
                              e_.mul(e_.call(llvm::Intrinsic::smin, {e_.i64()}, {last, e_.int64(i)}), at_.a_row));
    }

    void masks() {
        masks_.assign(static_cast<std::size_t>(shape_.vectors), nullptr);
        if (at_.columns == nullptr || shape_.lanes == 1) return;
        Value* left = e_.b.CreateTrunc(at_.columns, e_.i32());
        for (int j = 0; j < shape_.vectors; ++j) {
            Value* lane =
                e_.b.CreateAdd(e_.iota(e_.i32(), shape_.lanes),
                               e_.splat(e_.b.getInt32(static_cast<unsigned>(j * shape_.lanes)), shape_.lanes));
            masks_[static_cast<std::size_t>(j)] = e_.b.CreateICmpSLT(lane, e_.splat(left, shape_.lanes));
        }
    }

    Value* b_vector(Value* k, int j) {
        Value* from = e_.byte_offset(at_.b, e_.mul(k, at_.b_step));
        const auto width = static_cast<std::int64_t>(runtime::size_of(dtype_));
        from = e_.byte_offset(from, std::int64_t{j} * shape_.lanes * at_.b_column * width);
        Value* mask = at_.mask_b ? masks_[static_cast<std::size_t>(j)] : nullptr;
        if (at_.b_column != 1 && shape_.lanes > 1) {
            Value* pointers = e_.b.CreateGEP(element(e_, dtype_), from, e_.iota(e_.i64(), shape_.lanes, at_.b_column));
            return e_.b.CreateMaskedGather(type_, pointers, align_,
                                           mask != nullptr ? mask : e_.splat(e_.b.getTrue(), shape_.lanes),
                                           llvm::Constant::getNullValue(type_));
        }
        if (mask == nullptr) return e_.b.CreateAlignedLoad(type_, from, align_);
        return e_.b.CreateMaskedLoad(type_, from, align_, mask, llvm::Constant::getNullValue(type_));
    }

    void store(int i, int j, Value* value) {
        Value* to = e_.byte_offset(at_.c, i * at_.c_row + std::int64_t{j} * shape_.lanes *
                                                              static_cast<std::int64_t>(runtime::size_of(dtype_)));
        Value* mask = masks_[static_cast<std::size_t>(j)];
        if (mask == nullptr)
            e_.b.CreateAlignedStore(value, to, align_);
        else
            e_.b.CreateMaskedStore(value, to, align_, mask);
    }

    Emit& e_;
    DType dtype_;
    TileShape shape_;
    TileOperands at_;
    llvm::Align align_;
    llvm::Type* type_;
    std::vector<Value*> rows_;
    std::vector<Value*> masks_;
};

/// The number of rows of a tile of one vector. Within a block, 8 sums hide the latency of fma. At the end of a block,
/// some more sums are needed to hide this latency. Measured for f32[m, k] by a vector, first with 8 rows and then with
/// the number chosen here: 48 x 1000: 8.1 and 7.6 us, 128 x 4000: 74.1 and 69.4, 64 x 2048: 19.6 and 19.0. Rows beyond
/// m take as much time as other rows.
int rows_of_one_vector(std::int64_t m) {
    int best = 0;
    double least = 0;
    for (int rows = 12; rows >= 8; --rows) {
        const double cost = static_cast<double>(ceil_div(m, rows) * rows) * (rows < 10 ? 1.1 : 1.0);
        if (best != 0 && cost >= least) continue;
        best = rows;
        least = cost;
    }
    return best;
}

} // namespace

TileShape choose_tile(const Machine& machine, const plan::DotStep& sizes, DType dtype) {
    TileShape tile;
    const bool many = machine.avx512; // 32 vector registers instead of 16
    const int widest = machine.vector_bits / 8 / static_cast<int>(runtime::size_of(dtype));
    tile.lanes = static_cast<int>(std::min<std::int64_t>(widest, sizes.n));
    const std::int64_t vectors = (sizes.n + tile.lanes - 1) / tile.lanes;
    // 8 x 2 vectors: 16 registers for sums, 2 for b and 1 for a. A tile of 8 x 32 f32 reaches 95 to 99 % of the peak.
    tile.vectors = vectors > 1 ? 2 : 1;
    tile.rows = tile.vectors == 1 ? rows_of_one_vector(sizes.m) : many ? 8 : 6;
    if (sizes.m < tile.rows) tile.rows = static_cast<int>(std::max<std::int64_t>(1, sizes.m));
    // If there are few rows, the tile has more columns: the sums then still hide the latency of fma, and b is read in
    // long runs.
    if (sizes.m <= 4 && vectors > 2)
        tile.vectors = static_cast<int>(
            std::min<std::int64_t>(vectors, sizes.m == 1 ? (many ? 8 : 6) : (many ? 16 : 8) / sizes.m));
    return tile;
}

void emit_tile(Emit& e, DType dtype, const TileShape& shape, std::int64_t k, const TileOperands& operands) {
    TileEmitter(e, dtype, shape, operands).run(k);
}

} // namespace pm::codegen
