#pragma once
#include "compiler/stage/values/function_call.hpp"

#include <optional>
#include <vector>

namespace pm::stage {

class Stager;

/// The argument for a parameter.
struct Bound {
    std::optional<Value> value; ///< empty: the default is used
    Span span;                  ///< of the value
};

/// Matches arguments to parameters. For a function of the library, messages show its call form instead of its text.
std::vector<Bound> match(const Function& function, bool library, CallArguments& given);
/// Raises unless a dtype is called with one argument.
void require_one_argument(DType dtype, const CallArguments& given);
/// Raises the errors in the number and names of the arguments, which do not depend on their values. Derived functions
/// are not checked.
void require_arguments(const Stager& stager, const Value& function, CallArguments given);

} // namespace pm::stage
