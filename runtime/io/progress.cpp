#include "runtime/io/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace pm::runtime {
namespace {

constexpr auto interval = std::chrono::milliseconds(50);
constexpr int bar_width = 20;

std::string clock_text(double seconds) {
    const auto whole = static_cast<std::int64_t>(std::clamp(seconds, 0.0, 359999.0));
    if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
    return fmt::format("{:02}:{:02}", whole / 60, whole % 60);
}

} // namespace

Progress::Progress(std::int64_t total, std::string label, Write write)
    : total_(total), label_(std::move(label)), write_(std::move(write)), begun_(Clock::now()),
      drawn_(begun_ - interval) {}

Progress::~Progress() {
    try {
        finish();
    } catch (...) { // an error of the host's writer is ignored
    }
}

void Progress::advance(std::int64_t by) {
    count_ += by;
    if (!write_ || finished_) return;
    const auto now = Clock::now();
    if (now - drawn_ >= interval) draw(now);
}

void Progress::hide() {
    if (!write_ || width_ == 0) return;
    write_("\r" + std::string(width_, ' ') + "\r");
    width_ = 0;
    drawn_ -= interval;
}

void Progress::finish() {
    if (std::exchange(finished_, true) || !write_) return;
    draw(Clock::now());
    write_("\n");
}

void Progress::draw(Clock::time_point now) {
    drawn_ = now;
    const double seconds = std::chrono::duration<double>(now - begun_).count();
    const double rate = seconds > 0 ? static_cast<double>(count_) / seconds : 0;
    std::string line = label_.empty() ? "" : label_ + " ";
    if (total_ < 0) {
        line += fmt::format("{} [{}, {:.3g}/s]", count_, clock_text(seconds), rate);
    } else {
        const double part =
            total_ == 0 ? 1 : std::clamp(static_cast<double>(count_) / static_cast<double>(total_), 0.0, 1.0);
        const int filled = static_cast<int>(part * bar_width);
        const std::string left =
            count_ > 0 ? clock_text(rate > 0 ? static_cast<double>(total_ - count_) / rate : 0) : "?";
        line += fmt::format("{:3.0f}%|{}{}| {}/{} [{} < {}, {:.3g}/s]", part * 100,
                            std::string(static_cast<std::size_t>(filled), '#'),
                            std::string(static_cast<std::size_t>(bar_width - filled), ' '), count_, total_,
                            clock_text(seconds), left, rate);
    }
    const std::size_t length = line.size();
    if (length < width_) line.append(width_ - length, ' '); // overwrites the old line
    width_ = length;
    write_("\r" + line);
}

} // namespace pm::runtime
