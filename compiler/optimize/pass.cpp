#include "compiler/optimize/pass.hpp"

#include "compiler/base/check.hpp"
#include "compiler/ir/verify.hpp"
#include "compiler/ops/core/rules.hpp"
#include "compiler/transform/core/transform.hpp"

#include <algorithm>
#include <array>

namespace pm::optimize {
namespace {

constexpr std::string_view bare(std::string_view name) {
    if (name.ends_with('_')) name.remove_suffix(1);
    return name;
}

constexpr std::array census = {
#define PASS(name, doc)                                                                                                \
    Pass{bare(#name), [](const BlockPtr& block, const ops::TargetInfo&) { return pass::name(block); }, doc},
#define LOWERING(name, function, doc) Pass{#name, function, doc, false},
#include "compiler/optimize/pass.def"
#undef LOWERING
#undef PASS
};

} // namespace

std::span<const Pass> passes() { return census; }

const Pass* pass_named(std::string_view name) {
    for (const Pass& p : census)
        if (p.name == name) return &p;
    return nullptr;
}

BlockPtr run(BlockPtr block, Pipeline pipeline, const Options& options) {
    for (std::size_t iteration = 0; iteration < pipeline.size(); ++iteration) {
        const std::string_view name = pipeline[iteration];
        const auto more = options.more.find(name);
        const Pass* const p = pass_named(name);
        PM_CHECK(p != nullptr || more != options.more.end(), std::string(name));
        if (more == options.more.end() && p->optional && std::ranges::find(options.skip, name) != options.skip.end())
            continue;
        const std::string stage = "optimize, pass " + std::string(name);
        BlockPtr made = in_stage(stage.c_str(), [&] {
            return more == options.more.end() ? p->run(block, *options.target) : more->second(block);
        });
        if (options.verify && made != block) ir::verify(*made, ops::result_types, name);
        block = std::move(made);
        if (options.after) options.after(name, iteration, *block);
    }
    return block;
}

} // namespace pm::optimize
