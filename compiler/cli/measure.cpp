// :time, :bench, :ir and the code that `pm ir` shares with it.
#include "compiler/base/count.hpp"
#include "compiler/cli/interactive.hpp"
#include "compiler/ir/text.hpp"
#include "compiler/stage/core/context.hpp"
#include "compiler/syntax/lexer.hpp"
#include "compiler/transform/core/transform.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>

namespace pm::cli {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// The stages beside the passes.
constexpr std::array<std::string_view, 7> stages = {"stage", "lower_complex", "optimize", "plan", "llvm", "asm", "ptx"};

/// `reals` was the name of `lower_complex`, and still is.
std::string_view stage_named(std::string_view after) { return after == "reals" ? "lower_complex" : after; }

bool known_stage(std::string_view after) {
    return std::find(stages.begin(), stages.end(), stage_named(after)) != stages.end() ||
           optimize::pass_named(after) != nullptr;
}

/// Whether `text` begins with an unknown name before another word. That is no expression, so a stage was meant.
bool begins_with_no_name(Interactive& session, const std::string& text) {
    std::vector<Diagnostic> ignored;
    const syntax::Tokens tokens = syntax::lex(0, text, ignored);
    if (tokens.list.size() < 2 || !syntax::is_name(tokens.list[0].kind)) return false;
    const syntax::Token& first = tokens.list[0];
    return syntax::is_name(tokens.list[1].kind) && !session.resolve(text.substr(first.begin, first.end - first.begin));
}

} // namespace

std::string duration_text(double seconds) {
    if (seconds < 1e-6) return fmt::format("{:.0f} ns", seconds * 1e9);
    if (seconds < 1e-3) return fmt::format("{:.1f} us", seconds * 1e6);
    if (seconds < 1) return fmt::format("{:.2f} ms", seconds * 1e3);
    return fmt::format("{:.2f} s", seconds);
}

std::string time_text(double seconds, const api::Compiler* compiler, const api::Compiler::Spent& before) {
    std::string text = duration_text(seconds);
    if (!compiler) return text;
    const api::Compiler::Spent now = compiler->spent();
    const int programs = now.programs - before.programs;
    const std::pair<const char*, double> parts[] = {{"optimize", now.optimize - before.optimize},
                                                    {"plan", now.plan - before.plan},
                                                    {"machine code", now.codegen - before.codegen},
                                                    {"run", now.run - before.run}};
    double rest = seconds;
    for (const auto& [name, part] : parts) rest -= part;
    text += fmt::format(": staging {}", duration_text(std::max(rest, 0.0)));
    for (const auto& [name, part] : parts)
        if (part > 0) text += fmt::format(", {} {}", name, duration_text(part));
    if (programs > 0) text += fmt::format("; {:program|programs} compiled", Count{programs});
    const char* separator = "; by libraries of the GPU: ";
    for (std::size_t i = 0; i < now.library_calls.size(); ++i) {
        const std::int64_t calls = now.library_calls[i] - before.library_calls[i];
        if (calls == 0) continue;
        text += fmt::format("{}{} {}", separator, runtime::device_library_names[i], calls);
        separator = ", ";
    }
    return text;
}

void check_stage(const std::string& after) {
    if (known_stage(after)) return;
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

void show_ir_of(Interactive& session, const std::string& argument) {
    // A stage before the expression is a separate word, and no name of the session: `:ir plan f(x)`.
    std::string after = "stage";
    std::string text = argument;
    const std::size_t space = argument.find_first_of(" \t\n");
    const std::string first = argument.substr(0, space);
    if (space != std::string::npos && known_stage(first) && !session.resolve(first)) {
        after = first;
        text = argument.substr(space + 1);
    } else if (begins_with_no_name(session, argument)) {
        check_stage(first);
    }
    const Interactive::Code code = session.code(text);
    try {
        const auto staged = session.session().stager().stage_call({code.function});
        session.print(ir_text(session.session(), staged.block, after, session.options().architecture));
    } catch (const stage::HostWork& work) {
        raise(diagnose(Diag::bad_option, work.span, fmt::format("this is interpreted, not compiled: {}", work.what)));
    }
}

void time_once(Interactive& session, const std::string& argument) {
    const api::Compiler* compiler = session.session().compiler();
    const api::Compiler::Spent before = compiler ? compiler->spent() : api::Compiler::Spent{};
    const auto start = Clock::now();
    const stage::Value value = session.evaluate(argument);
    session.session().wait();
    const double seconds = seconds_since(start);
    session.show(argument, value);
    session.print(fmt::format("time: {}\n", time_text(seconds, compiler, before)));
}

void bench(Interactive& session, const std::string& argument) {
    constexpr double enough = 1.0; // seconds in all, without the first run
    constexpr std::size_t least = 3, most = 10000;
    const Interactive::Code code = session.code(argument);
    const auto run = [&] {
        session.call(code.function);
        session.session().wait();
    };
    const auto begin = Clock::now();
    run();
    const double first = seconds_since(begin);
    std::vector<double> runs;
    const auto start = Clock::now();
    while (runs.size() < most && (runs.size() < least || seconds_since(start) < enough)) {
        const auto at = Clock::now();
        run();
        runs.push_back(seconds_since(at));
    }
    std::sort(runs.begin(), runs.end());
    session.print(fmt::format("{}: median of {} runs, from {} to {}; the first, with compiling, {}\n",
                              duration_text(runs[runs.size() / 2]), runs.size(), duration_text(runs.front()),
                              duration_text(runs.back()), duration_text(first)));
}

} // namespace pm::cli
