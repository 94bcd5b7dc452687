#include "compiler/stage/known/text_numbers.hpp"

#include "compiler/base/diagnostic.hpp"
#include "compiler/stage/values/tree.hpp"
#include "compiler/syntax/build/number_text.hpp"
#include "runtime/utf8.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace pm::stage {
namespace {

struct Read {
    std::optional<Number> number; ///< empty if the string is not a number, or if the number is out of range
    bool fits = true;             ///< false if the string is a number that is out of the range of 64 bits
};

std::string_view without_blanks(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n\v\f";
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

bool is_sign(char c) { return c == '+' || c == '-'; }

/// Parses `text` by std::from_chars. It is an error if characters remain.
template <class T>
std::errc read_whole(std::string_view text, T& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return end == text.data() + text.size() ? error : std::errc::invalid_argument;
}

Read read_bool(std::string_view text) {
    if (text == "true" || text == "false") return {Number::of(text == "true")};
    return {};
}

Read read_integer(std::string_view text, DType dtype) {
    const bool plus = text.size() > 1 && text[0] == '+' && !is_sign(text[1]);
    if (plus) text.remove_prefix(1);
    std::int64_t value = 0;
    const std::errc error = read_whole(text, value);
    if (error == std::errc{}) return {Number::of(value)};
    std::uint64_t large = 0;
    if (dtype == DType::u64 && read_whole(text, large) == std::errc{})
        return {Number{.i = static_cast<std::int64_t>(large), .dtype = DType::u64}};
    return {{}, error != std::errc::result_out_of_range};
}

Read read_float(std::string_view text) {
    const bool signed_text = !text.empty() && is_sign(text[0]);
    const std::string_view digits = text.substr(signed_text ? 1 : 0);
    if (digits.empty() || is_sign(digits[0]) || digits.find('(') != std::string_view::npos) return {}; // `nan(0)`
    double value = 0;
    const std::errc error = read_whole(digits, value);
    if (error == std::errc::result_out_of_range) value = syntax::parse_double(digits);
    if (error == std::errc::result_out_of_range && std::isinf(value)) return {{}, false};
    if (error == std::errc::invalid_argument) return {};
    return {Number::of(text[0] == '-' ? -value : value)};
}

/// Parses a complex number such as `1+2j`. The sign of the imaginary part is the last sign that does not begin an
/// exponent.
Read read_complex(std::string_view text) {
    if (!text.ends_with('j')) return read_float(text);
    text.remove_suffix(1);
    std::size_t sign = text.size();
    while (sign-- > 1)
        if (is_sign(text[sign]) && text[sign - 1] != 'e' && text[sign - 1] != 'E') break;
    const bool two_parts = sign > 0 && sign < text.size();
    const Read real = two_parts ? read_float(text.substr(0, sign)) : Read{Number::of(0.0)};
    const Read imaginary = read_float(text.substr(two_parts ? sign : 0));
    if (!real.number || !imaginary.number) return {{}, real.fits && imaginary.fits};
    return {Number::of(std::complex<double>(real.number->f, imaginary.number->f))};
}

/// The text, or the beginning of a long text, for a message.
std::string shown(std::string_view text) {
    constexpr std::size_t most = 80;
    if (text.size() <= most) return std::string(text);
    return fmt::format("{}...", text.substr(0, runtime::utf8_prefix(text, most)));
}

} // namespace

Number number_of_text(std::string_view function, const std::string& text, DType dtype, Span span) {
    const std::string_view written = without_blanks(text);
    const bool whole = runtime::is_integer(dtype);
    const Read read = dtype == DType::b1           ? read_bool(written)
                      : whole                      ? read_integer(written, dtype)
                      : runtime::is_complex(dtype) ? read_complex(written)
                                                   : read_float(written);
    if (read.number) return *read.number;
    if (!read.fits)
        raise(diagnose(Diag::number_too_large, span, shown(written), runtime::name(whole ? dtype : DType::f64))
                  .fix(whole ? "read it with a dtype that holds it: f64(s)" : "infinity is the text inf"));
    const auto wrong = [&](std::string_view needs) {
        return diagnose(Diag::wrong_kind, span, fmt::format("`{}`", function), needs, quoted_text(shown(text)));
    };
    if (dtype == DType::b1) raise(wrong("the text true or false").fix("compare the text: s == \"yes\""));
    if (!whole) raise(wrong("the text of a number").fix("write the number alone, as in a program: -2.5e3"));
    if (!read_float(written).number) raise(wrong("the text of an integer").fix("write decimal digits alone: -12"));
    raise(wrong("the text of an integer").fix(fmt::format("read a float, and convert it: {}(float(s))", function)));
}

} // namespace pm::stage
