#pragma once
#include "runtime/dtype.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pm::nest {

using runtime::DType;

enum class ScalarOp : std::uint8_t {
#define SCALAR(name, operands, weight) name,
#include "compiler/nest/scalar.def"
#undef SCALAR
};
std::string_view name(ScalarOp op);
int operand_count(ScalarOp op);
/// About how many machine instructions an operation that gives `dtype` takes, on one vector: twice as many on 64 bits
/// as on 32; a quotient of integers four times that of floats.
int weight(ScalarOp op, DType dtype);

/// base + sum over loops of coefficient[l] * index[l]. Loops are the nest's grid, outermost first, then the stage's
/// own.
struct Affine {
    std::int64_t base = 0;
    std::vector<std::int64_t> coefficients; ///< missing ones are 0

    std::int64_t coefficient(std::size_t loop) const { return loop < coefficients.size() ? coefficients[loop] : 0; }
    bool operator==(const Affine&) const = default;
};

/// A scalar instruction of the nest, an index into Nest::insts.
struct Ref {
    std::uint32_t id = 0xFFFFFFFFU;
    explicit operator bool() const { return id != 0xFFFFFFFFU; }
    bool operator==(const Ref&) const = default;
};

/// Where an element lies in a buffer: at element `offset` (+ the i64 `dynamic`, which must be in range with it where
/// `mask` is true or absent). Where `mask` is false a load gives zero and touches nothing, a store does nothing.
struct Access {
    std::uint32_t buffer = 0;
    Affine offset;
    Ref dynamic;
    Ref mask;
};

enum class Combine : std::uint8_t { add, mul, max, min, and_, or_, argmax, argmin };
std::string_view name(Combine combine);
/// What a reduction starts from, in the low bytes: 0, 1, -inf or the least, +inf or the greatest, all ones. argmax and
/// argmin start from it at position 2^63 - 1; in max, min, argmax and argmin a NaN wins.
std::uint64_t identity_bits(Combine combine, DType dtype);

/// One instruction of a body. Which fields count depends on `op`.
struct Inst {
    ScalarOp op{};
    DType dtype{};
    std::vector<Ref> operands;
    std::uint64_t bits = 0; ///< constant: the element's bits in the low bytes
    Affine affine;          ///< index
    Access access;          ///< load, store
    Combine combine{}; ///< reduce; argmax and argmin take (value, i64 position) and give the position, least on ties
};

/// The iterations of loops of these extents together.
std::int64_t product(const std::vector<std::int64_t>& extents);

/// The loops of a stage and what is done in each iteration. A stage with reduce instructions runs its own loops as a
/// reduction; one without runs them as a map. The fixed order of a reduction, whatever the vector width, fusion or
/// number of workers:
///  - lanes (the innermost own loop of extent n is the operand's last axis): W accumulators, W = 64 for n >= 64, else
///  16; element r of
///    the innermost loop goes to accumulator r mod W, in increasing order of the outer own loops and r; at the end the
///    accumulators are combined in halves: a[i] = a[i] + a[i + W/2], then W/4 ... Accumulators that got no element are
///    left out by starting from the identity.
///  - sequential: one accumulator, all iterations in order.
///  - with a chunk each accumulator has a total: after every `iterations` iterations of the own loop `loop`, and at the
///  end
///    of each run of that loop, the accumulator is added to the total and begins anew. The totals are what is combined.
///  - with block > 0 the outermost own loop is cut into blocks of that many iterations (the last may be shorter); each
///  block
///    is reduced as above from the identity, and block results are combined in order.
/// Totals, of chunks and of blocks, of sums and products of floats are f64. Products of floats accumulate in f64, sums
/// of f16 and bf16 in f32. All are rounded once at the end.
enum class Order : std::uint8_t { lanes, sequential };
/// W: the accumulators of a stage whose innermost own loop has this extent; one in sequence.
int accumulators(Order order, std::int64_t innermost);

struct Chunk {
    std::size_t loop = 0;
    std::int64_t iterations = 0; ///< 0: none. Of the innermost loop of `lanes` a multiple of W
};

struct ReduceOrder {
    Order order = Order::lanes;
    std::int64_t block = 0;
    Chunk chunk{};
};

struct Stage {
    std::vector<std::int64_t> loops; ///< extents of its own loops, inside the grid's
    std::vector<Ref> body; ///< in order; a body may use its own values and the reduce results of earlier stages
    Order order = Order::lanes;
    std::int64_t block = 0;
    Chunk chunk{};
};

struct Buffer {
    DType dtype{};
    bool written = false;
};

/// A loop nest: for every point of `grid` (all independent) its stages in order. Loads and stores of one buffer never
/// overlap between different grid points, unless they are the same element at the same point.
struct Nest {
    std::string name;
    std::vector<Buffer> buffers;
    std::vector<std::int64_t> grid;
    std::vector<Inst> insts;
    std::vector<Stage> stages;

    const Inst& operator[](Ref r) const { return insts[r.id]; }
};

/// The order of a reduction over `extents` (in axis order): a function of these alone. n equal f32 have a sum that errs
/// by 1e-6 of it at most, and so have numbers of like size; any n numbers of one sign err by less than 4e-6.
/// `last_axis`: the operand's last axis is among the reduced ones.
ReduceOrder reduce_order(const std::vector<std::int64_t>& extents, bool last_axis);

/// Canonical text, and back. Reading throws pm::Error (Diag::ir_text).
std::string print(const Nest& nest);
Nest read_nest(std::string_view text);
/// Internal error when types, operand counts, buffers or scopes do not fit; names `after`.
void verify(const Nest& nest, std::string_view after);

} // namespace pm::nest
