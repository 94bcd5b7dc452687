#include "compiler/ir/type.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pm::ir {

std::int64_t product(const Shape& shape) {
    std::int64_t n = 1;
    for (const std::int64_t size : shape) n *= size;
    return n;
}

std::int64_t Type::elements() const { return product(shape); }

std::string to_string(const Type& type) {
    if (type.shape.empty()) return std::string(runtime::name(type.dtype));
    return fmt::format("{}[{}]", runtime::name(type.dtype), fmt::join(type.shape, ", "));
}

std::string to_string(const Shape& shape) {
    return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

} // namespace pm::ir
