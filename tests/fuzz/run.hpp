#pragma once
#include "compiler/codegen/jit/jit.hpp"
#include "runtime/processes/processes.hpp"
#include "tests/fuzz/laws.hpp"

#include <functional>
#include <string>
#include <vector>

/// Runs a program in a separate process, so that a crash or an endless loop is an ordinary result.
namespace pm::fuzz {

/// A configuration in which to run a program.
struct Form {
    std::string name;
    bool evaluate = false;
    bool plain = false; ///< no optimization, no fusion, verified after every step
    int workers = 1;
    codegen::Target target = codegen::Target::cpu; ///< a GPU uses the processor's order of sums and exact products
};

enum class Ending { done, diagnostic, internal, crash, late };

struct Finished {
    Form form;
    Ending ending = Ending::done;
    std::string output;
    std::string code;    ///< of the diagnostic
    std::string message; ///< the error in one line
    std::string text;    ///< the full text of the error
};

struct Task {
    Form form;
    std::string text;
};

/// The options of `pm run` that correspond to a plain form.
std::string plain_flags();

/// Runs a task in this process, and together with the other processes of a job if there is one. Each process has
/// `devices` devices.
Finished run_here(const Task& task, int devices, int seconds, runtime::Processes* processes = nullptr);
/// Runs the tasks one after another. Tasks after a crash are not run. At most `seconds` each.
std::vector<Finished> run_tasks(const std::vector<Task>& tasks, int devices, int seconds);
/// The same with another function instead of the run, for tests of this file.
std::vector<Finished> run_isolated(const std::vector<Task>& tasks, int seconds,
                                   const std::function<Finished(const Task&)>& work);

} // namespace pm::fuzz
