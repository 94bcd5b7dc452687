#include "compiler/base/check.hpp"
#include "compiler/cli/options.hpp"
#include "runtime/failure.hpp"

#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <new>

namespace pm::cli {

std::atomic<bool> interrupted{false};

namespace {

void on_interrupt(int) {
    // The second Ctrl-C in a row ends a program that does not come back.
    if (interrupted.exchange(true)) {
        std::signal(SIGINT, SIG_DFL);
        std::raise(SIGINT);
    }
}

} // namespace

void install_interrupt_handler() {
    struct sigaction action{};
    action.sa_handler = on_interrupt;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, nullptr);
}

int report(const Error& error, const SourceMap& sources, ErrorStyle style) {
    std::fflush(stdout);
    if (const auto* syntax = dynamic_cast<const api::SyntaxErrors*>(&error)) {
        constexpr std::size_t most = 20;
        for (std::size_t i = 0; i < syntax->all().size() && i < most; ++i)
            fmt::print(stderr, "{}", render(syntax->all()[i], sources, style));
        if (syntax->all().size() > most) fmt::print(stderr, "... and {} more\n", syntax->all().size() - most);
        return exit_error;
    }
    fmt::print(stderr, "{}", render(error.diagnostic(), sources, style));
    return error.diagnostic().id == Diag::interrupted ? exit_interrupted : exit_error;
}

int guarded(const Options& options, const SourceMap* sources, const std::function<int()>& work) {
    static const SourceMap none;
    try {
        return work();
    } catch (const Error& e) {
        return report(e, sources ? *sources : none, options.style);
    } catch (const runtime::Failure& f) {
        fmt::print(stderr, "error: {}\n", f.message());
        return exit_error;
    } catch (const InternalError& e) {
        fmt::print(stderr,
                   "internal error: {}\nThis is a bug of pm {}. Please report it with the program that shows it; "
                   "`pm ir --after=stage FILE` prints the program's IR.\n",
                   e.what(), PM_VERSION);
        return exit_internal;
    } catch (const std::bad_alloc&) {
        fmt::print(stderr, "error: out of memory\n");
        return exit_error;
    } catch (const std::exception& e) {
        fmt::print(stderr, "internal error: {}\nThis is a bug of pm {}.\n", e.what(), PM_VERSION);
        return exit_internal;
    }
}

std::string read_input() { return {std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()}; }

int parse_devices(const std::string& text) {
    const auto refuse = [&]() -> int {
        raise(diagnose(Diag::bad_option, {},
                       fmt::format("--devices takes cpu or cpu:N with N from 1 to 4096, not `{}`", text)));
    };
    if (text == "cpu") return 1;
    if (text.rfind("cpu:", 0) != 0 || text.size() > 8) return refuse();
    int n = 0;
    for (const char c : text.substr(4)) {
        if (c < '0' || c > '9') return refuse();
        n = n * 10 + (c - '0');
    }
    return n < 1 || n > 4096 ? refuse() : n;
}

} // namespace pm::cli
