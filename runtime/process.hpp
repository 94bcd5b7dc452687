#pragma once
#include <cstdint>

namespace pm::runtime {

/// Remembers the process that made it. A fork has the memory of its parent and one of its threads: what needs another
/// thread, or a lock that another thread may hold, asks first whether it is `here`.
class ProcessMark {
  public:
    ProcessMark() : forks_(forks()) {}
    bool here() const { return forks_ == forks(); }

  private:
    /// How many forks lie between this process and the one that loaded the library.
    static std::uint64_t forks();

    std::uint64_t forks_;
};

} // namespace pm::runtime
