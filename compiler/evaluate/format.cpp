#include "compiler/evaluate/evaluate.hpp"

#include <fmt/format.h>

#include <cmath>

namespace pm::evaluate {
namespace {

using runtime::DType;

bool whole(const Array& x) {
    for (std::int64_t i = 0; i < x.elements(); ++i) {
        const double v = x.as_f64(i);
        if (!std::isfinite(v) || v != std::floor(v) || std::fabs(v) >= 1e16) return false;
    }
    return true;
}

/// One element; `point`: a whole float keeps its ".0".
std::string element(const Array& x, std::int64_t i, const std::string& spec, bool point) {
    const auto formatted = [&](const auto& value) {
        try {
            return fmt::format(fmt::runtime("{:" + spec + "}"), value);
        } catch (const fmt::format_error&) { // a format that does not fit the dtype
            return fmt::format("{}", value);
        }
    };
    const DType dtype = x.dtype();
    if (dtype == DType::b1) return x.as_bool(i) ? "true" : "false";
    if (dtype == DType::key || runtime::is_unsigned_integer(dtype)) return formatted(x.as_u64(i));
    if (runtime::is_integer(dtype)) return formatted(x.as_i64(i));
    const double value = x.as_f64(i);
    if (!spec.empty()) return formatted(value);
    const bool narrow = dtype != DType::f64;
    std::string text = narrow ? fmt::format("{}", static_cast<float>(value)) : fmt::format("{}", value);
    if (point && text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
    return text;
}

std::string value_text(const Array& x, const std::string& spec) {
    if (x.rank() == 0) return element(x, 0, spec, true);
    const bool point = !whole(x);
    std::string text;
    std::int64_t next = 0;
    const auto list = [&](const auto& self, std::size_t axis) -> void {
        if (axis == x.shape().size()) {
            text += element(x, next++, spec, point);
            return;
        }
        text += '[';
        for (std::int64_t i = 0; i < x.shape()[axis]; ++i) {
            if (i > 0) text += ", ";
            self(self, axis + 1);
        }
        text += ']';
    };
    list(list, 0);
    return text;
}

} // namespace

std::string format_text(std::string_view text, std::span<const Array> values) {
    std::string out;
    std::size_t next = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if ((c == '{' || c == '}') && i + 1 < text.size() && text[i + 1] == c) {
            out += c;
            ++i;
            continue;
        }
        const std::size_t close = c == '{' ? text.find('}', i) : std::string_view::npos;
        if (close == std::string_view::npos || next >= values.size()) {
            out += c;
            continue;
        }
        const std::string_view hole = text.substr(i + 1, close - i - 1);
        const std::size_t colon = hole.find(':');
        out += value_text(values[next++],
                          colon == std::string_view::npos ? std::string() : std::string(hole.substr(colon + 1)));
        i = close;
    }
    return out;
}

} // namespace pm::evaluate
