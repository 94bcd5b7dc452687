#pragma once
#include "compiler/codegen/gpu/points.hpp"
#include "compiler/codegen/nest/reduction.hpp"

#include <map>
#include <vector>

namespace pm::codegen {

/// Whether each accumulator of the stage belongs to a separate thread.
bool is_spread(const nest::Nest& nest, const nest::Stage& s);
/// Whether the stage is a reduction of few elements at each of many points. One thread then has all accumulators of its
/// point.
bool is_short(const nest::Nest& nest, const nest::Stage& s);

/// Emits the code of a team of threads for a nest, point by point of its grid.
class ThreadedNest {
  public:
    ThreadedNest(Emit& e, Threads& threads, const NestShape& shape, const Mapping& mapping,
                 llvm::ArrayRef<Value*> buffers, NestBody::Source source);
    void run();

  protected:
    /// The bytes of a slot in shared memory: a value and, for argmax and argmin, its position.
    static constexpr std::int64_t slot_bytes = 16;

    void point(Value* number);
    /// A scope that has entered the loops of the grid at point `number`.
    Scope enter_grid(Value* number);
    void stage(Scope& scope, const nest::Stage& s);
    /// One iteration of the stage's own loops.
    void iteration(Scope scope, const nest::Stage& s, Value* number);
    /// Reduces the iterations begin .. end of the outermost own loop into accumulator number `rank`. A thread whose
    /// `rank` is at least `width` adds nothing.
    void part(const Scope& scope, const nest::Stage& s, Accumulators& sums, int width, Value* rank,
              std::pair<Value*, Value*> range);
    /// Combines the accumulators of each group of `width` threads in halves. The first thread of the group gets the
    /// result.
    Ranked combined(Accumulator& sum, int width);
    /// The range of iterations of the outermost own loop in block `number`.
    std::pair<Value*, Value*> block_of(const nest::Stage& s, Value* number);

    Ranked take(Ranked x, Value* source, int width);
    Value* word(int n) { return e_.b.getInt32(static_cast<std::uint32_t>(n)); }

    Emit& e_;
    Threads& threads_;
    const NestShape& shape_;
    Mapping mapping_;
    NestBody body_;
    std::vector<const nest::Stage*> stages_; ///< the stages to run
    Value* member_ = nullptr;                ///< the number of the thread in the team
    Value* scratch_ = nullptr;               ///< a slot for each member

  private:
    struct Rows {
        std::map<std::uint32_t, Value*> written; ///< rows in shared memory; the key is the load that fills the row
        /// Rows in shared memory; the key is the load of a later stage that reads the row instead of its buffer.
        std::map<std::uint32_t, Value*> read;
    };
    Rows rows_;

    void team_barrier();
    bool shares_block() const { return mapping_.team < mapping_.threads; }
    void map(const Scope& scope, const nest::Stage& s);
    void reduce(Scope& scope, const nest::Stage& s);
    void reduce_short(Scope& scope, const nest::Stage& s);
    /// Chooses rows to keep in shared memory for later stages.
    void keep_rows();
    void keep_row(const Scope& scope, const nest::Stage& s);
    Value* kept_row(const Scope& scope, nest::Ref r);
    Value* slot(const Scope& scope, nest::Ref r, Value* row);
    Ranked from_first(const Reduction& r, Ranked x);
    RankedPlace place(Value* slot, const Reduction& r);
    void put(Value* slot, const Reduction& r, Ranked x) { store_ranked(e_, r, place(slot, r), x); }
    Ranked get(Value* slot, const Reduction& r) { return load_ranked(e_, r, place(slot, r), 1); }
};

} // namespace pm::codegen
