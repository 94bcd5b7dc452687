#include "compiler/codegen/gpu/dot/dot.hpp"

#include "compiler/codegen/gpu/points.hpp"
#include "compiler/codegen/scalar/integer.hpp"

#include <algorithm>

namespace pm::codegen {
namespace {

/// The threads of a thread block form a square over the block's tile. `side` is the number of threads along the rows,
/// and along the columns.
constexpr std::int64_t side = 16;
static_assert(side * side == threads_of_dot);
/// The number of steps of k (indices along k) whose elements are in shared memory at a time.
constexpr std::int64_t slab = 16;

/// The bytes of a vector in shared memory. Each step of k is followed by padding of this size, so elements adjacent
/// along k are in different banks.
constexpr std::int64_t vector_bytes = 16;

/// The number of large tiles that keep a large device busy for several waves of blocks.
constexpr std::int64_t many_tiles = 512;

/// A tile of the product. Each thread sums rows * columns neighbouring elements, and reads their factors as vectors.
struct Tile {
    std::int64_t rows = 4;
    std::int64_t columns = 4;

    explicit Tile(const plan::DotStep& s) {
        if (s.m <= side) rows = 1;
        if (s.n <= side) columns = 1;
        constexpr std::int64_t more = 8;
        // True if each tile with `more` rows per thread has more than half of its rows inside the product.
        const bool fills = 2 * ceil_div(s.m, more * side) == ceil_div(s.m, 4 * side);
        if (fills && columns > 1 && s.batch * ceil_div(s.m, more * side) * ceil_div(s.n, width()) >= many_tiles)
            rows = more;
    }
    /// The number of thread blocks for which a multiprocessor has registers, if the sums are cut into blocks
    /// (ProductOrder). No registers are left for the f64 totals, so the totals are in memory between groups. ptxas
    /// reports 80 registers per thread, or 128 registers if `rows` is 8.
    int blocks_of_sums() const { return rows > 4 ? 2 : 3; }
    std::int64_t height() const { return side * rows; }
    std::int64_t width() const { return side * columns; }
};

/// Computes the product of the thread block's tile. The sums have the order of the CPU (ProductOrder). A line is a row
/// of a or a column of b.
class DotKernel {
  public:
    DotKernel(Emit& e, Threads& threads, const plan::Step& step, const plan::Program& program,
              llvm::ArrayRef<Value*> buffers)
        : e_(e), threads_(threads), step_(step), program_(program), s_(dot_sizes(step)), tile_(s_), buffers_(buffers),
          in_(program.buffers[step.buffers[0]].dtype), sum_(dot_sum(in_)),
          pieces_(DotPieces::of(e, step, program, buffers)),
          sums_(e, sum_, 1, static_cast<int>(tile_.rows * tile_.columns),
                pieces_ ? ProductOrder{s_.k, s_.k, s_.k} : product_order(sum_, s_.k)) {}

    void run(const Mapping& mapping) {
        if (pieces_)
            pieces_->run(threads_, mapping, buffers_, [&] { multiply(mapping); });
        else
            multiply(mapping);
    }

  private:
    void multiply(const Mapping& mapping) {
        thread_ = threads_.thread();
        row_ = e_.b.CreateUDiv(thread_, e_.int64(side));
        column_ = e_.b.CreateURem(thread_, e_.int64(side));
        const auto sum_width = static_cast<std::int64_t>(runtime::size_of(sum_));
        shared_a_ = threads_.shared(slab * pitch(tile_.height()) * sum_width);
        shared_b_ = threads_.shared(slab * pitch(tile_.width()) * sum_width);
        const std::int64_t parts = pieces_ ? pieces_->parts().count : 1;
        each_tile(e_, threads_, mapping, parts * s_.batch * across() * down(), [&](Value* number) { tile(number); });
    }

    llvm::Type* element() { return memory_type(e_, sum_); }
    /// The distance in elements between two steps of k in shared memory: a multiple of a vector, so each step is
    /// aligned.
    std::int64_t pitch(std::int64_t lines) const {
        return lines + std::max<std::int64_t>(vector_bytes / static_cast<std::int64_t>(runtime::size_of(sum_)), 4);
    }
    std::int64_t across() const { return ceil_div(s_.n, tile_.width()); }
    std::int64_t down() const { return ceil_div(s_.m, tile_.height()); }

    void tile(Value* number) {
        const std::int64_t of_part = s_.batch * across() * down();
        Value* part = pieces_ ? e_.b.CreateUDiv(number, e_.int64(of_part)) : nullptr;
        if (pieces_) number = e_.b.CreateURem(number, e_.int64(of_part));
        batch_ = e_.b.CreateUDiv(number, e_.int64(across() * down()));
        Value* in_batch = e_.b.CreateURem(number, e_.int64(across() * down()));
        first_row_ = e_.mul(e_.b.CreateUDiv(in_batch, e_.int64(across())), tile_.height());
        first_column_ = e_.mul(e_.b.CreateURem(in_batch, e_.int64(across())), tile_.width());
        const auto width = static_cast<std::int64_t>(runtime::size_of(in_));
        a_ = e_.byte_offset(buffers_[0], e_.mul(batch_, s_.a_b * width));
        b_ = e_.byte_offset(buffers_[1], e_.mul(batch_, s_.b_b * width));
        sums_.reset();
        if (pieces_) return sum_part(part);
        const std::int64_t whole = s_.k / slab * slab;
        e_.loop(0, whole, slab, [&](Value* k) {
            iteration(k, slab);
            sums_.end_blocks_at(e_.b.CreateAdd(k, e_.int64(slab)));
        });
        if (whole < s_.k) iteration(e_.int64(whole), s_.k - whole);
        sums_.end_rest();
        DotEpilogue end(e_, step_, program_, buffers_);
        each_element([&](std::size_t i, Value* m, Value* n) { end.put(sums_.result(i), batch_, m, n); });
    }

    /// Computes the sums of a part's pieces.
    void sum_part(Value* part) {
        const DotParts& parts = pieces_->parts();
        const std::int64_t whole = s_.k / slab * slab;
        Value* begin = e_.mul(part, parts.size);
        Value* end = e_.b.CreateAdd(begin, e_.int64(parts.size));
        e_.loop(begin, e_.call(llvm::Intrinsic::smin, {e_.i64()}, {end, e_.int64(whole)}), slab, [&](Value* k) {
            iteration(k, slab);
            Value* next = e_.b.CreateAdd(k, e_.int64(slab));
            Value* piece = e_.b.CreateUDiv(next, e_.int64(parts.piece));
            Value* ends = e_.b.CreateICmpEQ(e_.b.CreateURem(next, e_.int64(parts.piece)), e_.int64(0));
            e_.when(ends, [&] { keep(e_.b.CreateSub(piece, e_.int64(1))); });
        });
        if (s_.k % parts.piece == 0) return;
        e_.when(e_.b.CreateICmpEQ(part, e_.int64(parts.count - 1)), [&] {
            if (whole < s_.k) iteration(e_.int64(whole), s_.k - whole);
            keep(e_.int64(s_.k / parts.piece));
        });
    }

    /// Stores the sums of a piece and resets them for the next piece.
    void keep(Value* piece) {
        each_element([&](std::size_t i, Value* m, Value* n) { pieces_->put(sums_.read(i), piece, batch_, m, n); });
        sums_.reset();
    }

    /// Adds the products of `count` steps of k.
    void iteration(Value* k, std::int64_t count) {
        load(shared_a_, {a_, s_.m, s_.a_m, s_.a_k}, first_row_, tile_.height(), k);
        load(shared_b_, {b_, s_.n, s_.b_n, s_.b_k}, first_column_, tile_.width(), k);
        threads_.barrier();
        for (std::int64_t step = 0; step < count; ++step) {
            const std::vector<Value*> rows = get(shared_a_, step * pitch(tile_.height()), row_, tile_.rows);
            const std::vector<Value*> columns = get(shared_b_, step * pitch(tile_.width()), column_, tile_.columns);
            for (std::size_t i = 0; i < rows.size(); ++i)
                for (std::size_t j = 0; j < columns.size(); ++j)
                    sums_.add_product(i * columns.size() + j, rows[i], columns[j]);
        }
        threads_.barrier();
    }

    /// Loads the elements of the `count` lines of a thread at one step of k.
    std::vector<Value*> get(Value* shared, std::int64_t base, Value* thread, std::int64_t count) {
        Value* at = e_.b.CreateGEP(element(), shared, e_.add(e_.mul(thread, count), e_.int64(base)));
        const auto width = static_cast<std::uint64_t>(count) * runtime::size_of(sum_);
        Value* all = e_.b.CreateAlignedLoad(memory_type(e_, sum_, static_cast<int>(count)), at,
                                            llvm::Align(std::min<std::uint64_t>(width, vector_bytes)));
        std::vector<Value*> made;
        for (std::int64_t i = 0; i < count; ++i)
            made.push_back(count == 1 ? all : e_.b.CreateExtractElement(all, e_.int64(i)));
        return made;
    }

    struct Operand {
        Value* from;
        std::int64_t extent; ///< the number of lines
        std::int64_t line_stride, k_stride;
    };
    /// Loads an operand's part of the tile, `lines` lines from `first` on, as shared[k][line]. Neighbouring threads
    /// read neighbouring memory. An index outside the operand is replaced by the last index. Sums for lines outside the
    /// operand are not stored, and steps of k outside the operand are not added.
    void load(Value* shared, const Operand& operand, Value* first, std::int64_t lines, Value* k) {
        const auto [from, extent, line_stride, k_stride] = operand;
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
            Value* slot = e_.b.CreateGEP(element(), shared, e_.b.CreateAdd(e_.mul(step, pitch(lines)), line));
            e_.b.CreateStore(to_memory(e_, sum_, value), slot);
        }
    }

    Value* within(Value* index, std::int64_t extent) {
        return e_.call(llvm::Intrinsic::smin, {e_.i64()}, {index, e_.int64(extent - 1)});
    }

    /// Calls `f` for the elements of the thread that are inside the product.
    void each_element(const std::function<void(std::size_t, Value*, Value*)>& f) {
        for (std::int64_t i = 0; i < tile_.rows; ++i)
            for (std::int64_t j = 0; j < tile_.columns; ++j) {
                Value* m = e_.add(first_row_, e_.add(e_.mul(row_, tile_.rows), e_.int64(i)));
                Value* n = e_.add(first_column_, e_.add(e_.mul(column_, tile_.columns), e_.int64(j)));
                Value* there =
                    e_.b.CreateAnd(e_.b.CreateICmpSLT(m, e_.int64(s_.m)), e_.b.CreateICmpSLT(n, e_.int64(s_.n)));
                e_.when(there, [&] { f(static_cast<std::size_t>(i * tile_.columns + j), m, n); });
            }
    }

    Emit& e_;
    Threads& threads_;
    const plan::Step& step_;
    const plan::Program& program_;
    plan::DotStep s_;
    Tile tile_;
    llvm::ArrayRef<Value*> buffers_;
    DType in_;
    DType sum_;
    std::optional<DotPieces> pieces_;
    ProductSums sums_;
    Value* batch_ = nullptr;     ///< batch index of the tile
    Value* first_row_ = nullptr; ///< index of the first row of the tile
    Value* first_column_ = nullptr;
    Value* thread_ = nullptr;
    Value* row_ = nullptr; ///< index of the thread along the rows of the tile
    Value* column_ = nullptr;
    Value* a_ = nullptr;
    Value* b_ = nullptr;
    Value* shared_a_ = nullptr;
    Value* shared_b_ = nullptr;
};

} // namespace

DotEpilogue::DotEpilogue(Emit& e, const plan::Step& step, const plan::Program& program, llvm::ArrayRef<Value*> buffers)
    : shape_(shape_point(step.nest ? *step.nest : store_nest(dot_sizes(step), program.buffers[step.buffers[2]].dtype))),
      body_(e, shape_, own_buffers(e, step, buffers)), sum_(dot_sum(program.buffers[step.buffers[0]].dtype)) {
    body_.replace_loads(
        [this](const Scope&, nest::Ref r) { return shape_.nest[r].access.buffer != 0 ? nullptr : product_; });
}

std::vector<Value*> DotEpilogue::own_buffers(Emit& e, const plan::Step& step, llvm::ArrayRef<Value*> buffers) {
    std::vector<Value*> own{llvm::ConstantPointerNull::get(e.pointer())}; // the product, which is not in a buffer
    if (step.nest)
        own.insert(own.end(), buffers.begin() + 3, buffers.end());
    else
        own.push_back(buffers[2]);
    return own;
}

void DotEpilogue::put(Value* sum, Value* batch, Value* m, Value* n) {
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

std::int64_t tiles_of_dot(const plan::Step& dot) {
    const plan::DotStep s = dot_sizes(dot);
    const Tile tile(s);
    const TensorTile tensor(s);
    const bool cores = on_tensor_cores(dot);
    return s.batch * ceil_div(s.m, cores ? tensor.height : tile.height()) *
           ceil_div(s.n, cores ? tensor.width : tile.width());
}

Mapping map_dot(const plan::Step& step, const plan::Program& program, int threads) {
    const plan::DotStep s = dot_sizes(step);
    const DType sum = dot_sum(program.buffers[step.buffers[0]].dtype);
    const bool has_blocks = !on_tensor_cores(step) && sum == DType::f32 && product_order(sum, s.k).has_blocks();
    const DotParts parts = threads == 0 ? parts_of(step, program) : DotParts{};
    const std::int64_t tiles = parts.count * tiles_of_dot(step);
    constexpr std::int64_t most_blocks = std::int64_t{1} << 30; // a launch can have twice this number of thread blocks
    Mapping mapping{.team = threads_of_dot,
                    .threads = threads_of_dot,
                    .points = tiles,
                    .blocks = std::min(tiles, most_blocks),
                    .has_barriers = true,
                    .at_once = has_blocks && parts.count == 1 ? Tile(s).blocks_of_sums() : 1};
    if (parts.count > 1)
        mapping.blocks =
            std::max(mapping.blocks, map_points(s.batch * s.m * s.n, team_of_totals(s), threads_of_dot).blocks);
    return mapping;
}

void emit_dot_kernel(Emit& e, Threads& threads, const plan::Step& step, const plan::Program& program,
                     const Mapping& mapping, llvm::ArrayRef<Value*> buffers) {
    const plan::DotStep s = dot_sizes(step);
    if (s.batch == 0 || s.m == 0 || s.n == 0) return;
    if (on_tensor_cores(step)) return emit_tensor_dot(e, threads, step, program, mapping, buffers);
    DotKernel(e, threads, step, program, buffers).run(mapping);
}

} // namespace pm::codegen
