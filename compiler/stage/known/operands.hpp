#pragma once
#include "compiler/stage/values/value.hpp"

#include "compiler/base/diagnostic.hpp"
#include "compiler/ops/core/build.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pm::stage {

class Stager;

/// A staged value of this type that cannot become known. It represents a value that is computed later.
Value stand_in(const NumericType& type);
/// Converts a value to this type in the current block. Empty if its shape differs, or if its dtype does not convert
/// implicitly.
std::optional<Value> fitted(Stager& s, const Value& given, const NumericType& type);

/// The message for shapes that do not broadcast, with a repair.
Diagnostic no_broadcast(Span span, const Shape& first, const Shape& second);

/// If `d` is about the shapes of the operands of the operation at `span` and has no labels yet, labels the operands.
void show_operands(Diagnostic& d, Span span, const std::vector<std::pair<Span, const Value*>>& operands);

/// The valid indices of an axis of this size, as a repair.
std::string valid_indices(std::int64_t size);
/// The valid starts of a window of `count` elements on an axis of this size.
std::string valid_starts(std::int64_t size, std::int64_t count);

/// The repair for a divisor of zero.
std::string nonzero_divisor();
/// Emits a check for an integer division: the program stops if an element of `divisor` is zero and `result` is used.
void check_divisor(ops::Build& b, ir::Value divisor, ir::Value result);
/// The message for `base ** exponent` with an integer base and a known exponent below 0: integers have no inverses.
Diagnostic negative_power(const std::string& base, const Number& exponent, Span span);

/// The text for a leaf of an argument: "argument 0, `p.w`" for the leaf `.w` of a parameter p. If the parameter has no
/// name, as in natives: "`.w` of argument 0".
std::string argument_text(const Value& function, std::size_t argument, const std::string& path);
/// The parameters of a function that have no default; `...` for a parameter without a name. Empty if the parameters are
/// not known.
std::vector<std::string> needed_arguments(const Value& function);

} // namespace pm::stage
