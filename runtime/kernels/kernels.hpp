#pragma once
#include "runtime/abi.h"
#include "runtime/dtype.hpp"

#include <cstdint>
#include <span>
#include <vector>

// The attributes and workspaces of the runtime's kernels. symbols.def lists the functions of the kernels.

namespace pm::runtime {

/// pm_kernel_sort: a stable ascending sort along the last axis. All `operands` are arrays of one shape (batch..., n).
/// The elements are ordered by the first operand; equal elements are ordered by the second operand, and so on for the
/// first `keys` operands. The order is JAX's: -0 equals 0; all NaNs are equal and last; complex numbers compare by real
/// part, then imaginary part; false is before true; random keys compare as numbers. If the second operand is an iota,
/// its output is the result of a stable argsort. `descending` reverses the order of keys and stays stable (NaNs are
/// then first).
///
/// buffers: the operands, then one output for each operand. An output may share the memory of its operand.
/// attributes: sort_attributes(). workspace: sort_workspace_bytes(), aligned to 64 bytes.
/// Returns 0, or 1 if the call was abandoned. The outputs are then undefined.
struct SortSpec {
    std::int64_t batch = 1; ///< product of the leading sizes
    std::int64_t n = 0;     ///< size of the last axis
    int keys = 1;
    bool descending = false;
    /// True: workers sort groups of rows in parallel, each group with its own scratch. False: rows are sorted one after
    /// another; several workers sort one long row.
    bool parallel = false;
    std::vector<DType> operands;
};

/// The attributes: batch, n, the number of operands, keys, descending, parallel, then the dtype of each operand.
std::vector<std::int64_t> sort_attributes(const SortSpec& spec);
SortSpec sort_spec(const std::int64_t* attributes);
/// The size of the workspace in bytes, at least 64. It depends on the attributes alone, not on the number of workers.
std::int64_t sort_workspace_bytes(const SortSpec& spec);

} // namespace pm::runtime
