#pragma once
#include "compiler/stage/core/value.hpp"

#include "compiler/base/diagnostic.hpp"
#include "compiler/ops/core/build.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pm::stage {

class Stager;

/// Stands for a value of this type that is computed later: it cannot become known.
Value stand_in(const NumericType& type);
/// A value as one of this type in the block being staged; nothing when its shape is another or its dtype does not
/// become that one by itself.
std::optional<Value> fitted(Stager& s, const Value& given, const NumericType& type);

/// The message for shapes that do not go together, with a repair that fits them.
Diagnostic no_broadcast(Span span, const Shape& first, const Shape& second);

/// Shows the operands of the operation at `span` beside a message about their shapes that shows none yet.
void show_operands(Diagnostic& d, Span span, const std::vector<std::pair<Span, const Value*>>& operands);

/// The indices that an axis of this size has, as a repair.
std::string valid_indices(std::int64_t size);
/// The same for where a window of `count` elements can begin.
std::string valid_starts(std::int64_t size, std::int64_t count);

/// What to do about a divisor of zero.
std::string nonzero_divisor();
/// Stops the program where integers are divided by a zero of `divisor` and `result` is used.
void check_divisor(ops::Build& b, ir::Value divisor, ir::Value result);
/// Integers have no inverses: `base ** exponent` of a base of integers and a known exponent below 0.
Diagnostic negative_power(const std::string& base, const Number& exponent, Span span);

/// "argument 0, `p.w`" for the leaf `.w` of a parameter p; a function that is not written in the program has only the
/// number.
std::string argument_text(const Value& function, std::size_t argument, const std::string& path);
/// The parameters of a function that have no default, `...` for one that is no name; none where they are not known.
std::vector<std::string> needed_arguments(const Value& function);

} // namespace pm::stage
