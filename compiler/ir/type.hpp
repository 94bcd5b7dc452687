#pragma once
#include "runtime/dtype.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace pm::ir {

using runtime::DType;
using Shape = std::vector<std::int64_t>;

/// The type of an IR value, which is an array of fixed shape. A scalar has rank 0. IR values are never trees, strings
/// or functions.
struct Type {
    DType dtype = DType::f32;
    Shape shape;

    int rank() const { return static_cast<int>(shape.size()); }
    std::int64_t elements() const;
    bool operator==(const Type&) const = default;
};

std::int64_t product(const Shape& shape);
/// The type as text: "f32", "i32[3, 4]", "f64[0]".
std::string to_string(const Type& type);
/// The shape as a tuple of the language: "(3, 4)", "(3,)", "()".
std::string to_string(const Shape& shape);

} // namespace pm::ir
