#pragma once
#include "compiler/nest/fold.hpp"
#include "compiler/nest/nest.hpp"

#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>

namespace pm::nest {

/// An index while a nest is built. The index is an affine function of the loop indices. Optionally, `computed` is
/// added, an i64 scalar that instructions compute.
struct Index {
    Affine affine;
    Ref computed; ///< added to `affine`; null if the index is affine

    bool is_affine() const { return !computed; }
    static Index constant(std::int64_t value) { return {{value, {}}, {}}; }
};
using Indices = std::vector<Index>;

/// Builds the body of one nest. Within a stage, equal instructions are built only once, except stores. Constants are
/// folded. Operations of index arithmetic that change nothing, such as x + 0, are folded too.
class Builder {
  public:
    explicit Builder(std::string name, std::vector<std::int64_t> grid);

    std::uint32_t buffer(DType dtype, bool written);
    /// Starts a stage with its own loops. Without this call, the first instruction starts a stage without loops.
    void begin_stage(std::vector<std::int64_t> loops, const ReduceOrder& order = {});
    /// The variables of the loops. grid_indices() has the variables of the grid. stage_indices() has these, then the
    /// variables of the current stage.
    Indices grid_indices() const;
    Indices stage_indices() const;

    Ref constant(DType dtype, double value);
    Ref constant_bits(DType dtype, std::uint64_t bits);
    Ref op(ScalarOp op, DType dtype, std::vector<Ref> operands);
    DType dtype(Ref r) const { return nest_[r].dtype; }

    // Index arithmetic.
    Index add(const Index& a, const Index& b);
    Index add(const Index& a, std::int64_t b);
    Index mul(const Index& a, std::int64_t b);
    Index div(const Index& a, std::int64_t b); ///< needs a >= 0 and b > 0; the quotient is an affine index where
                                               ///< possible
    Index rem(const Index& a, std::int64_t b);
    Index clamp(const Index& a, std::int64_t low, std::int64_t high);
    Index from(Ref integer);       ///< `integer` may have any integer dtype
    Ref value(const Index& index); ///< the index as an i64
    /// The condition low <= index < high as a bool. Nullopt if the condition always holds.
    std::optional<Ref> within(const Index& index, std::int64_t low, std::int64_t high);

    /// Loads and stores access the element `at` of a dense row-major array of shape `shape` in `buffer`.
    Ref load(std::uint32_t buffer, const std::vector<std::int64_t>& shape, const Indices& at,
             std::optional<Ref> mask = {});
    void store(std::uint32_t buffer, const std::vector<std::int64_t>& shape, const Indices& at, Ref value,
               std::optional<Ref> mask = {});
    Ref reduce(Combine combine, Ref value, Ref position = {});

    /// Returns the nest. First, instructions on which no store depends are removed. Then stages without instructions
    /// are removed. The builder is empty afterwards.
    Nest finish();

    /// The known range of an index over all iterations.
    Range range(const Index& index) const;
    const Nest& nest() const { return nest_; } ///< the nest as built so far
    /// The number of times that two instructions were compared in the search for equal instructions.
    std::size_t compared() const { return compared_; }

  private:
    std::pair<Affine, Index> split(const Index& a, std::int64_t b) const;
    Ref push(Inst inst);
    const Stage* stage() const { return nest_.stages.empty() ? nullptr : &nest_.stages.back(); }
    Access access(std::uint32_t buffer, const std::vector<std::int64_t>& shape, const Indices& at,
                  std::optional<Ref> mask);

    Nest nest_;
    std::vector<Range> ranges_;                            ///< per instruction: the bounds of its value
    std::unordered_multimap<std::uint64_t, Ref> interned_; ///< the instructions of the current stage, by the hash of
                                                           ///< the instruction
    std::size_t compared_ = 0;
};

} // namespace pm::nest
