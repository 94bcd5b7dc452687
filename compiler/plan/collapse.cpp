#include "compiler/plan/nests.hpp"

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

/// Loops `loop` and the one inside it are one: a step of the outer is as far as all steps of the inner.
bool walked_as_one(nest::Nest& nest, std::size_t loop) {
    const std::int64_t inner = nest.grid[loop + 1];
    bool one = true;
    each_affine(nest,
                [&](const nest::Affine& a) { one = one && a.coefficient(loop) == a.coefficient(loop + 1) * inner; });
    return one;
}

} // namespace

void remove_loop(nest::Nest& nest, std::size_t loop) {
    each_affine(nest, [&](nest::Affine& a) {
        if (loop < a.coefficients.size())
            a.coefficients.erase(a.coefficients.begin() + static_cast<std::ptrdiff_t>(loop));
        trim(a);
    });
    nest.grid.erase(nest.grid.begin() + static_cast<std::ptrdiff_t>(loop));
}

void insert_loop(nest::Nest& nest, std::size_t loop) {
    each_affine(nest, [&](nest::Affine& a) {
        if (loop < a.coefficients.size())
            a.coefficients.insert(a.coefficients.begin() + static_cast<std::ptrdiff_t>(loop), 0);
    });
    nest.grid.insert(nest.grid.begin() + static_cast<std::ptrdiff_t>(loop), 1);
}

void collapse(nest::Nest& nest) {
    for (std::size_t loop = nest.grid.size(); loop-- > 0;)
        if (nest.grid[loop] == 1) remove_loop(nest, loop);
    for (std::size_t loop = nest.grid.size(); loop-- > 1;) {
        if (!walked_as_one(nest, loop - 1)) continue;
        nest.grid[loop] *= nest.grid[loop - 1];
        remove_loop(nest, loop - 1);
    }
}

} // namespace pm::plan
