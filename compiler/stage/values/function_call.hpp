#pragma once
#include "compiler/stage/values/value.hpp"

#include <string>
#include <utility>
#include <vector>

namespace pm::stage {

/// A call of a function value.
struct Call {
    Value function;
    std::vector<Value> arguments = {}; ///< positional arguments
    std::vector<std::pair<std::string, Value>> named = {};
    Span span = {};

    /// A call of the function `other` with the arguments of this call.
    Call of(Value other) && { return {std::move(other), std::move(arguments), std::move(named), span}; }
};

/// The arguments of a call that is written in a program, with their source positions.
struct CallArguments {
    std::vector<Value> positional;
    std::vector<Span> positional_spans;
    std::vector<std::pair<std::string, Value>> named;
    std::vector<Span> named_spans; ///< positions of the values of named arguments
    std::vector<Span> name_spans;  ///< positions of the names of named arguments
    Span span;
    const std::vector<syntax::Argument>* written = nullptr; ///< the arguments in the syntax tree of the call
    syntax::ExprId object = {}; ///< the object of a method call, which is also the first positional argument

    Span name_place(std::size_t i) const { return i < name_spans.size() ? name_spans[i] : span; }
};

/// The call with the leaves of its values replaced by `leaves`, in the order of append_key.
Call with_leaves(const Call& call, const std::vector<Value>& leaves);

} // namespace pm::stage
