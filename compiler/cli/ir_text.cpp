#include "compiler/cli/ir_text.hpp"

#include "compiler/api/compile.hpp"
#include "compiler/ir/text.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>
#include <vector>

namespace pm::cli {
namespace {

/// The stages and the passes, in order, each once.
std::vector<std::string_view> names() {
    std::vector<std::string_view> all{"stage"};
    const auto add = [&](optimize::Pipeline passes, std::initializer_list<std::string_view> stages) {
        for (const std::string_view pass : passes)
            if (std::ranges::find(all, pass) == all.end()) all.push_back(pass);
        all.insert(all.end(), stages);
    };
    add(optimize::before_plan, {"optimize"});
    add(optimize::in_plan_of_pmap, {"plan", "llvm", "asm", "ptx"});
    return all;
}

/// `reals` is an earlier name of `lower_complex`, and is still accepted.
std::string_view stage_named(std::string_view after) { return after == "reals" ? "lower_complex" : after; }

} // namespace

bool is_stage(std::string_view after) {
    const std::vector<std::string_view> all = names();
    return std::ranges::find(all, stage_named(after)) != all.end();
}

void check_stage(const std::string& after) {
    if (is_stage(after)) return;
    raise(diagnose(Diag::bad_option, {},
                   fmt::format("there is no stage `{}`; there are {}", after, fmt::join(names(), ", "))));
}

std::string ir_text(api::Session& session, const ir::BlockPtr& block, const std::string& stage,
                    const std::string& architecture) {
    check_stage(stage);
    const std::string_view after = stage_named(stage);
    api::Compiler* compiler = session.compiler();
    if (!compiler)
        raise(diagnose(Diag::bad_option, {}, "this shows compiled programs; it does not go with --evaluate"));
    if (after == "stage") return ir::print(*block) + "\n";
    if (after == "plan") return plan::print(compiler->plan(block)) + "\n";
    if (after == "ptx") return compiler->jit().ptx_text(compiler->plan(block, codegen::Target::gpu), architecture);
    if (after == "llvm" || after == "asm")
        return compiler->jit().llvm_text(compiler->plan(block), after == "asm") + "\n";
    // If a pass runs both before the plan and at the beginning of the plan, its name means the last run before the
    // plan.
    const bool of_plan =
        after != "optimize" && std::ranges::find(optimize::before_plan, after) == optimize::before_plan.end();
    std::string text;
    compiler->each_pass(block, of_plan, [&](std::string_view pass, const ir::Block& made) {
        if (pass == after) text = ir::print(made);
    });
    if (text.empty()) raise(diagnose(Diag::bad_option, {}, fmt::format("the pass `{}` did not run", after)));
    return text + "\n";
}

} // namespace pm::cli
