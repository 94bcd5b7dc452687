#pragma once
#include "compiler/transform/core/bit_mask.hpp"

#include <string>
#include <string_view>
#include <vector>

/// What a derivative keeps of a call and what it computes again (`checkpoint` of the language; Attr::policy of a call).
namespace pm::transform {

/// The policies, as texts: what stays of the values that are computed in a call.
namespace policy {
constexpr std::string_view nothing = "nothing_saveable";
constexpr std::string_view everything = "everything_saveable"; ///< a call without the attribute
constexpr std::string_view dots = "dots_saveable";             ///< results of `dot`
constexpr std::string_view plain_dots = "dots_with_no_batch_dims_saveable";
/// Values that the program has given one of these names.
std::string names(const std::vector<std::string>& list);
} // namespace policy

/// How the residuals of a call are made again.
struct Recomputation {
    /// (used params of the known block.., kept values) -> residuals. It has no effects.
    BlockPtr block;
    std::vector<std::size_t> params; ///< of the known block, that it uses
    Values kept;                     ///< of the known block: what else it starts from
};
/// `known` gives `results` results, then the residuals.
Recomputation recomputation(const ir::Block& known, std::size_t results, std::string_view policy);

/// The block with the calls in it inlined, but for those that have a policy of their own: a policy other than
/// `nothing` looks at what is computed in them.
BlockPtr inlined(const BlockPtr& block);

/// Each loop of the block, and of all within, as a loop of segments, each a call of which nothing is kept: about
/// sqrt(2n) segments of up to as many iterations for n iterations that nobody has counted, sqrt(n) of sqrt(n) where n
/// is known. A derivative then keeps the state before each segment and what the iterations of one leave behind, and
/// runs each iteration once more.
BlockPtr segmented(const BlockPtr& block);

} // namespace pm::transform
