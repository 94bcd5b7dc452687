#pragma once
#include <cstdint>
#include <random>
#include <string>
#include <vector>

/// Programs of people, changed at random: whatever a text says, the program ends with output or with a diagnostic.
namespace pm::fuzz {

struct Mutations {
    std::vector<std::string> folders; ///< of the programs that are changed, with all below them
    std::uint64_t seed = 0;           ///< of the first; the next ones have the next numbers
    long long count = 0;
    double seconds = 0;
    int limit = 5; ///< seconds for one program
};

/// One of `programs` with one to four changes: bytes, words, lines and brackets are taken away, doubled, exchanged, or
/// put in from another program.
std::string mutated(const std::vector<std::string>& programs, std::mt19937_64& random);

/// Runs changed programs and checks them, each in a process of its own with a limit of memory. Writes each that
/// crashes, meets an internal error or does not end in time to `hostile-SEED.pm` in the current folder. Their number.
int run_mutations(const Mutations& what);

} // namespace pm::fuzz
