#include "compiler/ops/core/combinators.hpp"

#include <bit>

// and, or, xor, not: logical operations on bool, bitwise operations on integers. population_count. The count of a shift
// may have another integer dtype than the shifted value. If the count of a shift is negative or at least the width, all
// bits are shifted out. The result is then 0. Exception: a shift_right of a signed integer then sets every bit of the
// result to the sign bit.

namespace pm::ops {
namespace {

struct And {
    template <std::integral T>
    static T apply(T x, T y) {
        return static_cast<T>(x & y);
    }
};
struct Or {
    template <std::integral T>
    static T apply(T x, T y) {
        return static_cast<T>(x | y);
    }
};
struct Xor {
    template <std::integral T>
    static T apply(T x, T y) {
        return static_cast<T>(x ^ y);
    }
};
struct Not {
    static bool apply(std::same_as<bool> auto x) { return !x; }
    template <Integer T>
    static T apply(T x) {
        return static_cast<T>(~x);
    }
};
struct PopulationCount {
    template <Integer T>
    static T apply(T x) {
        return static_cast<T>(std::popcount(static_cast<std::make_unsigned_t<T>>(x)));
    }
};

std::vector<Type> type_shift(const Inst& inst, std::span<const Type> operands) {
    require_dtype(inst, operands[0].dtype, ints);
    require_dtype(inst, operands[1].dtype, ints);
    require_same_shape(inst, operands);
    return {operands[0]};
}

template <Integer T>
T shifted_bits(bool left, T x, std::uint64_t count) {
    constexpr std::uint64_t width = 8 * sizeof(T);
    if (left) return count < width ? static_cast<T>(static_cast<std::uint64_t>(x) << count) : T{0};
    if (count < width) return static_cast<T>(x >> count); // arithmetic for signed types since C++20
    return x < 0 ? static_cast<T>(-1) : T{0};
}

template <bool Left>
std::vector<Array> eval_shift(EvalContext& c) {
    Array out = new_result(c);
    visit_dtype(out.dtype(), [&](auto e) {
        using T = typename decltype(e)::Value;
        if constexpr (Integer<T>) {
            const T* x = c.in[0].template as<T>();
            T* y = out.template mutable_as<T>();
            // a negative count, converted to u64, exceeds every width
            for (std::int64_t i = 0; i < out.elements(); ++i) y[i] = shifted_bits(Left, x[i], c.in[1].as_u64(i));
        } else {
            PM_UNREACHABLE();
        }
    });
    return {std::move(out)};
}

/// The scalar operation needs a count of the operand's dtype. A count of another dtype is first limited to the width,
/// so the conversion does not change it.
template <ScalarOp Shift>
nest::Ref element_shift(ElementContext& c, const nest::Indices& at) {
    const DType dtype = c.result_type.dtype;
    const DType from = c.operand_types[1].dtype;
    const nest::Ref x = c.element(0, at);
    nest::Ref count = c.element(1, at);
    if (from != dtype) {
        const nest::Ref width = c.n.constant(from, static_cast<double>(8 * runtime::size_of(dtype)));
        const auto cut = [&](nest::Ref when) { count = c.n.op(ScalarOp::select, from, {when, width, count}); };
        if (runtime::is_signed_integer(from)) cut(c.n.op(ScalarOp::less, DType::b1, {count, c.n.constant(from, 0)}));
        cut(c.n.op(ScalarOp::less, DType::b1, {width, count}));
        count = c.n.op(ScalarOp::convert, dtype, {count});
    }
    return c.n.op(Shift, dtype, {x, count});
}

std::vector<Sample> samples_shift() {
    std::vector<Sample> samples = elementwise_samples(2, ints, {Domain::any, Domain::any});
    for (DType dtype : {DType::u8, DType::i16, DType::u32, DType::i64})
        for (DType count : {DType::u8, DType::i32, DType::u64})
            samples.push_back({{{dtype, {3, 5}}, {count, {3, 5}}}, {}, {Domain::any}});
    return samples;
}

template <Op K, class F>
consteval OpRules logic(ScalarOp op, std::string_view doc) {
    return checked<K>({.type = type_same<with_bits>,
                       .eval = eval_binary<F>,
                       .jvp = none,
                       .transpose = none,
                       .batch = batch_elementwise,
                       .lower = LowerScalar{op},
                       .samples = samples_elementwise<2, with_bits, Domain::any>,
                       .doc = doc});
}

template <Op K, bool Left>
consteval OpRules shift(ElementRule* element, std::string_view doc) {
    return checked<K>({.type = type_shift,
                       .eval = eval_shift<Left>,
                       .jvp = none,
                       .transpose = none,
                       .batch = batch_elementwise,
                       .lower = LowerElement{element},
                       .samples = samples_shift,
                       .doc = doc});
}

} // namespace

const OpRules rule::and_ =
    logic<Op::and_, And>(ScalarOp::and_, "Logical and of bools, bitwise of integers.").named("&");
const OpRules rule::or_ = logic<Op::or_, Or>(ScalarOp::or_, "Logical or of bools, bitwise of integers.").named("|");
const OpRules rule::xor_ =
    logic<Op::xor_, Xor>(ScalarOp::xor_, "Exclusive or of bools, bitwise of integers.").named("^");

const OpRules rule::not_ = checked<Op::not_>({.type = type_same<with_bits>,
                                              .eval = eval_unary<Not>,
                                              .jvp = none,
                                              .transpose = none,
                                              .batch = batch_elementwise,
                                              .lower = LowerScalar{ScalarOp::not_},
                                              .samples = samples_elementwise<1, with_bits, Domain::any>,
                                              .doc = "Logical not of a bool, every bit of an integer turned.",
                                              .name = "~"});

const OpRules rule::population_count =
    checked<Op::population_count>({.type = type_same<ints>,
                                   .eval = eval_unary<PopulationCount>,
                                   .jvp = none,
                                   .transpose = none,
                                   .batch = batch_elementwise,
                                   .lower = LowerScalar{ScalarOp::population_count},
                                   .samples = samples_elementwise<1, ints, Domain::any>,
                                   .doc = "How many bits are set."});

const OpRules rule::shift_left = shift<Op::shift_left, true>(element_shift<ScalarOp::shift_left>,
                                                             "x * 2^n in wrapping arithmetic; 0 from the width on.")
                                     .named("<<");
const OpRules rule::shift_right =
    shift<Op::shift_right, false>(element_shift<ScalarOp::shift_right>,
                                  "floor(x / 2^n); 0, or -1 for negative x, from the width on.")
        .named(">>");

} // namespace pm::ops
