#pragma once
#include "runtime/array.hpp"

#include <string>
#include <string_view>

namespace pm::runtime {

/// What stands before the elements of an .npy file.
struct NpyHeader {
    DType dtype{};
    bool swapped = false; ///< the elements are big-endian
    bool fortran = false; ///< the first axis varies fastest
    Shape shape;
    std::size_t begin = 0; ///< where the elements begin
};

/// Whether a file begins as an .npy file.
bool is_npy(std::string_view bytes);
/// Of the versions 1 to 3 of the format. `name` stands in messages. Failure: file_truncated, file_malformed,
/// file_unsupported (an element type that no DType is).
NpyHeader parse_npy_header(std::string_view bytes, const std::string& name);
/// Aligned to 64, as NumPy's.
std::string format_npy_header(DType dtype, const Shape& shape);

} // namespace pm::runtime
