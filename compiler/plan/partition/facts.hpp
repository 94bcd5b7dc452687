#pragma once
#include "compiler/ir/ir.hpp"
#include "compiler/ops/core/rules.hpp"

#include <optional>
#include <vector>

namespace pm::plan {

using ir::Inst;
using ir::Op;
using ir::Shape;
using ir::Type;
using ir::Value;
using ir::Values;

/// The kinds of instructions, and of the units that contain them.
enum class Kind : std::uint8_t {
    nest,        ///< an operation on elements, or a reduction
    concatenate, ///< kind of a unit only: a concatenation whose parts are computed directly into the result's memory
    dot,
    update,
    scatter,
    matrices,
    sort,
    cumulative,
    tape,
    control,
    collective,
    effect
};
Kind kind_of(const Inst& inst);
bool is_reduction(const Inst& inst);
/// True if the instruction is an operation on elements.
bool is_element(const Inst& inst);

/// A constant or iota that the enclosing block passes to a parameter of a region. The value is not in memory. Each use
/// computes it again.
using Recipe = std::shared_ptr<const Inst>;

/// Facts about the values of one block that do not depend on the partition.
class Facts {
  public:
    Facts(const ir::Block& block, const std::vector<Recipe>& recipes);

    const ir::Block& block;
    const Type& type(Value v) const { return block.type(v); }
    /// The instruction that computes `v`. For a parameter this is its recipe. Null for a parameter that is in memory.
    const Inst* definition(Value v) const { return definitions_[v.id]; }
    /// The position in the block of the instruction that defines `v`; -1 for parameters.
    std::int32_t position(Value v) const { return positions_[v.id]; }
    bool is_element(Value v) const { return definitions_[v.id] != nullptr && plan::is_element(*definitions_[v.id]); }
    /// True if `v` is a constant whose elements are not all equal. Such a constant is in memory, among the program's
    /// constants.
    bool is_table(Value v) const;
    /// True if `v` is a constant whose elements are never read (Attr::unread). Its buffer may hold any bytes.
    bool is_unread(Value v) const;
    std::uint32_t uses(Value v) const { return uses_[v.id]; }

  private:
    std::vector<const Inst*> definitions_;
    std::vector<std::int32_t> positions_;
    std::vector<std::uint32_t> uses_;
    std::vector<Recipe> kept_;
};

/// True if the block, or a region in it, has a collective that needs values of several lanes. axis_index is the only
/// collective that does not.
bool needs_several_lanes(const ir::Block& block);

/// True if the result of `inst` has the same bytes as the operand. This holds for a reshape, stop_gradient or barrier,
/// for a bitcast between dtypes of the same size, and for a transpose or broadcast that moves only axes of size 1.
bool is_alias(const Inst& inst, const Facts& facts);
/// If `inst` is a slice and the slice is a contiguous part of its operand, returns the offset of the slice in bytes.
/// Empty for other slices and instructions.
std::optional<std::int64_t> row_offset(const Inst& inst, const Facts& facts);

} // namespace pm::plan
