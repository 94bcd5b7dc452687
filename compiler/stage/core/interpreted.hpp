#pragma once
#include "compiler/stage/core/context.hpp"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

namespace pm::stage {

struct Cell;
struct Frame;

/// The names that blocks assign, those of them that they only append to, and whether one of the blocks returns.
struct Assigned {
    std::set<std::string> names, appended;
    bool returns = false;
};

/// How the numbers of an interpreted function compute: as in compiled code, so that a function has one meaning. A
/// number that compiled code would compute while it runs is a *computed* one: a bool or an integer with
/// Number::computed, or a weak float without axes. Numbers written in the program stay as they are, with 64 bits.
class Interpreted {
  public:
    /// Statements of a module: every number has 64 bits.
    Interpreted() = default;
    /// A function that works on data of these widths.
    explicit Interpreted(Widths widths) : as_compiled_(true), widths_(widths) {}

    bool as_compiled() const { return as_compiled_; }
    Widths widths() const { return widths_; }
    /// An argument, or what an iteration goes over: its bools stay known, as those of compiled functions do, and a
    /// number beyond 32 bits has 64.
    Value argument(const Value& v) const;
    /// The same tree with computed numbers: after a loop or a condition that decides it. Raises Diag::number_too_large
    /// for a written number beyond 32 bits.
    Value computed(const Value& v) const;
    /// An argument of a function of arrays: a computed integer is an array without axes, as it is in compiled code. One
    /// beyond 32 bits stays what it is, so that no size loses digits.
    Value operand(const Value& v) const;
    /// A result of compiled code.
    Value result(runtime::Array a, bool weak) const;
    /// A result that compiled code knows already.
    Value known_result(const Value& v) const;

    /// A `return` was under a computed condition: the function's value is computed.
    bool returns_computed = false;
    /// Globals that may change, as the function sees them.
    std::map<std::pair<const ModuleScope*, std::string>, std::shared_ptr<Cell>> globals;
    /// What blocks assign, once for all iterations and calls: found by the first block of those that are asked for.
    std::map<std::pair<const syntax::Module*, std::uint32_t>, Assigned> assigned;
    /// Of tuples that a loop only appends to, by their place among the locals of a frame: how many items are computed.
    std::map<std::pair<const Frame*, std::size_t>, std::size_t> computed_items;

  private:
    Value leaf(const Value& v, bool bools) const;

    bool as_compiled_ = false;
    Widths widths_;
};

/// Whether compiled code would compute this condition while it runs.
bool is_computed(const Value& condition);
/// A value that leaves an interpreted function for the statements of a module: computed numbers are numbers again.
Value at_top(const Value& v);

} // namespace pm::stage
