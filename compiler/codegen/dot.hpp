#pragma once
#include "compiler/codegen/emit.hpp"
#include "compiler/plan/program.hpp"

/// What products of matrices are, on every device.
namespace pm::codegen {

/// The sizes of a dot step (see plan::Step), strides in elements.
struct DotSizes {
    std::int64_t batch, m, n, k;
    std::int64_t a_b, a_m, a_k;
    std::int64_t b_b, b_k, b_n;
    std::int64_t out_b, out_m, out_n;
};
DotSizes dot_sizes(const plan::Step& step);
/// What products of elements of a dtype are summed in.
DType dot_sum(DType in);

/// a / b rounded up: how many pieces of b make a.
constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// sum + a * b of elements as they are in memory, rounded once. b1: or of and.
Value* multiply_add(Emit& e, DType dtype, Value* a, Value* b, Value* sum);

/// An epilogue: the product converted to the result's type, buffer 0, is put where its strides say, in buffer 1.
nest::Nest store_nest(const DotSizes& sizes, DType out);

} // namespace pm::codegen
