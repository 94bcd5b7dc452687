#pragma once
#include "compiler/stage/values/value.hpp"

#include <functional>

namespace pm::stage {

/// The option that has the axes, and its terms in messages.
struct AxesOf {
    std::string what; ///< in_axes or out_axes
    std::string caller;
    Span span;
    std::function<std::string(const std::string& path)> part; ///< text for the part of the tree at `path`
    std::vector<Value> (*leaves)(const Value&);               ///< finds leaves; in arguments also within functions
};
/// Appends an axis per leaf of `tree` to `out`, from an int, `none` or a tree prefix. nullopt for `none`.
void prefix_axes(const Value& spec, const Value& tree, const AxesOf& of, std::vector<std::optional<std::int64_t>>& out);

} // namespace pm::stage
