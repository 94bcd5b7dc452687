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
/// The approximate number of machine instructions with which a CPU computes the operation on one vector. The result has
/// dtype `dtype`. 64-bit dtypes have twice the weight of 32-bit dtypes. Exceptions are quotients, integer remainders,
/// constants and indices. An integer quotient has four times the weight of a float quotient.
int weight(ScalarOp op, DType dtype);

/// An affine function of the loop indices: base + sum over the loops l of coefficient[l] * index[l]. The loops of the
/// grid come first, outermost first, then the stage's own loops.
struct Affine {
    std::int64_t base = 0;
    std::vector<std::int64_t> coefficients; ///< a missing coefficient is 0

    std::int64_t coefficient(std::size_t loop) const { return loop < coefficients.size() ? coefficients[loop] : 0; }
    bool operator==(const Affine&) const = default;
};

/// A reference to a scalar instruction of the nest: an index into Nest::insts. The default is null.
struct Ref {
    std::uint32_t id = 0xFFFFFFFFU;
    explicit operator bool() const { return id != 0xFFFFFFFFU; }
    bool operator==(const Ref&) const = default;
};

/// The address of an element: it is element number `offset` + `dynamic` of the buffer. `dynamic` is an i64 or null.
/// Where `mask` is null or true, the address must be in range. Where `mask` is false, a load returns zero without an
/// access and a store does nothing.
struct Access {
    std::uint32_t buffer = 0;
    Affine offset;
    Ref dynamic;
    Ref mask;
};

enum class Combine : std::uint8_t { add, mul, max, min, and_, or_, argmax, argmin };
std::string_view name(Combine combine);
/// The initial value of a reduction, in the low bytes. add, or_: 0. mul: 1. and_: all ones. max: -inf or the least
/// integer. min: +inf or the greatest integer. argmax and argmin start with the value of max or min, at position 2^63 -
/// 1. max, min, argmax and argmin prefer a NaN to any number.
std::uint64_t identity_bits(Combine combine, DType dtype);

/// One instruction of a body. `op` determines which fields are used.
struct Inst {
    ScalarOp op{};
    DType dtype{};
    std::vector<Ref> operands;
    std::uint64_t bits = 0; ///< of a constant: its bits, in the low bytes
    Affine affine;          ///< of an index instruction: its value
    Access access;          ///< of a load or store: the address and mask
    Combine combine{};      ///< Of a reduce. argmax and argmin have the operands (value, i64 position) and return a
                            ///< position; if several values are equal, the least position
};

/// The product of the extents: the total trip count of the loops.
std::int64_t product(const std::vector<std::int64_t>& extents);

/// The loops of a stage and the instructions of each iteration. If a stage has reduce instructions, its own loops run
/// as a reduction. If it has none, its own loops run as a map. The order of a reduction does not depend on the vector
/// width, on fusion or on the number of workers:
///  - lanes: the innermost own loop is the operand's last axis. Let n be its extent. There are W accumulators: W = 64
///    if n >= 64, otherwise W = 16. Element r of the innermost loop is added to accumulator r mod W, in increasing
///    order of the outer own loops and r. At the end the accumulators are combined in halves: a[i] = a[i] + a[i + W/2],
///    then W/4 and so on. If an accumulator gets no element, it holds the identity.
///  - sequential: there is one accumulator, and all iterations run in order.
///  - With a chunk, each accumulator has a total. After every `iterations` iterations of the own loop `loop`, and at
///    the end of each run of that loop, the accumulator is added to the total and restarts. Then the totals are
///    combined.
///  - If block > 0, the outermost own loop is cut into blocks of that many iterations. The last block may be shorter.
///    Each block is reduced as above, beginning with the identity. Then the results of the blocks are combined in
///    order.
/// The totals of chunks and blocks are f64 for sums and products of floats. Products of floats accumulate in f64, and
/// sums of f16 and bf16 in f32. The results are rounded once, at the end.
enum class Order : std::uint8_t { lanes, sequential };
/// W, the number of accumulators of a stage whose innermost own loop has the extent `innermost`. It is 1 for
/// Order::sequential.
int accumulators(Order order, std::int64_t innermost);

struct Chunk {
    std::size_t loop = 0;
    std::int64_t iterations = 0; ///< 0 if there is no chunk. If `order` is lanes and `loop` is the innermost loop, this
                                 ///< is a multiple of W
};

struct ReduceOrder {
    Order order = Order::lanes;
    std::int64_t block = 0;
    Chunk chunk{};
};

struct Stage {
    std::vector<std::int64_t> loops; ///< the extents of the stage's own loops, which are inside the loops of the grid
    /// The instructions, in order. An operand of an instruction is a value of the same stage, or the result of a
    /// reduction of an earlier stage.
    std::vector<Ref> body;
    Order order = Order::lanes;
    std::int64_t block = 0;
    Chunk chunk{};
};

struct Buffer {
    DType dtype{};
    bool written = false;
};

/// A loop nest. Each point of `grid` runs all stages in order. The points are independent: if one point stores an
/// element, no other point accesses that element.
struct Nest {
    std::string name;
    std::vector<Buffer> buffers;
    std::vector<std::int64_t> grid;
    std::vector<Inst> insts;
    std::vector<Stage> stages;

    const Inst& operator[](Ref r) const { return insts[r.id]; }
};

/// The order of a reduction over loops with the extents `extents`, in the order of the axes. The order depends on these
/// arguments alone. `last_axis` is true if the reduced axes include the operand's last axis. For n equal f32 numbers,
/// or numbers of similar size, the relative error of the sum is at most 1e-6. For any n f32 numbers of one sign, it is
/// less than 4e-6.
ReduceOrder reduce_order(const std::vector<std::int64_t>& extents, bool last_axis);

/// The canonical text of a nest, and its reader. If a text cannot be read, read_nest throws pm::Error (Diag::ir_text).
std::string print(const Nest& nest);
Nest read_nest(std::string_view text);
/// Reports an internal error if types, operand counts, buffers or scopes are not consistent. The message contains
/// `after`, which names the code that built the nest.
void verify(const Nest& nest, std::string_view after);

} // namespace pm::nest
