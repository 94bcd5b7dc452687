#include "compiler/codegen/gpu/prefix_scan.hpp"

#include "compiler/codegen/gpu/points.hpp"
#include "compiler/codegen/scalar/emit_scalar.hpp"
#include "compiler/codegen/steps/dot.hpp"
#include "compiler/codegen/steps/prefix_scan.hpp"

#include <array>
#include <bit>
#include <cmath>

namespace pm::codegen {

using plan::Step;

namespace {

constexpr std::int64_t group_rows = 8; ///< rows per group; the length of a row is the width of a warp
constexpr std::int64_t group = group_rows * warp;
constexpr int most_threads = 256;
constexpr std::int64_t groups_of_tile = most_threads / warp;
constexpr std::int64_t tile = groups_of_tile * group;

/// Lines of at least this length are scanned by one thread block per line.
constexpr std::int64_t least_in_block = 128;
/// The number of lines that keeps a device busy with a thread for each line, if neighbouring lines are adjacent in
/// memory.
constexpr std::int64_t many_lines = std::int64_t{1} << 14U;
/// The number of thread blocks that keeps a device busy.
constexpr std::int64_t enough_blocks = 256;
/// If a line has more tiles than this number, two additional launches are faster than one thread block.
constexpr std::int64_t few_tiles = 8;

std::int64_t length(const Step& step) { return step.as<plan::CumulativeStep>().n; }
std::int64_t lines(const Step& step) {
    return step.as<plan::CumulativeStep>().outer * step.as<plan::CumulativeStep>().inner;
}
std::int64_t tiles_of(const Step& step) { return ceil_div(length(step), tile); }

DType dtype_of(const Step& step, const plan::Program& program) { return program.buffers[step.buffers[1]].dtype; }
DType sum_of(const Step& step, const plan::Program& program) {
    return total_dtype(step.as<plan::CumulativeStep>().combine, dtype_of(step, program));
}

class PrefixScanKernel {
  public:
    PrefixScanKernel(Emit& e, Threads& threads, const Step& step, const plan::Program& program, const Mapping& mapping,
                     llvm::ArrayRef<Value*> buffers)
        : e_(e), threads_(threads), step_(step), scan_(step.as<plan::CumulativeStep>()), program_(program),
          mapping_(mapping), buffers_(buffers), dtype_(dtype_of(step, program)), sum_(sum_of(step, program)) {}

    void run() {
        const PrefixScanMethod method = prefix_scan_method(step_, program_);
        if (method == PrefixScanMethod::lines) {
            each_point(e_, threads_, mapping_, lines(step_), [&](Value* number) {
                const std::vector<Value*> at = digits(e_, number, {scan_.outer, scan_.inner});
                emit_prefix_scan({e_, step_, program_, buffers_[0], buffers_[1]}, at[0], at[1], 1);
            });
            return;
        }
        Value* thread = threads_.thread();
        lane_ = e_.b.CreateTrunc(e_.b.CreateURem(thread, e_.int64(warp)), e_.i32());
        warp_ = e_.b.CreateUDiv(thread, e_.int64(warp));
        if (mapping_.threads > warp) shared_ = threads_.shared(mapping_.threads / warp * slot_bytes);
        if (method == PrefixScanMethod::passes) return passes();
        each_point(e_, threads_, mapping_, lines(step_),
                   [&](Value* line) { scan(elements(line), e_.int64(0), length(step_), identity()); });
    }

  private:
    static constexpr std::int64_t slot_bytes = 8;

    /// The elements of a scan: elements of the operand, or totals of tiles.
    struct Line {
        std::int64_t length;
        std::function<Value*(Value* i)> load;
        std::function<void(Value* i, Value* sum)> store; ///< null: only the total is needed
    };

    Line elements(Value* line) {
        const std::vector<Value*> at = digits(e_, line, {scan_.outer, scan_.inner});
        const auto place = [this, at](Value* base, Value* i) {
            if (scan_.reverse) i = e_.b.CreateSub(e_.int64(length(step_) - 1), i);
            Value* number = e_.add(e_.mul(e_.add(e_.mul(at[0], length(step_)), i), scan_.inner), at[1]);
            return e_.byte_offset(base, e_.mul(number, static_cast<std::int64_t>(runtime::size_of(dtype_))));
        };
        return {length(step_),
                [this, place](Value* i) { return widened(e_, sum_, load_scalar(e_, dtype_, place(buffers_[0], i))); },
                [this, place](Value* i, Value* sum) {
                    store_scalar(e_, dtype_, narrowed(e_, dtype_, sum), place(buffers_[1], i));
                }};
    }

    void passes() {
        const std::int64_t tiles = tiles_of(step_);
        Value* totals = buffers_[2];
        Value* pass = e_.b.CreatePtrToInt(buffers_[3], e_.i64());
        const auto in_pass = [&](std::int64_t number, const std::function<void()>& work) {
            e_.when(e_.b.CreateICmpEQ(pass, e_.int64(number)), work);
        };
        const auto total = [&](Value* line, Value* number) {
            Value* at = e_.add(e_.mul(line, tiles), number);
            return e_.byte_offset(totals, e_.mul(at, static_cast<std::int64_t>(runtime::size_of(sum_))));
        };
        const auto each_tile = [&](const std::function<void(Value * line, Value * number)>& f) {
            each_point(e_, threads_, mapping_, lines(step_) * tiles, [&](Value* number) {
                const std::vector<Value*> at = digits(e_, number, {lines(step_), tiles});
                f(at[0], at[1]);
            });
        };
        in_pass(0, [&] {
            each_tile([&](Value* line, Value* number) {
                Line own = elements(line);
                own.store = nullptr;
                Value* sum = scan(own, e_.mul(number, groups_of_tile), tile, identity());
                e_.when(e_.b.CreateICmpEQ(threads_.thread(), e_.int64(0)),
                        [&] { store_scalar(e_, sum_, sum, total(line, number)); });
            });
        });
        in_pass(1, [&] {
            each_point(e_, threads_, mapping_, lines(step_), [&](Value* line) {
                const Line own{tiles, [&](Value* i) { return load_scalar(e_, sum_, total(line, i)); },
                               [&](Value* i, Value* sum) { store_scalar(e_, sum_, sum, total(line, i)); }};
                scan(own, e_.int64(0), tiles, identity());
            });
        });
        in_pass(2, [&] {
            each_tile([&](Value* line, Value* number) {
                Value* first = e_.b.CreateICmpEQ(number, e_.int64(0));
                Value* previous = e_.b.CreateSelect(first, number, e_.b.CreateSub(number, e_.int64(1)));
                Value* before = load_scalar(e_, sum_, total(line, previous));
                scan(elements(line), e_.mul(number, groups_of_tile), tile,
                     e_.b.CreateSelect(first, identity(), before));
            });
        });
    }

    /// Scans `count` elements from group `first` on. All threads of the thread block share the work. `before` is the
    /// combination of the elements before `first`. Returns the combination of all elements.
    Value* scan(const Line& line, Value* first, std::int64_t count, Value* before) {
        auto& b = e_.b;
        const std::int64_t warps = mapping_.threads / warp;
        Value* carry = e_.slot(before->getType());
        b.CreateStore(before, carry);
        e_.loop(0, ceil_div(count, group), warps, [&](Value* round) {
            Value* own = e_.mul(e_.add(first, e_.add(round, warp_)), group);
            std::array<Value*, group_rows> sums{};
            std::array<Value*, group_rows> at{};
            for (std::int64_t r = 0; r < group_rows; ++r) {
                at[r] = e_.add(e_.add(own, e_.int64(r * warp)), b.CreateZExt(lane_, e_.i64()));
                sums[r] = in_warp(load(line, at[r]));
            }
            for (std::int64_t r = 1; r < group_rows; ++r) sums[r] = combined(last_of(sums[r - 1]), sums[r]);
            Value* sum = b.CreateLoad(before->getType(), carry);
            Value* mine = sum;
            if (warps == 1) {
                sum = combined(sum, last_of(sums.back()));
            } else {
                threads_.barrier(); // all threads have read the sums of the previous iteration
                e_.when(b.CreateICmpEQ(lane_, b.getInt32(warp - 1)),
                        [&] { store_scalar(e_, sum_, sums.back(), slot(warp_)); });
                threads_.barrier();
                for (std::int64_t w = 0; w < warps; ++w) {
                    mine = b.CreateSelect(b.CreateICmpEQ(warp_, e_.int64(w)), sum, mine);
                    sum = combined(sum, load_scalar(e_, sum_, slot(e_.int64(w))));
                }
            }
            b.CreateStore(sum, carry);
            if (!line.store) return;
            for (std::int64_t r = 0; r < group_rows; ++r)
                e_.when(inside(line, at[r]), [&] { line.store(at[r], combined(mine, sums[r])); });
        });
        return b.CreateLoad(before->getType(), carry);
    }

    Value* slot(Value* number) { return e_.byte_offset(shared_, e_.mul(number, slot_bytes)); }
    Value* inside(const Line& line, Value* i) { return e_.b.CreateICmpSLT(i, e_.int64(line.length)); }
    Value* load(const Line& line, Value* i) {
        Value* last = e_.int64(line.length - 1);
        Value* x = line.load(e_.call(llvm::Intrinsic::smin, {e_.i64()}, {i, last}));
        return e_.b.CreateSelect(inside(line, i), x, identity());
    }

    /// Combines the value of each thread of a warp with the values of all lower-numbered threads of the warp.
    Value* in_warp(Value* x) {
        auto& b = e_.b;
        for (int distance = 1; distance < warp; distance *= 2) {
            Value* step = b.getInt32(static_cast<std::uint32_t>(distance));
            Value* source = b.CreateAnd(b.CreateSub(lane_, step), b.getInt32(warp - 1));
            Value* earlier = threads_.take(x, source, warp);
            x = b.CreateSelect(b.CreateICmpUGE(lane_, step), combined(earlier, x), x);
        }
        return x;
    }
    Value* last_of(Value* x) { return threads_.take(x, e_.b.getInt32(warp - 1), warp); }

    Value* combined(Value* a, Value* c) { return combine(e_, scan_.combine, sum_, a, c); }
    /// The identity. For a sum of floats it is -0, so a scan of elements that are all -0 returns -0.
    Value* identity() {
        llvm::Type* type = register_type(e_, sum_);
        if (scan_.combine == nest::Combine::add && runtime::is_float(sum_))
            return llvm::ConstantFP::getNegativeZero(type);
        return constant_bits(e_, sum_, nest::identity_bits(scan_.combine, sum_));
    }

    Emit& e_;
    Threads& threads_;
    const Step& step_;
    const plan::CumulativeStep& scan_;
    const plan::Program& program_;
    const Mapping& mapping_;
    llvm::ArrayRef<Value*> buffers_;
    DType dtype_;
    DType sum_;
    Value* lane_ = nullptr; ///< number of the thread in its warp, i32
    Value* warp_ = nullptr; ///< number of the warp in its thread block
    Value* shared_ = nullptr;
};

} // namespace

PrefixScanMethod prefix_scan_method(const Step& step, const plan::Program& program) {
    const auto& scan = step.as<plan::CumulativeStep>();
    const bool exact = !runtime::is_float(dtype_of(step, program)) || scan.combine == nest::Combine::max ||
                       scan.combine == nest::Combine::min;
    if (!exact && program.deterministic) return PrefixScanMethod::lines;
    const bool side_by_side = scan.inner > 1;
    if (length(step) < least_in_block || (side_by_side && lines(step) >= many_lines)) return PrefixScanMethod::lines;
    return lines(step) < enough_blocks && tiles_of(step) > few_tiles ? PrefixScanMethod::passes
                                                                     : PrefixScanMethod::blocks;
}

int prefix_scan_passes(const Step& step, const plan::Program& program) {
    return prefix_scan_method(step, program) == PrefixScanMethod::passes ? 3 : 1;
}

std::int64_t prefix_scan_scratch_bytes(const Step& step, const plan::Program& program) {
    return lines(step) * tiles_of(step) * static_cast<std::int64_t>(runtime::size_of(sum_of(step, program)));
}

double prefix_scan_iterations(const Step& step, const plan::Program& program, int threads) {
    const auto n = static_cast<double>(length(step));
    return prefix_scan_method(step, program) == PrefixScanMethod::lines ? n : std::ceil(n / threads);
}

Mapping map_prefix_scan(const Step& step, const plan::Program& program, int threads) {
    const PrefixScanMethod method = prefix_scan_method(step, program);
    if (method == PrefixScanMethod::lines) return map_points(lines(step), 1, threads == 0 ? 128 : threads);
    if (threads == 0) {
        const auto wanted = std::bit_ceil(static_cast<std::uint64_t>(ceil_div(length(step), group_rows)));
        threads = static_cast<int>(std::min<std::uint64_t>(wanted, most_threads));
        threads = std::max(threads, warp);
    }
    return map_points(lines(step) * (method == PrefixScanMethod::passes ? tiles_of(step) : 1), threads, threads);
}

void emit_prefix_scan_kernel(Emit& e, Threads& threads, const Step& step, const plan::Program& program,
                             const Mapping& mapping, llvm::ArrayRef<Value*> buffers) {
    if (lines(step) == 0 || length(step) == 0) return;
    PrefixScanKernel(e, threads, step, program, mapping, buffers).run();
}

} // namespace pm::codegen
