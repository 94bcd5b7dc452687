#pragma once
#include "compiler/stage/core/value.hpp"

#include <string>
#include <utility>
#include <vector>

namespace pm::stage {

/// A call of a function value.
struct Call {
    Value function;
    std::vector<Value> arguments = {}; ///< by position
    std::vector<std::pair<std::string, Value>> named = {};
    Span span = {};

    /// The same call of another function.
    Call of(Value other) && { return {std::move(other), std::move(arguments), std::move(named), span}; }
};

/// The call with these leaves in place of its own, in the order of append_key.
Call with_leaves(const Call& call, const std::vector<Value>& leaves);

} // namespace pm::stage
