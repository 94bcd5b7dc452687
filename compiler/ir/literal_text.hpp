#pragma once
#include "compiler/ir/attrs.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace pm::ir {

/// The elements of a constant in IR text: the dtype, a colon and one element or a list, "f32:1.5", "i32:[1, -2]",
/// "c64:(1, -0)". A float has the fewest digits from which the same bits are read. The bits of an element are written
/// instead, as "0x7fc00001", if its dtype has no literals, or if it is a NaN other than the quiet positive one without
/// payload. If the number of bytes is no multiple of the size of `dtype`, the bytes are printed as u8.
std::string literal_text(DType dtype, const Literal& literal);

/// Reads one element in the format of literal_text, and appends it to `bytes`. False if `text` is no element. A complex
/// number is two elements, the real and the imaginary part, of dtype `component`.
bool append_element(DType component, std::string_view text, std::vector<std::uint8_t>& bytes);
/// The dtype of the parts of a complex dtype; other dtypes are returned as they are.
DType component_of(DType dtype);

} // namespace pm::ir
