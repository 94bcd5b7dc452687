#pragma once
#include "compiler/plan/memory/memory.hpp"
#include "compiler/plan/partition/nests.hpp"
#include "compiler/plan/plan.hpp"

#include <set>
#include <unordered_map>

namespace pm::plan {

/// For each result of a block: the indices of some parameters. The result may be an in-place update of one of these
/// parameters; see origins() in placement.cpp.
using Origins = std::vector<std::vector<std::int32_t>>;
using OriginsOfBlocks = std::map<ir::BlockPtr, Origins>;

/// The state of planning, shared by all blocks of a program.
struct PlanState {
    explicit PlanState(const Options& chosen) : options(chosen) {}
    const Options& options;
    Program program;
    Memory memory{program};
    std::uint32_t loops = 0; ///< the number of loop steps so far: the next LoopStep::id
    OriginsOfBlocks origins;
};

/// The context in which the steps of a block run.
enum class Mode : std::uint8_t {
    driver, ///< once, outside of lanes
    lane,   ///< inside a `lanes` step
    phases, ///< the body of a pmap, or control flow around collectives of the pmap: some steps run as in `driver`,
            ///< others as in `lane`
};

/// The value bound to a parameter of a block.
struct Binding {
    std::optional<BufferId> buffer;
    Recipe recipe;        ///< if the value has no buffer: the instruction that computes the value
    bool owned = false;   ///< true if the block may overwrite the buffer after the last use of the parameter
    bool varying = false; ///< true if the value differs from lane to lane
    bool present = false; ///< true if each process has the values of all lanes, as of an operand of the pmap
};

struct BlockTask {
    const ir::Block& block;
    std::vector<Binding> params;
    /// Per result: the buffer that must contain the result at the end. If it is empty, any buffer may contain the
    /// result.
    std::vector<std::optional<BufferId>> destinations;
    Mode mode = Mode::driver;
    std::int64_t lanes = 0;       ///< the number of lanes of the enclosing pmap; 0 outside of a pmap
    std::int64_t axis = -1;       ///< the id of the axis of the enclosing pmap; -1 outside of a pmap
    ir::Integers devices;         ///< the device number of each lane; empty: the device number is the lane number
    ir::Integers first = {};      ///< the division of the lanes among processes (LanesStep::first)
    ir::Place pmap = {};          ///< the place of the enclosing pmap
    std::vector<Span> loops = {}; ///< the places of the enclosing loop steps, outermost first
};

/// The place of a meeting of processes in messages.
struct MeetingPlace {
    ir::Place place;
    std::string text; ///< the operation
};

/// The values that differ from lane to lane in a block that is planned in Mode::phases. Both members are empty in the
/// other modes.
struct Varying {
    std::vector<bool> values;        ///< per value: true if it differs from lane to lane; empty: no value differs
    std::set<std::uint32_t> carried; ///< ids of results of scans whose carried parameter differs from lane to lane in
                                     ///< some iteration
};

/// Appends the steps of a block. Returns the buffers of the block's results. If the task sets destinations, the results
/// are in these destinations.
std::vector<BufferId> plan_block(PlanState& state, const BlockTask& task, Steps& out);

/// One operand of a dot. Its axes are in three groups: batch, free, contracted. One loop iterates over all axes of a
/// group.
struct DotSide {
    struct Walk {
        std::int64_t extent = 1;
        std::int64_t stride = 0; ///< in elements
    };
    Type type;
    BufferId buffer = 0;
    std::vector<std::int64_t> groups[3];
    std::vector<std::int64_t> strides; ///< per axis, in elements
    std::optional<Walk> walks[3];
};

/// Plans one block. placement.cpp decides about buffers, control.cpp plans control flow, and kernels.cpp plans kernels.
class BlockPlanner {
  public:
    BlockPlanner(PlanState& state, const BlockTask& task, Steps& out);
    std::vector<BufferId> run();

  private:
    const Type& type(Value v) const { return facts_.type(v); }
    bool varies(Value v) const { return !varying_.values.empty() && varying_.values[v.id]; }
    /// True if the result `v` of a scan varies, or if the carried value that `v` returns varies in some iteration.
    bool varies_in_iterations(Value v) const { return varies(v) || varying_.carried.count(v.id) != 0; }
    /// The number of lanes that have their own copy of the temporary `v`. If it is 0, all lanes share one copy.
    std::int64_t lanes_of(Value v) const { return task_.mode == Mode::lane || varies(v) ? task_.lanes : 0; }
    BufferId buffer(Value v);
    void set_buffer(Value v, BufferId id);
    /// The values that have or had a buffer in `storage`.
    const std::vector<std::uint32_t>& values_in(StorageId storage) const;
    BufferId temporary(Value v) { return s_.memory.temporary(type(v), lanes_of(v), note(v)); }
    std::string note(Value v) const;
    NestSource source() {
        return {facts_, part_, [this](Value v) { return buffer(v); }};
    }

    // placement.cpp
    void schedule();
    void find_lives();
    void find_wishes();
    void wish(Value v, BufferId place);
    void pass_on_wishes(const Unit& unit, std::int32_t at);
    void place_members();
    void place_loop(const Unit& unit, std::int32_t at);
    void place_branches(const Unit& unit, std::int32_t at);
    bool may_overwrite(Value x, Value by, bool in_each_lane, std::int32_t at) const;
    BufferId take(Value v, const Unit& unit, std::int32_t at);
    void reuse_operands(const Unit& unit, std::int32_t at, const Values& fresh);
    bool same_lanes(BufferId read, BufferId written) const;
    bool may_take(BufferId place, Value v, const Unit& unit, std::int32_t at);
    bool dies_at(Value base, std::int32_t at) const { return last_read_[base.id] <= at; }

    // emission
    void emit(const Unit& unit);
    void emit_nest(const Unit& unit);
    std::size_t alike(std::span<const Value> parts) const;
    void emit_concatenate(const Unit& unit);
    void emit_copies();
    void emit_copy(BufferId from, BufferId to);
    void add(Step step, bool in_lanes);
    void add_all(Steps steps, bool in_lanes);
    Step nest_step(BuiltNest built, bool in_lanes) const;
    bool is_per_lane(BufferId id) const;

    // kernels.cpp
    std::string precision_of(const Inst& dot) const;
    void emit_dot(const Unit& unit);
    void add_epilogue(const Unit& unit, Step& step);
    DotSide dot_side(const Inst& inst, std::size_t operand);
    bool worth_workers(const Unit& unit, std::int64_t work, std::int64_t least) const;
    void emit_update(const Unit& unit);
    void emit_scatter(const Unit& unit);
    void emit_matrices(const Unit& unit);
    void emit_sort(const Unit& unit);
    void emit_cumulative(const Unit& unit);
    void emit_tape(const Unit& unit);
    void emit_effect(const Unit& unit);
    void emit_collective(const Unit& unit);
    bool is_present(Value v) const;
    bool is_read_elsewhere(Value v, const BlockTask& pmap);
    void add_meeting(MeetingWork work, std::vector<BufferId> buffers, std::int64_t lanes, const ir::Integers& first,
                     const MeetingPlace& place);
    void add_sum_by_parts(Step sum, const MeetingPlace& place);
    void add_send(const Step& collective, const MeetingPlace& place);
    /// Copies the operand to the buffer of the result, unless both are the same bytes.
    void emit_operand_copy(const Unit& unit);

    // control.cpp
    void emit_control(const Unit& unit);
    void emit_scan(const Unit& unit, Steps& out);
    void emit_while(const Unit& unit, Steps& out);
    void emit_if(const Unit& unit, Steps& out);
    void emit_call(const Unit& unit, Steps& out);
    void emit_pmap(const Unit& unit);
    /// The buffer into which a region writes the result `v` of its instruction.
    BufferId region_result(Value v) const;
    Binding bind(Value v, bool owned = false);
    BlockTask region(const Inst& inst, std::size_t region, bool in_lanes) const;
    Mode region_mode(const Inst& inst, bool in_lanes) const;

    PlanState& s_;
    const BlockTask& task_;
    Steps& out_;
    Facts facts_;
    Varying varying_;
    Partition part_;
    std::vector<std::int32_t> order_;     ///< the units in the order of execution
    std::vector<std::int32_t> at_;        ///< per unit: its position in `order_`
    std::vector<std::int32_t> last_read_; ///< per base (see Partition::bases): the position of its last reader;
                                          ///< order_.size() for results, -1 if there is no reader
    std::unordered_map<std::uint32_t, std::size_t> param_numbers_;
    std::vector<std::optional<BufferId>> buffers_;
    std::vector<std::vector<std::uint32_t>> values_in_; ///< per storage: see values_in()
    std::vector<std::optional<BufferId>> wishes_;
    /// Some results are equal in all lanes, but have a buffer per lane until the control flow ends. Some of them are
    /// results of control flow that runs in each lane. The others are carried values that differ between lanes before
    /// the last iteration.
    std::map<std::uint32_t, BufferId> lane_results_;

    // Of a program for several processes.
    /// The lanes and the devices of a pmap of which each lane reads its own part of a value. 0 lanes: another reader.
    using Readers = std::set<std::pair<std::int64_t, ir::Integers>>;
    std::optional<std::map<std::uint32_t, Readers>> readers_; ///< by base (see Partition::bases); set on first use
    std::set<std::uint32_t> present_; ///< bases of results of collectives that each process computes for all lanes
    std::set<std::uint32_t> parted_;  ///< bases of results of pmaps of which each process has only its own lanes
};

/// A buffer that contains the number of the lane as an i32.
BufferId lane_number(Memory& memory, std::int64_t lanes);

} // namespace pm::plan
