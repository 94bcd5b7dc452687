#pragma once
#include "compiler/stage/stager.hpp"

namespace pm::stage {

/// Staged control flow: regions that become `if_`, `scan` and `while_` instructions. Values that differ between the
/// sides of a join become staged; locals assigned inside are results.
class Control {
  public:
    explicit Control(Stager& stager) : s_(stager) {}

    /// Both sides are staged; what they give must agree in structure and, weak numbers aside, in type. With `lenient` a
    /// side that gives `none` for what the other computes gets zeros: how the value of an early return is held before
    /// there is one.
    Value branch(const Value& condition, const std::function<Value()>& then, const std::function<Value()>& otherwise,
                 Span span, bool lenient = false);

    /// One turn of a loop: gets the index (i32, weak) and the slices, and returns what each turn stacks (or none).
    using Turn = std::function<Value(const Value& index, const std::vector<Value>& slices)>;
    struct Loop {
        std::int64_t length = 0;
        std::vector<Value> sliced; ///< arrays cut along axis 0
        bool reverse = false;
        int id = -1;                    ///< for NeedUnroll
        std::set<std::string> assigned; ///< locals that the turns surely assign; others are found
        Span span;
    };
    Value scan(const Loop& loop, const Turn& turn);
    /// `while condition { body }` on the locals that the body assigns.
    void repeat(const std::function<Value()>& condition, const std::function<void()>& body,
                const std::set<std::string>& assigned, Span span);

  private:
    struct Carry;
    struct Region;
    std::vector<Carry> first_carries(const std::set<std::string>& assigned);
    bool settle(std::vector<Carry>& carries, const std::set<std::size_t>& dirty, Context& context, Span span);
    void enter(std::vector<Carry>& carries, Context& context);
    void restore(const std::vector<Value>& values);
    std::vector<Value> values() const;

    Stager& s_;
};

} // namespace pm::stage
