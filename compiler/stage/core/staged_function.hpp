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
    ir::BlockPtr block;          ///< its parameters are the leaves, then the captures
    std::vector<Value> captures; ///< values of enclosing contexts, arrays, or numbers of `mut` globals
    /// Per capture: the global, if the capture is a number of a global.
    std::vector<std::optional<Context::Global>> globals;
    Value result; ///< the result with its structure and its known numbers
    /// Per leaf of `result`: the index among the block's results, or -1 for a known number.
    std::vector<std::int64_t> places;
    std::vector<NumericType> results; ///< types of the block's results
    std::vector<bool> known_leaves;   ///< per leaf: whether it is a constant of the block and has no parameter

    /// Whether the result consists of known numbers.
    bool is_known() const {
        return !places.empty() && std::ranges::all_of(places, [](std::int64_t place) { return place < 0; });
    }
};

/// Called before a leaf becomes known. `known` has a flag for each leaf that is already known. `why` is the reason.
/// Raises if the leaf may not become known.
using LeafCheck = std::function<void(std::size_t leaf, const std::vector<bool>& known, const Reason& why)>;

/// Callbacks for the needs of a function. They are called before the function is staged again.
struct NeedHandlers {
    LeafCheck before_known = {};
    std::function<void(const Needs& more)> on_needs = {};
};

} // namespace pm::stage
