#include "tests/unit/runtime/simulated_job.hpp"

#include <boost/context/fiber.hpp>
#include <boost/context/fixedsize_stack.hpp>
#include <boost/context/preallocated.hpp>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <random>
#include <set>

namespace pm::runtime::test {
namespace simulated { // PmOperation, which is global, refers to it

using boost::context::fiber;
using std::chrono::nanoseconds;

constexpr nanoseconds never = nanoseconds::max();

/// A stack as AddressSanitizer sees it. Without its knowledge of switches, an exception on another stack is an error.
struct Stack {
    const void* bottom = nullptr;
    std::size_t size = 0;
};
/// Called before a switch to the stack `to`. `left` is where AddressSanitizer keeps the state of the stack that is
/// left; null if that stack is never used again.
void leave_stack([[maybe_unused]] void** left, [[maybe_unused]] const Stack& to) {
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_start_switch_fiber(left, to.bottom, to.size);
#endif
}
/// Called after a switch, with the state of the current stack. Sets `from` to the stack that has been left.
void enter_stack([[maybe_unused]] void* entered, [[maybe_unused]] Stack* from) {
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(entered, from ? &from->bottom : nullptr, from ? &from->size : nullptr);
#endif
}

struct Killed {};
struct Paused {};

class Job;

/// One process of the job: its thread of control, its clock, and the state of its network card.
struct Rank {
    Job* job = nullptr;
    int index = 0;
    PmEngine engine{};
    fiber control;
    fiber scheduler; ///< where the rank continues when it waits
    Stack stack;     ///< of this rank
    void* left = nullptr;
    nanoseconds time{0};
    nanoseconds free_at{0}; ///< when the network card can send the next message
    int events = 0;
    std::size_t collectives = 0; ///< begun by this rank
    bool running = true;
    nanoseconds killed_at = never;
    Ending ending;
};

/// A collective operation of all ranks.
struct Collective {
    enum class Kind : std::uint8_t { gather, all_to_all } kind = Kind::gather;
    struct Part {
        bool begun = false;
        nanoseconds at{0};
        const char* in = nullptr;
        char* out = nullptr;
        std::vector<std::int64_t> in_counts, in_offsets, out_counts, out_offsets;
        nanoseconds complete = never;
    };
    std::vector<Part> parts;
    int begun = 0;
    bool computed = false;
};

struct SentMessage {
    nanoseconds arrives{0};
    std::vector<char> bytes;
};

} // namespace simulated

} // namespace pm::runtime::test

/// An operation under way: a part of a collective, or messages.
struct PmOperation {
    pm::runtime::test::simulated::Rank* rank = nullptr;
    std::size_t collective = 0;
    bool of_messages = false;
    std::vector<PmMessage> receives;
    std::chrono::nanoseconds sent_at{0};
};

namespace pm::runtime::test {
namespace simulated {

class Job {
  public:
    Job(int count, const Network& network, const std::vector<Fate>& fates)
        : network_(network), fates_(fates), random_(network.seed) {
        for (int i = 0; i < count; ++i) {
            auto rank = std::make_unique<Rank>();
            rank->job = this;
            rank->index = i;
            rank->engine = {PM_ENGINE_VERSION, i,          count,        "simulated engine",
                            rank.get(),        all_gather, gather_parts, all_to_all,
                            exchange,          test,       leave};
            ranks_.push_back(std::move(rank));
        }
    }

    std::vector<Ending> run(const ProcessesOptions& options, const std::function<void(Processes&)>& body) {
        for (auto& rank : ranks_) begin(*rank, options, body);
        std::set<std::pair<nanoseconds, int>> waiting;
        for (auto& rank : ranks_) waiting.emplace(rank->time, rank->index);
        while (!waiting.empty()) { // the rank that is furthest behind in time continues
            Rank& next = *ranks_[static_cast<std::size_t>(waiting.begin()->second)];
            waiting.erase(waiting.begin());
            void* left = nullptr;
            leave_stack(&left, next.stack);
            next.control = std::move(next.control).resume();
            enter_stack(left, nullptr);
            if (next.running) waiting.emplace(next.time, next.index);
        }
        std::vector<Ending> endings;
        for (auto& rank : ranks_) {
            rank->ending.time = rank->time;
            endings.push_back(std::move(rank->ending));
        }
        return endings;
    }

  private:
    void begin(Rank& rank, ProcessesOptions options, const std::function<void(Processes&)>& body) {
        options.now = [&rank] { return ProcessesOptions::Clock::time_point(rank.time); };
        options.sleep = [this, &rank](nanoseconds time) {
            rank.time += time;
            yield(rank);
        };
        options.notice = [&rank](std::string_view text) { rank.ending.notices.emplace_back(text); };
        boost::context::fixedsize_stack allocator(std::size_t{128} << 10);
        const boost::context::stack_context memory = allocator.allocate();
        rank.stack = {static_cast<const char*>(memory.sp) - memory.size, memory.size};
        rank.control = fiber(std::allocator_arg, boost::context::preallocated(memory.sp, memory.size, memory),
                             allocator, [this, &rank, options, &body](fiber&& scheduler) {
                                 enter_stack(nullptr, &main_);
                                 rank.scheduler = std::move(scheduler);
                                 play(rank, options, body);
                                 rank.running = false;
                                 leave_stack(nullptr, main_);
                                 return std::move(rank.scheduler);
                             });
    }
    void play(Rank& rank, const ProcessesOptions& options, const std::function<void(Processes&)>& body) {
        try {
            Processes processes(rank.engine, options);
            body(processes);
        } catch (const Killed&) {
            rank.ending.kind = Ending::Kind::killed;
            rank.killed_at = rank.time;
        } catch (const Paused&) {
            rank.ending.kind = Ending::Kind::paused;
        } catch (const JobFailure& failure) {
            rank.ending.kind = Ending::Kind::failed;
            rank.ending.failure = failure;
        }
    }
    void yield(Rank& rank) {
        leave_stack(&rank.left, main_);
        rank.scheduler = std::move(rank.scheduler).resume();
        enter_stack(rank.left, nullptr);
    }

    /// Counts an event of the rank, and lets its fate happen.
    void event(Rank& rank) {
        for (const Fate& fate : fates_) {
            if (fate.process != rank.index || fate.event != rank.events) continue;
            if (fate.kind == Fate::Kind::killed) throw Killed{};
            if (fate.kind == Fate::Kind::paused) throw Paused{};
            rank.time += fate.time;
        }
        ++rank.events;
        yield(rank); // others may be behind
    }

    /// The time at which a message that is sent at `at` arrives.
    nanoseconds send(Rank& rank, nanoseconds at, std::int64_t bytes) {
        const auto transfer =
            nanoseconds(static_cast<std::int64_t>(static_cast<double>(bytes) / network_.bytes_per_second * 1e9));
        const nanoseconds begin = std::max(at, rank.free_at);
        rank.free_at = begin + network_.per_message + transfer;
        rank.ending.messages += 1;
        rank.ending.bytes += bytes;
        const std::int64_t more =
            network_.jitter.count() == 0
                ? 0
                : std::uniform_int_distribution<std::int64_t>(0, network_.jitter.count())(random_);
        return begin + network_.per_message + transfer + network_.latency + nanoseconds(more);
    }

    Collective::Part& join(Rank& rank, Collective::Kind kind) {
        event(rank);
        const std::size_t number = rank.collectives++;
        if (number == collectives_.size()) {
            collectives_.emplace_back();
            collectives_.back().kind = kind;
            collectives_.back().parts.resize(ranks_.size());
        }
        Collective& collective = collectives_[number];
        if (collective.kind != kind) throw std::logic_error("the ranks have begun different collectives");
        Collective::Part& part = collective.parts[static_cast<std::size_t>(rank.index)];
        part.begun = true;
        part.at = rank.time;
        ++collective.begun;
        return part;
    }
    PmOperation* joined(Rank& rank) {
        Collective& collective = collectives_[rank.collectives - 1];
        if (collective.begun == static_cast<int>(ranks_.size())) compute(collective);
        return &operations_.emplace_back(PmOperation{&rank, rank.collectives - 1, false, {}, {}});
    }

    /// Moves the bytes, and computes when each rank has what it needs.
    void compute(Collective& c) {
        c.computed = true;
        const int n = static_cast<int>(ranks_.size());
        for (int to = 0; to < n; ++to)
            for (int from = 0; from < n; ++from) copy(c, from, to);
        if (c.kind == Collective::Kind::gather)
            time_gather(c);
        else
            time_all_to_all(c);
    }
    static void copy(Collective& c, int from, int to) {
        const auto f = static_cast<std::size_t>(from);
        const auto t = static_cast<std::size_t>(to);
        Collective::Part& source = c.parts[f];
        Collective::Part& target = c.parts[t];
        const std::int64_t sent = c.kind == Collective::Kind::gather ? source.in_counts[0] : source.in_counts[t];
        const std::int64_t offset = c.kind == Collective::Kind::gather ? 0 : source.in_offsets[t];
        if (sent != target.out_counts[f])
            throw std::logic_error("a message has another size than its receiver expects");
        if (sent > 0)
            std::memcpy(target.out + target.out_offsets[f], source.in + offset, static_cast<std::size_t>(sent));
    }
    /// Bruck's algorithm: in round k each rank sends what it has, at most 2^k parts, to the rank 2^k before it.
    void time_gather(Collective& c) {
        const auto n = static_cast<std::int64_t>(ranks_.size());
        std::vector<nanoseconds> ready;
        for (const Collective::Part& part : c.parts) ready.push_back(part.at);
        for (std::int64_t step = 1; step < n; step *= 2) {
            std::vector<nanoseconds> next(ready);
            for (std::int64_t from = 0; from < n; ++from) {
                std::int64_t bytes = 0;
                for (std::int64_t i = 0; i < std::min(step, n - step); ++i)
                    bytes += c.parts[static_cast<std::size_t>((from + i) % n)].in_counts[0];
                const auto to = static_cast<std::size_t>((from - step + n) % n);
                next[to] = std::max(next[to], send(*ranks_[static_cast<std::size_t>(from)],
                                                   ready[static_cast<std::size_t>(from)], bytes));
            }
            ready = next;
        }
        for (std::size_t i = 0; i < c.parts.size(); ++i) c.parts[i].complete = ready[i];
    }
    /// Each rank sends one message to each other one, to its successor first.
    void time_all_to_all(Collective& c) {
        const std::size_t n = ranks_.size();
        for (Collective::Part& part : c.parts) part.complete = part.at;
        for (std::size_t from = 0; from < n; ++from)
            for (std::size_t k = 1; k < n; ++k) {
                const std::size_t to = (from + k) % n;
                c.parts[to].complete =
                    std::max(c.parts[to].complete, send(*ranks_[from], c.parts[from].at, c.parts[from].in_counts[to]));
            }
    }

    static Rank& of(void* state) { return *static_cast<Rank*>(state); }
    static PmOperation* all_gather(void* state, const void* in, void* out, std::int64_t bytes) {
        const auto n = static_cast<std::size_t>(of(state).engine.count);
        std::vector<std::int64_t> counts(n, bytes), offsets(n);
        for (std::size_t p = 0; p < n; ++p) offsets[p] = static_cast<std::int64_t>(p) * bytes;
        return gather_parts(state, in, out, counts.data(), offsets.data());
    }
    static PmOperation* gather_parts(void* state, const void* in, void* out, const std::int64_t* counts,
                                     const std::int64_t* offsets) {
        Rank& rank = of(state);
        const int n = rank.engine.count;
        Collective::Part& part = rank.job->join(rank, Collective::Kind::gather);
        part.in = static_cast<const char*>(in);
        part.out = static_cast<char*>(out);
        part.in_counts = {counts[rank.index]};
        part.out_counts.assign(counts, counts + n);
        part.out_offsets.assign(offsets, offsets + n);
        return rank.job->joined(rank);
    }
    static PmOperation* all_to_all(void* state, const void* in, const std::int64_t* in_counts,
                                   const std::int64_t* in_offsets, void* out, const std::int64_t* out_counts,
                                   const std::int64_t* out_offsets) {
        Rank& rank = of(state);
        const int n = rank.engine.count;
        Collective::Part& part = rank.job->join(rank, Collective::Kind::all_to_all);
        part.in = static_cast<const char*>(in);
        part.out = static_cast<char*>(out);
        part.in_counts.assign(in_counts, in_counts + n);
        part.in_offsets.assign(in_offsets, in_offsets + n);
        part.out_counts.assign(out_counts, out_counts + n);
        part.out_offsets.assign(out_offsets, out_offsets + n);
        return rank.job->joined(rank);
    }
    static PmOperation* exchange(void* state, const PmMessage* sends, std::int32_t send_count,
                                 const PmMessage* receives, std::int32_t receive_count) {
        Rank& rank = of(state);
        Job& job = *rank.job;
        PmOperation* const operation =
            &job.operations_.emplace_back(PmOperation{&rank, 0, true, {receives, receives + receive_count}, rank.time});
        for (std::int32_t i = 0; i < send_count; ++i) {
            const char* const bytes = static_cast<const char*>(sends[i].data);
            const nanoseconds arrives = job.send(rank, rank.time, sends[i].bytes);
            job.messages_[{rank.index, sends[i].peer}].push_back({arrives, {bytes, bytes + sends[i].bytes}});
            operation->sent_at = rank.free_at;
        }
        return operation;
    }
    static PmOperationState test(void* state, PmOperation* operation, const char** why, std::int32_t* lost) {
        Rank& rank = of(state);
        Job& job = *rank.job;
        if (operation->of_messages
                ? job.messages_complete(rank, *operation)
                : job.collectives_[operation->collective].parts[static_cast<std::size_t>(rank.index)].complete <=
                          rank.time &&
                      job.collectives_[operation->collective].computed) {
            return PM_OPERATION_DONE;
        }
        rank.time += nanoseconds(100); // a test takes time
        for (const auto& other : job.ranks_) {
            if (!job.network_.notice_of_death || other->killed_at == never || operation->of_messages) continue;
            if (rank.time < other->killed_at + *job.network_.notice_of_death) continue;
            *why = "the engine has lost a process";
            *lost = other->index;
            return PM_OPERATION_FAILED;
        }
        job.yield(rank);
        return PM_OPERATION_RUNNING;
    }
    bool messages_complete(Rank& rank, PmOperation& operation) {
        while (!operation.receives.empty()) {
            const PmMessage& wanted = operation.receives.back();
            auto& queue = messages_[{wanted.peer, rank.index}];
            if (queue.empty() || queue.front().arrives > rank.time) return false;
            if (queue.front().bytes.size() != static_cast<std::size_t>(wanted.bytes))
                throw std::logic_error("a message has another size than its receiver expects");
            std::memcpy(wanted.data, queue.front().bytes.data(), queue.front().bytes.size());
            queue.pop_front();
            operation.receives.pop_back();
        }
        return operation.sent_at <= rank.time;
    }
    static void leave(void*, std::int32_t) {}

    const Network& network_;
    const std::vector<Fate>& fates_;
    std::mt19937_64 random_;
    Stack main_; ///< the stack of run()
    std::vector<std::unique_ptr<Rank>> ranks_;
    std::deque<Collective> collectives_;
    std::deque<PmOperation> operations_; ///< all that have begun
    std::map<std::pair<int, int>, std::deque<SentMessage>> messages_;
};

} // namespace simulated

std::vector<Ending> simulate(int count, const Network& network, const std::vector<Fate>& fates,
                             const ProcessesOptions& options, const std::function<void(Processes&)>& body) {
    return simulated::Job(count, network, fates).run(options, body);
}

} // namespace pm::runtime::test
