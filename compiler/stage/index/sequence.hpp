#pragma once
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

/// The source of a `for`: a length, and an element for each iteration.
struct Sequence {
    std::int64_t length = 0;
    std::optional<Value> staged_length; ///< of a range with staged ends, or with more iterations than an i32 counts
    bool must_unroll = false;           ///< tuples, records, strings: elements may differ in type
    bool wide = false;                  ///< a range beyond 32 bits, or with 64-bit bounds: its variable is wide too
    std::vector<Value> sliced;          ///< arrays cut along axis 0 by a staged loop
    /// Element of a known iteration.
    std::function<Value(std::int64_t)> at;
    /// Element of a staged iteration, from its index and the slices of `sliced`.
    std::function<Value(const Value& index, const std::vector<Value>& slices)> staged;
};
Sequence sequence_of(Stager& stager, const Value& source, Span span);
/// As sequence_of, for a source whose length must be known: computed from constants, or known when the function is
/// staged again. Only lengths beyond an i32 are a `staged_length`. `what` names the length in the error that it cannot
/// be known.
Sequence known_sequence(Stager& stager, const Value& source, Span span, std::string_view what);
/// The index of a staged iteration as a variable of the body. Its dtype is that of the body's integers: i64 if the data
/// has 64 bits.
Value counter(Stager& stager, const Value& index);
/// For valid UTF-8 text: the number of characters, and one character by its index.
std::int64_t character_count(Stager& stager, std::string_view text);
std::string_view character_at(Stager& stager, std::string_view text, std::int64_t index);
/// The message of `zip` for parts of different lengths.
Diagnostic different_lengths(Span span, std::int64_t first, std::int64_t second);

/// All elements of an iterable of a `for`, if their number is known; `each` is applied to each element.
std::vector<Value> known_elements(Stager& s, const Value& source, Span span,
                                  const std::function<Value(const Value&)>& each = {});

} // namespace pm::stage
