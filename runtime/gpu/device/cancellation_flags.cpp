#include "runtime/gpu/device/cancellation_flags.hpp"

#include "runtime/failure.hpp"

#include <chrono>
#include <utility>

namespace pm::runtime {
namespace {

constexpr std::chrono::milliseconds poll_interval{5};

void set(std::int32_t* word, std::int32_t value) { __atomic_store_n(word, value, __ATOMIC_RELEASE); }

} // namespace

class CancellationFlags::Word final : public Stop {
  public:
    Word(CancellationFlags& all, std::list<Condition>::iterator condition) : all_(all), condition_(condition) {}
    ~Word() override {
        const std::scoped_lock lock(all_.mutex_);
        all_.free_.push_back(condition_->word);
        all_.conditions_.erase(condition_);
    }
    Word(const Word&) = delete;
    Word& operator=(const Word&) = delete;
    const void* address() const override { return condition_->word; }

  private:
    CancellationFlags& all_;
    std::list<Condition>::iterator condition_;
};

CancellationFlags::CancellationFlags(std::span<std::int32_t> words) {
    for (std::int32_t& word : words) free_.push_back(&word);
}

CancellationFlags::~CancellationFlags() {
    const std::scoped_lock lock(mutex_);
    over_ = true;
    changed_.notify_all();
}

std::unique_ptr<Stop> CancellationFlags::when(std::function<bool()> condition) {
    const std::scoped_lock lock(mutex_);
    if (free_.empty()) throw Failure(FailureKind::out_of_memory, "too many calls run on one GPU at a time");
    if (!thread_.joinable()) thread_ = std::jthread([this] { watch(); });
    conditions_.push_back({free_.back(), std::move(condition)});
    set(free_.back(), 0);
    free_.pop_back();
    changed_.notify_all();
    return std::make_unique<Word>(*this, std::prev(conditions_.end()));
}

void CancellationFlags::watch() {
    std::unique_lock lock(mutex_);
    while (!over_) {
        if (conditions_.empty()) {
            changed_.wait(lock);
            continue;
        }
        for (const Condition& condition : conditions_)
            if (condition.holds()) set(condition.word, 1);
        changed_.wait_for(lock, poll_interval, [this] { return over_; });
    }
}

} // namespace pm::runtime
