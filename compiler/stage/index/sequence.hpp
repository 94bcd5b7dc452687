#pragma once
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

/// The source of a `for` loop: the number of iterations, and the element for each iteration.
struct Sequence {
    std::int64_t length = 0;
    std::optional<Value>
        staged_length;        ///< set for a range with staged bounds, and for a length that does not fit an i32
    bool must_unroll = false; ///< true for tuples, records and strings, because their elements may have different types
    bool wide =
        false; ///< true for a range that does not fit 32 bits or has 64-bit bounds; the loop variable then has 64 bits
    std::vector<Value> sliced; ///< the arrays from which each iteration of a staged loop gets a slice along axis 0
    /// Returns the element of the iteration with a known index.
    std::function<Value(std::int64_t)> at;
    /// Returns the element of a staged iteration, computed from the index of the iteration and from `slices`, the
    /// slices of `sliced`.
    std::function<Value(const Value& index, const std::vector<Value>& slices)> staged;
};
/// The arrays of a tree that a loop slices along axis 0, and their common length.
struct Sliced {
    std::vector<Value> leaves;
    std::optional<std::int64_t> length; ///< empty if the tree has no arrays and no length is given
};
/// Raises if a leaf of the tree has no axes, if the arrays have different lengths, or if this length is not `length`.
/// `name` is the name of the function in the error.
Sliced sliced_leaves(const Value& tree, std::string_view name, Span span, std::optional<std::int64_t> length = {});
/// Calls sliced_leaves for the argument of `each`. Also raises if the tree has no arrays.
Sliced rows_of(const Value& tree, Span span);
/// The tree with its leaves replaced by `leaves`, which are their slices, in order. `by_rows` is false in the result.
Value row_of(const Value& tree, const std::vector<Value>& leaves);
/// The tree with each array replaced by its slice at index `i` of axis 0.
Value row_at(Stager& stager, const Value& tree, std::int64_t i, Span span);

Sequence sequence_of(Stager& stager, const Value& source, Span span);
/// Like sequence_of, but the length must be known. A staged length is computed from constants, or the function is
/// staged again with the length known. In the result, `staged_length` is set only if the length does not fit an i32. If
/// the length cannot be known, raises an error; `what` is the name of the length in this error.
Sequence known_sequence(Stager& stager, const Value& source, Span span, std::string_view what);
/// The index of a staged iteration, converted to the dtype of integers in the body. It is i64 if the function works on
/// data of 64 bits.
Value counter(Stager& stager, const Value& index);
/// character_count returns the number of characters of `text`, which must be valid UTF-8. character_at returns the
/// character at an index.
std::int64_t character_count(Stager& stager, std::string_view text);
std::string_view character_at(Stager& stager, std::string_view text, std::int64_t index);
/// The error that the operands of `zip` have different lengths.
Diagnostic different_lengths(Span span, std::int64_t first, std::int64_t second);

/// The functions by which a comprehension computes its results from the elements of its source.
struct Elements {
    std::function<Value(const Value&)> body;
    std::function<bool(const Value&)>
        keeps; ///< returns true if an element has a result; if empty, each element has a result
    /// True if the body gives trees of rows, which are joined along axis 0 and not stacked.
    bool joins = false;
    Span header = {}; ///< the position of "x in xs" in a comprehension; empty if a native such as `map` runs the loop
};
/// The results of `elements` for all elements of an iterable. If `elements.body` is empty, the elements themselves. The
/// length of the iterable must be known.
std::vector<Value> known_elements(Stager& s, const Value& source, Span span, const Elements& elements = {});

} // namespace pm::stage
