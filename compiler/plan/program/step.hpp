#pragma once
#include "compiler/nest/nest.hpp"
#include "runtime/memory/tape.hpp"
#include "runtime/processes/lane_exchange.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// The statements of a program. Each kind of step has a struct of attributes. The function `fields` of this struct
/// visits the attributes, in the order in which the program text has them.
namespace pm::plan {

using BufferId = std::uint32_t;

/// A step without attributes.
struct Plain {
    static void fields(auto&, auto&) {}
};

/// The attributes of a step that has a site.
struct WithSite {
    std::uint32_t site = 0; ///< index in Program::sites
    static void fields(auto& s, auto& f) { f.site(s.site); }
};

/// Runs `nest`. The step has one buffer for each buffer of the nest. If `parallel` is true, the workers share the grid
/// in chunks.
struct NestStep {
    /// If the nest implements a collective: the number of lanes whose parts the nest stores. Otherwise 0.
    std::int64_t lanes = 0;
    static void fields(auto& s, auto& f) { f.lanes(s.lanes); }
};

/// Buffers {a, b, out [, c]}; out[b, m, n] = sum over k of a * b. If `parallel` is true, the workers share the product
/// in tasks.
///
/// All axes of a group (for example two contracted axes) form one extent. If one stride cannot cover the axes of a
/// group, the planner copies the operand first. f16 and bf16 accumulate in f32. Other dtypes accumulate in the dtype
/// itself. The order of the sum is that of codegen::ProductOrder. If `nest` is not null, it is an epilogue over the
/// grid {batch, m, n}. Buffer 0 of the nest is the product, which is not stored. The nest reads the product at index
/// [b, m, n] only. The other buffers of the nest are buffers[3..].
struct DotStep {
    std::int64_t batch = 1, m = 1, n = 1, k = 1; ///< the extents
    // The stride of each buffer along each extent, in elements. The stride along an extent of 1 is 0.
    std::int64_t a_b = 0, a_m = 0, a_k = 0;
    std::int64_t b_b = 0, b_k = 0, b_n = 0;
    std::int64_t out_b = 0, out_m = 0, out_n = 0;
    /// The precision ("default", "high") of a product of f32, f16 or bf16. The device may then choose how to multiply
    /// and in which order to sum. If it is empty, the product is exact.
    std::string precision{};

    std::int64_t elements() const { return batch * m * n; }
    static void fields(auto& s, auto& f) {
        f.integers(s.batch, s.m, s.n, s.k, s.a_b, s.a_m, s.a_k, s.b_b, s.b_k, s.b_n, s.out_b, s.out_m, s.out_n);
        f.text(s.precision);
    }
};

/// A kernel for matrices. The buffers of the kernel are the buffers of the step. A convolution may have an epilogue
/// `nest`, like a dot, but over any grid. With an epilogue, the result of the convolution (buffers[2]) is undefined
/// after the step. That buffer may share memory with an output of the epilogue.
struct MatricesStep {
    /// "factorize" or "triangular" of runtime/kernels/matrices.hpp, "fft" or "convolution" of
    /// runtime/gpu/device/fourier_transforms.hpp and convolutions.hpp.
    std::string kernel{};
    std::vector<std::int64_t> attributes{}; ///< the attributes of the kernel
    static void fields(auto& s, auto& f) {
        f.integers(s.attributes);
        f.text(s.kernel);
    }
};

/// Buffers {keys, payload.., out keys, out payload..}: `arrays` input arrays and as many output arrays. All are [rows,
/// n], and the outputs are sorted along the last axis. The first `keys` arrays are the sort keys, in order of
/// precedence. The sort is stable. If `parallel` is true, the workers share the rows. prepare() moves the sorted axis
/// to the end.
struct SortStep {
    std::int64_t rows = 0, n = 0, arrays = 1, keys = 1;
    static void fields(auto& s, auto& f) { f.integers(s.rows, s.n, s.arrays, s.keys); }
};

/// Buffers {updates, index.., out}. `out` initially holds the operand; its shape is [batch, sizes.., window]. The
/// updates are [batch, count, window]. There is one index buffer for each size. Its shape is [batch, count], and its
/// dtype is any integer dtype. For every b and c in order, the step reads the row of updates at (b, c). The step
/// combines this row with the row of `out` at (b, index_0[b, c], ..). If `replaces` is true, the row of updates
/// replaces the row of `out`. If an index is outside of 0 <= i < size, the row of updates is dropped. If `out` is a
/// float array, the updates may have a narrower float dtype. prepare() brings the operands of the IR operation
/// `scatter` into this order.
struct ScatterStep {
    std::int64_t batch = 1, count = 0, window = 1;
    std::vector<std::int64_t> sizes{};
    bool replaces = false;
    nest::Combine combine{}; ///< add, mul, min or max; unused if `replaces`
    static void fields(auto& s, auto& f) {
        f.counted(s.sizes, s.batch, s.count, s.window);
        f.combine(s.combine);
        f.mode(s.replaces, s.combine);
    }
};

/// Buffers {x, out}, both of shape [outer, n, inner]. Elements are combined along n. If `reverse` is true, the
/// combination begins at the last element.
struct CumulativeStep {
    std::int64_t outer = 1, n = 0, inner = 1;
    bool reverse = false;
    nest::Combine combine{};
    static void fields(auto& s, auto& f) {
        f.integers(s.outer, s.n, s.inner, s.reverse);
        f.combine(s.combine);
    }
};

/// The step accesses `tapes` tapes. The arrays on each tape have `elements` elements. The buffers of set and add are
/// {x, index, tapes}. The buffers of get are {tapes, index, out}, and the buffers of sum are {more tapes, tapes}. The
/// step writes the last buffer.
struct TapeStep {
    std::int64_t tapes = 1, elements = 0;
    runtime::TapeWork work{};

    BufferId values(const std::vector<BufferId>& buffers) const { return buffers[is_get() ? 2 : 0]; }
    BufferId handles(const std::vector<BufferId>& buffers) const { return buffers[is_get() ? 0 : 2]; }
    std::int64_t points() const { return tapes * elements; }
    bool is_get() const { return work == runtime::TapeWork::get; }
    static void fields(auto& s, auto& f) {
        f.integers(s.tapes, s.elements);
        f.word(s.work);
    }
};

/// Buffers {from, to}. Both buffers have the same number of bytes.
struct CopyStep : Plain {};

enum class CollectiveWork : std::uint8_t {
    reduce,     ///< out of every lane = `in` of all lanes, combined in the order of the lanes; f16 and bf16 are
                ///< combined in f32 and rounded once
    gather,     ///< out of every lane = `in` of all lanes, stacked
    exchange,   ///< as ppermute; a lane without a sender gets zeros
    all_to_all, ///< part j of lane i becomes part i of lane j
};
/// Buffers {in, out} of `lanes` lanes. `in` has a lane stride (see Stride). If `out` has none, the step writes `out`
/// once, and all lanes read it. If `parallel` is true, the workers share a reduction.
struct CollectiveStep {
    CollectiveWork work{};
    std::int64_t lanes = 0;
    std::vector<std::int64_t> to{}; ///< exchange: for each lane, the lane to which it sends, or -1
    nest::Combine combine{};        ///< only of a reduction
    static void fields(auto& s, auto& f) {
        f.integers(s.to);
        f.combine(s.combine);
        f.word(s.work);
        f.lanes(s.lanes);
    }
};

/// Buffers {condition}; children: then, otherwise.
struct IfStep : Plain {};
/// Children: condition, body. Buffers {the result of the condition}.
struct WhileStep : Plain {};
/// Children: body. Buffers {i32 index}, or none if the body does not read the index.
struct LoopStep {
    std::uint32_t id = 0; ///< the number to which Stride::loop refers
    std::int64_t iterations = 0;
    bool reverse = false;
    static void fields(auto& s, auto& f) {
        f.id(s.id);
        f.iterations(s.iterations);
        f.reverse(s.reverse);
    }
};
/// Children: body. The body runs for each of `count` lanes and contains no collective. Lanes may run in parallel. On
/// one GPU, the lanes are put into a queue one after another.
struct LanesStep {
    std::int64_t count = 0;
    /// The division of the lanes among processes, see LanesOfProcesses. Empty in programs for one process.
    std::vector<std::int64_t> first{};
    static void fields(auto& s, auto& f) {
        f.integers(s.first);
        f.iterations(s.count);
    }
};

using runtime::MeetingWork;
/// The processes of a job meet and exchange values of lanes (runtime/processes/lane_exchange.hpp). Only in programs for
/// several processes. If a check has failed in one of them, all processes end the call. A buffer of lanes has a lane
/// stride (see Stride).
struct MeetingStep : WithSite {
    MeetingWork work{};
    std::int64_t lanes = 0;
    std::vector<std::int64_t> first{}; ///< as LanesStep::first
    std::vector<std::int64_t> to{};    ///< of `send`: see LanesOfProcesses::send
    static void fields(auto& s, auto& f) {
        f.integers(s.first);
        f.word(s.work);
        f.integers(s.to);
        f.lanes(s.lanes);
        f.site(s.site);
    }
};
/// Children: body. After the step, the tapes that the body has created are freed.
struct TapesStep : Plain {};

/// Buffers {ok, values..}. `ok` has any shape. If elements are false, the first of them is reported.
struct CheckStep : WithSite {};
/// Buffers: the values.
struct PrintStep : WithSite {};
/// Exits the program if the call must stop.
struct PollStep : Plain {};

enum class StepKind : std::uint8_t {
#define STEP(kind, text, attributes, title) kind,
#include "compiler/plan/program/steps.def"
};

struct Step;
using Steps = std::vector<Step>;

struct Step {
    /// This parameter takes the comma before the first entry of the list below.
    template <class, class... T>
    using VariantOf = std::variant<T...>;
    /// The alternatives have the same order as StepKind.
    using Attributes = VariantOf<void
#define STEP(kind, text, attributes, title) , attributes
#include "compiler/plan/program/steps.def"
                                 >;

    Attributes attributes;
    std::vector<BufferId> buffers{};
    std::shared_ptr<const nest::Nest> nest{}; ///< the nest of a `nest` step, or the epilogue of another step; otherwise
                                              ///< null
    bool parallel = false;
    std::vector<Steps> children{};

    StepKind kind() const { return static_cast<StepKind>(attributes.index()); }
    template <class T>
    const T& as() const {
        return std::get<T>(attributes);
    }
    template <class T>
    T& as() {
        return std::get<T>(attributes);
    }
};

/// A step of kind `kind` with default attributes.
Step step_of(StepKind kind);
/// True if the step itself, without its children, writes to its buffer number `buffer`. The step must not be of kind
/// `matrices`.
bool writes(const Step& step, std::size_t buffer);
/// The number of lanes of a collective step, or of a nest that implements a collective. It is 0 for other steps.
std::int64_t collective_lanes(const Step& step);

std::string_view name(StepKind kind);
/// The name of the kind of step in texts for users. Empty if users do not see such steps.
std::string_view title(StepKind kind);
/// The attributes of a step as in the text of a program, such as " integers=[2, 3] combine=add".
std::string attributes_text(const Step& step);

} // namespace pm::plan
