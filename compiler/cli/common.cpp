#include "compiler/cli/options.hpp"
#include "compiler/stage/core/failures.hpp"
#include "compiler/syntax/parse.hpp"
#include "runtime/failure.hpp"

#include <fmt/format.h>

#include <stdio_ext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <new>

namespace pm::cli {

namespace {

/// The time of the first Ctrl-C, in seconds; 0 if Ctrl-C has not been pressed.
std::atomic<std::int64_t> first_press{0};

/// The signal handler of Ctrl-C. If Ctrl-C is pressed again after more than a second (for instance because the output
/// is blocked), the process ends. Several presses within a second count as one: a shell or `timeout` may send the
/// signal twice.
void on_interrupt(int) {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    std::int64_t first = 0;
    if (!first_press.compare_exchange_strong(first, now.tv_sec) && now.tv_sec - first > 1) _exit(exit_interrupted);
    interrupt();
}

} // namespace

void install_interrupt_handler() {
    struct sigaction action{};
    action.sa_handler = on_interrupt;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, nullptr);
}

void mask_interrupts(int how) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    pthread_sigmask(how, &set, nullptr);
}

void answer_interrupts(api::SessionOptions& session) {
    session.stage.cancel = &interrupted;
    session.stage.under_way = work_is_at;
    session.compile.compiling = [](bool begins) { compiling = begins; };
}

namespace {

Said said_of(const Error& error, const SourceMap& sources, Errors form) {
    if (const auto* syntax = dynamic_cast<const api::SyntaxErrors*>(&error)) {
        std::string text;
        const std::size_t most = form == Errors::long_form ? 20 : syntax->all().size();
        for (std::size_t i = 0; i < syntax->all().size() && i < most; ++i)
            text += error_text(syntax->all()[i], sources, form);
        if (syntax->all().size() > most) text += fmt::format("... and {} more\n", syntax->all().size() - most);
        return {text, exit_error};
    }
    return {error_text(error.diagnostic(), sources, form),
            error.diagnostic().id == Diag::interrupted ? exit_interrupted : exit_error};
}

} // namespace

Said current_error(const Options& options, const SourceMap& sources, const std::string& file) {
    const auto internal = [&](const std::string& what, const std::string& stage) {
        return Said{error_text(internal_diagnostic(what, stage, options.command, file), sources, options.errors),
                    exit_internal};
    };
    const auto told = [&](Diagnostic d) { return said_of(Error(std::move(d)), sources, options.errors); };
    try {
        throw;
    } catch (const Error& e) {
        return said_of(e, sources, options.errors);
    } catch (const runtime::Failure& f) {
        return told(stage::failure_diagnostic(f, {}));
    } catch (const runtime::JobFailure& f) {
        return told(stage::job_diagnostic(f, {}));
    } catch (const std::bad_alloc&) {
        return told(diagnose(Diag::out_of_memory, {}, "the system has no more memory"));
    } catch (const InternalError& e) {
        return internal(e.what(), e.stage());
    } catch (const std::exception& e) {
        return internal(e.what(), {});
    }
}

int report(const Error& error, const SourceMap& sources, Errors form) {
    std::fflush(stdout);
    const Said said = said_of(error, sources, form);
    say(said.text);
    return said.code;
}

namespace {

/// Writes an error. An interrupt is written only once, either by the work or by the thread that waits for the work.
void tell(const Said& said) {
    if (is_silent()) return;
    if (said.code != exit_interrupted || first_to_tell()) write_error(said.text);
}

} // namespace

int tell_interrupted(Errors form) {
    const auto [sources, place] = place_of_work();
    const Said said = said_of(Error(diagnose(Diag::interrupted, place)), sources, form);
    tell(said);
    return said.code;
}

Said error_of(const Options& options, const SourceMap* sources, const std::function<int()>& work) {
    try {
        return {{}, work()};
    } catch (...) {
        return current_error(options, sources ? *sources : SourceMap(), options.file == "-" ? "" : options.file);
    }
}

int show(const Said& said) {
    if (said.text.empty()) return said.code;
    std::fflush(stdout);
    if (heard()) tell(said);
    return said.code;
}

int guarded(const Options& options, const SourceMap* sources, const std::function<int()>& work) {
    return show(error_of(options, sources, work));
}

std::string read_file(const std::string& path) {
    return api::read_source(path, [] {
        if (interrupted) raise(diagnose(Diag::interrupted, {}));
    });
}

std::string read_input() {
    std::string text;
    char part[1 << 16];
    while (text.size() <= syntax::max_source_bytes) { // a longer text is refused
        const ssize_t got = ::read(STDIN_FILENO, part, sizeof part);
        if (got == 0) break;
        if (got > 0) {
            text.append(part, static_cast<std::size_t>(got));
            continue;
        }
        if (errno != EINTR)
            raise(diagnose(Diag::file_error, {}, fmt::format("cannot read the input: {}", std::strerror(errno))));
        if (interrupted) raise(diagnose(Diag::interrupted, {}));
    }
    return text;
}

namespace {

/// The error of a failed write, according to errno. The caller has set errno to 0 before the write.
Diagnostic output_refused() {
    const int error = errno != 0 ? errno : output_error.load();
    const char* why = error != 0 ? std::strerror(error) : "it is closed or full";
    return diagnose(Diag::file_error, {}, fmt::format("cannot write the output: {}", why));
}

[[noreturn]] void refuse_output() {
    Diagnostic refused = output_refused();
    flockfile(stdout); // the thread that waits for the work flushes too
    __fpurge(stdout);  // otherwise the flush at exit would fail a second time
    std::clearerr(stdout);
    funlockfile(stdout);
    output_error = 0;
    raise(std::move(refused));
}

} // namespace

void write_output(std::string_view text) {
    constexpr std::size_t portion = 4096; // a terminal may be slow, and Ctrl-C is polled between portions
    while (!text.empty() && heard() && !interrupted) {
        const std::string_view part = text.substr(0, portion);
        errno = 0;
        if (output_error != 0) refuse_output();
        if (std::fwrite(part.data(), 1, part.size(), stdout) != part.size() && !interrupted) refuse_output();
        text.remove_prefix(part.size());
    }
}

void write_error(std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
}

void say(std::string_view text) {
    if (heard()) write_error(text);
}

void say_messages(Options& options) {
    options.session.stage.message = say;
    options.session.stage.warning = [form = options.errors](const Diagnostic& d, const SourceMap& sources) {
        say(error_text(d, sources, form));
    };
}

int end_output(int code, Errors form) {
    errno = 0;
    const bool flushed = std::fflush(stdout) == 0;
    if (flushed && std::ferror(stdout) == 0) return code;
    const int failed = report(Error(output_refused()), {}, form);
    return code == exit_done ? failed : code;
}

void parse_devices(const std::string& text, api::SessionOptions& session) {
    const auto refuse = [&] {
        raise(diagnose(
            Diag::bad_option, {},
            fmt::format("--devices takes cpu, gpu or gpu-emulated, and :N with N from 1 to 4096, not `{}`", text)));
    };
    const std::size_t colon = text.find(':');
    const std::string kind = text.substr(0, colon);
    constexpr std::array targets{codegen::Target::cpu, codegen::Target::gpu, codegen::Target::gpu_emulated};
    const auto target =
        std::find_if(targets.begin(), targets.end(), [&](codegen::Target t) { return codegen::name(t) == kind; });
    if (target == targets.end()) refuse();
    session.compile.codegen.target = *target;
    if (colon == std::string::npos) return;
    int& devices = session.compile.plan.devices;
    const std::string_view digits = std::string_view(text).substr(colon + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), devices);
    if (error != std::errc() || end != digits.data() + digits.size() || devices < 1 || devices > 4096) refuse();
}

} // namespace pm::cli
