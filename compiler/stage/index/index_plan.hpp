#pragma once
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

/// The index for one axis of an array.
struct AxisIndex {
    enum class Kind : std::uint8_t {
        slice, ///< start, count and stride, which may be negative; for a whole axis, start is 0, stride is 1, and count
               ///< is the size of the axis
        window,  ///< `count` elements; the start may be staged
        integer, ///< one element at a known index; the result does not have the axis
        staged,  ///< one element at a staged index; the result does not have the axis
        array,   ///< an integer array
    };
    Kind kind = Kind::slice;
    std::int64_t start = 0;
    std::int64_t count = 0;
    std::int64_t stride = 1;
    Value index;           ///< the index, or the start of a window; used for window, staged and array
    bool in_range = false; ///< true if `index` is known to be in range and not negative, so that it needs no check
    std::int64_t size = 0; ///< size of the axis
    Span span;

    bool whole() const { return kind == Kind::slice && start == 0 && stride == 1 && count == size; }
};

/// The plan for an index that is applied to an array by the rules of NumPy. `none` adds an axis. Index arrays are
/// broadcast to a common shape. If all index arrays are adjacent in the index, the axes of the common shape take the
/// place of the indexed axes in the result. Otherwise the axes of the common shape are the first axes of the result.
struct IndexPlan {
    std::vector<AxisIndex> axes; ///< per axis of the array: the index for this axis
    struct Out {
        enum class Kind : std::uint8_t { axis, advanced, fresh } kind;
        int number; ///< for `axis`: the number of the axis in the array; for `advanced`: the number of the axis in
                    ///< IndexPlan::advanced
        std::int64_t size;
    };
    std::vector<Out> out; ///< axes of the result, in order
    Shape advanced;       ///< the common shape of the index arrays
    bool has_arrays = false;
    /// True if the index has no index arrays, or only the index arrays of one known mask. Then no element can be
    /// selected twice.
    bool distinct = true;
    /// A mask whose elements are not known. Only an update accepts such a mask, because an update need not know the
    /// number of true elements. The mask applies to the axes from `mask_axis` on. In `axes`, these are whole axes. An
    /// index with such a mask has no index arrays and no new axes. By the rules of NumPy, the selected part has an axis
    /// for the true elements of the mask. `mask_place` is the number of this axis.
    std::optional<Value> mask;
    std::size_t mask_axis = 0;
    std::size_t mask_place = 0;

    Shape shape() const {
        Shape s;
        for (const Out& o : out) s.push_back(o.size);
        return s;
    }
};
/// Evaluates and checks an index of a value of this type. `update`: true if a mask whose elements are not known is
/// accepted.
IndexPlan plan_index(Stager& stager, const Type& type, const std::vector<syntax::IndexItem>& items, Span span,
                     bool update = false);

/// At top level, the plan with its known positions as operands of the program that reads or writes the part. So one
/// program serves all positions. In compiled code, the plan itself.
IndexPlan with_operands(Stager& stager, IndexPlan plan);

/// The part of the array `object` that `plan` selects. An element at a known index of a known array is a view of the
/// array. At top level, rows at known indices may also be a view.
Value part_of(Stager& stager, const Value& object, const IndexPlan& plan, Span span);

/// The dtype in which an index of dtype `given` is compared with `size`. It is i64 if `given` or `size` needs 64 bits.
/// Otherwise it is i32.
DType index_dtype(DType given, std::int64_t size);
/// Converts the integers `v` to indices of an axis of this size, in i32 or i64. An index out of range stays out of
/// range.
ir::Value as_places(Stager& s, const Value& v, std::int64_t size);
/// Emits a check that `index` is in range. Returns the index as a value from 0 to size - 1 of the current block, in i32
/// or i64. Negative indices count from the end.
ir::Value checked_index(Stager& stager, const Value& index, std::int64_t size, int axis, Span span);
/// The index `a` of elements in the current block, from 0 to size - 1. Emits a check if `a` needs one.
ir::Value element_index(Stager& stager, const AxisIndex& a, int axis);
/// Emits a check that the window `a` is in range, if it needs one. Returns the start of the window.
ir::Value window_start(Stager& stager, const AxisIndex& a, int axis);

} // namespace pm::stage
