#pragma once
#include "compiler/codegen/nest/nest_body.hpp"
#include "compiler/codegen/scalar/emit_scalar.hpp"

#include <functional>
#include <vector>

/// The code of reductions that all devices share. The order is that of nest::Stage.
namespace pm::codegen {

/// One reduce instruction of a stage.
struct Reduction {
    nest::Ref ref;
    nest::Combine how;
    DType dtype; ///< dtype of the accumulator
    DType from;  ///< dtype of the operand
    bool ranked; ///< true for argmax and argmin, which reduce pairs of a value and a position
};
std::vector<Reduction> reductions_of(const nest::Nest& nest, const nest::Stage& stage);
/// The number of accumulators of a stage in the order `lanes`.
int accumulators_of(const nest::Stage& stage);
/// The number of blocks into which the outermost own loop is cut.
std::int64_t blocks_of(const nest::Stage& stage);

/// Combines two values, or two pairs of a value and a position.
Ranked merge(Emit& e, const Reduction& r, Ranked a, Ranked c);
Ranked identity(Emit& e, const Reduction& r, int lanes);
/// The operand at a point of the stage's loops, in the accumulator's dtype. The result may have more lanes than the
/// scope, because widening to f64 fills whole registers.
Ranked operand_of(const NestBody& body, const Scope& scope, const Reduction& r);

/// The reduction that combines the results of chunks and blocks: sums and products of floats are in f64.
Reduction total_of(Reduction r);
/// The reductions with the dtypes of a block's results. If the stage has chunks, a result has the dtype of a total.
std::vector<Reduction> block_results_of(const nest::Nest& nest, const nest::Stage& stage);
/// The result of a chunk or block in the dtype of `total`.
Ranked widened(Emit& e, const Reduction& total, Ranked x);

/// The addresses of a Ranked in memory. The stored value has the type stored_type().
struct RankedPlace {
    Value* value;
    Value* position; ///< null if there is no position
};
/// The type of an accumulator's value in memory. A b1 is stored as a byte.
llvm::Type* stored_type(Emit& e, const Reduction& r, int lanes);
void store_ranked(Emit& e, const Reduction& r, RankedPlace place, Ranked x);
Ranked load_ranked(Emit& e, const Reduction& r, RankedPlace place, int lanes);

/// Sets the value of the reduce instruction to the result, which has the accumulator's dtype. One conversion to the
/// instruction's dtype rounds the result.
void publish_reduced(Emit& e, Scope& scope, const Reduction& r, Ranked result);

/// Accumulators in the stack frame of the function. LLVM keeps accumulators in registers unless their index is computed
/// at run time. Each accumulator fills whole registers. Otherwise LLVM may split it: a vector of 10 f64 in a loop is
/// split, and the loop is four times as slow.
class Accumulator {
  public:
    Accumulator(Emit& e, const Reduction& r, int lanes, int count);
    void reset();
    void write(std::size_t i, Ranked x);
    Ranked read(std::size_t i);
    /// Adds `x` in the lanes of `mask`; if `mask` is null, in all lanes.
    void add(std::size_t i, Ranked x, Value* mask);
    std::size_t count() const { return values_.size(); }
    const Reduction& reduction() const { return r_; }
    int lanes() const { return lanes_; }

  private:
    Ranked held(std::size_t i);

    Emit& e_;
    Reduction r_;
    int lanes_;
    int held_; ///< lanes of whole registers; only the first `lanes_` lanes are used
    llvm::Type* type_;
    std::vector<llvm::AllocaInst*> values_;
    std::vector<llvm::AllocaInst*> positions_;
};

/// The accumulators of a stage's reductions for one or more scopes, and their totals if the stage has chunks.
class Accumulators {
  public:
    Accumulators(Emit& e, const nest::Nest& nest, const nest::Stage& stage) : e_(e), nest_(nest), stage_(stage) {}
    /// Appends `count` accumulators of `lanes` lanes for each reduction of the stage.
    void append(int lanes, int count);
    void reset();
    /// Ends a chunk: adds the accumulators to their totals and resets them. Does nothing if the stage has no chunks.
    void flush();
    /// Calls `part` for each chunk of own loop `loop` from `begin` to `end`, and ends each chunk. `begin` is the start
    /// of a chunk. If `more` is true, further iterations follow after `end`, so an incomplete last chunk is not ended.
    void chunks(std::size_t loop, Value* begin, Value* end, const std::function<void(Value*, Value*)>& part,
                bool more = false);
    /// The accumulators to which operands are added, in the order of append().
    std::vector<Accumulator>& parts() { return parts_; }
    /// The accumulators that contain the results.
    std::vector<Accumulator>& results() { return totals_.empty() ? parts_ : totals_; }

  private:
    Emit& e_;
    const nest::Nest& nest_;
    const nest::Stage& stage_;
    std::vector<Accumulator> parts_;
    std::vector<Accumulator> totals_;
};

} // namespace pm::codegen
