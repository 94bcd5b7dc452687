#include "compiler/cli/options.hpp"
#include "compiler/cli/user_folder.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <span>
#include <string_view>
#include <utility>

namespace {

/// The folder for compiled code, below the user's cache folder. PM_CACHE names another one; if it is empty, there is no
/// cache.
std::string cache_folder() {
    if (const char* given = std::getenv("PM_CACHE")) return given;
    const std::string caches = pm::cli::user_folder("XDG_CACHE_HOME", ".cache");
    return caches.empty() ? caches : caches + "/polymap";
}

/// An argument, quoted for a shell.
std::string quoted(const std::string& text) {
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
    if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

/// An option like "--devices=" without a value, for which the parser would take the next argument. Empty if all options
/// have their values.
std::string without_value(const CLI::App& app, std::span<char* const> arguments) {
    const CLI::App* command = &app;
    for (std::size_t i = 1; i < arguments.size() && arguments[i] != std::string_view("--"); ++i) {
        const std::string argument = arguments[i];
        const auto named = app.get_subcommands([&](const CLI::App* c) { return c->get_name() == argument; });
        if (command == &app && !named.empty()) command = named[0];
        const std::size_t equals = argument.find('=');
        const CLI::Option* option =
            argument.starts_with("-") ? command->get_option_no_throw(argument.substr(0, equals)) : nullptr;
        if (option == nullptr) continue;
        if (equals != std::string::npos && equals + 1 == argument.size()) return argument;
        if (equals == std::string::npos && option->get_items_expected_min() > 0) ++i; // the next argument is its value
    }
    return {};
}

/// The form of errors by its name.
pm::cli::Errors form_of(std::string_view name) {
    using pm::cli::Errors;
    return name == "json" ? Errors::json : name == "short" ? Errors::short_form : Errors::long_form;
}

/// The form of errors for a command line that could not be parsed.
pm::cli::Errors form_in(std::span<char* const> arguments) {
    constexpr std::string_view option = "--errors";
    std::string_view form;
    for (std::size_t i = 0; i < arguments.size() && arguments[i] != std::string_view("--"); ++i) {
        const std::string_view argument = arguments[i];
        if (argument == option && i + 1 < arguments.size()) form = arguments[i + 1];
        if (argument.starts_with(option) && argument.substr(option.size()).starts_with('='))
            form = argument.substr(option.size() + 1);
    }
    return form_of(form);
}

int run_command(int argc, char** argv) {
    using namespace pm::cli;
    install_interrupt_handler(); // first, so that the exit code after Ctrl-C is always 130
    CLI::App app{"Polymap: an array language with pmap, vmap, grad and pmean"};
    app.set_version_flag("--version", fmt::format("pm {} (LLVM {})", PM_VERSION, PM_LLVM_VERSION));
    app.footer("Exit codes: 0 done, 1 an error in the program (of `pm test` also: a test that fails, or no test "
               "found), 2 a wrong "
               "command line, 70 an error of pm, 130 interrupted.");
    app.option_defaults()->disable_flag_override(); // flags take no value
    Options options;
    options.session.cache_folder = cache_folder();
    std::string devices = "cpu";
    std::string errors = "long";

    const auto errors_option = [&](CLI::App* command) {
        command->add_option("--errors", errors, "long; short: one line each; json: one object per line")
            ->check(CLI::IsMember({"long", "short", "json"}))
            ->capture_default_str();
    };
    const auto common = [&](CLI::App* command) {
        command->add_option("--devices", devices, "cpu, gpu or gpu-emulated, and :N for a number of them")
            ->capture_default_str();
        command->add_option("--workers", options.session.workers, "threads; 0: one per core")
            ->check(CLI::Range(0, 1024));
        command
            ->add_option("--memory", options.session.memory_limit,
                         "bytes that arrays, values and programs may take, with a unit: 64MB, 2GB; nothing: seven "
                         "eighths of what is available")
            ->transform(CLI::AsSizeValue(false))
            ->check(CLI::Range(std::size_t{1} << 16, std::size_t{1} << 50, "BYTES of 64KB or more"));
        command->add_flag("--exact-sharding", options.session.exact_sharding,
                          "sums over devices have the same bits for every number of devices");
        command->add_flag("--deterministic", options.session.deterministic,
                          "a GPU adds floats in the order of a processor where another is faster");
        command
            ->add_option("--precision", options.session.precision,
                         "of products of matrices on a GPU, where they do not say it: default (f32 as TF32), high or "
                         "highest")
            ->check(
                CLI::IsMember(std::vector<std::string>(pm::ir::precision::all.begin(), pm::ir::precision::all.end())))
            ->take_last()
            ->capture_default_str();
        command->add_flag("--evaluate", options.session.evaluate,
                          "run by the reference interpreter instead of compiling (slow)");
        command->add_flag("--explain", options.session.explain,
                          "say what is compiled for which types, and what is interpreted");
        command->add_flag("--explain-grad", options.session.explain_grad,
                          "say what each derivative keeps, its bytes, and what it computes again");
        command->add_flag_callback("--no-fuse", [&] { options.session.fuse = false; }, "one loop nest per operation");
        command->add_option("--skip", options.session.skip, "leave out optimisation passes")
            ->delimiter(',')
            ->allow_extra_args(false);
        command->add_flag("--check-nans", options.session.check_nans,
                          "stop at the first operation that makes a NaN of what holds none (slower)");
        command->add_flag("--verify", options.session.verify, "check the IR and the plan after every step");
        command->add_option("--vector-bits", options.session.vector_bits, "width of vectors: 128, 256 or 512")
            ->check(CLI::IsMember({0, 128, 256, 512}));
        command
            ->add_option("--function-size", options.session.function_size,
                         "instructions, about, at which a compiled function is cut; 0: the usual number")
            ->check(CLI::Range(0, 1000000));
        command->add_flag_callback(
            "--plain-code", [&] { options.session.optimize = false; },
            "code of the processor that LLVM does not optimise: faster to make, slower to run");
        errors_option(command);
    };
    const auto with_file = [&](CLI::App* command) {
        command->add_option("file", options.file, "the program; - or nothing: standard input");
        command->add_option("arguments", options.session.arguments, "`args` of the program");
        command->positionals_at_end(false);
    };
    CLI::App* run_command = app.add_subcommand("run", "run a program");
    common(run_command);
    with_file(run_command);
    run_command->add_flag("--time", options.time, "print the time it took, and on what");
    CLI::App* check_command = app.add_subcommand("check", "find errors without running");
    check_command->add_option("file", options.file, "the program; - or nothing: standard input");
    check_command->add_option("--devices", devices, "cpu, gpu or gpu-emulated, and :N for a number of them")
        ->capture_default_str();
    errors_option(check_command);
    CLI::App* ir_command = app.add_subcommand("ir", "print what a program is compiled to");
    common(ir_command);
    with_file(ir_command);
    ir_command->add_option("--after", options.after, "stage, lower_complex, a pass, optimize, plan, llvm, asm, ptx");
    const auto architecture_option = [&](CLI::App* command) {
        return command->add_option("--arch", options.architecture, "what PTX is made for: sm_80 or sm_90a")
            ->check(CLI::IsMember({"sm_80", "sm_90a"}))
            ->capture_default_str();
    };
    const CLI::Option* ir_architecture = architecture_option(ir_command);
    CLI::App* build_command = app.add_subcommand("build", "run a program, and write what it is compiled to into files");
    common(build_command);
    with_file(build_command);
    build_command->get_option("file")->required();
    bool ptx = false; // the only output of `pm build` so far
    build_command->add_flag("--ptx", ptx, "the kernels of a GPU, one file for each compiled program")->required();
    build_command->add_option("-o,--output", options.folder, "the folder; nothing: FILE without .pm, and -ptx");
    architecture_option(build_command);
    CLI::App* test_command = app.add_subcommand("test", "run the tests in programs");
    common(test_command);
    test_command->add_option("files", options.files, "files, and folders with .pm files; nothing: this folder");
    test_command->add_option("--filter", options.filter, "only tests that have this text in their name");
    CLI::App* repl_command = app.add_subcommand("repl", "an interactive session");
    common(repl_command);
    CLI::App* explain_command =
        app.add_subcommand("explain", "what a diagnostic means, with an example and its repair");
    std::string explained;
    explain_command->add_option("code", explained, "PM0204, or nothing: the list of all");
    errors_option(explain_command);
    CLI::App* fmt_command = app.add_subcommand("fmt", "format programs in place");
    fmt_command->add_option("files", options.files, "the programs; -: standard input to standard output")->required();
    fmt_command->add_flag("--check", options.check, "change nothing; list the files that are not formatted");
    errors_option(fmt_command);
    app.require_subcommand(0, 1);
    for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; }))
        command->get_help_ptr()->disable_flag_override();

    const std::span<char* const> given{argv, static_cast<std::size_t>(argc)};
    try {
        if (const std::string option = ::without_value(app, given); !option.empty())
            throw CLI::ArgumentMismatch(fmt::format("there is no value behind `{}`", option));
        app.parse(argc, argv);
    } catch (const CLI::Success& e) { // --help and --version
        app.exit(e);
        return end_output(exit_done, Errors::long_form);
    } catch (const CLI::ParseError& e) {
        pm::Diagnostic wrong = pm::diagnose(pm::Diag::bad_option, {}, e.what());
        if (e.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError) && !options.file.empty() &&
            (run_command->parsed() || ir_command->parsed() || build_command->parsed()))
            wrong.help.push_back(fmt::format("write arguments of the program after --: pm {} {} -- ARGUMENTS",
                                             app.get_subcommands().front()->get_name(), ::quoted(options.file)));
        wrong.help.emplace_back("`--help` lists the options");
        report(pm::Error(std::move(wrong)), {}, form_in(given));
        return exit_usage;
    }
    options.errors = form_of(errors);
    for (int i = 0; i < argc; ++i) options.command += (i == 0 ? "pm" : " " + quoted(argv[i]));

    const bool session = app.get_subcommands().empty() || repl_command->parsed();
    int code = exit_done;
    const auto work = [&] {
        const int given = guarded(options, nullptr, [&] {
            parse_devices(devices, options.session);
            if (!options.after.empty()) check_stage(options.after);
            if (ir_architecture->count() > 0 && options.after != "ptx")
                pm::raise(pm::diagnose(pm::Diag::bad_option, {}, "--arch goes with --after=ptx"));
            return static_cast<int>(exit_done);
        });
        code = given == exit_error ? static_cast<int>(exit_usage) : given;
        if (given != exit_done) return;
        code = guarded(options, nullptr, [&] {
            if (explain_command->parsed()) return explain(options, explained);
            if (check_command->parsed()) return check(options);
            if (fmt_command->parsed()) return pm::cli::format(options);
            if (ir_command->parsed()) return show_ir(options);
            if (build_command->parsed()) return build(options);
            if (test_command->parsed()) return test(options);
            if (run_command->parsed()) return run(options);
            return repl(options); // also `pm` alone: a session, or a program from a pipe
        });
    };
    if (session) {
        mask_interrupts(SIG_BLOCK);     // for the session's thread
        pm::api::DeepStack().run(work); // the session has its own Worker
    } else if (Worker worker; !worker.run(work)) {
        write_printed();
        leave(tell_interrupted(options.errors));
    }
    return end_output(code, options.errors);
}

} // namespace

int main(int argc, char** argv) {
    try {
        return run_command(argc, argv);
    } catch (const std::exception& e) { // errors outside of guarded()
        std::fprintf(stderr, "pm: %s\n", e.what());
        return pm::cli::exit_internal;
    }
}
