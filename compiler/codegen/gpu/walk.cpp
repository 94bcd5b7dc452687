#include "compiler/codegen/emit_scalar.hpp"
#include "compiler/codegen/gpu/resident.hpp"
#include "compiler/codegen/integer.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

namespace pm::codegen {

using plan::Step;
using plan::StepKind;

namespace {

/// What the threads have done since all of them met.
struct Since {
    std::vector<Touched> touched;
    bool shared = false; ///< the memory of a block

    bool conflicts(const Touched& next) const {
        return std::any_of(touched.begin(), touched.end(), [&](const Touched& before) {
            return (before.written || next.written) && before.overlaps(next);
        });
    }
    void add(const std::vector<Touched>& more) {
        for (const Touched& t : more)
            if (std::find(touched.begin(), touched.end(), t) == touched.end()) touched.push_back(t);
    }
    void join(const Since& other) {
        add(other.touched);
        shared = shared || other.shared;
    }
};

/// Control flow is the same for all threads of the launch: what it depends on is read after all have met.
class Walk {
  public:
    Walk(Emit& e, Threads& threads, const Resident& resident, const plan::Program& program,
         llvm::ArrayRef<Value*> parameters)
        : e_(e), threads_(threads), resident_(resident), program_(program), parameters_(parameters) {}

    void run() {
        left_ = block("left");
        begin_record();
        step(*resident_.root);
        e_.b.CreateBr(left_);
        e_.b.SetInsertPoint(left_);
    }

  private:
    llvm::BasicBlock* block(const char* name) { return llvm::BasicBlock::Create(e_.context, name, e_.function()); }

    void steps(const plan::Steps& list) {
        for (const Step& s : list) step(s);
    }

    void step(const Step& step) {
        switch (step.kind) {
        case StepKind::loop: counted_loop(step); return;
        case StepKind::while_: while_loop(step); return;
        case StepKind::if_: branch(step); return;
        case StepKind::poll: return; // see end_turn()
        default:
            if (const auto found = resident_.leaves.find(&step); found != resident_.leaves.end()) leaf(found->second);
            return;
        }
    }

    void leaf(const Resident::Leaf& leaf) {
        if (leaf.step->kind == StepKind::check) return check(leaf);
        const bool nest = leaf.step->kind == StepKind::nest;
        before(touched_by(program_, resident_, leaf));
        const bool shares = leaf.step->kind == StepKind::dot || leaf.step->kind == StepKind::sort || leaf.in_passes ||
                            leaf.mapping.team > warp;
        if (shares && since_.shared) threads_.barrier();
        since_.shared = since_.shared || shares;
        threads_.release_shared();
        std::vector<Value*> buffers;
        for (const plan::BufferId id : leaf.step->buffers) buffers.push_back(address(id));
        const auto known = [&](const Scope&, nest::Ref r) { return in_register(leaf, r); };
        if (leaf.in_passes)
            emit_nest_passes(e_, threads_, leaf.shape, leaf.mapping, buffers, parameters_.back(), nullptr, known);
        else if (nest)
            emit_threaded_nest(e_, threads_, leaf.shape, leaf.mapping, buffers, known);
        else
            emit_step_kernel(e_, threads_, *leaf.step, program_, leaf.mapping, buffers);
    }

    /// All meet when one may be about to touch what another has.
    void before(const std::vector<Touched>& next) {
        meet_before(next);
        const bool overwrites = std::any_of(untested_.begin(), untested_.end(), [&](std::size_t check) {
            const std::vector<plan::BufferId>& shown = resident_.checks[check]->buffers;
            return std::any_of(shown.begin(), shown.end(), [&](plan::BufferId id) {
                const Touched value = touched(program_, resident_, id, false);
                return std::any_of(next.begin(), next.end(),
                                   [&](const Touched& t) { return t.written && t.overlaps(value); });
            });
        });
        if (overwrites) leave_if_failed();
        since_.add(next);
    }
    void meet_before(const std::vector<Touched>& next) {
        if (std::none_of(next.begin(), next.end(), [&](const Touched& t) { return since_.conflicts(t); })) return;
        threads_.gather();
        since_ = {};
    }

    // A check notes in the kernel's own memory what is not so. All leave before what its message shows is overwritten,
    // at the end of the turn at the latest; then the host looks.

    Value* own(std::int64_t place) { return e_.byte_offset(parameters_.back(), place); }
    Value* is_first() { return e_.b.CreateICmpEQ(e_.b.CreateOr(threads_.thread(), threads_.block()), e_.int64(0)); }
    Touched record(bool written) const { return touched_scratch(resident_.record, resident_.scratch_bytes, written); }
    Touched record_of(std::size_t check, bool written) const {
        return touched_scratch(resident_.place_of_check(check), resident_.place_of_check(check + 1), written);
    }

    void begin_record() {
        if (resident_.checks.empty()) return;
        e_.when(is_first(), [&] {
            for (std::int64_t at = resident_.record; at < resident_.scratch_bytes; at += 8)
                e_.b.CreateStore(e_.int64(at < resident_.place_of_check(0) ? 0 : -1), own(at));
        });
        since_.add({record(true)});
    }

    void check(const Resident::Leaf& leaf) {
        const auto found = std::find(resident_.checks.begin(), resident_.checks.end(), leaf.step);
        const auto number = static_cast<std::size_t>(found - resident_.checks.begin());
        const plan::BufferId ok = leaf.step->buffers[0];
        before({touched(program_, resident_, ok, false), record_of(number, true)});
        emit_check_kernel(e_, threads_, *leaf.step, program_, leaf.mapping,
                          {address(ok), own(resident_.place_of_check(number))});
        untested_.insert(number);
    }

    /// All threads read the same: who writes there next has to meet them before.
    void leave_if_failed() {
        std::vector<Touched> read;
        for (const std::size_t check : untested_) read.push_back(record_of(check, false));
        meet_before(read);
        Value* failed = e_.b.getFalse();
        for (const std::size_t check : std::exchange(untested_, {})) {
            Value* least = e_.b.CreateAlignedLoad(e_.i64(), own(resident_.place_of_check(check)), llvm::Align(8), true);
            failed = e_.b.CreateOr(failed, e_.b.CreateICmpNE(least, e_.int64(-1)));
        }
        auto* leaves = block("leaves");
        auto* on = block("on");
        e_.b.CreateCondBr(failed, leaves, on);
        e_.b.SetInsertPoint(leaves);
        e_.when(is_first(), [&] {
            for (std::size_t i = 0; i < resident_.loops_of_checks.size(); ++i)
                if (const auto loop = loops_.find(resident_.loops_of_checks[i]); loop != loops_.end())
                    e_.b.CreateStore(loop->second, own(resident_.place_of_index(i)));
        });
        e_.b.CreateBr(left_);
        e_.b.SetInsertPoint(on);
        since_.add(read);
    }

    /// A load that would give the index of a loop, which is known.
    Value* in_register(const Resident::Leaf& leaf, nest::Ref r) {
        const nest::Inst& inst = leaf.shape.nest[r];
        if (inst.access.mask || inst.access.dynamic) return nullptr;
        const auto loop = indices_.find(leaf.step->buffers[inst.access.buffer]);
        return loop == indices_.end() ? nullptr : convert(e_, inst.dtype, DType::i64, loop->second);
    }

    Value* address(plan::BufferId id) {
        const plan::Buffer& b = program_.buffers[id];
        if (resident_.in_registers.count(id) != 0) return llvm::ConstantPointerNull::get(e_.pointer());
        Value* at = parameters_[resident_.parameter_of.at(id)];
        for (const plan::Stride& s : b.strides)
            if (const auto loop = loops_.find(s.loop); loop != loops_.end())
                at = e_.byte_offset(at, e_.mul(loop->second, s.bytes));
        return at;
    }

    Value* condition(const Step& step) {
        before({touched(program_, resident_, step.buffers[0], false)});
        return load_scalar(e_, DType::b1, address(step.buffers[0]));
    }

    void branch(const Step& step) {
        auto* then = block("then");
        auto* otherwise = block("otherwise");
        auto* join = block("join");
        e_.b.CreateCondBr(condition(step), then, otherwise);
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
        begin_turns();
        e_.b.CreateBr(head);
        e_.b.SetInsertPoint(head);
        steps(step.children[0]);
        e_.b.CreateCondBr(condition(step), body, after);
        Since at_condition = since_;
        std::set<std::size_t> untested_at_condition = untested_;
        e_.b.SetInsertPoint(body);
        steps(step.children[1]);
        end_turn(step);
        e_.b.CreateBr(head);
        e_.b.SetInsertPoint(after);
        since_ = std::move(at_condition);
        untested_ = std::move(untested_at_condition);
    }

    void counted_loop(const Step& step) {
        begin_turns();
        e_.loop(0, step.turns, 1, [&](Value* turn) {
            Value* index = step.reverse ? e_.b.CreateSub(e_.int64(step.turns - 1), turn) : turn;
            loops_[step.id] = index;
            if (!step.buffers.empty()) indices_[step.buffers[0]] = index;
            if (!step.buffers.empty() && resident_.in_registers.count(step.buffers[0]) == 0)
                store_index(step.buffers[0], index);
            steps(step.children[0]);
            if (step.turns > 1) end_turn(step);
            if (!step.buffers.empty()) indices_.erase(step.buffers[0]);
            loops_.erase(step.id);
        });
    }

    void store_index(plan::BufferId id, Value* index) {
        before({touched(program_, resident_, id, true)});
        const DType dtype = program_.buffers[id].dtype;
        e_.when(is_first(), [&] { store_scalar(e_, dtype, convert(e_, dtype, DType::i64, index), address(id)); });
    }

    /// What was touched before the first turn still counts in it, what was touched in a turn does not in the next, but
    /// for what end_turn() reads.
    void begin_turns() {
        if (!resident_.checks.empty()) since_.add({record(false)});
    }
    void end_turn(const Step& step) {
        if (resident_.asks.count(&step) != 0) {
            auto* on = block("on");
            e_.b.CreateCondBr(threads_.gather_and_ask(), left_, on);
            e_.b.SetInsertPoint(on);
        } else {
            threads_.gather();
        }
        since_ = {};
        if (!untested_.empty()) leave_if_failed();
    }

    Emit& e_;
    Threads& threads_;
    const Resident& resident_;
    const plan::Program& program_;
    llvm::ArrayRef<Value*> parameters_;
    llvm::BasicBlock* left_ = nullptr;
    std::map<std::uint32_t, Value*> loops_;    ///< the indices of those around
    std::map<plan::BufferId, Value*> indices_; ///< the same by their buffers
    Since since_;
    std::set<std::size_t> untested_; ///< checks, by number, that may have failed without anybody having looked
};

} // namespace

void emit_resident(Emit& e, Threads& threads, const Resident& resident, const plan::Program& program,
                   llvm::ArrayRef<Value*> parameters) {
    Walk(e, threads, resident, program, parameters).run();
}

} // namespace pm::codegen
