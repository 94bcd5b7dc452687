#pragma once
#include "compiler/base/span.hpp"
#include "compiler/nest/nest.hpp"
#include "runtime/dtype.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// The result of plan/ and the only input of every back end: numbered buffers and a tree of steps.
namespace pm::plan {

using runtime::DType;
using BufferId = std::uint32_t;

/// Where a buffer's bytes are.
enum class Space : std::uint8_t {
    argument, ///< PmCall::arguments[index]
    result,   ///< PmCall::results[index]
    constant, ///< PmCall::constants[index]
    arena,    ///< PmCall::arena + offset
    local, ///< at most 64 bytes, on the stack of the function that runs the enclosing step list; the emitter may keep
           ///< it in registers. Inside `lanes` each lane has one
};

/// The address moves by `bytes` times the index of an enclosing loop step or of the lane. The index is the one that the
/// body sees: length - 1 comes first in a reversed loop.
struct Stride {
    std::uint32_t loop = 0; ///< Step::id of the loop; `lane` for the lane
    std::int64_t bytes = 0;
    bool operator==(const Stride&) const = default;
};
inline constexpr std::uint32_t lane = 0xFFFFFFFFU;

/// A dense row-major array. Several buffers may share bytes: views of a loop's slice or of a lane's part, and values
/// updated in place. The planner guarantees that this is correct.
struct Buffer {
    DType dtype{};
    std::vector<std::int64_t> shape;
    Space space = Space::arena;
    std::uint32_t index = 0;     ///< of the argument, result or constant; local: a number that no other buffer has
    std::int64_t offset = 0;     ///< bytes from the start of the space's block
    std::vector<Stride> strides; ///< dynamic part of the address
    std::string note;            ///< the IR value it holds, for readers

    std::int64_t elements() const;
    std::int64_t bytes() const { return elements() * static_cast<std::int64_t>(runtime::size_of(dtype)); }
};

struct Step;
using Steps = std::vector<Step>;

enum class StepKind : std::uint8_t {
    nest,
    dot,
    matrices,
    sort,
    scatter,
    cumulative,
    tape,
    copy,
    collective,
    if_,
    while_,
    loop,
    lanes,
    tapes,
    check,
    print,
    poll
};

/// A statement of the program. The fields that are used depend on the kind.
///
/// nest        nest, buffers (one per nest buffer), parallel: cut the grid into chunks for the workers.
/// dot         buffers {a, b, out [, c]}; out[b, m, n] = sum over k of a * b; parallel: cut into tasks for the workers;
///             integers {B, M, N, K, a_b, a_m, a_k, b_b, b_k, b_n, out_b, out_m, out_n}: extents, then the stride of
///             each buffer along each extent, in elements; the strides of extents of 1 are 0. A group of several axes
///             (two contracted axes, say) is one extent: an operand whose axes cannot be walked as one is copied
///             before. Accumulates in f32 for f16 and bf16, in the dtype itself otherwise, in the order of
///             codegen::ProductOrder. Where `text` is a precision ("default", "high"; of f32, f16 and bf16) the device
///             may choose the products and the order of sums. `nest`, when present, is an epilogue over grid {B, M, N}.
///             Its buffer 0 is the product, read at [b, m, n] only, which is not stored then. Its other buffers are
///             buffers[3..].
/// matrices    `text` is a kernel: "factorize" or "triangular" of runtime/kernels/matrices.hpp, "fft" or "convolution"
///             of runtime/gpu/device/transforms.hpp and convolutions.hpp; buffers and integers are its buffers and
///             attributes. A convolution may have `nest`, an epilogue like that of a dot, over any grid. The result,
///             buffers[2], is then undefined after the step, and may share memory with an output of the epilogue.
/// sort        buffers {keys, payload.., out keys, out payload..}; integers {rows, n, count, keys}: count arrays of
///             [rows, n] along the last axis; the first `keys` of them are compared, in order. Stable. parallel: the
///             workers share the rows. prepare() moves the sorted axis to the end.
/// scatter     buffers {updates, index.., out}; integers {batch, count, window, k, d_0 .. d_(k-1)}: out, which
///             holds the operand already, is [batch, d_0, .., d_(k-1), window], the updates are [batch, count, window],
///             each of the k index buffers is [batch, count] of any integer type. For every b and c in order, the row
///             of updates at (b, c) is combined with the row of out at (b, index_0[b, c], ..). `text` is the operation
///             ("set", "add", "mul", "min", "max"; `combine` is the same but for "set"). A row with an index out of
///             0 <= i < d is dropped. Updates of a float out may be of a narrower dtype. prepare() brings the operands
///             of ops.def's scatter into this order.
/// cumulative  buffers {x, out}; integers {outer, n, inner, reverse}; combine: both are [outer, n, inner], combined
///             along n, from the end when reverse is 1.
/// tape        integers {count, elements}: `count` tapes side by side; `text` is the operation: "set", "add": buffers
///             {x, index, tapes}, "get": {tapes, index, out}, "sum": {more tapes, tapes}; the last one is written.
/// copy        buffers {from, to}: the same number of bytes.
/// collective  buffers {in, out}: both with a lane stride, over `lanes` lanes; combine and parallel for a reduction;
///             integers by `text`:
///             "reduce" {}: out of every lane = all lanes' `in` combined in lane order (sums of f16 and bf16 in f32,
///             rounded once); "gather" {}: out of every lane = all lanes' `in`, stacked; "exchange" {to by from}: as
///             ppermute, others zero; "all_to_all" {}: lane i's part j becomes lane j's part i. An out buffer without
///             lane stride is written once and read by all lanes.
/// if_         buffers {condition}; children then, otherwise.
/// while_      children condition, body; buffers {condition result}.
/// loop        id, iterations, reverse; children body; buffers {i32 index} when the body reads it.
/// lanes       iterations = number of lanes; children body: runs for each lane, in parallel; holds no collective.
/// tapes       children body: tapes that are made in it are freed after it.
/// check       buffers {ok, values..}; site. `ok` of any shape: the least false element is reported.
/// print       buffers; site.
/// poll        leave the program if the call must stop.
struct Step {
    StepKind kind{};
    std::vector<BufferId> buffers;
    std::shared_ptr<const nest::Nest> nest; ///< also an epilogue
    bool parallel = false;
    std::vector<std::int64_t> integers;
    nest::Combine combine{};
    std::string text;
    std::uint32_t id = 0;
    std::int64_t iterations = 0;
    bool reverse = false;
    std::int64_t lanes = 0;
    std::uint32_t site = 0;
    std::vector<Steps> children;
};

/// Whether a step writes its buffer with this number. Not for control flow and kernels of `matrices`.
bool writes(const Step& step, std::size_t buffer);

/// The source place and text of a check or print.
struct Site {
    Span span;
    std::string text;          ///< the message or format, {} for each value
    std::vector<DType> dtypes; ///< of the values
    /// Per value the shape that is shown. In a check, a value whose leading axes are those of `ok` is shown at the
    /// element that failed.
    std::vector<std::vector<std::int64_t>> shapes;
    bool is_print = false;
    bool on_devices = false;                ///< it is in a pmap
    std::vector<std::int64_t> devices = {}; ///< per lane the number of its device; empty: the number of the lane
};

struct Constant {
    std::vector<std::uint8_t> bytes;
};

struct Program {
    std::string name;
    std::vector<Buffer> buffers;
    std::vector<BufferId> arguments; ///< the buffer of each argument
    std::vector<BufferId> results;
    std::vector<Constant> constants;
    Steps steps;
    std::vector<Site> sites;
    std::int64_t arena_bytes = 0;
    /// Per result the argument whose bytes it has, -1 for none. Such a result needs no steps, unless its argument is
    /// overwritten.
    std::vector<std::int64_t> forwarded;
    std::vector<std::int64_t> overwritten; ///< arguments that steps write
    /// If true, scatters and prefix scans of floats have the order of Step on every device. Otherwise a GPU may use
    /// the order that is fastest there.
    bool deterministic = false;
};

/// Canonical text and its reader; spans and notes are left out. Two programs with the same text compile to the same
/// code.
std::string_view name(Space space);
std::string_view name(StepKind kind);
std::string print(const Program& program);
Program read_program(std::string_view text);
void verify(const Program& program, std::string_view after);

} // namespace pm::plan
