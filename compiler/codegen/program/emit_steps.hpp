#pragma once
#include "compiler/codegen/program/emit_program.hpp"
#include "runtime/gpu/device/device.hpp"

#include <map>
#include <optional>

namespace pm::codegen {

/// Emits the steps of one function of a program: the entry, a region, or the body of a lane. Addresses that are valid
/// in the whole function are computed once, at its start. Loops, branches and polls are native code.
class StepEmitter {
  public:
    /// `call`: the PmCall*. `left`: the block to branch to if the call must stop.
    StepEmitter(Emit& e, const Layout& layout, Value* call, llvm::BasicBlock* left);

    void steps(const plan::Steps& steps);

    /// In the body of a lane: its number, and the indices of the enclosing loops.
    void set_lane(Value* lane);
    void set_loop(std::uint32_t id, Value* index) { loops_[id] = index; }

    /// Emits the body of `function`, the function of the region.
    void region(const OutlinedRegion& region, llvm::Function* function);

  private:
    void steps(const plan::Steps& steps, std::size_t first, std::size_t last);
    void call_region(const OutlinedRegion& region);
    void step(const plan::Step& step);
    void nest(const plan::Step& step);
    void repeated(llvm::ArrayRef<plan::Step> equal);
    void dot(const plan::Step& step);
    void matrices(const plan::Step& step);
    void sort(const plan::Step& step);
    void collective(const plan::Step& step);
    llvm::Value* tape_lane();
    void tape(const plan::Step& step);
    void tapes(const plan::Step& step);
    void copy(const plan::Step& step);
    Value* condition_of(const plan::Step& step);
    void branch(const plan::Step& step);
    void while_loop(const plan::Step& step);
    void counted_loop(const plan::Step& step);
    void lanes(const plan::Step& step);
    void for_each_lane(std::int64_t lanes, const std::function<void(StepEmitter& body, Value* lane)>& write);
    void check(const plan::Step& step);
    void report(const plan::Step& check, Value* element);
    void report(const PersistentKernel& kernel, Value* record);
    Value* first_failure(Value* ok, std::int64_t n);
    Value* first_failure(const Unit& kernel, const plan::Step& check);
    void print(const plan::Step& step);
    void poll();
    void add_up(double work);

    Value* address(plan::BufferId id, const PersistentKernel* kernel = nullptr);
    Value* address_of_first_lane(plan::BufferId id);
    Value* moved(Value* base, const plan::Buffer& buffer, const PersistentKernel* kernel = nullptr);
    Value* held(plan::Space space);
    Value* base(plan::BufferId id);
    Value* local(std::uint32_t index);
    Value* done();
    std::vector<Value*> addresses(const plan::Step& step);
    Value* pointers_of(const std::vector<Value*>& addresses);
    Value* table_of(const std::vector<std::int64_t>& numbers);
    /// Calls the step's unit. Null if it has none.
    Value* call_unit(const plan::Step& step);
    Value* call_unit(const plan::Step& step, std::vector<Value*> arguments);
    void launch(const Unit& unit, const plan::Step& step);
    void launch(const Unit& unit, const PersistentKernel& whole);
    void launch(const Unit& unit, const std::vector<Value*>& parameters,
                const std::vector<runtime::MemoryAccess>& accesses);
    std::vector<Value*> launch_arguments(const Unit& unit, const std::vector<Value*>& parameters,
                                         const std::vector<runtime::MemoryAccess>& accesses);
    Value* launch_with_tapes(const Unit& unit, const PersistentKernel& whole, const std::vector<Value*>& parameters,
                             const std::vector<runtime::MemoryAccess>& accesses, Value* left);
    void launch_part(const Unit& unit, const plan::Step& step, Value* part);
    bool moves_between_gpus(const plan::Step& step);
    void all_reduce(const plan::Step& collective, const plan::Step& by_kernels);
    void launch_product(const Unit& unit, const plan::Step& step, llvm::ArrayRef<LibraryProduct> ways);
    void launch_end(const plan::Step& end);
    void convolve(const plan::Step& step, const LibraryConvolution& convolution);
    void launch_passes(const Unit& unit, const plan::Step& step);
    void with_scratch(std::int64_t bytes, const std::function<void(Value*)>& use);
    Value* fetch(Value* to, Value* scratch, std::int64_t bytes);
    void launch_sort(const plan::Step& sort, const std::vector<Value*>& buffers,
                     const std::function<void(Value*)>& run);
    Value* read_by_host(plan::BufferId id);
    Value* write_by_host(plan::BufferId id, bool all);
    std::vector<Value*> host_addresses(const plan::Step& step, std::size_t written, bool all = true);
    Value* read_by_host(Value* address, std::int64_t bytes);
    void end_host_access();
    void ask_now();
    Value* stop_flag();
    void leave_if_abandoned();
    void leave_if_failed();
    void leave_if(Value* condition);
    const plan::Buffer& buffer(plan::BufferId id) const { return layout_.program().buffers[id]; }

    Emit& e_;
    const Layout& layout_;
    Value* call_;
    llvm::BasicBlock* left_;
    Value* lane_ = nullptr;
    std::map<std::uint32_t, Value*> loops_;
    std::map<std::uint32_t, Value*> locals_; ///< by Buffer::index
    std::map<plan::Space, Value*> held_;     ///< the pointer that the call holds for each space
    std::map<std::pair<int, std::uint32_t>, Value*>
        spaces_;              ///< addresses of the blocks of arguments, results and constants
    Value* done_ = nullptr;   ///< slot: about how many instructions since the last poll of the runtime,
    double pending_ = 0;      ///< and those emitted since they were last added to it
    Value* failed_ = nullptr; ///< in a lane: slot that is true if one of its own checks has failed
};

/// Fields of PmCall, as in runtime/abi.h.
enum class CallField : std::int64_t { arguments = 0, results = 8, arena = 16, constants = 24, stop = 32 };

/// The cost of moving bytes, in instructions as for nests.
inline double move_work(std::int64_t bytes) { return static_cast<double>(bytes) / 16; }

} // namespace pm::codegen
