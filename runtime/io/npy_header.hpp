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

NpyHeader parse_npy_header(std::string_view bytes, const std::string& name);
/// Aligned to 64, as NumPy's.
std::string format_npy_header(DType dtype, const Shape& shape);

} // namespace pm::runtime
