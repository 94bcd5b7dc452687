#pragma once
#include "runtime/dtype.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

/// The enumerations of the syntax tree: transformation keywords, operators, and updates of a place.
namespace pm::syntax {

// -- Transformations and collectives: keywords that have their own kinds of nodes

#define PM_TRANSFORM_KEYWORDS(X) X(pmap) X(vmap) X(grad) X(value_and_grad) X(jvp) X(vjp) X(jit) X(psum) X(pmean)

enum class TransformKind : std::uint8_t {
#define PM_X(name) name,
    PM_TRANSFORM_KEYWORDS(PM_X)
#undef PM_X
};
std::string_view name(TransformKind kind);
/// The transformation with this name. Empty if no transformation has this name. Needed for the method form `f.vmap()`,
/// because every word after a point is a name.
std::optional<TransformKind> transform_named(std::string_view text);

enum class UnaryOp : std::uint8_t { negate, bit_not, logical_not };

enum class BinaryOp : std::uint8_t {
    logical_or,  ///< short-circuits on scalars
    logical_and, ///< short-circuits on scalars
    equal,
    not_equal,
    less,
    less_equal,
    greater,
    greater_equal,
    in,
    not_in,
    bit_or,
    bit_xor,
    bit_and,
    shift_left,
    shift_right,
    add,
    subtract,
    multiply,
    divide,
    floor_divide,
    remainder,
    matmul,
    power,
};

/// Whether the operator is one of `==`, `!=`, `<`, `<=`, `>` and `>=`.
constexpr bool is_comparison(BinaryOp op) { return op >= BinaryOp::equal && op <= BinaryOp::greater_equal; }

/// The text of the operator: "+", "not in", "//" ...
std::string_view spelling(UnaryOp op);
std::string_view spelling(BinaryOp op);

/// How an assignment operator combines the old value at a place with the value on the right.
enum class UpdateOp : std::uint8_t {
    set, ///< `=`
    add,
    subtract,
    multiply,
    divide,
    minimum, ///< `min=`
    maximum, ///< `max=`
    floor_divide,
    remainder,
    matmul,
    power,
    bit_or,
    bit_xor,
    bit_and,
    shift_left,
    shift_right,
};
/// The text of the operator: "=", "+=", "min=" ...
std::string_view spelling(UpdateOp op);
/// The binary operator in `place op= value`. Empty for `=`, `min=` and `max=`.
std::optional<BinaryOp> binary(UpdateOp op);

/// The dtype with this name: "f32", "bool", "key" ... Empty if no dtype has this name.
std::optional<runtime::DType> dtype_named(std::string_view text);

} // namespace pm::syntax
