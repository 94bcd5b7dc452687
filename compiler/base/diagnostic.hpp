#pragma once
#include "compiler/base/source.hpp"
#include "compiler/base/span.hpp"

#include <fmt/format.h>

#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pm {

enum class Severity { error, warning };

/// Every message that a user can see. Texts and codes are in diagnostic.def only.
enum class Diag {
#define DIAG(id, code, severity, text) id,
#include "compiler/base/diagnostic.def"
#undef DIAG
};

struct DiagInfo {
    std::string_view name;
    std::string_view code;
    Severity severity;
    std::string_view text; ///< a format string
};
const DiagInfo& info(Diag id);
std::size_t diagnostic_count();
/// The diagnostic with this name in diagnostic.def. nullopt if no diagnostic has this name.
std::optional<Diag> diagnostic_named(std::string_view name);

/// Another place in the source, and the text that is shown at this place.
struct Label {
    Span span;
    std::string text;
};

/// An iteration of a loop of compiled code in which a check failed.
struct Iteration {
    Span loop;
    std::int64_t index = 0; ///< counted from 0, in the order of the elements
};

/// One message as data. The outermost caller renders it, once.
struct Diagnostic {
    Diag id{};
    Span span;                 ///< the place that the caret marks
    std::string message;       ///< one line that can be understood alone
    std::string caret;         ///< text after the caret; may be empty
    std::vector<Label> labels; ///< other places that the message shows
    std::vector<std::string> notes;
    std::vector<std::string> help; ///< concrete repairs
    std::vector<Span> calls;       ///< the calls of the program that led to the place, innermost first
    std::size_t more_calls = 0;    ///< the number of further calls that led to the place
    /// The iterations of the loops around a failed check, innermost first. Empty after they have been converted to
    /// notes (stage/core/failures.hpp).
    std::vector<Iteration> iterations;

    /// Adds the next outer call. At most `most_calls` calls are kept; further calls are only counted. `call` is not
    /// added if it contains the place added before (the last call, or else `span`). The message already shows that
    /// place, and thereby also `call`. An example is an error in an argument of the call.
    void called_at(Span call);
    static constexpr std::size_t most_calls = 8;
    Span last_call;             ///< the last call that was added or only counted
    bool compiled_only = false; ///< true if interpreted code of the same function does not have this error
    /// Removes all places. They have no meaning without their sources.
    void forget_places();

    Diagnostic& label(Span where, std::string text) & {
        labels.push_back({where, std::move(text)});
        return *this;
    }
    Diagnostic&& label(Span where, std::string text) && {
        labels.push_back({where, std::move(text)});
        return std::move(*this);
    }
    Diagnostic&& under(std::string text) && {
        caret = std::move(text);
        return std::move(*this);
    }
    Diagnostic&& note(std::string text) && {
        notes.push_back(std::move(text));
        return std::move(*this);
    }
    Diagnostic&& fix(std::string text) && {
        help.push_back(std::move(text));
        return std::move(*this);
    }
};

/// A diagnostic with the text of `id` and these arguments: diagnose(Diag::unknown_name, span, "pmeen").
template <class... Args>
Diagnostic diagnose(Diag id, Span span, const Args&... args) {
    Diagnostic d;
    d.id = id;
    d.span = span;
    d.message = fmt::format(fmt::runtime(info(id).text), args...);
    return d;
}

/// The exception for an error of the user's program. Code at any depth throws it, and the outermost caller catches it.
class Error : public std::exception {
  public:
    /// Cuts texts of the diagnostic that are longer than 64 KiB.
    explicit Error(Diagnostic diagnostic);
    const Diagnostic& diagnostic() const { return diagnostic_; }
    Diagnostic& diagnostic() { return diagnostic_; }
    const char* what() const noexcept override { return diagnostic_.message.c_str(); }

  private:
    Diagnostic diagnostic_;
};

[[noreturn]] inline void raise(Diagnostic diagnostic) { throw Error(std::move(diagnostic)); }

/// The long form has code, message, source lines with carets, notes and help.
/// The short form is `file:line:column: error[PM0101]: text`.
enum class ErrorStyle { long_form, short_form };
std::string render(const Diagnostic& diagnostic, const SourceMap& sources, ErrorStyle style = ErrorStyle::long_form);

/// The candidate that is nearest to `name`: at most two edits away, or with the bytes of `name` in a different order.
/// Of several equally near candidates, the function chooses the candidate that shares most bytes with `name` at the
/// beginning and end. Empty if no candidate is near.
std::string nearest(std::string_view name, const std::vector<std::string>& candidates);

/// True for errors that end the run: the run was cancelled, or its deadline has passed.
inline bool ends_run(const Diagnostic& d) {
    switch (d.id) {
    case Diag::interrupted:
    case Diag::deadline_passed:
    case Diag::process_lost:
    case Diag::processes_apart:
    case Diag::process_stopped:
    case Diag::processes_differ:
    case Diag::no_job: return true;
    default: return false;
    }
}

} // namespace pm
