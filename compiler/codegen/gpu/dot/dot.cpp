#include "compiler/codegen/gpu/dot/dot.hpp"

#include "compiler/codegen/scalar/integer.hpp"

#include <algorithm>

namespace pm::codegen {
namespace {

/// Threads of a block along rows and columns of its tile.
constexpr std::int64_t side = 16;
static_assert(side * side == threads_of_dot);
/// Steps of k that are in shared memory at a time.
constexpr std::int64_t slab = 16;

/// Sums of blocks take no room from other blocks of threads: three had registers without them (80 for each thread, as
/// ptxas tells), and those of f64, which beside them are too many, are in memory between the groups.
constexpr int blocks_of_sums = 3;

/// A tile of the product: each thread sums rows * columns elements, which lie `side` apart.
struct Tile {
    std::int64_t rows = 4;
    std::int64_t columns = 4;

    explicit Tile(const DotSizes& s) {
        if (s.m <= side) rows = 1;
        if (s.n <= side) columns = 1;
    }
    std::int64_t height() const { return side * rows; }
    std::int64_t width() const { return side * columns; }
};

/// The block's tile; the sums are in the order of a processor's (ProductOrder).
class DotKernel {
  public:
    DotKernel(Emit& e, Threads& threads, const plan::Step& step, const plan::Program& program,
              llvm::ArrayRef<Value*> buffers)
        : e_(e), threads_(threads), step_(step), program_(program), s_(dot_sizes(step)), tile_(s_), buffers_(buffers),
          in_(program.buffers[step.buffers[0]].dtype), sum_(dot_sum(in_)),
          sums_(e, sum_, 1, static_cast<int>(tile_.rows * tile_.columns), product_order(sum_, s_.k)) {}

    void run(const Mapping& mapping) {
        thread_ = threads_.thread();
        row_ = e_.b.CreateUDiv(thread_, e_.int64(side));
        column_ = e_.b.CreateURem(thread_, e_.int64(side));
        const auto sum_width = static_cast<std::int64_t>(runtime::size_of(sum_));
        shared_a_ = threads_.shared(slab * tile_.height() * sum_width);
        shared_b_ = threads_.shared(slab * tile_.width() * sum_width);
        each_tile(e_, threads_, mapping, s_.batch * across() * down(), [&](Value* number) { tile(number); });
    }

  private:
    llvm::Type* element() { return memory_type(e_, sum_); }
    std::int64_t across() const { return ceil_div(s_.n, tile_.width()); }
    std::int64_t down() const { return ceil_div(s_.m, tile_.height()); }

    void tile(Value* number) {
        Value* batch = e_.b.CreateUDiv(number, e_.int64(across() * down()));
        Value* in_batch = e_.b.CreateURem(number, e_.int64(across() * down()));
        first_row_ = e_.mul(e_.b.CreateUDiv(in_batch, e_.int64(across())), tile_.height());
        first_column_ = e_.mul(e_.b.CreateURem(in_batch, e_.int64(across())), tile_.width());
        const auto width = static_cast<std::int64_t>(runtime::size_of(in_));
        a_ = e_.byte_offset(buffers_[0], e_.mul(batch, s_.a_b * width));
        b_ = e_.byte_offset(buffers_[1], e_.mul(batch, s_.b_b * width));
        sums_.reset();
        const std::int64_t whole = s_.k / slab * slab;
        e_.loop(0, whole, slab, [&](Value* k) {
            turn(k, slab);
            sums_.end_blocks_at(e_.b.CreateAdd(k, e_.int64(slab)));
        });
        if (whole < s_.k) turn(e_.int64(whole), s_.k - whole);
        sums_.end_rest();
        finish(batch);
    }

    /// The products of `count` steps of k.
    void turn(Value* k, std::int64_t count) {
        load(shared_a_, a_, first_row_, tile_.height(), s_.m, s_.a_m, k, s_.a_k);
        load(shared_b_, b_, first_column_, tile_.width(), s_.n, s_.b_n, k, s_.b_k);
        threads_.barrier();
        for (std::int64_t step = 0; step < count; ++step) {
            std::vector<Value*> rows, columns;
            for (std::int64_t i = 0; i < tile_.rows; ++i)
                rows.push_back(get(shared_a_, step * tile_.height() + i * side, row_));
            for (std::int64_t j = 0; j < tile_.columns; ++j)
                columns.push_back(get(shared_b_, step * tile_.width() + j * side, column_));
            for (std::size_t i = 0; i < rows.size(); ++i)
                for (std::size_t j = 0; j < columns.size(); ++j)
                    sums_.add_product(i * columns.size() + j, rows[i], columns[j]);
        }
        threads_.barrier();
    }

    Value* get(Value* shared, std::int64_t base, Value* index) {
        return e_.b.CreateLoad(element(), e_.b.CreateGEP(element(), shared, e_.b.CreateAdd(index, e_.int64(base))));
    }

    /// An operand's part of the tile, shared[k][line]. Neighbouring threads read neighbours in memory. What lies beyond
    /// the operand is filled with what its end has: sums made of it are not stored, and turns of k beyond not taken.
    void load(Value* shared, Value* from, Value* first, std::int64_t lines, std::int64_t extent,
              std::int64_t line_stride, Value* k, std::int64_t k_stride) {
        const bool along_k = k_stride == 1 && line_stride != 1;
        for (std::int64_t done = 0; done < lines * slab; done += side * side) {
            Value* number = e_.b.CreateAdd(thread_, e_.int64(done));
            const std::int64_t inner = along_k ? slab : lines;
            Value* fast = e_.b.CreateURem(number, e_.int64(inner));
            Value* slow = e_.b.CreateUDiv(number, e_.int64(inner));
            Value* line = along_k ? slow : fast;
            Value* step = along_k ? fast : slow;
            Value* at = e_.add(e_.mul(within(e_.b.CreateAdd(first, line), extent), line_stride),
                               e_.mul(within(e_.b.CreateAdd(k, step), s_.k), k_stride));
            Value* source = e_.byte_offset(from, e_.mul(at, static_cast<std::int64_t>(runtime::size_of(in_))));
            Value* value = convert(e_, sum_, in_, load_scalar(e_, in_, source));
            Value* slot = e_.b.CreateGEP(element(), shared, e_.b.CreateAdd(e_.mul(step, lines), line));
            e_.b.CreateStore(to_memory(e_, sum_, value), slot);
        }
    }

    Value* within(Value* index, std::int64_t extent) {
        return e_.call(llvm::Intrinsic::smin, {e_.i64()}, {index, e_.int64(extent - 1)});
    }

    void finish(Value* batch) {
        DotEnd end(e_, step_, program_, buffers_);
        for (std::int64_t i = 0; i < tile_.rows; ++i)
            for (std::int64_t j = 0; j < tile_.columns; ++j) {
                Value* m = e_.b.CreateAdd(first_row_, e_.b.CreateAdd(row_, e_.int64(i * side)));
                Value* n = e_.b.CreateAdd(first_column_, e_.b.CreateAdd(column_, e_.int64(j * side)));
                Value* there =
                    e_.b.CreateAnd(e_.b.CreateICmpSLT(m, e_.int64(s_.m)), e_.b.CreateICmpSLT(n, e_.int64(s_.n)));
                e_.when(there,
                        [&] { end.put(sums_.result(static_cast<std::size_t>(i * tile_.columns + j)), batch, m, n); });
            }
    }

    Emit& e_;
    Threads& threads_;
    const plan::Step& step_;
    const plan::Program& program_;
    DotSizes s_;
    Tile tile_;
    llvm::ArrayRef<Value*> buffers_;
    DType in_;
    DType sum_;
    ProductSums sums_;
    Value* first_row_ = nullptr; ///< of the tile
    Value* first_column_ = nullptr;
    Value* thread_ = nullptr;
    Value* row_ = nullptr; ///< of the thread in the tile
    Value* column_ = nullptr;
    Value* a_ = nullptr;
    Value* b_ = nullptr;
    Value* shared_a_ = nullptr;
    Value* shared_b_ = nullptr;
};

} // namespace

DotEnd::DotEnd(Emit& e, const plan::Step& step, const plan::Program& program, llvm::ArrayRef<Value*> buffers)
    : shape_(shape_point(step.nest ? *step.nest : store_nest(dot_sizes(step), program.buffers[step.buffers[2]].dtype))),
      body_(e, shape_, own_buffers(e, step, buffers)), sum_(dot_sum(program.buffers[step.buffers[0]].dtype)) {
    body_.replace_loads(
        [this](const Scope&, nest::Ref r) { return shape_.nest[r].access.buffer != 0 ? nullptr : product_; });
}

std::vector<Value*> DotEnd::own_buffers(Emit& e, const plan::Step& step, llvm::ArrayRef<Value*> buffers) {
    std::vector<Value*> own{llvm::ConstantPointerNull::get(e.pointer())}; // the product, which is no buffer
    if (step.nest)
        own.insert(own.end(), buffers.begin() + 3, buffers.end());
    else
        own.push_back(buffers[2]);
    return own;
}

void DotEnd::put(Value* sum, Value* batch, Value* m, Value* n) {
    Emit& e = body_.e;
    product_ = convert(e, shape_.nest.buffers[0].dtype, sum_, to_register(e, sum_, sum));
    const nest::Stage* stage = &shape_.nest.stages.front();
    Scope scope = body_.outermost();
    for (Value* index : {batch, m, n}) body_.enter(scope, index, stage);
    body_.everything(scope, *stage);
}

void each_tile(Emit& e, Threads& threads, const Mapping& mapping, std::int64_t tiles,
               const std::function<void(Value*)>& tile) {
    if (mapping.fixed && mapping.blocks == tiles)
        tile(threads.block());
    else if (mapping.fixed && mapping.blocks == 1)
        e.loop(0, tiles, 1, tile);
    else
        e.loop(threads.block(), e.int64(tiles), threads.blocks(), tile);
}

Mapping map_dot(const plan::Step& step, const plan::Program& program) {
    const DotSizes s = dot_sizes(step);
    const auto tiles_of = [&](std::int64_t height, std::int64_t width) {
        return s.batch * ceil_div(s.m, height) * ceil_div(s.n, width);
    };
    const Tile tile(s);
    const TensorTile tensor(s);
    const std::int64_t tiles =
        on_tensor_cores(step) ? tiles_of(tensor.height, tensor.width) : tiles_of(tile.height(), tile.width());
    const DType sum = dot_sum(program.buffers[step.buffers[0]].dtype);
    const bool has_blocks = !on_tensor_cores(step) && sum == DType::f32 && product_order(sum, s.k).has_blocks();
    constexpr std::int64_t most_blocks = std::int64_t{1} << 30; // a launch takes twice as many
    return {.team = threads_of_dot,
            .threads = threads_of_dot,
            .points = tiles,
            .blocks = std::min(tiles, most_blocks),
            .meets = true,
            .at_once = has_blocks ? blocks_of_sums : 1};
}

void emit_dot_kernel(Emit& e, Threads& threads, const plan::Step& step, const plan::Program& program,
                     const Mapping& mapping, llvm::ArrayRef<Value*> buffers) {
    const DotSizes s = dot_sizes(step);
    if (s.batch == 0 || s.m == 0 || s.n == 0) return;
    if (on_tensor_cores(step)) return emit_tensor_dot(e, threads, step, program, mapping, buffers);
    DotKernel(e, threads, step, program, buffers).run(mapping);
}

} // namespace pm::codegen
