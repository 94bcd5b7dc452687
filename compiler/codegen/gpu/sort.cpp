#include "compiler/codegen/gpu/sort.hpp"

#include "compiler/codegen/gpu/points.hpp"
#include "compiler/codegen/steps/dot.hpp"
#include "runtime/gpu/device/thread.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace pm::codegen {

using plan::Step;

namespace {

constexpr std::int64_t most_in_tile = 1024;
constexpr std::int64_t most_sort_threads = 256;
constexpr std::size_t most_keys = 32;
constexpr std::int64_t index_bytes = 4;

/// The bytes of the key word for an element of this dtype.
std::int64_t word_bytes(DType dtype) { return runtime::size_of(dtype) <= 4 ? 4 : 8; }

/// The number of rows that a thread block sorts at a time.
std::int64_t rows_in_tile(const SortSizes& s) {
    if (s.in_passes()) return 1;
    const std::int64_t room = std::min(most_sort_threads, s.tile) / std::max<std::int64_t>(1, s.n);
    return std::max<std::int64_t>(1, std::min(s.rows, room));
}

/// The number of elements that a thread block sorts at a time.
std::int64_t in_tile(const SortSizes& s) { return s.in_passes() ? s.tile : rows_in_tile(s) * s.n; }

/// The layout of entries: an array for each key word, then an array of indices.
class Planes {
  public:
    Planes(const SortSizes& s, const Step& step, const plan::Program& program) {
        for (std::size_t k = 0; k < s.keys; ++k) widths_.push_back(word_bytes(program.buffers[step.buffers[k]].dtype));
        widths_.push_back(index_bytes);
    }

    std::size_t words() const { return widths_.size() - 1; }
    std::int64_t width(std::size_t plane) const { return widths_[plane]; }
    /// The offset in bytes of a plane, for `count` entries.
    std::int64_t offset(std::size_t plane, std::int64_t count) const {
        std::int64_t bytes = 0;
        for (std::size_t p = 0; p < plane; ++p) bytes += in_words_of_16(count * widths_[p]);
        return bytes;
    }
    std::int64_t bytes(std::int64_t count) const { return offset(widths_.size(), count); }

  private:
    std::vector<std::int64_t> widths_;
};

/// `count` entries in memory.
struct Entries {
    Value* base;
    std::int64_t count;
};

class SortKernel {
  public:
    SortKernel(Emit& e, Threads& threads, const Step& step, const plan::Program& program, const Mapping& mapping,
               llvm::ArrayRef<Value*> buffers)
        : e_(e), threads_(threads), step_(step), program_(program), mapping_(mapping), buffers_(buffers), s_(step),
          planes_(s_, step, program), thread_(threads.thread()) {}

    void run() {
        Value* shared = threads_.shared(2 * planes_.bytes(in_tile()));
        if (!s_.in_passes()) return whole_rows(shared);
        Value* scratch = buffers_[2 * s_.operands];
        Value* pass = e_.b.CreatePtrToInt(buffers_[2 * s_.operands + 1], e_.i64());
        const auto in_pass = [&](std::int64_t number, const std::function<void()>& work) {
            e_.when(e_.b.CreateICmpEQ(pass, e_.int64(number)), work);
        };
        in_pass(0, [&] { tiles(shared, scratch); });
        Value* merge_number = e_.b.CreateSub(pass, e_.int64(1));
        e_.when(e_.b.CreateICmpULT(merge_number, e_.int64(s_.merges())),
                [&] { merge_pass(shared, scratch, merge_number); });
        const Entries sorted = half(scratch, s_.elements(), e_.int64(s_.merges() % 2));
        Value* free = half(scratch, s_.elements(), e_.int64(1 - s_.merges() % 2)).base;
        for (std::size_t k = 0; k < s_.operands; ++k) {
            in_pass(s_.move(k), [&] { move(k, sorted, operand(k)); });
            in_pass(s_.copy(k), [&] { copy(k, free); });
            in_pass(s_.move_copied(k), [&] { move(k, sorted, free); });
        }
    }

  private:
    std::int64_t in_tile() const { return codegen::in_tile(s_); }
    Value* operand(std::size_t k) { return buffers_[k]; }
    Value* output(std::size_t k) { return buffers_[s_.operands + k]; }

    /// One half of `memory`, which has room for the entries twice. Merging reads one half and writes the other half.
    Entries half(Value* memory, std::int64_t count, Value* which) {
        return {e_.byte_offset(memory, e_.mul(which, planes_.bytes(count))), count};
    }
    Entries half_of_level(Value* memory, std::int64_t count, Value* level) {
        return half(memory, count, e_.b.CreateAnd(level, e_.int64(1)));
    }

    llvm::Type* integer(std::int64_t bytes) { return e_.b.getIntNTy(static_cast<unsigned>(8 * bytes)); }
    Value* load(Value* base, Value* index, std::int64_t width) {
        return e_.b.CreateAlignedLoad(integer(width), e_.byte_offset(base, e_.mul(index, width)),
                                      llvm::Align(static_cast<std::uint64_t>(width)));
    }
    void store(Value* value, Value* base, Value* index, std::int64_t width) {
        e_.b.CreateAlignedStore(value, e_.byte_offset(base, e_.mul(index, width)),
                                llvm::Align(static_cast<std::uint64_t>(width)));
    }
    Value* load(const Entries& from, std::size_t plane, Value* index) {
        return load(e_.byte_offset(from.base, planes_.offset(plane, from.count)), index, planes_.width(plane));
    }
    void store(Value* value, const Entries& to, std::size_t plane, Value* index) {
        store(value, e_.byte_offset(to.base, planes_.offset(plane, to.count)), index, planes_.width(plane));
    }
    std::vector<Value*> load_words(const Entries& from, Value* index) {
        std::vector<Value*> words;
        for (std::size_t p = 0; p < planes_.words(); ++p) words.push_back(load(from, p, index));
        return words;
    }
    /// The index of an entry's element.
    Value* element_of(const Entries& from, Value* index) {
        return e_.b.CreateZExt(load(from, planes_.words(), index), e_.i64());
    }
    std::int64_t width_of(std::size_t k) const {
        return static_cast<std::int64_t>(runtime::size_of(program_.buffers[step_.buffers[k]].dtype));
    }

    /// Converts the bits of a float to an unsigned number. The numbers have the order of the floats. Both zeros are
    /// equal. All NaNs are equal and greater than all numbers.
    Value* ordered_float(Value* bits, std::uint64_t infinity) {
        auto& b = e_.b;
        llvm::Type* type = bits->getType();
        const auto sign = llvm::APInt::getSignMask(type->getScalarSizeInBits());
        Value* top = llvm::ConstantInt::get(type, sign);
        Value* zero = llvm::ConstantInt::get(type, 0);
        Value* magnitude = b.CreateAnd(bits, llvm::ConstantInt::get(type, ~sign));
        Value* ordered = b.CreateSelect(b.CreateICmpSLT(bits, zero), b.CreateNot(bits), b.CreateOr(bits, top));
        ordered = b.CreateSelect(b.CreateICmpEQ(magnitude, zero), top, ordered);
        return b.CreateSelect(b.CreateICmpUGT(magnitude, llvm::ConstantInt::get(type, infinity)),
                              llvm::Constant::getAllOnesValue(type), ordered);
    }
    /// The key word of element `index` of key `k`.
    Value* word(std::size_t k, Value* index) {
        Value* bits = load(operand(k), index, width_of(k));
        llvm::Type* type = integer(planes_.width(k));
        switch (program_.buffers[step_.buffers[k]].dtype) {
        case DType::b1: return e_.b.CreateZExt(e_.b.CreateICmpNE(bits, e_.b.getInt8(0)), type);
        case DType::i8:
        case DType::i16:
        case DType::i32:
        case DType::i64: {
            const auto sign = llvm::APInt::getSignMask(bits->getType()->getScalarSizeInBits());
            return e_.b.CreateZExt(e_.b.CreateXor(bits, llvm::ConstantInt::get(bits->getType(), sign)), type);
        }
        case DType::f16: return e_.b.CreateZExt(ordered_float(bits, 0x7C00), type);
        case DType::bf16: return e_.b.CreateZExt(ordered_float(bits, 0x7F80), type);
        case DType::f32: return ordered_float(bits, 0x7F800000);
        case DType::f64: return ordered_float(bits, 0x7FF0000000000000);
        case DType::u8:
        case DType::u16:
        case DType::u32:
        case DType::u64:
        case DType::key:
        case DType::tape: return e_.b.CreateZExt(bits, type);
        case DType::c64:
        case DType::c128: break; // complex keys are two arrays
        }
        PM_UNREACHABLE();
    }

    /// Calls `f` for 0 .. count, distributed among the threads of the thread block.
    void each_in_block(Value* count, const std::function<void(Value*)>& f) {
        e_.loop(thread_, count, mapping_.threads, f);
    }
    void each_tile(std::int64_t tiles, const std::function<void(Value*)>& f) {
        Mapping blocks = mapping_;
        blocks.team = blocks.threads;
        each_point(e_, threads_, blocks, tiles, f);
    }
    /// Calls `f` for every element of all rows, in a separate thread.
    void each_element(const std::function<void(Value* element)>& f) {
        Mapping elements = mapping_;
        elements.team = 1;
        each_point(e_, threads_, elements, s_.elements(), f);
    }

    /// Whether an entry with words `theirs` precedes an entry with words `mine`. `or_equal` is the result for equal
    /// words.
    Value* goes_before(const std::vector<Value*>& theirs, const std::vector<Value*>& mine, Value* or_equal) {
        Value* before = or_equal;
        for (std::size_t w = mine.size(); w-- > 0;)
            before = e_.b.CreateOr(e_.b.CreateICmpULT(theirs[w], mine[w]),
                                   e_.b.CreateAnd(e_.b.CreateICmpEQ(theirs[w], mine[w]), before));
        return before;
    }

    /// The number of entries that precede the entry `mine`, among `length` sorted entries from `first` on. `length` is
    /// at most 2 ^ level.
    Value* count_before(const Entries& from, Value* first, Value* length, const std::vector<Value*>& mine,
                        Value* or_equal, Value* level) {
        Value* count = e_.slot(e_.i64());
        e_.b.CreateStore(e_.int64(0), count);
        Value* all = e_.b.CreateShl(e_.int64(1), level);
        e_.loop(e_.int64(0), e_.b.CreateAdd(level, e_.int64(1)), 1, [&](Value* iteration) {
            Value* known = e_.b.CreateLoad(e_.i64(), count);
            Value* next = e_.b.CreateAdd(known, e_.b.CreateLShr(all, iteration));
            e_.when(e_.b.CreateICmpSLE(next, length), [&] {
                Value* last = e_.b.CreateAdd(first, e_.b.CreateSub(next, e_.int64(1)));
                Value* before = goes_before(load_words(from, last), mine, or_equal);
                e_.b.CreateStore(e_.b.CreateSelect(before, next, known), count);
            });
        });
        return e_.b.CreateLoad(e_.i64(), count);
    }

    /// Merges pairs of runs of 2 ^ level entries: stores entry `at` of a row at its merged position. The row begins at
    /// entry `row` and has `length` entries.
    void merge(const Entries& from, const Entries& to, Value* row, Value* at, Value* length, Value* level) {
        auto& b = e_.b;
        Value* run = b.CreateLShr(at, level);
        Value* is_second = b.CreateAnd(run, e_.int64(1));
        Value* other = b.CreateShl(b.CreateXor(run, e_.int64(1)), level);
        Value* left = e_.call(llvm::Intrinsic::smax, {e_.i64()}, {b.CreateSub(length, other), e_.int64(0)});
        Value* others = e_.call(llvm::Intrinsic::smin, {e_.i64()}, {left, b.CreateShl(e_.int64(1), level)});
        Value* here = b.CreateAdd(row, at);
        const std::vector<Value*> words = load_words(from, here);
        Value* before =
            count_before(from, b.CreateAdd(row, other), others, words, b.CreateTrunc(is_second, e_.i1()), level);
        Value* place = b.CreateSub(b.CreateAdd(here, before), b.CreateShl(is_second, level));
        for (std::size_t p = 0; p < words.size(); ++p) store(words[p], to, p, place);
        store(load(from, words.size(), here), to, words.size(), place);
    }

    /// Fills the tile with the entries of `count` elements from `first` on; the indices in the entries begin at
    /// `number`. Sorts the rows of the tile, of `length` entries each. Returns the sorted entries.
    Entries sort_tile(Value* shared, Value* first, Value* number, Value* count, Value* length, int levels) {
        const Entries begin = half(shared, in_tile(), e_.int64(0));
        each_in_block(count, [&](Value* i) {
            for (std::size_t k = 0; k < planes_.words(); ++k) store(word(k, e_.add(first, i)), begin, k, i);
            store(e_.b.CreateTrunc(e_.add(number, i), e_.i32()), begin, planes_.words(), i);
        });
        threads_.barrier();
        e_.loop(0, levels, 1, [&](Value* level) {
            const Entries from = half_of_level(shared, in_tile(), level);
            const Entries to = half_of_level(shared, in_tile(), e_.b.CreateAdd(level, e_.int64(1)));
            each_in_block(count, [&](Value* i) {
                if (rows_in_tile(s_) == 1) return merge(from, to, e_.int64(0), i, length, level);
                Value* at = digits(e_, i, {rows_in_tile(s_), s_.n})[1];
                merge(from, to, e_.b.CreateSub(i, at), at, length, level);
            });
            threads_.barrier();
        });
        return half(shared, in_tile(), e_.int64(levels % 2));
    }

    /// Sorts rows that fit into shared memory. An operand may be its own output: a thread block reads all elements of a
    /// row before it changes the row.
    void whole_rows(Value* shared) {
        const std::int64_t at_once = rows_in_tile(s_);
        const int levels = SortSizes::levels(s_.n);
        each_tile(ceil_div(s_.rows, at_once), [&](Value* tile) {
            Value* row = e_.mul(tile, at_once);
            Value* rows =
                e_.call(llvm::Intrinsic::smin, {e_.i64()}, {e_.b.CreateSub(e_.int64(s_.rows), row), e_.int64(at_once)});
            Value* first = e_.mul(row, s_.n);
            Value* count = e_.mul(rows, s_.n);
            threads_.barrier(); // all threads have read the entries of the previous tile
            const Entries sorted = sort_tile(shared, first, e_.int64(0), count, e_.int64(s_.n), levels);
            Value* free = half(shared, in_tile(), e_.int64(1 - levels % 2)).base;
            for (std::size_t k = 0; k < s_.operands; ++k) {
                // If the width differs from that of the previous operand, an element may overlap elements that other
                // threads still read.
                if (k > 0 && width_of(k) != width_of(k - 1)) threads_.barrier();
                each_in_block(count, [&](Value* i) {
                    Value* from = e_.b.CreateAdd(first, element_of(sorted, i));
                    store(load(operand(k), from, width_of(k)), free, i, width_of(k));
                });
                threads_.barrier();
                each_in_block(count, [&](Value* i) {
                    store(load(free, i, width_of(k)), output(k), e_.b.CreateAdd(first, i), width_of(k));
                });
            }
        });
    }

    void tiles(Value* shared, Value* scratch) {
        const std::int64_t in_row = ceil_div(s_.n, s_.tile);
        const Entries to = half(scratch, s_.elements(), e_.int64(0));
        each_tile(s_.rows * in_row, [&](Value* number) {
            const std::vector<Value*> at = digits(e_, number, {s_.rows, in_row});
            Value* begin = e_.mul(at[1], s_.tile);
            Value* first = e_.b.CreateAdd(e_.mul(at[0], s_.n), begin);
            Value* count =
                e_.call(llvm::Intrinsic::smin, {e_.i64()}, {e_.b.CreateSub(e_.int64(s_.n), begin), e_.int64(s_.tile)});
            threads_.barrier(); // all threads have read the entries of the previous tile
            const Entries sorted = sort_tile(shared, first, begin, count, count, SortSizes::levels(s_.tile));
            each_in_block(count, [&](Value* i) {
                for (std::size_t p = 0; p <= planes_.words(); ++p)
                    store(load(sorted, p, i), to, p, e_.b.CreateAdd(first, i));
            });
        });
    }

    /// Two adjacent sorted runs of at most `length` entries each.
    struct Runs {
        Value* first; ///< index of the first entry
        Value* lengths[2];
    };
    Runs runs_at(Value* row, Value* begin, Value* length) {
        const auto piece = [&](Value* from) {
            Value* left = e_.b.CreateSub(e_.int64(s_.n), from);
            left = e_.call(llvm::Intrinsic::smax, {e_.i64()}, {left, e_.int64(0)});
            return e_.call(llvm::Intrinsic::smin, {e_.i64()}, {left, length});
        };
        return {e_.b.CreateAdd(row, begin), {piece(begin), piece(e_.b.CreateAdd(begin, length))}};
    }

    /// The number of entries of the first run among the first `count` merged entries.
    Value* of_first_run(const Entries& from, const Runs& runs, Value* count, Value* level) {
        auto& b = e_.b;
        Value* low = e_.slot(e_.i64());
        Value* high = e_.slot(e_.i64());
        Value* beyond = b.CreateSub(count, runs.lengths[1]);
        b.CreateStore(e_.call(llvm::Intrinsic::smax, {e_.i64()}, {beyond, e_.int64(0)}), low);
        b.CreateStore(e_.call(llvm::Intrinsic::smin, {e_.i64()}, {count, runs.lengths[0]}), high);
        Value* second = b.CreateAdd(runs.first, runs.lengths[0]);
        e_.loop(e_.int64(0), b.CreateAdd(level, e_.int64(1)), 1, [&](Value*) {
            Value* least = b.CreateLoad(e_.i64(), low);
            Value* most = b.CreateLoad(e_.i64(), high);
            e_.when(b.CreateICmpSLT(least, most), [&] {
                Value* middle = b.CreateLShr(b.CreateAdd(least, most), 1);
                Value* other = b.CreateSub(b.CreateSub(count, middle), e_.int64(1));
                Value* before = goes_before(load_words(from, b.CreateAdd(runs.first, middle)),
                                            load_words(from, b.CreateAdd(second, other)), b.getTrue());
                b.CreateStore(b.CreateSelect(before, b.CreateAdd(middle, e_.int64(1)), least), low);
                b.CreateStore(b.CreateSelect(before, most, middle), high);
            });
        });
        return b.CreateLoad(e_.i64(), low);
    }

    /// Each thread block computes the entries of one tile of the merged runs. The thread block merges these entries in
    /// shared memory, where searches are faster.
    void merge_pass(Value* shared, Value* scratch, Value* number) {
        auto& b = e_.b;
        const std::int64_t in_row = ceil_div(s_.n, s_.tile);
        const Entries from = half_of_level(scratch, s_.elements(), number);
        const Entries to = half_of_level(scratch, s_.elements(), b.CreateAdd(number, e_.int64(1)));
        Value* level = b.CreateAdd(number, e_.int64(SortSizes::levels(s_.tile)));
        Value* splits = threads_.shared(2 * sizeof(std::int64_t));
        each_tile(s_.rows * in_row, [&](Value* tile) {
            const std::vector<Value*> at = digits(e_, tile, {s_.rows, in_row});
            Value* row = e_.mul(at[0], s_.n);
            Value* begin = e_.mul(at[1], s_.tile);
            Value* mask = b.CreateShl(e_.int64(-2), level); // clears the position within a pair of runs
            const Runs runs = runs_at(row, b.CreateAnd(begin, mask), b.CreateShl(e_.int64(1), level));
            Value* skipped = b.CreateSub(begin, b.CreateAnd(begin, mask));
            Value* count =
                e_.call(llvm::Intrinsic::smin, {e_.i64()}, {b.CreateSub(e_.int64(s_.n), begin), e_.int64(s_.tile)});
            threads_.barrier(); // all threads have stored the previous tile
            e_.when(b.CreateICmpULT(thread_, e_.int64(2)), [&] {
                Value* end = b.CreateAdd(skipped, b.CreateMul(thread_, count));
                store(of_first_run(from, runs, end, level), splits, thread_, sizeof(std::int64_t));
            });
            threads_.barrier();
            Value* first = load(splits, e_.int64(0), sizeof(std::int64_t));
            Value* of_first = b.CreateSub(load(splits, e_.int64(1), sizeof(std::int64_t)), first);
            Value* second = b.CreateAdd(runs.lengths[0], b.CreateSub(skipped, first));
            const Entries merged = merge_in_tile(shared, from, count, of_first,
                                                 {b.CreateAdd(runs.first, first), b.CreateAdd(runs.first, second)});
            each_in_block(count, [&](Value* i) {
                for (std::size_t p = 0; p <= planes_.words(); ++p)
                    store(load(merged, p, i), to, p, e_.add(row, e_.add(begin, i)));
            });
        });
    }

    /// Merges two sorted runs. The first run has `of_first` entries, and both runs together have `count` entries.
    /// `begin` has the indices in `from` of the first entry of each run.
    Entries merge_in_tile(Value* shared, const Entries& from, Value* count, Value* of_first,
                          std::pair<Value*, Value*> begin) {
        auto& b = e_.b;
        const Entries both = half(shared, in_tile(), e_.int64(0));
        const Entries merged = half(shared, in_tile(), e_.int64(1));
        each_in_block(count, [&](Value* i) {
            Value* in_second = b.CreateAdd(begin.second, b.CreateSub(i, of_first));
            Value* source = b.CreateSelect(b.CreateICmpSGE(i, of_first), in_second, b.CreateAdd(begin.first, i));
            for (std::size_t p = 0; p <= planes_.words(); ++p) store(load(from, p, source), both, p, i);
        });
        threads_.barrier();
        each_in_block(count, [&](Value* i) {
            Value* is_second = b.CreateICmpSGE(i, of_first);
            Value* other = b.CreateSelect(is_second, e_.int64(0), of_first);
            Value* others = b.CreateSelect(is_second, of_first, b.CreateSub(count, of_first));
            const std::vector<Value*> words = load_words(both, i);
            Value* before = count_before(both, other, others, words, is_second, e_.int64(SortSizes::levels(s_.tile)));
            Value* target = b.CreateAdd(b.CreateSub(i, b.CreateSelect(is_second, of_first, e_.int64(0))), before);
            for (std::size_t p = 0; p < words.size(); ++p) store(words[p], merged, p, target);
            store(load(both, words.size(), i), merged, words.size(), target);
        });
        threads_.barrier();
        return merged;
    }

    Value* place_in_row(Value* element) { return digits(e_, element, {s_.rows, s_.n})[1]; }

    void move(std::size_t k, const Entries& sorted, Value* from) {
        each_element([&](Value* element) {
            Value* row = e_.b.CreateSub(element, place_in_row(element));
            Value* source = e_.b.CreateAdd(row, element_of(sorted, element));
            store(load(from, source, width_of(k)), output(k), element, width_of(k));
        });
    }
    void copy(std::size_t k, Value* to) {
        each_element([&](Value* element) { store(load(operand(k), element, width_of(k)), to, element, width_of(k)); });
    }

    Emit& e_;
    Threads& threads_;
    const Step& step_;
    const plan::Program& program_;
    const Mapping& mapping_;
    llvm::ArrayRef<Value*> buffers_;
    SortSizes s_;
    Planes planes_;
    Value* thread_;
};

/// The greatest power of two such that twice this number of entries fits into shared memory, for `keys` keys of any
/// dtype.
std::int64_t tile_for(std::size_t keys) {
    const std::int64_t widest = static_cast<std::int64_t>(keys) * 8 + index_bytes;
    const auto room = std::bit_floor(static_cast<std::uint64_t>(PM_SHARED_BYTES / (2 * widest)));
    return std::min(most_in_tile, static_cast<std::int64_t>(room));
}

} // namespace

SortSizes::SortSizes(const Step& step) {
    const auto& sort = step.as<plan::SortStep>();
    rows = sort.rows;
    n = sort.n;
    operands = static_cast<std::size_t>(sort.arrays);
    keys = static_cast<std::size_t>(sort.keys);
    tile = tile_for(keys);
}

int SortSizes::levels(std::int64_t length) { return std::bit_width(static_cast<std::uint64_t>(length - 1)); }

bool sorts_on_gpu(const Step& step) {
    const auto& sort = step.as<plan::SortStep>();
    return sort.n <= std::numeric_limits<std::int32_t>::max() && sort.keys <= static_cast<std::int64_t>(most_keys);
}

bool sorts_in_passes(const Step& step) { return step.kind() == plan::StepKind::sort && SortSizes(step).in_passes(); }

int sort_passes(const Step& step) {
    const SortSizes sizes(step);
    return sizes.in_passes() ? static_cast<int>(sizes.move(sizes.operands)) : 1;
}

double sort_iterations(const Step& step, int threads) {
    const SortSizes s(step);
    const auto levels = static_cast<double>(SortSizes::levels(std::min(s.n, s.tile)));
    return static_cast<double>(ceil_div(std::min(s.elements(), in_tile(s)), threads)) * (levels * (levels + 1) / 2 + 1);
}

double sort_work(const Step& step) {
    const SortSizes s(step);
    const auto levels = static_cast<double>(SortSizes::levels(s.n));
    return static_cast<double>(s.elements()) * 6 * (levels * (levels + 1) / 2 + 1);
}

std::int64_t sort_scratch_bytes(const Step& step, const plan::Program& program) {
    const SortSizes s(step);
    return 2 * Planes(s, step, program).bytes(s.elements());
}

Mapping map_sort(const Step& step, int threads) {
    const SortSizes s(step);
    if (s.elements() == 0) return {.blocks = 0};
    if (s.in_passes()) {
        Mapping mapping = map_points(s.elements(), 1, threads == 0 ? static_cast<int>(most_sort_threads) : threads);
        mapping.has_barriers = true;
        return mapping;
    }
    const std::int64_t at_once = rows_in_tile(s);
    if (threads == 0) {
        const auto wanted = std::bit_ceil(static_cast<std::uint64_t>(at_once * s.n));
        threads =
            static_cast<int>(std::clamp<std::int64_t>(static_cast<std::int64_t>(wanted), warp, most_sort_threads));
    }
    return map_points(ceil_div(s.rows, at_once), threads, threads);
}

void emit_sort_kernel(Emit& e, Threads& threads, const Step& step, const plan::Program& program, const Mapping& mapping,
                      llvm::ArrayRef<Value*> buffers) {
    if (SortSizes(step).elements() == 0) return;
    SortKernel(e, threads, step, program, mapping, buffers).run();
}

} // namespace pm::codegen
