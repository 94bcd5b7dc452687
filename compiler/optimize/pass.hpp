#pragma once
#include "compiler/ir/ir.hpp"
#include "compiler/ops/core/target_info.hpp"

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pm::optimize {

using ir::BlockPtr;

/// A pass keeps the block's name, parameters, results and meaning, bit for bit; only `fma` changes rounding. It
/// rewrites regions and callees too, each once. If there is nothing to change in a block, it returns the same pointer.
struct Pass {
    std::string_view name;
    BlockPtr (*run)(const BlockPtr&, const ops::TargetInfo&);
    std::string_view doc; ///< one line
    bool optional = true; ///< Options::skip may leave it out
};

namespace pass {
#define PASS(name, doc) BlockPtr name(const BlockPtr& block);
#define LOWERING(name, function, doc)
#include "compiler/optimize/pass.def"
#undef LOWERING
#undef PASS
/// Expands convolutions before the other passes, which simplify them further. The plan tests the remaining convolutions
/// again when their sizes are final.
BlockPtr convolutions(const BlockPtr& block, const ops::TargetInfo& target);
BlockPtr release(const BlockPtr& block, const ops::TargetInfo& target = ops::TargetInfo::none());
} // namespace pass

std::span<const Pass> passes();
/// Null if no pass has this name.
const Pass* pass_named(std::string_view name);

/// The names of the passes in the order they run.
using Pipeline = std::span<const std::string_view>;
/// The passes that run after the last derivative, because an identity of values may not hold for their derivatives.
extern const Pipeline before_plan;
/// The passes that run after `before_plan`, at the beginning of the plan, for a block without `pmap` and for one with
/// it.
extern const Pipeline in_plan;
extern const Pipeline in_plan_of_pmap;

struct Options {
    std::vector<std::string> skip = {}; ///< names of optional passes that are left out
    bool verify = true;                 ///< check the IR after every pass; an internal error names the pass
    const ops::TargetInfo* target = &ops::TargetInfo::none();
    /// Passes of a later layer, and passes on which that layer relies, by name. They cannot be skipped.
    std::map<std::string_view, std::function<BlockPtr(const BlockPtr&)>> more = {};
    /// Called after each pass that ran, in the order of the pipeline; `iteration` counts the passes from 0.
    std::function<void(std::string_view pass, std::size_t iteration, const ir::Block& block)> after = {};
};
BlockPtr run(BlockPtr block, Pipeline pipeline, const Options& options = {});

} // namespace pm::optimize
