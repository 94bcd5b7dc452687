#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace pm::ir {

enum class Op : std::uint8_t {
#define OP(name, operands, results, traits) name,
#include "compiler/ir/ops.def"
#undef OP
#define CONTROL(name, said) name,
#include "compiler/ir/control.def"
#undef CONTROL
};

enum Trait : std::uint32_t {
    plain = 0,
    elementwise = 1U << 0,
    linear = 1U << 1,
    bilinear = 1U << 2,
    linear_first = 1U << 3,
    linear_some = 1U << 4,
    boolean = 1U << 5,
    creation = 1U << 6,
    shape_only = 1U << 7,
    reduction = 1U << 8,
    random = 1U << 9,
    effect = 1U << 10,
    collective = 1U << 11,
    control = 1U << 12,
    in_place = 1U << 13,
};

struct OpInfo {
    std::string_view name; ///< the name in IR text, such as `if` for Op::if_
    int operands;          ///< -1: any number
    int results;
    std::uint32_t traits;
    bool has(Trait t) const { return (traits & t) != 0; }
};

constexpr int flat_op_count = 0
#define OP(name, operands, results, traits) +1
#include "compiler/ir/ops.def"
#undef OP
    ;
constexpr int op_count = flat_op_count
#define CONTROL(name, said) +1
#include "compiler/ir/control.def"
#undef CONTROL
    ;

const OpInfo& info(Op op);
inline bool is_control(Op op) { return static_cast<int>(op) >= flat_op_count; }
std::optional<Op> op_named(std::string_view name);

} // namespace pm::ir
