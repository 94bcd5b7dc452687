#pragma once
#include "compiler/ir/executor.hpp"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The reference interpreter. The interpreter runs the instructions in order, each by the `eval` rule of its operation.
/// It is simple and slow. Tests compare the results of compiled programs with the results of the interpreter.
namespace pm::evaluate {

using runtime::Array;

struct Options {
    std::shared_ptr<runtime::Allocator> allocator; ///< null: host memory without a limit
    /// The number of lanes of a pmap. If it is 0, each slice has its own lane. The number affects only the order of
    /// printed lines and the device that the message of a failed check names. Lines that are printed between two
    /// collectives are ordered by lane.
    std::int64_t devices = 0;
    /// Receives the formatted text of prints. If `print` is empty, prints are dropped.
    std::function<void(std::string_view)> print;
    /// Called at every instruction. If the function returns true, the run ends with Diag::interrupted.
    std::function<bool()> stop;
};

/// Runs a block. The arguments must have the types of the block's parameters (PM_CHECK). Throws pm::Error with
/// Diag::interrupted, Diag::out_of_memory, or the diagnostic of a failed check at the span of the instruction. The
/// slices of a pmap run in lock step, so no deadlock is possible. If some lanes do not reach a collective, an internal
/// error is thrown. transform/analysis/varies refuses such programs earlier.
std::vector<Array> evaluate(const ir::BlockPtr& block, std::vector<Array> arguments, const Options& options = {});

class Evaluator : public ir::Executor {
  public:
    explicit Evaluator(Options options = {}) : options_(std::move(options)) {}
    std::vector<Array> run(const ir::BlockPtr& block, std::vector<Array> arguments) override {
        return evaluate(block, std::move(arguments), options_);
    }

  private:
    Options options_;
};

} // namespace pm::evaluate
