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

/// A function staged for arguments of these types.
struct StagedFunction {
    ir::BlockPtr block;          ///< its parameters are the leaves, then the captures
    std::vector<Value> captures; ///< values of enclosing contexts, arrays, or numbers of `mut` globals
    std::vector<std::optional<Context::Global>> globals; ///< per capture: the global that the number belongs to
    Value result;                                        ///< the structure of the result, with its known numbers
    std::vector<std::int64_t> places; ///< per leaf of `result`: index of the block's result, or -1 for a known number
    std::vector<NumericType> results; ///< types of the block's results
    std::vector<bool> known_leaves;   ///< leaves without a parameter, because their value is a constant of the block

    /// Whether the result consists of known numbers.
    bool is_known() const {
        return !places.empty() && std::ranges::all_of(places, [](std::int64_t place) { return place < 0; });
    }
};

/// Called before a leaf becomes known, with the flags of the known leaves and the reason. Raises if the leaf may not
/// become known.
using LeafCheck = std::function<void(std::size_t leaf, const std::vector<bool>& known, const Reason& why)>;

/// Callbacks for the needs of a function. They are called before the function is staged again.
struct NeedHandlers {
    LeafCheck before_known = {};
    std::function<void(const Needs& more)> on_needs = {};
};

} // namespace pm::stage
