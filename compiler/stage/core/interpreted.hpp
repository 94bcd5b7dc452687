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

/// The names that blocks assign, the subset that they only append to, and whether a block returns or exits a loop.
struct Assigned {
    std::set<std::string> names, appended;
    bool returns = false;
    bool leaves = false; ///< exits a loop by return, break or continue
};

/// A position in the sources: the source and the offset in it.
using SourcePlace = std::pair<std::uint32_t, std::uint32_t>;

/// The arithmetic of the numbers of an interpreted function. It is that of compiled code, so that interpreting a
/// function does not change its results. A number that compiled code would compute at run time is *computed*: a bool or
/// an integer with Number::computed, or a weak float without axes. Numbers written in the program keep 64 bits.
class Interpreted {
  public:
    /// For the statements of a module: every number has 64 bits.
    Interpreted() = default;
    /// For a function that works on data of these widths.
    explicit Interpreted(Widths widths) : as_compiled_(true), widths_(widths) {}

    /// Whether compiled code of the function unrolls the loop whose pattern has this span.
    bool unrolls(Span loop) const { return unrolled.contains({loop.source, loop.begin}); }
    /// The arithmetic of a function that is called as a part of this one, on data of these widths.
    Interpreted within(Widths widths) const {
        Interpreted made(widths);
        made.known_globals = known_globals;
        made.unrolled = unrolled;
        return made;
    }

    bool as_compiled() const { return as_compiled_; }
    Widths widths() const { return widths_; }
    /// Converts an argument, or an item that a loop iterates over, which compiled code computes at run time. Its bools
    /// stay known, as in compiled functions. A number beyond 32 bits keeps 64.
    Value argument(const Value& v) const;
    /// The same tree with numbers that compiled code computes at run time. For values that a computed loop or condition
    /// decides. Raises Diag::number_too_large for a written number beyond 32 bits.
    Value computed(const Value& v) const;
    /// Converts an argument of an array function: a computed integer becomes an array without axes, as in compiled
    /// code. An integer beyond 32 bits does not change, so that no size loses digits.
    Value operand(const Value& v) const;
    /// Converts a result of compiled code.
    Value result(runtime::Array a, bool weak) const;
    /// Converts a result that is already known in compiled code.
    Value known_result(const Value& v) const;

    /// Numbers that compiled code knows are being computed as arrays (Stager::at_once).
    bool at_once = false;
    /// A `return` was executed under a computed condition, so the function's value is computed.
    bool returns_computed = false;
    /// A `break`, `continue` or `return` in the innermost unrolled loop was executed under a computed condition.
    bool leaves_computed = false;
    /// Numbers of globals that compiled code of this function would know, and the loops that it would unroll, by the
    /// position of their pattern. These numbers are Number::specialised.
    std::vector<Context::Global> known_globals;
    std::set<SourcePlace> unrolled;
    /// The `mut` globals as this function sees them.
    std::map<std::pair<const ModuleScope*, std::string>, std::shared_ptr<Cell>> globals;
    /// The names that blocks assign, found once for all iterations and calls. The key is the first of the blocks.
    std::map<std::pair<const syntax::Module*, std::uint32_t>, Assigned> assigned;
    /// For tuples that a loop only appends to: the number of their items that are computed. The key is the frame and
    /// the index of the local.
    std::map<std::pair<const Frame*, std::size_t>, std::size_t> computed_items;

  private:
    Value leaf(const Value& v, bool bools) const;

    bool as_compiled_ = false;
    Widths widths_;
};

/// Whether compiled code would compute this condition at run time.
bool is_computed(const Value& condition);
/// Converts a value that an interpreted function returns to the statements of a module: computed numbers become plain
/// numbers.
Value at_top(const Value& v);

} // namespace pm::stage
