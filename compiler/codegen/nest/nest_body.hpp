#pragma once
#include "compiler/codegen/nest/nest_shape.hpp"

#include <functional>
#include <vector>

namespace pm::codegen {

/// What is known at a place within the loops of a nest: the loop indices, the values computed so far, and for each
/// access the address as far as the loops entered take it. Copied when a loop is entered, so that a value never leaves
/// its loop.
struct Scope {
    int lanes = 1;                 ///< of values that vary
    Value* mask = nullptr;         ///< lanes that are there; null: all
    std::vector<Value*> indices;   ///< per loop entered; of the loop that vectors lie along that of the first lane
    std::vector<Value*> values;    ///< per instruction: one lane or `lanes`
    std::vector<Value*> addresses; ///< per load or store
};

/// Writes the instructions of a nest's body at given places in its loops.
class NestBody {
  public:
    /// Reads in place of some loads, e.g. of a product that has not been stored: gives the value at the scope's point,
    /// or null.
    using Source = std::function<Value*(const Scope&, nest::Ref)>;

    NestBody(Emit& e, const NestShape& shape, llvm::ArrayRef<Value*> buffers);

    Emit& e;
    const NestShape& shape;

    void replace_loads(Source source) { source_ = std::move(source); }

    Scope outermost() const;
    /// Enters the next loop. `stages`: those whose addresses move with it.
    void enter(Scope& scope, Value* index, llvm::ArrayRef<const nest::Stage*> stages) const;
    /// Computes the stage's instructions of this depth but for reduce.
    void instructions(Scope& scope, const nest::Stage& stage, int depth) const;
    /// Computes all of them at once, for a scope that has entered every loop.
    void everything(Scope& scope, const nest::Stage& stage) const;
    /// A value as `lanes` of the scope.
    Value* spread(const Scope& scope, nest::Ref r) const;

  private:
    Value* instruction(const Scope& scope, const nest::Stage& stage, nest::Ref r) const;
    Value* index(const Scope& scope, const nest::Stage& stage, const nest::Inst& inst, bool varies) const;
    Value* small_division(const Scope& scope, const nest::Inst& inst, bool varies) const;
    Value* operand(const Scope& scope, nest::Ref r, bool varies) const;
    Value* load(const Scope& scope, const nest::Stage& stage, nest::Ref r) const;
    void store(const Scope& scope, const nest::Stage& stage, nest::Ref r) const;

    /// Where the lanes of an access lie: one address, or `stride` elements from lane to lane, or anywhere.
    struct Place {
        Value* base;       ///< address of the first lane, or what `offsets` count from
        std::int64_t step; ///< elements from lane to lane when `offsets` is null
        Value* offsets;    ///< elements, per lane
        Value* mask;       ///< lanes to touch; null: all
    };
    Place place(const Scope& scope, const nest::Stage& stage, nest::Ref r, bool varies) const;
    /// Of a whole vector in memory.
    llvm::Align alignment(const Scope& scope, const nest::Stage& stage, const nest::Inst& inst) const;
    Value* pointers(const Place& place, DType dtype, int lanes) const;
    Value* zeros() const;

    std::vector<Value*> buffers_;
    Source source_;
};

} // namespace pm::codegen
