#pragma once
#include "runtime/abi.h"
#include "runtime/dtype.hpp"

#include <cstdint>
#include <span>
#include <vector>

// The kernels of the runtime. Their entry points are in symbols.def; here stand their attributes and
// workspaces.

namespace pm::runtime {

/// pm_kernel_sort: sorts along the last axis, stable, ascending. `operands` arrays of one shape (batch..., n)
/// are put in the order of the first `keys` of them, compared one after another. Order is JAX's: -0 equals 0,
/// every NaN equals every other and comes last, complex numbers by real, then imaginary part, false before
/// true, random keys as numbers. A stable argsort is a sort with an iota as second operand. `descending`
/// turns the order of keys round and stays stable (NaNs come first then).
///
/// buffers: the operands, then as many outputs, which may be the operands themselves.
/// attributes: sort_attributes(); workspace: sort_workspace_bytes(), aligned to 64.
/// Returns 0, or 1 when the call was abandoned (outputs are then undefined).
struct SortSpec {
    std::int64_t batch = 1; ///< product of the leading sizes
    std::int64_t n = 0;     ///< size of the last axis
    int keys = 1;
    bool descending = false;
    /// Rows are shared out among the workers, each group of rows with scratch of its own; otherwise they are sorted one
    /// after the other, a long one in parallel.
    bool parallel = false;
    std::vector<DType> operands;
};

/// batch, n, number of operands, keys, descending, parallel, then the dtype of each operand.
std::vector<std::int64_t> sort_attributes(const SortSpec& spec);
SortSpec sort_spec(const std::int64_t* attributes);
/// Bytes, at least 64; follows from the attributes alone, not from the workers.
std::int64_t sort_workspace_bytes(const SortSpec& spec);

} // namespace pm::runtime
