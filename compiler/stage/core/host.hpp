#pragma once
#include "compiler/base/diagnostic.hpp"
#include "compiler/ir/executor.hpp"
#include "compiler/ops/core/target_info.hpp"
#include "runtime/processes/processes.hpp"

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

/// The settings of a host: where output goes, what a program is permitted to do, and how the program is run.
struct Options {
    std::function<void(std::string_view)> output;
    std::function<void(std::string_view)> message; ///< receives each note (--explain) as rendered text
    std::function<void(const Diagnostic&, const SourceMap&)> warning; ///< receives each warning
    const std::atomic<bool>* cancel = nullptr; ///< if true, the program stops. Null: the program cannot be cancelled
    /// Called twice for each operation that may take long (see UnderWay). When the operation begins, the arguments are
    /// its source position. When the operation has ended, `source` is null. The function is null if the host does not
    /// need these calls.
    std::function<void(const Source* source, Span place)> under_way;
    /// Runs work that may recurse deeply on a large stack. Null: the current stack is large enough.
    std::function<void(const std::function<void()>&)> deep;
    std::vector<std::string> arguments; ///< `args` of the language
    bool files = true;                  ///< true if the program may read and write files
    /// Folders in which imported files are searched. The folder of the importing file is searched first.
    std::vector<std::string> module_folders;
    bool terminal = false; ///< true if progress bars are drawn
    bool explain = false;
    bool explain_grad =
        false; ///< true if a message lists, for each derivative in reverse mode, the values that the derivative keeps
    bool verify = false;     ///< true if blocks are verified after staging and after each transformation
    bool check_nans = false; ///< true if an operation that computes a NaN from operands without NaNs stops the program
    bool check_overflow = false; ///< true if an operation whose integer result wraps around stops the program
};

/// The interface of the stager to its engine.
struct Host : Options {
    explicit Host(Options options = {}) : Options(std::move(options)) {}

    ir::Executor* executor = nullptr;
    std::shared_ptr<runtime::Allocator> allocator;
    std::string platform = "cpu";            ///< the prefix of device names: cpu:0, gpu:0
    int devices = 1;                         ///< of all processes
    runtime::Processes* processes = nullptr; ///< of the job; null: this process alone
    const ops::TargetInfo* target =
        &ops::TargetInfo::none(); ///< the operations that the libraries of the devices compute
    bool brings_arrays = false;   ///< true if compiled programs run on copies of host arrays in a device's memory
    /// The time at which staging ends with Diag::deadline_passed.
    std::optional<std::chrono::steady_clock::time_point> deadline;
    /// Set only if the program is checked and not run (check/module_check.hpp). Arrays are then abstract, and host work
    /// is not done. Called with each error in a statement of the module.
    std::function<void(const Diagnostic&)> problem;
    /// Whether the problem with this id and position was already reported. The suggestions for a problem that was
    /// already reported are not computed again.
    std::function<bool(Diag id, Span place)> already_reported;
};

} // namespace pm::stage
