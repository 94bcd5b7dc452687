#pragma once
#include "compiler/ir/ir.hpp"

#include <functional>
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
    BlockPtr (*run)(const BlockPtr&);
    std::string_view doc; ///< one line
};

namespace pass {
#define PASS(name, doc) BlockPtr name(const BlockPtr& block);
#include "compiler/optimize/pass.def"
#undef PASS
} // namespace pass

std::span<const Pass> passes();
/// Null if there is none of this name.
const Pass* pass_named(std::string_view name);

/// The names of the passes in the order they run.
using Pipeline = std::span<const std::string_view>;
/// The passes that run after the last transformation: an identity that holds for values need not hold for their
/// derivatives.
extern const Pipeline before_plan;

struct Options {
    std::vector<std::string> skip; ///< names of passes that are left out
    bool verify = true;            ///< check the IR after every pass; an internal error names the pass
    /// Called after each pass that ran, in the order of the pipeline; `iteration` counts the passes from 0.
    std::function<void(std::string_view pass, std::size_t iteration, const ir::Block& block)> after;
};
BlockPtr run(BlockPtr block, Pipeline pipeline, const Options& options = {});

} // namespace pm::optimize
