#pragma once
#include "compiler/ir/ir.hpp"
#include "compiler/ops/core/target_info.hpp"

#include <map>
#include <optional>
#include <vector>

/// Derivatives and batching: functions from blocks to blocks. The transformations can be combined in any order, because
/// their results are ordinary IR. The rules of operations without regions are in compiler/ops/. Each transformation
/// handles the operations with regions itself, in one exhaustive switch.
namespace pm::transform {

using ir::BlockPtr;

/// Forward mode. `active` marks the parameters that have a tangent; these parameters must be inexact (floats or complex
/// numbers). The block takes the parameters, then a tangent for each active parameter. The block returns the results,
/// then a tangent for each result marked in `active_results`. A result is marked unless its tangent is known to be
/// zero.
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

/// Transposes a block that is linear in its last `linear` parameters. The transposed block takes the other parameters,
/// then a cotangent for each result. The transposed block returns a cotangent for each linear parameter. The cotangent
/// is dense and has the parameter's type.
BlockPtr transpose(const BlockPtr& block, std::size_t linear);

/// Reverse mode in one block. The block takes the parameters, then a cotangent for each inexact result marked in
/// `active_results`. The block returns the results, then the cotangents of the active parameters.
struct Vjp {
    BlockPtr block;
    std::vector<bool> active_results;
    Linearized forward; ///< the linearization from which `block` was built
};
Vjp vjp(const BlockPtr& block, const std::vector<bool>& active, WhileLoops loops = WhileLoops::recorded);

/// Returns the block without complex types and custom rules, which the layers after transform/ do not support. A block
/// without complex types and custom rules is returned unchanged.
/// - `custom` becomes a call of its primal. A `custom_linear` becomes a call of its forward block. If it has no forward
///   block and its value is used, Diag::forward_of_vjp is raised.
/// - A complex parameter, result or constant becomes a real array of shape [..., 2] in the same memory. A complex
///   parameter or result of a region becomes two real values, the real part and the imaginary part.
/// - A Fourier transform that a device library computes remains an `fft`, on pairs (re, im). Other Fourier transforms
///   become matrix products.
BlockPtr lower_complex(const BlockPtr& block, const ops::TargetInfo& target = ops::TargetInfo::none());

/// vmap. Batched parameters have a new axis 0 of `size`. Results that depend on a batched parameter have this axis too;
/// they are marked in Batched::batched. `axis` is the id of the new axis in collectives. It is -1 if no collective uses
/// the axis.
struct Batched {
    BlockPtr block;
    std::vector<bool> batched;
};
Batched batch(const BlockPtr& block, const std::vector<bool>& batched, std::int64_t size, std::int64_t axis = -1);

/// For each value of the block: the set of named axes along which the value differs. A set has one bit for each entry
/// of `axes` (ids of named axes, in order). `params` are the sets of the parameters. A collective over an axis must not
/// be in a branch or loop whose condition differs along that axis. If it is, Diag::divergent_collective is raised.
using AxisSet = std::uint64_t;
struct Varies {
    std::vector<AxisSet> values;  ///< per value of the block
    std::vector<AxisSet> results; ///< per result
    /// For each carried value of a scan, by the id of its result: the axes along which the parameter of the body
    /// differs in some iteration. The result may differ along fewer axes, if the iterations overwrite an initial value
    /// that differs.
    std::map<std::uint32_t, AxisSet> carried;
};
Varies varies(const ir::Block& block, const std::vector<std::int64_t>& axes, const std::vector<AxisSet>& params);

/// Explains why a result differs along an axis. `inst` is a loop that would make the result equal along the axis if it
/// had enough iterations. `inst` is null if the result differs along the axis for any number of iterations.
struct EqualizingLoop {
    const ir::Inst* inst = nullptr;
    bool may_pass = false; ///< true if an iteration may return the carried value unchanged
};
EqualizingLoop equalizing_loop(const ir::Block& block, std::size_t result, std::int64_t axis,
                               const std::vector<AxisSet>& params);

} // namespace pm::transform
