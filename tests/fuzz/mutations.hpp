#pragma once
#include <cstdint>
#include <random>
#include <string>
#include <vector>

/// Existing programs with random changes. Whatever the text, `pm` must end with output or a diagnostic.
namespace pm::fuzz {

struct Mutations {
    std::vector<std::string> folders; ///< folders of the programs to change, with their subfolders
    std::uint64_t seed = 0;           ///< seed of the first program; the others have the following numbers
    long long count = 0;
    double seconds = 0;
    int limit = 5; ///< seconds per program
};

/// One of `programs` with one to four changes: bytes, words, lines and brackets are removed, doubled, exchanged, or
/// inserted from another program.
std::string mutated(const std::vector<std::string>& programs, std::mt19937_64& random);

/// Runs changed programs and checks them, each in a separate process with a memory limit. Writes each program that
/// crashes, has an internal error or times out to `hostile-SEED.pm` in the current folder. Returns their number.
int run_mutations(const Mutations& what);

} // namespace pm::fuzz
