#pragma once
#include "compiler/codegen/program/host_function.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace pm::codegen {

/// Emits the steps of one function of a program: the entry, a region, or the body of a lane. Loops, branches and polls
/// become native code.
class StepEmitter {
  public:
    /// `call` and `exit`: see HostFunction.
    StepEmitter(Emit& e, const Layout& layout, Value* call, llvm::BasicBlock* exit);
    StepEmitter(const StepEmitter&) = delete; // `target_` refers to this object
    StepEmitter& operator=(const StepEmitter&) = delete;

    void steps(const plan::Steps& steps);
    void step(const plan::Step& step);
    /// Emits the body of `function`, which is the function of the region.
    void region(const OutlinedRegion& region, llvm::Function* function);

    // Functions for the targets.

    Emit& emit() { return e_; }
    const Layout& layout() const { return layout_; }
    HostFunction& function() { return function_; }
    TargetSteps& target() { return *target_; } ///< created by the Layout's back end
    /// Emits a function that runs one lane, and calls of this function for the lanes of this process on the workers.
    /// `write` emits the code of the function through `body`.
    void for_each_lane(const plan::LanesStep& lanes, const std::function<void(StepEmitter& body, Value* lane)>& write);
    /// Calls the runtime's kernel `symbol` for matrices.
    void call_matrices(const std::string& symbol, const plan::Step& step);
    /// Calls the runtime for a tape step. `own`: the arguments that only the runtime function `symbol` has.
    void call_tape(const char* symbol, const plan::Step& step, llvm::ArrayRef<Value*> own,
                   llvm::ArrayRef<Value*> addresses);
    /// Reports to the runtime that element `element` of a check is false. The report includes the values of the check.
    void report(const plan::Step& check, Value* element);

  private:
    void steps(const plan::Steps& steps, std::size_t first, std::size_t last);
    void sort(const plan::Step& step);
    void collective(const plan::Step& step);
    void tape(const plan::Step& step);
    void tapes(const plan::Step& step);
    void copy(const plan::Step& step);
    void meeting(const plan::Step& step);
    Value* condition_of(const plan::Step& step);
    void branch(const plan::Step& step);
    void while_loop(const plan::Step& step);
    void counted_loop(const plan::Step& step);
    void lanes(const plan::Step& step);
    void check(const plan::Step& step);
    Value* first_failure(Value* ok, std::int64_t n);
    void print(const plan::Step& step);
    Value* read_by_host(plan::BufferId id);
    std::vector<Value*> host_addresses(const plan::Step& step, std::size_t written, bool all = true);
    const plan::Buffer& buffer(plan::BufferId id) const { return function_.buffer(id); }

    Emit& e_;
    const Layout& layout_;
    HostFunction function_;
    std::unique_ptr<TargetSteps> target_;
};

} // namespace pm::codegen
