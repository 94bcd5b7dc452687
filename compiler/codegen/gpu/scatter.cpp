#include "compiler/codegen/gpu/scatter.hpp"

#include "compiler/codegen/gpu/atomics.hpp"
#include "compiler/codegen/gpu/points.hpp"
#include "compiler/codegen/gpu/sort.hpp"
#include "compiler/codegen/scalar/emit_scalar.hpp"
#include "compiler/codegen/steps/scatter.hpp"

#include <limits>

namespace pm::codegen {

using plan::Step;

namespace {

/// For at most this number of updates, comparing each update with all others is faster than further launches.
constexpr std::int64_t few_updates = 256;

std::int64_t batch_of(const Step& step) { return step.as<plan::ScatterStep>().batch; }
std::int64_t count_of(const Step& step) { return step.as<plan::ScatterStep>().count; }
std::int64_t window_of(const Step& step) { return step.as<plan::ScatterStep>().window; }
std::int64_t places_of(const Step& step) { return nest::product(step.as<plan::ScatterStep>().sizes); }

/// The sort of a `sorted` scatter: the update numbers are sorted by destination.
class Sorted {
  public:
    explicit Sorted(const Step& step) {
        place = places_of(step) < std::numeric_limits<std::uint32_t>::max() ? DType::u32 : DType::u64;
        for (const DType dtype : {place, DType::u32, place, DType::u32}) {
            sort.buffers.push_back(static_cast<plan::BufferId>(program.buffers.size()));
            plan::Buffer& buffer = program.buffers.emplace_back();
            buffer.dtype = dtype;
            buffer.shape = {batch_of(step), count_of(step)};
        }
        sort.attributes = plan::SortStep{.rows = batch_of(step), .n = count_of(step), .arrays = 2, .keys = 1};
    }

    Step sort;
    plan::Program program; ///< the program of the sort
    DType place;

    /// The offset in bytes of a buffer of the sort. The sort's own scratch memory follows all buffers.
    std::int64_t offset(std::size_t buffer) const {
        std::int64_t bytes = 0;
        for (std::size_t i = 0; i < buffer; ++i) bytes += in_words_of_16(program.buffers[i].bytes());
        return bytes;
    }
    std::int64_t bytes() const {
        return offset(sort.buffers.size()) + (sorts_in_passes(sort) ? sort_scratch_bytes(sort, program) : 0);
    }
    /// The number of launches of the sort. No operand is its own output, so the sort skips the copies.
    std::int64_t launches() const { return sorts_in_passes(sort) ? SortSizes(sort).move(0) + 2 : 1; }
};

class ScatterKernel {
  public:
    ScatterKernel(Emit& e, Threads& threads, const Step& step, const plan::Program& program, const Mapping& mapping,
                  llvm::ArrayRef<Value*> buffers)
        : e_(e), threads_(threads), step_(step), mapping_(mapping), buffers_(buffers),
          scatter_(e, step, program, buffers.take_front(step.buffers.size())), method_(scatter_method(step, program)) {}

    void run() {
        switch (method_) {
        case ScatterMethod::each: return each_element([&](const At& at) { each(at); });
        case ScatterMethod::compare_all: return each_element([&](const At& at) { compare_all(at); });
        case ScatterMethod::numbered: return numbered();
        case ScatterMethod::sorted: return sorted();
        case ScatterMethod::lines: return lines();
        }
    }

  private:
    bool replaces() const { return step_.as<plan::ScatterStep>().replaces; }

    /// An element of the updates.
    struct At {
        Value* batch;
        Value* update;
        Value* element; ///< index of the element in its row
    };
    Value* row(const At& at) { return e_.add(e_.mul(at.batch, scatter_.count()), at.update); }

    void each_element(const std::function<void(const At&)>& f) {
        const std::int64_t window = scatter_.window();
        each_point(e_, threads_, mapping_, scatter_.batch() * scatter_.count() * window, [&](Value* number) {
            const std::vector<Value*> at = digits(e_, number, {scatter_.batch(), scatter_.count(), window});
            f({at[0], at[1], at[2]});
        });
    }
    /// Calls `f` for each update, in a separate thread.
    void each_row(const std::function<void(const At&)>& f) {
        each_point(e_, threads_, mapping_, scatter_.batch() * scatter_.count(), [&](Value* number) {
            const std::vector<Value*> at = digits(e_, number, {scatter_.batch(), scatter_.count()});
            f({at[0], at[1], e_.int64(0)});
        });
    }

    void write(const At& at) {
        scatter_.one(at.batch, at.update, [&](Value* from, Value* to) { scatter_.elements(from, to, at.element, 1); });
    }

    void each(const At& at) {
        if (replaces() || scatter_.count() == 1) return write(at);
        scatter_.one(at.batch, at.update, [&](Value* from, Value* to) {
            combine_atomically(e_, threads_, step_.as<plan::ScatterStep>().combine, scatter_.dtype(),
                               element(to, at.element), scatter_.update(from, at.element, 1));
        });
    }
    Value* element(Value* base, Value* index) {
        return e_.byte_offset(base, e_.mul(index, static_cast<std::int64_t>(runtime::size_of(scatter_.dtype()))));
    }

    void compare_all(const At& at) {
        const Scatter::Place own = scatter_.place(row(at));
        const auto goes_there = [&](Value* update) {
            const Scatter::Place other = scatter_.place(e_.add(e_.mul(at.batch, scatter_.count()), update));
            return e_.b.CreateAnd(other.inside, e_.b.CreateICmpEQ(other.number, own.number));
        };
        Value* others = e_.slot(e_.i1());
        e_.b.CreateStore(e_.b.getFalse(), others);
        Value* next = e_.b.CreateAdd(at.update, e_.int64(1));
        e_.loop(replaces() ? next : e_.int64(0), replaces() ? e_.int64(scatter_.count()) : at.update, 1,
                [&](Value* update) {
                    e_.b.CreateStore(e_.b.CreateOr(e_.b.CreateLoad(e_.i1(), others), goes_there(update)), others);
                });
        Value* chosen = e_.b.CreateAnd(own.inside, e_.b.CreateNot(e_.b.CreateLoad(e_.i1(), others)));
        e_.when(chosen, [&] {
            write(at);
            if (replaces()) return;
            e_.loop(next, e_.int64(scatter_.count()), 1, [&](Value* update) {
                e_.when(goes_there(update), [&] { write({at.batch, update, at.element}); });
            });
        });
    }

    void in_pass(std::int64_t number, const std::function<void()>& work) {
        e_.when(e_.b.CreateICmpEQ(pass(), e_.int64(number)), work);
    }
    Value* scratch() { return buffers_[buffers_.size() - 2]; }
    Value* pass() { return e_.b.CreatePtrToInt(buffers_.back(), e_.i64()); }

    /// The method `numbered`. Each destination has a word, which contains the number of the destination's last update,
    /// plus 1. Only the words of destinations with updates are accessed.
    void numbered() {
        const auto each_word = [&](const At& at, const std::function<void(Value*)>& f) {
            const Scatter::Place place = scatter_.place(row(at));
            e_.when(place.inside, [&] {
                Value* number = e_.add(e_.mul(at.batch, places_of(step_)), place.number);
                f(e_.byte_offset(scratch(), e_.mul(number, sizeof(std::uint32_t))));
            });
        };
        const auto own = [&](const At& at) {
            return e_.b.CreateTrunc(e_.b.CreateAdd(at.update, e_.int64(1)), e_.i32());
        };
        in_pass(0, [&] {
            each_row([&](const At& at) {
                each_word(at, [&](Value* word) { store_scalar(e_, DType::u32, e_.b.getInt32(0), word); });
            });
        });
        in_pass(1, [&] {
            each_row([&](const At& at) {
                each_word(at, [&](Value* word) {
                    combine_atomically(e_, threads_, nest::Combine::max, DType::u32, word, own(at));
                });
            });
        });
        in_pass(2, [&] {
            each_element([&](const At& at) {
                each_word(at, [&](Value* word) {
                    Value* last = load_scalar(e_, DType::u32, word);
                    e_.when(e_.b.CreateICmpEQ(last, own(at)), [&] { write(at); });
                });
            });
        });
    }

    void sorted() {
        const Sorted s(step_);
        std::vector<Value*> memory;
        for (std::size_t i = 0; i <= s.sort.buffers.size(); ++i)
            memory.push_back(e_.byte_offset(scratch(), s.offset(i)));
        in_pass(0, [&] {
            each_row([&](const At& at) {
                const Scatter::Place place = scatter_.place(row(at));
                llvm::Type* type = memory_type(e_, s.place);
                Value* number = e_.b.CreateTrunc(place.number, type);
                Value* dropped = llvm::Constant::getAllOnesValue(type);
                store_scalar(e_, s.place, e_.b.CreateSelect(place.inside, number, dropped),
                             in(memory[0], s.place, row(at)));
                store_scalar(e_, DType::u32, e_.b.CreateTrunc(at.update, e_.i32()), in(memory[1], DType::u32, row(at)));
            });
        });
        Value* sort_pass = e_.b.CreateSub(pass(), e_.int64(1));
        e_.when(e_.b.CreateICmpULT(sort_pass, e_.int64(s.launches())), [&] {
            // The sort has passes that copy and move operands. Of these passes, only the move of each operand runs.
            if (sorts_in_passes(s.sort)) {
                const SortSizes sizes(s.sort);
                sort_pass = e_.b.CreateSelect(e_.b.CreateICmpSGT(sort_pass, e_.int64(sizes.move(0))),
                                              e_.int64(sizes.move(1)), sort_pass);
            }
            memory.push_back(e_.b.CreateIntToPtr(sort_pass, e_.pointer()));
            emit_sort_kernel(e_, threads_, s.sort, s.program, mapping_, memory);
        });
        in_pass(1 + s.launches(), [&] { each_element([&](const At& at) { segment(s, memory[2], memory[3], at); }); });
    }

    Value* in(Value* base, DType dtype, Value* index) {
        return e_.byte_offset(base, e_.mul(index, static_cast<std::int64_t>(runtime::size_of(dtype))));
    }

    /// If sorted update `at.update` is the first update of its destination, applies all updates of this destination in
    /// order.
    void segment(const Sorted& s, Value* places, Value* numbers, const At& at) {
        auto& b = e_.b;
        Value* here = row(at);
        const auto place = [&](Value* sorted_row) { return load_scalar(e_, s.place, in(places, s.place, sorted_row)); };
        Value* own = place(here);
        Value* not_first = e_.slot(e_.i1());
        b.CreateStore(b.CreateICmpEQ(own, llvm::Constant::getAllOnesValue(own->getType())), not_first);
        e_.when(b.CreateICmpNE(at.update, e_.int64(0)), [&] {
            Value* same = b.CreateICmpEQ(place(b.CreateSub(here, e_.int64(1))), own);
            b.CreateStore(b.CreateOr(b.CreateLoad(e_.i1(), not_first), same), not_first);
        });
        e_.when(b.CreateNot(b.CreateLoad(e_.i1(), not_first)), [&] {
            auto* from = b.GetInsertBlock();
            auto* next = llvm::BasicBlock::Create(e_.context, "next", e_.function());
            auto* look = llvm::BasicBlock::Create(e_.context, "look", e_.function());
            auto* done = llvm::BasicBlock::Create(e_.context, "done", e_.function());
            b.CreateBr(next);
            b.SetInsertPoint(next);
            auto* position = b.CreatePHI(e_.i64(), 2);
            position->addIncoming(at.update, from);
            Value* sorted_row = e_.add(e_.mul(at.batch, scatter_.count()), position);
            Value* update = load_scalar(e_, DType::u32, in(numbers, DType::u32, sorted_row));
            write({at.batch, b.CreateZExt(update, e_.i64()), at.element});
            Value* following = b.CreateAdd(position, e_.int64(1));
            b.CreateCondBr(b.CreateICmpSLT(following, e_.int64(scatter_.count())), look, done);
            b.SetInsertPoint(look);
            position->addIncoming(following, look);
            b.CreateCondBr(b.CreateICmpEQ(place(b.CreateAdd(sorted_row, e_.int64(1))), own), next, done);
            b.SetInsertPoint(done);
        });
    }

    void lines() {
        const std::int64_t window = scatter_.window();
        each_point(e_, threads_, mapping_, scatter_.batch() * window, [&](Value* number) {
            const std::vector<Value*> at = digits(e_, number, {scatter_.batch(), window});
            e_.loop(0, scatter_.count(), 1, [&](Value* update) { write({at[0], update, at[1]}); });
        });
    }

    Emit& e_;
    Threads& threads_;
    const Step& step_;
    const Mapping& mapping_;
    llvm::ArrayRef<Value*> buffers_;
    Scatter scatter_;
    ScatterMethod method_;
};

} // namespace

ScatterMethod scatter_method(const Step& step, const plan::Program& program) {
    const auto& scatter = step.as<plan::ScatterStep>();
    const bool exact = !runtime::is_float(program.buffers[step.buffers.back()].dtype) ||
                       scatter.combine == nest::Combine::max || scatter.combine == nest::Combine::min;
    const std::int64_t count = scatter.count;
    if (count <= 1 || (!scatter.replaces && (exact || !program.deterministic))) return ScatterMethod::each;
    if (count <= few_updates) return ScatterMethod::compare_all;
    if (count > std::numeric_limits<std::int32_t>::max()) return ScatterMethod::lines;
    return scatter.replaces ? ScatterMethod::numbered : ScatterMethod::sorted;
}

int scatter_passes(const Step& step, const plan::Program& program) {
    switch (scatter_method(step, program)) {
    case ScatterMethod::numbered: return 3;
    case ScatterMethod::sorted: return static_cast<int>(Sorted(step).launches()) + 2;
    default: return 1;
    }
}

std::int64_t scatter_scratch_bytes(const Step& step, const plan::Program& program) {
    return scatter_method(step, program) == ScatterMethod::sorted
               ? Sorted(step).bytes()
               : batch_of(step) * places_of(step) * static_cast<std::int64_t>(sizeof(std::uint32_t));
}

double scatter_iterations(const Step& step, const plan::Program& program) {
    switch (scatter_method(step, program)) {
    case ScatterMethod::compare_all:
    case ScatterMethod::lines: return static_cast<double>(count_of(step));
    default: return 1;
    }
}

Mapping map_scatter(const Step& step, const plan::Program& program, int threads) {
    const ScatterMethod method = scatter_method(step, program);
    const std::int64_t lines = batch_of(step) * window_of(step);
    const std::int64_t points = method == ScatterMethod::lines ? lines : lines * count_of(step);
    if (method != ScatterMethod::sorted) return map_points(points, 1, threads == 0 ? 128 : threads);
    const Sorted s(step);
    Mapping mapping = map_points(points, 1, map_sort(s.sort, threads).threads);
    mapping.has_barriers = true;
    return mapping;
}

void emit_scatter_kernel(Emit& e, Threads& threads, const Step& step, const plan::Program& program,
                         const Mapping& mapping, llvm::ArrayRef<Value*> buffers) {
    if (!Scatter(e, step, program, buffers).empty()) ScatterKernel(e, threads, step, program, mapping, buffers).run();
}

} // namespace pm::codegen
