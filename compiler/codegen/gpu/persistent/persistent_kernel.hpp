#pragma once
#include "compiler/codegen/gpu/kernel.hpp"
#include "runtime/gpu/host/tapes.hpp"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace pm::codegen {

/// A control step (loop, while_, if_) that is one kernel. All threads of the launch execute its steps together. The
/// threads wait at a barrier before a step that uses effects of an earlier step. Conditions are read from memory; loop
/// indices are in registers. If one thread block is enough, a barrier costs almost nothing. Several thread blocks
/// synchronise through memory.
struct PersistentKernel {
    /// A step that is not a control step.
    struct Leaf {
        const plan::Step* step = nullptr;
        std::unique_ptr<plan::Step> replacement; ///< the nest of a collective, to which `step` then points
        NestShape shape;                         ///< the shape of a nest; unused for other steps
        Mapping mapping;
        bool in_passes = false; ///< true if the nest runs in several passes; see nest_passes()
    };

    const plan::Step* root = nullptr;
    std::map<const plan::Step*, Leaf> leaves;    ///< the key is the step of the program
    std::map<std::uint32_t, std::int64_t> loops; ///< the loops of the kernel: trip count by LoopStep::id
    std::set<plan::BufferId> in_registers;       ///< the index buffers of `loops` that registers replace
    std::set<const plan::Step*> polls; ///< loops that may run for long, and therefore poll at the end of each iteration
    /// The buffers whose addresses the host passes. An address does not include the strides of the kernel's loops.
    /// Buffers with equal addresses share one parameter.
    std::vector<plan::BufferId> parameters;
    std::map<plan::BufferId, std::size_t> parameter_of;
    std::vector<const plan::Step*> checks;   ///< the checks among the leaves, in program order
    std::vector<const plan::Step*> tapes;    ///< the tape steps among the leaves, in program order
    std::vector<std::int64_t> group_of_tape; ///< runtime::TapesOfKernel::group of each of `tapes`
    /// The range of `tapes` inside a step. The map contains each tape step, and each step that contains a tape step.
    struct Numbers {
        std::size_t first = 0;
        std::size_t end = 0;
        bool empty() const { return first == end; }
    };
    std::map<const plan::Step*, Numbers> tapes_in;
    /// The bytes of the kernel's own memory. If this number is not 0, the memory is one more parameter. The memory
    /// contains the scratch memory of nests in passes. If there are checks or tapes, the memory also contains the
    /// report to the host, from byte `record` on.
    std::int64_t scratch_bytes = 0;
    std::int64_t record = 0;
    std::vector<std::uint32_t> loops_of_record; ///< all loops, in program order
    Mapping mapping; ///< the mapping of the whole kernel; if `fixed` is false, the host chooses the number of thread
                     ///< blocks, at most `blocks`
    int weight = 0;  ///< the approximate number of instructions

    bool has_record() const { return !checks.empty() || !tapes.empty(); }
    /// The layout of the record, in words.
    runtime::TapeRecord record_words() const {
        return {static_cast<std::int64_t>(loops_of_record.size()), static_cast<std::int64_t>(checks.size())};
    }
    std::int64_t place(std::int64_t word) const { return record + 8 * word; }
    std::int64_t place_of_index(std::size_t loop) const { return place(static_cast<std::int64_t>(loop)); }
    std::int64_t place_of_check(std::size_t check) const { return place_of_index(loops_of_record.size() + check); }
    /// The offset of the windows of tape step `tape`.
    std::int64_t place_of_window(std::size_t tape) const {
        std::int64_t rows = 0;
        for (std::size_t i = 0; i < tape; ++i) rows += tapes[i]->as<plan::TapeStep>().tapes;
        return place(record_words().window(rows));
    }
    Numbers tapes_of(const plan::Step& step) const {
        const auto found = tapes_in.find(&step);
        return found == tapes_in.end() ? Numbers() : found->second;
    }
    Numbers tapes_of(const plan::Steps& steps) const;
};

/// The kernel of a control step. Null if the host should run the step, for one of two reasons. First, a kernel may be
/// impossible: the control step contains a step that cannot run in the kernel, has more than about `size` instructions,
/// or has too many buffers or tapes. Second, a kernel may be useless: the steps inside are so large on average that the
/// device is busy while the host launches the next step. `tapes` is true if the kernel can access the memory of tapes.
std::unique_ptr<PersistentKernel> make_persistent_kernel(const plan::Program& program, const plan::Step& step, int size,
                                                         bool tapes);

/// A text that is equal for control steps that can share their kernel. The text contains the steps. The text also
/// contains the relations between parameter addresses, because these relations determine where barriers are needed.
std::string text_of(const plan::Program& program, const PersistentKernel& persistent);

/// Emits the code of one thread. `parameters` are the addresses for PersistentKernel::parameters. If the kernel has
/// scratch memory, the address of this memory follows.
void emit_persistent_kernel(Emit& e, Threads& threads, const PersistentKernel& persistent, const plan::Program& program,
                            llvm::ArrayRef<Value*> parameters);

/// A range of memory that a step accesses, over all iterations of the kernel's loops.
struct AccessRange {
    plan::Space space{};
    std::uint32_t index = 0;
    std::vector<plan::Stride> outer; ///< the strides along loops around the kernel
    std::int64_t begin = 0;          ///< the first byte, relative to the space's block
    std::int64_t end = 0;
    bool written = false;

    bool overlaps(const AccessRange& other) const;
    bool operator==(const AccessRange&) const = default;
};
AccessRange touched(const plan::Program& program, const PersistentKernel& persistent, plan::BufferId id, bool written);
/// The range of bytes [begin, end) of the kernel's own memory.
AccessRange touched_scratch(std::int64_t begin, std::int64_t end, bool written);
std::vector<AccessRange> touched_by(const plan::Program& program, const PersistentKernel& persistent,
                                    const PersistentKernel::Leaf& leaf);

} // namespace pm::codegen
