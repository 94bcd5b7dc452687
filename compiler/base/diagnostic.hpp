#pragma once
#include "compiler/base/source.hpp"
#include "compiler/base/span.hpp"

#include <fmt/format.h>

#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace pm {

enum class Severity { error, warning };

/// Every message a user can see; the texts and codes stand in diagnostic.def and nowhere else.
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

/// A second place and what is to be seen there.
struct Label {
    Span span;
    std::string text;
};

/// One message as data: rendering is done once, at the outside.
struct Diagnostic {
    Diag id{};
    Span span;                 ///< the place of the caret
    std::string message;       ///< one line that makes sense alone
    std::string caret;         ///< text beside the caret; may be empty
    std::vector<Label> labels; ///< other places that take part
    std::vector<std::string> notes;
    std::vector<std::string> help; ///< concrete repairs

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

/// Fills the census text of `id`: diagnose(Diag::unknown_name, span, "pmeen").
template <class... Args>
Diagnostic diagnose(Diag id, Span span, const Args&... args) {
    Diagnostic d;
    d.id = id;
    d.span = span;
    d.message = fmt::format(fmt::runtime(info(id).text), args...);
    return d;
}

/// What is thrown for a user's mistake, from any depth, and caught at the outside.
class Error : public std::exception {
  public:
    /// Texts of the diagnostic that are longer than a person reads are cut.
    explicit Error(Diagnostic diagnostic);
    const Diagnostic& diagnostic() const { return diagnostic_; }
    Diagnostic& diagnostic() { return diagnostic_; }
    const char* what() const noexcept override { return diagnostic_.message.c_str(); }

  private:
    Diagnostic diagnostic_;
};

[[noreturn]] inline void raise(Diagnostic diagnostic) { throw Error(std::move(diagnostic)); }

/// Long: code, message, source lines with carets, notes and help. Short: `file:line:column: error[PM0101]: text`.
enum class ErrorStyle { long_form, short_form };
std::string render(const Diagnostic& diagnostic, const SourceMap& sources, ErrorStyle style = ErrorStyle::long_form);

/// The candidate nearest to `name` within two edits (or the same letters in another order), or empty; of those equally
/// near the one with the longest beginning and end in common.
std::string nearest(std::string_view name, const std::vector<std::string>& candidates);

} // namespace pm
