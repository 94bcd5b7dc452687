#include "tests/gpu/driver/numbers.hpp"
#include "tests/gpu/driver/operations.hpp"

#include <array>

namespace pm::ptx {
namespace {

template <class T>
constexpr bool is_half = std::is_same_v<T, F16> || std::is_same_v<T, BF16>;

/// Arithmetic of 16-bit floats in f64, rounded once: an f64 has more than twice their bits.
template <class T, class F>
T by_double(F f, T a, T b) {
    return from_double<T>(f(to_double(a), to_double(b)));
}

struct Add {
    template <class T>
    static T of(T a, T b) {
        if constexpr (is_half<T>)
            return by_double([](double x, double y) { return x + y; }, a, b);
        else
            return canonical(a + b);
    }
};
struct Sub {
    template <class T>
    static T of(T a, T b) {
        if constexpr (is_half<T>)
            return by_double([](double x, double y) { return x - y; }, a, b);
        else
            return canonical(a - b);
    }
};
struct Mul {
    template <class T>
    static T of(T a, T b) {
        if constexpr (is_half<T>)
            return by_double([](double x, double y) { return x * y; }, a, b);
        else
            return canonical(a * b);
    }
};
struct Div {
    template <class T>
    static T of(T a, T b) {
        return canonical(a / b);
    }
};
struct Fma {
    template <class T>
    static T of(T a, T b, T c) {
        if constexpr (is_half<T>)
            return from_double<T>(fma_to_odd(to_double(a), to_double(b), to_double(c)));
        else
            return canonical(std::fma(a, b, c));
    }
};
struct Sqrt {
    template <class T>
    static T of(T a) {
        return canonical(std::sqrt(a));
    }
};
struct Reciprocal {
    template <class T>
    static T of(T a) {
        return canonical(T{1} / a);
    }
};

template <class T>
bool nan(T a) {
    if constexpr (is_half<T>)
        return std::isnan(to_double(a));
    else
        return a != a;
}
template <class T>
T quiet() {
    if constexpr (is_half<T>)
        return {0x7FFF};
    else if constexpr (std::is_same_v<T, float>)
        return std::bit_cast<float>(0x7FFF'FFFFU);
    else
        return std::bit_cast<double>(0x7FF8'0000'0000'0000ULL);
}
template <class T>
auto bits_of(T a) {
    if constexpr (is_half<T>)
        return a.bits;
    else if constexpr (std::is_same_v<T, float>)
        return std::bit_cast<std::uint32_t>(a);
    else
        return std::bit_cast<std::uint64_t>(a);
}
template <class T, class B>
T of_bits(B bits) {
    if constexpr (is_half<T>)
        return {static_cast<std::uint16_t>(bits)};
    else
        return std::bit_cast<T>(bits);
}
template <class T>
auto sign_bit() {
    using B = decltype(bits_of(T{}));
    return static_cast<B>(B{1} << (8 * sizeof(T) - 1));
}
/// Whether a is less than b, where -0 is less than +0.
template <class T>
bool less(T a, T b) {
    const double x = to_double(a), y = to_double(b);
    return x != y ? x<y : (bits_of(a) & sign_bit<T>())>(bits_of(b) & sign_bit<T>());
}

template <bool greatest, bool nans>
struct Extreme {
    template <class T>
    static T of(T a, T b) {
        if (nan(a) || nan(b)) return nans || (nan(a) && nan(b)) ? quiet<T>() : nan(a) ? b : a;
        return less(a, b) != greatest ? a : b;
    }
};
struct Neg {
    template <class T>
    static T of(T a) {
        return of_bits<T>(static_cast<decltype(bits_of(a))>(bits_of(a) ^ sign_bit<T>()));
    }
};
struct Abs {
    template <class T>
    static T of(T a) {
        return of_bits<T>(static_cast<decltype(bits_of(a))>(bits_of(a) & ~sign_bit<T>()));
    }
};
struct Copysign { // the sign of the first operand on the second one
    template <class T>
    static T of(T a, T b) {
        return of_bits<T>(
            static_cast<decltype(bits_of(a))>((bits_of(b) & ~sign_bit<T>()) | (bits_of(a) & sign_bit<T>())));
    }
};

/// Flushes subnormal numbers to zero with their sign.
struct Flush {
    template <class T>
    static T of(T a) {
        const double least = is_half<T> ? (std::is_same_v<T, F16> ? 0x1p-14 : 0x1p-126) : 0x1p-126;
        return std::fabs(to_double(a)) < least
                   ? of_bits<T>(static_cast<decltype(bits_of(a))>(bits_of(a) & sign_bit<T>()))
                   : a;
    }
};
struct Saturate {
    template <class T>
    static T of(T a) {
        const double x = to_double(a);
        return x > 0 ? (x < 1 ? a : from_double<T>(1)) : from_double<T>(0);
    }
};
struct Relu {
    template <class T>
    static T of(T a) {
        return nan(a) ? quiet<T>() : to_double(a) > 0 ? a : from_double<T>(0);
    }
};

// The approximations are correctly rounded values.
struct Rsqrt {
    template <class T>
    static T of(T a) {
        return canonical(static_cast<T>(1 / std::sqrt(static_cast<double>(a))));
    }
};
struct Sin {
    static float of(float a) { return canonical(static_cast<float>(std::sin(static_cast<double>(a)))); }
};
struct Cos {
    static float of(float a) { return canonical(static_cast<float>(std::cos(static_cast<double>(a)))); }
};
struct Lg2 {
    static float of(float a) { return canonical(static_cast<float>(std::log2(static_cast<double>(a)))); }
};
struct Ex2 {
    template <class T>
    static T of(T a) {
        if constexpr (is_half<T>)
            return from_double<T>(std::exp2(to_double(a)));
        else
            return canonical(static_cast<float>(std::exp2(static_cast<double>(a))));
    }
};
struct Tanh {
    template <class T>
    static T of(T a) {
        if constexpr (is_half<T>)
            return from_double<T>(std::tanh(to_double(a)));
        else
            return canonical(static_cast<float>(std::tanh(static_cast<double>(a))));
    }
};

template <class T, class Op, int sources>
I rounded(Slot* r, I i, Thread&) {
    volatile T a = get<T>(r, i->a), b = get<T>(r, i->b), c = get<T>(r, i->c), made{};
    {
        const RoundingMode mode(static_cast<Rounding>(i->offset));
        if constexpr (sources == 1) made = Op::of(static_cast<T>(a));
        if constexpr (sources == 2) made = Op::of(static_cast<T>(a), static_cast<T>(b));
        if constexpr (sources == 3) made = Op::of(static_cast<T>(a), static_cast<T>(b), static_cast<T>(c));
    }
    set(r, i->d, static_cast<T>(made));
    return i + 1;
}

template <class T, class Op, int sources>
I packed(Slot* r, I i, Thread&) {
    using Pair = std::array<T, 2>;
    const auto a = get<Pair>(r, i->a), b = get<Pair>(r, i->b), c = get<Pair>(r, i->c);
    Pair made;
    for (std::size_t n = 0; n < 2; ++n) {
        if constexpr (sources == 1) made[n] = Op::of(a[n]);
        if constexpr (sources == 2) made[n] = Op::of(a[n], b[n]);
        if constexpr (sources == 3) made[n] = Op::of(a[n], b[n], c[n]);
    }
    set(r, i->d, std::bit_cast<std::uint32_t>(made));
    return i + 1;
}

/// For processors with an fma instruction.
template <class T>
PM_WITH_FMA I hardware_fma(Slot* r, I i, Thread&) {
    T a, b, c;
    __builtin_memcpy(&a, r + i->a, sizeof a);
    __builtin_memcpy(&b, r + i->b, sizeof b);
    __builtin_memcpy(&c, r + i->c, sizeof c);
    T made;
    if constexpr (sizeof(T) == 4) {
        made = __builtin_fmaf(a, b, c);
        if (made != made) made = __builtin_bit_cast(float, 0x7FFF'FFFFU);
    } else {
        made = __builtin_fma(a, b, c);
    }
    Slot bits = 0;
    __builtin_memcpy(&bits, &made, sizeof made);
    r[i->d] = bits;
    return i + 1;
}

template <class T, class Op, int sources>
constexpr Handler plain() {
    if constexpr (sources == 1) return unary<T, Op>;
    if constexpr (sources == 2) return binary<T, Op>;
    if constexpr (sources == 3) return ternary<T, Op>;
}

/// The modifiers of float operations, and their effect on operands.
struct Form {
    Rounding rounding = Rounding::nearest;
    bool flush = false;
    bool saturate = false;
    bool relu = false;
    Type type = Type::none;
};

Form take_form(Body& b) {
    Form form;
    form.rounding = static_cast<Rounding>(b.take_one_of({"rn", "rz", "rm", "rp"}, 0));
    form.flush = b.take("ftz");
    form.saturate = b.take("sat");
    form.relu = b.take("relu");
    form.type = b.take_type();
    return form;
}

template <class Op>
Handler one_of(Type type) {
    switch (type) {
    case Type::f32: return unary<float, Op>;
    case Type::f64: return unary<double, Op>;
    case Type::f16: return unary<F16, Op>;
    case Type::bf16: return unary<BF16, Op>;
    case Type::f16x2: return packed<F16, Op, 1>;
    case Type::bf16x2: return packed<BF16, Op, 1>;
    default: return nullptr;
    }
}

/// Flushes the sources and the result, and saturates the result.
void emit_form(Body& b, Handler handler, const Form& form, std::size_t sources) {
    if (!handler) b.error("not for this type");
    b.expect_operands(sources + 1, sources + 1);
    std::uint32_t at[3] = {};
    for (std::size_t n = 0; n < sources; ++n) {
        at[n] = b.source(n + 1, form.type);
        if (!form.flush) continue;
        const std::uint32_t flushed = b.temporary();
        b.emit(one_of<Flush>(form.type), flushed, at[n]);
        at[n] = flushed;
    }
    const std::uint32_t d = b.destination(0);
    b.emit(handler, d, at[0], at[1], at[2]).offset = static_cast<std::int64_t>(form.rounding);
    if (form.flush) b.emit(one_of<Flush>(form.type), d, d);
    if (form.saturate) b.emit(one_of<Saturate>(form.type), d, d);
    if (form.relu) b.emit(one_of<Relu>(form.type), d, d);
}

template <class Op, int sources>
Handler wide(const Form& form) {
    const bool nearest = form.rounding == Rounding::nearest;
    if (form.type == Type::f32) return nearest ? plain<float, Op, sources>() : rounded<float, Op, sources>;
    if (form.type == Type::f64) return nearest ? plain<double, Op, sources>() : rounded<double, Op, sources>;
    return nullptr;
}
template <class Op, int sources>
Handler any(const Form& form) {
    switch (form.rounding == Rounding::nearest ? form.type : Type::none) {
    case Type::f16: return plain<F16, Op, sources>();
    case Type::bf16: return plain<BF16, Op, sources>();
    case Type::f16x2: return packed<F16, Op, sources>;
    case Type::bf16x2: return packed<BF16, Op, sources>;
    default: return wide<Op, sources>(form);
    }
}

bool is_float_statement(const Body& b) {
    for (const auto word : b.current().modifiers)
        if (is_float(type_named(word))) return true;
    return false;
}
/// For names that integer operations have too.
template <Encoder floats>
bool if_float(Body& b) {
    if (!is_float_statement(b)) return false;
    floats(b);
    return true;
}

template <class Op>
void arithmetic(Body& b) {
    const Form form = take_form(b);
    emit_form(b, any<Op, 2>(form), form, 2);
}
void fma(Body& b) {
    const Form form = take_form(b);
    Handler handler = any<Fma, 3>(form);
    if (has_fma() && handler == plain<float, Fma, 3>()) handler = hardware_fma<float>;
    if (has_fma() && handler == plain<double, Fma, 3>()) handler = hardware_fma<double>;
    emit_form(b, handler, form, 3);
}
void divide(Body& b) {
    b.take("approx") || b.take("full");
    const Form form = take_form(b);
    emit_form(b, wide<Div, 2>(form), form, 2);
}
template <class Op>
void of_one(Body& b) {
    b.take("approx");
    const Form form = take_form(b);
    emit_form(b, wide<Op, 1>(form), form, 1);
}
template <class Op>
void approximate(Body& b) {
    b.take("approx");
    const Form form = take_form(b);
    emit_form(b, form.type == Type::f32 ? unary<float, Op> : nullptr, form, 1);
}
template <class Op>
void approximate_half(Body& b) {
    b.take("approx");
    const Form form = take_form(b);
    Handler handler = form.type == Type::f32 ? unary<float, Op> : nullptr;
    if (form.type == Type::f16) handler = unary<F16, Op>;
    if (form.type == Type::bf16) handler = unary<BF16, Op>;
    if (form.type == Type::f16x2) handler = packed<F16, Op, 1>;
    if (form.type == Type::bf16x2) handler = packed<BF16, Op, 1>;
    emit_form(b, handler, form, 1);
}
template <class Op>
void of_sign(Body& b) {
    const Form form = take_form(b);
    emit_form(b, one_of<Op>(form.type), form, 1);
}
template <bool greatest>
void extreme(Body& b) {
    const bool nans = b.take("NaN");
    const Form form = take_form(b);
    emit_form(b, nans ? any<Extreme<greatest, true>, 2>(form) : any<Extreme<greatest, false>, 2>(form), form, 2);
}

template <class T>
I testp(Slot* r, I i, Thread&) {
    const auto a = get<T>(r, i->a);
    const int c = std::fpclassify(a);
    bool made = false;
    switch (i->offset) {
    case 0: made = std::isfinite(a); break;
    case 1: made = c == FP_INFINITE; break;
    case 2: made = c != FP_NAN; break;
    case 3: made = c == FP_NAN; break;
    case 4: made = c == FP_NORMAL; break;
    default: made = c == FP_SUBNORMAL; break;
    }
    r[i->d] = made;
    return i + 1;
}
void test_property(Body& b) {
    const int which = b.take_one_of({"finite", "infinite", "number", "notanumber", "normal", "subnormal"}, -1);
    const Type type = b.take_type();
    if (which < 0 || (type != Type::f32 && type != Type::f64)) b.error("not for this type");
    b.emit(type == Type::f32 ? testp<float> : testp<double>, b.destination(0), b.source(1, type)).offset = which;
}

constexpr std::array operations = {
    Operation{"fma", fma},
    Operation{"sqrt", of_one<Sqrt>},
    Operation{"rcp", of_one<Reciprocal>},
    Operation{"rsqrt", of_one<Rsqrt>},
    Operation{"sin", approximate<Sin>},
    Operation{"cos", approximate<Cos>},
    Operation{"lg2", approximate<Lg2>},
    Operation{"ex2", approximate_half<Ex2>},
    Operation{"tanh", approximate_half<Tanh>},
    Operation{"copysign",
              [](Body& b) {
                  const Form form = take_form(b);
                  emit_form(b, wide<Copysign, 2>(form), form, 2);
              }},
    Operation{"testp", test_property},
};

struct Shared {
    std::string_view name;
    bool (*encode)(Body&);
};
constexpr std::array shared_names = {
    Shared{"add", if_float<arithmetic<Add>>}, Shared{"sub", if_float<arithmetic<Sub>>},
    Shared{"mul", if_float<arithmetic<Mul>>}, Shared{"mad", if_float<fma>},
    Shared{"div", if_float<divide>},          Shared{"neg", if_float<of_sign<Neg>>},
    Shared{"abs", if_float<of_sign<Abs>>},    Shared{"min", if_float<extreme<false>>},
    Shared{"max", if_float<extreme<true>>},
};

} // namespace

std::span<const Operation> float_operations() { return operations; }

bool encode_float(Body& body) {
    for (const Shared& shared : shared_names)
        if (shared.name == body.current().operation) return shared.encode(body);
    return false;
}

} // namespace pm::ptx
