#include "compiler/plan/partition/nests.hpp"

#include <numeric>

namespace pm::plan {
namespace {

template <class Fn>
void each_affine(nest::Nest& nest, Fn fn) {
    for (nest::Inst& inst : nest.insts) {
        if (inst.op == nest::ScalarOp::index) fn(inst.affine);
        if (inst.op == nest::ScalarOp::load || inst.op == nest::ScalarOp::store) fn(inst.access.offset);
    }
}

void trim(nest::Affine& a) {
    while (!a.coefficients.empty() && a.coefficients.back() == 0) a.coefficients.pop_back();
}

/// True if `loop` and the loop inside it can be merged. For every address, the outer stride must equal the inner stride
/// times the inner extent.
bool walked_as_one(nest::Nest& nest, std::size_t loop) {
    const std::int64_t inner = nest.grid[loop + 1];
    bool one = true;
    each_affine(nest,
                [&](const nest::Affine& a) { one = one && a.coefficient(loop) == a.coefficient(loop + 1) * inner; });
    return one;
}

/// Removes a loop that has one iteration from the grid.
void remove_loop(nest::Nest& nest, std::size_t loop) {
    each_affine(nest, [&](nest::Affine& a) {
        if (loop < a.coefficients.size())
            a.coefficients.erase(a.coefficients.begin() + static_cast<std::ptrdiff_t>(loop));
        trim(a);
    });
    nest.grid.erase(nest.grid.begin() + static_cast<std::ptrdiff_t>(loop));
}

/// Inserts a loop that has one iteration.
void insert_loop(nest::Nest& nest, std::size_t loop) {
    each_affine(nest, [&](nest::Affine& a) {
        if (loop < a.coefficients.size())
            a.coefficients.insert(a.coefficients.begin() + static_cast<std::ptrdiff_t>(loop), 0);
    });
    nest.grid.insert(nest.grid.begin() + static_cast<std::ptrdiff_t>(loop), 1);
}

/// Collapses the loops of the grid with the indices `begin` to `end` - 1. Returns the number of remaining loops in this
/// range.
std::size_t collapse_range(nest::Nest& nest, std::size_t begin, std::size_t end) {
    for (std::size_t loop = end; loop-- > begin;)
        if (nest.grid[loop] == 1) {
            remove_loop(nest, loop);
            --end;
        }
    for (std::size_t loop = end; loop-- > begin + 1;) {
        if (!walked_as_one(nest, loop - 1)) continue;
        nest.grid[loop] *= nest.grid[loop - 1];
        remove_loop(nest, loop - 1);
        --end;
    }
    return end - begin;
}

} // namespace

void collapse(nest::Nest& nest) { collapse_range(nest, 0, nest.grid.size()); }

bool collapse_groups(nest::Nest& nest, const std::vector<std::size_t>& groups) {
    std::size_t end = std::accumulate(groups.begin(), groups.end(), std::size_t{0});
    PM_CHECK(end == nest.grid.size());
    for (std::size_t g = groups.size(); g-- > 0;) {
        const std::size_t begin = end - groups[g];
        const std::size_t left = collapse_range(nest, begin, end);
        if (left > 1) return false;
        if (left == 0) insert_loop(nest, begin);
        end = begin;
    }
    return true;
}

} // namespace pm::plan
