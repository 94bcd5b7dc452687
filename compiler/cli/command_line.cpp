#include "compiler/cli/command_line.hpp"

#include "compiler/cli/ir_text.hpp"
#include "compiler/cli/user_folder.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pm::cli {
namespace {

/// The folder for compiled code: the environment variable PM_CACHE, or a folder below the user's cache folder if
/// PM_CACHE is not set. If PM_CACHE is empty, there is no cache.
std::string cache_folder() {
    if (const char* given = std::getenv("PM_CACHE")) return given;
    const std::string caches = user_folder("XDG_CACHE_HOME", ".cache");
    return caches.empty() ? caches : caches + "/polymap";
}

/// The parts of a text between separators, without empty parts.
std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::istringstream list(text);
    for (std::string part; std::getline(list, part, separator);)
        if (!part.empty()) parts.push_back(part);
    return parts;
}

/// The folders, separated by `:`, in the environment variable PM_PATH.
std::vector<std::string> folders_of_environment() {
    const char* given = std::getenv("PM_PATH");
    return split(given == nullptr ? "" : given, ':');
}

/// An argument, quoted for a shell.
std::string quoted(const std::string& text) {
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
    if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

/// The first option that ends in `=` without a value, such as "--devices=". The parser would use the next argument as
/// the value of such an option. Empty if there is no such option.
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
        // the next argument is the value of the option
        if (equals == std::string::npos && option->get_items_expected_min() > 0) ++i;
    }
    return {};
}

/// Replaces a size such as 64MB by the number of bytes. Returns the error message; empty: no error.
std::string number_of_bytes(std::string& text) {
    const std::string given = text;
    try {
        if (CLI::AsSizeValue(false)(text).empty()) return {};
    } catch (const CLI::ValidationError&) { // the message below replaces the message of the exception
    }
    return fmt::format("`{}` is not a number of bytes, such as 64MB or 2GB", given);
}

/// The message of a command line that the parser refuses.
std::string message_of(const CLI::ParseError& e) {
    constexpr std::string_view override = " was given a disallowed flag override";
    constexpr std::string_view other = " not in {";
    std::string said = e.what();
    if (said.ends_with(override))
        return fmt::format("--{} takes no value", said.substr(0, said.size() - override.size()));
    const std::size_t list = said.find(other); // "--name: value not in {a,b}"
    if (list == std::string::npos || !said.ends_with('}')) return said;
    const std::string choices = said.substr(list + other.size(), said.size() - list - other.size() - 1);
    const std::size_t colon = std::min(said.find(": "), list);
    return fmt::format("{} does not take `{}`; it takes one of {}", said.substr(0, colon),
                       said.substr(colon + 2, list - colon - 2), fmt::join(split(choices, ','), ", "));
}

/// The passes that `--skip` accepts.
std::vector<std::string> optional_passes() {
    std::vector<std::string> names;
    for (const optimize::Pass& p : optimize::passes())
        if (p.optional) names.emplace_back(p.name);
    return names;
}

/// The form of errors with this name.
Errors form_of(std::string_view name) {
    return name == "json" ? Errors::json : name == "short" ? Errors::short_form : Errors::long_form;
}

/// The form of errors that the arguments request. For command lines that could not be parsed.
Errors form_in(std::span<char* const> arguments) {
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

/// Declares the commands and their options, and returns the parsed values.
class Declarations {
  public:
    Declarations() {
        app_.set_version_flag("--version", fmt::format("pm {} (LLVM {})", PM_VERSION, PM_LLVM_VERSION));
        app_.footer("Exit codes: 0 done, 1 an error in the program (of `pm test` also: a test that fails, or no test "
                    "found), 2 a wrong command line, 70 an error of pm, 75 a lost process, 130 "
                    "interrupted.");
        app_.option_defaults()->disable_flag_override(); // flags take no value
        options_.session.compile.codegen.cache_folder = cache_folder();
        declare_run();
        declare_check();
        declare_ir();
        declare_build();
        declare_test();
        run_options(add("repl", "an interactive session", cli::repl));
        declare_explain();
        declare_format();
        app_.require_subcommand(0, 1);
        for (CLI::App* command : app_.get_subcommands([](CLI::App*) { return true; }))
            command->get_help_ptr()->disable_flag_override();
    }

    CLI::App& app() { return app_; }

    /// The command and the values of its options. To be called once, after app().parse(). Throws pm::Error if a value
    /// is wrong.
    CommandLine take() {
        options_.errors = form_of(errors_);
        parse_devices(devices_, options_.session);
        if (!options_.after.empty()) check_stage(options_.after);
        if (command_ == cli::format && options_.files.empty())
            raise(diagnose(Diag::bad_option, {}, "`pm fmt` needs files or folders")
                      .fix("pm fmt . formats the programs of this folder; pm fmt - formats standard input"));
        for (std::string& folder : folders_of_environment())
            options_.session.stage.module_folders.push_back(std::move(folder));
        if (ir_architecture_->count() > 0 && options_.after != "ptx")
            raise(diagnose(Diag::bad_option, {}, "--arch goes with --after=ptx"));
        return {command_, exit_done, std::move(options_)};
    }

    Errors form() const { return form_of(errors_); }

    /// Returns the first argument if it is neither an option nor a command, otherwise an empty text.
    std::string unknown_command(std::span<char* const> arguments) const {
        if (!app_.get_subcommands().empty() || arguments.size() < 2 || *arguments[1] == '-') return {};
        const std::vector<std::string> all = commands();
        return std::ranges::find(all, arguments[1]) == all.end() ? arguments[1] : std::string();
    }
    std::vector<std::string> commands() const {
        std::vector<std::string> names;
        for (const CLI::App* command : app_.get_subcommands([](const CLI::App*) { return true; }))
            names.push_back(command->get_name());
        return names;
    }

    /// The name of the given command, such as "run", if the command runs the program `options.file`. Empty for other
    /// commands.
    std::string command_of_file() const {
        const bool given = !options_.file.empty() && (command_ == run || command_ == show_ir || command_ == build);
        return given ? app_.get_subcommands().front()->get_name() : std::string();
    }
    const std::string& file() const { return options_.file; }

  private:
    CLI::App* add(const std::string& name, const std::string& help, Command command) {
        return app_.add_subcommand(name, help)->preparse_callback([this, command](std::size_t) { command_ = command; });
    }

    void declare_run() {
        CLI::App* command = add("run", "run a program", cli::run);
        run_options(command);
        file_options(command);
        command->add_flag("--time", options_.time, "print the time it took, and on what");
        command->add_option("--processes", options_.processes, "start so many processes, each with its --devices")
            ->check(CLI::Range(1, 4096));
        command->add_option("--hosts", options_.hosts, "the hosts on which the processes start, one on each: a,b")
            ->delimiter(',')
            ->allow_extra_args(false);
        command
            ->add_option("--restarts", options_.restarts, "how often the processes are started again after one is lost")
            ->check(CLI::Range(0, 1000000));
        command->add_option("--patience", options_.patience, "the seconds for which a process waits for others")
            ->check(CLI::Range(0.1, 1e6))
            ->capture_default_str();
        command->add_option("--engine", options_.engine,
                            "the library that connects processes, or none; nothing: that of MPI");
    }

    void declare_check() {
        CLI::App* command = add("check", "find errors without running", cli::check);
        command->add_option("files", options_.files, "files, and folders with .pm files; - or nothing: standard input");
        devices_option(command);
        path_option(command);
        errors_option(command);
    }

    void declare_ir() {
        CLI::App* command = add("ir", "print what a program is compiled to", show_ir);
        run_options(command);
        file_options(command);
        command->add_option("--after", options_.after, "stage, lower_complex, a pass, optimize, plan, llvm, asm, ptx");
        ir_architecture_ = architecture_option(command);
    }

    void declare_build() {
        CLI::App* command = add("build", "run a program, and write what it is compiled to into files", cli::build);
        run_options(command);
        file_options(command);
        command->get_option("file")->required();
        // required, since PTX is the only output of `pm build` so far
        command->add_flag("--ptx", ptx_, "the kernels of a GPU, one file for each compiled program")->required();
        command->add_option("-o,--output", options_.folder, "the folder; nothing: FILE without .pm, and -ptx");
        architecture_option(command);
    }

    void declare_test() {
        CLI::App* command = add("test", "run the tests in programs", cli::test);
        run_options(command);
        command->add_option("files", options_.files, "files, and folders with .pm files; nothing: this folder");
        command->add_option("--filter", options_.filter, "only tests that have this text in their name");
    }

    void declare_explain() {
        CLI::App* command = add("explain", "what a diagnostic means, with an example and its repair", cli::explain);
        command->add_option("code", options_.code, "PM0204, or nothing: the list of all");
        errors_option(command);
    }

    void declare_format() {
        CLI::App* command = add("fmt", "format programs in place", cli::format);
        command->add_option("files", options_.files,
                            "files, and folders with .pm files; -: standard input to standard output");
        command->add_flag("--check", options_.check, "change nothing; list the files that are not formatted");
        errors_option(command);
    }

    void errors_option(CLI::App* command) {
        command->add_option("--errors", errors_, "long; short: one line each; json: one object per line")
            ->check(CLI::IsMember({"long", "short", "json"}))
            ->capture_default_str();
    }

    void devices_option(CLI::App* command) {
        command->add_option("--devices", devices_, "cpu, gpu or gpu-emulated, and :N for a number of them")
            ->capture_default_str();
    }

    void path_option(CLI::App* command) {
        command
            ->add_option("--path", options_.session.stage.module_folders,
                         "a folder in which imported files are searched, after that of the importing file and before "
                         "those of PM_PATH; may be repeated")
            ->allow_extra_args(false);
    }

    CLI::Option* architecture_option(CLI::App* command) {
        return command->add_option("--arch", options_.architecture, "what PTX is made for: sm_80 or sm_90a")
            ->check(CLI::IsMember({"sm_80", "sm_90a"}))
            ->capture_default_str();
    }

    void file_options(CLI::App* command) {
        command->add_option("file", options_.file, "the program; - or nothing: standard input");
        command->add_option("arguments", options_.session.stage.arguments, "`args` of the program");
        command->positionals_at_end(false);
    }

    /// The options of the commands that run programs.
    void run_options(CLI::App* command) {
        devices_option(command);
        path_option(command);
        command->add_option("--workers", options_.session.workers, "threads; 0: one per core")
            ->check(CLI::Range(0, 1024));
        command
            ->add_option("--memory", options_.session.memory_limit,
                         "bytes that arrays, values and programs may take, with a unit: 64MB, 2GB; nothing: seven "
                         "eighths of what is available")
            ->transform(CLI::Validator(number_of_bytes, "BYTES"))
            ->check(CLI::Range(std::size_t{1} << 16, std::size_t{1} << 50, "BYTES of 64KB or more"));
        meaning_options(command);
        stage_options(command);
        compile_options(command);
        errors_option(command);
    }

    /// Options on which the bits of results depend.
    void meaning_options(CLI::App* command) {
        plan::Options& plan = options_.session.compile.plan;
        command->add_flag("--exact-sharding", plan.exact_sharding,
                          "sums over devices have the same bits for every number of devices");
        command->add_flag("--flush-subnormals", options_.session.flush_subnormals,
                          "a processor replaces subnormal numbers by 0 (faster where there are many)");
        command->add_flag("--deterministic", plan.deterministic,
                          "a GPU adds floats in the order of a processor where another is faster");
        command
            ->add_option("--precision", plan.precision,
                         "of products of matrices on a GPU, where they do not say it: default (f32 as TF32), high or "
                         "highest")
            ->check(CLI::IsMember(std::vector<std::string>(ir::precision::all.begin(), ir::precision::all.end())))
            ->take_last()
            ->capture_default_str();
        command->add_flag("--evaluate", options_.session.evaluate,
                          "run by the reference interpreter instead of compiling (slow)");
    }

    void stage_options(CLI::App* command) {
        stage::Options& stage = options_.session.stage;
        command->add_flag("--explain", stage.explain, "say what is compiled for which types, and what is interpreted");
        command->add_flag("--explain-grad", stage.explain_grad,
                          "say what each derivative keeps, its bytes, and what it computes again");
        command->add_flag("--check-nans", stage.check_nans,
                          "stop at the first operation that makes a NaN from numbers (slower)");
        command->add_flag("--check-overflow", stage.check_overflow,
                          "stop at the first operation whose integer result wraps around (slower)");
    }

    void compile_options(CLI::App* command) {
        api::CompileOptions& compile = options_.session.compile;
        command->add_flag_callback("--no-fuse", [&] { compile.plan.fuse = false; }, "one loop nest per operation");
        command->add_option("--skip", compile.plan.passes.skip, "leave out optimisation passes")
            ->check(CLI::IsMember(optional_passes()))
            ->delimiter(',')
            ->allow_extra_args(false);
        command->add_flag_callback(
            "--verify", [this] { options_.session.verify(); }, "check the IR and the plan after every step");
        command
            ->add_option("--vector-bits", compile.codegen.vector_bits,
                         "width of vectors in bits: 128, 256 or 512; 0: that of the processor")
            ->check(CLI::IsMember({0, 128, 256, 512}));
        command
            ->add_option_function<int>(
                "--function-size",
                [&](int size) {
                    if (size > 0) compile.codegen.function_size = size;
                },
                "instructions, about, at which a compiled function is cut; 0: the usual number")
            ->check(CLI::Range(0, 1000000));
        command->add_flag_callback(
            "--plain-code", [&] { compile.codegen.optimize = false; },
            "code of the processor that LLVM does not optimise: faster to make, slower to run");
    }

    CLI::App app_{"Polymap: an array language with pmap, vmap, grad and pmean"};
    Options options_;
    Command command_ = cli::repl; ///< `pm` without a command is a session, or runs a program from a pipe
    std::string devices_ = "cpu";
    std::string errors_ = "long";
    bool ptx_ = false;
    const CLI::Option* ir_architecture_ = nullptr;
};

Diagnostic unknown(const std::string& command, const std::vector<std::string>& commands) {
    Diagnostic d = diagnose(Diag::bad_option, {}, fmt::format("there is no command `{}`", command));
    if (command.ends_with(".pm"))
        d.help.push_back(fmt::format("pm run {} runs a program", quoted(command)));
    else if (const std::string near = nearest(command, commands); !near.empty())
        d.help.push_back(fmt::format("did you mean `pm {}`?", near));
    d.help.push_back(fmt::format("the commands are {}", fmt::join(commands, ", ")));
    return d;
}

} // namespace

CommandLine read_command_line(int argc, char** argv) {
    const std::span<char* const> given{argv, static_cast<std::size_t>(argc)};
    Declarations declared;
    const auto without_command = [](int code, Errors form) {
        CommandLine line{nullptr, code, {}};
        line.options.errors = form;
        return line;
    };
    const auto refuse = [&](const Error& error, Errors form) {
        report(error, {}, form);
        return without_command(exit_usage, form);
    };
    try {
        if (const std::string option = without_value(declared.app(), given); !option.empty())
            throw CLI::ArgumentMismatch(fmt::format("`{}` has no value", option));
        declared.app().parse(argc, argv);
        CommandLine line = declared.take();
        line.options.words.assign(given.begin(), given.end());
        for (int i = 0; i < argc; ++i) line.options.command += (i == 0 ? "pm" : " " + quoted(argv[i]));
        return line;
    } catch (const CLI::Success& e) { // --help and --version
        declared.app().exit(e);
        return without_command(exit_done, form_in(given));
    } catch (const CLI::ParseError& e) {
        if (const std::string command = declared.unknown_command(given); !command.empty())
            return refuse(Error(unknown(command, declared.commands())), form_in(given));
        Diagnostic wrong = diagnose(Diag::bad_option, {}, message_of(e));
        const bool extra = e.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
        if (const std::string command = declared.command_of_file(); extra && !command.empty())
            wrong.help.push_back(fmt::format("write arguments of the program after --: pm {} {} -- ARGUMENTS", command,
                                             quoted(declared.file())));
        wrong.help.emplace_back("`--help` lists the options");
        return refuse(Error(std::move(wrong)), form_in(given));
    } catch (const Error& e) {
        return refuse(e, declared.form());
    }
}

} // namespace pm::cli
