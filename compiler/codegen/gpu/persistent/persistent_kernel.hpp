#pragma once
#include "compiler/codegen/gpu/kernel.hpp"
#include "runtime/gpu/host/tapes.hpp"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace pm::codegen {

/// A control step (loop, while_, if_) that is one kernel: the threads of the launch walk through its steps together and
/// meet where one step needs what another did. Conditions are read from memory, indices of loops are in registers.
/// Where one block is enough the threads meet as those of a block do, which costs next to nothing; several blocks meet
/// through memory.
struct PersistentKernel {
    /// A step that does the work.
    struct Leaf {
        const plan::Step* step = nullptr;
        std::unique_ptr<plan::Step> replacement; ///< of a collective that is a nest; `step` then
        NestShape shape;                         ///< of a nest
        Mapping mapping;
        bool in_passes = false; ///< see nest_passes()
    };

    const plan::Step* root = nullptr;
    std::map<const plan::Step*, Leaf> leaves;    ///< by the step that stands in the program
    std::map<std::uint32_t, std::int64_t> loops; ///< those in the kernel, by Step::id: their iterations
    std::set<plan::BufferId> in_registers;       ///< their indices, but for those that must stand in memory
    std::set<const plan::Step*>
        asks; ///< loops that may run for long: at the end of an iteration they ask whether to leave
    /// What the host gives: of each buffer where it begins before a loop of the kernel moves it. Buffers at one place
    /// are one parameter.
    std::vector<plan::BufferId> parameters;
    std::map<plan::BufferId, std::size_t> parameter_of;
    std::vector<const plan::Step*> checks;   ///< in the program's order, those of the leaves
    std::vector<const plan::Step*> tapes;    ///< likewise
    std::vector<std::int64_t> group_of_tape; ///< of each of `tapes`: runtime::TapesOfKernel::group
    /// For each step that has some of `tapes` in it, or is one: the numbers of these.
    struct Numbers {
        std::size_t first = 0;
        std::size_t end = 0;
        bool empty() const { return first == end; }
    };
    std::map<const plan::Step*, Numbers> tapes_in;
    /// Bytes of memory of its own: where there are some, one more parameter. For nests in passes, then from `record`
    /// on, where there are checks or tapes, what the host is told of them.
    std::int64_t scratch_bytes = 0;
    std::int64_t record = 0;
    std::vector<std::uint32_t> loops_of_record; ///< all loops in the program's order
    Mapping mapping; ///< of the whole; not `fixed`: several blocks, as many as the host wants but not more than that
    int weight = 0;  ///< instructions, about

    bool has_record() const { return !checks.empty() || !tapes.empty(); }
    /// What stands where in the record, in words.
    runtime::TapeRecord record_words() const {
        return {static_cast<std::int64_t>(loops_of_record.size()), static_cast<std::int64_t>(checks.size())};
    }
    std::int64_t place(std::int64_t word) const { return record + 8 * word; }
    std::int64_t place_of_index(std::size_t loop) const { return place(static_cast<std::int64_t>(loop)); }
    std::int64_t place_of_check(std::size_t check) const { return place_of_index(loops_of_record.size() + check); }
    /// Of the windows of a step.
    std::int64_t place_of_window(std::size_t tape) const {
        std::int64_t rows = 0;
        for (std::size_t i = 0; i < tape; ++i) rows += tapes[i]->integers[0];
        return place(record_words().window(rows));
    }
    Numbers tapes_of(const plan::Step& step) const {
        const auto found = tapes_in.find(&step);
        return found == tapes_in.end() ? Numbers() : found->second;
    }
    Numbers tapes_of(const plan::Steps& steps) const;
};

/// The kernel of a control step, null where the host had better run it: something in it is no kernel, or it is longer
/// than `size` (instructions, about) or has too many buffers, or its steps are so large on average that the device is
/// busy while the host launches the next. `tapes`: what tapes hold is in memory that the kernel can reach.
std::unique_ptr<PersistentKernel> make_persistent_kernel(const plan::Program& program, const plan::Step& step, int size,
                                                         bool tapes);

/// Equal for control steps of which one kernel will do: beside the code, the places of parameters as far as they say
/// where threads meet.
std::string text_of(const plan::Program& program, const PersistentKernel& resident);

/// Writes what one thread does; `parameters`: PersistentKernel::parameters, then the scratch memory if there is some.
void emit_persistent_kernel(Emit& e, Threads& threads, const PersistentKernel& resident, const plan::Program& program,
                            llvm::ArrayRef<Value*> parameters);

/// What a step accesses: pieces of memory that do not move with the loops of a kernel.
struct AccessRange {
    plan::Space space{};
    std::uint32_t index = 0;
    std::vector<plan::Stride> outer; ///< loops around the kernel that the piece moves with
    std::int64_t begin = 0;          ///< bytes in the space's block, in any iteration of the kernel's loops
    std::int64_t end = 0;
    bool written = false;

    bool overlaps(const AccessRange& other) const;
    bool operator==(const AccessRange&) const = default;
};
AccessRange touched(const plan::Program& program, const PersistentKernel& resident, plan::BufferId id, bool written);
/// Bytes [begin, end) of the kernel's own memory.
AccessRange touched_scratch(std::int64_t begin, std::int64_t end, bool written);
std::vector<AccessRange> touched_by(const plan::Program& program, const PersistentKernel& resident,
                                    const PersistentKernel::Leaf& leaf);

} // namespace pm::codegen
