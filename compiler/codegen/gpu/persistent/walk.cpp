#include "compiler/codegen/gpu/persistent/persistent_kernel.hpp"
#include "compiler/codegen/gpu/points.hpp"
#include "compiler/codegen/scalar/emit_scalar.hpp"
#include "compiler/codegen/scalar/integer.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

namespace pm::codegen {

using plan::Step;
using plan::StepKind;

namespace {

/// The accesses of all threads since the last barrier of the launch.
struct Since {
    std::vector<AccessRange> touched;
    bool shared = false;     ///< true after accesses to the shared memory of a thread block
    bool tapes_read = false; ///< true after reads of tape values
    bool tapes_written = false;

    bool conflicts(const AccessRange& next) const {
        return std::any_of(touched.begin(), touched.end(), [&](const AccessRange& before) {
            return (before.written || next.written) && before.overlaps(next);
        });
    }
    void add(const std::vector<AccessRange>& more) {
        for (const AccessRange& t : more)
            if (std::find(touched.begin(), touched.end(), t) == touched.end()) touched.push_back(t);
    }
    void join(const Since& other) {
        add(other.touched);
        shared = shared || other.shared;
        tapes_read = tapes_read || other.tapes_read;
        tapes_written = tapes_written || other.tapes_written;
    }
};

/// Emits the steps of a persistent kernel. Control flow is the same for all threads of the launch. The values on which
/// control flow depends are read after a barrier of the launch.
class Walk {
  public:
    Walk(Emit& e, Threads& threads, const PersistentKernel& persistent, const plan::Program& program,
         llvm::ArrayRef<Value*> parameters)
        : e_(e), threads_(threads), persistent_(persistent), program_(program), parameters_(parameters) {}

    void run() {
        exit_block_ = block("exit");
        begin_again();
        begin_record();
        step(*persistent_.root);
        e_.b.CreateBr(exit_block_);
        e_.b.SetInsertPoint(exit_block_);
    }

  private:
    llvm::BasicBlock* block(const char* name) { return llvm::BasicBlock::Create(e_.context, name, e_.function()); }

    /// A kernel that resumes at a tape step must skip the steps before this tape step, which have already run. The
    /// steps before the last tape step are therefore in separate conditional blocks.
    void steps(const plan::Steps& list) {
        const std::size_t last = persistent_.tapes_of(list).end;
        for (auto next = list.begin(); next != list.end();) {
            const PersistentKernel::Numbers in_next = persistent_.tapes_of(*next);
            auto end = std::next(next);
            if (in_next.empty())
                end = std::find_if(end, list.end(), [&](const Step& s) { return !persistent_.tapes_of(s).empty(); });
            const auto run = [&] { std::for_each(next, end, [&](const Step& s) { step(s); }); };
            const bool is_last = in_next.end == last || end == list.end();
            if (is_last)
                run();
            else
                e_.when(in_next.empty() ? is_on() : e_.b.CreateOr(is_on(), resumes_in(in_next)), run);
            next = end;
        }
    }

    void step(const Step& step) {
        switch (step.kind()) {
        case StepKind::loop: counted_loop(step); return;
        case StepKind::while_: while_loop(step); return;
        case StepKind::if_: branch(step); return;
        case StepKind::poll: return; // see end_iteration()
        default:
            if (const auto found = persistent_.leaves.find(&step); found != persistent_.leaves.end())
                leaf(found->second);
            return;
        }
    }

    void leaf(const PersistentKernel::Leaf& leaf) {
        if (leaf.step->kind() == StepKind::check) return check(leaf);
        if (leaf.step->kind() == StepKind::tape) return tape(leaf);
        const bool nest = leaf.step->kind() == StepKind::nest;
        before(touched_by(program_, persistent_, leaf));
        const bool shares = leaf.step->kind() == StepKind::dot || leaf.step->kind() == StepKind::sort ||
                            leaf.in_passes || leaf.mapping.team > warp;
        if (shares && since_.shared) threads_.barrier();
        since_.shared = since_.shared || shares;
        threads_.release_shared();
        std::vector<Value*> buffers;
        for (const plan::BufferId id : leaf.step->buffers) buffers.push_back(address(id));
        const auto known = [&](const Scope&, nest::Ref r) { return in_register(leaf, r); };
        if (leaf.in_passes)
            emit_nest_passes(e_, threads_, leaf.shape, leaf.mapping, buffers, {parameters_.back(), nullptr, known});
        else if (nest)
            emit_threaded_nest(e_, threads_, leaf.shape, leaf.mapping, buffers, known);
        else
            emit_step_kernel(e_, threads_, *leaf.step, program_, leaf.mapping, buffers);
    }

    /// Emits a barrier in two cases: the next step may access memory that another thread has written, or the next step
    /// may write memory that another thread has accessed.
    void before(const std::vector<AccessRange>& next) {
        barrier_before(next);
        const bool overwrites = std::any_of(untested_.begin(), untested_.end(), [&](std::size_t check) {
            const std::vector<plan::BufferId>& shown = persistent_.checks[check]->buffers;
            return std::any_of(shown.begin(), shown.end(), [&](plan::BufferId id) {
                const AccessRange value = touched(program_, persistent_, id, false);
                return std::any_of(next.begin(), next.end(),
                                   [&](const AccessRange& t) { return t.written && t.overlaps(value); });
            });
        });
        if (overwrites) exit_if_failed();
        since_.add(next);
    }
    void barrier_before(const std::vector<AccessRange>& next) {
        if (std::none_of(next.begin(), next.end(), [&](const AccessRange& t) { return since_.conflicts(t); })) return;
        threads_.grid_barrier();
        since_ = {};
    }

    // A check stores its failure in the kernel's own memory. Then all threads exit, at the latest at the end of the
    // iteration. They exit before the values for the message of the check are overwritten. The host then reads these
    // values.

    Value* own(std::int64_t place) { return e_.byte_offset(parameters_.back(), place); }
    Value* is_first() { return e_.b.CreateICmpEQ(e_.b.CreateOr(threads_.thread(), threads_.block()), e_.int64(0)); }
    AccessRange record(bool written) const {
        return touched_scratch(persistent_.record, persistent_.place_of_check(persistent_.checks.size()), written);
    }
    AccessRange record_of(std::size_t check, bool written) const {
        return touched_scratch(persistent_.place_of_check(check), persistent_.place_of_check(check + 1), written);
    }

    void begin_record() {
        if (persistent_.checks.empty()) return;
        // Resets the record: the host has read the record of the previous launch, and no check has failed yet.
        e_.when(e_.b.CreateAnd(is_first(), is_on()), [&] {
            for (std::int64_t word = 0; word < persistent_.record_words().request(); ++word)
                e_.b.CreateStore(e_.int64(word < persistent_.record_words().loops ? 0 : -1),
                                 own(persistent_.place(word)));
        });
        since_.add({record(true)});
    }

    void check(const PersistentKernel::Leaf& leaf) {
        const auto found = std::find(persistent_.checks.begin(), persistent_.checks.end(), leaf.step);
        const auto number = static_cast<std::size_t>(found - persistent_.checks.begin());
        const plan::BufferId ok = leaf.step->buffers[0];
        before({touched(program_, persistent_, ok, false), record_of(number, true)});
        emit_check_kernel(e_, threads_, *leaf.step, program_, leaf.mapping,
                          {address(ok), own(persistent_.place_of_check(number))});
        untested_.insert(number);
    }

    /// All threads exit if an untested check has failed. All threads read the same words, so a barrier must precede the
    /// next write of these words.
    void exit_if_failed() {
        std::vector<AccessRange> read;
        for (const std::size_t check : untested_) read.push_back(record_of(check, false));
        barrier_before(read);
        Value* failed = e_.b.getFalse();
        for (const std::size_t check : std::exchange(untested_, {})) {
            Value* least =
                e_.b.CreateAlignedLoad(e_.i64(), own(persistent_.place_of_check(check)), llvm::Align(8), true);
            failed = e_.b.CreateOr(failed, e_.b.CreateICmpNE(least, e_.int64(-1)));
        }
        exit_if(failed, [] {});
        since_.add(read);
    }

    /// All threads exit if the condition is true. The first thread stores the loop indices in the record, and `note`
    /// emits further stores.
    void exit_if(Value* condition, const std::function<void()>& note) {
        auto* exits = block("exits");
        auto* on = block("on");
        e_.b.CreateCondBr(condition, exits, on);
        e_.b.SetInsertPoint(exits);
        e_.when(is_first(), [&] {
            for (std::size_t i = 0; i < persistent_.loops_of_record.size(); ++i)
                if (const auto loop = loops_.find(persistent_.loops_of_record[i]); loop != loops_.end())
                    e_.b.CreateStore(loop->second, own(persistent_.place_of_index(i)));
            note();
        });
        e_.b.CreateBr(exit_block_);
        e_.b.SetInsertPoint(on);
    }

    // All threads exit at a tape step whose window is not open. The next launch resumes at this step
    // (runtime/gpu/host/tapes.hpp).

    Value* word(std::int64_t place) { return own(persistent_.place(place)); }

    void begin_again() {
        if (persistent_.tapes.empty()) return;
        resume_ = e_.slot(e_.i64());
        e_.b.CreateStore(e_.b.CreateLoad(e_.i64(), word(persistent_.record_words().resume())), resume_);
    }
    /// Whether the kernel executes steps. False while the kernel skips the steps before the step at which it resumes.
    Value* is_on() {
        if (resume_ == nullptr) return e_.b.getTrue();
        return e_.b.CreateICmpEQ(e_.b.CreateLoad(e_.i64(), resume_), e_.int64(0));
    }
    /// Whether the kernel resumes at a tape step with a number in the range `tapes`.
    Value* resumes_in(const PersistentKernel::Numbers& tapes) {
        if (tapes.empty()) return e_.b.getFalse();
        Value* number = e_.b.CreateSub(e_.b.CreateLoad(e_.i64(), resume_), e_.int64(1));
        return e_.b.CreateICmpULT(e_.b.CreateSub(number, e_.int64(static_cast<std::int64_t>(tapes.first))),
                                  e_.int64(static_cast<std::int64_t>(tapes.end - tapes.first)));
    }

    void tape(const PersistentKernel::Leaf& leaf) {
        const Step& step = *leaf.step;
        const std::size_t number = persistent_.tapes_of(step).first;
        const auto& tapes = step.as<plan::TapeStep>();
        const bool reads = tapes.is_get();
        e_.b.CreateStore(e_.int64(0), resume_);
        if (reads ? since_.tapes_written : since_.tapes_read) barrier();
        before(touched_by(program_, persistent_, leaf));
        (reads ? since_.tapes_read : since_.tapes_written) = true;

        const Place only = tapes.tapes == 1 ? place(step, number, e_.int64(0)) : Place();
        Value* missing = nullptr;
        if (only.array != nullptr) {
            missing = only.missing;
        } else {
            // A thread that finds a missing window stores the number of the step. After the barrier, other threads may
            // already run a later step and store its number in the same word. So the stored number is compared with the
            // number of this step.
            Value* request = word(persistent_.record_words().request());
            Value* here = e_.int64(static_cast<std::int64_t>(number + 1));
            each_point(e_, threads_, leaf.mapping, tapes.tapes, [&](Value* tape) {
                e_.when(place(step, number, tape).missing, [&] { e_.b.CreateStore(here, request); }, false);
            });
            barrier();
            since_.add(touched_by(program_, persistent_, leaf));
            (reads ? since_.tapes_read : since_.tapes_written) = true;
            missing = e_.b.CreateICmpEQ(e_.b.CreateAlignedLoad(e_.i64(), request, llvm::Align(8), true), here);
        }
        exit_if(missing, [&] { request(step, number, only); });
        const auto array = [&](Value* tape) {
            return only.array != nullptr ? only.array : place(step, number, tape).array;
        };
        emit_tape_moves(e_, threads_, step, program_, leaf.mapping, {address(tapes.values(step.buffers)), array});
    }
    void barrier() {
        threads_.grid_barrier();
        since_ = {};
    }

    /// The location of a tape's values in a step.
    struct Place {
        Value* handle = nullptr;
        Value* index = nullptr;
        Value* missing = nullptr; ///< true if the index is in no window
        Value* array = nullptr;   ///< the address of the values if the index is in a window; null: there are no values
    };
    Place place(const Step& step, std::size_t number, Value* tape) {
        const std::int64_t width = sizeof(std::int64_t);
        const auto& tapes = step.as<plan::TapeStep>();
        const DType dtype = program_.buffers[tapes.values(step.buffers)].dtype;
        const std::int64_t bytes_of_array = tapes.elements * static_cast<std::int64_t>(runtime::size_of(dtype));
        const auto read = [&](plan::BufferId id) {
            return e_.b.CreateLoad(e_.i64(), e_.byte_offset(address(id), e_.mul(tape, width)));
        };
        Value* window =
            e_.byte_offset(own(persistent_.place_of_window(number)), e_.mul(tape, sizeof(runtime::TapeWindow)));
        const auto field = [&](std::size_t offset, llvm::Type* type) -> Value* {
            return e_.b.CreateLoad(type, e_.byte_offset(window, static_cast<std::int64_t>(offset)));
        };
        Place made;
        made.handle = read(tapes.handles(step.buffers));
        const auto loop = indices_.find(step.buffers[1]);
        made.index = loop != indices_.end() && tapes.tapes == 1 ? loop->second : read(step.buffers[1]);
        Value* first = field(offsetof(runtime::TapeWindow, first), e_.i64());
        Value* end = field(offsetof(runtime::TapeWindow, end), e_.i64());
        Value* none = e_.b.CreateICmpSLT(made.index, e_.int64(0));
        if (tapes.is_get()) none = e_.b.CreateOr(none, e_.b.CreateICmpEQ(made.handle, e_.int64(0)));
        Value* open = e_.b.CreateICmpEQ(made.handle, field(offsetof(runtime::TapeWindow, handle), e_.i64()));
        open = e_.b.CreateAnd(open, e_.b.CreateICmpSLE(first, made.index));
        open = e_.b.CreateAnd(open, e_.b.CreateICmpSLT(made.index, end));
        made.missing = e_.b.CreateNot(e_.b.CreateOr(none, open));
        Value* arrays = field(offsetof(runtime::TapeWindow, arrays), e_.pointer());
        Value* array = e_.byte_offset(arrays, e_.mul(e_.b.CreateSub(made.index, first), bytes_of_array));
        Value* null = llvm::ConstantPointerNull::get(e_.pointer());
        made.array = e_.b.CreateSelect(e_.b.CreateOr(none, e_.b.CreateIsNull(arrays)), null, array);
        return made;
    }

    void request(const Step& step, std::size_t number, const Place& only) {
        const runtime::TapeRecord words = persistent_.record_words();
        const auto say = [&](std::int64_t at, Value* what) { e_.b.CreateStore(what, word(at)); };
        say(words.request(), e_.int64(static_cast<std::int64_t>(number + 1)));
        say(words.handles(), address(step.as<plan::TapeStep>().handles(step.buffers)));
        if (only.array == nullptr) return say(words.index(), address(step.buffers[1]));
        say(words.index(), only.index);
        say(words.handle(), only.handle);
    }

    /// Replaces a load of a loop index by the index in its register. Null for other loads.
    Value* in_register(const PersistentKernel::Leaf& leaf, nest::Ref r) {
        const nest::Inst& inst = leaf.shape.nest[r];
        if (inst.access.mask || inst.access.dynamic) return nullptr;
        const auto loop = indices_.find(leaf.step->buffers[inst.access.buffer]);
        return loop == indices_.end() ? nullptr : convert(e_, inst.dtype, DType::i64, loop->second);
    }

    Value* address(plan::BufferId id) {
        const plan::Buffer& b = program_.buffers[id];
        if (persistent_.in_registers.count(id) != 0) return llvm::ConstantPointerNull::get(e_.pointer());
        Value* at = parameters_[persistent_.parameter_of.at(id)];
        for (const plan::Stride& s : b.strides)
            if (const auto loop = loops_.find(s.loop); loop != loops_.end())
                at = e_.byte_offset(at, e_.mul(loop->second, s.bytes));
        return at;
    }

    Value* condition(const Step& step) {
        before({touched(program_, persistent_, step.buffers[0], false)});
        return load_scalar(e_, DType::b1, address(step.buffers[0]));
    }

    void branch(const Step& step) {
        auto* then = block("then");
        auto* otherwise = block("otherwise");
        auto* join = block("join");
        const std::size_t sides = step.children.size();
        const PersistentKernel::Numbers in_then =
            sides > 0 ? persistent_.tapes_of(step.children[0]) : PersistentKernel::Numbers();
        const PersistentKernel::Numbers in_otherwise =
            sides > 1 ? persistent_.tapes_of(step.children[1]) : PersistentKernel::Numbers();
        Value* is_so = condition(step);
        if (!in_then.empty()) is_so = e_.b.CreateOr(is_so, resumes_in(in_then));
        if (!in_otherwise.empty()) is_so = e_.b.CreateAnd(is_so, e_.b.CreateNot(resumes_in(in_otherwise)));
        e_.b.CreateCondBr(is_so, then, otherwise);
        const Since before = since_;
        const std::set<std::size_t> untested_before = untested_;
        Since all;
        std::set<std::size_t> all_untested;
        for (std::size_t side = 0; side < 2; ++side) {
            since_ = before;
            untested_ = untested_before;
            e_.b.SetInsertPoint(side == 0 ? then : otherwise);
            if (side < step.children.size()) steps(step.children[side]);
            e_.b.CreateBr(join);
            all.join(since_);
            all_untested.insert(untested_.begin(), untested_.end());
        }
        since_ = std::move(all);
        untested_ = std::move(all_untested);
        e_.b.SetInsertPoint(join);
    }

    void while_loop(const Step& step) {
        auto* head = block("while");
        auto* body = block("body");
        auto* after = block("after");
        begin_iterations();
        e_.b.CreateBr(head);
        e_.b.SetInsertPoint(head);
        const PersistentKernel::Numbers in_body = persistent_.tapes_of(step.children[1]);
        Value* resumes = resumes_in(in_body);
        e_.when(e_.b.CreateNot(resumes), [&] { steps(step.children[0]); });
        e_.b.CreateCondBr(e_.b.CreateOr(resumes, condition(step)), body, after);
        Since at_condition = since_;
        std::set<std::size_t> untested_at_condition = untested_;
        e_.b.SetInsertPoint(body);
        steps(step.children[1]);
        end_iteration(step);
        e_.b.CreateBr(head);
        e_.b.SetInsertPoint(after);
        since_ = std::move(at_condition);
        untested_ = std::move(untested_at_condition);
    }

    void counted_loop(const Step& step) {
        const auto& loop = step.as<plan::LoopStep>();
        begin_iterations();
        const auto iteration_index = [&](Value* iteration) {
            return loop.reverse ? e_.b.CreateSub(e_.int64(loop.iterations - 1), iteration) : iteration;
        };
        Value* first = e_.int64(0);
        if (const PersistentKernel::Numbers tapes = persistent_.tapes_of(step); !tapes.empty()) {
            const std::vector<std::uint32_t>& loops = persistent_.loops_of_record;
            const std::int64_t number = std::find(loops.begin(), loops.end(), loop.id) - loops.begin();
            Value* index = e_.b.CreateLoad(e_.i64(), word(persistent_.record_words().resume() + 1 + number));
            first = e_.b.CreateSelect(resumes_in(tapes), iteration_index(index), first);
        }
        e_.loop(first, e_.int64(loop.iterations), 1, [&](Value* iteration) {
            Value* index = iteration_index(iteration);
            loops_[loop.id] = index;
            if (!step.buffers.empty()) indices_[step.buffers[0]] = index;
            if (!step.buffers.empty() && persistent_.in_registers.count(step.buffers[0]) == 0)
                store_index(step.buffers[0], index);
            steps(step.children[0]);
            if (loop.iterations > 1) end_iteration(step);
            if (!step.buffers.empty()) indices_.erase(step.buffers[0]);
            loops_.erase(loop.id);
        });
    }

    void store_index(plan::BufferId id, Value* index) {
        before({touched(program_, persistent_, id, true)});
        const DType dtype = program_.buffers[id].dtype;
        // The index is stored in every iteration, since another buffer may use the same memory later in the iteration.
        e_.when(e_.b.CreateAnd(is_first(), is_on()),
                [&] { store_scalar(e_, dtype, convert(e_, dtype, DType::i64, index), address(id)); });
    }

    /// In the first iteration, the code of the body runs after the accesses before the loop. In the other iterations,
    /// this code runs after end_iteration(). end_iteration() has a barrier and afterwards only reads the record. So
    /// this read is added here to the accesses before the loop.
    void begin_iterations() {
        if (!persistent_.checks.empty()) since_.add({record(false)});
    }
    void end_iteration(const Step& step) {
        if (persistent_.polls.count(&step) != 0) {
            auto* on = block("on");
            e_.b.CreateCondBr(threads_.grid_barrier_and_poll(), exit_block_, on);
            e_.b.SetInsertPoint(on);
        } else {
            threads_.grid_barrier();
        }
        since_ = {};
        if (!untested_.empty()) exit_if_failed();
    }

    Emit& e_;
    Threads& threads_;
    const PersistentKernel& persistent_;
    const plan::Program& program_;
    llvm::ArrayRef<Value*> parameters_;
    llvm::BasicBlock* exit_block_ = nullptr;
    std::map<std::uint32_t, Value*> loops_;    ///< the indices of the enclosing loops
    std::map<plan::BufferId, Value*> indices_; ///< the same indices, by the index buffers of the loops
    Value* resume_ = nullptr;                  ///< an i64 slot if there are tapes: see TapeRecord::resume()
    Since since_;
    std::set<std::size_t> untested_; ///< numbers of checks that may have failed and have not been tested
};

} // namespace

void emit_persistent_kernel(Emit& e, Threads& threads, const PersistentKernel& persistent, const plan::Program& program,
                            llvm::ArrayRef<Value*> parameters) {
    Walk(e, threads, persistent, program, parameters).run();
}

} // namespace pm::codegen
