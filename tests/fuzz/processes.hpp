#pragma once
#include <cstdint>
#include <string>

namespace pm::fuzz {

/// Random programs of collectives in several processes. This process has been started by a launcher.
struct ProcessPrograms {
    std::string engine; ///< the library that connects the processes
    std::uint64_t seed = 1;
    long long count = 100;
    double seconds = 1e9;
};

/// Runs programs in all processes of the job, and each program in one process with as many devices. Both must print
/// the same. Prints differences. Returns their number.
int run_in_processes(const ProcessPrograms& what);

} // namespace pm::fuzz
