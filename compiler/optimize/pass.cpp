#include "compiler/optimize/pass.hpp"

#include "compiler/base/check.hpp"
#include "compiler/ir/verify.hpp"
#include "compiler/ops/core/rules.hpp"

#include <algorithm>
#include <array>

namespace pm::optimize {
namespace {

constexpr std::string_view bare(std::string_view name) {
    if (name.ends_with('_')) name.remove_suffix(1);
    return name;
}

constexpr std::array census = {
#define PASS(name, doc) Pass{bare(#name), pass::name, doc},
#include "compiler/optimize/pass.def"
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
        const Pass* const p = pass_named(pipeline[iteration]);
        PM_CHECK(p != nullptr, std::string(pipeline[iteration]));
        if (std::find(options.skip.begin(), options.skip.end(), p->name) != options.skip.end()) continue;
        const std::string stage = "optimize, pass " + std::string(p->name);
        BlockPtr made = in_stage(stage.c_str(), [&] { return p->run(block); });
        if (options.verify && made != block) ir::verify(*made, ops::result_types, p->name);
        block = std::move(made);
        if (options.after) options.after(p->name, iteration, *block);
    }
    return block;
}

} // namespace pm::optimize
