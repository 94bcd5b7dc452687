#pragma once
#include "compiler/stage/core/value.hpp"

namespace pm::stage {

/// The text that print shows for a value without staged parts.
std::string printed(const Value& v);
/// Joins pieces and the text after them into one value: plain text if nothing in it is staged.
Value text_value(Template pieces, std::string rest);
/// Whether a condition is known and all its elements are true.
bool holds_surely(const Value& condition);

} // namespace pm::stage
