#include "compiler/stage/texts/pattern.hpp"

#include "runtime/utf8.hpp"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <list>

namespace pm::stage::texts {
namespace {

using re2::RE2;

/// The most bytes that RE2 uses for one pattern. These bytes hold RE2's program for the pattern, and the states that
/// searches build and drop. The memory limit of an engine does not include these bytes. With this bound, the patterns
/// that a stager keeps take at most 16 MB.
constexpr std::int64_t bytes_of_pattern = std::int64_t{2} << 20;
constexpr std::size_t patterns_kept = 8;
/// The maximum length of a pattern in bytes.
constexpr std::size_t longest_pattern = std::size_t{1} << 16;

RE2::Options options() {
    RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(bytes_of_pattern);
    return options;
}

} // namespace

/// The patterns that a stager used last.
class RecentPatterns {
  public:
    std::shared_ptr<const RE2> find(std::string_view pattern) {
        const auto at = std::ranges::find(list_, pattern, [](const auto& p) { return std::string_view(p->pattern()); });
        if (at == list_.end()) return nullptr;
        list_.splice(list_.begin(), list_, at);
        return list_.front();
    }
    void add(std::shared_ptr<const RE2> pattern) {
        list_.push_front(std::move(pattern));
        if (list_.size() > patterns_kept) list_.pop_back();
    }

  private:
    std::list<std::shared_ptr<const RE2>> list_; ///< the pattern that was used last is first
};

namespace {

/// A reason why a pattern is not valid. In `text`, `{}` stands for the part of the pattern that RE2 reports.
struct Reason {
    RE2::ErrorCode code;
    const char* text;
    const char* repair = "";
};
constexpr const char* linear = "patterns have no lookahead, lookbehind, back-references or atomic groups, so that a "
                               "search takes linear time; a group is named by (?P<name>...)";
constexpr Reason reasons[] = {
    {RE2::ErrorBadEscape, "there is no escape `{}`", linear},
    {RE2::ErrorBadCharClass, "there is no class of characters `{}`"},
    {RE2::ErrorBadCharRange, "`{}` is not a range or class of characters",
     "a `-` itself is written `\\-`; classes are `\\pL`, `\\p{Greek}`, `[[:alpha:]]`"},
    {RE2::ErrorMissingBracket, "`{}` has no `]`", "a `[` itself is written `\\[`"},
    {RE2::ErrorMissingParen, "a `(` is not closed", "a `(` itself is written `\\(`"},
    {RE2::ErrorUnexpectedParen, "this `)` closes no `(`", "a `)` itself is written `\\)`"},
    {RE2::ErrorTrailingBackslash, "it ends in a single backslash", "a backslash itself is written `\\\\`"},
    {RE2::ErrorRepeatArgument, "nothing is before `{}`", "a sign itself is written with a backslash: `\\*`"},
    {RE2::ErrorRepeatSize, "the bounds of `{}` are not in order, or above 1000"},
    {RE2::ErrorRepeatOp, "`{}` repeats a repetition", "put what is repeated into a group: `(?:a*)*`"},
    {RE2::ErrorBadPerlOp, "there is no group `{}`", linear},
    {RE2::ErrorBadUTF8, "it is not UTF-8"},
    {RE2::ErrorBadNamedCapture, "`{}` does not name a group", "a name has letters, digits and `_`: (?P<name>...)"},
    {RE2::ErrorPatternTooLarge, "it is too large", "repeat less, or search in several steps"},
};

/// The index of the byte after the wrong part of the pattern. npos if the error is about the whole pattern. RE2 returns
/// the wrong part without its position, so this function searches for the position. The position is that of the first
/// occurrence of the part at which the pattern, cut off after the part, has the same error. npos too if the part occurs
/// often before this position.
std::size_t end_of_error(Stager& s, std::string_view pattern, const RE2& failed) {
    constexpr int most_tries = 64; // each compiles a part of the pattern
    const std::string part = failed.error_code() == RE2::ErrorUnexpectedParen ? ")" : failed.error_arg();
    if (part.empty() || part == pattern) return std::string_view::npos;
    std::size_t at = 0;
    for (int tries = 0; tries < most_tries && (at = pattern.find(part, at)) != std::string_view::npos; ++tries, ++at) {
        s.poll();
        const std::size_t end = at + part.size();
        if (RE2(pattern.substr(0, end), options()).error_code() == failed.error_code()) return end;
    }
    return std::string_view::npos;
}

/// The index of the escape `\C`, which matches one byte of a character. npos if the pattern has no such escape.
std::size_t byte_escape(std::string_view pattern) {
    for (std::size_t at = pattern.find('\\'); at != std::string_view::npos; at = pattern.find('\\', at + 2)) {
        const std::string_view escape = pattern.substr(at, 2);
        if (escape == "\\C") return at;
        if (escape == "\\Q") at = std::min(pattern.find("\\E", at), pattern.size());
    }
    return std::string_view::npos;
}

/// The error for a pattern that is not valid. For a long pattern, the message shows only the beginning of the pattern.
Diagnostic refused(std::string_view pattern, std::string_view why, Span span) {
    constexpr std::size_t most = 200;
    constexpr std::size_t kept = 40;
    if (pattern.size() <= most) return diagnose(Diag::bad_pattern, span, pattern, why);
    const std::size_t begin = runtime::utf8_prefix(pattern, kept);
    return diagnose(Diag::bad_pattern, span, fmt::format("{} ...", pattern.substr(0, begin)), why);
}

/// The error for a pattern that RE2 does not compile.
Diagnostic bad_pattern(Stager& s, std::string_view pattern, const RE2& failed, Span span) {
    const auto* const reason = std::ranges::find(reasons, failed.error_code(), &Reason::code);
    const std::string& part = failed.error_arg();
    std::string why = reason == std::end(reasons) ? failed.error() : fmt::format(fmt::runtime(reason->text), part);
    if (const std::size_t end = end_of_error(s, pattern, failed); end != std::string_view::npos) {
        const std::size_t begin = end - (failed.error_code() == RE2::ErrorUnexpectedParen ? 1 : part.size());
        why = fmt::format("at character {}, {}", runtime::utf8_count(pattern.substr(0, begin)), why);
    }
    Diagnostic d = refused(pattern, why, span);
    if (reason != std::end(reasons) && *reason->repair != '\0') d.help.emplace_back(reason->repair);
    return d;
}

} // namespace

std::shared_ptr<const RE2> compiled_pattern(Stager& s, std::string_view pattern, Span span) {
    auto& recent = s.recent_patterns();
    if (!recent) recent = std::make_shared<RecentPatterns>();
    if (auto known = recent->find(pattern)) return known;
    if (pattern.size() > longest_pattern)
        raise(refused(pattern, fmt::format("it has {} bytes, at most {} are allowed", pattern.size(), longest_pattern),
                      span));
    auto made = std::make_shared<const RE2>(pattern, options());
    if (!made->ok()) raise(bad_pattern(s, pattern, *made, span));
    if (const std::size_t at = byte_escape(pattern); at != std::string_view::npos)
        raise(refused(pattern,
                      fmt::format("at character {}, `\\C` matches a part of a character",
                                  runtime::utf8_count(pattern.substr(0, at))),
                      span)
                  .fix("`.` matches a character, `(?s:.)` a line end too"));
    if (made->NamedCapturingGroups().size() < made->CapturingGroupNames().size())
        raise(refused(pattern, "two of its groups have the same name", span));
    recent->add(made);
    return made;
}

} // namespace pm::stage::texts
