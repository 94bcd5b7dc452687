#include "compiler/syntax/kinds.hpp"

#include "compiler/base/check.hpp"

namespace pm::syntax {

std::string_view name(TransformKind kind) {
    switch (kind) {
#define PM_X(id)                                                                                                       \
    case TransformKind::id: return #id;
        PM_TRANSFORM_KEYWORDS(PM_X)
#undef PM_X
    }
    PM_UNREACHABLE();
}

std::optional<TransformKind> transform_named(std::string_view text) {
#define PM_X(id)                                                                                                       \
    if (text == #id) return TransformKind::id;
    PM_TRANSFORM_KEYWORDS(PM_X)
#undef PM_X
    return {};
}

std::optional<runtime::DType> dtype_named(std::string_view text) {
    for (int i = 0; i < runtime::named_dtype_count; ++i)
        if (runtime::name(static_cast<runtime::DType>(i)) == text) return static_cast<runtime::DType>(i);
    return {};
}

std::string_view spelling(UnaryOp op) {
    switch (op) {
    case UnaryOp::negate: return "-";
    case UnaryOp::bit_not: return "~";
    case UnaryOp::logical_not: return "not";
    }
    PM_UNREACHABLE();
}

std::string_view spelling(BinaryOp op) {
    switch (op) {
    case BinaryOp::logical_or: return "or";
    case BinaryOp::logical_and: return "and";
    case BinaryOp::equal: return "==";
    case BinaryOp::not_equal: return "!=";
    case BinaryOp::less: return "<";
    case BinaryOp::less_equal: return "<=";
    case BinaryOp::greater: return ">";
    case BinaryOp::greater_equal: return ">=";
    case BinaryOp::in: return "in";
    case BinaryOp::not_in: return "not in";
    case BinaryOp::bit_or: return "|";
    case BinaryOp::bit_xor: return "^";
    case BinaryOp::bit_and: return "&";
    case BinaryOp::shift_left: return "<<";
    case BinaryOp::shift_right: return ">>";
    case BinaryOp::add: return "+";
    case BinaryOp::subtract: return "-";
    case BinaryOp::multiply: return "*";
    case BinaryOp::divide: return "/";
    case BinaryOp::floor_divide: return "//";
    case BinaryOp::remainder: return "%";
    case BinaryOp::matmul: return "@";
    case BinaryOp::power: return "**";
    }
    PM_UNREACHABLE();
}

std::string_view spelling(UpdateOp op) {
    switch (op) {
    case UpdateOp::set: return "=";
    case UpdateOp::add: return "+=";
    case UpdateOp::subtract: return "-=";
    case UpdateOp::multiply: return "*=";
    case UpdateOp::divide: return "/=";
    case UpdateOp::minimum: return "min=";
    case UpdateOp::maximum: return "max=";
    case UpdateOp::floor_divide: return "//=";
    case UpdateOp::remainder: return "%=";
    case UpdateOp::matmul: return "@=";
    case UpdateOp::power: return "**=";
    case UpdateOp::bit_or: return "|=";
    case UpdateOp::bit_xor: return "^=";
    case UpdateOp::bit_and: return "&=";
    case UpdateOp::shift_left: return "<<=";
    case UpdateOp::shift_right: return ">>=";
    }
    PM_UNREACHABLE();
}

std::optional<BinaryOp> binary(UpdateOp op) {
    switch (op) {
    case UpdateOp::set:
    case UpdateOp::minimum:
    case UpdateOp::maximum: return {};
    case UpdateOp::add: return BinaryOp::add;
    case UpdateOp::subtract: return BinaryOp::subtract;
    case UpdateOp::multiply: return BinaryOp::multiply;
    case UpdateOp::divide: return BinaryOp::divide;
    case UpdateOp::floor_divide: return BinaryOp::floor_divide;
    case UpdateOp::remainder: return BinaryOp::remainder;
    case UpdateOp::matmul: return BinaryOp::matmul;
    case UpdateOp::power: return BinaryOp::power;
    case UpdateOp::bit_or: return BinaryOp::bit_or;
    case UpdateOp::bit_xor: return BinaryOp::bit_xor;
    case UpdateOp::bit_and: return BinaryOp::bit_and;
    case UpdateOp::shift_left: return BinaryOp::shift_left;
    case UpdateOp::shift_right: return BinaryOp::shift_right;
    }
    PM_UNREACHABLE();
}

} // namespace pm::syntax
