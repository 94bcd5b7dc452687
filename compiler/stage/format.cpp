#include "compiler/stage/format.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>

namespace pm::stage {
namespace {

using runtime::Array;
using runtime::DType;

struct Spec {
    std::string fill;
    char align = 0;
    char sign = 0;
    bool alternate = false;
    bool zero = false;
    bool comma = false;
    int width = 0;
    int precision = -1;
    char type = 0;
};

std::optional<int> read_number(std::string_view& s) {
    int n = 0;
    bool any = false;
    while (!s.empty() && s.front() >= '0' && s.front() <= '9') {
        n = n * 10 + (s.front() - '0');
        if (n > 100'000) return {};
        s.remove_prefix(1);
        any = true;
    }
    return any ? std::optional(n) : std::nullopt;
}

std::optional<Spec> read_spec(std::string_view s) {
    Spec spec;
    const auto is_align = [](char c) { return c == '<' || c == '>' || c == '^' || c == '='; };
    std::size_t first = 1; // bytes of the first code point
    while (first < s.size() && (static_cast<unsigned char>(s[first]) & 0xC0U) == 0x80U) ++first;
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
    spec.alternate = take('#');
    spec.zero = take('0');
    if (!s.empty() && s.front() >= '1' && s.front() <= '9') {
        const auto width = read_number(s);
        if (!width) return {};
        spec.width = *width;
    }
    spec.comma = take(',');
    if (take('.')) {
        const auto precision = read_number(s);
        if (!precision) return {};
        spec.precision = *precision;
    }
    if (!s.empty()) {
        spec.type = s.front();
        s.remove_prefix(1);
        if (std::string_view("bcdeEfFgGnosxX%").find(spec.type) == std::string_view::npos) return {};
    }
    return s.empty() ? std::optional(spec) : std::nullopt;
}

/// Width, fill and thousands: `digits` is the number without its sign.
std::string padded(const Spec& spec, std::string sign, std::string digits, char default_align) {
    if (spec.comma) {
        std::size_t end = 0;
        while (end < digits.size() && digits[end] >= '0' && digits[end] <= '9') ++end;
        for (std::size_t i = end; i > 3; i -= 3) digits.insert(i - 3, ",");
    }
    std::size_t length = 0;
    for (const char c : sign + digits) length += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
    const std::size_t missing =
        static_cast<std::size_t>(spec.width) > length ? static_cast<std::size_t>(spec.width) - length : 0;
    std::string fill = spec.fill.empty() ? (spec.zero ? "0" : " ") : spec.fill;
    const char align = spec.align ? spec.align : spec.zero ? '=' : default_align;
    const auto repeated = [&](std::size_t n) {
        std::string out;
        for (std::size_t i = 0; i < n; ++i) out += fill;
        return out;
    };
    switch (align) {
    case '<': return sign + digits + repeated(missing);
    case '^': return repeated(missing / 2) + sign + digits + repeated(missing - missing / 2);
    case '=': return sign + repeated(missing) + digits;
    default: return repeated(missing) + sign + digits;
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

std::string with_spec(const Spec& spec, double v, bool single) {
    const bool negative = std::signbit(v) && !std::isnan(v);
    const double a = std::fabs(v);
    const int precision = spec.precision < 0 ? 6 : spec.precision;
    std::string digits;
    if (std::isnan(v) || std::isinf(v))
        digits = std::isnan(v) ? "nan" : "inf";
    else
        switch (spec.type) {
        case 'e': digits = fmt::format("{:.{}e}", a, precision); break;
        case 'E': digits = fmt::format("{:.{}E}", a, precision); break;
        case 'f':
        case 'F': digits = fmt::format("{:.{}f}", a, precision); break;
        case 'G': digits = fmt::format("{:.{}G}", a, precision); break;
        case 'g':
        case 'n': digits = fmt::format("{:.{}g}", a, precision); break;
        case '%': digits = fmt::format("{:.{}f}%", a * 100, precision); break;
        default:
            digits = spec.precision < 0 ? with_point(shortest(a, single)) : fmt::format("{:.{}g}", a, precision);
            break;
        }
    return padded(spec, sign_of(spec, negative), digits, '>');
}

} // namespace

bool valid_format(std::string_view spec) { return read_spec(spec).has_value(); }

std::string format_float(double value, std::string_view text, bool single) {
    const Spec spec = read_spec(text).value_or(Spec{});
    if (std::string_view("bcdoxX").find(spec.type) != std::string_view::npos && spec.type)
        return format_integer(static_cast<std::int64_t>(value), text);
    return with_spec(spec, value, single);
}

std::string format_integer(std::int64_t value, std::string_view text) {
    const Spec spec = read_spec(text).value_or(Spec{});
    if (spec.type && std::string_view("eEfFgG%").find(spec.type) != std::string_view::npos)
        return with_spec(spec, static_cast<double>(value), false);
    const std::uint64_t a = value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    std::string digits;
    switch (spec.type) {
    case 'b': digits = fmt::format("{}{:b}", spec.alternate ? "0b" : "", a); break;
    case 'o': digits = fmt::format("{}{:o}", spec.alternate ? "0o" : "", a); break;
    case 'x': digits = fmt::format("{}{:x}", spec.alternate ? "0x" : "", a); break;
    case 'X': digits = fmt::format("{}{:X}", spec.alternate ? "0X" : "", a); break;
    default: digits = fmt::format("{}", a); break;
    }
    return padded(spec, sign_of(spec, value < 0), digits, '>');
}

std::string format_text(const std::string& text, std::string_view format) {
    const Spec spec = read_spec(format).value_or(Spec{});
    std::string cut = text;
    if (spec.precision >= 0) {
        std::size_t bytes = 0;
        for (int taken = 0; bytes < cut.size() && taken < spec.precision; ++taken) {
            ++bytes;
            while (bytes < cut.size() && (static_cast<unsigned char>(cut[bytes]) & 0xC0U) == 0x80U) ++bytes;
        }
        cut.resize(bytes);
    }
    Spec plain = spec;
    plain.zero = plain.comma = false;
    return padded(plain, "", cut, '<');
}

std::string format_element(const Array& a, std::int64_t i, std::string_view spec) {
    if (a.dtype() == DType::b1) return format_text(a.as_bool(i) ? "true" : "false", spec);
    if (a.dtype() == DType::key) {
        const std::uint64_t bits = a.bitcast(DType::u64).as_u64(i);
        return fmt::format("key(0x{:08x}, 0x{:08x})", bits >> 32U, bits & 0xFFFFFFFFU);
    }
    if (a.dtype() == DType::u64 && a.as_u64(i) > static_cast<std::uint64_t>(INT64_MAX) && spec.empty())
        return fmt::format("{}", a.as_u64(i));
    if (runtime::is_integer(a.dtype())) return format_integer(a.as_i64(i), spec);
    if (runtime::is_complex(a.dtype())) {
        const auto c = a.as_c128(i);
        return fmt::format("{}{}{}j", format_float(c.real(), spec, a.dtype() == DType::c64),
                           std::signbit(c.imag()) ? "-" : "+",
                           format_float(std::fabs(c.imag()), spec, a.dtype() == DType::c64));
    }
    if ((a.dtype() == DType::f16 || a.dtype() == DType::bf16) && spec.empty()) {
        // The fewest digits that read back in this dtype.
        const double v = a.as_f64(i);
        if (std::isfinite(v))
            for (int digits = 1; digits <= 9; ++digits) {
                const std::string text = fmt::format("{:.{}g}", v, digits);
                if (Array::scalar(a.dtype(), std::stod(text)).as_f64() == v) return with_point(text);
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
                const double v = a_.as_f64(i);
                whole_ = whole_ && std::isfinite(v) && std::trunc(v) == v && std::fabs(v) < 1e15;
            });
    }

    std::string text() const {
        const std::string line = nested(0, 0, ", ");
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
        if (whole_)
            return fmt::format("{}{:.0f}", std::signbit(a_.as_f64(i)) && a_.as_f64(i) == 0 ? "-" : "",
                               std::fabs(a_.as_f64(i)) == 0 ? 0.0 : a_.as_f64(i));
        return format_element(a_, i, spec_);
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

std::string fill_template(std::string_view text, std::span<const Array> values) {
    std::string out;
    std::size_t next = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if ((c == '{' || c == '}') && i + 1 < text.size() && text[i + 1] == c) {
            out += c;
            ++i;
            continue;
        }
        if (c != '{') {
            out += c;
            continue;
        }
        const std::size_t end = text.find('}', i);
        if (end == std::string_view::npos) {
            out += c;
            continue;
        }
        std::string_view spec = text.substr(i + 1, end - i - 1);
        if (!spec.empty() && spec.front() == ':') spec.remove_prefix(1);
        if (next < values.size()) out += format_array(values[next++], spec);
        i = end;
    }
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

} // namespace pm::stage
