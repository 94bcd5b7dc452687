#pragma once
#include "compiler/codegen/program/program_layout.hpp"

#include <map>
#include <utility>
#include <vector>

namespace pm::codegen {

/// A function of the host's code (the entry, a region, or the body of a lane) while its steps are emitted. Emits the
/// addresses of buffers, the exits and the polls. Addresses that are valid in the whole function are computed once, at
/// its start.
class HostFunction {
  public:
    /// `call`: the PmCall*. `exit`: the block to which the function branches if the call must stop.
    HostFunction(Emit& e, const plan::Program& program, Value* call, llvm::BasicBlock* exit);

    Value* call() const { return call_; }
    const plan::Buffer& buffer(plan::BufferId id) const { return program_.buffers[id]; }

    // Lanes and loops.

    /// The lane number in the body of a lane. Null outside of the lanes.
    Value* lane() const { return lane_; }
    void set_lane(Value* lane);
    /// The lane number for the runtime: 0 outside of the lanes.
    Value* lane_or_first() { return lane_ == nullptr ? e_.int64(0) : lane_; }
    /// The number of the lane that creates tapes; -1 outside of the lanes.
    Value* tape_lane() { return lane_ == nullptr ? e_.int64(-1) : lane_; }
    void fail_lane();
    /// The indices of the enclosing loops, by LoopStep::id.
    const std::map<std::uint32_t, Value*>& loops() const { return loops_; }
    void enter_loop(std::uint32_t id, Value* index) { loops_[id] = index; }
    void leave_loop(std::uint32_t id) { loops_.erase(id); }

    /// Binds lane, loops and local buffers to the parameters of a region's function.
    void begin_region(const OutlinedRegion& region, llvm::Function* function);
    std::vector<Value*> arguments_of(const OutlinedRegion& region);

    // Addresses.

    using Loops = std::map<std::uint32_t, std::int64_t>;
    /// The address of a buffer. `inner`: loops whose strides are not added, since the kernel adds them. Outside of the
    /// body of a lane (for example for a collective), returns the address of the first lane's part.
    Value* address(plan::BufferId id, const Loops* inner = nullptr);
    /// The address of the first lane's part, for a collective inside of the lanes.
    Value* address_of_first_lane(plan::BufferId id);
    std::vector<Value*> addresses(const plan::Step& step);
    /// A pointer that PmCall contains: to the arena, or to the array of the block addresses of another space.
    Value* held(plan::Space space);
    /// An array of words, addresses or integers, on the stack.
    Value* array_of(const std::vector<Value*>& words);
    /// A constant array in the module: the attributes of a runtime kernel, or the locations of addresses.
    Value* table_of(const std::vector<std::int64_t>& numbers);

    // Exits and polls.

    void exit_if(Value* condition);
    void exit_if_abandoned();
    /// Exits if the call is abandoned or a check has failed. A lane tests only its own checks, so its effects do not
    /// depend on the progress of other lanes.
    void exit_if_failed();
    /// The approximate number of instructions emitted since the last poll.
    double work() const { return work_; }
    void add_work(double work) { work_ += work; }
    /// Sets the work. Returns the previous work.
    double exchange_work(double work) { return std::exchange(work_, work); }
    /// Reads the stop flag. Calls the runtime if the flag is set, or if about `poll_work` instructions have run since
    /// the last call of the runtime. The runtime tests the clock and the cancel flag of the embedding program. The work
    /// of an iteration is a constant that is added up at run time. An iteration counts as at least poll_work / 64.
    void poll();
    /// Adds work at run time. Polls if the sum is large enough or the stop flag is set.
    void add_up(double work);
    /// Polls unconditionally. Called after steps that together take long, and after each step that skips work when the
    /// call is abandoned. Such a step is parallel, or so long that its own code polls. The function exits only if the
    /// call is abandoned. After a failed check, the function exits at the poll at the end of the iteration.
    void poll_now();

  private:
    Value* moved(Value* base, const plan::Buffer& buffer, const Loops* inner = nullptr);
    Value* base(plan::BufferId id);
    Value* local(std::uint32_t index);
    Value* stop_flag();
    Value* done();

    Emit& e_;
    const plan::Program& program_;
    Value* call_;
    llvm::BasicBlock* exit_;
    Value* lane_ = nullptr;
    std::map<std::uint32_t, Value*> loops_;
    std::map<std::uint32_t, Value*> locals_; ///< the addresses of local buffers, by Buffer::index
    std::map<plan::Space, Value*> held_;     ///< the pointer to each space in PmCall
    std::map<std::pair<plan::Space, std::uint32_t>, Value*> blocks_; ///< addresses of arguments, results and constants
    Value* done_ = nullptr;   ///< slot: the approximate number of instructions since the last call of pm_poll
    double work_ = 0;         ///< the number of emitted instructions that are not yet added to the slot
    Value* failed_ = nullptr; ///< in a lane: a slot that is true if a check of this lane has failed
};

/// Fields of PmCall, as in runtime/abi.h.
enum class CallField : std::int64_t { arguments = 0, results = 8, arena = 16, constants = 24, stop = 32 };

/// The cost of moving bytes, in the unit of the costs of nests.
inline double move_work(std::int64_t bytes) { return static_cast<double>(bytes) / 16; }

} // namespace pm::codegen
