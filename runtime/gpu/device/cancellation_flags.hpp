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

/// The words of a device that stop kernels (device.hpp), and the thread that asks whether they are to. It sleeps while
/// nobody has a word.
class CancellationFlags {
  public:
    /// `words`: memory that the device reads.
    explicit CancellationFlags(std::span<std::int32_t> words);
    ~CancellationFlags();
    CancellationFlags(const CancellationFlags&) = delete;
    CancellationFlags& operator=(const CancellationFlags&) = delete;

    /// Failure(out_of_memory) when all words are taken.
    std::unique_ptr<Stop> when(std::function<bool()> wish);

  private:
    class Word;
    struct Wish {
        std::int32_t* word;
        std::function<bool()> wished;
    };
    void watch();

    std::mutex mutex_; // guards what follows
    std::condition_variable changed_;
    std::vector<std::int32_t*> free_;
    std::list<Wish> wishes_;
    bool over_ = false;
    std::jthread thread_; ///< from the first word on
};

} // namespace pm::runtime
