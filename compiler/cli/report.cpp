#include "compiler/cli/report.hpp"

#include "compiler/base/shortened.hpp"
#include "compiler/optimize/pass.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace pm::cli {
namespace {

using nlohmann::ordered_json;

ordered_json span_object(Span span, const SourceMap& sources) {
    const Source& source = sources[span.source];
    const auto from = source.position(span.begin);
    const auto to = source.position(span.end);
    return {{"file", source.name()},
            {"line", from.line},
            {"column", from.column},
            {"end_line", to.line},
            {"end_column", to.column}};
}

} // namespace

std::string json_text(const Diagnostic& diagnostic, const SourceMap& sources) {
    const Diagnostic d = shortened(diagnostic);
    const DiagInfo& kind = info(d.id);
    ordered_json spans = ordered_json::array();
    ordered_json labels = ordered_json::array();
    const auto place = [&](Span span, const std::string& text) {
        if (!span) return;
        spans.push_back(span_object(span, sources));
        labels.push_back(text);
    };
    place(d.span, d.caret);
    for (const Label& label : d.labels) place(label.span, label.text);
    ordered_json calls = ordered_json::array();
    for (const Span call : d.calls) calls.push_back(span_object(call, sources));
    const ordered_json object{{"code", kind.code},
                              {"name", kind.name},
                              {"severity", kind.severity == Severity::error ? "error" : "warning"},
                              {"message", d.message},
                              {"file", d.span ? ordered_json(sources[d.span.source].name()) : ordered_json()},
                              {"spans", std::move(spans)},
                              {"labels", std::move(labels)},
                              {"notes", d.notes},
                              {"fixes", d.help},
                              {"calls", std::move(calls)},
                              {"more_calls", d.more_calls}};
    // A source may have any bytes, so invalid UTF-8 is replaced.
    return object.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string error_text(const Diagnostic& d, const SourceMap& sources, Errors form) {
    switch (form) {
    case Errors::long_form: return render(d, sources, ErrorStyle::long_form);
    case Errors::short_form: return render(d, sources, ErrorStyle::short_form);
    case Errors::json: return json_text(d, sources);
    }
    PM_UNREACHABLE();
}

Diagnostic internal_diagnostic(const std::string& what, const std::string& stage, const std::string& command,
                               const std::string& file) {
    Diagnostic d = diagnose(Diag::internal, {}, what);
    d.notes.push_back(fmt::format("stage: {}", stage.empty() ? "not known" : stage));
    if (!command.empty()) d.notes.push_back(fmt::format("to reproduce: {}", command));
    d.notes.push_back(fmt::format("version: pm {}, LLVM {}", PM_VERSION, PM_LLVM_VERSION));
    constexpr std::string_view pass = "optimize, pass ";
    const std::string program = file.empty() ? "FILE" : file;
    std::string before; // the stage whose result is the input of the failed stage
    if (stage.rfind(pass, 0) == 0) {
        before = "stage";
        const std::string name = stage.substr(pass.size());
        if (const optimize::Pass* p = optimize::pass_named(name); p && p->optional)
            d.help.push_back(fmt::format("leave that pass out: --skip={}", name));
    } else if (stage == "plan") {
        before = "optimize";
    } else if (stage == "codegen") {
        before = "plan";
    } else if (stage == "run" || stage == "evaluate") {
        before = "stage";
    }
    d.help.push_back(before.empty()
                         ? "this is a bug of pm: please report it with the program that shows it"
                         : fmt::format("this is a bug of pm: please report it with the program and with what `pm ir "
                                       "--after={} {}` prints",
                                       before, program));
    return d;
}

} // namespace pm::cli
