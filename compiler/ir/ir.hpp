#pragma once
#include "compiler/base/account.hpp"
#include "compiler/base/span.hpp"
#include "compiler/ir/attrs.hpp"
#include "compiler/ir/op.hpp"
#include "compiler/ir/type.hpp"

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace pm::ir {

/// An SSA value of one block, an index into Block::values.
struct Value {
    std::uint32_t id = 0xFFFFFFFFU;
    explicit operator bool() const { return id != 0xFFFFFFFFU; }
    bool operator==(const Value&) const = default;
};
using Values = std::vector<Value>;

struct Inst;

} // namespace pm::ir

/// The memory of instructions counts towards the memory limit of the engine. 256 bytes is an estimate of the size of
/// one instruction with its operands, results, types and attributes.
template <>
class std::allocator<pm::ir::Inst> : public pm::Counted<pm::ir::Inst, 256> {
  public:
    using Counted::Counted;
};

namespace pm::ir {

struct Block;
/// Blocks are immutable once built, and shared: a hundred calls of one function refer to one body.
using BlockPtr = std::shared_ptr<const Block>;

/// An inlined call, as an element of a linked list. The list has the calls that led to an instruction; the outermost
/// call comes first.
struct Caller {
    Span span; ///< the place of the call in the user's source
    std::shared_ptr<const Caller> inner;
};
using Callers = std::shared_ptr<const Caller>;

/// The place of an instruction in the user's source.
struct Place {
    Span span;
    Callers callers = {}; ///< the inlined calls that led to the instruction; null: none
    bool operator==(const Place&) const = default;
};

/// An instruction is plain data. compiler/ops/ defines the meaning of operations without regions. control.def defines
/// the meaning of operations with regions.
struct Inst {
    Op op{};
    Values operands;
    Values results;
    Attrs attrs;
    std::vector<BlockPtr> regions;
    Place place;
};

/// A closed piece of a program: parameters, instructions in order, results. A block uses no value of another block, and
/// the ids of its values begin at 0. A function is a block with a name.
struct Block {
    std::string name;
    std::deque<Type> values; ///< the type of each value, by its id. A reference to a type stays valid when instructions
                             ///< are appended
    Values params;
    std::vector<Inst> insts;
    Values results;

    const Type& type(Value v) const { return values[v.id]; }
    std::vector<Type> param_types() const;
    std::vector<Type> result_types() const;
};

/// Appends instructions to a block under construction. The caller passes the types of the results, so the builder does
/// not need the type rules. compiler/ops/core/build.hpp has a builder that applies the type rules and has functions for
/// common instructions.
class BlockBuilder {
  public:
    explicit BlockBuilder(std::string name = {}) : block_(std::make_shared<Block>()) { block_->name = std::move(name); }

    /// Adds a parameter. A parameter may be added after instructions have been appended, because a captured value
    /// becomes a parameter during construction.
    Value param(Type type);
    /// Appends an instruction and returns its results.
    Values append(Inst inst, const std::vector<Type>& result_types);
    const Type& type(Value v) const { return block_->values[v.id]; }
    const Block& block() const { return *block_; }
    /// The instruction that defines `v`. Null for a parameter. The pointer is valid until the next instruction is
    /// appended.
    const Inst* definition(Value v) const;

    /// Sets the place of instructions that are appended without a span.
    void set_place(Place place) { place_ = std::move(place); }
    void set_span(Span span) { place_ = {span}; }
    const Place& place() const { return place_; }
    Span span() const { return place_.span; }

    /// Ends the block. The builder is empty afterwards.
    BlockPtr finish(Values results);

  private:
    std::shared_ptr<Block> block_;
    std::vector<std::int32_t> definitions_; ///< per value: index of its instruction, -1 for parameters
    Place place_;
};

/// The result types of a control instruction with these operands, as control.def defines them. PM_CHECK fails if the
/// regions do not match.
std::vector<Type> control_types(const Inst& inst, const std::vector<Type>& operand_types);

/// True if `block`, or a region in it, has an instruction that `test` accepts.
bool any_inst(const Block& block, bool (*test)(const Inst&));
/// True if `block`, or a region in it, has an instruction that `test` accepts. `test` also gets the block of the
/// instruction.
bool any_inst(const Block& block, const std::function<bool(const Block&, const Inst&)>& test);
inline bool has_effect(const Block& block) {
    return any_inst(block, [](const Inst& i) { return info(i.op).has(effect); });
}
inline bool has_collective(const Block& block) {
    return any_inst(block, [](const Inst& i) { return info(i.op).has(collective); });
}

} // namespace pm::ir
