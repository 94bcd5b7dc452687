#include "runtime/io/formats/csv_column.hpp"

#include "runtime/failure.hpp"
#include "runtime/io/formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>

namespace pm::runtime {

std::string_view trimmed(std::string_view text) {
    const auto blank = [](char c) { return c == ' ' || c == '\t'; };
    while (!text.empty() && blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && blank(text.back())) text.remove_suffix(1);
    return text;
}

namespace {

constexpr std::array<std::array<std::string_view, 3>, 2> spellings_of_bools = {
    {{"false", "False", "FALSE"}, {"true", "True", "TRUE"}}};

/// Removes a leading plus, which from_chars does not accept.
std::string_view without_plus(std::string_view text) {
    if (text.size() > 1 && text[0] == '+' && text[1] != '-' && text[1] != '+') text.remove_prefix(1);
    return text;
}

std::optional<std::int64_t> whole_number(std::string_view text) {
    text = without_plus(text);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

/// True if the type has this whole number.
template <class Float>
bool has_whole(std::int64_t whole) {
    constexpr std::int64_t every_whole = std::int64_t{1} << std::numeric_limits<Float>::digits;
    if (-every_whole <= whole && whole <= every_whole) return true;
    const auto rounded = static_cast<Float>(whole);
    return std::abs(rounded) < static_cast<Float>(0x1p63) && static_cast<std::int64_t>(rounded) == whole;
}

/// The number of the text in f64. Nullopt if the text is no number.
std::optional<double> wide_number(std::string_view text) {
    const std::string_view digits = without_plus(text);
    double value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (end == digits.data() + digits.size() && error == std::errc{}) return value;
    return csv_number(text); // 0 or infinite
}

/// True if the f64 of a text may be rounded to another f32 than the text: if it is the mean of two f32, or subnormal.
bool rounds_twice(double value) {
    constexpr std::uint64_t below_f32 = (std::uint64_t{1} << 29) - 1;
    constexpr std::uint64_t mean = std::uint64_t{1} << 28;
    if (std::isnan(value)) return false;
    return (std::bit_cast<std::uint64_t>(value) & below_f32) == mean ||
           std::abs(value) < static_cast<double>(std::numeric_limits<float>::min());
}

} // namespace

std::optional<float> csv_number(std::string_view text) {
    text = without_plus(text);
    const char* last = text.data() + text.size();
    float value = 0;
    const auto [end, error] = std::from_chars(text.data(), last, value);
    if (end != last || text.empty()) return std::nullopt;
    if (error == std::errc{}) return value;
    if (error != std::errc::result_out_of_range) return std::nullopt;
    // The number is too large or too small for f32. If f64 can represent the number, the conversion of the f64 to f32
    // shows which. Otherwise the exponent of the text shows which.
    double wide = 0;
    if (std::from_chars(text.data(), last, wide).ec == std::errc{}) return static_cast<float>(wide);
    const bool negative = text.front() == '-';
    const std::size_t exponent = text.find_first_of("eE");
    const bool tiny = exponent != std::string_view::npos && exponent + 1 < text.size() && text[exponent + 1] == '-';
    const float magnitude = tiny ? 0.0F : std::numeric_limits<float>::infinity();
    return negative ? -magnitude : magnitude;
}

std::optional<bool> csv_bool(std::string_view text) {
    for (const bool value : {false, true})
        for (const std::string_view spelling : spellings_of_bools[value ? 1 : 0])
            if (text == spelling) return value;
    return std::nullopt;
}

std::string with_point(std::string_view text) {
    const std::size_t comma = text.find(',');
    if (comma == std::string_view::npos) return {};
    std::string point(text);
    point[comma] = '.';
    return csv_number(point) ? point : std::string();
}

std::string help_for_number(std::string_view text, char delimiter, std::string otherwise) {
    if (std::string help = read_with_other(text, delimiter); !help.empty()) return help;
    if (const std::string point = with_point(text); !point.empty())
        return fmt::format("decimal=\",\" reads it as {}", point);
    return otherwise;
}

bool is_missing(const CsvField& field, const std::vector<std::string>& missing) {
    return !field.quoted && std::ranges::find(missing, trimmed(field.text)) != missing.end();
}

std::string_view number_text(const CsvField& field, const CsvOptions& options, std::string& buffer) {
    const std::string_view text = trimmed(field.text);
    if (options.decimal != ',') return text;
    buffer = with_point(text);
    return buffer.empty() ? text : std::string_view(buffer);
}

void CsvColumnReader::add(const CsvField& field) {
    if (is_missing(field, options_.missing)) return add_missing(field);
    std::string buffer;
    const std::string_view text = number_text(field, options_, buffer);
    const bool is_number = type_.kind == CsvKind::guessed || type_.kind == CsvKind::number;
    if (options_.decimal == ',' && is_number && buffer.empty()) require_no_point(field, text);
    switch (type_.kind) {
    case CsvKind::guessed: return add_guessed(field, text);
    case CsvKind::number: return is_float(type_.dtype) ? add_number(field, text) : add_whole(field, text);
    case CsvKind::text: return add_text(field);
    case CsvKind::category: return add_category(field);
    case CsvKind::date: return add_date(field, text);
    }
}

void CsvColumnReader::add_guessed(const CsvField& field, std::string_view text) {
    const bool first = guess_ == Guess::nothing;
    if (guess_ == Guess::text || (field.quoted && options_.text_columns && first)) {
        if (!field.quoted && csv_number(text)) fail_mixed(field, text);
        return add_text(field);
    }
    const std::optional<std::int64_t> whole = whole_number(text);
    const bool whole_column = first || guess_ == Guess::whole || guess_ == Guess::wide_whole;
    if (whole && whole_column && leading_.empty()) return add_guessed_whole(*whole);
    if (const auto value = wide_number(text)) {
        become_floats(field);
        const bool is_beyond_i64 =
            !whole && std::abs(*value) >= 0x1p63 && text.find_first_of(".eEiI") == std::string_view::npos;
        if (is_beyond_i64 && fmt::format("{:.0f}", *value) != without_plus(text)) fail_inexact(field, text);
        if (whole) require_f64(field, *whole);
        const bool is_beyond_f32 =
            std::isfinite(*value) && std::abs(*value) > static_cast<double>(std::numeric_limits<float>::max());
        needs_f64_ = needs_f64_ || is_beyond_i64 || is_beyond_f32 || (whole && !has_whole<float>(*whole));
        add_double(text, *value);
        return;
    }
    if (options_.text_columns && first && !text.empty()) {
        if (!field.quoted) require_no_comma(field, text);
        return add_text(field);
    }
    if (text.empty())
        fail(field, fmt::format("the field of {} is empty", excerpt(label_)), "write nan where a number is missing");
    const std::string help =
        fmt::format("write a number, or nan where one is missing; types={{{}: \"text\"}} reads the "
                    "column as text, {} reads this text as missing",
                    label_, with_missing(text));
    fail(field, fmt::format("'{}' in {} is not a number", excerpt(text), excerpt(label_)),
         help_for_number(text, options_.delimiter, help));
}

void CsvColumnReader::add_guessed_whole(std::int64_t value) {
    if (guess_ != Guess::wide_whole) {
        const auto narrow = static_cast<std::int32_t>(value);
        guess_ = Guess::whole;
        if (narrow == value) return wholes_.push_back(narrow);
        guess_ = Guess::wide_whole;
        longs_.assign(wholes_.begin(), wholes_.end());
        wholes_ = {};
    }
    longs_.push_back(value);
}

void CsvColumnReader::add_missing(const CsvField& field) {
    switch (type_.kind) {
    case CsvKind::text: return add_text(field);
    case CsvKind::category: return add_category(field);
    case CsvKind::date:
        fail(field, fmt::format("the field of {} is missing, and a date has no value for that", excerpt(label_)),
             fmt::format("read the column as text: types={{{}: \"text\"}}", label_));
    case CsvKind::number:
        if (is_float(type_.dtype)) return doubles_.push_back(std::numeric_limits<double>::quiet_NaN());
        fail(field, fmt::format("the field of {} is missing, and {} has no NaN", excerpt(label_), name(type_.dtype)),
             fmt::format("read the column as floats: types={{{}: f64}}", label_));
    case CsvKind::guessed: break;
    }
    if (guess_ == Guess::text) return add_text(field);
    if (guess_ == Guess::nothing) {
        leading_.emplace_back(field.text);
        return;
    }
    become_floats(field);
    doubles_.push_back(std::numeric_limits<double>::quiet_NaN());
}

void CsvColumnReader::add_number(const CsvField& field, std::string_view text) {
    if (const auto value = wide_number(text)) return add_double(text, *value);
    fail(field, fmt::format("'{}' in {} is not a number", excerpt(text), excerpt(label_)),
         help_for_number(text, options_.delimiter,
                         fmt::format("write a number, or name the texts of missing entries: {}", with_missing(text))));
}

void CsvColumnReader::add_whole(const CsvField& field, std::string_view text) {
    if (const auto value = csv_bool(text); value && type_.dtype == DType::b1) return longs_.push_back(*value ? 1 : 0);
    const std::string_view digits = without_plus(text);
    const char* const last = digits.data() + digits.size();
    std::int64_t value = 0;
    std::uint64_t large = 0;
    const bool is_u64 = type_.dtype == DType::u64;
    const auto [end, error] =
        is_u64 ? std::from_chars(digits.data(), last, large) : std::from_chars(digits.data(), last, value);
    if (end == last && error == std::errc{}) {
        if (is_u64) value = static_cast<std::int64_t>(large);
        std::uint64_t bits = 0;
        write_i64(type_.dtype, &bits, 0, value);
        const bool fits = is_u64 || read_i64(type_.dtype, &bits, 0) == value;
        if (fits) return longs_.push_back(value);
    }
    if (type_.dtype == DType::b1 && !csv_number(text))
        fail(field, fmt::format("'{}' in {} is not a bool", excerpt(text), excerpt(label_)),
             fmt::format("write true or false, or read the column as text: types={{{}: \"text\"}}", label_));
    if (!csv_number(text))
        fail(field, fmt::format("'{}' in {} is not a whole number", excerpt(text), excerpt(label_)),
             help_for_number(text, options_.delimiter, "write a whole number, or give the column another type"));
    fail(field, fmt::format("{} in {} does not fit {}", excerpt(text), excerpt(label_), name(type_.dtype)),
         fmt::format("give the column another type: types={{{}: {}}}", label_,
                     text.find_first_of(".eE") == std::string_view::npos ? "i64" : "f64"));
}

void CsvColumnReader::add_category(const CsvField& field) {
    const auto [at, fresh] = codes_.try_emplace(std::string(field.text), static_cast<std::int32_t>(texts_.size()));
    if (fresh) add_text(field);
    wholes_.push_back(at->second);
}

void CsvColumnReader::add_date(const CsvField& field, std::string_view text) {
    const auto digits = [&](std::size_t from, std::size_t count) {
        int value = 0;
        const char* const last = text.data() + from + count;
        const auto [end, error] = std::from_chars(text.data() + from, last, value);
        return end == last && error == std::errc{} && text[from] != '-' ? value : -1;
    };
    if (text.size() == 10 && text[4] == '-' && text[7] == '-') {
        const int year = digits(0, 4);
        const int month = digits(5, 2);
        const int day = digits(8, 2);
        const std::chrono::year_month_day date{std::chrono::year(year),
                                               std::chrono::month(static_cast<unsigned>(month)),
                                               std::chrono::day(static_cast<unsigned>(day))};
        if (year >= 0 && month >= 0 && day >= 0 && date.ok()) {
            wholes_.push_back(static_cast<std::int32_t>(std::chrono::sys_days(date).time_since_epoch().count()));
            return;
        }
    }
    fail(field, fmt::format("'{}' in {} is not a date as 2024-02-29", excerpt(text), excerpt(label_)),
         fmt::format("read the column as text, and take its texts apart: types={{{}: \"text\"}}", label_));
}

std::size_t CsvColumnReader::bytes() const {
    constexpr std::size_t while_growing = 3;
    return while_growing * (wholes_.capacity() * sizeof(std::int32_t) + doubles_.capacity() * sizeof(double) +
                            longs_.capacity() * sizeof(std::int64_t) +
                            (texts_.capacity() + leading_.capacity()) * sizeof(std::string)) +
           2 * long_texts_ + codes_.size() * (sizeof(std::string) + 4 * sizeof(void*));
}

CsvColumn CsvColumnReader::finish(const std::shared_ptr<Allocator>& allocator) {
    CsvColumn column;
    column.name = label_;
    if (type_.kind == CsvKind::guessed && guess_ == Guess::text && only_bools_) become_bools();
    column.kind = type_.kind;
    if (type_.kind == CsvKind::category) sort_categories();
    const bool guessed_text = type_.kind == CsvKind::guessed && guess_ == Guess::text;
    if (guessed_text) column.kind = CsvKind::text;
    if (column.kind == CsvKind::text || column.kind == CsvKind::category) column.texts = std::move(texts_);
    if (column.kind == CsvKind::text) return column;
    if (type_.kind == CsvKind::guessed && guess_ == Guess::nothing) become_floats({}); // no entry shows the type
    column.values = numbers(allocator);
    if (column.kind == CsvKind::guessed) column.kind = CsvKind::number;
    return column;
}

Array CsvColumnReader::numbers(const std::shared_ptr<Allocator>& allocator) const {
    const auto array = [&](DType dtype, const auto& values) {
        return Array::from_values(dtype, {static_cast<std::int64_t>(values.size())}, values, allocator);
    };
    const bool guessed = type_.kind == CsvKind::guessed;
    if (type_.kind == CsvKind::category || type_.kind == CsvKind::date || (guessed && guess_ == Guess::whole))
        return array(DType::i32, wholes_);
    DType dtype = type_.dtype;
    if (guessed) dtype = guess_ == Guess::wide_whole ? DType::i64 : needs_f64_ ? DType::f64 : DType::f32;
    const bool floats = is_float(dtype);
    const std::size_t count = floats ? doubles_.size() : longs_.size();
    Array made = Array::empty(dtype, {static_cast<std::int64_t>(count)}, allocator);
    void* const to = made.mutable_data();
    for (std::size_t i = 0; i < count; ++i)
        if (floats)
            write_f64(dtype, to, static_cast<std::int64_t>(i), doubles_[i]);
        else
            write_i64(dtype, to, static_cast<std::int64_t>(i), longs_[i]);
    if (dtype == DType::f32)
        for (const auto& [i, narrow] : corrections_) write_f64(dtype, to, static_cast<std::int64_t>(i), narrow);
    return made;
}

void CsvColumnReader::sort_categories() {
    std::vector<std::int32_t> order(texts_.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {},
                      [&](std::int32_t i) -> const std::string& { return texts_[static_cast<std::size_t>(i)]; });
    std::vector<std::int32_t> place(order.size());
    std::vector<std::string> sorted(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        const auto from = static_cast<std::size_t>(order[i]);
        place[from] = static_cast<std::int32_t>(i);
        sorted[i] = std::move(texts_[from]);
    }
    texts_ = std::move(sorted);
    for (std::int32_t& code : wholes_) code = place[static_cast<std::size_t>(code)];
}

void CsvColumnReader::add_text(const CsvField& field) {
    if (type_.kind == CsvKind::guessed) guess_ = Guess::text;
    only_bools_ = only_bools_ && leading_.empty() && !field.quoted && csv_bool(trimmed(field.text));
    for (std::string& text : leading_) texts_.push_back(std::move(text));
    leading_.clear();
    texts_.emplace_back(field.text);
    static const std::size_t within = std::string().capacity();
    if (texts_.back().capacity() > within) long_texts_ += texts_.back().capacity();
}

void CsvColumnReader::become_bools() {
    type_ = {CsvKind::number, DType::b1};
    for (const std::string& text : texts_) longs_.push_back(*csv_bool(trimmed(text)) ? 1 : 0);
    texts_ = {};
}

void CsvColumnReader::add_double(std::string_view text, double value) {
    if (const auto narrow = rounds_twice(value) ? csv_number(text) : std::nullopt)
        corrections_.emplace_back(doubles_.size(), *narrow);
    doubles_.push_back(value);
}

void CsvColumnReader::become_floats(const CsvField& field) {
    if (guess_ == Guess::floating) return;
    guess_ = Guess::floating;
    doubles_.assign(leading_.size(), std::numeric_limits<double>::quiet_NaN());
    const auto move_to_doubles = [&](auto& numbers) {
        for (const std::int64_t whole : numbers) {
            require_f64(field, whole);
            needs_f64_ = needs_f64_ || !has_whole<float>(whole);
            doubles_.push_back(static_cast<double>(whole));
        }
        numbers = {};
    };
    move_to_doubles(wholes_);
    move_to_doubles(longs_);
    leading_ = {};
}

/// Throws a Failure if f64 cannot represent a whole number of a column of floats.
void CsvColumnReader::require_f64(const CsvField& field, std::int64_t whole) const {
    if (!has_whole<double>(whole)) fail_inexact(field, std::to_string(whole));
}

void CsvColumnReader::fail_inexact(const CsvField& field, std::string_view whole) const {
    fail(field, fmt::format("{} is read as floats, and f64 cannot hold {}", excerpt(label_), excerpt(whole)),
         fmt::format("read it as text: types={{{}: \"text\"}}", label_));
}

void CsvColumnReader::require_no_comma(const CsvField& field, std::string_view text) const {
    const std::string point = with_point(text);
    if (!point.empty())
        fail(field, fmt::format("'{}' in {} is not a number", excerpt(text), excerpt(label_)),
             fmt::format("decimal=\",\" reads it as {}; in quotes it is text", point));
}

void CsvColumnReader::require_no_point(const CsvField& field, std::string_view text) const {
    if (text.find('.') != std::string_view::npos && csv_number(text))
        fail(field,
             fmt::format("'{}' in {} has a point, but decimals are behind a comma", excerpt(text), excerpt(label_)),
             fmt::format(
                 "write numbers without separators of thousands; types={{{}: \"text\"}} reads the column as text",
                 label_));
}

void CsvColumnReader::fail(const CsvField& field, const std::string& detail, std::string help) const {
    fail_csv(file_, field.line, field.column, detail, std::move(help));
}

std::string CsvColumnReader::with_missing(std::string_view text) const {
    std::string option = "na=(";
    for (const std::string& one : options_.missing) option += fmt::format("\"{}\", ", excerpt(one));
    return option + fmt::format("\"{}\"{}", excerpt(text), options_.missing.empty() ? ",)" : ")");
}

void CsvColumnReader::fail_mixed(const CsvField& field, std::string_view text) const {
    const auto shows_text = [&](const std::string& entry) {
        return std::ranges::find(options_.missing, entry) == options_.missing.end();
    };
    const auto found = std::ranges::find_if(texts_, shows_text);
    const std::string& other = found == texts_.end() ? texts_.front() : *found;
    fail(field,
         fmt::format("'{}' in {} is a number, but '{}' before it is not", excerpt(text), excerpt(label_),
                     excerpt(other)),
         fmt::format("read all as text, with types={{{}: \"text\"}}, or name the texts of missing numbers: {}", label_,
                     with_missing(other)));
}

} // namespace pm::runtime
