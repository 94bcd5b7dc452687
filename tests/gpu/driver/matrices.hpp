#pragma once

#include "tests/gpu/driver/body.hpp"
#include "tests/gpu/driver/warps.hpp"

namespace pm::ptx {

/// The matrix operations of a warp, as encoded in an instruction's `offset` (warps.cpp).
enum class MatrixKind {
    tf32,
    f16,
    bf16,
    load_1,
    load_2,
    load_4,
    load_1_transposed,
    load_2_transposed,
    load_4_transposed
};
constexpr int matrix_kinds = 9;

/// Executes the operation when all members of the warp have arrived. False after a fault.
bool run_matrix(MatrixKind kind, std::span<Thread* const> lanes);

/// Parsed mma or ldmatrix.
struct MatrixStatement {
    MatrixKind kind{};
    Fragments* fragments = nullptr;
    std::uint32_t address = 0; ///< for ldmatrix
};
MatrixStatement read_mma(Body& b);
MatrixStatement read_ldmatrix(Body& b);

} // namespace pm::ptx
