#pragma once
#include "compiler/transform/core/bit_mask.hpp"

#include <string>
#include <string_view>
#include <vector>

/// A derivative needs values that a call has computed. The derivative keeps some of these values and recomputes the
/// others. `checkpoint` of the language, which becomes Attr::policy of a call, selects the values to keep.
namespace pm::transform {

/// The policies, as strings. A policy selects which of the values that a call computes are kept.
namespace policy {
constexpr std::string_view nothing = "nothing_saveable";
constexpr std::string_view everything = "everything_saveable"; ///< the effect is the same as without Attr::policy
constexpr std::string_view dots = "dots_saveable";             ///< results of `dot`
constexpr std::string_view plain_dots = "dots_with_no_batch_dims_saveable";
/// The policy that keeps the values with one of these names. The program gives values their names.
std::string names(const std::vector<std::string>& list);
} // namespace policy

/// Describes how the residuals of a call are recomputed.
struct Recomputation {
    /// (used params of the known block, kept values) -> residuals. The block has no effects.
    BlockPtr block;
    std::vector<std::size_t> params; ///< the parameters of the known block that `block` uses
    Values kept;                     ///< the kept values of the known block that `block` uses
};
/// Finds how to recompute the residuals that `known` returns. `known` returns `results` results, then the residuals.
Recomputation recomputation(const ir::Block& known, std::size_t results, std::string_view policy);

/// The block with its calls inlined, except calls that have a policy. So the policy of a call also applies to the
/// values that nested calls in its callee compute.
BlockPtr inlined(const BlockPtr& block);

/// Turns each loop of the block into a loop of segments, nested loops included. Each segment is a call with the policy
/// `nothing`. For an unknown trip count n there are about sqrt(2n) segments of up to sqrt(2n) iterations. For a known n
/// there are sqrt(n) segments of sqrt(n) iterations. A derivative then keeps the state before each segment, and the
/// residuals of one segment at a time. The derivative runs each iteration once more.
BlockPtr segmented(const BlockPtr& block);

} // namespace pm::transform
