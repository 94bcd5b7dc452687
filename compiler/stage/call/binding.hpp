#pragma once
#include "compiler/stage/values/function_call.hpp"

#include <optional>
#include <vector>

namespace pm::stage {

class Stager;

/// The argument that is passed for a parameter.
struct Bound {
    std::optional<Value> value; ///< empty: the default is used
    Span span;                  ///< position of the value
};

/// Matches arguments to parameters. If the function is in the library (`library`), messages show its call form instead
/// of its definition.
std::vector<Bound> match(const Function& function, bool library, CallArguments& given);
/// Raises unless a dtype is called with one argument.
void require_one_argument(DType dtype, const CallArguments& given);
/// Raises if the number or the names of the arguments are wrong. These errors do not depend on the values of the
/// arguments. Calls of derived functions such as grad(f) are not checked.
void require_arguments(const Stager& stager, const Value& function, CallArguments given);

} // namespace pm::stage
