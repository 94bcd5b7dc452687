#pragma once
#include "compiler/stage/core/context.hpp"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace pm::stage {

struct Cell;
struct Frame;

/// The names that blocks assign, the subset that the blocks only append to, and whether a jump leaves the blocks.
struct Assigned {
    std::set<std::string> names, appended;
    bool returns = false;
    bool leaves = false; ///< the blocks contain a `return`, or a `break` or `continue` of a loop around the blocks
};

/// A position in the sources: the source and the offset in it.
using SourcePlace = std::pair<std::uint32_t, std::uint32_t>;

/// The arithmetic on numbers in an interpreted function. It is the arithmetic of compiled code, so a function has the
/// same results whether it is interpreted or compiled. A number that compiled code would compute at run time is a
/// *computed number*: a bool or an integer with Number::computed, or a weak float array without axes. A literal has 64
/// bits.
class Interpreted {
  public:
    /// The arithmetic of a module's statements: every number has 64 bits.
    Interpreted() = default;
    /// The arithmetic of a function that works on data of these widths.
    explicit Interpreted(Widths widths) : as_compiled_(true), widths_(widths) {}

    /// Whether compiled code of the function unrolls the loop whose pattern has this span.
    bool unrolls(Span loop) const { return unrolled.contains({loop.source, loop.begin}); }
    /// The arithmetic of a function that this function calls and that works on data of these widths.
    Interpreted within(Widths widths) const {
        Interpreted made(widths);
        made.known_globals = known_globals;
        made.unrolled = unrolled;
        return made;
    }

    bool as_compiled() const { return as_compiled_; }
    Widths widths() const { return widths_; }
    /// Converts the numbers of an argument, or of an item of a loop, to computed numbers. Bools stay known, as in
    /// compiled functions. An integer that does not fit 32 bits keeps 64 bits.
    Value argument(const Value& v) const;
    /// Converts all numbers and bools of a tree to computed numbers. For values that depend on a computed condition or
    /// on a loop that compiled code does not unroll. Raises Diag::number_too_large for a literal that does not fit 32
    /// bits.
    Value computed(const Value& v) const;
    /// Converts an argument of an array function. A computed integer becomes an array without axes, as in compiled
    /// code. An integer that does not fit 32 bits does not change, because a size must not lose digits.
    Value operand(const Value& v) const;
    /// Converts a result that compiled code has computed.
    Value result(runtime::Array a, bool weak) const;
    /// Converts a result that compiled code knows during staging.
    Value known_result(const Value& v) const;

    /// An array operation is being run on numbers that compiled code knows (Stager::at_once).
    bool at_once = false;
    /// A computed condition that has a `return` in a branch was executed, so the function's result consists of computed
    /// numbers.
    bool returns_computed = false;
    /// A computed condition was executed that has a `break`, `continue` or `return` of the innermost unrolled loop in a
    /// branch.
    bool leaves_computed = false;
    /// `known_globals`: the numbers of globals that compiled code of this function would know; they are
    /// Number::specialised. `unrolled`: the loops that compiled code would unroll, by the position of the loop's
    /// pattern.
    std::vector<Context::Global> known_globals;
    std::set<SourcePlace> unrolled;
    /// Copies of the `mut` globals that this function reads, with their numbers converted to computed numbers.
    std::map<std::pair<const ModuleScope*, std::string>, std::shared_ptr<Cell>> globals;
    /// A cache of the names that blocks assign. The key is the first of the blocks.
    std::map<std::pair<const syntax::Module*, std::uint32_t>, Assigned> assigned;
    /// For each tuple that a loop only appends to: how many of its items are already converted to computed numbers. The
    /// key is the frame and the index of the local.
    std::map<std::pair<const Frame*, std::size_t>, std::size_t> computed_items;

  private:
    Value leaf(const Value& v, bool bools) const;

    bool as_compiled_ = false;
    Widths widths_;
};

/// Whether compiled code would compute this condition at run time.
bool is_computed(const Value& condition);
/// Converts a value that an interpreted function returns to a statement of a module: its computed numbers become plain
/// numbers.
Value at_top(const Value& v);

} // namespace pm::stage
