#pragma once
#include "runtime/array.hpp"

#include <span>
#include <string>
#include <string_view>

namespace pm {

/// The kind of the values that a format string applies to. `numbers` are integers and floats; `other` is any other
/// value.
enum class Content : std::uint8_t { text, bools, integers, floats, numbers, other };
/// True if Python accepts the format for values of this kind: [[fill]align][sign][z][#][0][width][, or
/// _][.precision][type] with a type of b c d e E f F g G n o s x X %.
bool valid_format(std::string_view spec, Content content);
/// The greatest width and precision that a format can have.
inline constexpr int widest_format = 100'000;
/// Whether the width or the precision in the format exceeds `widest_format`.
bool too_wide(std::string_view spec);
/// Whether a character with this code exists, for the format type `c`. Other codes are written as U+FFFD.
bool is_character(std::int64_t code);
/// Formats one element. Without a spec, a float is written with a point and with the fewest digits that read back as
/// the same value.
std::string format_element(const runtime::Array& a, std::int64_t i, std::string_view spec);
/// An array as a literal, with commas. If all elements are whole numbers, they are written without points. An array of
/// more than 1000 elements is abbreviated with `...`.
std::string format_array(const runtime::Array& a, std::string_view spec = {});
/// `true` or `false`. If the spec has a numeric type, 1 or 0, as in Python.
std::string format_bool(bool value, std::string_view spec);
std::string format_integer(std::int64_t value, std::string_view spec);
std::string format_float(double value, std::string_view spec, bool single = false);
/// An amount of memory: "16 bytes", "80.0 kB", "1.2 GB".
std::string format_bytes(std::int64_t bytes);
std::string format_text(const std::string& text, std::string_view spec);
/// Fills the text of a print or check. `{}` and `{:spec}` are replaced by the values in order. `{{` and `}}` are
/// replaced by single braces. A placeholder that begins with `{!c`, such as `{!c}` or `{!c:spec}`, stands for a complex
/// value. The array of this value has a last axis of size two: the real and the imaginary part.
std::string fill_template(std::string_view text, std::span<const runtime::Array> values);
/// Returns the text with `!c` inserted in each placeholder of a complex value. `complex[i]` is true if the value of
/// placeholder i is complex.
std::string mark_pairs(std::string_view text, const std::vector<bool>& complex);
/// The text with its braces doubled, so that none of them is a placeholder in a template.
std::string escape_template(std::string_view text);

} // namespace pm
