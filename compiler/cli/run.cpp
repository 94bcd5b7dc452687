// pm run, pm check, pm ir.
#include "compiler/cli/interactive.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

namespace pm::cli {
namespace {

using Clock = std::chrono::steady_clock;

void write_output(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void prepare(Options& options) {
    options.session.output = write_output;
    options.session.message = say;
    options.session.cancel = &interrupted;
    options.session.terminal = isatty(STDERR_FILENO) != 0;
    install_interrupt_handler();
}

api::Session::Loaded run_given(api::Session& session, const Options& options) {
    if (options.file.empty() || options.file == "-") return session.run_text("<input>", read_input(), "");
    return session.run_file(options.file);
}

} // namespace

int run(Options& options) {
    prepare(options);
    std::unique_ptr<api::Session> session;
    return guarded(options, nullptr, [&] {
        const auto start = Clock::now();
        session = std::make_unique<api::Session>(options.session);
        const int code = guarded(options, &session->sources(), [&] {
            run_given(*session, options);
            return static_cast<int>(exit_done);
        });
        std::fflush(stdout);
        if (options.time)
            say(fmt::format("time: {:.1f} ms\n",
                            std::chrono::duration<double, std::milli>(Clock::now() - start).count()));
        return code;
    });
}

int check(Options& options) {
    prepare(options);
    SourceMap sources;
    return guarded(options, &sources, [&] {
        const bool input = options.file.empty() || options.file == "-";
        const std::uint32_t source =
            sources.add(input ? "<input>" : options.file, input ? read_input() : api::read_source(options.file));
        syntax::ParseResult parsed = in_stage("parse", [&] { return syntax::parse(sources, source); });
        if (!parsed.ok()) throw api::SyntaxErrors(std::move(parsed.errors));
        fmt::print("{}: no errors\n", sources[source].name());
        return static_cast<int>(exit_done);
    });
}

int show_ir(Options& options) {
    prepare(options);
    options.session.output = [](std::string_view) {};
    std::unique_ptr<api::Session> session;
    return guarded(options, nullptr, [&] {
        const std::string after = options.after.empty() ? "stage" : options.after;
        check_stage(after);
        session = std::make_unique<api::Session>(options.session);
        return guarded(options, &session->sources(), [&] {
            api::Compiler* compiler = session->compiler();
            if (!compiler)
                raise(diagnose(Diag::bad_option, {}, "pm ir shows compiled programs; it does not go with --evaluate"));
            compiler->on_block = [&](const ir::BlockPtr& block) { write_output(ir_text(*session, block, after)); };
            run_given(*session, options);
            return static_cast<int>(exit_done);
        });
    });
}

} // namespace pm::cli
