#pragma once
#include "compiler/base/diagnostic.hpp"
#include "compiler/stage/values/value.hpp"

namespace pm::stage {

class Stager;

/// Appends a value to a string under construction, which consists of `pieces` and then `text`. Each staged value
/// becomes a separate piece.
void append_formatted(Template& pieces, std::string& text, const Value& v, const std::string& format, Span span);
/// The value `v` as a string. If a value in `v` is staged, the string is a template.
Value text_of(const Value& v, const std::string& format, Span span);
/// The string that `print` prints for a value without staged values in it.
std::string printed(const Value& v);
/// Joins `pieces` and then `rest` into one string value. If `pieces` is empty, the value is a string without staged
/// values.
Value text_value(Template pieces, std::string rest);
/// Whether a condition is known and all elements of the condition are true.
bool holds_surely(const Value& condition);

void print_values(Stager& s, const std::vector<Value>& values, const std::string& separator, const std::string& end,
                  Span span);
/// Stops the program with `diagnostic` and `message` if an element of `condition` is false. In compiled code, emits a
/// check instead.
void check_holds(Stager& s, const Value& condition, const Value& message, Diag diagnostic, Span span);

} // namespace pm::stage
