#pragma once
#include "runtime/array.hpp"

#include <string>
#include <string_view>

namespace pm::runtime {

/// The header of an .npy file.
struct NpyHeader {
    DType dtype{};
    bool swapped = false; ///< true if the elements are big-endian
    bool fortran = false; ///< true if the first axis varies fastest
    Shape shape;
    std::size_t begin = 0; ///< the offset of the elements in the file
};

/// Whether a file begins with the magic bytes of .npy.
bool is_npy(std::string_view bytes);
/// Parses versions 1 to 3 of the format. Messages contain `name`. Throws Failure: file_truncated, file_malformed,
/// file_unsupported (no DType for the element type).
NpyHeader parse_npy_header(std::string_view bytes, const std::string& name);
/// The header, padded to a multiple of 64 bytes as NumPy does.
std::string format_npy_header(DType dtype, const Shape& shape);

} // namespace pm::runtime
