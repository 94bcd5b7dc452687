#pragma once
#include "compiler/stage/core/value.hpp"

#include <functional>

namespace pm::stage {

/// What axes are for, and how messages speak of it.
struct AxesOf {
    std::string what; ///< in_axes or out_axes
    std::string caller;
    Span span;
    std::function<std::string(const std::string& path)> part; ///< of the tree, where `path` leads
    std::vector<Value> (*leaves)(const Value&);               ///< arguments have leaves within functions, results none
};
/// An axis per leaf of `tree`, from an int, `none` or a tree prefix; nothing: `none`.
void prefix_axes(const Value& spec, const Value& tree, const AxesOf& of, std::vector<std::optional<std::int64_t>>& out);

} // namespace pm::stage
