#pragma once
#include "compiler/codegen/jit/jit.hpp"
#include "tests/fuzz/laws.hpp"

#include <functional>
#include <string>
#include <vector>

/// Runs a program in a process of its own, so that a crash or an endless loop is a result like any other.
namespace pm::fuzz {

/// A way to run the same text.
struct Form {
    std::string name;
    bool evaluate = false;
    bool plain = false; ///< no optimisation, no fusion, verified after every step
    int workers = 1;
    codegen::Target target = codegen::Target::cpu; ///< of a GPU: with the processor's order of sums, and exact products
};

enum class Ending { done, diagnostic, internal, crash, late };

struct Finished {
    Form form;
    Ending ending = Ending::done;
    std::string output;
    std::string code;    ///< of the diagnostic
    std::string message; ///< of what went wrong, in a line
    std::string text;    ///< the same for people
};

struct Task {
    Form form;
    std::string text;
};

/// What a plain form leaves out, as `pm run` has it.
std::string plain_flags();

/// Each task after the other; what comes behind a crash is not run. At most `seconds` each.
std::vector<Finished> run_tasks(const std::vector<Task>& tasks, int devices, int seconds);
/// The same with other work done in the process: for tests of what becomes of it.
std::vector<Finished> run_apart(const std::vector<Task>& tasks, int seconds,
                                const std::function<Finished(const Task&)>& work);

} // namespace pm::fuzz
