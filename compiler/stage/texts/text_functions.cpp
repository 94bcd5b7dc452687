// Natives for strings that are known during staging: parts, searches, bytes.
#include "compiler/stage/texts/text_functions.hpp"

#include "compiler/stage/index/sequence.hpp"
#include "compiler/stage/interpret/texts.hpp"
#include "compiler/stage/known/known.hpp"
#include "runtime/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pm::stage::texts {
namespace {

Value encode(Stager& s, Arguments& a) {
    const std::string& text = need_text(s, a[0], a.span, "`encode`");
    return Array::from_bytes(DType::u8, {static_cast<std::int64_t>(text.size())}, text.data(), s.host().allocator);
}

Value decode(Stager& s, Arguments& a) {
    const Array* bytes = a[0].array();
    if (!bytes || bytes->dtype() != DType::u8 || bytes->rank() != 1)
        raise(diagnose(Diag::wrong_kind, a.span, "`decode`", "known bytes, u8[n]", describe(a[0])));
    runtime::ChargedText made(s.host().allocator);
    made.append({bytes->as<char>(), static_cast<std::size_t>(bytes->elements())});
    const std::string& text = made.text();
    if (const std::size_t bad = runtime::first_invalid_utf8(text, s.polling()); bad != text.size())
        raise(diagnose(Diag::wrong_kind, a.span, "`decode`", "UTF-8",
                       fmt::format("the byte {} at {}", static_cast<unsigned char>(text[bad]), bad)));
    return Value(std::move(made));
}

Value code_points(Stager& s, Arguments& a) {
    const std::string& text = need_text(s, a[0], a.span, "`text.code_points`");
    std::vector<std::int32_t> points;
    points.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        if (points.size() % parts_between_polls == 0) s.poll();
        const std::size_t bytes = runtime::utf8_length(text, at);
        // The first byte of n has 7 bits of the number, or 7 - n if n > 1. Each later byte has 6.
        std::int32_t point = static_cast<unsigned char>(text[at]) & (bytes == 1 ? 0x7F : 0x7F >> bytes);
        for (std::size_t i = 1; i < bytes; ++i) point = point << 6 | (static_cast<unsigned char>(text[at + i]) & 0x3F);
        points.push_back(point);
        at += bytes;
    }
    return Array::from_values(DType::i32, {static_cast<std::int64_t>(points.size())}, points, s.host().allocator);
}

Value of_code_points(Stager& s, Arguments& a) {
    const Array* points = a[0].array();
    if (points && points->rank() == 1 && points->elements() == 0) return std::string();
    if (!points || !runtime::is_integer(points->dtype()) || points->rank() != 1)
        raise(diagnose(Diag::wrong_kind, a.span, "`text.of_code_points`", "known numbers i32[n]", describe(a[0])));
    runtime::ChargedText made(s.host().allocator);
    std::string character;
    for (std::int64_t i = 0; i < points->elements(); ++i) {
        if (static_cast<std::size_t>(i) % parts_between_polls == 0) s.poll();
        const std::int64_t point = points->as_i64(i);
        const bool surrogate = point >= 0xD800 && point < 0xE000;
        if (point < 0 || point > 0x10FFFF || surrogate)
            raise(diagnose(Diag::wrong_kind, a.span, "`text.of_code_points`", "the numbers of characters",
                           fmt::format("{} at {}", point, i)));
        character.clear();
        runtime::append_utf8(character, static_cast<std::uint32_t>(point));
        made.append(character);
    }
    return Value(std::move(made));
}

Value text_sort(Stager& s, Arguments& a) {
    if (!a[0].tuple()) raise(diagnose(Diag::wrong_kind, a.span, "`text.sort`", "a tuple of texts", describe(a[0])));
    std::vector<Value> texts = a[0].tuple()->items;
    for (const Value& text : texts) need_text(s, text, a.span, "`text.sort`");
    std::stable_sort(texts.begin(), texts.end(), [&s](const Value& x, const Value& y) {
        s.poll();
        return *x.text() < *y.text(); // for UTF-8, the order of the bytes is the order of the code points
    });
    return Value::tuple(std::move(texts));
}

Value text_split(Stager& s, Arguments& a) {
    const std::string& text = need_text(s, a[0], a.spans[0], "splitting");
    std::vector<Value> parts;
    const auto add = [&](std::size_t from, std::size_t to) {
        if (parts.size() % parts_between_polls == 0) s.poll();
        parts.emplace_back(text.substr(from, to - from));
    };
    if (a[1].is_none()) { // without a separator, the text is split at sequences of blanks
        for (std::size_t at = 0; (at = next_after_blanks(s, text, at)) < text.size();) {
            const std::size_t end = next_blank(s, text, at);
            add(at, end);
            at = end;
        }
        return Value::tuple(std::move(parts));
    }
    const std::string& separator = need_text(s, a[1], a.spans[1], "the separator");
    if (separator.empty())
        raise(diagnose(Diag::wrong_kind, a.spans[1], "the separator", "at least one character", "\"\""));
    std::size_t at = 0;
    for (std::size_t end; (end = find_text(s, text, separator, at)) != std::string::npos; at = end + separator.size())
        add(at, end);
    add(at, text.size());
    return Value::tuple(std::move(parts));
}

Value text_join(Stager& s, Arguments& a) {
    runtime::ChargedText text(s.host().allocator);
    const std::vector<Value> made = a[0].tuple() ? std::vector<Value>() : known_elements(s, a[0], a.spans[0]);
    const std::vector<Value>& parts = a[0].tuple() ? a[0].tuple()->items : made;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (i > 0) text.append(need_text(s, a[1], a.spans[1], "the separator"));
        text.append(need_text(s, parts[i], a.spans[0], "joining"));
    }
    return Value(std::move(text));
}

Value text_replace(Stager& s, Arguments& a) {
    const std::string& text = need_text(s, a[0], a.spans[0], "replacing");
    const std::string& old = need_text(s, a[1], a.spans[1], "what is replaced");
    const std::string& by = need_text(s, a[2], a.spans[2], "the replacement");
    if (old.empty())
        raise(diagnose(Diag::wrong_kind, a.spans[1], "what is replaced", "at least one character", "\"\""));
    runtime::ChargedText made(s.host().allocator);
    std::size_t at = 0;
    std::size_t count = 0;
    for (std::size_t end; (end = find_text(s, text, old, at)) != std::string::npos; at = end + old.size()) {
        if (++count % parts_between_polls == 0) s.poll();
        made.append(std::string_view(text).substr(at, end - at));
        made.append(by);
    }
    made.append(std::string_view(text).substr(at));
    return Value(std::move(made));
}

Value text_find(Stager& s, Arguments& a) {
    const std::string& text = need_text(s, a[0], a.spans[0], "a search");
    const std::size_t at = find_text(s, text, need_text(s, a[1], a.spans[1], "what is searched"));
    if (at == std::string::npos) return Value::integer(-1);
    return Value::integer(character_count(s, std::string_view(text).substr(0, at)));
}

Value text_strip(Stager& s, Arguments& a) {
    const std::string& text = need_text(s, a[0], a.spans[0], "stripping");
    const std::size_t first = next_after_blanks(s, text, 0);
    if (first == text.size()) return std::string();
    runtime::ChargedText made(s.host().allocator);
    made.append(std::string_view(text).substr(first, text.find_last_not_of(" \t\n\r") + 1 - first));
    return Value(std::move(made));
}

template <char from, char to>
Value text_case(Stager& s, Arguments& a) {
    runtime::ChargedText text(s.host().allocator);
    text.append(need_text(s, a[0], a.spans[0], "changing case"));
    std::size_t count = 0;
    for (char& c : text.bytes()) {
        if (++count % bytes_between_polls == 0) s.poll();
        if (c >= from && c <= from + 25) c = static_cast<char>(c - from + to);
    }
    return Value(std::move(text));
}

using K = Native::Kind;
constexpr Native text_natives[] = {
    {"encode", "text", K::known, encode, "encode(text): its UTF-8 bytes, u8[n]."},
    {"decode", "bytes", K::host, decode, "decode(bytes): the text of UTF-8 bytes u8[n]."},
    {"_code_points", "text", K::known, code_points, "_code_points(text): the numbers of its characters, i32[n]."},
    {"_text_of_code_points", "points", K::host, of_code_points,
     "_text_of_code_points(points): the text of the characters with these numbers."},
    {"_text_sort", "texts", K::known, text_sort, "_text_sort(texts): the texts of a tuple, sorted."},
    {"_text_split", "text, separator=none", K::known, text_split, "_text_split(text, separator): its parts, a tuple."},
    {"_text_join", "parts, separator", K::known, text_join, "_text_join(parts, separator): one text."},
    {"_text_replace", "text, old, by", K::known, text_replace, "_text_replace(text, old, by): every `old` replaced."},
    {"_text_find", "text, part", K::known, text_find,
     "_text_find(text, part): the number of characters before part, where it begins first; or -1."},
    {"_text_strip", "text", K::known, text_strip, "_text_strip(text): without blanks at both ends."},
    {"_text_upper", "text", K::known, text_case<'a', 'A'>, "_text_upper(text): with A to Z for a to z."},
    {"_text_lower", "text", K::known, text_case<'A', 'a'>, "_text_lower(text): with a to z for A to Z."},
};

} // namespace

std::span<const Native> text_functions() { return text_natives; }

} // namespace pm::stage::texts
