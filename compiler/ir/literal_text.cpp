#include "compiler/ir/literal_text.hpp"

#include "runtime/half.hpp"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

namespace pm::ir {
namespace {

using runtime::size_of;

std::uint64_t bits_at(DType dtype, const std::uint8_t* p) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, p, size_of(dtype)); // little-endian, like the literal
    return bits;
}

/// The bits of the NaN with the text `nan`: a quiet, positive NaN without a payload.
std::uint64_t plain_nan(DType dtype) {
    if (dtype == DType::f16) return 0x7E00;
    if (dtype == DType::bf16) return 0x7FC0;
    return dtype == DType::f32 ? 0x7FC00000U : 0x7FF8000000000000U;
}

double float_value(DType dtype, std::uint64_t bits) {
    if (dtype == DType::f16) return runtime::f16_to_f32(static_cast<std::uint16_t>(bits));
    if (dtype == DType::bf16) return runtime::bf16_to_f32(static_cast<std::uint16_t>(bits));
    if (dtype == DType::f32) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    return std::bit_cast<double>(bits);
}

/// The bits of the number in `text`, rounded once to `dtype`. `text` has no more digits than a double needs. Empty if
/// `text` is not a number.
std::optional<std::uint64_t> float_bits(DType dtype, std::string_view text) {
    const char* const end = text.data() + text.size();
    if (dtype == DType::f32) {
        float x = 0;
        const auto [stop, error] = std::from_chars(text.data(), end, x);
        if (stop != end || error != std::errc{}) return std::nullopt;
        return std::bit_cast<std::uint32_t>(x);
    }
    double x = 0;
    const auto [stop, error] = std::from_chars(text.data(), end, x);
    if (stop != end || error != std::errc{}) return std::nullopt;
    if (dtype == DType::f16) return runtime::f64_to_f16(x);
    if (dtype == DType::bf16) return runtime::f64_to_bf16(x);
    return std::bit_cast<std::uint64_t>(x);
}

std::string float_text(DType dtype, std::uint64_t bits) {
    const double x = float_value(dtype, bits);
    if (std::isnan(x)) return bits == plain_nan(dtype) ? "nan" : fmt::format("{:#x}", bits);
    if (std::isinf(x)) return x > 0 ? "inf" : "-inf";
    if (dtype == DType::f64) return fmt::format("{}", x);
    if (dtype == DType::f32) return fmt::format("{}", static_cast<float>(x));
    std::string text;
    for (int digits = 1; digits <= 9; ++digits) {
        text = fmt::format("{:.{}g}", x, digits);
        if (float_bits(dtype, text) == bits) break;
    }
    return text;
}

std::string element_text(DType dtype, const std::uint8_t* p) {
    const std::uint64_t bits = bits_at(dtype, p);
    if (dtype == DType::b1) return bits == 0 ? "false" : bits == 1 ? "true" : fmt::format("{:#x}", bits);
    if (dtype == DType::key || dtype == DType::tape) return fmt::format("{:#018x}", bits);
    if (runtime::is_unsigned_integer(dtype)) return fmt::format("{}", bits);
    if (runtime::is_signed_integer(dtype)) {
        const auto shift = 64U - 8U * static_cast<unsigned>(size_of(dtype));
        return fmt::format("{}", static_cast<std::int64_t>(bits << shift) >> shift);
    }
    return float_text(dtype, bits);
}

std::optional<std::uint64_t> integer_bits(DType dtype, std::string_view text) {
    const unsigned width = 8U * static_cast<unsigned>(size_of(dtype));
    const bool negative = text.starts_with('-');
    if (negative) text.remove_prefix(1);
    std::uint64_t x = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), x);
    if (stop != text.data() + text.size() || error != std::errc{}) return std::nullopt;
    const bool is_signed = runtime::is_signed_integer(dtype);
    if (negative && !is_signed) return std::nullopt;
    const std::uint64_t most = ~std::uint64_t{0} >> (64U - width + (is_signed ? 1U : 0U));
    if (x > most + (negative ? 1U : 0U)) return std::nullopt;
    return negative ? ~x + 1 : x;
}

std::optional<std::uint64_t> element_bits(DType dtype, std::string_view text) {
    if (text.starts_with("0x")) {
        std::uint64_t x = 0;
        const auto [stop, error] = std::from_chars(text.data() + 2, text.data() + text.size(), x, 16);
        const unsigned width = 8U * static_cast<unsigned>(size_of(dtype));
        if (stop != text.data() + text.size() || error != std::errc{}) return std::nullopt;
        if (width < 64 && (x >> width) != 0) return std::nullopt;
        return x;
    }
    if (dtype == DType::b1) {
        if (text == "true") return 1;
        if (text == "false") return 0;
        return std::nullopt;
    }
    if (runtime::is_integer(dtype)) return integer_bits(dtype, text);
    if (!runtime::is_float(dtype)) return std::nullopt; // a key is always written as its bits
    if (text == "nan") return plain_nan(dtype);
    const bool digits = text.find_first_of("0123456789") != std::string_view::npos;
    if (!digits && text != "inf" && text != "-inf") return std::nullopt;
    return float_bits(dtype, text);
}

} // namespace

DType component_of(DType dtype) {
    if (dtype == DType::c64) return DType::f32;
    return dtype == DType::c128 ? DType::f64 : dtype;
}

std::string literal_text(DType dtype, const Literal& literal) {
    std::size_t width = size_of(dtype);
    if (literal.bytes.size() % width != 0) {
        dtype = DType::u8;
        width = 1;
    }
    const DType component = component_of(dtype);
    const bool one = literal.bytes.size() == width;
    std::string out = fmt::format("{}:{}", runtime::name(dtype), one ? "" : "[");
    for (std::size_t at = 0; at < literal.bytes.size(); at += width) {
        if (at != 0) out += ", ";
        const std::uint8_t* const p = literal.bytes.data() + at;
        if (component != dtype)
            out += fmt::format("({}, {})", element_text(component, p), element_text(component, p + width / 2));
        else
            out += element_text(dtype, p);
    }
    if (!one) out += "]";
    return out;
}

bool append_element(DType component, std::string_view text, std::vector<std::uint8_t>& bytes) {
    const std::optional<std::uint64_t> bits = element_bits(component, text);
    if (!bits) return false;
    for (std::size_t i = 0; i < size_of(component); ++i) bytes.push_back(static_cast<std::uint8_t>(*bits >> (8 * i)));
    return true;
}

} // namespace pm::ir
