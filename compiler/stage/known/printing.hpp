#pragma once
#include "compiler/base/diagnostic.hpp"
#include "compiler/stage/values/value.hpp"

namespace pm::stage {

class Stager;

/// Appends a value to text under construction. Each staged value becomes a separate piece.
void append_formatted(Template& pieces, std::string& text, const Value& v, const std::string& format, Span span);
/// The text of a value, or a template if a value in it is staged.
Value text_of(const Value& v, const std::string& format, Span span);
/// The text that `print` prints for a value without staged parts.
std::string printed(const Value& v);
/// Joins pieces, and the text `rest` after the pieces, into one value. The value is plain text if no piece is staged.
Value text_value(Template pieces, std::string rest);
/// Whether a condition is known and all its elements are true.
bool holds_surely(const Value& condition);

void print_values(Stager& s, const std::vector<Value>& values, const std::string& separator, const std::string& end,
                  Span span);
/// Stops the program with `diagnostic` and `message` unless every element of `condition` is true. In compiled code,
/// emits a check instead.
void check_holds(Stager& s, const Value& condition, const Value& message, Diag diagnostic, Span span);

} // namespace pm::stage
