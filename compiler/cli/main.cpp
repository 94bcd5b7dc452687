#include "compiler/cli/command_line.hpp"
#include "compiler/cli/job_run.hpp"

#include <csignal>
#include <cstdio>
#include <exception>

namespace {

int run_command(int argc, char** argv) {
    using namespace pm::cli;
    install_interrupt_handler(); // first, so that the exit code after Ctrl-C is always 130
    auto [command, code, options] = read_command_line(argc, argv);
    if (command == nullptr) return end_output(code, options.errors);
    const auto work = [&] { code = guarded(options, nullptr, [&] { return command(options); }); };
    if (starts_processes(options)) {
        code = guarded(options, nullptr, [&] { return launch(options); });
    } else if (command == repl) {
        mask_interrupts(SIG_BLOCK);     // blocked here, so that the thread of the session handles Ctrl-C
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
