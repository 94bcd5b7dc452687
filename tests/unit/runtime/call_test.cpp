#include "runtime/call.hpp"
#include "runtime/failure.hpp"
#include "tests/unit/runtime/fails.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <thread>

using namespace pm::runtime;

namespace {

CallResult run(const CallOptions& options, PmEntry entry, std::size_t arena = 0) {
    CallState state(options);
    return state.run(entry, {}, {}, {}, arena);
}

void report(PmCall* call, std::int64_t site, std::int64_t lane, std::int64_t element, std::int64_t value) {
    const void* pointers[] = {&value};
    pm_check_failed(call, site, lane, element, pointers, 0, nullptr);
}

} // namespace

TEST_CASE("an entry is passed its buffers and an aligned arena") {
    float in = 3;
    float out = 0;
    const float constant = 4;
    void* arguments[] = {&in};
    void* results[] = {&out};
    const void* constants[] = {&constant};
    const CallOptions options;
    CallState state(options);
    const CallResult result = state.run(
        [](PmCall* call) -> std::int32_t {
            if (reinterpret_cast<std::uintptr_t>(call->arena) % 64 != 0) return 7;
            call->arena[999] = 1;
            *static_cast<float*>(call->results[0]) =
                *static_cast<const float*>(call->arguments[0]) * *static_cast<const float*>(call->constants[0]);
            return pm_poll(call);
        },
        arguments, results, constants, 1000);
    CHECK(result);
    CHECK(result.code == 0);
    CHECK(out == 12);
}

TEST_CASE("of several failures the least by site, lane and element is reported, in whatever order they occur") {
    Workers workers(3);
    CallOptions options;
    options.workers = &workers;
    options.format = [](std::string& text, std::int64_t, std::int64_t, const void* const* pointers) {
        text += std::to_string(*static_cast<const std::int64_t*>(pointers[0]));
    };
    for (int iteration = 0; iteration < 100; ++iteration) {
        const CallResult result = run(options, [](PmCall* call) -> std::int32_t {
            pm_run(
                call, 64,
                [](PmCall* inner, std::int64_t i, void*) {
                    if (i == 40) report(inner, 2, 1, 5, 25);
                    if (i == 10) report(inner, 2, 1, 9, 29);
                    if (i == 20) report(inner, 2, 3, 0, 23);
                    if (i == 3) report(inner, 7, 0, 0, 70);
                },
                nullptr);
            return pm_poll(call);
        });
        CHECK(result.status == CallStatus::check_failed);
        CHECK(result.code == stop_failed);
        CHECK(result.failure.site == 2);
        CHECK(result.failure.lane == 1);
        CHECK(result.failure.element == 5);
        CHECK(result.failure.text == "25");
    }
}

TEST_CASE("a host cancels a call from another thread") {
    const auto cancel = std::make_shared<std::atomic<bool>>(false);
    Workers workers(2);
    CallOptions options;
    options.workers = &workers;
    options.cancel = cancel;
    std::thread host([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        cancel->store(true);
    });
    const CallResult result = run(options, [](PmCall* call) -> std::int32_t {
        while (pm_poll(call) == 0) pm_run(call, 4, [](PmCall* inner, std::int64_t, void*) { pm_poll(inner); }, nullptr);
        return 1;
    });
    host.join();
    CHECK(result.status == CallStatus::cancelled);
    // A call that is cancelled before it starts does not run the entry.
    CHECK(run(options, [](PmCall*) -> std::int32_t { return 99; }).code == 0);
    cancel->store(false);
    CHECK(run(options, [](PmCall*) -> std::int32_t { return 0; }));
}

TEST_CASE("a deadline ends a loop") {
    CallOptions options;
    options.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(10);
    const CallResult result = run(options, [](PmCall* call) -> std::int32_t {
        while (pm_poll(call) == 0) {
        }
        return 1;
    });
    CHECK(result.status == CallStatus::deadline);
}

TEST_CASE("if a failure occurs after the deadline, the status of the call is still the deadline") {
    const auto fails = [](PmCall* call) -> std::int32_t {
        while (pm_poll(call) == 0 && CallState::of(call).options().deadline) {
        }
        guarded(call, [](CallState&) { throw Failure(FailureKind::out_of_memory, "nobody waited any longer"); });
        return 1;
    };
    CallOptions options;
    CHECK_THROWS_AS(run(options, fails), Failure);
    options.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(10);
    CHECK(run(options, fails).status == CallStatus::deadline);
}

TEST_CASE("printed text is output in the order of the lanes, at a flush and at the end") {
    std::vector<std::string> out;
    CallOptions options;
    options.format = [](std::string& text, std::int64_t site, std::int64_t lane, const void* const* pointers) {
        text += std::to_string(site) + ":" + std::to_string(lane) + ":" +
                std::to_string(*static_cast<const int*>(pointers[0])) + "\n";
    };
    options.output = [&](std::string_view text) { out.emplace_back(text); };
    const CallResult result = run(options, [](PmCall* call) -> std::int32_t {
        const int value = 5;
        const void* pointers[] = {&value};
        pm_print(call, 1, 1, pointers);
        pm_print(call, 2, 0, pointers);
        pm_print(call, 3, 1, pointers);
        pm_flush(call);
        pm_flush(call);
        pm_print(call, 4, 6, pointers);
        report(call, 1, 0, 0, 0);
        return 1;
    });
    CHECK(result.status == CallStatus::check_failed);
    REQUIRE(out.size() == 2);
    CHECK(out[0] == "2:0:5\n1:1:5\n3:1:5\n");
    CHECK(out[1] == "4:6:5\n");
}

TEST_CASE("the amount of text that lanes store before a flush is bounded") {
    std::string out;
    CallOptions options;
    options.most_text = 100;
    options.format = [](std::string& text, std::int64_t, std::int64_t, const void* const*) { text += "0123456789"; };
    options.output = [&](std::string_view text) { out += text; };
    // Text that was flushed is no longer counted.
    const CallResult twice = run(options, [](PmCall* call) -> std::int32_t {
        for (int i = 0; i < 20; ++i) {
            if (i == 10) pm_flush(call);
            pm_print(call, 0, i % 3, nullptr);
        }
        return pm_poll(call);
    });
    CHECK(twice);
    CHECK(out.size() == 200);
    const PmEntry endless = [](PmCall* call) -> std::int32_t {
        for (int i = 0; pm_poll(call) == 0; ++i) pm_print(call, 0, i % 3, nullptr);
        return 1;
    };
    CHECK(fails(FailureKind::memory_limit, [&] { run(options, endless); }));
}

TEST_CASE("run throws the exception of the host's output function") {
    CallOptions options;
    options.format = [](std::string& text, std::int64_t, std::int64_t, const void* const*) { text += "x"; };
    options.output = [](std::string_view) { throw std::runtime_error("pipe closed"); };
    const PmEntry entry = [](PmCall* call) -> std::int32_t {
        pm_print(call, 0, 0, nullptr);
        pm_flush(call);
        return pm_poll(call);
    };
    CHECK_THROWS_AS(run(options, entry), std::runtime_error);
    options.format = [](std::string&, std::int64_t, std::int64_t, const void* const*) {
        throw std::runtime_error("no");
    };
    CHECK_THROWS_AS(run(options, entry), std::runtime_error);
    const PmEntry failing = [](PmCall* call) -> std::int32_t {
        pm_check_failed(call, 0, 0, 0, nullptr, 0, nullptr);
        return pm_poll(call);
    };
    CHECK_THROWS_AS(run(options, failing), std::runtime_error);
}

TEST_CASE("an arena above the memory limit is refused") {
    Allocator::Options limited;
    limited.limit = 4096;
    CallOptions options;
    options.allocator = Allocator::create(limited);
    CHECK_THROWS_AS(run(options, [](PmCall*) -> std::int32_t { return 0; }, 100000), Failure);
    CHECK(run(options, [](PmCall*) -> std::int32_t { return 0; }, 1000));
    CHECK(options.allocator->in_use() == 0);
}

TEST_CASE("scratch memory is released, and a failed allocation stops the call") {
    Allocator::Options limited;
    limited.limit = 1U << 20;
    CallOptions options;
    options.allocator = Allocator::create(limited);
    const PmEntry entry = [](PmCall* call) -> std::int32_t {
        void* some = pm_scratch(call, 1000);
        if (some == nullptr || reinterpret_cast<std::uintptr_t>(some) % 64 != 0) return 9;
        std::memset(some, 1, 1000);
        void* more = pm_scratch(call, 4 << 20);
        pm_scratch_free(call, some, 1000);
        return more == nullptr ? pm_poll(call) : 8;
    };
    const CallResult result = run(options, entry);
    CHECK(result.status == CallStatus::memory_limit);
    CHECK(result.code == stop_memory);
    CHECK(options.allocator->in_use() == 0);
    options.allocator = nullptr;
    CHECK(run(options, [](PmCall* call) -> std::int32_t {
        pm_scratch_free(call, pm_scratch(call, 0), 0);
        return 0;
    }));
}

TEST_CASE("every symbol has an address and a unique name") {
    CHECK(symbols().size() >= 6);
    for (const Symbol& a : symbols()) {
        CHECK(a.address != nullptr);
        CHECK(a.name.substr(0, 3) == "pm_");
        for (const Symbol& b : symbols()) CHECK((&a == &b || a.name != b.name));
    }
}

TEST_CASE("a cancellation ends a call between two chunks, even if no chunk polls") {
    static std::atomic<bool> cancel;
    static std::atomic<int> ran;
    for (const int threads : {0, 1, 3}) {
        cancel = false;
        ran = 0;
        Workers workers(std::max(1, threads));
        CallOptions options;
        options.workers = threads == 0 ? nullptr : &workers;
        options.cancel = std::shared_ptr<const std::atomic<bool>>(std::shared_ptr<void>(), &cancel);
        const CallResult result = run(options, [](PmCall* call) -> std::int32_t {
            pm_run(
                call, 1000,
                [](PmCall*, std::int64_t i, void*) {
                    ++ran;
                    if (i == 2) cancel = true;
                    std::this_thread::sleep_for(std::chrono::microseconds(20));
                },
                nullptr);
            return 0;
        });
        CHECK(result.status == CallStatus::cancelled);
        CHECK(ran < 1000);
    }
}
