#pragma once
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

/// What a `for` runs over, seen one way: a length and an element for each iteration.
struct Sequence {
    std::int64_t length = 0;
    std::optional<Value> staged_length; ///< a range whose ends are only known while the program runs
    bool must_unroll = false;           ///< tuples, records, strings: elements may differ in type
    std::vector<Value> sliced;          ///< arrays cut along axis 0 by a staged loop
    /// Element of a known iteration.
    std::function<Value(std::int64_t)> at;
    /// Element of a staged iteration, from its index and the slices of `sliced`.
    std::function<Value(const Value& index, const std::vector<Value>& slices)> staged;
};
Sequence sequence_of(Stager& stager, const Value& source, Span span);
/// The number of a staged iteration as a variable of the body: beside data of 64 bits it has as many.
Value counter(Stager& stager, const Value& index);
/// Characters of UTF-8 text, which is valid: how many there are, and one of them by its number.
std::int64_t character_count(Stager& stager, std::string_view text);
std::string_view character_at(Stager& stager, std::string_view text, std::int64_t index);
/// What `zip` says of parts that end at different iterations.
Diagnostic different_lengths(Span span, std::int64_t first, std::int64_t second);

} // namespace pm::stage
