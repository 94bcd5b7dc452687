#include "compiler/cli/ir_text.hpp"

#include "compiler/api/compile.hpp"
#include "compiler/ir/text.hpp"
#include "compiler/transform/core/transform.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace pm::cli {
namespace {

/// The stages beside the passes.
constexpr std::array<std::string_view, 7> stages = {"stage", "lower_complex", "optimize", "plan", "llvm", "asm", "ptx"};

/// `reals` was the name of `lower_complex`, and still is.
std::string_view stage_named(std::string_view after) { return after == "reals" ? "lower_complex" : after; }

} // namespace

bool is_stage(std::string_view after) {
    return std::find(stages.begin(), stages.end(), stage_named(after)) != stages.end() ||
           optimize::pass_named(after) != nullptr;
}

void check_stage(const std::string& after) {
    if (is_stage(after)) return;
    std::string names = fmt::format("{}", fmt::join(stages, ", "));
    for (const optimize::Pass& p : optimize::passes()) names += ", " + std::string(p.name);
    raise(diagnose(Diag::bad_option, {}, fmt::format("there is no stage `{}`; there are {}", after, names)));
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
    optimize::Options o = compiler->options().optimize;
    std::string text;
    o.after = [&](std::string_view pass, std::size_t, const ir::Block& now) {
        if (pass == after) text = ir::print(now);
    };
    const ir::BlockPtr lowered = transform::lower_complex(block);
    if (after == "lower_complex") return ir::print(*lowered) + "\n";
    const ir::BlockPtr last = optimize::run(lowered, optimize::before_plan, o);
    if (after == "optimize") text = ir::print(*last);
    return text + "\n";
}

} // namespace pm::cli
