#pragma once
#include "compiler/stage/values/function_call.hpp"

#include <optional>
#include <vector>

namespace pm::stage {

class Stager;

/// The argument that is passed for a parameter.
struct Bound {
    std::optional<Value> value; ///< empty if the default is used
    Span span;                  ///< position of the value
};

/// Matches arguments to parameters. `library`: true if the function is in the library. Messages then show the
/// function's call form instead of its definition.
std::vector<Bound> match(const Function& function, bool library, CallArguments& given);
/// Raises if the call of a dtype does not have exactly one argument.
void require_one_argument(DType dtype, const CallArguments& given);
/// Raises if the number or the names of the arguments are wrong. These errors do not depend on the values of the
/// arguments. For calls of derived functions such as grad(f), nothing is checked.
void require_arguments(const Stager& stager, const Value& function, CallArguments given);

} // namespace pm::stage
