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

/// The words of a device that stop kernels (Stop in device.hpp), and a thread that polls the conditions of these words.
/// The thread sleeps while no word is in use.
class CancellationFlags {
  public:
    /// `words`: memory that the device can read.
    explicit CancellationFlags(std::span<std::int32_t> words);
    ~CancellationFlags();
    CancellationFlags(const CancellationFlags&) = delete;
    CancellationFlags& operator=(const CancellationFlags&) = delete;

    /// Reserves a word. The thread sets the word to 1 once `condition` returns true. Failure(out_of_memory) when all
    /// words are in use.
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
