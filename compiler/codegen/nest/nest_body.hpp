#pragma once
#include "compiler/codegen/nest/nest_shape.hpp"

#include <functional>
#include <vector>

namespace pm::codegen {

/// The values at one position within the loops of a nest: the loop indices, the values computed so far, and the
/// addresses of the accesses. An address includes only the terms of the loops that have been entered. Each loop has its
/// own copy of the scope, so no value is used outside of its loop.
struct Scope {
    int lanes = 1;               ///< the number of lanes of values that vary
    Value* mask = nullptr;       ///< the active lanes; null: all
    std::vector<Value*> indices; ///< per entered loop; for the loop that vectors lie along, the index of the first lane
    std::vector<Value*> values;  ///< per instruction; a value has one lane or `lanes`
    std::vector<Value*> addresses; ///< per load or store: the address without the terms of loops not yet entered
};

/// Emits the instructions of a nest's body at given positions in its loops.
class NestBody {
  public:
    /// Replaces loads, for example loads of a product that has not been stored. Returns the value at the scope's point,
    /// or null if the load is not replaced.
    using Source = std::function<Value*(const Scope&, nest::Ref)>;

    NestBody(Emit& e, const NestShape& shape, llvm::ArrayRef<Value*> buffers);

    Emit& e;
    const NestShape& shape;

    void replace_loads(Source source) { source_ = std::move(source); }

    Scope outermost() const;
    /// Enters the next loop. Advances the addresses of the accesses of `stages`.
    void enter(Scope& scope, Value* index, llvm::ArrayRef<const nest::Stage*> stages) const;
    /// Computes those instructions of the stage that have the loop depth `depth`, except reductions.
    void instructions(Scope& scope, const nest::Stage& stage, int depth) const;
    /// Computes all instructions of the stage, for a scope that has entered every loop.
    void everything(Scope& scope, const nest::Stage& stage) const;
    /// A value, broadcast to the lanes of the scope.
    Value* spread(const Scope& scope, nest::Ref r) const;

  private:
    Value* instruction(const Scope& scope, const nest::Stage& stage, nest::Ref r) const;
    Value* index(const Scope& scope, const nest::Stage& stage, const nest::Inst& inst, bool varies) const;
    Value* small_division(const Scope& scope, const nest::Inst& inst, bool varies) const;
    Value* operand(const Scope& scope, nest::Ref r, bool varies) const;
    Value* load(const Scope& scope, const nest::Stage& stage, nest::Ref r) const;
    void store(const Scope& scope, const nest::Stage& stage, nest::Ref r) const;

    /// The addresses of the lanes of an access. There are three cases: one address for all lanes, `step` elements
    /// between lanes, or arbitrary `offsets`.
    struct Place {
        Value* base;       ///< the address of the first lane, or the origin of `offsets`
        std::int64_t step; ///< elements between two lanes if `offsets` is null
        Value* offsets;    ///< per lane, in elements
        Value* mask;       ///< the active lanes; null: all
    };
    Place place(const Scope& scope, const nest::Stage& stage, nest::Ref r, bool varies) const;
    /// The alignment of a whole vector in memory.
    llvm::Align alignment(const Scope& scope, const nest::Stage& stage, const nest::Inst& inst) const;
    Value* pointers(const Place& place, DType dtype, int lanes) const;
    Value* zeros() const;

    std::vector<Value*> buffers_;
    Source source_;
};

} // namespace pm::codegen
