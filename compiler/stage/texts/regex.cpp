// Regular expressions, for the module `regex`. They use RE2, which searches in linear time.
#include "compiler/stage/texts/pattern.hpp"
#include "compiler/stage/texts/text_functions.hpp"

#include "compiler/stage/index/sequence.hpp"
#include "compiler/stage/interpret/texts.hpp"
#include "compiler/stage/known/known.hpp"
#include "compiler/stage/values/tree.hpp"
#include "runtime/utf8.hpp"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <functional>
#include <map>

namespace pm::stage::texts {
namespace {

using re2::RE2;
using re2::StringPiece;

/// The first arguments of all natives in this file.
struct Search {
    const std::string& text;
    std::shared_ptr<const RE2> pattern;

    Search(Stager& s, const Arguments& a)
        : text(need_text(s, a[0], a.spans[0], "the text of a search")),
          pattern(compiled_pattern(s, need_text(s, a[1], a.spans[1], "the pattern"), a.spans[1])) {}

    /// A list of empty strings with the right length for the parts of a match. The parts are the whole match, and then
    /// the matches of the pattern's capturing groups.
    std::vector<StringPiece> parts() const {
        return std::vector<StringPiece>(static_cast<std::size_t>(pattern->NumberOfCapturingGroups()) + 1);
    }
    std::size_t begin_of(StringPiece part) const { return static_cast<std::size_t>(part.data() - text.data()); }
    bool match(std::size_t from, RE2::Anchor anchor, std::vector<StringPiece>& parts) const {
        return pattern->Match(text, from, text.size(), anchor, parts.data(), static_cast<int>(parts.size()));
    }
    /// Calls `use` with the parts of each match, from left to right. Matches do not overlap. An empty match directly
    /// after another match does not count.
    void each(Stager& s, const std::function<void(const std::vector<StringPiece>&)>& use) const {
        std::vector<StringPiece> found = parts();
        std::size_t last_end = std::string::npos;
        std::size_t at = 0;
        while (at <= text.size() && match(at, RE2::UNANCHORED, found)) {
            s.poll();
            const std::size_t begin = begin_of(found[0]);
            if (found[0].empty() && begin == last_end) {
                for (at = begin + 1; at < text.size() && runtime::utf8_continues(text[at]);) ++at;
                continue;
            }
            use(found);
            at = last_end = begin + found[0].size();
        }
    }
};

/// Builds the records of matches. The matches must be passed in the order of the text, so the characters of the text
/// are counted only once.
class MatchRecords {
  public:
    MatchRecords(Stager& s, const Search& search) : s_(s), search_(search) {}

    Value record(const std::vector<StringPiece>& parts) {
        const std::int64_t start = character_at_byte(search_.begin_of(parts[0]));
        const std::int64_t stop = character_at_byte(search_.begin_of(parts[0]) + parts[0].size());
        return Value::record({{"text", text_of(parts[0])},
                              {"start", Value::integer(start)},
                              {"stop", Value::integer(stop)},
                              {"groups", parts.size() == 1 ? no_groups_ : groups_of(parts)},
                              {"named", names_.empty() ? no_names_ : named_groups_of(parts)}});
    }

  private:
    /// The string of a part of a match. `none` for a group that takes no part in the match.
    static Value text_of(StringPiece part) { return part.data() ? Value(std::string(part)) : Value(); }
    static Value groups_of(const std::vector<StringPiece>& parts) {
        std::vector<Value> groups;
        groups.reserve(parts.size() - 1);
        for (std::size_t i = 1; i < parts.size(); ++i) groups.push_back(text_of(parts[i]));
        return Value::tuple(std::move(groups));
    }
    Value named_groups_of(const std::vector<StringPiece>& parts) const {
        std::vector<std::pair<std::string, Value>> groups;
        groups.reserve(names_.size());
        for (const auto& [index, name] : names_)
            groups.emplace_back(name, text_of(parts[static_cast<std::size_t>(index)]));
        return Value::record(std::move(groups));
    }
    std::int64_t character_at_byte(std::size_t byte) {
        characters_ += character_count(s_, std::string_view(search_.text).substr(bytes_, byte - bytes_));
        bytes_ = byte;
        return characters_;
    }

    Stager& s_;
    const Search& search_;
    const std::map<int, std::string>& names_ = search_.pattern->CapturingGroupNames();
    const Value no_groups_ = Value::tuple({}); ///< shared by all matches of a pattern without groups
    const Value no_names_ = Value::record({});
    std::size_t bytes_ = 0;
    std::int64_t characters_ = 0;
};

Value regex_test(Stager& s, Arguments& a) {
    const Search search(s, a);
    return Value::boolean(RE2::PartialMatch(search.text, *search.pattern));
}

template <RE2::Anchor anchor>
Value regex_first(Stager& s, Arguments& a) {
    const Search search(s, a);
    std::vector<StringPiece> parts = search.parts();
    return search.match(0, anchor, parts) ? MatchRecords(s, search).record(parts) : Value();
}

Value regex_find_all(Stager& s, Arguments& a) {
    const Search search(s, a);
    MatchRecords records(s, search);
    std::vector<Value> found;
    search.each(s, [&](const std::vector<StringPiece>& parts) { found.push_back(records.record(parts)); });
    return Value::tuple(std::move(found));
}

Value regex_split(Stager& s, Arguments& a) {
    const Search search(s, a);
    std::vector<Value> parts;
    std::size_t at = 0;
    search.each(s, [&](const std::vector<StringPiece>& found) {
        if (found[0].empty()) return;
        const std::size_t begin = search.begin_of(found[0]);
        parts.emplace_back(search.text.substr(at, begin - at));
        at = begin + found[0].size();
    });
    parts.emplace_back(search.text.substr(at));
    return Value::tuple(std::move(parts));
}

/// Raises if the replacement refers to a group that the pattern does not have, or has another invalid use of a
/// backslash.
void check_replacement(const RE2& pattern, const std::string& by, Span span) {
    std::string ignored;
    if (pattern.CheckRewriteString(by, &ignored)) return;
    const int most = std::min(pattern.NumberOfCapturingGroups(), 9);
    raise(diagnose(Diag::wrong_kind, span, "the replacement",
                   fmt::format("{} or a second backslash after each backslash",
                               most == 0 ? "the digit 0 (the match)"
                                         : fmt::format("a digit from 0 (the match) to {} (the last group)", most)),
                   quoted_text(by)));
}

/// Appends the replacement of a match. `by` is a valid replacement: a digit or a backslash is after each backslash.
void append_replacement(runtime::ChargedText& made, std::string_view by, const std::vector<StringPiece>& found) {
    for (std::size_t at = 0; at < by.size();) {
        const std::size_t end = std::min(by.find('\\', at), by.size());
        made.append(by.substr(at, end - at));
        if (end == by.size()) return;
        const char reference = by[end + 1];
        if (reference == '\\')
            made.append(by.substr(end, 1));
        else
            made.append(std::string_view(found[static_cast<std::size_t>(reference - '0')]));
        at = end + 2;
    }
}

Value regex_replace(Stager& s, Arguments& a) {
    const Search search(s, a);
    const std::string& by = need_text(s, a[2], a.spans[2], "the replacement");
    check_replacement(*search.pattern, by, a.spans[2]);
    runtime::ChargedText made(s.host().allocator);
    std::size_t at = 0;
    search.each(s, [&](const std::vector<StringPiece>& found) {
        const std::size_t begin = search.begin_of(found[0]);
        made.append(std::string_view(search.text).substr(at, begin - at));
        append_replacement(made, by, found);
        at = begin + found[0].size();
    });
    made.append(std::string_view(search.text).substr(at));
    return Value(std::move(made));
}

Value regex_escape(Stager& s, Arguments& a) { return RE2::QuoteMeta(need_text(s, a[0], a.spans[0], "`regex.escape`")); }

using K = Native::Kind;
constexpr Native pattern_natives[] = {
    {"_regex_test", "s, pattern", K::known, regex_test, "_regex_test(s, pattern): whether a part of s matches."},
    {"_regex_find", "s, pattern", K::known, regex_first<RE2::UNANCHORED>,
     "_regex_find(s, pattern): the record of the first match, or `none`."},
    {"_regex_match", "s, pattern", K::known, regex_first<RE2::ANCHOR_BOTH>,
     "_regex_match(s, pattern): the record of the match of the whole of s, or `none`."},
    {"_regex_find_all", "s, pattern", K::known, regex_find_all,
     "_regex_find_all(s, pattern): the records of all matches."},
    {"_regex_replace", "s, pattern, by", K::known, regex_replace,
     "_regex_replace(s, pattern, by): s with each match replaced."},
    {"_regex_split", "s, pattern", K::known, regex_split, "_regex_split(s, pattern): the parts between the matches."},
    {"_regex_escape", "s", K::known, regex_escape, "_regex_escape(s): a pattern that matches exactly s."},
};

} // namespace

std::span<const Native> patterns() { return pattern_natives; }

} // namespace pm::stage::texts
