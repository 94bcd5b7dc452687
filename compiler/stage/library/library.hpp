#pragma once
#include "compiler/stage/core/stager.hpp"

#include <span>

/// The natives. Each family of natives has a file, and a function that returns the list of the family's natives.
/// natives.cpp joins the lists.
namespace pm::stage::library {

std::span<const Native> transformations(); ///< grad, vmap ...
std::span<const Native> collectives();     ///< psum, all_gather, axis_index ...
std::span<const Native> basics();          ///< print, len, zip, assert, trees
std::span<const Native> creation();        ///< zeros, arange, linspace ...
std::span<const Native> shapes();          ///< reshape, concatenate, pad ...
std::span<const Native> elementwise();     ///< sin, floor, isnan ...
std::span<const Native> binary();          ///< maximum, arctan2, where ...
std::span<const Native> reductions();      ///< sum, argmax, cumsum ...
std::span<const Native> selection();       ///< sort, searchsorted, take, dynamic_slice ...
std::span<const Native> grouping();        ///< nonzero, unique, bincount, segment_sum ...
std::span<const Native> contraction();     ///< matmul, dot, einsum
std::span<const Native> control();         ///< scan, while_loop, cond, switch
std::span<const Native> random();          ///< key, split, random_bits
std::span<const Native> host();            ///< time, plots, errors as values
std::span<const Native> support();         ///< kinds, dtypes, strings: used by the source text of stdlib/

/// The operand `v` as a value of the current block. Used in bodies of natives of Kind::array.
inline ir::Value in(Stager& s, const Value& v) { return s.use(v); }
/// For each element of matrices with the shape `shape` of diagonal_places: `rows` has the row index plus k, and
/// `columns` has the column index. The two are equal on the k-th diagonal.
struct Diagonal {
    ir::Value rows, columns;
};
Diagonal diagonal_places(ops::Build& b, const Shape& shape, std::int64_t k);
/// Returns `v` if it is a number or an array; a random key counts as a number. Raises for other values.
const Value& need_array(const Value& v, Span span, std::string_view what);

} // namespace pm::stage::library
