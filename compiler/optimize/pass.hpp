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

/// A pass does not change the name, parameters and results of a block. It does not change the bits that the block
/// computes either; only `fma` changes rounding. A pass also rewrites regions and callees. It rewrites each of them
/// once. If there is nothing to change in a block, the pass returns the same pointer.
struct Pass {
    std::string_view name;
    BlockPtr (*run)(const BlockPtr&, const ops::TargetInfo&);
    std::string_view doc; ///< a description in one line
    bool optional = true; ///< true if Options::skip may name the pass
};

namespace pass {
#define PASS(name, doc) BlockPtr name(const BlockPtr& block);
#define LOWERING(name, function, doc)
#include "compiler/optimize/pass.def"
#undef LOWERING
#undef PASS
/// Expands the convolutions that no device library computes. This pass runs before the passes that simplify the
/// expansions. The sizes of the remaining convolutions may still change. So the plan tests them again when their sizes
/// are final.
BlockPtr convolutions(const BlockPtr& block, const ops::TargetInfo& target);
BlockPtr release(const BlockPtr& block, const ops::TargetInfo& target = ops::TargetInfo::none());
} // namespace pass

std::span<const Pass> passes();
/// Null if no pass has this name.
const Pass* pass_named(std::string_view name);

/// The names of the passes of a pipeline, in the order in which they run.
using Pipeline = std::span<const std::string_view>;
/// The passes that run after the last derivative. A derivative must not be computed from their results. The reason: two
/// blocks may compute identical values but have different derivatives.
extern const Pipeline before_plan;
/// The passes that run at the beginning of planning, after `before_plan`. `in_plan` is for a block without `pmap`.
/// `in_plan_of_pmap` is for a block with `pmap`.
extern const Pipeline in_plan;
extern const Pipeline in_plan_of_pmap;

struct Options {
    std::vector<std::string> skip = {}; ///< names of optional passes that do not run
    bool verify = true;                 ///< true: check the IR after every pass; an internal error names the pass
    const ops::TargetInfo* target = &ops::TargetInfo::none();
    /// Additional passes by name. Such a pass belongs to a later layer, or a later layer needs its result. Additional
    /// passes cannot be skipped.
    std::map<std::string_view, std::function<BlockPtr(const BlockPtr&)>> more = {};
    /// This function is called after each pass that ran. `iteration` is the index of the pass in the pipeline.
    std::function<void(std::string_view pass, std::size_t iteration, const ir::Block& block)> after = {};
};
BlockPtr run(BlockPtr block, Pipeline pipeline, const Options& options = {});

} // namespace pm::optimize
