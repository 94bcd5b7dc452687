#pragma once
#include "compiler/stage/values/value.hpp"

#include <functional>

namespace pm::stage {

/// The option that specifies axes, and texts for messages about it.
struct AxesOf {
    std::string what; ///< in_axes or out_axes
    std::string caller;
    Span span;
    std::function<std::string(const std::string& path)> part; ///< text for the part of the tree at `path`
    /// Returns the leaves of a tree; for arguments, also the leaves of functions.
    std::vector<Value> (*leaves)(const Value&);
};
/// Appends an axis for each leaf of `tree` to `out`. `spec` is an integer, `none`, or a tree prefix of these. For
/// `none`, nullopt is appended.
void prefix_axes(const Value& spec, const Value& tree, const AxesOf& of, std::vector<std::optional<std::int64_t>>& out);

} // namespace pm::stage
