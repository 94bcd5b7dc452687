#pragma once
#include "compiler/nest/nest.hpp"
#include "runtime/tape.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// The statements of a program: each kind has a struct of attributes. `fields` visits the attributes in the order of
/// the text, for the printer and the reader.
namespace pm::plan {

using BufferId = std::uint32_t;

/// A step without attributes.
struct Plain {
    static void fields(auto&, auto&) {}
};

/// Runs `nest`. Buffers: one for each buffer of the nest. parallel: the grid is cut into chunks for the workers.
struct NestStep {
    /// For a collective that is a nest: the number of lanes whose parts the nest stores; otherwise 0.
    std::int64_t lanes = 0;
    static void fields(auto& s, auto& f) { f.lanes(s.lanes); }
};

/// Buffers {a, b, out [, c]}; out[b, m, n] = sum over k of a * b. parallel: the product is cut into tasks for the
/// workers.
///
/// A group of several axes (for example two contracted axes) is one extent. If the axes of a group cannot be walked
/// with one stride, the planner copies the operand first. f16 and bf16 accumulate in f32, other dtypes in the dtype
/// itself. The order is that of codegen::ProductOrder. `nest`, when present, is an epilogue over grid {batch, m, n}.
/// Buffer 0 of the nest is the product. The nest reads the product at [b, m, n] only, and the product is not stored.
/// The other buffers of the nest are buffers[3..].
struct DotStep {
    std::int64_t batch = 1, m = 1, n = 1, k = 1; ///< extents
    // The stride of each buffer along each extent, in elements. The stride along an extent of 1 is 0.
    std::int64_t a_b = 0, a_m = 0, a_k = 0;
    std::int64_t b_b = 0, b_k = 0, b_n = 0;
    std::int64_t out_b = 0, out_m = 0, out_n = 0;
    /// A precision ("default", "high") of a product of f32, f16 or bf16: the device may choose how to multiply and the
    /// order of sums. Empty: the product is exact.
    std::string precision{};

    std::int64_t elements() const { return batch * m * n; }
    static void fields(auto& s, auto& f) {
        f.integers(s.batch, s.m, s.n, s.k, s.a_b, s.a_m, s.a_k, s.b_b, s.b_k, s.b_n, s.out_b, s.out_m, s.out_n);
        f.text(s.precision);
    }
};

/// A kernel for matrices. Buffers: those of the kernel. A convolution may have `nest`, an epilogue like that of a dot,
/// over any grid. With an epilogue, the result (buffers[2]) is undefined after the step and may share memory with an
/// output of the epilogue.
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

/// Buffers {keys, payload.., out keys, out payload..}: `arrays` of [rows, n] along the last axis. The first `keys`
/// arrays are compared, in order. The sort is stable. parallel: the workers share the rows. prepare() moves the sorted
/// axis to the end.
struct SortStep {
    std::int64_t rows = 0, n = 0, arrays = 1, keys = 1;
    static void fields(auto& s, auto& f) { f.integers(s.rows, s.n, s.arrays, s.keys); }
};

/// Buffers {updates, index.., out}. out, which initially holds the operand, is [batch, sizes.., window]; the updates
/// are [batch, count, window]. There is one index buffer for each size; each is [batch, count] of any integer type. For
/// every b and c in order, the row of updates at (b, c) is combined with the row of out at (b, index_0[b, c], ..), or
/// replaces this row. A row with an index outside of 0 <= i < size is dropped. If out is a float, the updates may have
/// a narrower float dtype. prepare() brings the operands of ops.def's scatter into this order.
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

/// Buffers {x, out}: both are [outer, n, inner]. Elements are combined along n, from the end if `reverse`.
struct CumulativeStep {
    std::int64_t outer = 1, n = 0, inner = 1;
    bool reverse = false;
    nest::Combine combine{};
    static void fields(auto& s, auto& f) {
        f.integers(s.outer, s.n, s.inner, s.reverse);
        f.combine(s.combine);
    }
};

/// The step accesses `tapes` tapes, each with arrays of `elements` elements. set, add: buffers {x, index, tapes}; get:
/// {tapes, index, out}; sum: {more tapes, tapes}. The step writes the last buffer.
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

/// Buffers {from, to}, with the same number of bytes.
struct CopyStep : Plain {};

enum class CollectiveWork : std::uint8_t {
    reduce,     ///< out of every lane = `in` of all lanes, combined in lane order; f16 and bf16 are combined in f32 and
                ///< rounded once
    gather,     ///< out of every lane = `in` of all lanes, stacked
    exchange,   ///< as ppermute; a lane without a sender gets zeros
    all_to_all, ///< part j of lane i becomes part i of lane j
};
/// Buffers {in, out}, both with a lane stride, over `lanes` lanes. An out buffer without lane stride is written once
/// and read by all lanes. parallel: the workers share a reduction.
struct CollectiveStep {
    CollectiveWork work{};
    std::int64_t lanes = 0;
    std::vector<std::int64_t> to{}; ///< exchange: per lane the lane that it sends to, or -1
    nest::Combine combine{};        ///< of a reduction
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
/// Children: body. The body runs for each of `count` lanes and contains no collective. Lanes may run in parallel; on
/// one GPU the lanes are queued one after another.
struct LanesStep {
    std::int64_t count = 0;
    static void fields(auto& s, auto& f) { f.iterations(s.count); }
};
/// Children: body. Tapes created in the body are freed after the step.
struct TapesStep : Plain {};

/// The attributes of a step that has a site.
struct WithSite {
    std::uint32_t site = 0; ///< index in Program::sites
    static void fields(auto& s, auto& f) { f.site(s.site); }
};
/// Buffers {ok, values..}. `ok` has any shape; the first false element is reported.
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
    /// The first parameter absorbs the comma before the first entry of the list.
    template <class, class... T>
    using VariantOf = std::variant<T...>;
    /// In the order of StepKind.
    using Attributes = VariantOf<void
#define STEP(kind, text, attributes, title) , attributes
#include "compiler/plan/program/steps.def"
                                 >;

    Attributes attributes;
    std::vector<BufferId> buffers{};
    std::shared_ptr<const nest::Nest> nest{}; ///< the nest of a `nest` step, or an epilogue; otherwise null
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
/// Whether a step itself, without its children, writes its buffer number `buffer`. Must not be called for `matrices`
/// steps.
bool writes(const Step& step, std::size_t buffer);
/// The number of lanes of a collective step, or of a nest that is a collective; 0 for other steps.
std::int64_t collective_lanes(const Step& step);

std::string_view name(StepKind kind);
/// The name for users. Empty for steps that users do not see.
std::string_view title(StepKind kind);
/// The attributes in the text of a program, such as " integers=[2, 3] combine=add".
std::string attributes_text(const Step& step);

} // namespace pm::plan
