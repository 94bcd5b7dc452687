// Checks an engine for processes: conformance LIBRARY [large], started by the launcher as each process of a job.
// Process 0 prints the number of checks. A process with a failed check prints it and ends with 1.
#include "runtime/processes/lane_exchange.hpp"
#include "runtime/processes/open_engine.hpp"
#include "runtime/processes/processes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <string_view>
#include <vector>

using namespace pm::runtime;

namespace {

int checks = 0;
bool failed = false;

void check(bool holds, const std::string& what) {
    ++checks;
    if (holds) return;
    failed = true;
    fmt::print(stderr, "does not hold: {}\n", what);
}

/// The byte number i that process `from` sends to process `to` in the exchange `n`.
char byte_of(int from, int to, std::int64_t n, std::int64_t i) {
    return static_cast<char>(from * 31 + to * 17 + n * 7 + i * 13 + i / 251);
}

void finish(const PmEngine& engine, PmOperation* operation) {
    const char* why = "";
    std::int32_t lost = -1;
    PmOperationState state = PM_OPERATION_RUNNING;
    check(operation != nullptr, "an operation begins");
    while (state == PM_OPERATION_RUNNING) state = engine.test(engine.state, operation, &why, &lost);
    check(state == PM_OPERATION_DONE, fmt::format("an operation ends: {}", why));
}

void gathers(const PmEngine& e, std::int64_t bytes) {
    std::vector<char> in(static_cast<std::size_t>(bytes)), out(static_cast<std::size_t>(bytes * e.count));
    for (std::int64_t i = 0; i < bytes; ++i) in[static_cast<std::size_t>(i)] = byte_of(e.index, 0, bytes, i);
    finish(e, e.all_gather(e.state, in.data(), out.data(), bytes));
    bool equal = true;
    for (int p = 0; p < e.count; ++p)
        for (std::int64_t i = 0; i < bytes; ++i)
            equal = equal && out[static_cast<std::size_t>(p * bytes + i)] == byte_of(p, 0, bytes, i);
    check(equal, fmt::format("all_gather of {} bytes", bytes));
}

/// The number of bytes that process `from` sends to process `to` in the exchange `n`; some are 0.
std::int64_t count_of(int from, int to, std::int64_t n) { return (from * 5 + to * 3 + n) % 4 * n; }

void gathers_parts(const PmEngine& e, std::int64_t n) {
    std::vector<std::int64_t> counts, offsets;
    std::int64_t at = 0;
    for (int p = 0; p < e.count; ++p) {
        counts.push_back(count_of(p, 0, n));
        offsets.push_back(at + 3);
        at += counts.back() + 3; // the parts are apart
    }
    std::vector<char> in(static_cast<std::size_t>(counts[static_cast<std::size_t>(e.index)]));
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = byte_of(e.index, 0, n, static_cast<std::int64_t>(i));
    std::vector<char> out(static_cast<std::size_t>(at + 3), 'x');
    finish(e, e.all_gather_parts(e.state, in.data(), out.data(), counts.data(), offsets.data()));
    bool equal = true;
    for (int p = 0; p < e.count; ++p) {
        const auto q = static_cast<std::size_t>(p);
        for (std::int64_t i = 0; i < counts[q]; ++i)
            equal = equal && out[static_cast<std::size_t>(offsets[q] + i)] == byte_of(p, 0, n, i);
        equal = equal && out[static_cast<std::size_t>(offsets[q] - 1)] == 'x';
    }
    check(equal, fmt::format("all_gather_parts of {}", n));
}

struct AllToAll {
    std::vector<std::int64_t> in_counts, in_offsets, out_counts, out_offsets;
    std::vector<char> in, out;

    AllToAll(const PmEngine& e, std::int64_t n) {
        std::int64_t sent = 0, received = 0;
        for (int p = 0; p < e.count; ++p) {
            in_counts.push_back(count_of(e.index, p, n));
            in_offsets.push_back(sent);
            sent += in_counts.back();
            out_counts.push_back(count_of(p, e.index, n));
            out_offsets.push_back(received);
            received += out_counts.back();
        }
        out.resize(static_cast<std::size_t>(received));
        for (int p = 0; p < e.count; ++p)
            for (std::int64_t i = 0; i < in_counts[static_cast<std::size_t>(p)]; ++i)
                in.push_back(byte_of(e.index, p, n, i));
    }
    PmOperation* begin(const PmEngine& e) {
        return e.all_to_all(e.state, in.data(), in_counts.data(), in_offsets.data(), out.data(), out_counts.data(),
                            out_offsets.data());
    }
    bool holds(const PmEngine& e, std::int64_t n) const {
        for (int p = 0; p < e.count; ++p)
            for (std::int64_t i = 0; i < out_counts[static_cast<std::size_t>(p)]; ++i)
                if (out[static_cast<std::size_t>(out_offsets[static_cast<std::size_t>(p)] + i)] !=
                    byte_of(p, e.index, n, i))
                    return false;
        return true;
    }
};

void many_under_way(const PmEngine& e) {
    constexpr std::int64_t count = 1000;
    std::vector<AllToAll> all;
    std::vector<PmOperation*> operations;
    for (std::int64_t n = 0; n < count; ++n) all.emplace_back(e, n % 60);
    for (AllToAll& one : all) operations.push_back(one.begin(e));
    for (std::int64_t n = count - 1; n >= 0; --n) finish(e, operations[static_cast<std::size_t>(n)]);
    bool equal = true;
    for (std::int64_t n = 0; n < count; ++n) equal = equal && all[static_cast<std::size_t>(n)].holds(e, n % 60);
    check(equal, "1000 operations under way");
}

void messages_in_order(const PmEngine& e) {
    constexpr int count = 100;
    const int to = (e.index + 1) % e.count;
    const int from = (e.index + e.count - 1) % e.count;
    if (e.count == 1) return;
    std::vector<std::int64_t> sent(count), received(count, -1);
    std::iota(sent.begin(), sent.end(), e.index * 1000);
    std::vector<PmOperation*> operations;
    for (std::int64_t& value : sent) {
        const PmMessage message{to, sizeof value, &value};
        operations.push_back(e.exchange(e.state, &message, 1, nullptr, 0));
    }
    for (std::int64_t& value : received) {
        const PmMessage message{from, sizeof value, &value};
        operations.push_back(e.exchange(e.state, nullptr, 0, &message, 1));
    }
    for (PmOperation* const operation : operations) finish(e, operation);
    bool equal = true;
    for (int i = 0; i < count; ++i) equal = equal && received[static_cast<std::size_t>(i)] == from * 1000 + i;
    check(equal, "messages arrive in the order in which they were sent");
}

/// The sums over lanes have the bits of a loop over all lanes, and processes that are apart are told so.
void meetings(const PmEngine& e) {
    Processes all(e, {.patience = std::chrono::seconds(20)});
    all.introduce(fmt::format("process {}", e.index));
    check(all.name(e.count - 1) == fmt::format("process {}", e.count - 1), "names");
    std::vector<std::int64_t> first(static_cast<std::size_t>(e.count) + 1);
    for (std::size_t p = 0; p < first.size(); ++p) first[p] = static_cast<std::int64_t>(2 * p);
    LanesOfProcesses over(all, first);
    const std::int64_t lanes = first.back();
    constexpr std::size_t n = 5000;
    std::vector<float> values(static_cast<std::size_t>(lanes) * n);
    std::mt19937 random(5);
    for (float& v : values) v = std::normal_distribution<float>(0, 100)(random);
    const auto summed = [](const float* lanes, std::int64_t count, std::size_t size) {
        std::vector<float> sum(lanes, lanes + size);
        for (std::int64_t lane = 1; lane < count; ++lane)
            for (std::size_t i = 0; i < size; ++i) sum[i] += lanes[static_cast<std::size_t>(lane) * size + i];
        return sum;
    };
    const std::vector<float> expected = summed(values.data(), lanes, n);
    constexpr std::int64_t bytes = n * sizeof(float);
    const Meeting place{.kind = MeetingKind::collective, .site = 1, .lanes = lanes, .bytes = bytes, .text = "psum"};
    for (int step = 0; step < 100; ++step) {
        check(all.meet(place, "payload")[0].payload == "payload", "a payload");
        const auto size = static_cast<std::size_t>(part_bytes(bytes, e.count)) / 4;
        std::vector<float> parts(static_cast<std::size_t>(lanes) * size), sum(n, -1);
        over.bring_parts(place, reinterpret_cast<const char*>(values.data()), {bytes, bytes},
                         reinterpret_cast<char*>(parts.data()));
        const std::vector<float> part = summed(parts.data(), lanes, size);
        over.share_parts(place, reinterpret_cast<const char*>(part.data()), reinterpret_cast<char*>(sum.data()),
                         {bytes, 0});
        check(std::memcmp(sum.data(), expected.data(), bytes) == 0, "a sum in the order of lanes");
    }
    if (e.count == 1) return;
    all.history().add(e.index == 1 ? 2 : 1, "a value");
    try {
        all.meet(place);
        check(false, "processes that are apart are refused");
    } catch (const JobFailure& failure) {
        check(failure.kind() == JobFailureKind::apart && failure.divergence().first[0] == "a value", failure.message());
    }
}

/// Process 0 sends more bytes than an int counts. Only the pages with marks and those that arrive take memory.
void large(const PmEngine& e) {
    constexpr std::int64_t bytes = (std::int64_t{1} << 31) + 1;
    constexpr std::int64_t marks[] = {0, (1 << 30) - 1, 1 << 30, bytes - 2, bytes - 1};
    const auto memory = [](std::int64_t n) {
        return std::unique_ptr<char, void (*)(void*)>(static_cast<char*>(std::calloc(1, static_cast<std::size_t>(n))),
                                                      std::free);
    };
    const std::int64_t sent = e.index == 0 ? bytes : 0;
    const auto in = memory(sent + 1), out = memory(bytes);
    for (const std::int64_t at : marks)
        if (e.index == 0) in.get()[at] = byte_of(0, 0, 0, at);
    const auto holds = [&] {
        return std::ranges::all_of(marks, [&](std::int64_t at) { return out.get()[at] == byte_of(0, 0, 0, at); });
    };
    const auto size = static_cast<std::size_t>(e.count);
    std::vector<std::int64_t> none(size), from_first(size), to_last(size);
    from_first[0] = bytes;
    if (e.index == 0) to_last.back() = bytes;
    finish(e, e.all_gather_parts(e.state, in.get(), out.get(), from_first.data(), none.data()));
    check(holds(), "all_gather_parts of more than 2^31 bytes");
    std::ranges::for_each(marks, [&](std::int64_t at) { out.get()[at] = 0; });
    const std::vector<std::int64_t>& received = e.index + 1 == e.count ? from_first : none;
    finish(e, e.all_to_all(e.state, in.get(), to_last.data(), none.data(), out.get(), received.data(), none.data()));
    check(holds() == (e.index + 1 == e.count), "all_to_all of more than 2^31 bytes");
}

void all_sizes(const PmEngine& engine) {
    for (const std::int64_t bytes : {0, 1, 255, 256, 100'000}) gathers(engine, bytes);
    for (const std::int64_t n : {0, 1, 2, 3, 50'000}) {
        gathers_parts(engine, n);
        AllToAll all(engine, n);
        finish(engine, all.begin(engine));
        check(all.holds(engine, n), fmt::format("all_to_all of {}", n));
    }
    many_under_way(engine);
    messages_in_order(engine);
    meetings(engine);
    gathers(engine, 1);
}

} // namespace

int main(int argc, char** argv) {
    try {
        const PmEngine& engine = open_engine(argc > 1 ? argv[1] : "", {});
        argc > 2 && std::string_view(argv[2]) == "large" ? large(engine) : all_sizes(engine);
        if (engine.index == 0) fmt::print("{}: {} processes, {} checks\n", engine.name, engine.count, checks);
        engine.leave(engine.state, 1);
    } catch (const JobFailure& failure) {
        fmt::print(stderr, "{}\n", failure.message());
        return 1;
    }
    return failed ? 1 : 0;
}
