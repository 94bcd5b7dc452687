#include "compiler/stage/known/known_arithmetic.hpp"

#include "compiler/base/check.hpp"
#include "compiler/base/diagnostic.hpp"
#include "compiler/base/python_format.hpp"
#include "compiler/ops/core/display_name.hpp"
#include "compiler/ops/core/overflow.hpp"
#include "compiler/stage/core/context.hpp"
#include "compiler/stage/known/operands.hpp"
#include "compiler/stage/values/promotion.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <functional>
#include <limits>
#include <type_traits>

namespace pm::stage {

using syntax::BinaryOp;

namespace {

bool is_bitwise(BinaryOp op) { return op >= BinaryOp::bit_or && op <= BinaryOp::shift_right; }

/// The number `value`. If `dtype` is given, the number is rounded to it.
template <class T>
Number number_in(T value, std::optional<DType> dtype) {
    return dtype ? rounded(Number::of(value), *dtype) : Number::of(value);
}

double floor_mod(double a, double b) {
    const double r = std::fmod(a, b);
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

/// The floor of a / b, computed from the remainder. The result of each step is rounded to the dtype, as in the array
/// operation.
double floor_quotient(double a, double b, std::optional<DType> dtype) {
    if (b == 0) return a / b;
    const auto in_dtype = [&](double x) { return number_in(x, dtype).f; };
    const double r = std::fmod(a, b);
    double q = in_dtype(in_dtype(a - r) / b);
    if (r != 0 && (r < 0) != (b < 0)) q = in_dtype(q - 1);
    return std::nearbyint(q);
}

/// The power `base ** n`, computed by repeated squaring, as in the array operation.
std::complex<double> whole_power(std::complex<double> base, std::int64_t n) {
    std::complex<double> made = 1;
    for (auto left = n < 0 ? 0 - static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n); left != 0; left >>= 1) {
        if ((left & 1) != 0) made *= base;
        base *= base;
    }
    return n < 0 ? 1.0 / made : made;
}

Number complex_result(BinaryOp op, const Number& a, const Number& b, std::optional<DType> dtype, Span span) {
    const std::complex<double> x = a.as_c128();
    const std::complex<double> y = b.as_c128();
    switch (op) {
    case BinaryOp::add: return number_in(x + y, dtype);
    case BinaryOp::subtract: return number_in(x - y, dtype);
    case BinaryOp::multiply: return number_in(x * y, dtype);
    case BinaryOp::divide: return number_in(x / y, dtype);
    case BinaryOp::power:
        return number_in(b.kind == Number::Kind::integer ? whole_power(x, b.i) : std::pow(x, y), dtype);
    default:
        raise(diagnose(Diag::operator_kind, span, syntax::spelling(op), describe(Value(a)), describe(Value(b)))
                  .fix("take real parts first: real(z), imag(z) or abs(z)"));
    }
}

Number float_result(BinaryOp op, double a, double b, std::optional<DType> dtype) {
    switch (op) {
    case BinaryOp::add: return number_in(a + b, dtype);
    case BinaryOp::subtract: return number_in(a - b, dtype);
    case BinaryOp::multiply: return number_in(a * b, dtype);
    case BinaryOp::divide: return number_in(a / b, dtype);
    case BinaryOp::floor_divide: return number_in(floor_quotient(a, b, dtype), dtype);
    case BinaryOp::remainder: return number_in(floor_mod(a, b), dtype);
    case BinaryOp::power: return number_in(std::pow(a, b), dtype);
    default: PM_UNREACHABLE();
    }
}

/// The result of an operator that depends on whether the integers are signed. `Int` is i64 or u64.
template <class Int>
Int signed_result(BinaryOp op, Int a, Int b) {
    constexpr bool with_sign = std::is_signed_v<Int>;
    switch (op) {
    case BinaryOp::floor_divide: {
        if (with_sign && b == static_cast<Int>(-1)) return static_cast<Int>(0 - static_cast<std::uint64_t>(a));
        const Int q = a / b;
        return with_sign && a % b != 0 && (a % b < 0) != (b < 0) ? q - 1 : q;
    }
    case BinaryOp::remainder: {
        if (with_sign && b == static_cast<Int>(-1)) return 0;
        const Int r = a % b;
        return with_sign && r != 0 && (r < 0) != (b < 0) ? r + b : r;
    }
    case BinaryOp::shift_right: {
        const bool beyond = b < 0 || b > 63;
        return beyond ? static_cast<Int>(a < 0 ? -1 : 0) : a >> b;
    }
    default: PM_UNREACHABLE();
    }
}

std::int64_t by_sign(BinaryOp op, std::int64_t a, std::int64_t b, std::optional<DType> dtype) {
    if (dtype == DType::u64)
        return static_cast<std::int64_t>(
            signed_result(op, static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)));
    return signed_result(op, a, b);
}

/// The power `a ** b`, computed by repeated squaring. Sets `overflow` to true if a product does not fit i64.
std::int64_t power(std::int64_t a, std::uint64_t b, bool& overflow) {
    std::int64_t result = 1;
    for (std::int64_t base = a; b > 0; b >>= 1) {
        if ((b & 1) != 0) overflow |= __builtin_mul_overflow(result, base, &result);
        if (b > 1) overflow |= __builtin_mul_overflow(base, base, &base);
    }
    return result;
}

Number power_result(std::int64_t a, std::int64_t b, std::optional<DType> dtype, Span span) {
    const bool negative = b < 0 && dtype != DType::u64;
    if (negative && !dtype) return Number::of(std::pow(static_cast<double>(a), static_cast<double>(b)));
    if (negative) raise(negative_power(describe(Value(number_in(a, dtype))), number_in(b, dtype), span));
    bool overflow = false;
    const std::int64_t result = power(a, static_cast<std::uint64_t>(b), overflow);
    if (overflow && !dtype) raise(diagnose(Diag::integer_overflow, span, "**", a, b));
    return number_in(result, dtype);
}

Number integer_result(BinaryOp op, std::int64_t a, std::int64_t b, std::optional<DType> dtype, Span span) {
    std::int64_t r = 0;
    bool overflow = false;
    switch (op) {
    case BinaryOp::add: overflow = __builtin_add_overflow(a, b, &r); break;
    case BinaryOp::subtract: overflow = __builtin_sub_overflow(a, b, &r); break;
    case BinaryOp::multiply: overflow = __builtin_mul_overflow(a, b, &r); break;
    case BinaryOp::floor_divide:
    case BinaryOp::remainder:
        if (b == 0)
            raise(diagnose(Diag::division_by_zero, span,
                           dtype ? "division of an integer by zero"
                                 : fmt::format("division of the integer {} by zero", a))
                      .fix(nonzero_divisor()));
        overflow = op == BinaryOp::floor_divide && b == -1 && a == std::numeric_limits<std::int64_t>::min();
        r = by_sign(op, a, b, dtype);
        break;
    case BinaryOp::power: return power_result(a, b, dtype, span);
    case BinaryOp::bit_or: r = a | b; break;
    case BinaryOp::bit_xor: r = a ^ b; break;
    case BinaryOp::bit_and: r = a & b; break;
    case BinaryOp::shift_left: {
        const bool beyond = b < 0 || b >= (dtype ? static_cast<std::int64_t>(runtime::size_of(*dtype)) * 8 : 64);
        r = beyond ? 0 : static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << b);
        overflow = a != 0 && (beyond || (r >> b) != a);
        break;
    }
    case BinaryOp::shift_right: r = by_sign(op, a, b, dtype); break;
    default: PM_UNREACHABLE();
    }
    if (overflow && !dtype) raise(diagnose(Diag::integer_overflow, span, syntax::spelling(op), a, b));
    return number_in(r, dtype);
}

/// The result of an operator on two integers. At least one of them is a computed number. Addition, subtraction and
/// multiplication use all 64 bits. The lower 32 bits of their result are equal to the i32 result of compiled code. The
/// other operators depend on the sign, so they are computed in the dtype of compiled code.
Number computed_result(BinaryOp op, const Number& a, const Number& b, Span span) {
    constexpr auto lower = [](auto f, std::int64_t x, std::int64_t y) {
        return static_cast<std::int64_t>(f(static_cast<std::uint64_t>(x), static_cast<std::uint64_t>(y)));
    };
    Number made;
    made.computed_from(a, b);
    switch (op) {
    case BinaryOp::add: made.i = lower(std::plus<>(), a.i, b.i); break;
    case BinaryOp::subtract: made.i = lower(std::minus<>(), a.i, b.i); break;
    case BinaryOp::multiply: made.i = lower(std::multiplies<>(), a.i, b.i); break;
    default: made.i = integer_result(op, a.data(), b.data(), made.default_dtype(), span).i;
    }
    return made;
}

template <class T>
bool compared(BinaryOp op, T x, T y) {
    switch (op) {
    case BinaryOp::equal: return x == y;
    case BinaryOp::not_equal: return x != y;
    case BinaryOp::less: return x < y;
    case BinaryOp::less_equal: return x <= y;
    case BinaryOp::greater: return x > y;
    case BinaryOp::greater_equal: return x >= y;
    default: PM_UNREACHABLE();
    }
}

/// `dtype` is the dtype to which both operands are converted. It is empty if the operands are not converted. They are
/// not converted if both are weak or bools, and the result is not a computed float.
struct Common {
    std::optional<DType> dtype;
    Promoted type; ///< type of the result; it is also weak if the operands are an i32 and a weak float
};
Common common_dtype(const Number& a, const Number& b) {
    const Promoted p = promote(a.default_dtype(), a.weak(), b.default_dtype(), b.weak());
    const auto typed = [](const Number& n) { return !n.weak() && n.kind != Number::Kind::boolean; };
    if (p.dtype == DType::b1) return {{}, {DType::i32, true}};
    if (!typed(a) && !typed(b) && p.weak) {
        const bool rounds = (a.computed || b.computed) && runtime::is_inexact(p.dtype);
        return {rounds ? std::optional(p.dtype) : std::nullopt, p};
    }
    return {p.dtype, p};
}

/// Raises if `n` is an integer literal that does not fit i32, and `other` is a computed integer. In compiled code the
/// literal would be an i32.
void require_fits_beside(const Number& n, const Number& other, Span span) {
    if (other.computed && !other.wide && !n.computed) require_fits(n, DType::i32, span);
}

Number taken(const Number& n, std::optional<DType> dtype, Span span) {
    if (!dtype) return n;
    require_fits(n, *dtype, span);
    return rounded(n, *dtype);
}

/// Whether `a` and `b` are integers or floats without a dtype, and are not marked as computed or wide. Most numbers in
/// the statements of a module are such numbers. Arithmetic on such numbers needs no promotion, so the operators first
/// test for them.
bool are_plain(const Number& a, const Number& b) {
    const auto plain = [](const Number& n) {
        const bool real = n.kind == Number::Kind::integer || n.kind == Number::Kind::floating;
        return real && n.weak() && !n.computed && !n.wide;
    };
    return plain(a) && plain(b);
}

bool has_float(const Number& a, const Number& b) {
    return a.kind == Number::Kind::floating || b.kind == Number::Kind::floating;
}

} // namespace

std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return signed_result(BinaryOp::floor_divide, a, b); }

Number rounded(const Number& n, DType dtype) {
    alignas(std::complex<double>) std::array<std::byte, sizeof(std::complex<double>)> scalar;
    if (n.dtype == DType::u64 && runtime::is_float(dtype))
        runtime::write_f64(dtype, scalar.data(), 0, n.as_f64());
    else
        n.write(dtype, scalar.data());
    Number made;
    made.dtype = dtype;
    if (runtime::is_float(dtype)) {
        made.kind = Number::Kind::floating;
        made.f = runtime::read_f64(dtype, scalar.data(), 0);
    } else if (runtime::is_complex(dtype)) {
        made.kind = Number::Kind::complex;
        const std::complex<double> z = runtime::read_c128(dtype, scalar.data(), 0);
        made.f = z.real();
        made.imaginary = z.imag();
    } else if (dtype == DType::b1) {
        made.kind = Number::Kind::boolean;
        made.i = runtime::read_bool(dtype, scalar.data(), 0) ? 1 : 0;
    } else {
        made.kind = Number::Kind::integer;
        made.i = runtime::read_i64(dtype, scalar.data(), 0);
    }
    return made;
}

Number with_type(Number n, Promoted type) {
    if (!type.weak) return rounded(n, type.dtype);
    n.dtype.reset();
    n.wide = is_wide(type.dtype);
    return n;
}

bool known_compare(BinaryOp op, const Number& a, const Number& b, Span span) {
    if (are_plain(a, b)) return has_float(a, b) ? compared(op, a.as_f64(), b.as_f64()) : compared(op, a.i, b.i);
    if (a.is_complex() || b.is_complex()) {
        if (op != BinaryOp::equal && op != BinaryOp::not_equal)
            raise(diagnose(Diag::operator_kind, span, syntax::spelling(op), describe(Value(a)), describe(Value(b)))
                      .fix("complex numbers have no order: take abs(z), real(z) or imag(z)"));
        const std::optional<DType> dtype = common_dtype(a, b).dtype;
        const bool same = taken(a, dtype, span).as_c128() == taken(b, dtype, span).as_c128();
        return same == (op == BinaryOp::equal);
    }
    const std::optional<DType> dtype = common_dtype(a, b).dtype;
    const Number x = taken(a, dtype, span);
    const Number y = taken(b, dtype, span);
    require_fits_beside(x, y, span);
    require_fits_beside(y, x, span);
    if (has_float(x, y)) return compared(op, x.as_f64(), y.as_f64());
    if (dtype == DType::u64) return compared(op, static_cast<std::uint64_t>(x.i), static_cast<std::uint64_t>(y.i));
    return compared(op, x.data(), y.data());
}

Number known_binary(BinaryOp op, const Number& a, const Number& b, Span span) {
    const bool computed = a.computed || b.computed;
    const auto boolean = [&](bool value) {
        Number made = Number::of(value);
        made.computed_from(a, b);
        return made;
    };
    if (is_comparison(op)) return boolean(known_compare(op, a, b, span));
    if (are_plain(a, b) && !is_bitwise(op)) {
        if (op == BinaryOp::divide || has_float(a, b)) return float_result(op, a.as_f64(), b.as_f64(), {});
        return integer_result(op, a.i, b.i, {}, span);
    }
    const bool bools = a.kind == Number::Kind::boolean && b.kind == Number::Kind::boolean;
    if (bools) { // these rules equal the rules for arrays of bools
        if (op == BinaryOp::bit_and || op == BinaryOp::multiply) return boolean((a.i & b.i) != 0);
        if (op == BinaryOp::bit_or || op == BinaryOp::add) return boolean((a.i | b.i) != 0);
        if (op == BinaryOp::bit_xor || op == BinaryOp::subtract) return boolean((a.i ^ b.i) != 0);
    }
    const Common common = common_dtype(a, b);
    std::optional<DType> dtype = common.dtype;
    Number x = taken(a, dtype, span);
    Number y = taken(b, dtype, span);
    const auto result = [&](Number made) {
        if (!common.type.weak) return made;
        made = with_type(made, common.type);
        if (!computed) return made;
        made = made.as_computed(made.wide);
        Number operands;
        operands.computed_from(a, b);
        made.specialised = made.computed && operands.specialised;
        return made;
    };
    if (a.is_complex() || b.is_complex())
        return result(complex_result(op, op == BinaryOp::power ? a : x, op == BinaryOp::power ? b : y, dtype, span));
    const bool floats = has_float(x, y);
    if (is_bitwise(op) && floats)
        raise(diagnose(Diag::operator_kind, span, syntax::spelling(op), "a float", "a number"));
    if (computed && !dtype && !floats) {
        require_fits_beside(x, y, span);
        require_fits_beside(y, x, span);
        if (op != BinaryOp::divide) return computed_result(op, x, y, span);
        dtype = promote(x.default_dtype(), x.weak(), y.default_dtype(), y.weak()).dtype;
    }
    if (op == BinaryOp::divide && !floats && dtype) {
        dtype = float_of(*dtype);
        x = rounded(x, *dtype);
        y = rounded(y, *dtype);
    }
    if (op == BinaryOp::divide || floats) return result(float_result(op, x.as_f64(), y.as_f64(), dtype));
    return result(integer_result(op, x.i, y.i, dtype, span));
}

namespace {

/// The number as a message shows it.
std::string shown(const Number& n) { return format_array(n.array(n.default_dtype())); }

} // namespace

void require_not_wrapped(BinaryOp op, const Number& a, const Number& b, const Number& made, Span span) {
    const bool wraps =
        op == BinaryOp::add || op == BinaryOp::subtract || op == BinaryOp::multiply || op == BinaryOp::power;
    if (!wraps || made.kind != Number::Kind::integer) return;
    const DType dtype = made.default_dtype();
    const Number exact = known_binary(op, Number::of(a.as_f64()), Number::of(b.as_f64()), span);
    if (ops::has_not_wrapped(exact.f, made.as_f64(), dtype)) return;
    const std::string name(syntax::spelling(op));
    raise(diagnose(Diag::wrapped_around, span,
                   fmt::format("`{}` wraps around: {}", name,
                               ops::as_written(name, std::vector<std::string>{shown(a), shown(b)})))
              .fix(ops::overflow_repair(ir::Op::add, dtype)));
}

void require_not_wrapped(const Number& n, DType dtype, Span span) {
    if (n.kind != Number::Kind::integer || !ops::may_wrap(n.default_dtype(), dtype)) return;
    if (ops::has_not_wrapped(n.as_f64(), rounded(n, dtype).as_f64(), dtype)) return;
    raise(diagnose(Diag::wrapped_around, span,
                   fmt::format("`{0}` wraps around: {0}({1})", runtime::name(dtype), shown(n)))
              .fix(ops::overflow_repair(ir::Op::convert, dtype)));
}

bool divides_by_zero(BinaryOp op, const Number& a, const Number& b) {
    const auto whole = [](const Number& n) { return n.kind != Number::Kind::floating && !n.is_complex(); };
    return (op == BinaryOp::floor_divide || op == BinaryOp::remainder) && whole(a) && whole(b) && b.i == 0;
}

Number known_negate(const Number& n, Span span) {
    if (n.kind == Number::Kind::floating || n.is_complex()) {
        Number made = n;
        made.f = -n.f;
        made.imaginary = -n.imaginary;
        return made;
    }
    if (n.computed) return computed_result(BinaryOp::subtract, Number::of(std::int64_t{0}), n, span);
    Number made = integer_result(BinaryOp::subtract, 0, n.i, n.dtype, span);
    made.wide = n.wide;
    return made;
}

Number known_bit_not(const Number& n) {
    Number made = n.kind == Number::Kind::boolean ? Number::of(n.i == 0) : number_in(~n.i, n.dtype);
    made.computed_from(n);
    return made;
}

} // namespace pm::stage
