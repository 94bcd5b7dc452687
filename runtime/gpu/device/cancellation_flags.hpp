#pragma once
#include "runtime/gpu/device/device.hpp"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

namespace pm::runtime {

/// The words in memory that stop the kernels of a device (Stop in device.hpp). Each word in use has a condition, which
/// a thread polls. The thread sleeps while no word is in use.
class CancellationFlags {
  public:
    /// `words`: memory that the device can read.
    explicit CancellationFlags(std::span<std::int32_t> words);
    ~CancellationFlags();
    CancellationFlags(const CancellationFlags&) = delete;
    CancellationFlags& operator=(const CancellationFlags&) = delete;

    /// Reserves a word and sets it to 0. The thread sets the word to 1 once `condition` returns true. Throws
    /// Failure(out_of_memory) if all words are in use.
    std::unique_ptr<Stop> when(std::function<bool()> condition);

  private:
    class Word;
    struct Condition {
        std::int32_t* word;
        std::function<bool()> holds;
    };
    void watch();

    std::mutex mutex_; // guards the members below
    std::condition_variable changed_;
    std::vector<std::int32_t*> free_;
    std::list<Condition> conditions_;
    bool over_ = false;
    std::jthread thread_; ///< started with the first word
};

} // namespace pm::runtime
