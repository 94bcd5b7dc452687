#pragma once
#include <cstdint>
#include <string>

/// Four laws. A function has the same results, dtypes and weakness of numbers with a line of host work before any of
/// its statements, which makes it interpreted, as without it. A call has the same outcome after any other calls. It has
/// the same outcome after a global has changed as with the new value from the start. A batch of one call has the values
/// and dtypes of the call.
namespace pm::fuzz {

struct Numbers {
    std::uint64_t seed = 0; ///< of the first program; the others have the following numbers
    long long count = 0;
    double seconds = 0;
    int limit = 60; ///< seconds per variant of a program
    bool show = false;
};

/// The output of a call, and the code of the error that ended it.
struct Outcome {
    std::string output;
    std::string code; ///< empty where there was no error
};

/// Whether the first law holds for a call: errors are compared by their codes, numbers with a relative tolerance of
/// 1e-6. Interpreted code may run, or refuse later, what only compiled code refuses. It refuses nothing else.
bool same_meaning(const Outcome& plain, const Outcome& interpreted);

/// Runs generated programs, each in a process of its own. Writes each program that breaks a law, crashes, has an
/// internal error or does not end to `numbers-SEED.pm` in the current folder. Returns their number.
int run_numbers(const Numbers& what);

} // namespace pm::fuzz
