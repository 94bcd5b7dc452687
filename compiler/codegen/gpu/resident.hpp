#pragma once
#include "compiler/codegen/gpu/kernel.hpp"

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
struct Resident {
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
    std::map<std::uint32_t, std::int64_t> loops; ///< those in the kernel, by Step::id: their turns
    std::set<plan::BufferId> in_registers;       ///< their indices, but for those that must stand in memory
    std::set<const plan::Step*> asks; ///< loops that may run for long: at the end of a turn they ask whether to leave
    /// What the host gives: of each buffer where it begins before a loop of the kernel moves it. Buffers at one place
    /// are one parameter.
    std::vector<plan::BufferId> parameters;
    std::map<plan::BufferId, std::size_t> parameter_of;
    std::vector<const plan::Step*> checks;      ///< in the program's order, those of the leaves
    std::vector<std::uint32_t> loops_of_checks; ///< all loops in that order, where there are checks
    /// Bytes of memory of its own: where there are some, one more parameter. For nests in passes, then from `record` on
    /// i64: the index of each of loops_of_checks in the turn in which a check failed, or 0, and for each check the
    /// number of the first element that is false, or -1.
    std::int64_t scratch_bytes = 0;
    std::int64_t record = 0;
    Mapping mapping; ///< of the whole; not `fixed`: several blocks, as many as the host wants but not more than that
    int weight = 0;  ///< instructions, about

    std::int64_t place_of_index(std::size_t loop) const { return record + 8 * static_cast<std::int64_t>(loop); }
    std::int64_t place_of_check(std::size_t check) const { return place_of_index(loops_of_checks.size() + check); }
};

/// The kernel of a control step, null where the host had better run it: something in it is no kernel, or it is longer
/// than `size` (instructions, about) or has too many buffers, or its steps are so large on average that the device is
/// busy while the host launches the next.
std::unique_ptr<Resident> make_resident(const plan::Program& program, const plan::Step& step, int size);

/// Equal for control steps of which one kernel will do: beside the code, the places of parameters as far as they say
/// where threads meet.
std::string text_of(const plan::Program& program, const Resident& resident);

/// Writes what one thread does; `parameters`: Resident::parameters, then the scratch memory if there is some.
void emit_resident(Emit& e, Threads& threads, const Resident& resident, const plan::Program& program,
                   llvm::ArrayRef<Value*> parameters);

/// What a step touches: pieces of memory that do not move with the loops of a kernel.
struct Touched {
    plan::Space space{};
    std::uint32_t index = 0;
    std::vector<plan::Stride> outer; ///< loops around the kernel that the piece moves with
    std::int64_t begin = 0;          ///< bytes in the space's block, in any turn of the kernel's loops
    std::int64_t end = 0;
    bool written = false;

    bool overlaps(const Touched& other) const;
    bool operator==(const Touched&) const = default;
};
Touched touched(const plan::Program& program, const Resident& resident, plan::BufferId id, bool written);
/// Bytes [begin, end) of the kernel's own memory.
Touched touched_scratch(std::int64_t begin, std::int64_t end, bool written);
std::vector<Touched> touched_by(const plan::Program& program, const Resident& resident, const Resident::Leaf& leaf);

} // namespace pm::codegen
