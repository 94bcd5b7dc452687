#include "runtime/gpu/host/tapes.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

using namespace pm::runtime;

namespace {

/// A kernel that is one loop. In each iteration each step accesses `rows` tapes, at the indices that `number` returns.
/// Values are i64. A `set` writes 100 * iteration + step, an `add` adds this number, a `get` appends the value that it
/// reads to `found`.
struct Kernel {
    struct Work {
        TapeWork what;
        std::size_t tape; ///< the first tape of the step
        std::int64_t (*number)(std::int64_t iteration, std::size_t row);
        std::int64_t group = 0;
    };
    std::vector<Work> steps;
    std::int64_t iterations = 0;
    std::size_t rows = 1;
    std::vector<std::uint64_t> handles = std::vector<std::uint64_t>(4);
    std::vector<std::int64_t> found;
    int launches = 0;

    std::vector<std::int64_t> run() {
        TapeKernel kernel;
        kernel.record = {.loops = 1, .checks = 0};
        const auto count = static_cast<std::int64_t>(rows);
        for (const Work& step : steps) kernel.steps.push_back({step.what, {count, 1, DType::i64}, step.group});
        kernel = tape_kernel(tape_kernel_attributes(kernel).data());
        const auto windows = static_cast<std::int64_t>(steps.size()) * count;
        memory_.assign(static_cast<std::size_t>(kernel.record.window(windows)), -1);
        kernel.memory = reinterpret_cast<std::byte*>(memory_.data());
        CallOptions options;
        options.tapes = tapes_;
        CallState state(options);
        PmCall call{};
        call.state = &state;
        std::vector<std::int64_t> left(static_cast<std::size_t>(kernel.record.resume()));
        CHECK(run_with_tapes(&call, state, kernel, [&] { launch(kernel.record); }, left));
        CHECK(left[static_cast<std::size_t>(kernel.record.request())] == 0);
        return found;
    }

  private:
    std::int64_t& word(std::int64_t place) { return memory_[static_cast<std::size_t>(place)]; }

    void launch(const TapeRecord& record) {
        ++launches;
        REQUIRE(launches < 1000);
        std::int64_t resume_step = word(record.resume());
        for (std::int64_t iteration = resume_step == 0 ? 0 : word(record.resume() + 1); iteration < iterations;
             ++iteration)
            for (std::size_t s = resume_step == 0 ? 0 : static_cast<std::size_t>(resume_step - 1); s < steps.size();
                 ++s) {
                resume_step = 0;
                if (step(record, iteration, s)) continue;
                word(record.left()) = iteration;
                word(record.request()) = static_cast<std::int64_t>(s + 1);
                return;
            }
    }

    bool step(const TapeRecord& record, std::int64_t iteration, std::size_t s) {
        numbers_.clear();
        for (std::size_t row = 0; row < rows; ++row) numbers_.push_back(steps[s].number(iteration, row));
        const bool reads = steps[s].what == TapeWork::get;
        const std::uint64_t* own = handles.data() + steps[s].tape;
        const auto needs = [&](std::size_t row) { return numbers_[row] >= 0 && !(reads && own[row] == 0); };
        for (std::size_t row = 0; row < rows; ++row) {
            const TapeWindow window = window_of(record, s, row);
            if (!needs(row) ||
                (window.handle == own[row] && numbers_[row] >= window.first && numbers_[row] < window.end))
                continue;
            word(record.index()) = rows > 1 ? reinterpret_cast<std::int64_t>(numbers_.data()) : numbers_[row];
            word(record.handles()) = reinterpret_cast<std::int64_t>(own);
            word(record.handle()) = static_cast<std::int64_t>(own[row]);
            return false;
        }
        for (std::size_t row = 0; row < rows; ++row) {
            const TapeWindow window = window_of(record, s, row);
            const bool is_there = needs(row) && window.arrays != nullptr;
            auto* const at =
                is_there ? reinterpret_cast<std::int64_t*>(window.arrays) + (numbers_[row] - window.first) : nullptr;
            const std::int64_t value = 100 * iteration + static_cast<std::int64_t>(s);
            if (reads)
                found.push_back(is_there ? *at : 0);
            else if (is_there)
                *at = value + (steps[s].what == TapeWork::add ? *at : 0);
        }
        return true;
    }

    TapeWindow window_of(const TapeRecord& record, std::size_t s, std::size_t row) {
        TapeWindow window;
        std::memcpy(static_cast<void*>(&window), &word(record.window(static_cast<std::int64_t>(s * rows + row))),
                    sizeof window);
        return window;
    }

    std::vector<std::int64_t> numbers_;
    std::shared_ptr<Tapes> tapes_ = std::make_shared<Tapes>(nullptr);
    std::vector<std::int64_t> memory_;
};

} // namespace

TEST_CASE("a kernel with tapes is launched again once for each chunk of its tapes") {
    Kernel kernel;
    const auto forward = [](std::int64_t iteration, std::size_t) { return iteration; };
    const auto back = [](std::int64_t iteration, std::size_t) { return 999 - iteration; };
    kernel.iterations = 1000;
    for (const std::size_t tape : {0U, 1U, 2U}) kernel.steps.push_back({TapeWork::set, tape, forward});
    CHECK(kernel.run().empty());
    // Chunks have 1, 2, 4 ... 512 elements. The first chunks of the tapes are created one after the other, later chunks
    // together.
    CHECK(kernel.launches == 1 + 3 + 9);
    for (Kernel::Work& step : kernel.steps) step = {TapeWork::get, step.tape, back};
    kernel.launches = 0;
    const std::vector<std::int64_t> found = kernel.run();
    CHECK(kernel.launches == 1 + 3 + 9);
    REQUIRE(found.size() == 3000);
    for (std::size_t i = 0; i < found.size(); ++i)
        CHECK(found[i] == static_cast<std::int64_t>(100 * (999 - i / 3) + i % 3));
}

TEST_CASE("an element that was missing when a kernel read it is found after it was written") {
    // Each iteration reads an index that a step wrote in the previous iteration, and an index that no step writes.
    Kernel kernel;
    kernel.iterations = 40;
    kernel.steps = {
        {TapeWork::get, 0, [](std::int64_t iteration, std::size_t) { return iteration; }},
        {TapeWork::get, 1, [](std::int64_t iteration, std::size_t) { return iteration; }},
        {TapeWork::add, 0, [](std::int64_t iteration, std::size_t) { return iteration + 1; }},
        {TapeWork::set, 1, [](std::int64_t iteration, std::size_t) { return iteration % 2 == 0 ? iteration : -1; }},
        {TapeWork::get, 1, [](std::int64_t iteration, std::size_t) { return iteration; }},
        {TapeWork::get, 2, [](std::int64_t iteration, std::size_t) { return iteration; }},
        {TapeWork::get, 0, [](std::int64_t iteration, std::size_t) { return 1000000 * iteration; }}};
    const std::vector<std::int64_t> found = kernel.run();
    REQUIRE(found.size() == 200);
    for (std::size_t iteration = 0; iteration < 40; ++iteration) {
        const auto before = static_cast<std::int64_t>(100 * (iteration - 1) + 2);
        const auto now = static_cast<std::int64_t>(100 * iteration + 3);
        CHECK(found[5 * iteration] == (iteration == 0 ? 0 : before));
        CHECK(found[5 * iteration + 1] == 0);
        CHECK(found[5 * iteration + 2] == (iteration % 2 == 0 ? now : 0));
        CHECK(found[5 * iteration + 3] == 0);
        CHECK(found[5 * iteration + 4] == 0);
    }
}

TEST_CASE("the missing index of one row is not lost when the window of another row moves") {
    // In each iteration one row reads an element that no step has written yet; the windows of the other rows move from
    // chunk to chunk.
    Kernel kernel;
    kernel.iterations = 40;
    kernel.rows = 2;
    kernel.steps = {
        {TapeWork::add, 0, [](std::int64_t iteration, std::size_t) { return iteration; }},
        {TapeWork::get, 0,
         [](std::int64_t iteration, std::size_t row) { return row == 0 ? iteration : 1000 + iteration; }, 1},
        {TapeWork::get, 0,
         [](std::int64_t iteration, std::size_t row) { return row == 0 ? 1000 + iteration : iteration; }, 2}};
    const std::vector<std::int64_t> found = kernel.run();
    REQUIRE(found.size() == 160);
    for (std::size_t iteration = 0; iteration < 40; ++iteration) {
        const auto now = static_cast<std::int64_t>(100 * iteration);
        CHECK(std::vector<std::int64_t>(found.begin() + 4 * static_cast<std::ptrdiff_t>(iteration),
                                        found.begin() + 4 * static_cast<std::ptrdiff_t>(iteration + 1)) ==
              std::vector<std::int64_t>{now, 0, 0, now});
    }
    CHECK(kernel.launches < 40);
}

TEST_CASE("chunks are allocated only for tapes of the group that needs them") {
    // The tape that is written in only three iterations has two chunks.
    Kernel kernel;
    kernel.iterations = 1000;
    kernel.steps = {
        {TapeWork::set, 0, [](std::int64_t iteration, std::size_t) { return iteration; }, 0},
        {TapeWork::set, 1, [](std::int64_t iteration, std::size_t) { return iteration; }, 0},
        {TapeWork::set, 2, [](std::int64_t iteration, std::size_t) { return iteration < 3 ? iteration : -1; }, 1}};
    CHECK(kernel.run().empty());
    const auto tape = [&](std::size_t number) { return reinterpret_cast<const Tape*>(kernel.handles[number]); };
    CHECK(tape(0)->find(999) != nullptr);
    CHECK(tape(1)->find(999) != nullptr);
    CHECK(tape(2)->find(2) != nullptr);
    CHECK(tape(2)->find(3) == nullptr);
    CHECK(kernel.launches == 1 + 2 + 9 + 2);
}

TEST_CASE("a kernel that reads tapes backwards and writes others forwards is launched again for each chunk") {
    Kernel kernel;
    kernel.iterations = 1000;
    const auto forward = [](std::int64_t iteration, std::size_t) { return iteration; };
    const auto back = [](std::int64_t iteration, std::size_t) { return 999 - iteration; };
    kernel.steps = {{TapeWork::set, 0, forward, 0}, {TapeWork::set, 1, forward, 0}};
    kernel.run();
    kernel.launches = 0;
    kernel.steps = {{TapeWork::get, 0, back, 0},
                    {TapeWork::get, 1, back, 0},
                    {TapeWork::set, 2, forward, 1},
                    {TapeWork::set, 3, forward, 1}};
    const std::vector<std::int64_t> found = kernel.run();
    CHECK(kernel.launches == 1 + 2 * (2 + 9));
    REQUIRE(found.size() == 2000);
    for (std::size_t i = 0; i < found.size(); ++i)
        CHECK(found[i] == static_cast<std::int64_t>(100 * (999 - i / 2) + i % 2));
}

TEST_CASE("a kernel with tapes ends when a check has failed or the call is cancelled") {
    TapeKernel kernel;
    kernel.record = {.loops = 1, .checks = 2};
    kernel.steps = {{TapeWork::set, {1, 1, DType::i64}}};
    std::vector<std::int64_t> memory(static_cast<std::size_t>(kernel.record.window(1)));
    kernel.memory = reinterpret_cast<std::byte*>(memory.data());
    CallOptions options;
    options.tapes = std::make_shared<Tapes>(nullptr);
    std::vector<std::int64_t> left(static_cast<std::size_t>(kernel.record.resume()));
    const auto request = static_cast<std::size_t>(kernel.record.request());
    {
        CallState state(options);
        PmCall call{};
        call.state = &state;
        int launches = 0;
        const auto fails = [&] {
            ++launches;
            memory[0] = 7;
            memory[1] = -1;
            memory[2] = 5;
            memory[request] = 1;
        };
        CHECK(run_with_tapes(&call, state, kernel, fails, left));
        CHECK(launches == 1);
        CHECK(std::vector<std::int64_t>(left.begin(), left.begin() + 3) == std::vector<std::int64_t>{7, -1, 5});
    }
    const auto cancel = std::make_shared<std::atomic<bool>>(false);
    options.cancel = cancel;
    CallState state(options);
    PmCall call{};
    call.state = &state;
    const auto cancelled = [&] {
        memory[1] = memory[2] = -1;
        memory[request] = 1;
        *cancel = true;
    };
    CHECK_FALSE(run_with_tapes(&call, state, kernel, cancelled, left));
}
