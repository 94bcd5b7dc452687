#include "tests/gpu/driver/blocks.hpp"

#include "tests/gpu/driver/warps.hpp"

#include <algorithm>

namespace pm::ptx {
namespace {

/// Consecutive instructions of a thread before other threads run.
constexpr std::uint64_t quantum = 10000;
/// A launch is stuck after this many instructions, in at least this many rounds, in which all threads only poll and no
/// memory changes.
constexpr std::uint64_t futile_instructions = 20'000'000;
constexpr std::uint64_t futile_rounds = 64;
constexpr std::size_t most_calls = 1000;

/// Makes room for the function's registers and local memory after those of its callers, and switches the thread to
/// them.
Slot* open_frame(Thread& t, const Function& function, std::size_t first_slot, std::size_t first_local) {
    Storage& storage = *t.storage;
    if (storage.slots.size() < first_slot + function.slots()) storage.slots.resize(first_slot + function.slots());
    if (storage.local.size() < first_local + function.local_bytes)
        storage.local.resize(first_local + function.local_bytes);
    std::fill_n(storage.local.begin() + static_cast<std::ptrdiff_t>(first_local), function.local_bytes,
                std::uint8_t{0xFF});
    t.r = storage.slots.data() + first_slot;
    t.local = storage.local.data() + first_local;
    t.function = &function;
    return t.r;
}

/// Registers are all ones at first. The constants follow them.
void fill_frame(Slot* r, const Function& function) {
    std::fill(r + special_count, r + function.first_constant, ~Slot{0});
    std::copy(function.constants.begin(), function.constants.end(), r + function.first_constant);
}

void start_thread(Block& block, Thread& t) {
    const Launch& launch = *block.launch;
    if (block.spare.empty()) {
        t.storage = std::make_unique<Storage>();
    } else {
        t.storage = std::move(block.spare.back());
        block.spare.pop_back();
    }
    t.storage->frames.clear();
    Slot* r = open_frame(t, *launch.kernel, 0, 0);
    std::copy(block.first_frame.begin(), block.first_frame.end(), r);
    const std::uint32_t lane = t.number % warp_size;
    r[tid_x] = t.number;
    if (launch.block[0] < block.threads.size()) {
        r[tid_x] = t.number % launch.block[0];
        r[tid_y] = t.number / launch.block[0] % launch.block[1];
        r[tid_z] = t.number / launch.block[0] / launch.block[1];
    }
    r[laneid] = lane;
    r[warpid] = t.number / warp_size;
    const std::uint32_t self = 1U << lane, below = self - 1;
    r[lanemask_eq] = self;
    r[lanemask_lt] = below;
    r[lanemask_le] = below | self;
    r[lanemask_gt] = ~(below | self);
    r[lanemask_ge] = ~below;
    t.pc = launch.kernel->code.data();
}

/// Sets the values that are equal for all blocks of the launch.
void prepare_block(Block& block, Launch& launch) {
    const Function& kernel = *launch.kernel;
    const std::uint32_t threads = launch.block[0] * launch.block[1] * launch.block[2];
    block.launch = &launch;
    const std::size_t dynamic_at = (kernel.shared_bytes + 15) / 16 * 16;
    block.shared.resize(launch.dynamic_shared ? dynamic_at + launch.dynamic_shared : kernel.shared_bytes);
    block.first_frame.resize(kernel.slots());
    fill_frame(block.first_frame.data(), kernel);
    Slot* s = block.first_frame.data();
    std::fill_n(s, static_cast<std::size_t>(special_count), Slot{0});
    for (std::uint32_t n = 0; n < 3; ++n) {
        s[ntid_x + n] = launch.block[n];
        s[nctaid_x + n] = launch.grid[n];
    }
    s[nwarpid] = (threads + warp_size - 1) / warp_size;
    s[nsmid] = 4;
    s[dynamic_shared] = dynamic_at;
    s[total_shared] = block.shared.size();
    s[dynamic_shared_bytes] = launch.dynamic_shared;
    block.threads.resize(threads);
    for (std::uint32_t n = 0; n < threads; ++n) {
        Thread& t = block.threads[n];
        t.shared = block.shared.data();
        t.shared_bytes = block.shared.size();
        t.sites = launch.sites->data();
        t.launch = &launch;
        t.block = &block;
        t.number = n;
    }
}

void start_block(Block& block, std::uint64_t number) {
    const Launch& launch = *block.launch;
    Slot* s = block.first_frame.data();
    s[ctaid_x] = number % launch.grid[0];
    s[ctaid_y] = number / launch.grid[0] % launch.grid[1];
    s[ctaid_z] = number / launch.grid[0] / launch.grid[1];
    s[smid] = number % 4;
    std::fill(block.shared.begin(), block.shared.end(), std::uint8_t{0xFF});
    block.live = static_cast<std::uint32_t>(block.threads.size());
    block.waiting = 0;
    block.barriers = {};
    for (Thread& t : block.threads) {
        t.pc = nullptr;
        t.state = State::ready;
        t.carry = false;
        t.copies.clear();
        t.groups = 0;
    }
}

std::uint64_t run_thread(Thread& t) {
    const Instruction* pc = t.pc;
    std::uint64_t left = quantum;
    for (; left > 0; --left) {
        pc = pc->run(t.r, pc, t);
        if (!pc) return quantum - left + 1;
    }
    t.pc = pc;
    return quantum;
}

// --- waits

void open_if_complete(Block& block, std::uint32_t number) {
    Barrier& barrier = block.barriers[number];
    const std::uint32_t expected = barrier.expected ? barrier.expected : block.live;
    if (barrier.waiting + barrier.arrived < expected || barrier.waiting + barrier.arrived == 0) return;
    const auto waits = [&](const Thread& t) { return t.state == State::at_barrier && t.barrier == number; };
    std::uint32_t yes = 0;
    for (const Thread& t : block.threads)
        if (waits(t)) yes += t.value;
    for (Thread& t : block.threads) {
        if (!waits(t)) continue;
        switch (static_cast<BarrierKind>(t.pc->offset)) {
        case BarrierKind::sync: break;
        case BarrierKind::popc: t.r[t.pc->d] = yes; break;
        case BarrierKind::all: t.r[t.pc->d] = yes == barrier.waiting; break;
        case BarrierKind::any: t.r[t.pc->d] = yes > 0; break;
        }
        t.state = State::ready;
        ++t.pc;
        --block.waiting;
    }
    barrier = {};
}

/// Executes the warp operation at which this thread waits, if all its members have arrived. Threads run in order, so
/// the next ones are checked first: they are most likely to be missing.
void run_if_complete(Block& block, const Thread& waiting) {
    const std::uint32_t first = waiting.number / warp_size * warp_size;
    std::array<Thread*, warp_size> lanes{};
    for (std::uint32_t next = 1; next <= warp_size; ++next) {
        const std::uint32_t n = (waiting.number + next) % warp_size;
        if (!(waiting.members >> n & 1) || first + n >= block.threads.size()) continue;
        Thread& other = block.threads[first + n];
        if (other.state == State::ended) continue;
        if (other.state != State::in_warp || !same_warp_operation(other, waiting)) return;
        lanes[n] = &other;
    }
    block.waiting -= static_cast<std::uint32_t>(32 - std::count(lanes.begin(), lanes.end(), nullptr));
    run_warp_operation(lanes);
}

void end_thread(Block& block, Thread& t) {
    --block.live;
    block.spare.push_back(std::move(t.storage));
    if (block.waiting == 0) return;
    for (std::uint32_t n = 0; n < barrier_count; ++n)
        if (block.barriers[n].expected == 0) open_if_complete(block, n);
    const std::uint32_t first = t.number / warp_size * warp_size;
    for (std::uint32_t n = first; n < first + warp_size && n < block.threads.size(); ++n)
        if (block.threads[n].state == State::in_warp) run_if_complete(block, block.threads[n]);
}

void after_run(Block& block, Thread& t) {
    switch (t.state) {
    case State::ready:
    case State::failed: return;
    case State::ended: return end_thread(block, t);
    case State::in_warp: ++block.waiting; return run_if_complete(block, t);
    case State::at_barrier:
        ++block.waiting;
        ++block.barriers[t.barrier].waiting;
        if (t.members != 0) block.barriers[t.barrier].expected = t.members;
        return open_if_complete(block, t.barrier);
    }
}

/// Runs each ready thread once. Returns whether there was one.
bool run_round(Block& block) {
    bool any = false;
    for (Thread& t : block.threads) {
        if (t.state != State::ready) continue;
        any = true;
        if (!t.pc) start_thread(block, t);
        block.launch->instructions += run_thread(t);
        after_run(block, t);
        if (block.launch->fault != Fault::none) return true;
    }
    return any;
}

void report_stuck(Block& block) {
    for (Thread& t : block.threads)
        if (t.state == State::in_warp || t.state == State::at_barrier) {
            fail(t, t.pc, Fault::launch_failed, "the thread waits for others that never come");
            return;
        }
}

/// Detects rounds in which threads only read memory that nothing changes.
class Progress {
  public:
    explicit Progress(const Launch& launch) : launch_(launch) { note(0); }

    /// To be called after a round; `live` threads have not ended.
    bool stuck(std::uint64_t live) {
        const bool waits = launch_.waiting_reads >= reads_ + live;
        reads_ = launch_.waiting_reads;
        if (launch_.writes != writes_ || live != live_ || !waits) {
            note(live);
            return false;
        }
        ++rounds_;
        return rounds_ >= futile_rounds && launch_.instructions - since_ >= futile_instructions;
    }

  private:
    void note(std::uint64_t live) {
        writes_ = launch_.writes;
        reads_ = launch_.waiting_reads;
        live_ = live;
        since_ = launch_.instructions;
        rounds_ = 0;
    }
    const Launch& launch_;
    std::uint64_t writes_ = 0;
    std::uint64_t reads_ = 0;
    std::uint64_t live_ = 0;
    std::uint64_t since_ = 0;
    std::uint64_t rounds_ = 0;
};

void run_blocks(std::vector<Block>& blocks, Launch& launch) {
    Progress progress(launch);
    for (;;) {
        std::uint64_t live = 0;
        bool any = false;
        for (Block& block : blocks) {
            if (block.live == 0) continue;
            any = run_round(block) || any;
            if (launch.fault != Fault::none) return;
            live += block.live;
        }
        if (live == 0) return;
        if (!any) {
            for (Block& block : blocks)
                if (block.live > 0) return report_stuck(block);
        }
        if (!progress.stuck(live)) continue;
        for (Block& block : blocks)
            for (Thread& t : block.threads)
                if (t.state == State::ready) {
                    fail(t, t.pc, Fault::launch_failed, "the threads wait for a change of memory that never comes");
                    return;
                }
    }
}

} // namespace

void run_launch(Launch& launch, bool cooperative, std::vector<Block>& blocks) {
    const std::uint64_t count = static_cast<std::uint64_t>(launch.grid[0]) * launch.grid[1] * launch.grid[2];
    blocks.resize(cooperative ? count : 1);
    for (Block& block : blocks) prepare_block(block, launch);
    if (cooperative) {
        for (std::uint64_t n = 0; n < count; ++n) start_block(blocks[n], n);
        return run_blocks(blocks, launch);
    }
    for (std::uint64_t n = 0; n < count && launch.fault == Fault::none; ++n) {
        start_block(blocks[0], n);
        run_blocks(blocks, launch);
    }
}

void arrive(Thread& t, std::uint32_t barrier, std::uint32_t expected) {
    Block& block = *t.block;
    ++block.barriers[barrier].arrived;
    block.barriers[barrier].expected = expected;
    open_if_complete(block, barrier);
}

const Instruction* enter(Thread& t, const Instruction* i) {
    const CallSite& site = *i->call;
    Storage& storage = *t.storage;
    if (storage.frames.size() == most_calls) return fail(t, i, Fault::launch_failed, "too many calls within calls");
    const auto slots = static_cast<std::size_t>(t.r - storage.slots.data());
    const auto local = static_cast<std::size_t>(t.local - storage.local.data());
    storage.frames.push_back({t.function, i + 1, &site, slots, local});
    const std::size_t next_local = (local + t.function->local_bytes + 15) / 16 * 16;
    const std::size_t next_slots = slots + t.function->slots();
    Slot* r = open_frame(t, *site.callee, next_slots, next_local);
    fill_frame(r, *site.callee);
    std::copy_n(storage.slots.begin(), static_cast<std::size_t>(special_count), r);
    for (const CallSite::Copy& copy : site.arguments)
        std::memcpy(t.local + copy.to, storage.local.data() + local + copy.from, copy.bytes);
    return site.callee->code.data();
}

const Instruction* leave(Thread& t) {
    Storage& storage = *t.storage;
    if (storage.frames.empty()) {
        t.state = State::ended;
        return nullptr;
    }
    const Frame frame = storage.frames.back();
    storage.frames.pop_back();
    std::uint8_t* local = storage.local.data() + frame.local;
    for (const CallSite::Copy& copy : frame.call->results)
        std::memcpy(local + copy.to, t.local + copy.from, copy.bytes);
    t.r = storage.slots.data() + frame.slots;
    t.local = local;
    t.function = frame.function;
    return frame.next;
}

const Instruction* wait(Thread& t, const Instruction* i, State state) {
    t.pc = i;
    t.state = state;
    return nullptr;
}

const Instruction* fail(Thread& t, const Instruction* i, Fault fault, const std::string& what) {
    t.pc = i;
    t.state = State::failed;
    Launch& launch = *t.launch;
    launch.fault = fault;
    const Slot* s = t.storage->slots.data();
    const auto place = [&](Special first) {
        return "(" + std::to_string(s[first]) + ", " + std::to_string(s[first + 1]) + ", " +
               std::to_string(s[first + 2]) + ")";
    };
    launch.report = t.function->name + ", line " + std::to_string(i->line) + " `" + line_of(*launch.module, i->line) +
                    "`: " + what + "; thread " + place(tid_x) + " of block " + place(ctaid_x) + ", kernel " +
                    launch.kernel->name;
    return nullptr;
}

} // namespace pm::ptx
