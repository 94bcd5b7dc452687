#include "compiler/stage/values/promotion.hpp"

#include "compiler/base/check.hpp"
#include "compiler/base/diagnostic.hpp"
#include "runtime/dtype.hpp"

#include <array>
#include <cstdint>
#include <utility>

namespace pm::stage {

namespace {

/// The nodes of JAX's promotion lattice. Each weak type is a separate node.
enum Node : int {
    n_b1,
    n_iw,
    n_u8,
    n_u16,
    n_u32,
    n_u64,
    n_i8,
    n_i16,
    n_i32,
    n_i64,
    n_fw,
    n_bf16,
    n_f16,
    n_f32,
    n_f64,
    n_cw,
    n_c64,
    n_c128,
    n_count
};

using Set = std::uint32_t;

std::array<Set, n_count> upper_sets() {
    std::array<std::vector<Node>, n_count> above;
    above[n_b1] = {n_iw};
    above[n_iw] = {n_u8, n_i8};
    above[n_u8] = {n_i16, n_u16};
    above[n_u16] = {n_i32, n_u32};
    above[n_u32] = {n_i64, n_u64};
    above[n_u64] = {n_fw};
    above[n_i8] = {n_i16};
    above[n_i16] = {n_i32};
    above[n_i32] = {n_i64};
    above[n_i64] = {n_fw};
    above[n_fw] = {n_bf16, n_f16, n_cw};
    above[n_bf16] = {n_f32};
    above[n_f16] = {n_f32};
    above[n_f32] = {n_f64, n_c64};
    above[n_f64] = {n_c128};
    above[n_cw] = {n_c64};
    above[n_c64] = {n_c128};
    std::array<Set, n_count> sets{};
    for (int round = 0; round < n_count; ++round)
        for (int n = 0; n < n_count; ++n) {
            sets[static_cast<std::size_t>(n)] |= 1U << n;
            for (const Node up : above[static_cast<std::size_t>(n)])
                sets[static_cast<std::size_t>(n)] |= sets[up] | (1U << up);
        }
    return sets;
}

Node node_of(DType d, bool weak) {
    if (weak && runtime::is_integer(d)) return n_iw;
    if (weak && runtime::is_float(d)) return n_fw;
    if (weak && runtime::is_complex(d)) return n_cw;
    switch (d) {
    case DType::b1: return n_b1;
    case DType::i8: return n_i8;
    case DType::i16: return n_i16;
    case DType::i32: return n_i32;
    case DType::i64: return n_i64;
    case DType::u8: return n_u8;
    case DType::u16: return n_u16;
    case DType::u32: return n_u32;
    case DType::u64: return n_u64;
    case DType::f16: return n_f16;
    case DType::bf16: return n_bf16;
    case DType::f32: return n_f32;
    case DType::f64: return n_f64;
    case DType::c64: return n_c64;
    case DType::c128: return n_c128;
    case DType::key:
    case DType::tape: raise(diagnose(Diag::wrong_kind, {}, "this", "numbers", "random keys"));
    }
    PM_UNREACHABLE();
}

Promoted promoted_of(int node, DType a, bool a_weak, DType b, bool b_weak) {
    constexpr DType types[] = {DType::b1,  DType::i32, DType::u8,  DType::u16, DType::u32, DType::u64,
                               DType::i8,  DType::i16, DType::i32, DType::i64, DType::f32, DType::bf16,
                               DType::f16, DType::f32, DType::f64, DType::c64, DType::c64, DType::c128};
    const bool weak = node == n_iw || node == n_fw || node == n_cw;
    if (!weak) return {types[node], false};
    // A weak result has the wider of the operands' weak dtypes. A weak operand may be an f64, for example within a
    // cast. If an operand is a 64-bit integer, a weak float result is an f64, as for `/`.
    DType best = types[node];
    const auto wide = [](DType d) { return d == DType::i64 || d == DType::u64; };
    if (node == n_fw && (wide(a) || wide(b))) best = DType::f64;
    const auto makes_wide = [&](DType d, bool d_weak) { return wide(d) || (d_weak && d == DType::f64); };
    if (node == n_cw && (makes_wide(a, a_weak) || makes_wide(b, b_weak))) best = DType::c128;
    for (const auto& [d, w] : {std::pair{a, a_weak}, std::pair{b, b_weak}})
        if (w && node_of(d, true) == node && runtime::size_of(d) > runtime::size_of(best)) best = d;
    return {best, true};
}

} // namespace

Promoted promote(DType a, bool a_weak, DType b, bool b_weak) {
    static const std::array<Set, n_count> sets = upper_sets();
    if (a == b && a_weak == b_weak) return {a, a_weak};
    const Set common =
        sets[static_cast<std::size_t>(node_of(a, a_weak))] & sets[static_cast<std::size_t>(node_of(b, b_weak))];
    // The result is the least common node: the common node below all other common nodes.
    for (int n = 0; n < n_count; ++n)
        if ((common >> n & 1U) != 0 && (sets[static_cast<std::size_t>(n)] & common) == common)
            return promoted_of(n, a, a_weak, b, b_weak);
    PM_UNREACHABLE();
}

bool is_wide(DType dtype) {
    return dtype == DType::f64 || dtype == DType::i64 || dtype == DType::u64 || dtype == DType::c128;
}

DType float_of(DType dtype) {
    if (runtime::is_inexact(dtype)) return dtype;
    return dtype == DType::i64 || dtype == DType::u64 ? DType::f64 : DType::f32;
}

} // namespace pm::stage
