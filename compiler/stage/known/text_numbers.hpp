#pragma once
#include "compiler/base/span.hpp"
#include "compiler/stage/values/value.hpp"

namespace pm::stage {

/// The number that a text writes, for the function `function` that makes numbers of `dtype` (not a key) of it. The
/// number has no dtype, except a bool and an integer above the greatest i64. Blanks at the ends of the text are left
/// out. Integers are decimal digits. Floats are written as in a program, or are `inf` or `nan`. Complex numbers are
/// `1+2j`, `2j` or floats. All of them may have a sign. Bools are `true` and `false`. Raises an error for other texts.
Number number_of_text(std::string_view function, const std::string& text, DType dtype, Span span);

} // namespace pm::stage
