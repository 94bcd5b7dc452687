// :time, :bench and :ir.
#include "compiler/cli/ir_text.hpp"
#include "compiler/cli/repl/interactive.hpp"
#include "compiler/cli/time_text.hpp"
#include "compiler/stage/call/staging.hpp"
#include "compiler/stage/core/stager.hpp"
#include "compiler/syntax/lexer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace pm::cli {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Whether `text` begins with an unknown name and another word after it. Such a text is not an expression: the name is
/// probably a misspelt stage.
bool begins_with_no_name(Interactive& session, const std::string& text) {
    std::vector<Diagnostic> ignored;
    const syntax::Tokens tokens = syntax::lex(0, text, ignored);
    if (tokens.list.size() < 2 || !syntax::is_name(tokens.list[0].kind)) return false;
    const syntax::Token& first = tokens.list[0];
    return syntax::is_name(tokens.list[1].kind) && !session.resolve(text.substr(first.begin, first.end - first.begin));
}

} // namespace

void show_ir_of(Interactive& session, const std::string& argument) {
    // The first word is a stage if it names a stage and is not a name of the session: `:ir plan f(x)`.
    std::string after = "stage";
    std::string text = argument;
    const std::size_t space = argument.find_first_of(" \t\n");
    const std::string first = argument.substr(0, space);
    if (space != std::string::npos && is_stage(first) && !session.resolve(first)) {
        after = first;
        text = argument.substr(space + 1);
    } else if (begins_with_no_name(session, argument)) {
        check_stage(first);
    }
    const Interactive::Code code = session.code(text);
    try {
        const auto staged = stage::Staging(session.session().stager()).call({code.function});
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
    constexpr double enough = 1.0; // in seconds: enough time for all runs but the first
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
