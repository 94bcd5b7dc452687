#include "compiler/cli/worker.hpp"

#include "compiler/base/check.hpp"
#include "compiler/cli/options.hpp"
#include "runtime/io/writing.hpp"

#include <fmt/format.h>
#include <semaphore.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <mutex>
#include <utility>

namespace pm::cli {

std::atomic<bool> interrupted{false};
std::atomic<int> output_error{0};
std::atomic<bool> compiling{false};

namespace {

/// The number of presses of Ctrl-C since the start. `interrupted` does not show a second press during the same work.
std::atomic<unsigned> presses{0};
std::atomic<bool> unheard{false};
std::atomic<bool> silent{false};
std::atomic<bool> told{false};

std::mutex place_mutex;
const Source* work_source = nullptr;
Span work_place;

/// A semaphore that is posted at each press of Ctrl-C and at each end of work. Posting it is allowed in a signal
/// handler.
sem_t* changed() {
    static sem_t semaphore;
    static const int made = sem_init(&semaphore, 0, 0);
    PM_CHECK(made == 0);
    return &semaphore;
}
sem_t* const changed_at = changed();

void wait_for_change() {
    while (sem_wait(changed_at) != 0 && errno == EINTR) {
    }
}
/// Waits until the semaphore is posted. Returns false if it is not posted before `end`.
bool changes_until(const timespec& end) {
    while (sem_clockwait(changed_at, CLOCK_MONOTONIC, &end) != 0)
        if (errno != EINTR) return false;
    return true;
}

timespec from_now(std::chrono::nanoseconds time) {
    constexpr long second = 1'000'000'000;
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    now.tv_nsec += static_cast<long>(time.count());
    now.tv_sec += now.tv_nsec / second;
    now.tv_nsec %= second;
    return now;
}

constexpr std::chrono::milliseconds between_looks{200};

/// Tells the user of a terminal that a program is being compiled, and for which line. It does so after 2 s, and again
/// after 4 times the time before.
class CompileNotice {
  public:
    /// Called every `between_looks`.
    void look() {
        if (!compiling) looks_ = 0;
        if (!compiling || ++looks_ < limit_) return;
        looks_ = 0;
        limit_ *= 4;
        if (isatty(STDERR_FILENO) == 0) return;
        const auto [sources, place] = place_of_work();
        std::string where;
        if (place) {
            const Source& source = sources[place.source];
            where = fmt::format(" {}:{}", source.name(), source.position(place.begin).line);
        }
        write_error(fmt::format("compiling{} ...\n", where));
    }

  private:
    int looks_ = 0;
    int limit_ = 10;
};

} // namespace

void interrupt() {
    const int kept = errno;
    interrupted = true;
    ++presses;
    sem_post(changed_at);
    errno = kept;
}

void work_is_at(const Source* source, Span place) {
    const std::scoped_lock lock(place_mutex);
    work_source = source;
    work_place = place;
}

WorkPlace place_of_work() {
    const std::scoped_lock lock(place_mutex);
    WorkPlace copy;
    if (work_source == nullptr) return copy;
    copy.place = work_place;
    copy.place.source = copy.sources.add(work_source->name(), std::string(work_source->text()));
    return copy;
}

bool heard() { return !unheard && !silent; }
void be_silent() { silent = true; }
bool is_silent() { return silent; }
bool first_to_tell() { return !told.exchange(true); }

bool Worker::run(std::function<void()> work) {
    PM_CHECK(idle());
    thread_.wait();
    unheard = false;
    told = false;
    work_is_at(nullptr, {});
    busy_ = true;
    thread_.start([this, work = std::move(work)] {
        work();
        busy_ = false;
        sem_post(changed_at);
    });
    CompileNotice notice;
    while (busy_ && !interrupted) {
        if (changes_until(from_now(between_looks))) continue;
        notice.look();
        write_printed(); // a reader of the output sees it while the program runs, and a killed program loses little
    }
    constexpr std::chrono::milliseconds patience{60}; // a part of the 100 ms within which Ctrl-C must be answered
    const bool ended = ends_within(patience);
    unheard = !ended;
    return ended;
}

bool Worker::wait(std::chrono::milliseconds quiet, const std::function<void()>& notice) {
    const unsigned before = presses;
    if (ends_within(quiet)) return true;
    notice();
    while (busy_ && presses == before) wait_for_change();
    return idle();
}

bool Worker::ends_within(std::chrono::milliseconds time) {
    const timespec end = from_now(time);
    while (busy_ && changes_until(end)) {
    }
    return idle();
}

void write_printed() {
    if (ftrylockfile(stdout) != 0) return; // the work is blocked in a write to stdout
    struct PipeIsFull {};
    constexpr std::chrono::milliseconds patience{20};
    const auto end = std::chrono::steady_clock::now() + patience;
    try {
        const bool written = runtime::write_printed([&] {
            if (std::chrono::steady_clock::now() > end) throw PipeIsFull();
        });
        if (!written) output_error = errno;
    } catch (const PipeIsFull&) { // the pipe is full
    }
    funlockfile(stdout);
}

void leave(int code) {
    write_printed();
    _exit(code);
}

} // namespace pm::cli
