#pragma once
#include "compiler/base/diagnostic.hpp"
#include "compiler/ir/ir.hpp"
#include "compiler/plan/program/step.hpp"
#include "runtime/dtype.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// The result of plan/ and the only input of every back end. A program has numbered buffers and a tree of steps.
namespace pm::plan {

using runtime::DType;

/// Where a buffer's bytes are.
enum class Space : std::uint8_t {
    argument, ///< PmCall::arguments[index]
    result,   ///< PmCall::results[index]
    constant, ///< PmCall::constants[index]
    arena,    ///< PmCall::arena + offset
    local, ///< At most 64 bytes, on the stack of the function that runs the enclosing step list. The emitter may keep
           ///< it in registers. In a `lanes` step, each lane has a separate copy
};

/// An index times `bytes` is added to the address of a buffer. The index is that of an enclosing loop step, or the lane
/// number. A reversed loop starts with index length - 1.
struct Stride {
    std::uint32_t loop = 0; ///< LoopStep::id; the constant `lane` for the lane number
    std::int64_t bytes = 0;
    bool operator==(const Stride&) const = default;
};
inline constexpr std::uint32_t lane = 0xFFFFFFFFU;

/// A dense row-major array. Several buffers may share bytes. Examples are views of a loop's slice or of a lane's part,
/// and values that are updated in place. The planner guarantees that no step overwrites bytes that are read later.
struct Buffer {
    DType dtype{};
    std::vector<std::int64_t> shape;
    Space space = Space::arena;
    std::uint32_t index = 0; ///< The number of the argument, result or constant. For `local`: buffers that share memory
                             ///< have the same number
    std::int64_t offset = 0; ///< bytes from the start of the argument, result, constant, arena or local memory
    std::vector<Stride> strides; ///< the part of the address that depends on loops or the lane
    std::string note;            ///< describes the IR value in the buffer, for readers of the text

    std::int64_t elements() const;
    std::int64_t bytes() const { return elements() * static_cast<std::int64_t>(runtime::size_of(dtype)); }
};

enum class SiteKind : std::uint8_t { check, print, meeting };

/// The source position and text of a check, a print or a meeting of processes.
struct Site {
    SiteKind kind = SiteKind::check;
    ir::Place place;
    std::string text;          ///< the message or format, {} for each value; of a meeting, the operation
    std::vector<DType> dtypes; ///< the dtypes of the values
    /// The shape of each value. If the leading axes of a check's value are the axes of `ok`, the message shows the part
    /// of the value at the element that failed.
    std::vector<std::vector<std::int64_t>> shapes;
    /// For a check: the sizes of the leading axes of `ok` that `vmap` or `pmap` added.
    std::vector<std::int64_t> mapped = {};
    std::int64_t inner = 1;                 ///< the number of elements of `ok` for each element of the axes `mapped`
    bool on_devices = false;                ///< true if the check or print is inside a pmap
    std::vector<std::int64_t> devices = {}; ///< per lane: its device number; empty: the device number is the lane
                                            ///< number
    std::vector<Span> loops = {};           ///< of a check: the places of the loop steps around it, outermost first
    Diag diagnostic = Diag::check_failed;   ///< of a check
    std::string help = {};                  ///< of a check: the suggested repair; may be empty
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
    /// Per result: the argument whose bytes the result shares; -1 if there is none. If the argument is not overwritten,
    /// such a result needs no steps.
    std::vector<std::int64_t> forwarded;
    std::vector<std::int64_t> overwritten; ///< arguments that steps overwrite
    // Of a program for several processes, if divide() has been called.
    /// Per argument and per result: the division among processes (LanesStep::first) if each lane uses one of equal
    /// parts of the bytes. Empty if a process uses the bytes of all lanes.
    std::vector<std::vector<std::int64_t>> argument_divisions, result_divisions;
    std::vector<bool> argument_is_used; ///< per argument: whether a step uses it
    /// If true, scatters and prefix scans of floats process elements in the order of the CPU on every device. Otherwise
    /// a GPU may use its fastest order.
    bool deterministic = false;
};

/// The canonical text of a program, and its reader. The text omits spans and notes. Two programs with the same text
/// compile to the same code.
std::string_view name(Space space);
std::string print(const Program& program);
Program read_program(std::string_view text);
void verify(const Program& program, std::string_view after);

} // namespace pm::plan
