#pragma once
#include "compiler/ir/attrs.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace pm::ir {

/// The elements of a constant in IR text: the dtype, a colon, and one element or a list. Examples are "f32:1.5",
/// "i32:[1, -2]" and "c64:(1, -0)". A float has the fewest digits that are read back as the same bits. If a dtype has
/// no literals, such as keys, an element is written as its bits, for example "0x7fc00001". Every NaN is written as its
/// bits too, except the quiet positive NaN without payload. If the number of bytes is not a multiple of the size of
/// `dtype`, the bytes are written as u8.
std::string literal_text(DType dtype, const Literal& literal);

/// Reads one element in the format of literal_text, and appends it to `bytes`. Returns false if `text` is not an
/// element. A complex number is read as two elements of dtype `component`: first the real part, then the imaginary
/// part.
bool append_element(DType component, std::string_view text, std::vector<std::uint8_t>& bytes);
/// The dtype of the two parts of a complex dtype. The function returns other dtypes as they are.
DType component_of(DType dtype);

} // namespace pm::ir
