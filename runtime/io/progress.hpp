#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace pm::runtime {

/// A progress bar: one line of the terminal, which is rewritten at most twenty times a second, and once at the end:
///   epoch  40%|########            | 20/50 [00:03 < 00:04, 6.7/s]
/// Two threads must not use the object at once.
class Progress {
  public:
    using Write = std::function<void(std::string_view)>;

    /// If `total` is below 0, the total is unknown, and only the count is shown. If `write` is null, nothing is shown.
    Progress(std::int64_t total, std::string label, Write write);
    ~Progress(); ///< ends the line if it has not ended
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void advance(std::int64_t by = 1);
    /// Clears the line so that other text can be printed. The next advance() shows the line again.
    void hide();
    /// Shows the state a last time and ends the line.
    void finish();

  private:
    using Clock = std::chrono::steady_clock;
    void draw(Clock::time_point now);

    std::int64_t total_;
    std::string label_;
    Write write_;
    std::int64_t count_ = 0;
    Clock::time_point begun_;
    Clock::time_point drawn_;
    std::size_t width_ = 0; // width of the line that is shown now
    bool finished_ = false;
};

} // namespace pm::runtime
