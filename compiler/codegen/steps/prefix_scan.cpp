#include "compiler/codegen/steps/prefix_scan.hpp"

#include "compiler/codegen/scalar/emit_scalar.hpp"

#include <bit>

namespace pm::codegen {
namespace {

using nest::Combine;

/// The approximate number of instructions for one element of a cumulative step.
constexpr double cumulative_cost = 16;

/// The elements of a row and of a block; see emit_prefix_scan().
constexpr int row_length = 8;
constexpr std::int64_t block_length = 512;
static_assert(block_length % row_length == 0);

/// Prefixes along one line, or along one line per lane.
class RunningLines {
  public:
    RunningLines(Emit& e, const plan::Step& step, const plan::Program& program, Value* from, Value* to, int lanes)
        : e_(e), scan_(step.as<plan::CumulativeStep>()), from_(from), to_(to), lanes_(lanes),
          dtype_(program.buffers[step.buffers[1]].dtype), sum_(total_dtype(scan_.combine, dtype_)), n_(scan_.n) {
        // The product of a row of f64 may overflow or underflow, although the product up to the end of this row does
        // not.
        const bool any_order = dtype_ != DType::f64 || scan_.combine != Combine::mul;
        in_rows_ = scan_.inner == 1 && any_order;
    }

    void run(Value* outer, Value* inner) {
        outer_ = outer;
        inner_ = inner;
        if (scan_.combine == Combine::add && dtype_ == DType::f64 && n_ > block_length) return blocks();
        region(e_.int64(0), n_, [](Value* so_far) { return so_far; });
    }

  private:
    using Result = std::function<Value*(Value* so_far)>;

    int wide(int lanes) const { return static_cast<int>(std::bit_ceil(static_cast<unsigned>(lanes))); }

    /// The neutral element. For a sum of floats it is -0, so a scan of elements that are all -0 returns -0.
    Value* identity(int lanes) {
        if (scan_.combine == Combine::add && runtime::is_float(sum_))
            return llvm::ConstantFP::getNegativeZero(register_type(e_, sum_, lanes));
        return constant_bits(e_, sum_, nest::identity_bits(scan_.combine, sum_), lanes);
    }
    Value* started(int lanes) {
        Value* slot = e_.slot(register_type(e_, sum_, lanes));
        e_.b.CreateStore(identity(lanes), slot);
        return slot;
    }
    Value* read(Value* slot, int lanes) { return e_.b.CreateLoad(register_type(e_, sum_, lanes), slot); }
    Value* combined(Value* a, Value* c) { return combine(e_, scan_.combine, sum_, a, c); }

    /// Scans `count` elements from `first` on, starting with the identity. Stores `result` of the prefix that ends at
    /// each element. Returns the combination of all elements.
    Value* region(Value* first, std::int64_t count, const Result& result) {
        const int lanes = in_rows_ ? row_length : wide(lanes_);
        Value* so_far = started(lanes);
        if (!in_rows_) {
            e_.polled_loop(first, e_.add(first, e_.int64(count)), 1, cumulative_cost, count, [&](Value* i) {
                Value* place = backwards() ? e_.b.CreateSub(e_.int64(n_ - 1), i) : i;
                Value* next = combined(read(so_far, lanes), load(place, lanes_, lanes));
                e_.b.CreateStore(next, so_far);
                store(place, lanes_, result(next));
            });
            return read(so_far, lanes);
        }
        const int rest = static_cast<int>(count % row_length);
        Value* end = e_.add(first, e_.int64(count - rest));
        e_.polled_loop(first, end, row_length, cumulative_cost * row_length, count / row_length,
                       [&](Value* i) { row(i, row_length, so_far, result); });
        if (rest != 0) row(end, rest, so_far, result);
        return e_.b.CreateExtractElement(read(so_far, lanes), std::uint64_t{0});
    }

    /// Scans `count` elements from `i` on. Every lane of `so_far` has the combination of all elements before `i`.
    void row(Value* i, int count, Value* so_far, const Result& result) {
        auto& b = e_.b;
        Value* place = backwards() ? b.CreateSub(e_.int64(n_ - count), i) : i;
        Value* within = prefixes(in_order(load(place, count, row_length), count));
        Value* before = read(so_far, row_length);
        Value* all = b.CreateShuffleVector(within, std::vector<int>(row_length, count - 1));
        b.CreateStore(combined(before, all), so_far);
        store(place, count, in_order(result(combined(before, within)), count));
    }

    /// Converts the first `count` lanes between the order of the line and the order in memory.
    Value* in_order(Value* x, int count) {
        if (!backwards()) return x;
        std::vector<int> lanes(row_length);
        for (int lane = 0; lane < row_length; ++lane)
            lanes[static_cast<std::size_t>(lane)] = lane < count ? count - 1 - lane : lane;
        return e_.b.CreateShuffleVector(x, lanes);
    }

    /// The prefixes of the lanes. In groups of 2, 4 and 8 lanes, the total of the lower half is combined with each lane
    /// of the upper half. (Sklansky, Conditional-sum addition logic, 1960. For nonnegative numbers the results never
    /// decrease.)
    Value* prefixes(Value* x) {
        Value* none = identity(row_length);
        for (int half = 1; half < row_length; half *= 2) {
            std::vector<int> before; // per lane: the lane to combine with it, or a lane of the identity
            for (int lane = 0; lane < row_length; ++lane)
                before.push_back((lane & half) != 0 ? (lane & -(2 * half)) + half - 1 : row_length + lane);
            x = combined(e_.b.CreateShuffleVector(x, none, before), x);
        }
        return x;
    }

    /// Scans a line in blocks. Adds the totals of the blocks, and also the rounding errors of these additions. The
    /// error of a result is thus the error of the sum of one block, for any number of blocks.
    void blocks() {
        Value* total = started(wide(lanes_));
        Value* errors = started(wide(lanes_));
        const std::int64_t rest = n_ % block_length;
        e_.polled_loop(e_.int64(0), e_.int64(n_ - rest), block_length, cumulative_cost * block_length,
                       n_ / block_length, [&](Value* first) { block(first, block_length, total, errors); });
        if (rest != 0) block(e_.int64(n_ - rest), rest, total, errors);
    }
    void block(Value* first, std::int64_t count, Value* total, Value* errors) {
        auto& b = e_.b;
        Value* before = read(total, wide(lanes_));
        Value* missed = read(errors, wide(lanes_));
        Value* own = region(first, count, [&](Value* so_far) {
            const int lanes = Emit::lanes_of(so_far);
            return b.CreateFAdd(e_.splat(before, lanes), b.CreateFAdd(e_.splat(missed, lanes), so_far));
        });
        Value* sum = b.CreateFAdd(before, own);
        b.CreateStore(sum, total);
        b.CreateStore(b.CreateFAdd(missed, error_of(sum, before, own)), errors);
    }

    /// a + c - sum, exactly (TwoSum; Knuth, The Art of Computer Programming 2, 4.2.2). If this difference is 0 or NaN
    /// (as for infinities), the result is -0, the identity.
    Value* error_of(Value* sum, Value* a, Value* c) {
        auto& b = e_.b;
        Value* of_c = b.CreateFSub(sum, a);
        Value* of_a = b.CreateFSub(sum, of_c);
        Value* error = b.CreateFAdd(b.CreateFSub(a, of_a), b.CreateFSub(c, of_c));
        Value* some = b.CreateFCmpONE(error, llvm::Constant::getNullValue(error->getType()));
        return b.CreateSelect(some, error, identity(Emit::lanes_of(error)));
    }

    bool backwards() const { return scan_.reverse; }

    /// The address of element number `place` of its line.
    Value* address(Value* base, Value* place) {
        Value* row = e_.mul(e_.add(e_.mul(outer_, n_), place), scan_.inner);
        return e_.byte_offset(base, e_.mul(e_.add(row, inner_), width()));
    }
    std::int64_t width() const { return static_cast<std::int64_t>(runtime::size_of(dtype_)); }
    llvm::Align align() const { return llvm::Align(static_cast<std::uint64_t>(width())); }

    /// Loads `count` adjacent elements into the first lanes of a register.
    Value* load(Value* place, int count, int lanes) {
        llvm::Type* type = memory_type(e_, dtype_, lanes);
        Value* from = address(from_, place);
        Value* x = nullptr;
        if (count == lanes)
            x = e_.b.CreateAlignedLoad(type, from, align());
        else
            x = e_.b.CreateMaskedLoad(type, from, align(), first_lanes(count, lanes),
                                      llvm::Constant::getNullValue(type));
        return widened(e_, sum_, to_register(e_, dtype_, x));
    }
    void store(Value* place, int count, Value* y) {
        const int lanes = Emit::lanes_of(y);
        y = to_memory(e_, dtype_, narrowed(e_, dtype_, y));
        Value* to = address(to_, place);
        if (count == lanes)
            e_.b.CreateAlignedStore(y, to, align());
        else
            e_.b.CreateMaskedStore(y, to, align(), first_lanes(count, lanes));
    }
    Value* first_lanes(int count, int lanes) {
        std::vector<llvm::Constant*> among;
        for (int lane = 0; lane < lanes; ++lane) among.push_back(e_.b.getInt1(lane < count));
        return llvm::ConstantVector::get(among);
    }

    Emit& e_;
    const plan::CumulativeStep& scan_;
    Value* from_;
    Value* to_;
    int lanes_;
    DType dtype_;
    DType sum_;
    std::int64_t n_;
    bool in_rows_ = false;
    Value* outer_ = nullptr;
    Value* inner_ = nullptr;
};

} // namespace

double cumulative_work(const plan::Step& step) {
    const auto& scan = step.as<plan::CumulativeStep>();
    return cumulative_cost * static_cast<double>(scan.outer * scan.n * scan.inner);
}

void emit_prefix_scan(const PrefixScanCode& code, Value* block, Value* at, int lanes) {
    RunningLines(code.e, code.step, code.program, code.from, code.to, lanes).run(block, at);
}

/// Scans along n for each outer and inner index. Vectors lie along the inner extent.
void emit_cumulative(Emit& e, const plan::Step& step, const plan::Program& program, Value* from, Value* to) {
    const auto& scan = step.as<plan::CumulativeStep>();
    const std::int64_t outer = scan.outer, n = scan.n, inner = scan.inner;
    if (outer == 0 || n == 0 || inner == 0) return;
    const DType dtype = program.buffers[step.buffers[1]].dtype;
    // Two adjacent registers: loads of neighbouring columns are adjacent in memory.
    const std::int64_t lanes = 2 * e.lanes_for(std::max<std::size_t>(4, runtime::size_of(dtype)));
    const std::int64_t vectors = inner / lanes;
    const std::int64_t rest = inner % lanes;
    const double cost = cumulative_cost * static_cast<double>(n);
    const auto column = [&](Value* block, Value* at, std::int64_t width) {
        emit_prefix_scan({e, step, program, from, to}, block, at, static_cast<int>(width));
    };
    e.polled_loop(e.int64(0), e.int64(outer), 1, cost * static_cast<double>(inner), outer, [&](Value* block) {
        e.polled_loop(e.int64(0), e.int64(vectors * lanes), lanes, cost * static_cast<double>(lanes), vectors,
                      [&](Value* at) { column(block, at, lanes); });
        if (rest != 0) column(block, e.int64(vectors * lanes), rest);
    });
}

} // namespace pm::codegen
