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

/// The settings of a host: output, the permissions of a program, and how the program is run.
struct Options {
    std::function<void(std::string_view)> output;
    std::function<void(std::string_view)> message; ///< receives each note (--explain) as rendered text
    std::function<void(const Diagnostic&, const SourceMap&)> warning; ///< receives each warning
    const std::atomic<bool>* cancel = nullptr; ///< true stops the program. Null: the program cannot be cancelled
    /// Called with the source position of an operation that may take long when the operation begins, and with `nullptr`
    /// when it has ended (see UnderWay). Null if the host does not need it.
    std::function<void(const Source* source, Span place)> under_way;
    /// Runs work that may recurse deeply, on a deep stack. Null: the current stack is deep enough.
    std::function<void(const std::function<void()>&)> deep;
    std::vector<std::string> arguments; ///< `args` of the language
    bool files = true;                  ///< may read and write files
    /// The folders in which an imported file is searched after the folder of the importing file.
    std::vector<std::string> module_folders;
    bool terminal = false; ///< progress bars are drawn
    bool explain = false;
    bool explain_grad = false; ///< for each derivative in reverse mode, a message lists the values that it keeps
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
    bool brings_arrays = false; ///< compiled programs run on copies of host arrays in a device's memory
    /// The time at which staging ends with Diag::deadline_passed.
    std::optional<std::chrono::steady_clock::time_point> deadline;
    /// Set if the program is checked and not run (check/module_check.hpp): arrays are abstract, and host work is not
    /// done. Called with each error in a statement of the module.
    std::function<void(const Diagnostic&)> problem;
    /// Whether this problem was already reported. If so, its repairs are not computed again.
    std::function<bool(Diag id, Span place)> already_reported;
};

} // namespace pm::stage
