#pragma once
#include "compiler/stage/core/value.hpp"

namespace pm::stage {

/// A value that holds nothing staged, as print shows it.
std::string printed(const Value& v);
/// Pieces and the text behind them as one value: plain text when nothing in it is staged.
Value text_value(Template pieces, std::string rest);
/// A condition whose elements are all there, and true.
bool holds_surely(const Value& condition);

} // namespace pm::stage
