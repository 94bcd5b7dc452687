#pragma once
#include "compiler/stage/core/stager.hpp"
#include "compiler/stage/interpret/carried.hpp"

namespace pm::stage {

class Join;

/// The largest number of iterations of a loop over a range or array that is unrolled.
inline constexpr std::int64_t most_unrolled = 256;
/// The name of the hidden local with the value that a `return` in a staged loop returns. The value is `none` until such
/// a `return` is staged. A program cannot use this name.
inline constexpr const char* returned_value = "#value";
/// The name of the hidden local with the Flow::Code of the exit from the loop.
inline constexpr const char* exit_code = "#code";

/// Staged control flow: stages regions and emits `if_`, `scan` and `while_` instructions with them. A value that
/// differs between branches becomes a staged value. Locals from outside of a region that the region assigns are results
/// of the instruction.
class Control {
  public:
    explicit Control(Stager& stager) : s_(stager) {}

    /// Stages both branches. The values of the branches must have the same structure and shapes; dtypes are promoted.
    /// If `lenient` is true and the value of one branch is `none`, this value is replaced. If the held value (see
    /// `hold`) has the type of the other branch's value, it is the replacement. Otherwise the replacement is zeros of
    /// this type. The replacement stands for the value of an early return that has not happened.
    Value branch(const Condition& condition, const std::function<Value()>& then,
                 const std::function<Value()>& otherwise, Span span, bool lenient = false);

    /// Sets the current return value, in a loop that may return. In later code, a branch without a `return` has this
    /// value as its result. So an iteration without a `return` copies nothing.
    void hold(const Value& value);
    /// Called at the start of a loop that may exit early. Adds the locals `exit_code` and `returned_value`, in this
    /// order.
    void may_leave();

    /// A function that stages one iteration of a loop. `index` is the index of the iteration (i32, weak). `slices` are
    /// the slices of the sliced arrays. The function returns the value that the loop stacks, or `none`.
    using Iteration = std::function<Value(const Value& index, const std::vector<Value>& slices)>;
    struct Loop {
        std::int64_t length = 0;
        std::vector<Value> sliced; ///< the arrays from which each iteration gets a slice along axis 0
        bool reverse = false;
        int id = -1; ///< id of the loop, for NeedUnroll
        bool may_unroll =
            false; ///< true if NeedUnroll is thrown, and no error is raised, when a carried local changes its type
        std::set<std::string>
            assigned; ///< names that the body is known to assign; staging finds the other assigned names
        Span span;
        Span header =
            {}; ///< the position of the loop in messages at run time, such as "x in xs"; if empty, `span` is used
    };
    Value scan(const Loop& loop, const Iteration& iteration);
    /// For a `for` over a range of staged length: the local that counts the iterations, and the id of the loop.
    struct Counter {
        std::size_t local;
        int id;
    };
    /// Stages `while condition { body }`. `assigned` has the names that the body is known to assign.
    void repeat(const std::function<Value()>& condition, const std::function<void()>& body,
                const std::set<std::string>& assigned, Span span, std::optional<Counter> counter = {});

  private:
    struct Region;
    /// Stages `work` in a region. If `work` throws, the locals are reset to the values `before`.
    void in_region(const std::shared_ptr<Context>& region, const std::vector<Value>& before, Dirty& dirty,
                   const std::function<void()>& work);
    /// A function that stages an iteration with the current types of the carries, and returns the region of the
    /// iteration. After the call, the locals have their values at the end of the iteration.
    using Round = std::function<std::shared_ptr<Context>(const std::vector<Value>& before, Dirty& dirty)>;
    /// Stages the body repeatedly, until an iteration changes no type of a carried value.
    void until_stable(std::vector<Carry>& carries, LoopPlace loop, const Round& round);
    void leave(const std::vector<Carry>& carries, const ir::Values& made);
    std::vector<Carry> first_carries(const std::set<std::string>& assigned);
    /// Updates `carries` after a staged iteration. Returns true if another iteration must be staged.
    bool settle(std::vector<Carry>& carries, const std::set<std::size_t>& dirty, Context& region, Context& parent,
                bool& predicts, LoopPlace loop);
    void enter(std::vector<Carry>& carries, Context& context);
    void restore(const std::vector<Value>& values);
    std::vector<Value> values() const;
    Cell* held() const;
    /// Called for a join of the values of two returns. Promotes `made`, the joined value, to the dtypes of the
    /// function's result. If these dtypes are not known, records the conversions of the join in Frame::joined_returns.
    void join_returns(Join& join, const Value& made);

    Stager& s_;
};

} // namespace pm::stage
