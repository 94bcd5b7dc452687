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
    concatenate, ///< units only: a concatenation whose parts are computed directly into the result's memory
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
/// Whether the instruction is an operation on elements.
bool is_element(const Inst& inst);

/// A constant or iota of the enclosing block that is bound to a region's parameter. The value is not in memory; each
/// use computes the value again.
using Recipe = std::shared_ptr<const Inst>;

/// Facts about the values of one block that do not depend on the partition.
class Facts {
  public:
    Facts(const ir::Block& block, const std::vector<Recipe>& recipes);

    const ir::Block& block;
    const Type& type(Value v) const { return block.type(v); }
    /// The instruction that computes a value, or the recipe of a parameter. Null for a parameter in memory.
    const Inst* definition(Value v) const { return definitions_[v.id]; }
    /// Position of the defining instruction in the block; -1 for parameters.
    std::int32_t position(Value v) const { return positions_[v.id]; }
    bool is_element(Value v) const { return definitions_[v.id] != nullptr && plan::is_element(*definitions_[v.id]); }
    /// Whether the value is a constant whose elements are not all equal. Such a constant is in memory, among the
    /// program's constants.
    bool is_table(Value v) const;
    /// Whether the value is a constant whose elements are never read (Attr::unread): its buffer may hold any bytes.
    bool is_unread(Value v) const;
    std::uint32_t uses(Value v) const { return uses_[v.id]; }

  private:
    std::vector<const Inst*> definitions_;
    std::vector<std::int32_t> positions_;
    std::vector<std::uint32_t> uses_;
    std::vector<Recipe> kept_;
};

/// Whether the block or a region of it has a collective that needs values of several lanes: any collective except
/// axis_index.
bool needs_several_lanes(const ir::Block& block);

/// Whether the result has the bytes of the operand. True for a reshape, stop_gradient or barrier, for a bitcast between
/// types with the same number of bytes, and for a transpose or broadcast that moves only axes of size 1.
bool is_alias(const Inst& inst, const Facts& facts);
/// The offset in bytes of a slice that is a contiguous part of its operand. Empty for other slices and instructions.
std::optional<std::int64_t> row_offset(const Inst& inst, const Facts& facts);

} // namespace pm::plan
