#pragma once

#include "tests/gpu/driver/body.hpp"
#include "tests/gpu/driver/warps.hpp"

namespace pm::ptx {

/// What the warp's matrix operations are, as they stand in an instruction's `offset` (warps.cpp).
enum class MatrixKind { tf32, f16, bf16, load_1, load_2, load_4, load_1_turned, load_2_turned, load_4_turned };
constexpr int matrix_kinds = 9;

/// All members of the warp are at one. False after a fault.
bool run_matrix(MatrixKind kind, std::span<Thread* const> lanes);

/// Reads mma and ldmatrix.
struct MatrixStatement {
    MatrixKind kind{};
    Fragments* fragments = nullptr;
    std::uint32_t address = 0; ///< of ldmatrix
};
MatrixStatement read_mma(Body& b);
MatrixStatement read_ldmatrix(Body& b);

} // namespace pm::ptx
