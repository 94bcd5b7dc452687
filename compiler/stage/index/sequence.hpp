#pragma once
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

/// The source of a `for` loop: its length, and the element for each iteration.
struct Sequence {
    std::int64_t length = 0;
    std::optional<Value> staged_length; ///< for a range with staged bounds, or a length that does not fit an i32
    bool must_unroll = false;           ///< for tuples, records and strings: elements may have different types
    bool wide = false; ///< a range that does not fit 32 bits or has 64-bit bounds; the loop variable then has 64 bits
    std::vector<Value> sliced; ///< the arrays that a staged loop slices along axis 0
    /// Returns the element of the iteration with a known index.
    std::function<Value(std::int64_t)> at;
    /// Returns the element of a staged iteration, computed from the iteration's index and the slices of `sliced`.
    std::function<Value(const Value& index, const std::vector<Value>& slices)> staged;
};
/// The arrays of a tree that a loop slices along axis 0, and their common length.
struct Sliced {
    std::vector<Value> leaves;
    std::optional<std::int64_t> length; ///< empty if the tree has no arrays and no length is given
};
/// Raises if a leaf of the tree is a number, or if the arrays have other lengths than `length` or each other. `name` is
/// the name of the function in the error.
Sliced sliced_leaves(const Value& tree, std::string_view name, Span span, std::optional<std::int64_t> length = {});
/// As sliced_leaves, for the argument of `each`. Also raises if the tree has no arrays.
Sliced rows_of(const Value& tree, Span span);
/// A tree with its leaves replaced by their slices `leaves`, in order. Such a row is not by_rows.
Value row_of(const Value& tree, const std::vector<Value>& leaves);
/// The tree of the elements with index `i` along axis 0 of its arrays.
Value row_at(Stager& stager, const Value& tree, std::int64_t i, Span span);

Sequence sequence_of(Stager& stager, const Value& source, Span span);
/// Like sequence_of, but the length must be known. If it is not, it is computed from constants, or the function is
/// staged again with the length known. `staged_length` is set only if the length does not fit an i32. `what` is the
/// name of the length in the error that the length cannot be known.
Sequence known_sequence(Stager& stager, const Value& source, Span span, std::string_view what);
/// The index of a staged iteration, converted to the dtype of integers in the body: i64 if the data has 64 bits.
Value counter(Stager& stager, const Value& index);
/// The number of characters of a valid UTF-8 text, and the character at an index.
std::int64_t character_count(Stager& stager, std::string_view text);
std::string_view character_at(Stager& stager, std::string_view text, std::int64_t index);
/// The error that the operands of `zip` have different lengths.
Diagnostic different_lengths(Span span, std::int64_t first, std::int64_t second);

/// The elements that a comprehension makes of those of its source.
struct Elements {
    std::function<Value(const Value&)> body;
    std::function<bool(const Value&)> keeps; ///< whether an element has a result. Empty: each has one
    Span header = {};                        ///< "x in xs"; empty: the source and the body are values of the program
};
/// All elements of an iterable whose length must be known, or the elements that are made of them.
std::vector<Value> known_elements(Stager& s, const Value& source, Span span, const Elements& elements = {});

} // namespace pm::stage
