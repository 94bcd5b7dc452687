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

/// A staged value of this type that cannot become known. It stands for a value that is computed later.
Value stand_in(const NumericType& type);
/// Converts `given` to this type in the current block. Empty if the shapes differ, or if the dtype of `given` is not
/// converted implicitly.
std::optional<Value> fitted(Stager& s, const Value& given, const NumericType& type);

/// The error for shapes that do not broadcast, with a suggestion.
Diagnostic no_broadcast(Span span, const Shape& first, const Shape& second);

/// Labels the operands with their types if `d` is an error about the shapes of the operands of the operation at `span`.
/// Does nothing if `d` already has labels.
void show_operands(Diagnostic& d, Span span, const std::vector<std::pair<Span, const Value*>>& operands);

/// The suggestion that names the valid indices of an axis of this size.
std::string valid_indices(std::int64_t size);
/// The suggestion that names the valid starts of a window of `count` elements on an axis of this size.
std::string valid_starts(std::int64_t size, std::int64_t count);

/// The suggestion for a divisor of zero.
std::string nonzero_divisor();
/// Emits a check for an integer division. The program stops if an element of `divisor` is zero and `result`, the result
/// of the division, is used.
void check_divisor(ops::Build& b, ir::Value divisor, ir::Value result);
/// The error for `base ** exponent` with an integer base and a known negative exponent.
Diagnostic negative_power(const std::string& base, const Number& exponent, Span span);

/// The description of a leaf of an argument in messages. For the leaf `.w` of argument 0, which has the parameter `p`,
/// this is "argument 0, `p.w`". If the parameter has no name, or the function is a native, it is "`.w` of argument 0".
std::string argument_text(const Value& function, std::size_t argument, const std::string& path);
/// The names of the parameters of a function that have no default. A parameter without a name is shown as `...`. Empty
/// if the parameters are not known.
std::vector<std::string> needed_arguments(const Value& function);

} // namespace pm::stage
