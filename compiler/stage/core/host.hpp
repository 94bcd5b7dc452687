#pragma once
#include "compiler/base/diagnostic.hpp"
#include "compiler/ir/executor.hpp"
#include "compiler/ops/core/target_info.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pm::stage {

/// The decisions of a host: output, the permissions of a program, and how the program is run.
struct Options {
    std::function<void(std::string_view)> output;
    std::function<void(std::string_view)> message; ///< warnings, --explain; one rendered text each
    const std::atomic<bool>* cancel = nullptr;     ///< true stops the program. Null: the program cannot be cancelled
    /// Gets the position of work that begins to run, and `nullptr` when the work has ended (UnderWay). Null if the host
    /// does not need it.
    std::function<void(const Source* source, Span place)> under_way;
    /// Runs work that may recurse deeply. Null: the stack is deep enough.
    std::function<void(const std::function<void()>&)> deep;
    std::vector<std::string> arguments; ///< `args` of the language
    bool files = true;                  ///< may read and write files
    bool terminal = false;              ///< progress bars are drawn
    bool explain = false;
    bool explain_grad = false; ///< a message for each derivative that is split: the residuals that it keeps
    bool verify = false;       ///< blocks are verified as they are staged and after each transformation
    bool check_nans = false;   ///< the first operation that computes a NaN from operands without NaNs stops the program
};

/// The interface of the stager to its engine.
struct Host : Options {
    explicit Host(Options options = {}) : Options(std::move(options)) {}

    ir::Executor* executor = nullptr;
    std::shared_ptr<runtime::Allocator> allocator;
    std::string platform = "cpu"; ///< the prefix of device names: cpu:0, gpu:0
    int devices = 1;
    const ops::TargetInfo* target = &ops::TargetInfo::none(); ///< the libraries of the devices
    bool brings_arrays = false; ///< programs run on copies of arrays in a device's own memory
    std::optional<std::chrono::steady_clock::time_point> deadline; ///< staging then ends with Diag::deadline_passed
    /// Set if the program is checked and not run (check.cpp): arrays are abstract and no host work is done. It gets
    /// each error of a statement of the module.
    std::function<void(const Diagnostic&)> problem;
    /// Whether this problem was already reported. Its repairs are then not computed again.
    std::function<bool(Diag id, Span place)> already_reported;
};

} // namespace pm::stage
