#pragma once
#include "compiler/plan/partition/facts.hpp"
#include "compiler/plan/partition/pull.hpp"

namespace pm::plan {

/// Where instructions find a value that they use.
enum class Role : std::uint8_t {
    memory,  ///< in a buffer from the start: the value is a parameter or a table
    inlined, ///< computed again where it is used
    member,  ///< computed by a unit
    alias,   ///< the bytes of another value; see Partition::bases
};

/// The content of one step. The content is a nest with its outputs, a kernel with its epilogue, or an operation with
/// regions. A unit of kind `concatenate` becomes one nest for each part of the concatenation.
struct Unit {
    Kind kind{};
    const Inst* inst = nullptr; ///< null for units of kind `nest`
    std::vector<Value> members; ///< the values that the unit computes, each after its operands
    Shape full; ///< The largest shape over which the loops of a nest or an epilogue iterate. For a dot, it is the shape
                ///< of the product
    /// For a nest: the axes of `full` that the nest reduces, or over which it iterates at each point of the grid.
    std::vector<std::int64_t> axes;
    std::vector<Value> reads; ///< the members of other units, and the values in memory, that the unit reads; without
                              ///< repetition
    bool in_lanes = false;    ///< true if the unit must run in each lane
    int size = 0;             ///< estimated number of scalar instructions

    bool is_row_nest() const { return kind == Kind::nest && !axes.empty(); }
    /// True if the unit may have an epilogue. The first member is then the result of `inst`. The other members are the
    /// epilogue.
    bool may_have_epilogue() const {
        return kind == Kind::dot || (kind == Kind::matrices && inst->op == Op::convolution);
    }
};

struct PartitionOptions {
    bool fuse = true;
    std::vector<bool> varying; ///< per value: true if it differs from lane to lane; empty: no value does
};

/// The instructions of a block, grouped into units. The units are in an order in which they can run.
struct Partition {
    std::vector<Unit> units;
    std::vector<Role> roles;           ///< per value
    std::vector<std::int32_t> unit_of; ///< per value: the unit of which it is a member, or -1
    std::vector<Value> bases; ///< per value: the value whose bytes it uses if it is an alias; otherwise the value
                              ///< itself
    std::vector<std::int64_t> offsets; ///< per value: the number of bytes from the start of its base
    std::vector<bool> stored;          ///< per value: true if it is a member that needs a buffer

    Role role(Value v) const { return roles[v.id]; }
    Value base(Value v) const { return bases[v.id]; }
};
Partition partition(const Facts& facts, const PartitionOptions& options);

/// True if operand number `operand` of a control instruction can be a recipe. Such an operand must be neither carried
/// nor sliced.
bool takes_recipe(const Inst& inst, std::size_t operand);
/// True if a region can have `v` as a recipe.
bool is_recipe(const Facts& facts, Value v);

/// The value that a dot reads for its operand `v`. It is `v` without its outermost transposes, because these become
/// strides.
Value without_transposes(const Facts& facts, Value v);

/// The number of batch axes, of row axes and of column axes in the result of a dot, in this order.
std::vector<std::size_t> product_groups(const Facts& facts, const Inst& dot);

/// The axes that the reduction `inst` reduces.
std::vector<std::int64_t> reduced_axes(const Inst& inst);

/// The loops of a nest over `full`. The axes `axes` form a row, and the other axes are the grid. At each point of the
/// grid, the loops over the row run once or several times.
struct NestLoops {
    std::vector<std::int64_t> grid; ///< extents of the axes that are not in `axes`
    std::vector<std::int64_t> row;  ///< extents of `axes`, without extents of 1; {1} if no extent is left
    bool last_axis = false;         ///< true if the last axis that is longer than 1 is in `axes`
    NestLoops(const Shape& full, const std::vector<std::int64_t>& axes);
    /// The index of a value of shape `full` inside a stage that has the loops of the row.
    nest::Indices full_index(const Shape& full, const std::vector<std::int64_t>& axes) const;
    /// The index of a value with one element for each point of the grid. The value may also have axes of size 1.
    nest::Indices grid_index(const Shape& shape) const;
};
/// `shape` without its axes of size 1.
Shape squeezed(const Shape& shape);

} // namespace pm::plan
