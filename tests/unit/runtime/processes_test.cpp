// Meetings, exchanges and failures of the processes of a job, in a simulated network (simulated_job.hpp).
#include "runtime/failure.hpp"
#include "runtime/processes/divided_array.hpp"
#include "runtime/processes/lane_exchange.hpp"
#include "runtime/processes/processes.hpp"
#include "tests/unit/runtime/simulated_job.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>

using namespace pm::runtime;
using namespace pm::runtime::test;
using namespace std::chrono_literals;

namespace {

ProcessesOptions patient(std::chrono::nanoseconds patience) { return {.patience = patience, .spin = 30us}; }

Meeting at(std::int64_t site, const std::string& text) {
    return {.kind = MeetingKind::collective, .site = site, .lanes = 4, .bytes = 8, .text = text};
}

/// ceil(log2(n)).
std::int64_t rounds(int n) { return std::bit_width(static_cast<unsigned>(n) - 1); }

/// Whether a time agrees with a model in nanoseconds to 10 %, and to the two pauses of 20 us in which the end of an
/// exchange is not noticed.
bool agrees(std::chrono::nanoseconds time, double model) {
    const auto measured = static_cast<double>(time.count());
    return measured > 0.9 * model && measured < 1.1 * model + 40'000;
}

bool all_done(const std::vector<Ending>& endings) {
    return std::ranges::all_of(endings, [](const Ending& e) { return e.kind == Ending::Kind::done; });
}

/// The numbers of lanes 0 .. lanes - 1, each with n elements.
std::vector<float> values_of(std::int64_t lane, std::size_t n) {
    std::mt19937 random(static_cast<unsigned>(lane) * 7919 + 3);
    std::normal_distribution<float> normal(0, 1000);
    std::vector<float> values(n);
    for (float& v : values) v = normal(random);
    return values;
}
/// The sum over the lanes, in their order.
std::vector<float> ordered_sum(const float* values, std::int64_t lanes, std::size_t n) {
    std::vector<float> sum(values, values + n);
    for (std::int64_t lane = 1; lane < lanes; ++lane)
        for (std::size_t i = 0; i < n; ++i) sum[i] += values[static_cast<std::size_t>(lane) * n + i];
    return sum;
}

} // namespace

TEST_CASE("processes: a meeting brings the payload of each process to all") {
    for (const int count : {1, 2, 3, 5, 8}) {
        const auto endings = simulate(count, {}, {}, patient(10s), [](Processes& all) {
            all.introduce("host " + std::to_string(all.index()));
            CHECK(all.name(all.count() - 1) == "host " + std::to_string(all.count() - 1));
            for (int step = 0; step < 3; ++step) {
                const auto replies = all.meet(at(step, "a place"), std::to_string(10 * all.index() + step));
                for (int p = 0; p < all.count(); ++p)
                    CHECK(replies[static_cast<std::size_t>(p)].payload == std::to_string(10 * p + step));
            }
        });
        CHECK(all_done(endings));
        for (const Ending& e : endings) {
            CHECK(e.messages == 4 * rounds(count));
            CHECK(e.bytes == 4 * 256 * (count - 1));
        }
    }
}

TEST_CASE("processes: sums over lanes have the bits of one process, for each number of processes and lanes") {
    for (const int count : {1, 2, 3, 4, 7})
        for (const std::int64_t each : {1, 2, 3})
            for (const std::size_t n : {1U, 15U, 16U, 1000U}) {
                const std::int64_t lanes = count * each;
                const auto bytes = static_cast<std::int64_t>(n * sizeof(float));
                std::vector<float> whole;
                for (std::int64_t lane = 0; lane < lanes; ++lane) {
                    const std::vector<float> one = values_of(lane, n);
                    whole.insert(whole.end(), one.begin(), one.end());
                }
                const std::vector<float> expected = ordered_sum(whole.data(), lanes, n);
                const auto endings = simulate(count, {.jitter = 5us}, {}, patient(10s), [&](Processes& all) {
                    std::vector<std::int64_t> first;
                    for (int p = 0; p <= count; ++p) first.push_back(p * each);
                    LanesOfProcesses over(all, first);
                    // The lanes have gaps of one element between them.
                    const LaneValues values{bytes, bytes + 4};
                    std::vector<float> apart(static_cast<std::size_t>(lanes) * (n + 1), -1);
                    const auto lane_of = [&](std::int64_t lane) {
                        return apart.begin() + lane * static_cast<std::ptrdiff_t>(n + 1);
                    };
                    for (std::int64_t lane = over.begin(all.index()); lane < over.begin(all.index() + 1); ++lane)
                        std::copy_n(whole.begin() + lane * static_cast<std::ptrdiff_t>(n), n, lane_of(lane));
                    const auto own_lanes = apart;
                    all.meet(at(1, "gather"));
                    const LanesOfProcesses::Array array[] = {{reinterpret_cast<char*>(apart.data()), values}};
                    over.gather(at(1, "gather"), array, lanes);
                    for (std::int64_t lane = 0; lane < lanes; ++lane)
                        CHECK(std::equal(lane_of(lane), lane_of(lane) + static_cast<std::ptrdiff_t>(n),
                                         whole.begin() + lane * static_cast<std::ptrdiff_t>(n)));

                    const auto size = static_cast<std::size_t>(part_bytes(bytes, count)) / 4;
                    std::vector<float> parts(static_cast<std::size_t>(lanes) * size);
                    all.meet(at(2, "parts"));
                    over.bring_parts(at(2, "parts"), reinterpret_cast<const char*>(own_lanes.data()), values,
                                     reinterpret_cast<char*>(parts.data()));
                    const std::vector<float> part = ordered_sum(parts.data(), lanes, size);
                    std::vector<float> sum(apart.size(), -1);
                    all.meet(at(3, "share"));
                    over.share_parts(at(3, "share"), reinterpret_cast<const char*>(part.data()),
                                     reinterpret_cast<char*>(sum.data()), values);
                    for (std::int64_t lane = over.begin(all.index()); lane < over.begin(all.index() + 1); ++lane)
                        CHECK(std::memcmp(&sum[static_cast<std::size_t>(lane) * (n + 1)], expected.data(),
                                          n * sizeof(float)) == 0);
                    std::vector<float> one(n);
                    all.meet(at(3, "share"));
                    over.share_parts(at(3, "share"), reinterpret_cast<const char*>(part.data()),
                                     reinterpret_cast<char*>(one.data()), {bytes, 0});
                    CHECK(std::memcmp(one.data(), expected.data(), n * sizeof(float)) == 0);
                });
                CHECK(all_done(endings));
            }
}

TEST_CASE("processes: a divided array is brought to all processes when it is first read") {
    // the parts of three processes: three rows, none, one
    const std::vector<std::int64_t> first = {0, 3, 3, 4};
    const auto endings = simulate(3, {}, {}, patient(10s), [&](Processes& all) {
        const auto me = static_cast<std::size_t>(all.index());
        Array x = with_own_parts(DType::i32, {4, 5}, first, all.index(), {});
        for (std::int64_t i = 5 * first[me]; i < 5 * first[me + 1]; ++i) {
            CHECK(x.as<std::int32_t>()[i] == 0);
            x.mutable_as<std::int32_t>()[i] = static_cast<std::int32_t>(i);
        }
        divide(x, first, all, "a test");
        REQUIRE(x.division() != nullptr);
        CHECK(x.division()->first == division_in_bytes(first, x.bytes()));
        const Array view = x.reshape({2, 10});
        CHECK(view.division() != nullptr);
        CHECK(x.at(3).division() == nullptr);
        CHECK(x.at(3).as_i64(4) == 19); // a view brings the array
        CHECK(x.division() == nullptr);
        for (int i = 0; i < 20; ++i) CHECK(view.as_i64(i) == i);
        Array part = x.at(1);
        CHECK(!part.is_whole_buffer());
        CHECK_THROWS_AS(divide(part, first, all, "a view"), Failure);
    });
    CHECK(all_done(endings));
    // A process that reads while the others do not is an error of all.
    const auto apart = simulate(2, {}, {}, patient(10s), [&](Processes& all) {
        Array x = with_own_parts(DType::i32, {2}, {0, 1, 2}, all.index(), {});
        divide(x, {0, 1, 2}, all, "a test");
        if (all.index() == 1) x.data();
        all.meet(at(7, "another place"));
    });
    for (const Ending& e : apart) {
        REQUIRE(e.failure);
        CHECK(e.failure->kind() == JobFailureKind::apart);
    }
    // so is a read of different arrays
    const auto different = simulate(2, {}, {}, patient(10s), [&](Processes& all) {
        std::vector<Array> two(2);
        for (Array& x : two) {
            x = with_own_parts(DType::i32, {2}, {0, 1, 2}, all.index(), {});
            divide(x, {0, 1, 2}, all, "a test");
        }
        two[static_cast<std::size_t>(all.index())].data();
    });
    for (const Ending& e : different) CHECK((e.failure && e.failure->kind() == JobFailureKind::apart));
    CHECK(division_in_bytes({0, 0, 0}, 0) == std::vector<std::int64_t>{0, 0, 0});
}

TEST_CASE("processes: few values of lanes fit in the headers of a meeting") {
    const auto endings = simulate(2, {}, {}, patient(10s), [&](Processes& all) {
        const std::vector<std::int64_t> first = {0, 2, 3};
        LanesOfProcesses lanes(all, first);
        std::vector<double> values(30, -1), scales(3, -1);
        for (std::int64_t l = lanes.begin(all.index()); l < lanes.begin(all.index() + 1); ++l) {
            for (std::int64_t i = 0; i < 10; ++i)
                values[static_cast<std::size_t>(10 * l + i)] = static_cast<double>(10 * l + i);
            scales[static_cast<std::size_t>(l)] = static_cast<double>(l);
        }
        const LanesOfProcesses::Array arrays[] = {{reinterpret_cast<char*>(values.data()), {80, 80}},
                                                  {reinterpret_cast<char*>(scales.data()), {8, 8}}};
        CHECK(lanes.fit_header(arrays, 3));
        const LanesOfProcesses::Array large[] = {{nullptr, {109, 109}}};
        CHECK(!lanes.fit_header(large, 3));
        CHECK(lanes.fit_header(large, 1)); // one lane of process 0
        const auto replies = all.meet(at(0, "a sum"), lanes.packed(arrays, 3));
        const int other = 1 - all.index();
        const std::string& bytes = replies[static_cast<std::size_t>(other)].payload;
        lanes.unpack(other, bytes, arrays, 3);
        for (int i = 0; i < 30; ++i) CHECK(values[static_cast<std::size_t>(i)] == i);
        CHECK(scales == std::vector<double>{0, 1, 2});
        CHECK_THROWS_AS(lanes.unpack(other, bytes.substr(1), arrays, 3), JobFailure);
    });
    CHECK(all_done(endings));
}

TEST_CASE("processes: values are sent to the lanes that receive them") {
    const std::vector<std::int64_t> to = {3, 0, -1, 5, 1, 2}; // lane 4 has no sender
    for (const std::vector<std::int64_t>& first :
         {std::vector<std::int64_t>{0, 6}, {0, 3, 6}, {0, 1, 1, 6}, {0, 2, 3, 5, 6}}) {
        const auto endings = simulate(static_cast<int>(first.size()) - 1, {}, {}, patient(10s), [&](Processes& all) {
            LanesOfProcesses lanes(all, first);
            std::vector<std::int32_t> in(36), out(36, -1), whole(6 * 6), moved(6 * 6, -1);
            const std::int64_t begin = lanes.begin(all.index()), end = lanes.begin(all.index() + 1);
            for (std::int64_t i = 6 * begin; i < 6 * end; ++i)
                in[static_cast<std::size_t>(i)] = whole[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(i);
            const auto transfer = [](std::vector<std::int32_t>& from, std::vector<std::int32_t>& receiver) {
                return LanesOfProcesses::Transfer{{reinterpret_cast<char*>(from.data()), {24, 24}},
                                                  {reinterpret_cast<char*>(receiver.data()), {24, 24}}};
            };
            const LanesOfProcesses::Transfer two[] = {transfer(in, out), transfer(whole, moved)};
            all.meet(at(0, "a permutation"));
            lanes.send(at(0, "a permutation"), two, to);
            for (std::int64_t lane = begin; lane < end; ++lane) {
                const auto sender = std::ranges::find(to, lane) - to.begin();
                for (std::int64_t i = 0; i < 6; ++i) {
                    const std::int64_t due = sender == 6 ? 0 : 6 * sender + i;
                    CHECK(out[static_cast<std::size_t>(6 * lane + i)] == due);
                    CHECK(moved[static_cast<std::size_t>(6 * lane + i)] == due);
                }
            }
            all.meet(at(1, "a transposition"));
            lanes.send(at(1, "a transposition"), std::span(two).first(1), {});
            for (std::int64_t lane = begin; lane < end; ++lane)
                for (std::int64_t i = 0; i < 6; ++i) CHECK(out[static_cast<std::size_t>(6 * lane + i)] == 6 * i + lane);
        });
        CHECK(all_done(endings));
    }
}

TEST_CASE("processes: messages, bytes and time of the two forms of a sum agree with the formulas") {
    const Network network;
    constexpr std::int64_t bytes = std::int64_t{1} << 20;
    for (const int count : {2, 4, 8, 64}) {
        std::vector<std::chrono::nanoseconds> met(static_cast<std::size_t>(count));
        const auto run = [&](bool by_parts) {
            return simulate(count, network, {}, patient(10s), [&](Processes& all) {
                std::vector<std::int64_t> first(static_cast<std::size_t>(count) + 1);
                std::iota(first.begin(), first.end(), 0);
                LanesOfProcesses over(all, first);
                const std::int64_t size = by_parts ? bytes : bytes / 1024;
                std::vector<char> values(static_cast<std::size_t>(by_parts ? size : size * count));
                std::vector<char> parts(static_cast<std::size_t>(count * (size / count + 64)));
                const LanesOfProcesses::Array array[] = {{values.data(), {size, size}}};
                if (!by_parts) return over.gather(at(1, "gather"), array, count);
                // The value of the own lane is where a dense array of lanes would have it.
                over.bring_parts(at(1, "parts"), values.data() - all.index() * size, {size, size}, parts.data());
                over.share_parts(at(1, "parts"), parts.data(), values.data(), {size, 0});
            });
        };
        const auto transfer = [&](std::int64_t n) { return static_cast<double>(n) / network.bytes_per_second * 1e9; };
        const double round = static_cast<double>((network.latency + network.per_message).count());
        const auto p = static_cast<double>(count);
        for (const Ending& e : run(false)) {
            CHECK(e.messages == rounds(count));
            CHECK(e.bytes == (count - 1) * bytes / 1024);
            const double model = static_cast<double>(rounds(count)) * round + transfer(e.bytes);
            CHECK(agrees(e.time, model));
        }
        for (const Ending& e : run(true)) {
            CHECK(e.messages == count - 1 + rounds(count));
            CHECK(e.bytes == 2 * (count - 1) * (bytes / count));
            const double model = (p - 1) * static_cast<double>(network.per_message.count()) +
                                 static_cast<double>(network.latency.count()) +
                                 static_cast<double>(rounds(count)) * round + transfer(e.bytes);
            CHECK(agrees(e.time, model));
        }
    }
}

TEST_CASE("processes: 1024 processes meet") {
    const auto endings = simulate(1024, {.jitter = 1us}, {}, patient(10s), [](Processes& all) {
        for (int step = 0; step < 3; ++step) {
            const auto replies = all.meet(at(step, "a place"), std::to_string(all.index()));
            CHECK(replies[1023].payload == "1023");
        }
    });
    CHECK(all_done(endings));
    for (const Ending& e : endings) CHECK(e.messages == 3 * 10);
}

TEST_CASE("processes: processes that have done different things are told the first difference") {
    // Process 2 makes one more meeting, one fewer, or the same with another value before.
    for (const int what : {0, 1, 2}) {
        const auto endings = simulate(4, {.jitter = 20us}, {}, patient(10s), [&](Processes& all) {
            all.introduce("host");
            for (int step = 0; step < 100; ++step) {
                if (step == 90) all.history().add(all.index() == 2 && what == 0 ? 7 : 8, "lr at train.pm:3");
                if (step == 90 && all.index() == 2 && what == 1) all.meet(at(50, "pmax, train.pm:9"));
                if (step == 90 && all.index() == 2 && what == 2) continue;
                all.meet(at(step, "pmean " + std::to_string(step) + ", train.pm:16"));
            }
        });
        for (const Ending& e : endings) {
            REQUIRE(e.failure.has_value());
            CHECK(e.failure->kind() == JobFailureKind::apart);
            const Divergence& d = e.failure->divergence();
            REQUIRE(d.first.size() == 4);
            CHECK(d.last_common == (what == 0 ? "pmean 89, train.pm:16" : "lr at train.pm:3"));
            CHECK(d.first[1] == (what == 0 ? "lr at train.pm:3" : "pmean 90, train.pm:16"));
            CHECK(d.first[2] == (what == 0   ? "lr at train.pm:3"
                                 : what == 1 ? "pmax, train.pm:9"
                                             : "pmean 91, train.pm:16"));
        }
    }
}

TEST_CASE("processes: a killed or paused process is named by all others, within the patience") {
    for (const Fate::Kind kind : {Fate::Kind::killed, Fate::Kind::paused})
        for (const int count : {2, 3, 5})
            for (int event = 0; event < 30; ++event) {
                const std::vector<Fate> fates{{kind, count / 2, event, {}}};
                std::vector<char> in(static_cast<std::size_t>(count) * 64);
                const auto endings = simulate(count, {.jitter = 10us}, fates, patient(2s), [](Processes& all) {
                    std::vector<char> values(static_cast<std::size_t>(all.count()));
                    const char own = '1';
                    for (int step = 0; step < 15; ++step) {
                        all.meet(at(step, "pmean, train.pm:16"));
                        all.all_gather(at(step, "pmean, train.pm:16"), &own, values.data(), 1);
                    }
                });
                for (int p = 0; p < count; ++p) {
                    const Ending& e = endings[static_cast<std::size_t>(p)];
                    if (p == count / 2) continue;
                    INFO(event);
                    REQUIRE(e.failure.has_value());
                    CHECK(e.failure->kind() == JobFailureKind::lost);
                    CHECK(e.failure->processes() == std::vector<int>{count / 2});
                    CHECK(e.time < 2s + 100ms);
                    CHECK(e.failure->message() == "process " + std::to_string(count / 2) +
                                                      " did not come to pmean, train.pm:16: no answer within 2 s");
                }
            }
}

TEST_CASE("processes: an engine that knows of a death ends the wait at once") {
    Network network;
    network.notice_of_death = 5ms;
    const auto endings = simulate(4, network, {{Fate::Kind::killed, 1, 6, {}}}, patient(300s), [](Processes& all) {
        all.introduce("host b, pid 4711");
        for (int step = 0; step < 20; ++step) all.meet(at(step, "pmean, train.pm:16"));
    });
    for (const int p : {0, 2, 3}) {
        const Ending& e = endings[static_cast<std::size_t>(p)];
        REQUIRE(e.failure.has_value());
        CHECK(e.failure->message() ==
              "process 1 (host b, pid 4711) did not come to pmean, train.pm:16: the engine has lost a process");
        CHECK(e.time < 20ms);
    }
}

TEST_CASE("processes: a process that does not exist any more ends the wait") {
    ProcessesOptions options = patient(300s);
    options.exists = [](int process) { return process != 1; };
    const auto endings = simulate(3, {}, {{Fate::Kind::killed, 1, 4, {}}}, options, [](Processes& all) {
        for (int step = 0; step < 20; ++step) all.meet(at(step, "pmean, train.pm:16"));
    });
    for (const int p : {0, 2}) {
        const Ending& e = endings[static_cast<std::size_t>(p)];
        REQUIRE(e.failure.has_value());
        CHECK(e.failure->processes() == std::vector<int>{1});
        CHECK(e.time < 500ms);
    }
}

TEST_CASE("processes: a late process is named once, by one process, and the job goes on") {
    for (const int late : {0, 2}) {
        const auto endings = simulate(4, {}, {{Fate::Kind::late, late, 3, 40s}}, patient(300s), [](Processes& all) {
            for (int step = 0; step < 6; ++step) all.meet(at(step, "pmean, train.pm:16"));
        });
        CHECK(all_done(endings));
        std::vector<std::string> notices;
        for (const Ending& e : endings) notices.insert(notices.end(), e.notices.begin(), e.notices.end());
        CHECK(notices ==
              std::vector<std::string>{"waiting for process " + std::to_string(late) + " at pmean, train.pm:16"});
        CHECK(endings[static_cast<std::size_t>(late == 0 ? 1 : 0)].notices.size() == 1);
    }
}

TEST_CASE("processes: several processes are named together") {
    const std::vector<Fate> fates{{Fate::Kind::paused, 1, 2, {}}, {Fate::Kind::killed, 3, 2, {}}};
    const auto endings = simulate(4, {}, fates, patient(1s), [](Processes& all) {
        for (int step = 0; step < 6; ++step) all.meet(at(step, "the end"));
    });
    for (const int p : {0, 2}) {
        REQUIRE(endings[static_cast<std::size_t>(p)].failure.has_value());
        CHECK(endings[static_cast<std::size_t>(p)].failure->message() ==
              "processes 1 and 3 did not come to the end: no answer within 1 s");
    }
}

TEST_CASE("processes: a process that stops by itself tells why") {
    const auto endings = simulate(3, {}, {}, patient(300s), [](Processes& all) {
        all.introduce("host b");
        all.meet(at(0, "a place"));
        if (all.index() == 1) {
            all.stop("PM0512 out of memory at train.pm:9");
            return;
        }
        all.meet(at(1, "another place"));
    });
    CHECK(endings[1].kind == Ending::Kind::done);
    for (const int p : {0, 2}) {
        REQUIRE(endings[static_cast<std::size_t>(p)].failure.has_value());
        CHECK(endings[static_cast<std::size_t>(p)].failure->kind() == JobFailureKind::stopped);
        CHECK(endings[static_cast<std::size_t>(p)].failure->message() ==
              "process 1 (host b) has stopped: PM0512 out of memory at train.pm:9");
    }
}

TEST_CASE("processes: after a failure each meeting fails, and stopping does not wait for long") {
    const auto endings = simulate(2, {}, {{Fate::Kind::killed, 1, 1, {}}}, patient(2s), [](Processes& all) {
        for (int step = 0; step < 2; ++step) try {
                all.meet(at(step, "a place"));
            } catch (const JobFailure&) {
                const JobFailure again = [&] {
                    try {
                        all.meet(at(9, "a later place"));
                    } catch (const JobFailure& failure) {
                        return failure;
                    }
                    return JobFailure(JobFailureKind::engine, "no failure", {});
                }();
                CHECK(again.message() == "process 1 did not come to a place: no answer within 2 s");
                all.stop("no more");
                throw;
            }
    });
    CHECK(endings[0].kind == Ending::Kind::failed);
    CHECK(endings[0].time < 2s + 100ms);
}

TEST_CASE("processes: an exception of poll ends the wait") {
    struct Interrupted {};
    int polls = 0;
    ProcessesOptions options = patient(300s);
    options.poll = [&] {
        if (++polls == 1000) throw Interrupted{};
    };
    bool interrupted = false;
    const auto endings = simulate(2, {}, {{Fate::Kind::paused, 1, 0, {}}}, options, [&](Processes& all) {
        try {
            all.meet(at(0, "a place"));
        } catch (const Interrupted&) {
            interrupted = true;
            all.meet(at(1, "a place")); // closed
        }
    });
    CHECK(interrupted);
    REQUIRE(endings[0].failure.has_value());
    CHECK(endings[0].failure->message() == "this process has stopped at a place");
}

TEST_CASE("processes: bytes that are no header are refused, and an engine that begins nothing") {
    struct Nothing {
        static PmOperation* gather(void* state, const void*, void* out, std::int64_t bytes) {
            std::memset(out, 0x5A, static_cast<std::size_t>(2 * bytes));
            return static_cast<PmOperation*>(state);
        }
        static PmOperationState test(void*, PmOperation*, const char**, std::int32_t*) { return PM_OPERATION_DONE; }
    };
    int some = 0;
    for (void* const state : {static_cast<void*>(&some), static_cast<void*>(nullptr)}) {
        const PmEngine engine{PM_ENGINE_VERSION, 0,       2,       "an engine",   state,  Nothing::gather,
                              nullptr,           nullptr, nullptr, Nothing::test, nullptr};
        Processes all(engine, patient(1s));
        try {
            all.meet(at(0, "a place"));
            FAIL("nothing is refused");
        } catch (const JobFailure& failure) {
            CHECK(failure.kind() == JobFailureKind::engine);
            CHECK(failure.message() == (state != nullptr
                                            ? "process 0 runs another release of Polymap, or the network changes bytes"
                                            : "an engine cannot begin an exchange at a place"));
        }
    }
}

TEST_CASE("history: events from others are not trusted") {
    History history;
    for (int i = 1; i <= 70; ++i) history.add(static_cast<std::uint64_t>(i), "event " + std::to_string(i));
    const std::vector<char> packed = history.packed();
    REQUIRE(packed.size() == History::packed_bytes);
    const auto events = History::unpacked({packed.data(), packed.size()});
    REQUIRE(events.size() == History::kept);
    CHECK(events.front().text == "event 7");
    CHECK(events.back().number == 70);
    CHECK(events.back().hash == history.hash());
    std::mt19937 random(5);
    for (int step = 0; step < 1000; ++step) { // arbitrary bytes are read without a fault
        std::vector<char> bytes(random() % 9000);
        for (char& c : bytes) c = static_cast<char>(random());
        for (const HistoryEvent& event : History::unpacked({bytes.data(), bytes.size()}))
            CHECK(event.text.size() <= HistoryEvent::longest);
    }
    CHECK(History::unpacked({packed.data(), 100}).empty());
    history.add(1, std::string(500, 'x'));
    CHECK(history.recent().back().text.size() == HistoryEvent::longest);
}

TEST_CASE("history: the hash depends on content and order, not on texts") {
    History a, b, c;
    a.add(1, "x");
    a.add(2, "y");
    b.add(1, "other");
    b.add(2, "texts");
    c.add(2, "y");
    c.add(1, "x");
    CHECK(a.hash() == b.hash());
    CHECK(a.hash() != c.hash());
    CHECK(hash_of("abc") != hash_of("abd"));
    CHECK(hash_of("") != hash_of(std::string_view("\0", 1)));
    CHECK(hash_of("abc", 1) != hash_of("abc", 2));
}
