#pragma once
#include <cstdint>

namespace pm::runtime {

/// Records the process that created the object. A fork has a copy of the parent's memory, but only the thread that
/// forked. Code that needs another thread, or a lock that another thread may hold, first checks here().
class ProcessMark {
  public:
    ProcessMark() : forks_(forks()) {}
    bool here() const { return forks_ == forks(); }

  private:
    /// The number of forks that lead from the process that loaded the library to this process.
    static std::uint64_t forks();

    std::uint64_t forks_;
};

} // namespace pm::runtime
