#pragma once
#include "compiler/stage/core/stager.hpp"
#include "compiler/stage/interpret/carried.hpp"

namespace pm::stage {

/// A loop of more iterations is not unrolled.
inline constexpr std::int64_t most_unrolled = 256;
/// The hidden local that holds what a staged loop returns, before there is one `none`. No program can name it.
inline constexpr const char* returned_value = "#value";
/// The hidden local that says how it has been left, a Flow's code.
inline constexpr const char* exit_code = "#code";

/// Staged control flow: regions that become `if_`, `scan` and `while_` instructions. Values that differ between the
/// sides of a join become staged; locals assigned inside are results.
class Control {
  public:
    explicit Control(Stager& stager) : s_(stager) {}

    /// Both sides are staged; what they give must agree in structure and, weak numbers aside, in type. With `lenient` a
    /// side that gives `none` for what the other computes gets zeros: how the value of an early return is held before
    /// there is one.
    Value branch(const Stager::Condition& condition, const std::function<Value()>& then,
                 const std::function<Value()>& otherwise, Span span, bool lenient = false);

    /// In a loop that may return: the value that it has so far. What goes on from here hands it on, so that an
    /// iteration without a `return` copies nothing.
    void hold(const Value& value);
    /// Begins a loop that may be left early: adds the two hidden locals, the code first.
    void may_leave();

    /// One iteration of a loop: gets the index (i32, weak) and the slices, and returns what each iteration stacks (or
    /// none).
    using Iteration = std::function<Value(const Value& index, const std::vector<Value>& slices)>;
    struct Loop {
        std::int64_t length = 0;
        std::vector<Value> sliced; ///< arrays cut along axis 0
        bool reverse = false;
        int id = -1;                    ///< for NeedUnroll
        bool may_unroll = false;        ///< when a carried local changes its type: NeedUnroll instead of an error
        std::set<std::string> assigned; ///< locals that the iterations surely assign; others are found
        Span span;
    };
    Value scan(const Loop& loop, const Iteration& iteration);
    /// The local that counts the iterations of a `for` over a range whose length is staged, and the loop's id.
    struct Counter {
        std::size_t local;
        int id;
    };
    /// `while condition { body }` on the locals that the body assigns.
    void repeat(const std::function<Value()>& condition, const std::function<void()>& body,
                const std::set<std::string>& assigned, Span span, std::optional<Counter> counter = {});

  private:
    struct Region;
    /// Stages work in a region; `before` is what the locals are again when it throws.
    void in_region(const std::shared_ptr<Context>& region, const std::vector<Value>& before, Dirty& dirty,
                   const std::function<void()>& work);
    /// Stages an iteration on the types that `carries` has: the locals are then as it leaves them.
    using Round = std::function<std::shared_ptr<Context>(const std::vector<Value>& before, Dirty& dirty)>;
    /// Stages iterations until one gives back what the loop carries in the types it had.
    void until_settled(std::vector<Carry>& carries, int loop, Span span, const Round& round);
    void leave(const std::vector<Carry>& carries, const ir::Values& made);
    std::vector<Carry> first_carries(const std::set<std::string>& assigned);
    /// Whether another iteration is to be staged, on what `carries` is then.
    bool settle(std::vector<Carry>& carries, const std::set<std::size_t>& dirty, Context& region, Context& parent,
                bool& foresight, int loop, Span span);
    void enter(std::vector<Carry>& carries, Context& context);
    void restore(const std::vector<Value>& values);
    std::vector<Value> values() const;
    Cell* held() const;

    Stager& s_;
};

} // namespace pm::stage
