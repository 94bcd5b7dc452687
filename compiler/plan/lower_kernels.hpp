#pragma once

/// The integers of kernel steps.
///
/// dot         {B, M, N, K, a_b, a_m, a_k, b_b, b_k, b_n, out_b, out_m, out_n}: extents, then how many elements of each
/// buffer one step
///             along an extent passes over; the strides of extents of 1 are 0. A group of several axes (two contracted
///             axes, say) is one extent: an operand in which its axes cannot be walked as one is copied before.
/// scatter     {batch, count, window, k, d_0 .. d_(k-1)}: out is [batch, d_0, .., d_(k-1), window], the updates are
/// [batch, count, window],
///             each of the k index buffers is [batch, count] of any integer type. For every b and c in order, the row
///             of updates at (b, c) is combined with the row of out at (b, index_0[b, c], ..): `text` says how ("set",
///             "add", "mul", "min", "max"; `combine` is the same but for "set"). A row with an index out of 0 <= i < d
///             is dropped. prepare() brings the operands of ops.def's scatter into this order.
/// sort        {rows, n, count, keys}: see program.hpp. prepare() moves the sorted axis to the end.
/// cumulative  {outer, n, inner, reverse}: x and out are [outer, n, inner], combined along n, from the end when reverse
/// is 1.
namespace pm::plan {}
