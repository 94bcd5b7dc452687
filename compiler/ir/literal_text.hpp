#pragma once
#include "compiler/ir/attrs.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace pm::ir {

/// The elements of a constant in IR text: the dtype, a colon and one element or a list, "f32:1.5", "i32:[1, -2]",
/// "c64:(1, -0)". Floats have the fewest digits that read back; a NaN other than the plain one, and whatever has no
/// literal of its own, is written as its bits, 0x7fc00001. Bytes that are no multiple of `dtype` are printed as u8.
std::string literal_text(DType dtype, const Literal& literal);

/// One element as literal_text writes it, appended to `bytes`; false when `text` is none. Complex numbers are two
/// elements of half the width: `component` is their dtype.
bool append_element(DType component, std::string_view text, std::vector<std::uint8_t>& bytes);
/// The real type of the parts of a complex one, else the type itself.
DType component_of(DType dtype);

} // namespace pm::ir
