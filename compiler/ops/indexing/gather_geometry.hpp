#pragma once
#include "compiler/ops/core/axes.hpp"
#include "compiler/ops/core/positions.hpp"

/// Maps each element of the result of a gather to an element of x, the array that is read. Scatter uses the same map
/// for its updates.
namespace pm::ops {

/// gather(x, i_0 .. i_(k-1)) with `axes` = a_0 .. a_(k-1) and `batch` = n. All index arrays have the same shape: the
/// first n axes of x, then axes S. The gathered part has these axes in order: the first n axes of x, S, and the other
/// axes of x that are not in `axes`. Each element (b, s, r) of the part is one element of x. The index of that element
/// in x is b along the batch axes, i_j[b, s] along axis a_j, and r along the other axes.
struct GatherGeometry {
    std::size_t batch;
    std::size_t index_rank; ///< n plus the rank of S
    Integers axes;
    Integers rest; ///< the axes of x that are neither batch axes nor in `axes`

    GatherGeometry(const Inst& inst, std::size_t x_rank, std::size_t index_rank);
    Shape part(const Shape& x, const Shape& index) const;
};

/// Checks the axes, the batch and the index arrays. The index arrays are the operands from number `first_index` on.
/// Returns the shape of the gathered part.
Shape require_gather(const Inst& inst, std::span<const Type> operands, std::size_t first_index);

/// For `eval`: finds the element of x for each element of the gathered part.
class GatherMap {
  public:
    GatherMap(const Inst& inst, const Array& x, std::span<const Array> indices);
    /// The position in x of the element of the part at position `at`. Indices are not clamped.
    Position locate(const Position& at) const;
    bool within(const Position& place) const;
    /// The offset of `place` after each of its indices has been clamped into x.
    std::int64_t clamped(Position place) const;
    std::int64_t offset(const Position& place) const { return offset_of(place, strides_); }

  private:
    GatherGeometry geometry_;
    Shape shape_;
    Integers strides_;
    Integers index_strides_;
    std::span<const Array> indices_;
};

/// Reshapes `v`, whose first axes are the axes of the index arrays. The axes S are merged into one axis, which becomes
/// axis 0. In a scatter, the indices along this axis count the updates. The batch axes follow axis 0. updates_back is
/// the inverse.
Value updates_first(Build& b, Value v, const Shape& index, std::int64_t batch);
Value updates_back(Build& b, Value v, const Shape& index, std::int64_t batch);

/// The integers `index`, each clamped to low..high.
Value clamp_indices(Build& b, Value index, std::int64_t low, std::int64_t high);

/// Index arrays for a window of x. The start of the window differs between the elements of the batch. `x` and `window`
/// are shapes without the batch. The starts are operands of the batched instruction, from index `first_start` on. An
/// axis is indexed only if the window is smaller than x along the axis. The arrays have the shape (batch, window sizes
/// of the indexed axes).
struct WindowIndices {
    Values arrays;
    Integers axes; ///< the indexed axes of x, without the batch
};
WindowIndices window_indices(BatchContext& c, const Shape& x, const Shape& window, std::size_t first_start);

/// True if the operand number `first` or a later operand is batched.
bool any_batched(const BatchContext& c, std::size_t first);

} // namespace pm::ops
