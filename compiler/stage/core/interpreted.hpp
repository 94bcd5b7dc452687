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

/// The names that some blocks assign, the subset of these names that the blocks only append to, and whether a jump
/// leaves the blocks.
struct Assigned {
    std::set<std::string> names, appended;
    bool returns = false;
    bool leaves =
        false; ///< true if the blocks contain a `return`, or a `break` or `continue` of a loop around the blocks
};

/// A position in the sources: the number of a source, and the offset in this source.
using SourcePlace = std::pair<std::uint32_t, std::uint32_t>;

/// The arithmetic on numbers in an interpreted function. This arithmetic equals the arithmetic of compiled code, so an
/// interpreted function has the results of the compiled function. A number that compiled code would compute at run time
/// is a *computed number*: a bool or an integer with Number::computed, or a weak float array without axes. Arithmetic
/// on literals has 64 bits.
class Interpreted {
  public:
    /// The arithmetic of a module's statements: all numbers have 64 bits.
    Interpreted() = default;
    /// The arithmetic of a function that works on data of these widths.
    explicit Interpreted(Widths widths) : as_compiled_(true), widths_(widths) {}

    /// Whether compiled code of the function unrolls the loop whose pattern has this span.
    bool unrolls(Span loop) const { return unrolled.contains({loop.source, loop.begin}); }
    /// The arithmetic of a function that the current function calls. `widths` are the widths of the called function.
    Interpreted within(Widths widths) const {
        Interpreted made(widths);
        made.known_globals = known_globals;
        made.unrolled = unrolled;
        return made;
    }

    bool as_compiled() const { return as_compiled_; }
    Widths widths() const { return widths_; }
    /// Converts the numbers of an argument, or of an item of a loop, to computed numbers. Bools stay known, as in
    /// compiled functions. An integer that does not fit 32 bits is not converted.
    Value argument(const Value& v) const;
    /// Converts all numbers and bools of a tree to computed numbers. Used if the tree's value depends on a computed
    /// condition, or on a loop that compiled code does not unroll. Raises Diag::number_too_large for a literal that
    /// does not fit 32 bits.
    Value computed(const Value& v) const;
    /// Converts an argument of an array function. A computed integer becomes an array without axes, as in compiled
    /// code. An integer without Number::wide that does not fit 32 bits does not change, because a size must not lose
    /// digits.
    Value operand(const Value& v) const;
    /// Converts a result that compiled code has computed.
    Value result(runtime::Array a, bool weak) const;
    /// Converts a result that compiled code knows during staging.
    Value known_result(const Value& v) const;

    /// True while Stager::at_once runs an array operation on numbers that compiled code knows.
    bool at_once = false;
    /// True after a conditional with a computed condition and a `return` in a branch. All numbers of the function's
    /// result are then computed numbers.
    bool returns_computed = false;
    /// True after a conditional that has a computed condition and a `break`, `continue` or `return` in a branch. Such a
    /// conditional may end the current iteration of the innermost unrolled loop.
    bool leaves_computed = false;
    /// `known_globals`: the numbers of globals that compiled code of this function would know. These numbers are marked
    /// Number::specialised. `unrolled`: the positions of the patterns of the loops that compiled code would unroll.
    std::vector<Context::Global> known_globals;
    std::set<SourcePlace> unrolled;
    /// Copies of the `mut` globals that this function reads, with their numbers converted to computed numbers.
    std::map<std::pair<const ModuleScope*, std::string>, std::shared_ptr<Cell>> globals;
    /// A cache of the names that blocks assign. The key is the syntax tree, and the id of the first block.
    std::map<std::pair<const syntax::Module*, std::uint32_t>, Assigned> assigned;
    /// For each tuple that a loop only appends to, the number of items that are already converted to computed numbers.
    /// The key is the frame and the index of the local with the tuple.
    std::map<std::pair<const Frame*, std::size_t>, std::size_t> computed_items;

  private:
    Value leaf(const Value& v, bool bools) const;

    bool as_compiled_ = false;
    Widths widths_;
};

/// Whether compiled code would compute this condition at run time.
bool is_computed(const Value& condition);
/// Converts a value that an interpreted function returns to a statement of a module. The computed numbers in the value
/// become numbers without Number::computed.
Value at_top(const Value& v);

} // namespace pm::stage
