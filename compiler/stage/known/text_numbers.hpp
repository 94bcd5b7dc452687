#pragma once
#include "compiler/base/span.hpp"
#include "compiler/stage/values/value.hpp"

namespace pm::stage {

/// Parses the number in the string `text`. `function` is the name of the called function in messages. `dtype` is the
/// dtype to which the called function converts the number. `dtype` must not be `key`. The result has no dtype, except
/// for a bool and for an integer above the greatest i64. Blanks at both ends of `text` are ignored. Integers consist of
/// decimal digits. Floats have the syntax of the language, or are `inf` or `nan`. Complex numbers are `1+2j`, `2j` or
/// floats. All these numbers may have a sign. Bools are `true` and `false`. Raises an error for other strings.
Number number_of_text(std::string_view function, const std::string& text, DType dtype, Span span);

} // namespace pm::stage
