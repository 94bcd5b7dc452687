#pragma once
#include "compiler/ops/core/axes.hpp"
#include "compiler/ops/core/positions.hpp"

/// Maps each element of the gathered part to its element of x. Shared by gather and scatter.
namespace pm::ops {

/// gather(x, i_0 .. i_(k-1)) with `axes` = a_0 .. a_(k-1) and `batch` = n. The index arrays have one shape: the first n
/// axes of x, then S. The part has the axes: the first n of x, S, then the other axes of x that are not in `axes`, in
/// order. Element (b, s, r) of the part is the element of x whose index is b along the batch axes, i_j[b, s] along axis
/// a_j, and r along the other axes.
struct GatherGeometry {
    std::size_t batch;
    std::size_t index_rank; ///< n plus the rank of S
    Integers axes;
    Integers rest; ///< the axes of x that are neither batch nor indexed

    GatherGeometry(const Inst& inst, std::size_t x_rank, std::size_t index_rank);
    Shape part(const Shape& x, const Shape& index) const;
};

/// Checks axes, batch and index arrays (operands from `first_index` on). Returns the shape of the gathered part.
Shape require_gather(const Inst& inst, std::span<const Type> operands, std::size_t first_index);

/// For `eval`: finds the element of x for each element of the part.
class GatherMap {
  public:
    GatherMap(const Inst& inst, const Array& x, std::span<const Array> indices);
    /// The position in x of element `at` of the part, before clamping.
    Position locate(const Position& at) const;
    bool within(const Position& place) const;
    /// The offset of the position, clamped into x.
    std::int64_t clamped(Position place) const;
    std::int64_t offset(const Position& place) const { return offset_of(place, strides_); }

  private:
    GatherGeometry geometry_;
    Shape shape_;
    Integers strides_;
    Integers index_strides_;
    std::span<const Array> indices_;
};

/// Reshapes `v`, whose first axes are those of the index arrays. The axes S, whose indices number the updates of a
/// scatter, become axis 0. The batch axes follow. updates_back is the inverse.
Value updates_first(Build& b, Value v, const Shape& index, std::int64_t batch);
Value updates_back(Build& b, Value v, const Shape& index, std::int64_t batch);

/// Integers clamped to low..high, element by element.
Value clamp_indices(Build& b, Value index, std::int64_t low, std::int64_t high);

/// Index arrays for a window of x whose start differs along the batch. `x` and `window` are shapes without the batch.
/// The starts are operands of the batched instruction; `first_start` is the number of the first of them. Only axes
/// along which the window is smaller than x are indexed. The arrays have the shape (batch, window sizes of the indexed
/// axes).
struct WindowIndices {
    Values arrays;
    Integers axes; ///< the indexed axes of x, without the batch
};
WindowIndices window_indices(BatchContext& c, const Shape& x, const Shape& window, std::size_t first_start);

/// True if one of the operands from `first` on is batched.
bool any_batched(const BatchContext& c, std::size_t first);

} // namespace pm::ops
