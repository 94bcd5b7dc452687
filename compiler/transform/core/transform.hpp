#pragma once
#include "compiler/ir/ir.hpp"

#include <functional>
#include <map>
#include <optional>
#include <vector>

/// Derivatives and batching, as rewrites of blocks into blocks. All of them nest in any order, because what comes out
/// is ordinary IR. Rules of flat operations are in compiler/ops/; control operations are handled here, by one switch in
/// each file.
namespace pm::transform {

using ir::BlockPtr;

/// Forward mode. `active` says which parameters have a tangent (inexact ones only). The result takes the parameters,
/// then a tangent for each active one, and gives the results, then a tangent for each result marked in
/// `active_results`: those whose tangent is not known to be zero.
struct Jvp {
    BlockPtr block;
    std::vector<bool> active_results;
};
Jvp jvp(const BlockPtr& block, const std::vector<bool>& active);

/// What is done with a `while` that the derivative passes through: its iterations are counted, and what the linear part
/// needs of each is kept on tapes; or it is refused, by UncountedLoop, for the caller to write the loop as a scan.
enum class WhileLoops : std::uint8_t { recorded, refused };
struct UncountedLoop {};

/// Splits the derivative at a point into what depends on the primals and what is linear in the tangents:
///   primal: params -> results, residuals
///   linear: residuals, tangents of active params -> tangents of active_results
struct Linearized {
    BlockPtr primal;
    BlockPtr linear;
    std::size_t residuals = 0;
    std::vector<bool> active_results;
};
Linearized linearize(const BlockPtr& block, const std::vector<bool>& active, WhileLoops loops = WhileLoops::recorded);

/// Transposes a block that is linear in its last `linear` parameters: takes the other parameters, then a cotangent for
/// each result; gives a cotangent (dense, of the parameter's type) for each linear parameter.
BlockPtr transpose(const BlockPtr& block, std::size_t linear);

/// Reverse mode in one block: takes the parameters, then a cotangent for each inexact result marked in
/// `active_results`; gives the results, then cotangents of the active parameters.
struct Vjp {
    BlockPtr block;
    std::vector<bool> active_results;
    Linearized forward; ///< what it was made from
};
Vjp vjp(const BlockPtr& block, const std::vector<bool>& active, WhileLoops loops = WhileLoops::recorded);

/// The same program on real numbers alone, for whatever evaluates, optimises or plans: nothing below transform/ knows
/// complex types or derivatives that a program gives itself: `custom` is a call of its primal, and a `custom_linear`
/// that is used raises Diag::forward_of_vjp. A complex parameter, result or constant becomes a real one of shape [...,
/// 2] over the same memory; a complex parameter or result of a region becomes two. A block without any of these is
/// returned as it is. Fourier transforms along an axis of n of so many elements that `kept` says so stay as they are,
/// of pairs; the others become products.
using KeptTransforms = std::function<bool(std::int64_t n, std::int64_t elements)>;
BlockPtr reals(const BlockPtr& block, const KeptTransforms& kept = {});

/// vmap. Batched parameters have a new axis 0 of `size`; so have all results marked in `batched` of the result: those
/// that depend on a batched parameter. `axis` is the id of the axis for collectives over it (-1: none has it).
struct Batched {
    BlockPtr block;
    std::vector<bool> batched;
};
Batched batch(const BlockPtr& block, const std::vector<bool>& batched, std::int64_t size, std::int64_t axis = -1);

/// Which named axes each value of the block differs along, as bit sets over `axes` (ids, in order). `params` are the
/// sets of the parameters. Raises Diag::divergent_collective when a collective over an axis stands in a branch, or in a
/// loop, whose condition differs along that axis.
using AxisSet = std::uint64_t;
struct Varies {
    std::vector<AxisSet> values;  ///< per value of the block
    std::vector<AxisSet> results; ///< per result
    /// For what a scan carries, by its result: along what the parameter differs in any iteration. The result may differ
    /// along less, where the iterations leave behind what the start brought in.
    std::map<std::uint32_t, AxisSet> carried;
};
Varies varies(const ir::Block& block, const std::vector<std::int64_t>& axes, const std::vector<AxisSet>& params);

/// For a result that differs along an axis: the loop whose iterations end that, where it is all that is missing that
/// enough of them are sure to be made. None where the result would differ all the same.
struct EqualizingLoop {
    const ir::Inst* inst = nullptr;
    bool may_pass = false; ///< an iteration may hand on what came to it
};
EqualizingLoop equalizing_loop(const ir::Block& block, std::size_t result, std::int64_t axis,
                               const std::vector<AxisSet>& params);

} // namespace pm::transform
