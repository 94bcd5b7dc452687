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
    ir::BlockPtr block;          ///< takes the leaves, then the captures
    std::vector<Value> captures; ///< values of enclosing contexts, arrays, or numbers of `mut` globals
    std::vector<std::optional<Context::Global>> globals; ///< per capture: the global whose number it is
    Value result;                                        ///< the structure; known numbers in it stay
    std::vector<std::int64_t> places; ///< per leaf of `result`: the block's result, or -1 for a known number
    std::vector<NumericType> results; ///< of the block's results
    std::vector<bool> known_leaves;   ///< leaves that are no parameters, because their value is in the block

    /// Whether the result consists of known numbers.
    bool is_known() const {
        return !places.empty() && std::ranges::all_of(places, [](std::int64_t place) { return place < 0; });
    }
};

/// Called before a leaf becomes known, with the flags of the known leaves and the reason. Raises if the leaf may not
/// become known.
using LeafCheck = std::function<void(std::size_t leaf, const std::vector<bool>& known, const Reason& why)>;

/// Called when a function turns out to have needs, before it is staged again.
struct NeedHandlers {
    LeafCheck before_known = {};
    std::function<void(const Needs& more)> on_needs = {};
};

} // namespace pm::stage
