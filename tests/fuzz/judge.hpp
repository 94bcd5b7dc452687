#pragma once
#include "tests/fuzz/run.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace pm::fuzz {

/// A violation. `what` identifies it, so that the shrinker recognises the same violation in a smaller program.
struct Fault {
    std::string what;
    std::string details; ///< for readers: the values, or the message
    std::vector<Form> forms;
    std::vector<std::string> laws; ///< the laws that show it
};

struct Judged {
    std::vector<Fault> faults;
    int checks = 0; ///< comparisons with a definite result
    int unsure = 0; ///< derivatives near kinks, ill-conditioned values
};

struct JudgeOptions {
    int seconds = 90;     ///< for one form
    bool compile = true;  ///< compare with compiled code
    bool kernels = false; ///< compile every program, also for a GPU
    codegen::Target gpu = codegen::Target::gpu_emulated;
    bool thorough = false;        ///< check all laws with compiled code
    std::vector<std::string> off; ///< laws to leave out
};

/// Checks all laws with the evaluator. Compiles some of them, selected by `choice`, and compares the results.
Judged judge(const Program& program, std::uint64_t choice, const JudgeOptions& options);

/// Whether a program has this fault. Runs as little as is needed to show it.
bool has_fault(const Program& program, const Fault& fault, const JudgeOptions& options);

} // namespace pm::fuzz
