#include "compiler/cli/time_text.hpp"

#include "compiler/base/count.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace pm::cli {

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

} // namespace pm::cli
