#pragma once
#include "runtime/processes/processes.hpp"

#include <cstdint>
#include <vector>

namespace pm::runtime {

/// The lanes of a pmap over the processes of a job: process p has the lanes first[p] .. first[p + 1] - 1.
class LanesOfProcesses {
  public:
    /// `first` has one number more than there are processes. It rises from 0 to the number of lanes.
    LanesOfProcesses(Processes& processes, std::vector<std::int64_t> first)
        : processes_(processes), first_(std::move(first)) {}

    std::int64_t lanes() const { return first_.back(); }
    std::int64_t begin(int process) const { return first_[static_cast<std::size_t>(process)]; }
    std::int64_t count(int process) const { return begin(process + 1) - begin(process); }

    /// Brings the values of all lanes to all processes. `values` has `bytes` bytes for each lane; those of the own
    /// lanes are set.
    void gather(const Meeting& meeting, char* values, std::int64_t bytes);

    /// The bytes of a value that process p adds up: part(p, bytes) .. part(p + 1, bytes) - 1. Parts begin at multiples
    /// of 64 bytes.
    std::int64_t part(int process, std::int64_t bytes) const;
    /// Brings the own part of the values of all lanes. `own` has `bytes` bytes for each own lane. `parts` receives the
    /// parts of all lanes in the order of lanes.
    void bring_parts(const Meeting& meeting, const char* own, std::int64_t bytes, char* parts);
    /// Brings the parts of a sum to all processes. `sum` has `bytes` bytes, of which the own part is set.
    void share_parts(const Meeting& meeting, char* sum, std::int64_t bytes);

  private:
    /// The sizes and places of something for each process. size(p) is a number of bytes.
    template <class Size>
    Processes::Parts parts_by(const Size& size) const;

    Processes& processes_;
    std::vector<std::int64_t> first_;
};

/// If a sum over all lanes moves at most so many bytes to a process, gather() takes less time than bring_parts() and
/// share_parts(), which are two rounds of messages.
constexpr std::int64_t most_gathered_bytes = std::int64_t{64} << 10;

} // namespace pm::runtime
