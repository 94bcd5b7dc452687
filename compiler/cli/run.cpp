// pm run, pm check, pm ir.
#include "compiler/cli/interactive.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <tuple>

namespace pm::cli {
namespace {

using Clock = std::chrono::steady_clock;

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
            if (interrupted) raise(diagnose(Diag::interrupted, {})); // at its end, but not all was printed
            return static_cast<int>(exit_done);
        });
        std::fflush(stdout);
        if (options.time)
            say(fmt::format("time: {}\n", time_text(std::chrono::duration<double>(Clock::now() - start).count(),
                                                    session->compiler(), {})));
        return code;
    });
}

int check(Options& options) {
    prepare(options);
    options.session.output = [](std::string_view) {};
    std::unique_ptr<api::Session> session;
    return guarded(options, nullptr, [&] {
        std::vector<Diagnostic> problems;
        options.session.problem = [&](const Diagnostic& d) { problems.push_back(d); };
        session = std::make_unique<api::Session>(options.session);
        const bool input = options.file.empty() || options.file == "-";
        const std::string name = input ? "<input>" : options.file;
        const std::string folder = input ? "" : std::filesystem::path(options.file).parent_path().string();
        const int code = guarded(options, &session->sources(), [&] {
            session->check_text(name, input ? read_input() : api::read_source(options.file), folder);
            const bool wrong = std::any_of(problems.begin(), problems.end(),
                                           [](const Diagnostic& d) { return info(d.id).severity == Severity::error; });
            return static_cast<int>(wrong ? exit_error : exit_done);
        });
        std::stable_sort(problems.begin(), problems.end(), [](const Diagnostic& a, const Diagnostic& b) {
            return std::tie(a.span.source, a.span.begin) < std::tie(b.span.source, b.span.begin);
        });
        for (const Diagnostic& d : problems) say(error_text(d, session->sources(), options.errors));
        if (code == exit_done) fmt::print("{}: no errors\n", name);
        return code;
    });
}

int show_ir(Options& options) {
    prepare(options);
    options.session.output = [](std::string_view) {};
    std::unique_ptr<api::Session> session;
    return guarded(options, nullptr, [&] {
        const std::string after = options.after.empty() ? "stage" : options.after;
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
