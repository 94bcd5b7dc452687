#pragma once
#include "compiler/api/device_info.hpp"
#include "compiler/api/options.hpp"
#include "compiler/codegen/jit/jit.hpp"
#include "compiler/ir/executor.hpp"
#include "compiler/plan/plan.hpp"
#include "runtime/call.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <unordered_map>

namespace pm::api {

/// Runs blocks by compiling them: optimise, plan, emit, load. Each block is compiled once. If there is a cache folder,
/// code is generated once for equal programs. The class is thread-safe.
class Compiler : public ir::Executor {
  public:
    struct Surroundings {
        std::shared_ptr<runtime::Allocator> allocator;
        runtime::Workers* workers = nullptr;
        const std::atomic<bool>* cancel = nullptr;
        std::function<void(std::string_view)> output;
        /// Runs the function on a deep stack, since passes recurse over the program. Empty: the compiler runs on the
        /// caller's stack.
        std::function<void(const std::function<void()>&)> deep;
        runtime::Processes* processes = nullptr;          ///< of the job; null: one process runs all lanes
        std::function<std::string(Span)> place_text = {}; ///< ", train.pm:16"; set if `processes` is not null
    };
    Compiler(CompileOptions options, Surroundings surroundings);

    std::vector<runtime::Array> run(const ir::BlockPtr& block, std::vector<runtime::Array> arguments) override {
        std::vector<ir::Donated> none;
        return run_donated(block, std::move(arguments), none);
    }
    std::vector<runtime::Array> run_donated(const ir::BlockPtr& block, std::vector<runtime::Array> arguments,
                                            std::vector<ir::Donated>& donated) override;
    /// Sets the deadline of all later calls. nullopt: no deadline.
    void set_deadline(std::optional<std::chrono::steady_clock::time_point> deadline) { deadline_ = deadline; }
    /// Waits until all calls have ended, including their work on a device. Throws the failures of kernels.
    void wait();
    void set_output(std::function<void(std::string_view)> output) { surroundings_.output = std::move(output); }

    /// The time that this compiler has spent so far, in seconds of wall time.
    struct Spent {
        double optimize = 0, plan = 0, codegen = 0, run = 0;
        int programs = 0; ///< number of compiled programs
        runtime::LibraryCalls::Counts library_calls{};
    };
    Spent spent() const;

    /// Called with each block before the block is compiled; for `pm ir`. May be empty.
    std::function<void(const ir::BlockPtr&)> on_block;
    const CompileOptions& options() const { return options_; }
    codegen::Jit& jit() { return *jit_; }
    const ops::TargetInfo& target() const { return target_; }
    /// The plan of a block for `target`; if `target` is empty, for the target of this compiler.
    plan::Program plan(const ir::BlockPtr& block, std::optional<codegen::Target> target = {}) const;
    /// Runs the passes before the plan and, if `of_plan` is true, the passes at the beginning of the plan. After each
    /// pass, calls `visit` with the name of the pass. After the last pass before the plan, calls `visit` again with the
    /// name "optimize".
    void each_pass(const ir::BlockPtr& block, bool of_plan,
                   const std::function<void(std::string_view pass, const ir::Block& made)>& visit) const;

  private:
    /// Throws an Error if the embedding program has cancelled the call, or if the deadline of the call has passed.
    void poll() const;

    /// The options of the planner for a target.
    plan::Options options_for(codegen::Target target) const;
    ir::BlockPtr optimized(const ir::BlockPtr& block) const;
    plan::Program planned(const ir::BlockPtr& optimized, const std::vector<bool>& donated,
                          codegen::Target target) const;

    struct Compiled;
    void divide_results(const Compiled& c, std::vector<runtime::Array>& results) const;
    void enter(const Compiled& c, const std::vector<runtime::Array>& arguments);
    std::shared_ptr<const Compiled> compiled(const ir::BlockPtr& block, const std::vector<ir::Donated>& donated);
    std::shared_ptr<const Compiled> compile(const ir::BlockPtr& block, const std::vector<bool>& donated);
    runtime::CallOptions call_options(const Compiled& c);
    std::vector<runtime::Array> results_of(const Compiled& c, const std::vector<runtime::Array>& arguments) const;

    CompileOptions options_;
    Surroundings surroundings_;
    std::unique_ptr<codegen::Jit> jit_;
    DeviceInfo target_;
    std::optional<std::chrono::steady_clock::time_point> deadline_;
    mutable std::mutex mutex_; ///< held during a compilation; guards the members below
    Spent spent_;
    runtime::LibraryCalls library_calls_; ///< running programs add their calls of libraries
    struct Entry {
        std::weak_ptr<const ir::Block> block;
        std::shared_ptr<const Compiled> compiled;
    };
    std::unordered_map<const ir::Block*, Entry> by_block_;
    std::size_t sweep_at_ = 64; ///< at this number of entries, the entries of freed blocks are removed with their code
};

} // namespace pm::api
