#pragma once
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

/// The index for one axis of an array.
struct AxisIndex {
    enum class Kind : std::uint8_t {
        slice,  ///< start, count, stride (may be negative); for a whole axis: start 0, stride 1, and the axis's size as
                ///< count
        window, ///< `count` elements; the start may be staged
        integer, ///< one element at a known index; the result lacks the axis
        staged,  ///< one element at a staged index; the result lacks the axis
        array,   ///< an integer array
    };
    Kind kind = Kind::slice;
    std::int64_t start = 0;
    std::int64_t count = 0;
    std::int64_t stride = 1;
    Value index;           ///< for window, staged and array
    std::int64_t size = 0; ///< size of the axis
    Span span;

    bool whole() const { return kind == Kind::slice && start == 0 && stride == 1 && count == size; }
};

/// An index that is applied to a shape by the rules of NumPy. `none` adds an axis. Index arrays are broadcast to a
/// common shape. If all index arrays are adjacent, the axes of this shape are at the position of the first index array
/// in the result; otherwise they are the first axes of the result.
struct IndexPlan {
    std::vector<AxisIndex> axes; ///< per axis of the array: its index
    struct Out {
        enum class Kind : std::uint8_t { axis, advanced, fresh } kind;
        int number; ///< the number of the axis in the array, or in the broadcast index arrays
        std::int64_t size;
    };
    std::vector<Out> out; ///< axes of the result, in order
    Shape advanced;       ///< the common shape of the index arrays
    bool has_arrays = false;
    bool distinct = true; ///< no element is selected twice, because the only index arrays are those of one known mask
    /// A mask whose elements are not known. Only an update accepts it, because an update need not know the number of
    /// true elements. The mask applies to the axes from `mask_axis` on, which are whole axes in `axes`. An index with
    /// such a mask has no index arrays and no new axes. By the rules of NumPy, axis `mask_place` of the selected part
    /// is the axis of the mask's true elements.
    std::optional<Value> mask;
    std::size_t mask_axis = 0;
    std::size_t mask_place = 0;

    Shape shape() const {
        Shape s;
        for (const Out& o : out) s.push_back(o.size);
        return s;
    }
};
/// Reads an index of a value of this type. `update`: a mask whose elements are not known is also accepted.
IndexPlan plan_index(Stager& stager, const Type& type, const std::vector<syntax::IndexItem>& items, Span span,
                     bool update = false);

/// The part of an array that a plan describes. An element at a known index of a known array is a view of the array.
/// Rows at known indices at top level may also be a view.
Value part_of(Stager& stager, const Value& object, const IndexPlan& plan, Span span);

/// The dtype in which an index of dtype `given` is compared with a size: i64 if the index or the size needs it, else
/// i32.
DType index_dtype(DType given, std::int64_t size);
/// Converts integers to indices of an axis of this size, in i32 or i64. An invalid index stays invalid.
ir::Value as_places(Stager& s, const Value& v, std::int64_t size);
/// A checked index in 0..size-1, as i32 or i64 of the current block. Negative indices count from the end.
ir::Value checked_index(Stager& stager, const Value& index, std::int64_t size, int axis, Span span);
/// The checked start of a window.
ir::Value window_start(Stager& stager, const AxisIndex& a, int axis);

} // namespace pm::stage
