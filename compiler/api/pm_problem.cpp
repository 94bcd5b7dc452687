// Errors of the public interface: every exception becomes a Problem.
#include "compiler/api/pm_core.hpp"

#include "compiler/base/check.hpp"
#include "compiler/base/shortened.hpp"
#include "compiler/stage/core/failures.hpp"
#include "runtime/failure.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <new>

namespace pm::detail {

namespace {

const SourceMap& no_sources() {
    static const SourceMap none;
    return none;
}

Place place_of(Span span, std::string text, const SourceMap& map) {
    const auto begin = map[span.source].position(span.begin);
    const auto end = map[span.source].position(span.end);
    return {map[span.source].name(),    static_cast<int>(begin.line), static_cast<int>(begin.column),
            static_cast<int>(end.line), static_cast<int>(end.column), std::move(text)};
}

} // namespace

Problem to_problem(const Diagnostic& diagnostic, const SourceMap* sources) {
    Diagnostic d = shortened(diagnostic);
    if (!sources) d.forget_places();
    const SourceMap& map = sources ? *sources : no_sources();
    Problem p;
    p.code = std::string(info(d.id).code);
    p.message = d.message;
    p.text = render(d, map);
    p.help = d.help;
    p.notes = d.notes;
    if (d.span) {
        Place at = place_of(d.span, {}, map);
        p.file = std::move(at.file);
        p.line = at.line;
        p.column = at.column;
        p.end_line = at.end_line;
        p.end_column = at.end_column;
    }
    for (const Label& label : d.labels)
        if (label.span) p.labels.push_back(place_of(label.span, label.text, map));
    for (const Span call : d.calls) p.calls.push_back(place_of(call, {}, map));
    return p;
}

Problem current_problem(const SourceMap* sources) noexcept {
    try {
        try {
            throw;
        } catch (const api::SyntaxErrors& e) {
            Problem first = to_problem(e.diagnostic(), sources);
            for (std::size_t i = 1; i < e.all().size(); ++i) first.others.push_back(to_problem(e.all()[i], sources));
            return first;
        } catch (const Error& e) {
            return to_problem(e.diagnostic(), sources);
        } catch (const runtime::Failure& f) {
            if (f.kind() == runtime::FailureKind::bad_argument)
                return to_problem(diagnose(Diag::host_misuse, {}, f.message()), sources);
            return to_problem(stage::failure_diagnostic(f, {}), sources);
        } catch (const runtime::JobFailure& f) {
            return to_problem(stage::job_diagnostic(f, {}), sources);
        } catch (const InternalError& e) {
            return to_problem(diagnose(Diag::internal, {}, e.what()), sources);
        } catch (const std::bad_alloc&) {
            return to_problem(diagnose(Diag::out_of_memory, {}, "the system has no more memory"), sources);
        } catch (const std::exception& e) {
            return to_problem(diagnose(Diag::internal, {}, e.what()), sources);
        } catch (...) {
            return to_problem(diagnose(Diag::internal, {}, "an exception of an unknown type"), sources);
        }
    } catch (...) { // there is no memory for the message
        return {};
    }
}

} // namespace pm::detail

namespace pm::inline host {

void abort_without_value(const Problem& problem) noexcept {
    const std::string& told = problem.text.empty() ? problem.message : problem.text;
    std::fprintf(stderr,
                 "polymap: a pm::Result without a value was used; test it first, or call value(), which throws\n%s\n",
                 told.c_str());
    std::abort();
}

} // namespace pm::inline host
