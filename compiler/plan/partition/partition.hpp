#pragma once
#include "compiler/plan/partition/facts.hpp"
#include "compiler/plan/partition/pull.hpp"

namespace pm::plan {

/// Where the instructions that use a value get it from.
enum class Role : std::uint8_t {
    memory,  ///< in a buffer from the start: a parameter or a table
    inlined, ///< computed where it is used
    member,  ///< computed by a unit
    alias,   ///< bytes of another value; see Partition::bases
};

/// The content of one step: a nest with its outputs, a kernel with its epilogue, or a construct with regions. A
/// concatenation in memory becomes one nest for each of its parts.
struct Unit {
    Kind kind{};
    const Inst* inst = nullptr; ///< null for plain nests
    std::vector<Value> members; ///< the values that the unit computes, each after its operands
    Shape full; ///< the largest shape over which the loops of a nest or an epilogue iterate; for a dot, the shape of
                ///< the product
    /// For a nest: the axes of `full` over which it reduces or iterates at each point of the grid.
    std::vector<std::int64_t> axes;
    std::vector<Value> reads; ///< members of other units and values in memory, without repetition
    bool in_lanes = false;    ///< the unit must run in each lane
    int size = 0;             ///< estimated number of scalar instructions

    bool is_row_nest() const { return kind == Kind::nest && !axes.empty(); }
    /// If true, the first member is the result of `inst`. The other members are the epilogue.
    bool may_have_epilogue() const {
        return kind == Kind::dot || (kind == Kind::matrices && inst->op == Op::convolution);
    }
};

struct PartitionOptions {
    bool fuse = true;
    std::vector<bool> varying; ///< per value: differs from lane to lane; empty: no value does
};

/// The instructions of a block sorted into units, in an order in which they can run.
struct Partition {
    std::vector<Unit> units;
    std::vector<Role> roles;           ///< per value
    std::vector<std::int32_t> unit_of; ///< per value: the unit it is a member of, or -1
    std::vector<Value> bases;          ///< per value: for an alias the value whose bytes it is, otherwise itself
    std::vector<std::int64_t> offsets; ///< per value: bytes from the start of its base
    std::vector<bool> stored;          ///< per value: whether it is a member that needs a buffer

    Role role(Value v) const { return roles[v.id]; }
    Value base(Value v) const { return bases[v.id]; }
};
Partition partition(const Facts& facts, const PartitionOptions& options);

/// Whether a control instruction can have a recipe as this operand: the operand is neither carried nor sliced.
bool takes_recipe(const Inst& inst, std::size_t operand);
/// Whether a region can have `v` as a recipe.
bool is_recipe(const Facts& facts, Value v);

/// The value that a dot reads for its operand `v`: `v` without its outermost transposes, which become strides.
Value without_transposes(const Facts& facts, Value v);

/// The numbers of batch, row and column axes in a dot's result, in this order.
std::vector<std::size_t> product_groups(const Facts& facts, const Inst& dot);

/// The axes that a reduction reduces.
std::vector<std::int64_t> reduced_axes(const Inst& inst);

/// The loops of a nest over `full`. The loops over `axes` (the row) run again for each point of the other axes (the
/// grid).
struct NestLoops {
    std::vector<std::int64_t> grid; ///< extents of the axes that are not in `axes`
    std::vector<std::int64_t> row;  ///< extents of `axes`, without extents of 1; {1} if none is left
    bool last_axis = false;         ///< the last axis longer than 1 is in `axes`
    NestLoops(const Shape& full, const std::vector<std::int64_t>& axes);
    /// The index of a value of shape `full` inside a stage with the row's loops.
    nest::Indices full_index(const Shape& full, const std::vector<std::int64_t>& axes) const;
    /// The index of a value with one element for each point of the grid. The value may also have axes of size 1.
    nest::Indices grid_index(const Shape& shape) const;
};
/// `shape` without its axes of size 1.
Shape squeezed(const Shape& shape);

} // namespace pm::plan
