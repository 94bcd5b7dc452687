#include "compiler/codegen/gpu/dot/dot.hpp"

#include "compiler/codegen/scalar/integer.hpp"
#include "compiler/ir/precision.hpp"

// Products of matrices with instructions of whole warps (mma.sync). A thread block computes a tile of the product. It
// advances along k in slabs of 64 bytes. Three slabs are in shared memory: one slab is multiplied while the next two
// are copied (cp.async). The eight warps of the thread block divide the tile into two rows and four columns. A line is
// a row of a or a column of b.
//
// Shared memory. A slab of an operand is `lines` x 64 bytes, in units of 16 bytes. The slab has the order of device
// memory, so neighbouring threads copy neighbouring bytes. Shared memory has 32 banks of 4 bytes, which are 8 units.
// Simultaneous accesses must be to different banks.
//
// - Along k (k has stride 1): [line][4 units of k]. Unit u of line l is stored at u ^ (l / 2 % 4). A warp reads the
//   same unit of 8 lines. Two lines have 8 units, so without the exclusive or, lines of the same parity would conflict.
//   l / 2 % 4 distinguishes these four lines. Copies of 16 bytes write the 4 units of two lines at a time, all in
//   different banks.
// - Along lines: [k][units of lines]. For 16-bit elements a warp reads the same unit of 8 steps of k, and transposes
//   the 8 x 8 elements. Unit u of step k is stored at u ^ (k % 8), which differs for the 8 steps. f32 cannot be
//   transposed this way: the threads read 8 neighbours of 4 steps of k, word by word. Unit u of step k is stored at u ^
//   (2 (k % 4)): 8 neighbours are two units, and each of the four steps has its own pair of units. Copies write
//   neighbouring units of one step.
//
// Elements outside the operands are zeros. Elements of the tile outside the product are not stored. The sums pass to
// the epilogue through shared memory, 16 lines of a warp's part at a time. So neighbouring threads have neighbouring
// elements of the result. Lines have 8 words of padding. The 16 pairs of sums that are written at once are in 4 lines.
// The padding puts these pairs into different banks.

namespace pm::codegen {
namespace {

constexpr std::int64_t slab_bytes = 64; ///< bytes of a slab along k
constexpr std::int64_t unit = 16;
constexpr std::int64_t stages = 3;
constexpr std::int64_t steps = 2; ///< steps per slab; a step has 32 bytes along k, like an instruction
constexpr std::int64_t warps_down = 2;
constexpr std::int64_t warps_across = 4;
static_assert(warps_down * warps_across * warp == threads_of_dot);
/// The size of the product of one instruction.
constexpr std::int64_t fragment_rows = 16;
constexpr std::int64_t columns = 8;

/// The number of products that the instructions add in one accumulator. The instructions truncate each sum instead of
/// rounding it. With 8 products per instruction, the error of n products is up to n 2^-26. For 4096 products, this
/// error is an eighth of the rounding error of a factor in TF32. Sums in blocks need twice as many registers, so
/// products with a smaller k have no blocks. With high precision, 4096 products of one sign had an error of 3.5e-5 on
/// an H100.
constexpr std::int64_t block_products = 4096;
constexpr std::int64_t block_products_high = 256;

/// The number of thread blocks that a large device runs at a time. If a product has fewer large tiles than this number,
/// small tiles are faster.
constexpr std::int64_t blocks_at_once = 128;
/// The number of rows of tiles that thread blocks process together, column by column.
constexpr std::int64_t rows_together = 8;

/// The distance in elements between neighbours in an operand, along each extent.
struct Strides {
    std::int64_t line, k, batch;
};

/// One factor of the product. `lines` of its lines are in the thread block's tile.
struct Side {
    std::int64_t lines;       ///< number of lines of the tile
    std::int64_t extent;      ///< number of lines of the operand
    std::int64_t line_stride; ///< in elements
    std::int64_t k_stride;
    std::int64_t k;
    std::int64_t width; ///< bytes per element
    bool along_k;       ///< whether the order in shared memory is along k
    int at_once;        ///< bytes per copy
    Value* shared = nullptr;
    Value* from = nullptr; ///< the tile's first line
    Value* first = nullptr;

    Side(std::int64_t tile, std::int64_t operand, const Strides& by, std::int64_t k_extent, const plan::Buffer& buffer)
        : lines(tile), extent(operand), line_stride(by.line), k_stride(by.k), k(k_extent),
          width(static_cast<std::int64_t>(runtime::size_of(buffer.dtype))), along_k(by.k == 1),
          at_once(static_cast<int>(width)) {
        // The greatest copy size that divides the length and alignment of each contiguous piece.
        const bool neighbours = along_k || line_stride == 1;
        for (int bytes = unit; neighbours && bytes > width; bytes /= 2) {
            const auto whole = [&](std::int64_t elements) { return elements * width % bytes == 0; };
            if (alignment_of(buffer) % bytes != 0 || !whole(by.batch) || !whole(along_k ? line_stride : k_stride) ||
                !whole(along_k ? k : extent))
                continue;
            at_once = bytes;
            break;
        }
    }
    std::int64_t bytes() const { return lines * slab_bytes; }
    /// The bytes of a contiguous piece in shared memory, and the number of pieces.
    std::int64_t piece() const { return along_k ? slab_bytes : lines * width; }
    std::int64_t pieces() const { return bytes() / piece(); }
    std::int64_t elements_of_slab() const { return slab_bytes / width; }
};

class TensorDot {
  public:
    TensorDot(Emit& e, Threads& threads, const plan::Step& step, const plan::Program& program,
              llvm::ArrayRef<Value*> buffers)
        : e_(e), threads_(threads), step_(step), program_(program), buffers_(buffers), s_(dot_sizes(step)), tile_(s_),
          in_(program.buffers[step.buffers[0]].dtype),
          a_(tile_.height, s_.m, {s_.a_m, s_.a_k, s_.batch == 1 ? 0 : s_.a_b}, s_.k, program.buffers[step.buffers[0]]),
          b_(tile_.width, s_.n, {s_.b_n, s_.b_k, s_.batch == 1 ? 0 : s_.b_b}, s_.k, program.buffers[step.buffers[1]]),
          pieces_(DotPieces::of(e, step, program, buffers)),
          sums_(e, DType::f32, 1, static_cast<int>(down() * across() * 4),
                {is_high() ? block_products_high : block_products, products(), products()}) {}

    void run(const Mapping& mapping) {
        if (pieces_)
            pieces_->run(threads_, mapping, buffers_, [&] { multiply_tiles(mapping); });
        else
            multiply_tiles(mapping);
    }

  private:
    void multiply_tiles(const Mapping& mapping) {
        thread_ = threads_.thread();
        lane_ = e_.b.CreateURem(thread_, e_.int64(warp));
        Value* number = e_.b.CreateUDiv(thread_, e_.int64(warp));
        warp_row_ = e_.mul(e_.b.CreateUDiv(number, e_.int64(warps_across)), height_of_warp());
        warp_column_ = e_.mul(e_.b.CreateURem(number, e_.int64(warps_across)), width_of_warp());
        shared_ = threads_.shared(stages * (a_.bytes() + b_.bytes()));
        a_.shared = shared_;
        b_.shared = e_.byte_offset(shared_, stages * a_.bytes());
        ends_ = e_.byte_offset(shared_, e_.mul(number, fragment_rows * line_of_ends() * bytes_of_sum));
        each_tile(e_, threads_, mapping, parts_of_k() * of_part(), [&](Value* tile) { this->tile(tile); });
    }

    static constexpr std::int64_t bytes_of_sum = 4;

    // The warp's part of the tile, in lines and in instructions.
    std::int64_t height_of_warp() const { return tile_.height / warps_down; }
    std::int64_t width_of_warp() const { return tile_.width / warps_across; }
    std::int64_t down() const { return height_of_warp() / fragment_rows; }
    std::int64_t across() const { return width_of_warp() / columns; }
    std::int64_t line_of_ends() const { return width_of_warp() + 8; }

    /// The index of a sum among all sums of the thread.
    std::size_t number(std::int64_t i, std::int64_t j, std::int64_t part) const {
        return static_cast<std::size_t>((i * across() + j) * 4 + part);
    }

    std::int64_t tiles_down() const { return ceil_div(s_.m, tile_.height); }
    std::int64_t tiles_across() const { return ceil_div(s_.n, tile_.width); }

    /// The row and column of tile `number`. Thread blocks that run at the same time have tiles in several rows and
    /// several columns, not in one row. So these thread blocks read fewer different lines of the operands.
    std::pair<Value*, Value*> place_of(Value* number) {
        if (tiles_down() == 1 || tiles_across() <= rows_together)
            return {e_.b.CreateUDiv(number, e_.int64(tiles_across())),
                    e_.b.CreateURem(number, e_.int64(tiles_across()))};
        Value* of_group = e_.int64(rows_together * tiles_across());
        Value* first = e_.mul(e_.b.CreateUDiv(number, of_group), rows_together);
        Value* left = e_.b.CreateSub(e_.int64(tiles_down()), first);
        Value* rows = e_.call(llvm::Intrinsic::umin, {e_.i64()}, {e_.int64(rows_together), left});
        number = e_.b.CreateURem(number, of_group);
        return {e_.b.CreateAdd(first, e_.b.CreateURem(number, rows)), e_.b.CreateUDiv(number, rows)};
    }

    std::int64_t parts_of_k() const { return pieces_ ? pieces_->parts().count : 1; }
    /// The number of tiles of each part of k.
    std::int64_t of_part() const { return s_.batch * tiles_down() * tiles_across(); }
    /// The number of products of a part.
    std::int64_t products() const { return pieces_ ? pieces_->parts().size : s_.k; }

    void tile(Value* number) {
        const std::int64_t of_batch = tiles_down() * tiles_across();
        Value* part = pieces_ ? e_.b.CreateUDiv(number, e_.int64(of_part())) : e_.int64(0);
        if (pieces_) number = e_.b.CreateURem(number, e_.int64(of_part()));
        Value* batch = e_.b.CreateUDiv(number, e_.int64(of_batch));
        const auto [row, column] = place_of(e_.b.CreateURem(number, e_.int64(of_batch)));
        begin(a_, 0, row, batch, s_.a_b);
        begin(b_, 1, column, batch, s_.b_b);
        sums_.reset();
        const std::int64_t of_all = ceil_div(s_.k, a_.elements_of_slab());
        const std::int64_t most = ceil_div(products(), a_.elements_of_slab());
        Value* before = e_.mul(part, most); // slabs of earlier parts
        Value* slabs = e_.int64(most);
        if (pieces_)
            slabs = e_.call(llvm::Intrinsic::smin, {e_.i64()}, {slabs, e_.b.CreateSub(e_.int64(of_all), before)});
        for (std::int64_t ahead = 0; ahead < stages - 1; ++ahead) {
            e_.when(e_.b.CreateICmpSLT(e_.int64(ahead), slabs),
                    [&] { load(e_.add(before, e_.int64(ahead)), e_.int64(ahead)); });
            threads_.close_group();
        }
        e_.loop(e_.int64(0), slabs, 1, [&](Value* iteration) {
            threads_.wait_for_groups(stages - 2);
            // After the barrier, the slab of this iteration is complete for all threads, and no thread still reads the
            // slab of the previous iteration.
            threads_.barrier();
            Value* next = e_.b.CreateAdd(iteration, e_.int64(stages - 1));
            e_.when(e_.b.CreateICmpSLT(next, slabs),
                    [&] { load(e_.add(before, next), e_.b.CreateURem(next, e_.int64(stages))); });
            threads_.close_group();
            multiply(e_.b.CreateURem(iteration, e_.int64(stages)));
            sums_.end_blocks_at(e_.mul(e_.b.CreateAdd(iteration, e_.int64(1)), a_.elements_of_slab()));
        });
        if (pieces_)
            sums_.end_block(); // the last part of the contracted axis may have fewer slabs
        else
            sums_.end_rest();
        threads_.wait_for_groups(0);
        threads_.barrier(); // the sums overwrite the slabs
        finish(part, batch);
        threads_.barrier();
    }

    void begin(Side& side, std::size_t operand, Value* tile, Value* batch, std::int64_t by_batch) {
        side.first = e_.mul(tile, side.lines);
        Value* elements = e_.add(e_.mul(batch, by_batch), e_.mul(side.first, side.line_stride));
        side.from = e_.byte_offset(buffers_[operand], e_.mul(elements, side.width));
    }

    // ---- into shared memory

    /// Loads slab number `number` of both factors into stage number `stage`.
    void load(Value* number, Value* stage) {
        for (const Side* side : {&a_, &b_}) {
            Value* to = e_.byte_offset(side->shared, e_.mul(stage, side->bytes()));
            load(*side, e_.mul(number, side->elements_of_slab()), to);
        }
    }

    void load(const Side& side, Value* k, Value* to) {
        const std::int64_t in_piece = side.piece() / side.at_once;
        Value* at = e_.b.CreateURem(thread_, e_.int64(in_piece)); // index of the thread's copy in each piece
        Value* first_piece = e_.b.CreateUDiv(thread_, e_.int64(in_piece));
        Value* elements = e_.mul(at, side.at_once / side.width);
        Value* along = e_.add(side.along_k ? k : side.first, elements);
        Value* some = e_.b.CreateICmpSLT(along, e_.int64(side.along_k ? side.k : side.extent));
        Value* start =
            e_.mul(side.along_k ? e_.add(k, elements) : elements, side.along_k ? side.k_stride : side.line_stride);
        if (!side.along_k) start = e_.add(start, e_.mul(k, side.k_stride));
        const std::int64_t apart = side.along_k ? side.line_stride : side.k_stride; // between two pieces
        Value* from = e_.byte_offset(side.from, e_.mul(e_.add(start, e_.mul(first_piece, apart)), side.width));
        for (std::int64_t done = 0; done < side.pieces(); done += threads_of_dot / in_piece) {
            Value* piece = e_.b.CreateAdd(first_piece, e_.int64(done));
            Value* number = e_.add(side.along_k ? side.first : k, piece);
            Value* there =
                e_.b.CreateAnd(some, e_.b.CreateICmpSLT(number, e_.int64(side.along_k ? side.extent : side.k)));
            Value* target = e_.byte_offset(to, place(side, piece, e_.mul(at, side.at_once)));
            copy(side, target, e_.byte_offset(from, done * apart * side.width), there);
        }
    }

    void copy(const Side& side, Value* to, Value* from, Value* there) {
        if (side.at_once >= 4) return threads_.copy_later(to, from, side.at_once, there);
        // There is no asynchronous copy of a single 16-bit element.
        llvm::Type* word = e_.b.getInt16Ty();
        Value* element = e_.b.CreateLoad(word, e_.b.CreateSelect(there, from, side.from));
        e_.b.CreateStore(e_.b.CreateSelect(there, element, llvm::ConstantInt::get(word, 0)), to);
    }

    /// The offset of byte `at` of a piece, relative to the slab. A piece is a line or a step of k.
    Value* place(const Side& side, Value* piece, Value* at) {
        auto& b = e_.b;
        Value* moved = side.along_k      ? b.CreateAnd(b.CreateLShr(piece, 1), e_.int64(3))
                       : side.width == 4 ? e_.mul(b.CreateAnd(piece, e_.int64(3)), 2)
                                         : b.CreateAnd(piece, e_.int64(7));
        return e_.add(e_.mul(piece, side.piece()), b.CreateXor(at, e_.mul(moved, unit)));
    }

    // ---- from shared memory

    using Words = std::array<Value*, 4>;

    /// Reads four blocks of 8 lines and 16 bytes of k. Each thread gets a word of each block. `block` returns two
    /// values for a block number. The first is the first line of the block, relative to `first`. The second is true if
    /// the block is in the second half of the 32 bytes.
    Words read(const Side& side, Value* slab_at, Value* first, std::int64_t step,
               const std::function<std::pair<Value*, Value*>(Value*)>& block) {
        auto& b = e_.b;
        const std::int64_t elements = unit / side.width; // number of elements in 16 bytes along k
        if (side.along_k || side.width < 4)
            return threads_.load_blocks(
                [&](Value* lane) {
                    const auto [lines, half] = block(b.CreateUDiv(lane, e_.int64(8)));
                    Value* in_block = b.CreateURem(lane, e_.int64(8));
                    Value* line = e_.add(first, lines);
                    Value* part = e_.add(e_.int64(2 * step), half);
                    return e_.byte_offset(
                        slab_at, side.along_k
                                     ? place(side, e_.add(line, in_block), e_.mul(part, unit))
                                     : place(side, e_.add(e_.mul(part, elements), in_block), e_.mul(line, side.width)));
                },
                !side.along_k);
        Words made{};
        for (std::int64_t i = 0; i < 4; ++i) {
            const auto [lines, half] = block(e_.int64(i));
            Value* line = e_.add(e_.add(first, lines), b.CreateUDiv(lane_, e_.int64(4)));
            Value* k = e_.add(e_.mul(e_.add(e_.int64(2 * step), half), elements), b.CreateURem(lane_, e_.int64(4)));
            made[static_cast<std::size_t>(i)] =
                b.CreateLoad(e_.i32(), e_.byte_offset(slab_at, place(side, k, e_.mul(line, side.width))));
        }
        return made;
    }

    /// Words as factors of the instruction. `whole` is the word, an f32 rounded to TF32. With high precision there are
    /// two more factors: `rest` is the difference between the word and `whole`; `finite` is `whole` as a factor for the
    /// `rest` of the other operand. If `whole` is not finite, `rest` and `finite` are 0. Without this rule, infinity
    /// times a small rest of the other sign would make the sum a NaN.
    struct Split {
        Words whole{};
        Words rest{};
        Words finite{};
    };
    Split split(const Words& words) {
        Split made{words, {}, {}};
        if (in_ != DType::f32) return made;
        for (std::size_t i = 0; i < words.size(); ++i) {
            Value* value = e_.b.CreateBitCast(words[i], e_.b.getFloatTy());
            made.whole[i] = threads_.to_tf32(value);
            if (!is_high()) continue;
            Value* whole = e_.b.CreateBitCast(made.whole[i], e_.b.getFloatTy());
            Value* finite = e_.b.CreateFCmpOLT(e_.call(llvm::Intrinsic::fabs, {whole->getType()}, {whole}),
                                               llvm::ConstantFP::getInfinity(whole->getType()));
            Value* rest = threads_.to_tf32(e_.b.CreateFSub(value, whole));
            made.rest[i] = e_.b.CreateSelect(finite, rest, e_.b.getInt32(0));
            made.finite[i] = e_.b.CreateSelect(finite, made.whole[i], e_.b.getInt32(0));
        }
        return made;
    }
    bool is_high() const { return step_.as<plan::DotStep>().precision == ir::precision::high && in_ == DType::f32; }

    void multiply(Value* stage) {
        Value* a = e_.byte_offset(a_.shared, e_.mul(stage, a_.bytes()));
        Value* b = e_.byte_offset(b_.shared, e_.mul(stage, b_.bytes()));
        const auto low = [&](Value* number) { return e_.b.CreateAnd(number, e_.int64(1)); };
        const auto high = [&](Value* number) { return e_.b.CreateLShr(number, 1); };
        for (std::int64_t step = 0; step < steps; ++step) {
            std::vector<Split> left, right;
            for (std::int64_t i = 0; i < down(); ++i)
                left.push_back(
                    split(read(a_, a, e_.add(warp_row_, e_.int64(i * fragment_rows)), step,
                               [&](Value* number) { return std::pair{e_.mul(low(number), 8), high(number)}; })));
            for (std::int64_t j = 0; j < across(); j += 2) // two at a time
                right.push_back(
                    split(read(b_, b, e_.add(warp_column_, e_.int64(j * columns)), step,
                               [&](Value* number) { return std::pair{e_.mul(high(number), 8), low(number)}; })));
            for (std::int64_t i = 0; i < down(); ++i)
                for (std::int64_t j = 0; j < across(); ++j) {
                    const Split& x = left[static_cast<std::size_t>(i)];
                    const Split& y = right[static_cast<std::size_t>(j / 2)];
                    const auto at = static_cast<std::size_t>(2 * (j % 2));
                    Words c{};
                    for (std::int64_t part = 0; part < 4; ++part)
                        c[static_cast<std::size_t>(part)] = sums_.read(number(i, j, part));
                    const auto add = [&](const Words& p, const Words& q) {
                        c = threads_.multiply_add(factors(), p, {q[at], q[at + 1]}, c);
                    };
                    if (is_high()) { // small terms first
                        add(x.rest, y.finite);
                        add(x.finite, y.rest);
                    }
                    add(x.whole, y.whole);
                    for (std::int64_t part = 0; part < 4; ++part)
                        sums_.write(number(i, j, part), c[static_cast<std::size_t>(part)]);
                }
        }
    }
    Factors factors() const {
        return in_ == DType::f32 ? Factors::tf32 : in_ == DType::bf16 ? Factors::bf16 : Factors::f16;
    }

    // ---- from the sums to the epilogue

    void finish(Value* part, Value* batch) {
        auto& b = e_.b;
        DotEpilogue end(e_, step_, program_, buffers_.take_front(step_.buffers.size()));
        const auto put = [&](Value* sum, Value* m, Value* n) {
            if (pieces_)
                pieces_->put(sum, part, batch, m, n);
            else
                end.put(sum, batch, m, n);
        };
        llvm::Type* pair = e_.vector(b.getFloatTy(), 2);
        Value* row = b.CreateUDiv(lane_, e_.int64(4));
        Value* column = e_.mul(b.CreateURem(lane_, e_.int64(4)), 2);
        const auto place_of = [&](Value* line, Value* at) {
            return e_.byte_offset(ends_, e_.mul(e_.add(e_.mul(line, line_of_ends()), at), bytes_of_sum));
        };
        for (std::int64_t i = 0; i < down(); ++i) {
            for (std::int64_t j = 0; j < across(); ++j)
                for (std::int64_t half = 0; half < 2; ++half) {
                    Value* both = llvm::PoisonValue::get(pair);
                    for (std::int64_t n = 0; n < 2; ++n)
                        both = b.CreateInsertElement(both, sums_.result(number(i, j, 2 * half + n)), e_.int64(n));
                    b.CreateAlignedStore(
                        both, place_of(e_.add(row, e_.int64(8 * half)), e_.add(column, e_.int64(j * columns))),
                        llvm::Align(8));
                }
            threads_.team_barrier(warp);
            e_.loop(0, fragment_rows * width_of_warp() / warp, 1, [&](Value* iteration) {
                Value* number = e_.add(e_.mul(iteration, warp), lane_);
                Value* line = b.CreateUDiv(number, e_.int64(width_of_warp()));
                Value* at = b.CreateURem(number, e_.int64(width_of_warp()));
                Value* m = e_.add(e_.add(a_.first, e_.add(warp_row_, e_.int64(i * fragment_rows))), line);
                Value* n = e_.add(e_.add(b_.first, warp_column_), at);
                Value* there = b.CreateAnd(b.CreateICmpSLT(m, e_.int64(s_.m)), b.CreateICmpSLT(n, e_.int64(s_.n)));
                e_.when(there, [&] { put(b.CreateLoad(b.getFloatTy(), place_of(line, at)), m, n); });
            });
            threads_.team_barrier(warp);
        }
    }

    Emit& e_;
    Threads& threads_;
    const plan::Step& step_;
    const plan::Program& program_;
    llvm::ArrayRef<Value*> buffers_;
    plan::DotStep s_;
    TensorTile tile_;
    DType in_;
    Side a_;
    Side b_;
    Value* thread_ = nullptr;
    Value* lane_ = nullptr;
    Value* warp_row_ = nullptr; ///< the first row of the warp's part, relative to the tile
    Value* warp_column_ = nullptr;
    Value* shared_ = nullptr;
    Value* ends_ = nullptr; ///< the warp's sums for the epilogue
    std::optional<DotPieces> pieces_;
    ProductSums sums_;
};

} // namespace

TensorTile::TensorTile(const plan::DotStep& s) {
    constexpr std::int64_t large = 128;
    const std::int64_t tall = s.m > height ? large : height;
    const std::int64_t wide = s.n > width ? large : width;
    if (s.batch * ceil_div(s.m, tall) * ceil_div(s.n, wide) < blocks_at_once) return;
    height = tall;
    width = wide;
}

bool on_tensor_cores(const plan::Step& dot) {
    const plan::DotStep s = dot_sizes(dot);
    return !s.precision.empty() && s.m > few_lines && s.n > few_lines;
}

void emit_tensor_dot(Emit& e, Threads& threads, const plan::Step& step, const plan::Program& program,
                     const Mapping& mapping, llvm::ArrayRef<Value*> buffers) {
    TensorDot(e, threads, step, program, buffers).run(mapping);
}

} // namespace pm::codegen
