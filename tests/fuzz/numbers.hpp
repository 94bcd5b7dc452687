#pragma once
#include <cstdint>
#include <string>

/// Four laws:
/// - A line of host work before any of its statements makes a function interpreted. Its results, dtypes and weakness of
/// numbers stay the same.
/// - The outcome of a call does not depend on the calls before it.
/// - After a global has changed, a call has the same outcome as with the new value from the start.
/// - A batch of one call has the values and dtypes of the call.
namespace pm::fuzz {

struct Numbers {
    std::uint64_t seed = 0; ///< seed of the first program; the others have the following numbers
    long long count = 0;
    double seconds = 0;
    int limit = 60; ///< seconds per variant of a program
    bool show = false;
};

/// The output of a call, and the code of the error that ended it.
struct Outcome {
    std::string output;
    std::string code; ///< empty if there was no error
};

/// Whether the first law holds for a call. Errors are compared by their codes, numbers with a relative tolerance of
/// 1e-6. If compiled code reports an error that only compiled code must report, interpreted code may have any outcome.
bool same_meaning(const Outcome& plain, const Outcome& interpreted);

/// Runs generated programs, each in a separate process. Writes each program that breaks a law, crashes, has an
/// internal error or does not end to `numbers-SEED.pm` in the current folder. Returns their number.
int run_numbers(const Numbers& what);

} // namespace pm::fuzz
