#pragma once
#include "compiler/codegen/nest/nest_body.hpp"
#include "compiler/codegen/scalar/emit_scalar.hpp"

#include <functional>
#include <vector>

/// What reductions are made of, on every device; the order is nest::Stage's.
namespace pm::codegen {

/// One reduce instruction of a stage.
struct Reduction {
    nest::Ref ref;
    nest::Combine how;
    DType dtype; ///< of the values as they are accumulated
    DType from;  ///< of the operand
    bool ranked; ///< argmax, argmin: pairs with a position
};
std::vector<Reduction> reductions_of(const nest::Nest& nest, const nest::Stage& stage);
/// How many accumulators a stage of `lanes` order has.
int accumulators_of(const nest::Stage& stage);
/// How many blocks the outermost own loop is cut into.
std::int64_t blocks_of(const nest::Stage& stage);

/// Two values, or pairs with their positions.
Ranked merge(Emit& e, const Reduction& r, Ranked a, Ranked c);
Ranked identity(Emit& e, const Reduction& r, int lanes);
/// The operand at a point of the stage's loops, as the accumulator's dtype; maybe in more lanes than the scope has.
Ranked operand_of(const NestBody& body, const Scope& scope, const Reduction& r);

/// How results of chunks and blocks are combined: sums and products of floats as f64.
Reduction total_of(Reduction r);
/// The results of the stage's blocks: totals where it has a chunk.
std::vector<Reduction> block_results_of(const nest::Nest& nest, const nest::Stage& stage);
/// A chunk's or block's result as total_of has it.
Ranked widened(Emit& e, const Reduction& total, Ranked x);

/// Where a Ranked lies in memory, its value as stored_type has it.
struct RankedPlace {
    Value* value;
    Value* position; ///< nullptr unless ranked
};
/// Of an accumulator's value in memory: a b1 is a byte there.
llvm::Type* stored_type(Emit& e, const Reduction& r, int lanes);
void store_ranked(Emit& e, const Reduction& r, RankedPlace place, Ranked x);
Ranked load_ranked(Emit& e, const Reduction& r, RankedPlace place, int lanes);

/// The result, accumulated as `r` is, becomes the value of the reduce instruction: rounded once, if at all.
void publish_reduced(Emit& e, Scope& scope, const Reduction& r, Ranked result);

/// Accumulators in the function's frame; LLVM keeps them in registers unless they are addressed by a running number.
/// Each fills whole registers: LLVM carries a vector of 10 f64 through a loop in pieces, four times as slowly.
class Accumulator {
  public:
    Accumulator(Emit& e, const Reduction& r, int lanes, int count);
    void reset();
    void write(std::size_t i, Ranked x);
    Ranked read(std::size_t i);
    /// Where `mask` is there, its lanes alone.
    void add(std::size_t i, Ranked x, Value* mask);
    std::size_t count() const { return values_.size(); }
    const Reduction& reduction() const { return r_; }
    int lanes() const { return lanes_; }

  private:
    Ranked held(std::size_t i);

    Emit& e_;
    Reduction r_;
    int lanes_;
    int held_; ///< lanes of whole registers, of which the first `lanes_` count
    llvm::Type* type_;
    std::vector<llvm::AllocaInst*> values_;
    std::vector<llvm::AllocaInst*> positions_;
};

/// The accumulators of a stage's reductions for one scope or more, with their totals where the stage has a chunk.
class Accumulators {
  public:
    Accumulators(Emit& e, const nest::Nest& nest, const nest::Stage& stage) : e_(e), nest_(nest), stage_(stage) {}
    /// `count` of `lanes` lanes for each reduction of the stage.
    void append(int lanes, int count);
    void reset();
    /// Ends a chunk.
    void flush();
    /// Runs `part` for each chunk of own loop `loop` from the beginning `begin` of one to `end`, and ends the chunk;
    /// where there is `more` behind `end`, not one that is incomplete.
    void chunks(std::size_t loop, Value* begin, Value* end, const std::function<void(Value*, Value*)>& part,
                bool more = false);
    /// Those that operands are added to, in the order of appending.
    std::vector<Accumulator>& parts() { return parts_; }
    /// Those that have the results.
    std::vector<Accumulator>& results() { return totals_.empty() ? parts_ : totals_; }

  private:
    Emit& e_;
    const nest::Nest& nest_;
    const nest::Stage& stage_;
    std::vector<Accumulator> parts_;
    std::vector<Accumulator> totals_;
};

} // namespace pm::codegen
