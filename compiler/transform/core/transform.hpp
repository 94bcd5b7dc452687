#pragma once
#include "compiler/ir/ir.hpp"
#include "compiler/ops/core/target_info.hpp"

#include <map>
#include <optional>
#include <vector>

/// Derivatives and batching, as rewrites of blocks into blocks. They nest in any order, because their results are
/// ordinary IR. The rules of flat operations are in compiler/ops/. Control operations are handled here, by one switch
/// in each file.
namespace pm::transform {

using ir::BlockPtr;

/// Forward mode. `active` marks the parameters that have a tangent (inexact ones only). The block takes the
/// parameters, then a tangent for each active one. It returns the results, then a tangent for each result marked in
/// `active_results`: those whose tangent is not known to be zero.
struct Jvp {
    BlockPtr block;
    std::vector<bool> active_results;
};
Jvp jvp(const BlockPtr& block, const std::vector<bool>& active);

/// What a derivative does with a `while` that it passes through. `recorded`: the iterations are counted, and the
/// residuals of each are kept on tapes. `refused`: UncountedLoop is thrown, and the caller writes the loop as a scan.
enum class WhileLoops : std::uint8_t { recorded, refused };
struct UncountedLoop {};

/// Splits the derivative at a point into a part that depends on the primals and a part that is linear in the
/// tangents:
///   primal: params -> results, residuals
///   linear: residuals, tangents of active params -> tangents of active_results
struct Linearized {
    BlockPtr primal;
    BlockPtr linear;
    std::size_t residuals = 0;
    std::vector<bool> active_results;
};
Linearized linearize(const BlockPtr& block, const std::vector<bool>& active, WhileLoops loops = WhileLoops::recorded);

/// Transposes a block that is linear in its last `linear` parameters. The result takes the other parameters, then a
/// cotangent for each result. It returns a cotangent (dense, of the parameter's type) for each linear parameter.
BlockPtr transpose(const BlockPtr& block, std::size_t linear);

/// Reverse mode in one block. It takes the parameters, then a cotangent for each inexact result marked in
/// `active_results`. It returns the results, then the cotangents of the active parameters.
struct Vjp {
    BlockPtr block;
    std::vector<bool> active_results;
    Linearized forward; ///< the linearization that it was made from
};
Vjp vjp(const BlockPtr& block, const std::vector<bool>& active, WhileLoops loops = WhileLoops::recorded);

/// The same program on real numbers alone, to be evaluated, optimised or planned: the layers below transform/ do not
/// know complex types or derivatives that a program defines. A block with none of them is returned unchanged.
/// - `custom` becomes a call of its primal. A `custom_linear` whose value is used raises Diag::forward_of_vjp, unless
///   it has a forward block.
/// - A complex parameter, result or constant becomes a real one of shape [..., 2] over the same memory. A complex
///   parameter or result of a region becomes two.
/// - A Fourier transform that a library of the devices computes remains one, on pairs. Others become products.
BlockPtr lower_complex(const BlockPtr& block, const ops::TargetInfo& target = ops::TargetInfo::none());

/// vmap. Batched parameters have a new axis 0 of `size`. So have the results marked in `batched` of the result: those
/// that depend on a batched parameter. `axis` is the id of the axis for collectives over it (-1: no collective has
/// it).
struct Batched {
    BlockPtr block;
    std::vector<bool> batched;
};
Batched batch(const BlockPtr& block, const std::vector<bool>& batched, std::int64_t size, std::int64_t axis = -1);

/// Which named axes each value of the block differs along, as bit sets over `axes` (ids, in order). `params` are the
/// sets of the parameters. Raises Diag::divergent_collective if a collective over an axis is in a branch or loop
/// whose condition differs along that axis.
using AxisSet = std::uint64_t;
struct Varies {
    std::vector<AxisSet> values;  ///< per value of the block
    std::vector<AxisSet> results; ///< per result
    /// For the carried values of a scan, by result: the axes along which the parameter differs in any iteration. The
    /// result may differ along fewer, if the iterations drop what the initial value brought in.
    std::map<std::uint32_t, AxisSet> carried;
};
Varies varies(const ir::Block& block, const std::vector<std::int64_t>& axes, const std::vector<AxisSet>& params);

/// For a result that differs along an axis: the loop whose iterations make it equal, if the only doubt is whether
/// enough iterations run. `inst` is null if the result would differ in any case.
struct EqualizingLoop {
    const ir::Inst* inst = nullptr;
    bool may_pass = false; ///< an iteration may pass on its input
};
EqualizingLoop equalizing_loop(const ir::Block& block, std::size_t result, std::int64_t axis,
                               const std::vector<AxisSet>& params);

} // namespace pm::transform
