#pragma once
#include "compiler/ir/ir.hpp"
#include "compiler/ops/core/target_info.hpp"

#include <map>
#include <optional>
#include <vector>

/// Derivatives and batching: functions from blocks to blocks. They can be combined in any order, because their results
/// are ordinary IR. The rules of flat operations are in compiler/ops/. The transformations themselves handle the
/// operations with regions, by one exhaustive switch in each transformation.
namespace pm::transform {

using ir::BlockPtr;

/// Forward mode. `active` marks the parameters that have a tangent (inexact ones only). The block takes the parameters,
/// then a tangent for each active one. It returns the results, then a tangent for each result marked in
/// `active_results`. A result is marked if its tangent is not known to be zero.
struct Jvp {
    BlockPtr block;
    std::vector<bool> active_results;
};
Jvp jvp(const BlockPtr& block, const std::vector<bool>& active);

/// The treatment of a `while` in a derivative. `recorded`: the iterations are counted, and the residuals of each
/// iteration are stored on tapes. `refused`: UncountedLoop is thrown, and the caller stages the loop again as a scan.
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

/// Reverse mode in one block. The block takes the parameters, then a cotangent for each inexact result marked in
/// `active_results`. It returns the results, then the cotangents of the active parameters.
struct Vjp {
    BlockPtr block;
    std::vector<bool> active_results;
    Linearized forward; ///< the linearization from which it was built
};
Vjp vjp(const BlockPtr& block, const std::vector<bool>& active, WhileLoops loops = WhileLoops::recorded);

/// The same program without complex types and custom rules, which the layers after transform/ do not support. A block
/// without complex types and custom rules is returned unchanged.
/// - `custom` becomes a call of its primal. A `custom_linear` whose value is used raises Diag::forward_of_vjp, unless
///   it has a forward block.
/// - A complex parameter, result or constant becomes a real one of shape [..., 2] over the same memory. A complex
///   parameter or result of a region becomes two real ones.
/// - A Fourier transform that a device library computes remains an `fft`, on pairs. Other Fourier transforms become
///   matrix products.
BlockPtr lower_complex(const BlockPtr& block, const ops::TargetInfo& target = ops::TargetInfo::none());

/// vmap. Batched parameters have a new axis 0 of `size`. The results marked in Batched::batched have the same new axis;
/// they depend on a batched parameter. `axis` is the id of the axis in collectives (-1: no collective uses it).
struct Batched {
    BlockPtr block;
    std::vector<bool> batched;
};
Batched batch(const BlockPtr& block, const std::vector<bool>& batched, std::int64_t size, std::int64_t axis = -1);

/// For each value of the block: the set of named axes along which the value differs. A set has one bit for each entry
/// of `axes` (ids of named axes, in order). `params` are the sets of the parameters. Raises Diag::divergent_collective
/// for a collective over an axis, if it is in a branch or loop whose condition differs along that axis.
using AxisSet = std::uint64_t;
struct Varies {
    std::vector<AxisSet> values;  ///< per value of the block
    std::vector<AxisSet> results; ///< per result
    /// For each carried value of a scan, by the id of its result: the axes along which the body's parameter differs in
    /// some iteration. The result may differ along fewer axes, if the iterations overwrite a differing initial value.
    std::map<std::uint32_t, AxisSet> carried;
};
Varies varies(const ir::Block& block, const std::vector<std::int64_t>& axes, const std::vector<AxisSet>& params);

/// For a result that differs along an axis: a loop that would make the result equal along the axis after enough
/// iterations. `inst` is null if the result differs for any number of iterations.
struct EqualizingLoop {
    const ir::Inst* inst = nullptr;
    bool may_pass = false; ///< an iteration may return the carried value unchanged
};
EqualizingLoop equalizing_loop(const ir::Block& block, std::size_t result, std::int64_t axis,
                               const std::vector<AxisSet>& params);

} // namespace pm::transform
