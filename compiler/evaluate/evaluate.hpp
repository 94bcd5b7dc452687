#pragma once
#include "compiler/ir/executor.hpp"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The reference interpreter: every instruction by its operation's `eval` rule, one after the other. Slow and obvious:
/// what compiled programs are measured against.
namespace pm::evaluate {

using runtime::Array;

struct Options {
    std::shared_ptr<runtime::Allocator> allocator; ///< none: plain memory without a limit
    /// Lanes that a pmap is laid over; decides only the order of printed lines, which come lane by lane from one
    /// collective to the next. 0: every slice is a lane of its own.
    std::int64_t devices = 0;
    /// Takes the text of each print, formatted. None: prints are dropped.
    std::function<void(std::string_view)> print;
    /// Asked at every instruction; true ends the run with Diag::interrupted.
    std::function<bool()> stop;
};

/// Runs a block. Arguments have the types of its parameters (PM_CHECK). Throws pm::Error: a check that failed (the
/// diagnostic that the text names before a `|`, else Diag::check_failed) at the instruction's span, Diag::interrupted,
/// Diag::out_of_memory. A pmap's slices run in lock step, so nothing can deadlock; a collective that not all of its
/// lanes reach is an internal error, because transform/varies refuses such programs.
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
