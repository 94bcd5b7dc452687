#include "compiler/nest/nest.hpp"

#include "runtime/element.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace pm::nest {
namespace {

struct ScalarInfo {
    std::string_view name;
    int operands;
    int weight;
};
constexpr std::array scalars = {
#define SCALAR(name, operands, weight) ScalarInfo{#name, operands, weight},
#include "compiler/nest/scalar.def"
#undef SCALAR
};

constexpr std::int64_t lanes_block = 16384;
constexpr std::int64_t sequential_block = 512;

} // namespace

std::string_view name(ScalarOp op) {
    std::string_view text = scalars[static_cast<std::size_t>(op)].name;
    if (text.ends_with('_')) text.remove_suffix(1);
    return text;
}

int operand_count(ScalarOp op) { return scalars[static_cast<std::size_t>(op)].operands; }

int weight(ScalarOp op, DType dtype) {
    const int narrow = scalars[static_cast<std::size_t>(op)].weight;
    if (op == ScalarOp::constant || op == ScalarOp::index) return narrow;
    if (op == ScalarOp::div) return runtime::is_float(dtype) ? narrow / 4 : narrow;
    if (op == ScalarOp::rem && !runtime::is_float(dtype))
        return weight(ScalarOp::div, dtype); // one instruction has both
    return runtime::size_of(dtype) == 8 ? 2 * narrow : narrow;
}

std::string_view name(Combine combine) {
    switch (combine) {
    case Combine::add: return "add";
    case Combine::mul: return "mul";
    case Combine::max: return "max";
    case Combine::min: return "min";
    case Combine::and_: return "and";
    case Combine::or_: return "or";
    case Combine::argmax: return "argmax";
    case Combine::argmin: return "argmin";
    }
    return {};
}

std::int64_t product(const std::vector<std::int64_t>& extents) {
    std::int64_t made = 1;
    for (const std::int64_t n : extents) made *= n;
    return made;
}

ReduceOrder reduce_order(const std::vector<std::int64_t>& extents, bool last_axis) {
    ReduceOrder result{last_axis ? Order::lanes : Order::sequential, 0};
    if (extents.empty()) return result;
    std::int64_t inner = 1;
    for (std::size_t d = 1; d < extents.size(); ++d) inner *= extents[d];
    // What one accumulator adds up in a block: 256 elements of 64 lanes, or 512 in sequence. At 1e9 elements a sum of
    // ones is exact, of uniforms off by 1e-8; blocks of f32 totals lost 5e-5.
    const std::int64_t elements = last_axis ? lanes_block : sequential_block;
    if (inner == 0 || extents[0] * inner <= 2 * elements) return result;
    const std::int64_t block = std::max<std::int64_t>(1, elements / inner);
    if (block < extents[0]) result.block = block;
    return result;
}

std::uint64_t identity_bits(Combine combine, DType dtype) {
    std::uint64_t bits = 0;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    switch (combine) {
    case Combine::add:
    case Combine::or_: return 0;
    case Combine::mul: runtime::write_i64(dtype, &bits, 0, 1); return bits;
    case Combine::and_: runtime::write_i64(dtype, &bits, 0, -1); return bits;
    case Combine::max:
    case Combine::argmax:
        if (runtime::is_float(dtype)) runtime::write_f64(dtype, &bits, 0, -infinity);
        if (runtime::is_signed_integer(dtype)) bits = std::uint64_t{1} << (8 * runtime::size_of(dtype) - 1);
        return bits;
    case Combine::min:
    case Combine::argmin:
        if (runtime::is_float(dtype)) {
            runtime::write_f64(dtype, &bits, 0, infinity);
            return bits;
        }
        runtime::write_i64(dtype, &bits, 0, -1);
        if (runtime::is_signed_integer(dtype)) bits >>= 1;
        if (runtime::is_signed_integer(dtype) && runtime::size_of(dtype) < 8)
            bits = (std::uint64_t{1} << (8 * runtime::size_of(dtype) - 1)) - 1;
        return bits;
    }
    return bits;
}

} // namespace pm::nest
