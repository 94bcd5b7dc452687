// Elementwise functions of two or three operands. If all operands are known numbers, the result is a known number.
#include "compiler/stage/index/indexing.hpp"
#include "compiler/stage/known/arrays.hpp"
#include "compiler/stage/known/computed.hpp"
#include "compiler/stage/library/numbers.hpp"
#include "compiler/stage/library/selection.hpp"

#include "compiler/base/check.hpp"
#include "compiler/ops/core/nans.hpp"
#include "compiler/stage/known/known_arithmetic.hpp"
#include "compiler/stage/known/operands.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>

namespace pm::stage::library {
namespace {

using ir::Op;
using syntax::BinaryOp;

void need_both(Arguments& a, std::string_view what) {
    need_array(a[0], a.spans[0], what);
    need_array(a[1], a.spans[1], what);
}

/// The native function for the operator `op`.
template <BinaryOp op>
Value operation(Stager& s, Arguments& a) {
    need_both(a, "this function");
    return binary(s, op, a[0], a[1], a.span);
}

// ---- max and min

template <bool greatest>
Value extremum(Stager& s, Arguments& a) {
    need_both(a, greatest ? "`maximum`" : "`minimum`");
    return extreme(s, a[0], a[1], greatest, a.span);
}

Value clip(Stager& s, Arguments& a) {
    need_numeric(a[0], a.spans[0], "`clip`");
    Value x = a[0];
    for (const std::size_t bound : {1U, 2U})
        if (!a[bound].is_none())
            x = extreme(s, x, need_numeric(a[bound], a.spans[bound], "`clip`"), bound == 1, a.spans[bound]);
    return x;
}

/// The functions fmax and fmin. If one operand is NaN, the result is the other operand.
template <bool greatest>
Value extremum_of_numbers(Stager& s, Arguments& a) {
    need_both(a, greatest ? "`fmax`" : "`fmin`");
    if (a[0].real_number() && a[1].real_number()) {
        for (const int i : {0, 1})
            if (std::isnan(a[static_cast<std::size_t>(i)].number()->as_f64()))
                return number(a[static_cast<std::size_t>(1 - i)].number()->as_f64(),
                              promoted(*a[0].number(), *a[1].number()));
        return extreme(s, a[0], a[1], greatest, a.span);
    }
    return s.array_work(a.span, [&] {
        Promoted type{};
        const auto in = aligned(s, {a[0], a[1]}, a.span, &type);
        auto& b = s.build();
        // As in jnp.fmax, the second of two equal operands is selected. So the derivative of the result is the
        // derivative of the second operand.
        const ir::Value beats = greatest ? b.compare(Op::less, in[1], in[0]) : b.compare(Op::less, in[0], in[1]);
        if (!runtime::is_inexact(type.dtype)) return s.wrap(b.select(beats, in[0], in[1]), type.weak);
        const ir::Value second_nan = b.compare(Op::not_equal, in[1], in[1]);
        return s.wrap(b.select(b.binary(Op::or_, beats, second_nan), in[0], in[1]), type.weak);
    });
}

/// The function clamp. As in JAX, the derivative of the result with respect to the operand is zero at the bounds and
/// outside of the bounds.
Value clamp(Stager& s, Arguments& a) {
    for (const std::size_t i : {0U, 1U, 2U}) need_array(a[i], a.spans[i], "`clamp`");
    if (a[0].real_number() && a[1].real_number() && a[2].real_number())
        return extreme(s, extreme(s, a[1], a[0], true, a.span), a[2], false, a.span);
    return s.array_work(a.span, [&] {
        Promoted type{};
        const auto in = aligned(s, {a[0], a[1], a[2]}, a.span, &type);
        auto& b = s.build();
        const ir::Value above = b.select(b.compare(Op::less_equal, in[1], in[0]), in[0], in[1]);
        return s.wrap(b.select(b.compare(Op::less_equal, in[2], in[1]), in[2], above), type.weak);
    });
}

// ---- functions of two floats

/// The two operands, converted to a common float dtype and broadcast to a common shape.
struct Floats {
    ir::Value x, y;
    bool weak;
};

Floats floats(Stager& s, Arguments& a) {
    Promoted type{};
    auto in = aligned(s, {a[0], a[1]}, a.span, &type);
    const DType dtype = float_of(type.dtype);
    return {s.build().convert(in[0], dtype), s.build().convert(in[1], dtype), type.weak};
}

using OfTwo = ir::Value(ops::Build&, ir::Value, ir::Value);

template <OfTwo* emit, double (*known)(double, double)>
Value real_binary(Stager& s, Arguments& a) {
    for (const std::size_t i : {0U, 1U}) need_numeric(a[i], a.spans[i], "this function");
    if (a[0].real_number() && a[1].real_number()) {
        const Number& x = *a[0].number();
        const Number& y = *a[1].number();
        return number(known(x.as_f64(), y.as_f64()), as_float(promoted(x, y)));
    }
    return s.array_work(a.span, [&] {
        const Floats in = floats(s, a);
        return s.wrap(emit(s.build(), in.x, in.y), in.weak);
    });
}

template <Op op>
ir::Value one_instruction(ops::Build& b, ir::Value x, ir::Value y) {
    return b.binary(op, x, y);
}

/// Computes log(exp(x) + exp(y)) without overflow, as the greater operand plus log1p(exp(-|x - y|)). The selects depend
/// on the sign of x - y, so both derivatives are 1/2 if the operands are equal. If both operands are the same infinity,
/// the result is x + y. If both are -inf, the derivatives must be NaN as in JAX. So the term 1 / z^2 with z = x + y is
/// added. At -inf, the value of this term is 0, and its derivatives are NaN.
ir::Value logaddexp(ops::Build& b, ir::Value x, ir::Value y) {
    const ir::Value zero = b.zeros_like(x);
    const ir::Value difference = b.sub(x, y);
    const ir::Value first = b.compare(Op::less_equal, zero, difference);
    const ir::Value below = b.select(first, b.neg(difference), difference);
    const ir::Value sum = b.add(b.select(first, x, y), b.unary(Op::log1p, b.unary(Op::exp, below)));
    const ir::Value both = b.add(x, y);
    const ir::Value faded = b.add(both, b.div(b.like(both, 1), b.mul(both, both)));
    const ir::Value infinite = b.binary(Op::and_, b.compare(Op::equal, x, y), ops::is_nan(b, difference));
    return b.select(infinite, b.select(b.compare(Op::less, both, zero), faded, both), sum);
}

/// Computes sqrt(x^2 + y^2). The operands are divided by a scale, so that the squares do not overflow. The result does
/// not depend on the scale, so the scale needs no derivative.
ir::Value hypot(ops::Build& b, ir::Value x, ir::Value y) {
    const ir::Value most = b.binary(Op::max, b.unary(Op::abs, x), b.unary(Op::abs, y));
    // If the greater absolute value is 0 or infinite, it is itself the result. The quotients by this value are then
    // replaced by quotients by 1.
    const ir::Value plain = b.binary(Op::or_, b.compare(Op::equal, most, b.zeros_like(most)),
                                     b.compare(Op::equal, most, b.like(most, INFINITY)));
    const ir::Value scale = b.unary(Op::stop_gradient, b.select(plain, b.like(most, 1), most));
    const ir::Value p = b.div(x, scale);
    const ir::Value q = b.div(y, scale);
    return b.select(plain, most, b.mul(scale, b.unary(Op::sqrt, b.add(b.mul(p, p), b.mul(q, q)))));
}

ir::Value copysign(ops::Build& b, ir::Value x, ir::Value y) {
    constexpr DType integers[] = {DType::i8, DType::i16, DType::i32, DType::i64};
    const DType bits = integers[std::countr_zero(runtime::size_of(b.dtype(y)))];
    const ir::Value pattern = b.emit1(Op::bitcast, {y}, {{ir::Attr::dtype, bits}});
    const ir::Value size = b.unary(Op::abs, x);
    return b.select(b.compare(Op::less, pattern, b.zeros_like(pattern)), b.neg(size), size);
}

double known_atan2(double x, double y) { return std::atan2(x, y); }
double known_pow(double x, double y) { return std::pow(x, y); }
/// Computes hypot of known numbers by the same operations as `hypot`. So the result for weak numbers has the same bits
/// as the result for f64 arrays.
double known_hypot(double x, double y) {
    if (std::isnan(x) || std::isnan(y)) return std::numeric_limits<double>::quiet_NaN();
    const double most = std::fmax(std::fabs(x), std::fabs(y));
    if (most == 0 || std::isinf(most)) return most;
    const double p = x / most, q = y / most;
    return most * std::sqrt(p * p + q * q);
}
double known_copysign(double x, double y) { return std::copysign(x, y); }
double known_logaddexp(double x, double y) {
    return std::isnan(x - y) ? x + y : std::fmax(x, y) + std::log1p(std::exp(-std::fabs(x - y)));
}

/// The function nextafter. The result depends on the precision, and a weak number has none. So a weak number is
/// converted to the float dtype that it would have in an array.
Value nextafter(Stager& s, Arguments& a) {
    for (const std::size_t i : {0U, 1U}) need_numeric(a[i], a.spans[i], "`nextafter`");
    return s.array_work(a.span, [&] {
        const Floats in = floats(s, a);
        return s.wrap(s.build().binary(Op::nextafter, in.x, in.y), false);
    });
}

// ---- division

/// The function fmod: the remainder with the sign of the dividend.
Value fmod(Stager& s, Arguments& a) {
    for (const std::size_t i : {0U, 1U}) need_numeric(a[i], a.spans[i], "`fmod`");
    const bool numbers = a[0].real_number() && a[1].real_number();
    if (numbers &&
        !(s.scopes().errors_as_checks && divides_by_zero(BinaryOp::remainder, *a[0].number(), *a[1].number()))) {
        const Number& x = *a[0].number();
        const Number& y = *a[1].number();
        if (x.kind == Number::Kind::floating || y.kind == Number::Kind::floating)
            return number(std::fmod(x.as_f64(), y.as_f64()), promoted(x, y));
        // The result of `%` has the sign of the divisor. The code below adjusts the remainder, so that it has the sign
        // of the dividend.
        const Number rest = known_binary(BinaryOp::remainder, x, y, a.span);
        const bool turned = rest.dtype != DType::u64 && rest.i != 0 && (rest.i < 0) != (x.i < 0);
        return turned ? known_binary(BinaryOp::subtract, rest, y, a.span) : rest;
    }
    return s.array_work(a.span, [&] {
        Promoted type{};
        const auto in = aligned(s, {a[0], a[1]}, a.span, &type);
        const ir::Value rem = s.build().binary(Op::rem, in[0], in[1]);
        if (runtime::is_integer(type.dtype)) check_divisor(s.build(), in[1], rem);
        return s.wrap(rem, type.weak);
    });
}

/// The function lax.div. Floats are divided as by `/`. Quotients of integers are rounded towards zero.
Value div(Stager& s, Arguments& a) {
    for (const std::size_t i : {0U, 1U}) need_numeric(a[i], a.spans[i], "`div`");
    if (runtime::is_inexact(promoted_type({a[0], a[1]}, a.span).dtype))
        return binary(s, BinaryOp::divide, a[0], a[1], a.span);
    const Value rest = fmod(s, a);
    return binary(s, BinaryOp::floor_divide, binary(s, BinaryOp::subtract, a[0], rest, a.span), a[1], a.span);
}

// ---- logic and bits

template <BinaryOp op>
Value logical(Stager& s, Arguments& a) {
    need_both(a, "a logical function");
    return binary(s, op, truth(s, a[0], a.span), truth(s, a[1], a.span), a.span);
}

/// A logical or an arithmetic right shift. The IR operation is logical for unsigned dtypes and arithmetic for signed
/// dtypes. For the other kind of shift, the operands are bitcast to the dtype with the other signedness.
template <bool logical_shift>
Value shift_right(Stager& s, Arguments& a) {
    need_both(a, "a shift");
    return s.array_work(a.span, [&] {
        Promoted type{};
        const auto in = aligned(s, {a[0], a[1]}, a.span, &type);
        if (!runtime::is_integer(type.dtype))
            raise(diagnose(Diag::operator_kind, a.span, ">>", describe(a[0]), describe(a[1])));
        auto& b = s.build();
        const bool is_signed = runtime::is_signed_integer(type.dtype);
        if (is_signed != logical_shift) return s.wrap(b.binary(Op::shift_right, in[0], in[1]), type.weak);
        constexpr DType pairs[][2] = {
            {DType::i8, DType::u8}, {DType::i16, DType::u16}, {DType::i32, DType::u32}, {DType::i64, DType::u64}};
        const DType other = pairs[std::countr_zero(runtime::size_of(type.dtype))][is_signed ? 1 : 0];
        const auto as = [&](ir::Value v, DType dtype) { return b.emit1(Op::bitcast, {v}, {{ir::Attr::dtype, dtype}}); };
        return s.wrap(as(b.binary(Op::shift_right, as(in[0], other), as(in[1], other)), type.dtype), type.weak);
    });
}

// ---- choices

/// Selects one of two real numbers, and converts the selected number to the common dtype of both.
Value choose_number(Stager& s, const Value& condition, const Number& x, const Number& y) {
    const Number& taken = condition.number()->as_c128() != 0.0 ? x : y;
    const Promoted type = promoted(x, y);
    if (!type.weak) return chosen(s, condition, converted(taken, type.dtype));
    if (x.kind != Number::Kind::floating && y.kind != Number::Kind::floating) { // bools count as integers
        Number integer = taken;
        integer.kind = Number::Kind::integer;
        return chosen(s, condition, with_type(integer, type));
    }
    const Number made = number(taken.as_f64(), type);
    // If a number is a 64-bit integer, a float that compiled code computes also has 64 bits.
    if (made.wide && is_computed(condition) && !known_in_code(s, condition)) return {made.array(type.dtype), true};
    return chosen(s, condition, made);
}

Value choose(Stager& s, const Value& condition, const Value& x, const Value& y, Span span) {
    if (condition.number() && x.real_number() && y.real_number())
        return choose_number(s, condition, *x.number(), *y.number());
    return s.array_work(span, [&] {
        Promoted type{};
        const auto in = aligned(s, {x, y}, span, &type);
        auto& b = s.build();
        const Value test = truth(s, condition, span);
        const Shape& sides = b.shape(in[0]);
        const Shape& other = numeric_type(test).type.shape;
        const auto shape = ops::broadcast_shapes(sides, other);
        if (!shape) raise(no_broadcast(span, other, sides).note("the first shape is the condition's"));
        return s.wrap(
            b.select(b.broadcast_to(s.use(test), *shape), b.broadcast_to(in[0], *shape), b.broadcast_to(in[1], *shape)),
            type.weak);
    });
}

Value where(Stager& s, Arguments& a) {
    need_numeric(a[0], a.spans[0], "`where`");
    if (!a.given[1] && !a.given[2]) return nonzero(s, a[0], a[3], a[4], "where", a.span);
    if (!a.given[1] || !a.given[2])
        raise(diagnose(Diag::wrong_argument_count, a.span, "where", "a condition, or a condition and both values", 2)
                  .fix("give both: where(condition, x, y)"));
    need_array(a[1], a.spans[1], "`where`");
    need_array(a[2], a.spans[2], "`where`");
    return choose(s, a[0], a[1], a[2], a.span);
}

/// The functions lax.select(condition, x, y) and jnp.select(conditions, values, default). jnp.select returns the value
/// of the first true condition. The form of the call distinguishes the two functions. If the conditions or the values
/// are a tuple, if `default` is given, or if there are two arguments, the call is jnp.select.
Value select(Stager& s, Arguments& a) {
    if (a.given[2] && a.given[3])
        raise(diagnose(Diag::wrong_argument_count, a.spans[3], "select", "`y` or `default`", "both")
                  .fix("one condition: select(c, x, y); several: select((c, ...), (x, ...), default=y)"));
    const bool several = a[0].tuple() || a[1].tuple() || a.given[3] || !a.given[2];
    const auto rows = [](const Value& v) { return v.is_numeric() && numeric_type(v).type.rank() > 0; };
    if (several && !a[0].tuple() && !rows(a[0]))
        raise(diagnose(Diag::wrong_kind, a.spans[0], "`select`",
                       "several conditions here, a tuple or the rows of an array", describe(a[0]))
                  .fix("of one condition: select(c, x, y)"));
    if (several &&
        (rows(a[0]) ||
         rows(a[1]))) { // several conditions or values in square brackets are one array with one row for each of them
        Arguments apart = a;
        for (const std::size_t i : {0U, 1U})
            if (rows(a[i])) apart.values[i] = Value::tuple(spread(s, a[i], a.spans[i]));
        return select(s, apart);
    }
    if (!several) {
        need_numeric(a[0], a.spans[0], "`select`");
        need_array(a[1], a.spans[1], "`select`");
        need_array(a[2], a.spans[2], "`select`");
        // jnp.select([c, d], [x, y], 0.0) with its lists in square brackets has this form too, but other shapes.
        if (rows(a[0]) && numeric_type(a[1]).type.shape != numeric_type(a[2]).type.shape)
            raise(diagnose(Diag::wrong_kind, a.spans[2], "`select` of arrays", "two values of one shape",
                           fmt::format("{} and {}", describe(a[1]), describe(a[2])))
                      .fix("one condition for each element: where(c, x, y)")
                      .fix("several conditions: select((c, d), (x, y), default=z)"));
        return choose(s, a[0], a[1], a[2], a.span);
    }
    if (!a[1].tuple() || a[1].tuple()->items.size() != a[0].tuple()->items.size())
        raise(diagnose(Diag::wrong_kind, a.spans[1], "`select`", "as many values as conditions", describe(a[1])));
    Value result = a[a.given[3] ? 3 : 2];
    for (std::size_t i = a[0].tuple()->items.size(); i-- > 0;)
        result = choose(s, need_numeric(a[0].tuple()->items[i], a.spans[0], "`select`"),
                        need_array(a[1].tuple()->items[i], a.spans[1], "`select`"),
                        need_array(result, a.spans[2], "`select`"), a.span);
    return result;
}

/// The function lax.select_n. An index below 0 selects the first case, and an index that is too large selects the last
/// case.
Value select_n(Stager& s, Arguments& a) {
    const std::vector<Value>& cases = a[1].tuple()->items;
    if (cases.empty())
        raise(diagnose(Diag::wrong_argument_count, a.span, "select_n", "a condition and one case at least", 1));
    need_numeric(a[0], a.spans[0], "`select_n`");
    if (runtime::is_inexact(numeric_type(a[0]).type.dtype))
        raise(diagnose(Diag::wrong_kind, a.spans[0], "`select_n`", "a bool or an integer", describe(a[0])));
    Value result = need_array(cases[0], a.spans[1], "`select_n`");
    for (std::size_t i = 1; i < cases.size(); ++i) {
        const Value first = Value::integer(static_cast<std::int64_t>(i));
        const Value later = i == 1 && numeric_type(a[0]).type.dtype == DType::b1
                                ? a[0]
                                : binary(s, BinaryOp::greater_equal, a[0], first, a.spans[0]);
        result = choose(s, later, need_array(cases[i], a.spans[1], "`select_n`"), result, a.span);
    }
    return result;
}

using K = Native::Kind;
constexpr Native binary_natives[] = {
    {"add", "x, y", K::known, operation<BinaryOp::add>, "add(x, y): x + y."},
    {"subtract", "x, y", K::known, operation<BinaryOp::subtract>, "subtract(x, y): x - y."},
    {"sub", "x, y", K::known, operation<BinaryOp::subtract>, "sub(x, y): x - y."},
    {"multiply", "x, y", K::known, operation<BinaryOp::multiply>, "multiply(x, y): x * y."},
    {"mul", "x, y", K::known, operation<BinaryOp::multiply>, "mul(x, y): x * y."},
    {"divide", "x, y", K::known, operation<BinaryOp::divide>, "divide(x, y): x / y, a float."},
    {"true_divide", "x, y", K::known, operation<BinaryOp::divide>, "true_divide(x, y): x / y, a float."},
    {"floor_divide", "x, y", K::known, operation<BinaryOp::floor_divide>, "floor_divide(x, y): x // y."},
    {"div", "x, y", K::known, div, "div(x, y): the quotient; of integers rounded to zero."},
    {"mod", "x, y", K::known, operation<BinaryOp::remainder>, "mod(x, y): x % y, with the sign of y."},
    {"remainder", "x, y", K::known, operation<BinaryOp::remainder>, "remainder(x, y): x % y, with the sign of y."},
    {"fmod", "x, y", K::known, fmod, "fmod(x, y): the remainder with the sign of x."},
    {"rem", "x, y", K::known, fmod, "rem(x, y): the remainder with the sign of x."},
    {"power", "x, y", K::known, operation<BinaryOp::power>, "power(x, y): x ** y."},
    {"pow", "x, y", K::known, operation<BinaryOp::power>, "pow(x, y): x ** y."},
    {"float_power", "x, y", K::known, real_binary<one_instruction<Op::pow>, known_pow>,
     "float_power(x, y): x ** y in floats."},
    {"maximum", "x, y", K::known, extremum<true>, "maximum(x, y): the greater of each pair; NaN when either is."},
    {"minimum", "x, y", K::known, extremum<false>, "minimum(x, y): the lesser of each pair; NaN when either is."},
    {"clip", "x, min=none, max=none", K::known, clip,
     "clip(x, min, max): x, no less than min and no more than max; broadcasts, NaN stays. "
     "A bound that is written must fit the dtype."},
    {"fmax", "x, y", K::known, extremum_of_numbers<true>, "fmax(x, y): the greater of each pair; a NaN gives way."},
    {"fmin", "x, y", K::known, extremum_of_numbers<false>, "fmin(x, y): the lesser of each pair; a NaN gives way."},
    {"clamp", "low, x, high", K::known, clamp, "clamp(low, x, high): x, at least low and at most high."},
    {"arctan2", "y, x", K::known, real_binary<one_instruction<Op::atan2>, known_atan2>,
     "arctan2(y, x): the angle of the point (x, y) in -pi..pi."},
    {"atan2", "y, x", K::known, real_binary<one_instruction<Op::atan2>, known_atan2>,
     "atan2(y, x): the angle of the point (x, y) in -pi..pi."},
    {"nextafter", "x, y", K::known, nextafter, "nextafter(x, y): the float next to x in the direction of y."},
    {"logaddexp", "x, y", K::known, real_binary<logaddexp, known_logaddexp>,
     "logaddexp(x, y): log(exp(x) + exp(y)) without overflow."},
    {"hypot", "x, y", K::known, real_binary<hypot, known_hypot>,
     "hypot(x, y): sqrt(x ** 2 + y ** 2) without overflow."},
    {"copysign", "x, y", K::known, real_binary<copysign, known_copysign>, "copysign(x, y): x with the sign of y."},
    {"logical_and", "x, y", K::known, logical<BinaryOp::logical_and>,
     "logical_and(x, y): true where both are true or not zero."},
    {"logical_or", "x, y", K::known, logical<BinaryOp::logical_or>,
     "logical_or(x, y): true where one is true or not zero."},
    {"logical_xor", "x, y", K::known, logical<BinaryOp::bit_xor>,
     "logical_xor(x, y): true where exactly one is true or not zero."},
    {"bitwise_and", "x, y", K::known, operation<BinaryOp::bit_and>, "bitwise_and(x, y): x & y."},
    {"bitwise_or", "x, y", K::known, operation<BinaryOp::bit_or>, "bitwise_or(x, y): x | y."},
    {"bitwise_xor", "x, y", K::known, operation<BinaryOp::bit_xor>, "bitwise_xor(x, y): x ^ y."},
    {"left_shift", "x, n", K::known, operation<BinaryOp::shift_left>, "left_shift(x, n): x << n."},
    {"bitwise_left_shift", "x, n", K::known, operation<BinaryOp::shift_left>, "bitwise_left_shift(x, n): x << n."},
    {"shift_left", "x, n", K::known, operation<BinaryOp::shift_left>, "shift_left(x, n): x << n."},
    {"right_shift", "x, n", K::known, operation<BinaryOp::shift_right>,
     "right_shift(x, n): x >> n; the sign bit is repeated."},
    {"bitwise_right_shift", "x, n", K::known, operation<BinaryOp::shift_right>, "bitwise_right_shift(x, n): x >> n."},
    {"shift_right_arithmetic", "x, n", K::known, shift_right<false>,
     "shift_right_arithmetic(x, n): the sign bit is repeated."},
    {"shift_right_logical", "x, n", K::known, shift_right<true>, "shift_right_logical(x, n): zeros come in."},
    {"equal", "x, y", K::known, operation<BinaryOp::equal>, "equal(x, y): x == y."},
    {"eq", "x, y", K::known, operation<BinaryOp::equal>, "eq(x, y): x == y."},
    {"not_equal", "x, y", K::known, operation<BinaryOp::not_equal>, "not_equal(x, y): x != y."},
    {"ne", "x, y", K::known, operation<BinaryOp::not_equal>, "ne(x, y): x != y."},
    {"less", "x, y", K::known, operation<BinaryOp::less>, "less(x, y): x < y."},
    {"lt", "x, y", K::known, operation<BinaryOp::less>, "lt(x, y): x < y."},
    {"less_equal", "x, y", K::known, operation<BinaryOp::less_equal>, "less_equal(x, y): x <= y."},
    {"le", "x, y", K::known, operation<BinaryOp::less_equal>, "le(x, y): x <= y."},
    {"greater", "x, y", K::known, operation<BinaryOp::greater>, "greater(x, y): x > y."},
    {"gt", "x, y", K::known, operation<BinaryOp::greater>, "gt(x, y): x > y."},
    {"greater_equal", "x, y", K::known, operation<BinaryOp::greater_equal>, "greater_equal(x, y): x >= y."},
    {"ge", "x, y", K::known, operation<BinaryOp::greater_equal>, "ge(x, y): x >= y."},
    {"where", "condition, x=none, y=none, size=none, fill_value=none", K::known, where,
     "where(c, x, y): x where c is true (or not zero), else y. where(c): as nonzero(c).", Native::chooses},
    {"select", "condition, x, y=0, default=0", K::known, select,
     "select(c, x, y): x where c is true, else y. select((c, ...), (x, ...), default): the first whose condition "
     "holds; with `default=` the rows of arrays, too.",
     Native::chooses},
    {"select_n", "which, *cases", K::known, select_n,
     "select_n(which, *cases): the element of case number `which`; a bool takes the second case where it is true.",
     Native::chooses},
};

} // namespace

std::span<const Native> binary() { return binary_natives; }

} // namespace pm::stage::library
