// Converts failures of the runtime and of checks to messages for users.
#include "compiler/stage/core/failures.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>
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

/// Notes that tell where processes are, for the processes at each place together.
void note_places(Diagnostic& d, const runtime::Divergence& divergence) {
    std::map<std::string, std::vector<int>> processes; // by place
    for (std::size_t p = 0; p < divergence.first.size(); ++p)
        processes[divergence.first[p]].push_back(static_cast<int>(p));
    if (processes.size() == 1) // all are at one place, with different values
        return d.notes.push_back(fmt::format("they differ in {}", processes.begin()->first));
    for (const auto& [place, all] : processes)
        d.notes.push_back(fmt::format("{} at {}", runtime::processes_text(all, all.size() == 1 ? "is" : "are"),
                                      place.empty() ? "a place that is not known" : place));
    if (!divergence.last_common.empty())
        d.notes.push_back(fmt::format("all of them were at {} before", divergence.last_common));
}

} // namespace

std::string place_text(const SourceMap& sources, Span span) {
    if (!span) return {};
    const Source& source = sources[span.source];
    return fmt::format(", {}:{}", source.name(), source.position(span.begin).line);
}

Diagnostic job_diagnostic(const runtime::JobFailure& failure, Span span) {
    using Kind = runtime::JobFailureKind;
    const auto id = [&] {
        switch (failure.kind()) {
        case Kind::lost: return Diag::process_lost;
        case Kind::apart: return Diag::processes_apart;
        case Kind::stopped: return Diag::process_stopped;
        case Kind::differ: return Diag::processes_differ;
        case Kind::engine: return Diag::no_job;
        }
        return Diag::no_job;
    }();
    Diagnostic d = diagnose(id, span, failure.message());
    if (id != Diag::processes_apart) return d;
    note_places(d, failure.divergence());
    return std::move(d).fix("a condition before it depends on `process_index()`, or on a value that is not the same on "
                            "all processes, such as a file or an argument");
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
