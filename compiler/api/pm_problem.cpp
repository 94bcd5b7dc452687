// Errors at the border: every exception becomes a Problem.
#include "compiler/api/pm_core.hpp"

#include "compiler/base/check.hpp"
#include "runtime/failure.hpp"

#include <fmt/format.h>

#include <new>

namespace pm::detail {

namespace {

const SourceMap& no_sources() {
    static const SourceMap none;
    return none;
}

} // namespace

Problem to_problem(const Diagnostic& d, const SourceMap* sources) {
    const SourceMap& map = sources ? *sources : no_sources();
    Problem p;
    p.code = std::string(info(d.id).code);
    p.message = d.message;
    p.text = render(d, map);
    p.help = d.help;
    if (d.span) {
        const auto at = map[d.span.source].position(d.span.begin);
        p.file = map[d.span.source].name();
        p.line = static_cast<int>(at.line);
        p.column = static_cast<int>(at.column);
    }
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
            const bool memory =
                f.kind() == runtime::FailureKind::out_of_memory || f.kind() == runtime::FailureKind::memory_limit;
            return to_problem(diagnose(memory ? Diag::out_of_memory : Diag::host_misuse, {}, f.message()), sources);
        } catch (const InternalError& e) {
            return to_problem(diagnose(Diag::internal, {}, e.what()), sources);
        } catch (const std::bad_alloc&) {
            return to_problem(diagnose(Diag::out_of_memory, {}, "the system has no more memory"), sources);
        } catch (const std::exception& e) {
            return to_problem(diagnose(Diag::internal, {}, e.what()), sources);
        } catch (...) {
            return to_problem(diagnose(Diag::internal, {}, "an exception of an unknown type"), sources);
        }
    } catch (...) { // no memory even for the message
        return {};
    }
}

} // namespace pm::detail
