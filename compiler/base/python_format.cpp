#include "compiler/base/python_format.hpp"

#include "compiler/base/count.hpp"
#include "compiler/base/stop.hpp"

#include "runtime/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <complex>
#include <cstdio>
#include <optional>

namespace pm {
namespace {

using runtime::Array;
using runtime::DType;

struct Spec {
    std::string fill;
    char align = 0;
    char sign = 0;
    bool no_negative_zero = false;
    bool alternate = false;
    bool zero = false;
    char group = 0; ///< `,` or `_` between thousands
    int width = 0;
    int precision = -1;
    char type = 0;
};

std::optional<int> read_number(std::string_view& s) {
    int n = 0;
    bool any = false;
    while (!s.empty() && s.front() >= '0' && s.front() <= '9') {
        n = n * 10 + (s.front() - '0');
        if (n > widest_format) return {};
        s.remove_prefix(1);
        any = true;
    }
    return any ? std::optional(n) : std::nullopt;
}

bool one_of(char c, std::string_view list) { return c != 0 && list.find(c) != std::string_view::npos; }

std::optional<Spec> read_spec(std::string_view s) {
    Spec spec;
    const auto is_align = [](char c) { return one_of(c, "<>^="); };
    const std::size_t first = runtime::utf8_prefix(s, 1); // bytes of the fill
    if (s.size() > first && is_align(s[first])) {
        spec.fill = std::string(s.substr(0, first));
        spec.align = s[first];
        s.remove_prefix(first + 1);
    } else if (!s.empty() && is_align(s.front())) {
        spec.align = s.front();
        s.remove_prefix(1);
    }
    const auto take = [&s](char c) {
        if (s.empty() || s.front() != c) return false;
        s.remove_prefix(1);
        return true;
    };
    for (const char c : {'+', '-', ' '})
        if (!spec.sign && take(c)) spec.sign = c;
    spec.no_negative_zero = take('z');
    spec.alternate = take('#');
    spec.zero = take('0');
    if (!s.empty() && s.front() >= '1' && s.front() <= '9') {
        const auto width = read_number(s);
        if (!width) return {};
        spec.width = *width;
    }
    for (const char c : {',', '_'})
        if (!spec.group && take(c)) spec.group = c;
    if (take('.')) {
        const auto precision = read_number(s);
        if (!precision) return {};
        spec.precision = *precision;
    }
    if (!s.empty()) {
        spec.type = s.front();
        s.remove_prefix(1);
        if (!one_of(spec.type, "bcdeEfFgGnosxX%")) return {};
    }
    return s.empty() ? std::optional(spec) : std::nullopt;
}

/// Whether Python accepts the format for this kind of values.
bool fits(const Spec& spec, Content content) {
    if (content == Content::bools)
        return fits(spec, spec.type ? Content::integers : Content::text) &&
               (spec.type || (spec.precision < 0 && !spec.zero));
    const bool whole = one_of(spec.type, "bcdoxX");
    const bool real = one_of(spec.type, "eEfFgG%");
    if (spec.group && one_of(spec.type, "cns")) return false;
    if (spec.group == ',' && one_of(spec.type, "boxX")) return false;
    switch (content) {
    case Content::text:
        return (!spec.type || spec.type == 's') && !spec.sign && !spec.alternate && !spec.group &&
               !spec.no_negative_zero && spec.align != '=';
    case Content::bools: break;
    case Content::integers:
        if (spec.type == 'c' && (spec.sign || spec.alternate)) return false;
        return spec.type != 's' && (real || (spec.precision < 0 && !spec.no_negative_zero));
    case Content::floats: return spec.type != 's' && !whole;
    case Content::numbers: return spec.type != 's' && !whole && (real || spec.precision < 0);
    case Content::other: return true;
    }
    return true;
}

/// Adds leading zeros until the text, with its separators, has `width` characters. Inserts the separators between the
/// digits before the point.
std::string grouped(std::string digits, char separator, std::size_t every, std::size_t width) {
    std::size_t whole = 0;
    while (whole < digits.size() && std::isxdigit(static_cast<unsigned char>(digits[whole])) != 0 &&
           !(every == 3 && std::isalpha(static_cast<unsigned char>(digits[whole])) != 0))
        ++whole;
    if (whole == 0) return digits; // inf, nan
    const std::size_t after = digits.size() - whole;
    std::size_t zeros = 0;
    while (whole + zeros + (whole + zeros - 1) / every + after < width) ++zeros;
    digits.insert(0, zeros, '0');
    whole += zeros;
    for (std::size_t i = whole; i > every; i -= every) digits.insert(i - every, 1, separator);
    return digits;
}

/// Applies width, fill and separators. `prefix` is the sign and `0x`, `digits` the rest.
std::string padded(const Spec& spec, const std::string& prefix, std::string digits, char default_align) {
    const std::string fill = spec.fill.empty() ? (spec.zero ? "0" : " ") : spec.fill;
    const char align = spec.align ? spec.align : spec.zero && default_align == '>' ? '=' : default_align;
    const auto width = static_cast<std::size_t>(spec.width);
    if (spec.group) {
        const bool zeros = align == '=' && fill == "0" && width > prefix.size();
        digits = grouped(std::move(digits), spec.group, one_of(spec.type, "boxX") ? 4 : 3,
                         zeros ? width - prefix.size() : 0);
    }
    const std::size_t length = runtime::utf8_count(prefix) + runtime::utf8_count(digits);
    const std::size_t missing = width > length ? width - length : 0;
    const auto repeated = [&](std::size_t n) {
        std::string out;
        for (std::size_t i = 0; i < n; ++i) out += fill;
        return out;
    };
    switch (align) {
    case '<': return prefix + digits + repeated(missing);
    case '^': return repeated(missing / 2) + prefix + digits + repeated(missing - missing / 2);
    case '=': return prefix + repeated(missing) + digits;
    default: return repeated(missing) + prefix + digits;
    }
}

std::string sign_of(const Spec& spec, bool negative) {
    if (negative) return "-";
    return spec.sign == '+' ? "+" : spec.sign == ' ' ? " " : "";
}

std::string with_point(std::string digits) {
    if (digits.find_first_of(".en") == std::string::npos) digits += ".0"; // not for inf, nan, 1e20
    return digits;
}

std::string shortest(double v, bool single) {
    if (std::isnan(v)) return "nan";
    if (std::isinf(v)) return "inf";
    return single ? fmt::format("{}", static_cast<float>(v)) : fmt::format("{}", v);
}

/// Formats as `#g` of C does: 123457 becomes `123457.`, where fmt would write `123457.0`.
std::string general_with_zeros(double v, int precision, bool upper) {
    std::string text(static_cast<std::size_t>(precision) + 16, ' ');
    text.resize(
        static_cast<std::size_t>(std::snprintf(text.data(), text.size(), upper ? "%#.*G" : "%#.*g", precision, v)));
    return text;
}

/// The shortest digits with a point: 1.e+20.
std::string shortest_with_point(double v, bool single) {
    std::string digits = shortest(v, single);
    const std::size_t e = digits.find('e');
    if (e != std::string::npos && digits.find('.') == std::string::npos) digits.insert(e, 1, '.');
    return with_point(std::move(digits));
}

/// Formats a float for a spec that has a precision but no type. The result is that of type `g`, with two differences.
/// At least one digit follows the point. An exponent is used if `precision` or more digits would be before the point.
/// If `alternate` is true, trailing zeros and the point are kept.
std::string general(double v, int precision, bool alternate) {
    const int digits = std::max(precision, 1);
    std::string scientific = fmt::format(fmt::runtime(alternate ? "{:#.{}e}" : "{:.{}e}"), v, digits - 1);
    const std::size_t e = scientific.find('e');
    const int exponent = std::stoi(scientific.substr(e + 1));
    if (exponent >= -4 && exponent < digits - 1)
        return alternate ? general_with_zeros(v, digits, false) : with_point(fmt::format("{:.{}g}", v, digits));
    if (alternate) return scientific;
    std::string mantissa = scientific.substr(0, e);
    if (mantissa.find('.') != std::string::npos) {
        while (mantissa.back() == '0') mantissa.pop_back();
        if (mantissa.back() == '.') mantissa.pop_back();
    }
    return mantissa + scientific.substr(e);
}

std::string finite_digits(const Spec& spec, double a, bool single) {
    const int precision = spec.precision < 0 ? 6 : spec.precision;
    const auto made = [&](const char* plain, const char* with_alternate, double v) {
        return fmt::format(fmt::runtime(spec.alternate ? with_alternate : plain), v, precision);
    };
    switch (spec.type) {
    case 'e': return made("{:.{}e}", "{:#.{}e}", a);
    case 'E': return made("{:.{}E}", "{:#.{}E}", a);
    case 'f':
    case 'F': return made("{:.{}f}", "{:#.{}f}", a);
    case 'G': return spec.alternate ? general_with_zeros(a, precision, true) : fmt::format("{:.{}G}", a, precision);
    case 'g':
    case 'n': return spec.alternate ? general_with_zeros(a, precision, false) : fmt::format("{:.{}g}", a, precision);
    case '%': return made("{:.{}f}%", "{:#.{}f}%", a * 100);
    default:
        if (spec.precision >= 0) return general(a, spec.precision, spec.alternate);
        return spec.alternate ? shortest_with_point(a, single) : with_point(shortest(a, single));
    }
}

std::string with_spec(const Spec& spec, double v, bool single) {
    bool negative = std::signbit(v) && !std::isnan(v);
    std::string digits;
    if (std::isfinite(v)) {
        digits = finite_digits(spec, std::fabs(v), single);
        const std::string_view mantissa(digits.data(), std::min(digits.size(), digits.find_first_of("eE")));
        if (spec.no_negative_zero && mantissa.find_first_of("123456789") == std::string_view::npos) negative = false;
    } else {
        const bool upper = one_of(spec.type, "EFG");
        digits = std::isnan(v) ? (upper ? "NAN" : "nan") : (upper ? "INF" : "inf");
        if (spec.type == '%') digits += '%';
    }
    return padded(spec, sign_of(spec, negative), digits, '>');
}

/// The character with this code; U+FFFD if no character has this code.
std::string character(std::int64_t code) {
    if (!is_character(code)) code = 0xFFFD;
    std::string text;
    runtime::append_utf8(text, static_cast<std::uint32_t>(code));
    return text;
}

std::string format_magnitude(const Spec& spec, bool negative, std::uint64_t a) {
    std::string prefix = sign_of(spec, negative);
    if (spec.alternate && one_of(spec.type, "boxX")) prefix += std::string("0") + spec.type;
    switch (spec.type) {
    case 'b': return padded(spec, prefix, fmt::format("{:b}", a), '>');
    case 'o': return padded(spec, prefix, fmt::format("{:o}", a), '>');
    case 'x': return padded(spec, prefix, fmt::format("{:x}", a), '>');
    case 'X': return padded(spec, prefix, fmt::format("{:X}", a), '>');
    default: return padded(spec, prefix, fmt::format("{}", a), '>');
    }
}

/// Formats a complex number as `1+2j`. The spec applies to each of the two parts, but its width applies to the whole
/// text. If the spec has no type and no precision, a part that is a whole number has no point, as in a literal.
std::string format_complex(std::complex<double> z, const Spec& spec, bool single) {
    const bool plain = spec.type == 0 && spec.precision < 0;
    Spec part = spec;
    part.width = 0;
    part.zero = false;
    const auto text = [&](double x) {
        std::string made = with_spec(part, x, single);
        if (plain && made.ends_with(".0")) made.resize(made.size() - 2);
        return made;
    };
    const std::string re = text(z.real());
    part.sign = '+';
    Spec around = spec;
    around.group = 0;
    around.zero = false;
    return padded(around, "", re + text(z.imag()) + "j", '>');
}

} // namespace

bool too_wide(std::string_view spec) {
    while (!spec.empty()) {
        if (std::isdigit(static_cast<unsigned char>(spec.front())) == 0)
            spec.remove_prefix(1);
        else if (!read_number(spec))
            return true;
    }
    return false;
}

bool valid_format(std::string_view spec, Content content) {
    const std::optional<Spec> read = read_spec(spec);
    return read && fits(*read, content);
}

bool is_character(std::int64_t code) { return code >= 0 && code <= 0x10FFFF && (code < 0xD800 || code >= 0xE000); }

std::string format_bool(bool value, std::string_view text) {
    const Spec spec = read_spec(text).value_or(Spec{});
    if (spec.type) return format_integer(value ? 1 : 0, text);
    Spec plain = spec;
    plain.group = 0;
    plain.zero = false;
    return padded(plain, "", value ? "true" : "false", '<');
}

std::string format_float(double value, std::string_view text, bool single) {
    return with_spec(read_spec(text).value_or(Spec{}), value, single);
}

std::string format_integer(std::int64_t value, std::string_view text) {
    const Spec spec = read_spec(text).value_or(Spec{});
    if (one_of(spec.type, "eEfFgG%")) return with_spec(spec, static_cast<double>(value), false);
    if (spec.type == 'c') return padded(spec, "", character(value), '>');
    return format_magnitude(spec, value < 0,
                            value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value));
}

std::string format_bytes(std::int64_t bytes) {
    const auto size = static_cast<double>(bytes);
    if (bytes < 10'000) return fmt::format("{:byte|bytes}", Count{bytes});
    if (bytes < 10'000'000) return fmt::format("{:.1f} kB", size / 1e3);
    if (bytes < 10'000'000'000) return fmt::format("{:.1f} MB", size / 1e6);
    return fmt::format("{:.1f} GB", size / 1e9);
}

std::string format_text(const std::string& text, std::string_view format) {
    const Spec spec = read_spec(format).value_or(Spec{});
    std::string cut = text;
    if (spec.precision >= 0) cut.resize(runtime::utf8_prefix(cut, static_cast<std::size_t>(spec.precision)));
    Spec plain = spec;
    plain.group = 0;
    return padded(plain, "", cut, '<');
}

std::string format_element(const Array& a, std::int64_t i, std::string_view spec) {
    if (a.dtype() == DType::b1) return format_bool(a.as_bool(i), spec);
    if (a.dtype() == DType::key) {
        const std::uint64_t bits = a.bitcast(DType::u64).as_u64(i);
        return fmt::format("key(0x{:08x}, 0x{:08x})", bits >> 32U, bits & 0xFFFFFFFFU);
    }
    if (a.dtype() == DType::u64 && a.as_u64(i) > static_cast<std::uint64_t>(INT64_MAX)) {
        const Spec read = read_spec(spec).value_or(Spec{});
        if (!one_of(read.type, "ceEfFgG%")) return format_magnitude(read, false, a.as_u64(i));
        return with_spec(read, static_cast<double>(a.as_u64(i)), false);
    }
    if (runtime::is_integer(a.dtype())) return format_integer(a.as_i64(i), spec);
    if (runtime::is_complex(a.dtype()))
        return format_complex(a.as_c128(i), read_spec(spec).value_or(Spec{}), a.dtype() == DType::c64);
    if ((a.dtype() == DType::f16 || a.dtype() == DType::bf16) && spec.empty()) {
        // The fewest digits that read back as the same value of this dtype.
        const double v = a.as_f64(i);
        if (std::isfinite(v))
            for (int digits = 1; digits <= 9; ++digits) {
                const std::string text = fmt::format("{:.{}g}", v, digits);
                const double read = std::stod(text);
                if (Array::scalar(a.dtype(), read).as_f64() == v) return with_point(fmt::format("{}", read));
            }
    }
    return format_float(a.as_f64(i), spec, a.dtype() != DType::f64);
}

namespace {

class ArrayText {
  public:
    ArrayText(const Array& a, std::string_view spec) : a_(a), spec_(spec), elide_(a.elements() > 1000) {
        whole_ = spec.empty() && runtime::is_float(a.dtype());
        if (whole_)
            visit(0, 0, [this](std::int64_t i) {
                poll_stop();
                const double v = a_.as_f64(i);
                whole_ = whole_ && std::isfinite(v) && std::trunc(v) == v && std::fabs(v) < 1e15;
            });
    }

    std::string text() const {
        std::string line = nested(0, 0, ", ");
        if (line.size() <= 110 || a_.rank() < 2) return line;
        return nested(0, 0, "\n");
    }

  private:
    static constexpr std::int64_t edge = 3;

    std::int64_t stride(int axis) const {
        std::int64_t s = 1;
        for (int d = axis + 1; d < a_.rank(); ++d) s *= a_.size(d);
        return s;
    }

    bool cut(int axis) const { return elide_ && a_.size(axis) > 2 * edge; }

    template <class F>
    void visit(int axis, std::int64_t offset, const F& f) const {
        if (axis == a_.rank()) return f(offset);
        const std::int64_t n = a_.size(axis);
        for (std::int64_t i = 0; i < n; ++i) {
            if (cut(axis) && i == edge) i = n - edge;
            visit(axis + 1, offset + i * stride(axis), f);
        }
    }

    std::string element(std::int64_t i) const {
        poll_stop(); // an array with many short axes may have very many elements
        std::string text = format_element(a_, i, spec_);
        if (whole_ && text.size() > 2 && text.compare(text.size() - 2, 2, ".0") == 0) text.resize(text.size() - 2);
        return text;
    }

    std::string nested(int axis, std::int64_t offset, std::string_view rows) const {
        if (axis == a_.rank()) return element(offset);
        std::string out = "[";
        const std::int64_t n = a_.size(axis);
        const bool innermost = axis + 1 == a_.rank();
        std::string separator = ", ";
        if (!innermost && rows == "\n")
            separator = "," + std::string(static_cast<std::size_t>(a_.rank() - axis - 1), '\n') +
                        std::string(static_cast<std::size_t>(axis) + 1, ' ');
        for (std::int64_t i = 0; i < n; ++i) {
            if (i) out += separator;
            if (cut(axis) && i == edge) {
                out += "..." + separator;
                i = n - edge;
            }
            out += nested(axis + 1, offset + i * stride(axis), rows);
        }
        return out + "]";
    }

    const Array& a_;
    std::string_view spec_;
    bool elide_;
    bool whole_ = false;
};

} // namespace

std::string format_array(const Array& a, std::string_view spec) {
    if (a.rank() == 0) return format_element(a, 0, spec);
    return ArrayText(a, spec).text();
}

namespace {

/// Calls `character(c, doubled)` for each character outside of placeholders, with `doubled` true for `{{` and `}}`.
/// Calls `place(inside)` for each placeholder.
template <class Character, class Place>
void walk_template(std::string_view text, const Character& character, const Place& place) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool doubled = (c == '{' || c == '}') && i + 1 < text.size() && text[i + 1] == c;
        const std::size_t end = c == '{' && !doubled ? text.find('}', i) : std::string_view::npos;
        if (end != std::string_view::npos) {
            place(text.substr(i + 1, end - i - 1));
            i = end;
            continue;
        }
        character(c, doubled);
        if (doubled) ++i;
    }
}

constexpr std::string_view pair_mark = "!c";

/// Reinterprets f32[..., 2] as c64[...], and f64[..., 2] as c128[...].
Array joined_pairs(const Array& pairs) {
    runtime::Shape shape = pairs.shape();
    shape.pop_back();
    return pairs.as_type(pairs.dtype() == runtime::DType::f32 ? runtime::DType::c64 : runtime::DType::c128,
                         std::move(shape));
}

} // namespace

std::string fill_template(std::string_view text, std::span<const Array> values) {
    std::string out;
    std::size_t next = 0;
    walk_template(
        text, [&](char c, bool) { out += c; },
        [&](std::string_view spec) {
            const bool complex = spec.starts_with(pair_mark);
            if (complex) spec.remove_prefix(pair_mark.size());
            if (spec.starts_with(':')) spec.remove_prefix(1);
            if (next >= values.size()) return;
            const Array& value = values[next++];
            out += format_array(complex ? joined_pairs(value) : value, spec);
        });
    return out;
}

std::string mark_pairs(std::string_view text, const std::vector<bool>& complex) {
    std::string out;
    std::size_t next = 0;
    walk_template(
        text, [&](char c, bool doubled) { out.append(doubled ? 2 : 1, c); },
        [&](std::string_view spec) {
            const bool marked = next < complex.size() && complex[next];
            ++next;
            out += '{';
            if (marked) out += pair_mark;
            (out += spec) += '}';
        });
    return out;
}

std::string escape_template(std::string_view text) {
    std::string out;
    for (const char c : text) {
        out += c;
        if (c == '{' || c == '}') out += c;
    }
    return out;
}

} // namespace pm
