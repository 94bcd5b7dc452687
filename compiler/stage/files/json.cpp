// JSON as values: objects are records, lists are tuples, null is `none`.
#include "compiler/stage/files/files.hpp"
#include "compiler/stage/index/sequence.hpp"
#include "compiler/stage/index/stacking.hpp"
#include "compiler/stage/known/known.hpp"
#include "compiler/stage/values/tree.hpp"
#include "runtime/io/file.hpp"
#include "runtime/utf8.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>

namespace pm::stage::files {
namespace {

using Json = nlohmann::json;

/// Builds a value from the events of the parser.
class ValueBuilder : public nlohmann::json_sax<Json> {
  public:
    /// `name`: the subject of error messages.
    ValueBuilder(Stager& s, bool arrays, std::string name, Span span)
        : s_(s), arrays_(arrays), name_(std::move(name)), span_(span) {}

    Value take() { return std::move(root_); }

    bool null() override { return add({}); }
    bool boolean(bool b) override { return add(Value::boolean(b)); }
    bool number_integer(number_integer_t i) override { return add(Value::integer(i)); }
    bool number_unsigned(number_unsigned_t i) override {
        return i > static_cast<number_unsigned_t>(INT64_MAX) ? add(Value::floating(static_cast<double>(i)))
                                                             : add(Value::integer(static_cast<std::int64_t>(i)));
    }
    bool number_float(number_float_t f, const string_t&) override { return add(Value::floating(f)); }
    bool string(string_t& text) override { return add(Value(std::move(text))); }
    bool binary(binary_t&) override { return false; }
    bool start_object(std::size_t) override { return open(true); }
    bool start_array(std::size_t) override { return open(false); }
    bool key(string_t& name) override {
        levels_.back().names.push_back(std::move(name));
        return true;
    }
    bool end_array() override {
        Value made = Value::tuple(std::move(levels_.back().values));
        levels_.pop_back();
        return add(arrays_ ? as_array(made) : made);
    }
    bool end_object() override {
        Level level = std::move(levels_.back());
        levels_.pop_back();
        std::vector<std::pair<std::string, Value>> fields;
        std::unordered_map<std::string, std::size_t>
            places; // if several fields have the same name, the last of them counts
        for (std::size_t i = 0; i < level.names.size(); ++i) {
            const auto [at, fresh] = places.emplace(level.names[i], fields.size());
            if (fresh)
                fields.emplace_back(std::move(level.names[i]), std::move(level.values[i]));
            else
                fields[at->second].second = std::move(level.values[i]);
        }
        return add(Value::record(std::move(fields)));
    }
    bool parse_error(std::size_t position, const std::string& last, const nlohmann::detail::exception& e) override {
        position_ = position;
        if (std::string_view(e.what()).find("number overflow") != std::string_view::npos)
            reason_ = fmt::format("the number {} is too large", last);
        return false;
    }
    /// The error for the string `text`, which could not be parsed.
    Diagnostic error(std::string_view text) const {
        if (too_deep_)
            return diagnose(Diag::not_json, span_, name_, fmt::format("it has more than {} levels", deepest_tree));
        const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
        std::size_t at = std::min(position_, text.size() + 1) -
                         std::min<std::size_t>(position_, 1); // index of the last byte that the parser has read
        while (at > 0 && at < text.size() && continues(text[at])) --at;
        const std::string_view before = text.substr(0, at);
        const std::size_t begin = before.rfind('\n') + 1; // index of the first byte of the line
        const auto column = std::ranges::count_if(before.substr(begin), [&](char c) { return !continues(c); }) + 1;
        std::string reason = reason_;
        if (reason.empty())
            reason = at >= text.size() ? "it ends too early"
                                       : fmt::format("unexpected `{}`", character_at(s_, text.substr(at), 0));
        return diagnose(Diag::not_json, span_, name_,
                        fmt::format("line {}, column {}: {}", std::ranges::count(before, '\n') + 1, column, reason));
    }

  private:
    struct Level {
        bool object = false;
        std::vector<std::string> names;
        std::vector<Value> values;
    };

    bool open(bool object) {
        too_deep_ = levels_.size() >= deepest_tree;
        if (!too_deep_) levels_.push_back({object, {}, {}});
        return !too_deep_;
    }
    bool add(Value v) {
        constexpr std::size_t values_between_polls = 4096;
        if (++count_ % values_between_polls == 0) s_.poll(span_);
        if (levels_.empty())
            root_ = std::move(v);
        else
            levels_.back().values.push_back(std::move(v));
        return true;
    }
    /// Converts a list of numbers, of bools, or of arrays of the same shape to an array. If all numbers are integers,
    /// the dtype is i32, or i64 if one of the integers does not fit i32. Otherwise it is f32. Other lists stay tuples.
    Value as_array(const Value& list) {
        const std::vector<Value>& items = list.tuple()->items;
        const auto fits = [&](const Value& v) {
            return v.is_numeric() && numeric_type(v).type.shape == numeric_type(items[0]).type.shape &&
                   (numeric_type(v).type.dtype == DType::b1) == (numeric_type(items[0]).type.dtype == DType::b1);
        };
        if (items.empty() || !items[0].is_numeric() || !std::ranges::all_of(items, fits)) return list;
        const auto is_integer = [](const Value& v) { return v.number() && v.number()->kind == Number::Kind::integer; };
        const bool wide = std::ranges::all_of(items, is_integer) &&
                          std::ranges::any_of(items, [](const Value& v) { return v.number()->stays_known(); });
        return stack_values(s_, items, span_, wide ? std::optional(DType::i64) : std::nullopt);
    }

    Stager& s_;
    bool arrays_;
    std::string name_;
    Span span_;
    std::vector<Level> levels_;
    Value root_;
    std::size_t count_ = 0;
    std::size_t position_ = 0;
    std::string reason_; ///< the reason for the error; if empty, the character at `position_` is unexpected
    bool too_deep_ = false;
};

/// The value of the JSON string `text`. `name` is the subject of error messages.
Value parsed_json(Stager& s, const Arguments& a, const std::string& text, const std::string& name) {
    ValueBuilder builder(s, need_bool(s, a[1], a.spans[1], "`arrays`"), name, a.span);
    if (!Json::sax_parse(text, &builder)) raise(builder.error(text));
    return builder.take();
}

Value json_parse(Stager& s, Arguments& a) {
    return parsed_json(s, a, need_text(s, a[0], a.spans[0], "`json.parse`"), "the text");
}

Value json_read(Stager& s, Arguments& a) {
    return with_files(s, a, "json.read", FileAccess::each, [&] {
        const std::string& path = path_of(s, a);
        return parsed_json(s, a, runtime::read_text(path, s.polling(), s.host().allocator), path);
    });
}

/// Writes a value as JSON.
class JsonWriter {
  public:
    JsonWriter(Stager& s, std::int64_t indent, Span span)
        : s_(s), indent_(indent), compact_(indent == 0), span_(span), out_(s.host().allocator) {}

    void write(const Value& v, std::size_t level = 0) {
        s_.poll(span_);
        if (level > deepest_tree) raise(diagnose(Diag::wrong_kind, span_, "JSON", "fewer levels", "a deeper tree"));
        if (v.is_none()) return out_.append("null");
        if (const std::string* text = v.text()) return out_.append(quoted_json(*text, span_));
        if (const Number* n = v.number(); n && !n->dtype) return number(*n);
        if (v.is_numeric()) return array(need_known(v), 0, 0, level);
        if (const Tuple* t = v.tuple())
            return list('[', ']', t->items.size(), level,
                        [&](std::size_t i) { within(fmt::format("[{}]", i), t->items[i], level); });
        const Record* r = v.record();
        if (!r) raise(refused(describe(v)));
        list('{', '}', r->fields.size(), level, [&](std::size_t i) {
            out_.append(quoted_json(r->fields[i].first, span_));
            out_.append(compact_ ? ":" : ": ");
            within("." + r->fields[i].first, r->fields[i].second, level);
        });
    }
    runtime::ChargedText take() { return std::move(out_); }
    /// The place of the value that was refused, such as ".towns[17].km".
    const std::string& place() const { return place_; }

  private:
    Diagnostic refused(const std::string& what) const {
        return diagnose(Diag::wrong_kind, span_, "JSON", "numbers, texts, `none`, tuples, records or arrays", what);
    }
    /// Writes a part of a tuple or record. If it is refused, its place is put together on the way back.
    void within(const std::string& step, const Value& part, std::size_t level) {
        try {
            write(part, level + 1);
        } catch (const Error&) {
            place_ = step + place_;
            throw;
        }
    }
    Array need_known(const Value& v) const {
        if (const Number* n = v.number()) return n->array(*n->dtype);
        const std::optional<Array> known = constant_array(s_, v, span_);
        if (!known) s_.host_work("JSON of values that are computed", span_);
        return *known;
    }
    template <class Item>
    void list(char open, char close, std::size_t count, std::size_t level, const Item& item) {
        const bool lines = indent_ > 0 && count > 0;
        const auto line = [&](std::size_t to) {
            if (lines) out_.append("\n" + std::string(static_cast<std::size_t>(indent_) * to, ' '));
        };
        out_.append({&open, 1});
        for (std::size_t i = 0; i < count; ++i) {
            if (i > 0) out_.append(lines || compact_ ? "," : ", ");
            line(level + 1);
            item(i);
        }
        line(level);
        out_.append({&close, 1});
    }
    void number(const Number& n) {
        if (n.is_complex()) raise(refused("a complex number"));
        if (n.kind == Number::Kind::boolean) return out_.append(n.i != 0 ? "true" : "false");
        if (n.kind == Number::Kind::integer) return out_.append(fmt::format("{}", n.data()));
        floating(n.f);
    }
    template <class Float>
    void floating(Float f) {
        if (!std::isfinite(f)) raise(refused(fmt::format("{}", f)).fix("write `none` for a number that is missing"));
        std::string text = fmt::format("{}", f);
        if (text.find_first_of(".e") == std::string::npos) text += ".0";
        out_.append(text);
    }
    void element(const Array& x, std::int64_t i) {
        if (x.dtype() == DType::key || runtime::is_complex(x.dtype()))
            raise(refused(fmt::format("an array of {}", runtime::name(x.dtype()))));
        if (x.dtype() == DType::b1) return out_.append(x.as_bool(i) ? "true" : "false");
        if (x.dtype() == DType::u64) return out_.append(fmt::format("{}", static_cast<std::uint64_t>(x.as_i64(i))));
        if (runtime::is_integer(x.dtype())) return out_.append(fmt::format("{}", x.as_i64(i)));
        if (x.dtype() == DType::f64) return floating(x.as_f64(i));
        floating(static_cast<float>(x.as_f64(i)));
    }
    /// Writes the part of the array that has the axes from `axis` on and begins at element `at`. Each row along the
    /// last axis is on one line.
    void array(const Array& x, int axis, std::int64_t at, std::size_t level) {
        if (axis == x.rank()) return element(x, at);
        std::int64_t step = 1;
        for (int i = axis + 1; i < x.rank(); ++i) step *= x.size(i);
        const std::int64_t before = indent_;
        if (axis + 1 == x.rank()) indent_ = 0;
        list('[', ']', static_cast<std::size_t>(x.size(axis)), level, [&](std::size_t i) {
            s_.poll(span_);
            array(x, axis + 1, at + static_cast<std::int64_t>(i) * step, level + 1);
        });
        indent_ = before;
    }

    Stager& s_;
    std::int64_t indent_; ///< spaces for each level; if 0, the value is written in one line
    bool compact_;        ///< true if no spaces are written
    Span span_;
    runtime::ChargedText out_;
    std::string place_;
};

/// The JSON string for a value. The number of spaces for each level is argument number `indent` of the call.
runtime::ChargedText json_text(Stager& s, const Arguments& a, const Value& value, std::size_t indent) {
    constexpr std::int64_t widest = 16;
    const std::int64_t spaces = need_integer(s, a[indent], a.spans[indent], "`indent`");
    if (spaces < 0 || spaces > widest)
        raise(diagnose(Diag::wrong_kind, a.spans[indent], "`indent`", "a number from 0 to 16",
                       fmt::format("{}", spaces)));
    JsonWriter writer(s, spaces, a.span);
    try {
        writer.write(value);
    } catch (Error& e) {
        if (!writer.place().empty())
            e.diagnostic().notes.push_back(fmt::format("it is the part {} of the value", writer.place()));
        throw;
    }
    return writer.take();
}

Value json_format(Stager& s, Arguments& a) { return json_text(s, a, a[0], 1); }

Value json_write(Stager& s, Arguments& a) {
    return with_files(s, a, "json.write", FileAccess::first, [&]() -> Value {
        runtime::ChargedText text = json_text(s, a, a[1], 2);
        text.append("\n");
        runtime::write_file(path_of(s, a), text.text(), s.polling(), s.host().allocator);
        return None{};
    });
}

using K = Native::Kind;
constexpr Native json_natives[] = {
    {"_json_parse", "text, arrays=false", K::known, json_parse, "json.parse"},
    {"_json_format", "value, indent=0", K::known, json_format, "json.format"},
    {"_json_read", "path, arrays=false", K::host, json_read, "json.read"},
    {"_json_write", "path, value, indent=2", K::host, json_write, "json.write", Native::gives_nothing},
};

} // namespace

std::string quoted_json(const std::string& text, Span span) {
    if (runtime::first_invalid_utf8(text) != text.size())
        raise(diagnose(Diag::wrong_kind, span, "JSON", "texts of UTF-8", "other bytes, perhaps of a file name"));
    return Json(text).dump();
}

std::span<const Native> json() { return json_natives; }

} // namespace pm::stage::files
