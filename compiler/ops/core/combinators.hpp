#pragma once
#include "compiler/base/diagnostic.hpp"
#include "compiler/ops/core/rules.hpp"
#include "runtime/half.hpp"

#include <concepts>
#include <type_traits>
#include <utility>

/// Shared by the rules of several families of operations: sets of dtypes, type rules, derivative helpers, batching of
/// elementwise operations, typed loops for `eval`, and samples.
namespace pm::ops {

using ir::Attr;
using ir::Integers;
using nest::ScalarOp;
using Tangent = std::optional<Value>;
using Tangents = std::vector<Tangent>;

// ---- sets of dtypes

using DTypes = std::uint32_t;
constexpr DTypes set_of(DType d) { return 1U << static_cast<unsigned>(d); }
constexpr DTypes set_between(DType first, DType last) {
    DTypes set = 0;
    for (auto d = static_cast<unsigned>(first); d <= static_cast<unsigned>(last); ++d) set |= 1U << d;
    return set;
}
constexpr DTypes bools = set_of(DType::b1);
constexpr DTypes signed_ints = set_between(DType::i8, DType::i64);
constexpr DTypes ints = set_between(DType::i8, DType::u64);
constexpr DTypes floats = set_between(DType::f16, DType::f64);
constexpr DTypes keys = set_of(DType::key);
constexpr DTypes tapes = set_of(DType::tape);
constexpr DTypes complexes = set_of(DType::c64) | set_of(DType::c128);
constexpr DTypes numbers = ints | floats;
constexpr DTypes ordered = numbers | bools; ///< the dtypes whose elements can be compared with <
constexpr DTypes with_bits = ints | bools;
constexpr DTypes every = bools | numbers | keys | tapes;
/// The sets for type rules that accept complex types. transform/complex/lower_complex replaces complex types by real
/// types. So `eval`, `lower` and `samples` need no complex types.
constexpr DTypes fields = numbers | complexes;
constexpr DTypes anything = every | complexes;
constexpr bool contains(DTypes set, DType d) { return (set & set_of(d)) != 0; }
/// The name of a set in messages, for example "integers and floats".
std::string describe(DTypes set);
std::vector<DType> members(DTypes set);

// ---- type rules. The errors have no source place; Build adds the place.

/// Raises "`floor` takes floats, not i32", with a suitable conversion as the repair.
void require_dtype(const Inst& inst, DType found, DTypes taken);
/// Raises Diag::operands_disagree unless all operands have the type of the first operand.
void require_same(const Inst& inst, std::span<const Type> operands);
void require_same_shape(const Inst& inst, std::span<const Type> operands);
/// Raises Diag::negative_size for a negative size, and Diag::too_many_elements if the number of bytes does not fit 62
/// bits.
void require_shape(const Type& type);

/// Type rule: all operands and the result have one type.
template <DTypes Taken>
std::vector<Type> type_same(const Inst& inst, std::span<const Type> operands) {
    require_dtype(inst, operands[0].dtype, Taken);
    require_same(inst, operands);
    return {operands[0]};
}
/// Type rule: all operands have one type, and the result is bool.
template <DTypes Taken>
std::vector<Type> type_compare(const Inst& inst, std::span<const Type> operands) {
    require_dtype(inst, operands[0].dtype, Taken);
    require_same(inst, operands);
    return {Type{DType::b1, operands[0].shape}};
}

// ---- derivatives

/// The sum of those tangents of `x` and `y` that are present. Nullopt if both are absent.
Tangent add_tangents(Build& b, const Tangent& x, const Tangent& y);
Value tangent_or_zero(JvpContext& c, std::size_t i);
/// The number 1 in the type of the first operand.
Value one(JvpContext& c);
/// Returns a power of two s for each element of `size`. The elements are not negative. If two numbers are at most s *
/// size, the sum of their squares does not overflow. If `small` is true and `size` is not 0, the square of s * size
/// does not underflow to 0 either. s is 1 if size * size is far from overflow and underflow.
Value square_scale(Build& b, Value size, bool small);

/// For an operation with one operand. `Derivative(c, g)` is the tangent of the result if g is the tangent of the
/// operand.
using DerivativeOfOne = Value(JvpContext&, Value tangent);
template <DerivativeOfOne* Derivative>
Tangents jvp_unary(JvpContext& c) {
    if (!c.tangent(0)) return {std::nullopt};
    return {Derivative(c, *c.tangent(0))};
}
/// For an operation with two operands. The tangent of the result is a sum of two terms: First applied to the tangent of
/// the first operand, and Second applied to the tangent of the second operand. If one of the two functions is null, its
/// operand adds nothing.
template <DerivativeOfOne* First, DerivativeOfOne* Second>
Tangents jvp_binary(JvpContext& c) {
    Tangent first;
    Tangent second;
    if constexpr (First != nullptr) {
        if (c.tangent(0)) first = First(c, *c.tangent(0));
    }
    if constexpr (Second != nullptr) {
        if (c.tangent(1)) second = Second(c, *c.tangent(1));
    }
    return {add_tangents(c.b, first, second)};
}
/// For an operation that is linear in all operands. The tangent is the operation on the tangents, with zeros for
/// missing tangents.
Tangents jvp_linear(JvpContext& c);
/// For an operation that is linear in operand 0. The tangent of the result is the operation itself, with the tangent of
/// operand 0 in place of operand 0.
Tangents jvp_linear_first(JvpContext& c);

// ---- batching

/// Appends the same instruction on operands that all have the batch as axis 0.
Values batch_elementwise(BatchContext& c);

// ---- eval: typed loops

/// Per dtype: the type of an element in memory (`Stored`) and the type in which `eval` computes (`Value`). Arithmetic
/// on f16 and bf16 is done in f32, and the result is rounded.
template <DType D, class StoredT, class ValueT = StoredT>
struct PlainElement {
    static constexpr DType dtype = D;
    using Stored = StoredT;
    using Value = ValueT;
    static Value load(Stored s) { return static_cast<Value>(s); }
    static Stored store(Value v) { return static_cast<Stored>(v); }
};
template <DType D>
struct Element;
template <>
struct Element<DType::b1> : PlainElement<DType::b1, std::uint8_t, bool> {};
template <>
struct Element<DType::i8> : PlainElement<DType::i8, std::int8_t> {};
template <>
struct Element<DType::i16> : PlainElement<DType::i16, std::int16_t> {};
template <>
struct Element<DType::i32> : PlainElement<DType::i32, std::int32_t> {};
template <>
struct Element<DType::i64> : PlainElement<DType::i64, std::int64_t> {};
template <>
struct Element<DType::u8> : PlainElement<DType::u8, std::uint8_t> {};
template <>
struct Element<DType::u16> : PlainElement<DType::u16, std::uint16_t> {};
template <>
struct Element<DType::u32> : PlainElement<DType::u32, std::uint32_t> {};
template <>
struct Element<DType::u64> : PlainElement<DType::u64, std::uint64_t> {};
template <>
struct Element<DType::f32> : PlainElement<DType::f32, float> {};
template <>
struct Element<DType::f64> : PlainElement<DType::f64, double> {};
template <>
struct Element<DType::key> : PlainElement<DType::key, std::uint64_t> {};
template <>
struct Element<DType::tape> : PlainElement<DType::tape, std::uint64_t> {};
template <>
struct Element<DType::f16> {
    static constexpr DType dtype = DType::f16;
    using Stored = std::uint16_t;
    using Value = float;
    static Value load(Stored s) { return runtime::f16_to_f32(s); }
    static Stored store(Value v) { return runtime::f32_to_f16(v); }
};
template <>
struct Element<DType::bf16> {
    static constexpr DType dtype = DType::bf16;
    using Stored = std::uint16_t;
    using Value = float;
    static Value load(Stored s) { return runtime::bf16_to_f32(s); }
    static Stored store(Value v) { return runtime::f32_to_bf16(v); }
};

/// Calls fn(Element<dtype>{}). Complex types are not supported, because transform/complex/lower_complex runs before
/// `eval`.
template <class Fn>
decltype(auto) visit_dtype(DType dtype, Fn&& fn) {
    switch (dtype) {
    case DType::b1: return fn(Element<DType::b1>{});
    case DType::i8: return fn(Element<DType::i8>{});
    case DType::i16: return fn(Element<DType::i16>{});
    case DType::i32: return fn(Element<DType::i32>{});
    case DType::i64: return fn(Element<DType::i64>{});
    case DType::u8: return fn(Element<DType::u8>{});
    case DType::u16: return fn(Element<DType::u16>{});
    case DType::u32: return fn(Element<DType::u32>{});
    case DType::u64: return fn(Element<DType::u64>{});
    case DType::f16: return fn(Element<DType::f16>{});
    case DType::bf16: return fn(Element<DType::bf16>{});
    case DType::f32: return fn(Element<DType::f32>{});
    case DType::f64: return fn(Element<DType::f64>{});
    case DType::key: return fn(Element<DType::key>{});
    case DType::tape: return fn(Element<DType::tape>{});
    case DType::c64:
    case DType::c128: break;
    }
    PM_UNREACHABLE();
}

template <class T>
concept Integer = std::integral<T> && !std::same_as<T, bool>;
template <class T>
concept Float = std::floating_point<T>;

/// A new array of the type of result number `i`, with undefined elements.
Array new_result(const EvalContext& c, std::size_t i = 0);

namespace detail {
/// The type in which an element of type R is stored. It is one byte if R is bool, otherwise the stored type of E.
template <class E, class R>
struct ResultOf {
    using Stored = std::conditional_t<std::same_as<R, bool>, std::uint8_t, typename E::Stored>;
    static Stored store(R v) {
        if constexpr (std::same_as<R, bool>)
            return v ? 1 : 0;
        else
            return E::store(v);
    }
};
} // namespace detail

/// Applies F::apply(x) to every element. F has an overload for each supported dtype; the overload returns the same type
/// or bool.
template <class F>
std::vector<Array> eval_unary(EvalContext& c) {
    Array out = new_result(c);
    visit_dtype(c.in[0].dtype(), [&](auto e) {
        using E = decltype(e);
        using V = typename E::Value;
        if constexpr (requires(V x) { F::apply(x); }) {
            using R = detail::ResultOf<E, decltype(F::apply(std::declval<V>()))>;
            const auto* x = c.in[0].template as<typename E::Stored>();
            auto* y = out.template mutable_as<typename R::Stored>();
            for (std::int64_t i = 0; i < out.elements(); ++i) y[i] = R::store(F::apply(E::load(x[i])));
        } else {
            PM_UNREACHABLE();
        }
    });
    return {std::move(out)};
}
template <class F>
std::vector<Array> eval_binary(EvalContext& c) {
    Array out = new_result(c);
    visit_dtype(c.in[0].dtype(), [&](auto e) {
        using E = decltype(e);
        using V = typename E::Value;
        if constexpr (requires(V x) { F::apply(x, x); }) {
            using R = detail::ResultOf<E, decltype(F::apply(std::declval<V>(), std::declval<V>()))>;
            const auto* x = c.in[0].template as<typename E::Stored>();
            const auto* z = c.in[1].template as<typename E::Stored>();
            auto* y = out.template mutable_as<typename R::Stored>();
            for (std::int64_t i = 0; i < out.elements(); ++i) y[i] = R::store(F::apply(E::load(x[i]), E::load(z[i])));
        } else {
            PM_UNREACHABLE();
        }
    });
    return {std::move(out)};
}

/// Computes a function of a T in double precision, and rounds the result to T. The result for f32 has an error of about
/// half an ulp.
template <Float T>
T through_double(double (*fn)(double), T x) {
    return static_cast<T>(fn(static_cast<double>(x)));
}

// ---- samples

/// The shapes on which elementwise operations are tested: a scalar, empty shapes, one element, odd sizes, large sizes,
/// and more elements than a block of a reduction.
const std::vector<Shape>& sample_shapes();
/// Samples of an operation with `operands` operands of one type. Every dtype of `set` is tested at an odd shape. f32 is
/// tested at all shapes; if `set` has no f32, its first dtype is.
std::vector<Sample> elementwise_samples(std::size_t operands, DTypes set, const std::vector<Domain>& domains,
                                        const Attrs& attrs = {}, double tolerance = 2e-5);
template <std::size_t Operands, DTypes Set, Domain... Domains>
std::vector<Sample> samples_elementwise() {
    return elementwise_samples(Operands, Set, {Domains...});
}

// ---- whole rules

/// The rules of a differentiable function of one float. `T F::apply(T)` evaluates the function, and one scalar
/// operation computes it in compiled code. `In` is the domain of the samples.
template <Op K, class F, DerivativeOfOne* Derivative, Domain In = Domain::any, DTypes Taken = floats>
consteval OpRules function_rules(ScalarOp op, int cost, std::string_view doc) {
    return checked<K>({.type = type_same<Taken>,
                       .eval = eval_unary<F>,
                       .jvp = jvp_unary<Derivative>,
                       .transpose = none,
                       .batch = batch_elementwise,
                       .lower = LowerScalar{op},
                       .samples = samples_elementwise<1, floats, In>,
                       .doc = doc,
                       .cost = cost});
}

/// The rules of an analytic function, whose derivative has the same formula for complex numbers. complex/functions.hpp
/// has functions for `parts`.
template <Op K, class F, DerivativeOfOne* Derivative, Domain In = Domain::any>
consteval OpRules analytic_rules(ScalarOp op, Rule<PartsRule> parts, int cost, std::string_view doc) {
    return function_rules < K, F, Derivative, In, floats | complexes > (op, cost, doc).with_parts(parts);
}

} // namespace pm::ops
