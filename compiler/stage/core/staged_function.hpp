#pragma once
#include "compiler/stage/core/needs.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace pm::stage {

/// A function that has been staged for certain argument types.
struct StagedFunction {
    ir::BlockPtr block;          ///< its parameters are the leaves of the arguments, then the captures
    std::vector<Value> captures; ///< values of enclosing contexts, arrays, or numbers of `mut` globals
    /// Per capture: the global whose number the capture is. Empty for other captures.
    std::vector<std::optional<Context::Global>> globals;
    Value result; ///< the structure and the known numbers of the function's result
    /// Per leaf of `result`: the index of the leaf among the block's results. It is -1 for a known number.
    std::vector<std::int64_t> places;
    std::vector<NumericType> results; ///< types of the block's results
    std::vector<bool>
        known_leaves; ///< per leaf of the arguments: true if the leaf is a constant of the block and has no parameter

    /// The error of a check that surely fails. Null if there is none.
    std::shared_ptr<const Diagnostic> failure;

    /// Whether the result has leaves, and all of them are known numbers.
    bool is_known() const {
        return !places.empty() && std::ranges::all_of(places, [](std::int64_t place) { return place < 0; });
    }
};

/// Called before leaf number `leaf` becomes known. `known`: per leaf, whether the leaf is already known. `why`: the
/// reason why the leaf must be known. Raises if the leaf may not become known.
using LeafCheck = std::function<void(std::size_t leaf, const std::vector<bool>& known, const Reason& why)>;

/// Callbacks for the needs of a function. Both are called before the function is staged again.
struct NeedHandlers {
    LeafCheck before_known = {};
    std::function<void(const Needs& more)> on_needs = {};
};

} // namespace pm::stage
