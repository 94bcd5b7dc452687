#pragma once
#include "compiler/stage/core/stager.hpp"
#include "compiler/stage/interpret/carried.hpp"

namespace pm::stage {

class Join;

/// A loop over a range or array with more iterations is not unrolled.
inline constexpr std::int64_t most_unrolled = 256;
/// The hidden local with the value that a `return` in a staged loop returns. It is `none` until such a `return` is
/// staged. A program cannot use this name.
inline constexpr const char* returned_value = "#value";
/// The hidden local with the Flow code of the exit from the loop.
inline constexpr const char* exit_code = "#code";

/// Staged control flow: stages regions and emits `if_`, `scan` and `while_` instructions with them. A value that
/// differs between branches becomes a staged value. Outer locals that a region assigns are results of the instruction.
class Control {
  public:
    explicit Control(Stager& stager) : s_(stager) {}

    /// Stages both branches. Their values must have the same structure and, except for weak numbers, the same types.
    /// With `lenient`, `none` as the value of a branch is replaced by the held value, or by zeros of the other branch's
    /// type. The replacement represents the value of an early return that has not happened.
    Value branch(const Condition& condition, const std::function<Value()>& then,
                 const std::function<Value()>& otherwise, Span span, bool lenient = false);

    /// In a loop that may return: sets the current return value. In later code, a branch without a `return` yields this
    /// value, so that an iteration without a `return` copies nothing.
    void hold(const Value& value);
    /// Begins a loop that may exit early: adds the locals `exit_code` and `returned_value`, in this order.
    void may_leave();

    /// A function that stages one iteration of a loop. Its arguments are the index of the iteration (i32, weak) and the
    /// slices of the sliced arrays. It returns the value that the loop stacks, or `none`.
    using Iteration = std::function<Value(const Value& index, const std::vector<Value>& slices)>;
    struct Loop {
        std::int64_t length = 0;
        std::vector<Value> sliced; ///< the arrays that are sliced along axis 0
        bool reverse = false;
        int id = -1;             ///< id of the loop, for NeedUnroll
        bool may_unroll = false; ///< if a carried local changes its type, NeedUnroll is thrown instead of an error
        std::set<std::string> assigned; ///< names that the body is known to assign; staging finds the others
        Span span;
        Span header = {}; ///< the place of the loop in messages of its run: "x in xs"; empty: `span`
    };
    Value scan(const Loop& loop, const Iteration& iteration);
    /// The local that counts the iterations of a `for` over a range of staged length, and the id of the loop.
    struct Counter {
        std::size_t local;
        int id;
    };
    /// Stages `while condition { body }`; `assigned` has the names that the body assigns.
    void repeat(const std::function<Value()>& condition, const std::function<void()>& body,
                const std::set<std::string>& assigned, Span span, std::optional<Counter> counter = {});

  private:
    struct Region;
    /// Stages `work` in a region. If `work` throws, the locals are reset to the values `before`.
    void in_region(const std::shared_ptr<Context>& region, const std::vector<Value>& before, Dirty& dirty,
                   const std::function<void()>& work);
    /// A function that stages an iteration with the current types of the carries, and returns its region. After the
    /// call, the locals have the values at the end of the iteration.
    using Round = std::function<std::shared_ptr<Context>(const std::vector<Value>& before, Dirty& dirty)>;
    /// Stages the body repeatedly until an iteration does not change the type of any carried value.
    void until_stable(std::vector<Carry>& carries, LoopPlace loop, const Round& round);
    void leave(const std::vector<Carry>& carries, const ir::Values& made);
    std::vector<Carry> first_carries(const std::set<std::string>& assigned);
    /// Updates `carries` after a staged iteration. Returns whether another iteration must be staged.
    bool settle(std::vector<Carry>& carries, const std::set<std::size_t>& dirty, Context& region, Context& parent,
                bool& predicts, LoopPlace loop);
    void enter(std::vector<Carry>& carries, Context& context);
    void restore(const std::vector<Value>& values);
    std::vector<Value> values() const;
    Cell* held() const;
    /// Converts the joined values of two returns to the dtypes of the function's result. If these dtypes are not known,
    /// records the conversions of the join in Frame::joined_returns.
    void join_returns(Join& join, const Value& made);

    Stager& s_;
};

} // namespace pm::stage
