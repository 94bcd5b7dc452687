#pragma once
#include "tests/fuzz/run.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace pm::fuzz {

/// Something that must not be: `what` names it, so that a smaller program can be said to have the same fault.
struct Fault {
    std::string what;
    std::string details; ///< for people: the values, or the message
    std::vector<Form> forms;
    std::vector<std::string> laws; ///< that show it
};

struct Judged {
    std::vector<Fault> faults;
    int checks = 0; ///< comparisons that decided something
    int unsure = 0; ///< derivatives near kinks, ill-conditioned values
};

struct Measures {
    int seconds = 90;     ///< of one form
    bool compile = true;  ///< compare with compiled code
    bool kernels = false; ///< every program is compiled, for a GPU too
    codegen::Target gpu = codegen::Target::gpu_emulated;
    bool thorough = false;        ///< all laws compiled
    std::vector<std::string> off; ///< laws left out
};

/// All laws evaluated; some of them, by `choice`, compiled and compared with that.
Judged judge(const Program& program, std::uint64_t choice, const Measures& measures);

/// Whether a program has this fault: as little is run as shows it.
bool has_fault(const Program& program, const Fault& fault, const Measures& measures);

} // namespace pm::fuzz
