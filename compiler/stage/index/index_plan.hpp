#pragma once
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

/// One axis of an indexed array after the index has been read.
struct AxisIndex {
    enum class Kind : std::uint8_t {
        slice,   ///< start, count, stride (may be negative); a whole axis has start 0, stride 1 and its size as count
        window,  ///< `count` elements from a start that may be staged
        integer, ///< one element at a known index; the result lacks the axis
        staged,  ///< one element at a staged index; the result lacks the axis
        array,   ///< an integer array
    };
    Kind kind = Kind::slice;
    std::int64_t start = 0;
    std::int64_t count = 0;
    std::int64_t stride = 1;
    Value index;           ///< window, staged, array
    std::int64_t size = 0; ///< of the axis
    Span span;

    bool whole() const { return kind == Kind::slice && start == 0 && stride == 1 && count == size; }
};

/// An index applied to a shape, by the rules of NumPy. `none` adds an axis. Index arrays are broadcast against each
/// other. Their axes replace the first index array if all index arrays are adjacent, else these axes come first.
struct IndexPlan {
    std::vector<AxisIndex> axes; ///< one per axis of the array
    struct Out {
        enum class Kind : std::uint8_t { axis, advanced, fresh } kind;
        int number; ///< axis of the array, or dimension of the broadcast index arrays
        std::int64_t size;
    };
    std::vector<Out> out; ///< axes of the result, in order
    Shape advanced;       ///< broadcast shape of the index arrays
    bool has_arrays = false;
    bool distinct = true; ///< no element is selected twice: the only index arrays are those of one known mask
    /// A computed mask, for updates only, which need not know the number of its true elements. The mask covers the axes
    /// from `mask_axis` on, which count as whole here. There are then no index arrays and no fresh axes. In the indexed
    /// part, axis `mask_place` runs over the true elements of the mask.
    std::optional<Value> mask;
    std::size_t mask_axis = 0;
    std::size_t mask_place = 0;

    Shape shape() const {
        Shape s;
        for (const Out& o : out) s.push_back(o.size);
        return s;
    }
};
/// `update`: a computed mask is accepted too.
IndexPlan plan_index(Stager& stager, const Type& type, const std::vector<syntax::IndexItem>& items, Span span,
                     bool update = false);

/// The part of an array that a plan describes. Known elements of known arrays are views. Known rows at top level may be
/// views.
Value part_of(Stager& stager, const Value& object, const IndexPlan& plan, Span span);

/// The dtype in which an index of dtype `given` is compared with a size: i64 if either needs it, else i32.
DType index_dtype(DType given, std::int64_t size);
/// Converts integers to indices of an axis of this size, in i32 or i64. An invalid index stays invalid.
ir::Value as_places(Stager& s, const Value& v, std::int64_t size);
/// A checked index in 0..size-1, as i32 or i64 of the current block. Negative indices count from the end.
ir::Value checked_index(Stager& stager, const Value& index, std::int64_t size, int axis, Span span);
/// The checked start of a window.
ir::Value window_start(Stager& stager, const AxisIndex& a, int axis);

} // namespace pm::stage
