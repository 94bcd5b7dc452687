// Converts failures of the runtime and of checks to messages for users.
#include "compiler/stage/core/failures.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

namespace pm::stage {
namespace {

Diag id_of(runtime::FailureKind kind) {
    using Kind = runtime::FailureKind;
    switch (kind) {
    case Kind::file_missing: return Diag::file_missing;
    case Kind::file_unreadable: return Diag::file_unreadable;
    case Kind::file_unwritable: return Diag::file_unwritable;
    case Kind::file_malformed: return Diag::file_malformed;
    case Kind::file_truncated: return Diag::file_truncated;
    case Kind::file_unsupported: return Diag::file_unsupported;
    case Kind::out_of_memory:
    case Kind::memory_limit: return Diag::out_of_memory;
    case Kind::bad_argument: return Diag::file_error;
    case Kind::no_device: return Diag::no_gpu;
    case Kind::device_failed: return Diag::gpu_failed;
    }
    return Diag::file_error;
}

} // namespace

Diagnostic failure_diagnostic(const runtime::Failure& failure, Span span) {
    const Diag id = id_of(failure.kind());
    Diagnostic d = diagnose(id, span, failure.message());
    const bool placed = failure.message().find(fmt::format("line {}", failure.line)) != std::string::npos;
    if (failure.line > 0 && !placed)
        d.notes.push_back(fmt::format("line {}, column {} of the file", failure.line, failure.column));
    if (id == Diag::file_missing || id == Diag::file_unwritable) {
        std::error_code error;
        const std::filesystem::path here = std::filesystem::current_path(error);
        if (!error) d.notes.push_back(fmt::format("paths are relative to the current folder, {}", here.string()));
    }
    if (!failure.help().empty()) d.help.push_back(failure.help());
    if (id == Diag::file_missing && d.help.empty())
        d.help.emplace_back("give its path from there, or the whole path from / on");
    return d;
}

namespace {

/// The first line of the source text for a loop: "for x in xs". For a loop in the library, the source text of the
/// program's call of the library.
std::string loop_text(Span loop, const SourceMap& sources) {
    constexpr std::string_view keyword = "for ";
    const std::string_view before = sources[loop.source].text().substr(0, loop.begin);
    const std::string_view text = sources.text(loop);
    const std::string_view line = text.substr(0, text.find('\n'));
    return fmt::format("{}{}{}", before.ends_with(keyword) ? keyword : "", line,
                       line.size() < text.size() ? " ..." : "");
}

} // namespace

void note_iterations(Diagnostic& d, const SourceMap& sources) {
    constexpr std::size_t most_notes = 8;
    const std::vector<Iteration> all = std::exchange(d.iterations, {});
    for (std::size_t i = 0; i < all.size() && d.notes.size() < most_notes; ++i) {
        // All loops of one call of the library have the position of this call. Only the outermost of these loops is
        // shown.
        const bool shown = all[i].loop && (i + 1 == all.size() || all[i + 1].loop != all[i].loop);
        if (shown)
            d.notes.push_back(fmt::format("in iteration {} of `{}`", all[i].index, loop_text(all[i].loop, sources)));
    }
}

} // namespace pm::stage
