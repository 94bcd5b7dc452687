#pragma once
#include "compiler/stage/values/value.hpp"

#include <functional>

namespace pm::stage {

/// The option that specifies axes, and descriptions for messages about the option.
struct AxesOf {
    std::string what; ///< "in_axes" or "out_axes"
    std::string caller;
    Span span;
    std::function<std::string(const std::string& path)> part; ///< describes the part of the tree at `path`
    /// Returns the leaves of a tree. For arguments, leaves of functions are included.
    std::vector<Value> (*leaves)(const Value&);
};
/// Appends to `out` an axis for each leaf of `tree`. `spec` is an integer, `none`, or a tree of integers and `none`
/// that is a prefix of `tree`. For leaves under `none`, nullopt is appended.
void prefix_axes(const Value& spec, const Value& tree, const AxesOf& of, std::vector<std::optional<std::int64_t>>& out);

} // namespace pm::stage
