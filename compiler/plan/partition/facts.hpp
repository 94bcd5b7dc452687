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

/// How plan/ treats an instruction.
enum class Kind : std::uint8_t {
    element,
    reduce,
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

/// About how many simple instructions one element of the result costs; shape operations cost nothing.
int op_cost(const Inst& inst);

/// What a parameter of a region stands for when its value is not in memory: a constant or iota of the block around it,
/// made anew where it is used.
using Recipe = std::shared_ptr<const Inst>;

/// What is known of the values of one block before any decision.
class Facts {
  public:
    Facts(const ir::Block& block, const std::vector<Recipe>& recipes);

    const ir::Block& block;
    const Type& type(Value v) const { return block.type(v); }
    /// The instruction a value comes from (or the recipe of a parameter); null for what is in memory from the start.
    const Inst* definition(Value v) const { return definitions_[v.id]; }
    /// Position of the defining instruction in the block; -1 for parameters.
    std::int32_t position(Value v) const { return positions_[v.id]; }
    bool is_element(Value v) const {
        return definitions_[v.id] != nullptr && kind_of(*definitions_[v.id]) == Kind::element;
    }
    /// A constant of several different elements: kept in memory, among the program's constants.
    bool is_table(Value v) const;
    /// A constant that nobody looks at: its buffer may hold anything.
    bool is_unread(Value v) const;
    std::uint32_t uses(Value v) const { return uses_[v.id]; }

  private:
    std::vector<const Inst*> definitions_;
    std::vector<std::int32_t> positions_;
    std::vector<std::uint32_t> uses_;
    std::vector<Recipe> kept_;
};

/// A collective that lanes must come together for, in the block or in a region.
bool meets_lanes(const ir::Block& block);

/// A reshape, or a bitcast between types of one width: the same bytes as its operand. stop_gradient and barrier too.
bool is_alias(const Inst& inst, const Facts& facts);
/// A slice of whole rows of axis 0, without gaps: bytes of its operand from some offset on.
std::optional<std::int64_t> row_offset(const Inst& inst, const Facts& facts);

} // namespace pm::plan
