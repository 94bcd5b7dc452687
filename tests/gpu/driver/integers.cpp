#include "tests/gpu/driver/operations.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace pm::ptx {
namespace {

template <class T>
using Unsigned = std::make_unsigned_t<T>;
/// A type in which products of T are exact.
template <class T>
struct Wider;
template <>
struct Wider<std::uint16_t> {
    using type = std::uint32_t;
};
template <>
struct Wider<std::int16_t> {
    using type = std::int32_t;
};
template <>
struct Wider<std::uint32_t> {
    using type = std::uint64_t;
};
template <>
struct Wider<std::int32_t> {
    using type = std::int64_t;
};
template <>
struct Wider<std::uint64_t> {
    __extension__ using type = unsigned __int128;
};
template <>
struct Wider<std::int64_t> {
    __extension__ using type = __int128;
};
template <class T>
using Wide = typename Wider<T>::type;

struct Add {
    template <class T>
    static T of(T a, T b) {
        return static_cast<T>(static_cast<Unsigned<T>>(a) + static_cast<Unsigned<T>>(b));
    }
};
struct Sub {
    template <class T>
    static T of(T a, T b) {
        return static_cast<T>(static_cast<Unsigned<T>>(a) - static_cast<Unsigned<T>>(b));
    }
};
template <class Op>
struct Saturated {
    static std::int32_t of(std::int32_t a, std::int32_t b) {
        const std::int64_t exact = Op::of(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b));
        return static_cast<std::int32_t>(std::clamp<std::int64_t>(exact, std::numeric_limits<std::int32_t>::min(),
                                                                  std::numeric_limits<std::int32_t>::max()));
    }
};
struct MulLo {
    template <class T>
    static T of(T a, T b) {
        return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
    }
};
struct MulWide {
    template <class T>
    static Wide<T> of(T a, T b) {
        return static_cast<Wide<T>>(static_cast<Wide<T>>(a) * b);
    }
};
struct MulHi {
    template <class T>
    static T of(T a, T b) {
        return static_cast<T>(MulWide::of(a, b) >> (8 * sizeof(T)));
    }
};
/// The 24 low bits, sign- or zero-extended.
template <class T>
T low24(T a) {
    return static_cast<T>(static_cast<T>(static_cast<std::uint32_t>(a) << 8) >> 8);
}
struct Mul24Lo {
    template <class T>
    static T of(T a, T b) {
        return MulLo::of(low24(a), low24(b));
    }
};
struct Mul24Hi {
    template <class T>
    static T of(T a, T b) {
        return static_cast<T>(MulWide::of(low24(a), low24(b)) >> 16);
    }
};
template <class Product>
struct Mad {
    template <class T>
    static T of(T a, T b, T c) {
        return Add::of(Product::of(a, b), c);
    }
};
template <class Product>
struct MadSaturated {
    static std::int32_t of(std::int32_t a, std::int32_t b, std::int32_t c) {
        return Saturated<Add>::of(Product::of(a, b), c);
    }
};
template <class T>
I mad_wide(Slot* r, I i, Thread&) {
    set(r, i->d, Add::of(MulWide::of(get<T>(r, i->a), get<T>(r, i->b)), get<Wide<T>>(r, i->c)));
    return i + 1;
}
struct Sad {
    template <class T>
    static T of(T a, T b, T c) {
        return Add::of(a < b ? Sub::of(b, a) : Sub::of(a, b), c);
    }
};
/// The ISA does not define division by zero. Devices return all ones, and the dividend as remainder.
struct Div {
    template <class T>
    static T of(T a, T b) {
        if (b == 0) return static_cast<T>(-1);
        if constexpr (std::is_signed_v<T>)
            if (b == -1) return Sub::of(T{0}, a);
        return static_cast<T>(a / b);
    }
};
struct Rem {
    template <class T>
    static T of(T a, T b) {
        if (b == 0) return a;
        if constexpr (std::is_signed_v<T>)
            if (b == -1) return 0;
        return static_cast<T>(a % b);
    }
};
struct Min {
    template <class T>
    static T of(T a, T b) {
        return std::min(a, b);
    }
};
struct Max {
    template <class T>
    static T of(T a, T b) {
        return std::max(a, b);
    }
};
struct Neg {
    template <class T>
    static T of(T a) {
        return Sub::of(T{0}, a);
    }
};
struct Abs {
    template <class T>
    static T of(T a) {
        return a < 0 ? Neg::of(a) : a;
    }
};

template <class T, bool in, bool out>
I add_carry(Slot* r, I i, Thread& t) {
    Wide<T> sum = static_cast<Wide<T>>(get<T>(r, i->a)) + get<T>(r, i->b);
    if (in) sum += t.carry;
    if (out) t.carry = (sum >> (8 * sizeof(T))) != 0;
    set(r, i->d, static_cast<T>(sum));
    return i + 1;
}
/// Subtracts; the flag is a borrow.
template <class T, bool in, bool out>
I sub_borrow(Slot* r, I i, Thread& t) {
    Wide<T> rest = static_cast<Wide<T>>(get<T>(r, i->a)) - get<T>(r, i->b);
    if (in) rest -= t.carry;
    if (out) t.carry = (rest >> (8 * sizeof(T))) != 0;
    set(r, i->d, static_cast<T>(rest));
    return i + 1;
}
template <class T, bool high, bool in, bool out>
I mad_carry(Slot* r, I i, Thread& t) {
    const T product = high ? MulHi::of(get<T>(r, i->a), get<T>(r, i->b)) : MulLo::of(get<T>(r, i->a), get<T>(r, i->b));
    Wide<T> sum = static_cast<Wide<T>>(product) + get<T>(r, i->c);
    if (in) sum += t.carry;
    if (out) t.carry = (sum >> (8 * sizeof(T))) != 0;
    set(r, i->d, static_cast<T>(sum));
    return i + 1;
}

/// Applies Op to two 16-bit values per register.
template <class T, class Op>
I pairs(Slot* r, I i, Thread&) {
    const auto a = get<std::array<T, 2>>(r, i->a);
    const auto b = get<std::array<T, 2>>(r, i->b);
    const std::array<T, 2> made{Op::of(a[0], b[0]), Op::of(a[1], b[1])};
    set(r, i->d, std::bit_cast<std::uint32_t>(made));
    return i + 1;
}

template <class A, class B>
I dp4a(Slot* r, I i, Thread&) {
    const auto a = get<std::array<A, 4>>(r, i->a);
    const auto b = get<std::array<B, 4>>(r, i->b);
    auto sum = get<std::uint32_t>(r, i->c);
    for (std::size_t n = 0; n < 4; ++n) sum += static_cast<std::uint32_t>(static_cast<std::int32_t>(a[n]) * b[n]);
    set(r, i->d, sum);
    return i + 1;
}

template <class Op>
Handler binary_of(Type type) {
    return for_integer(type, [](auto x) -> Handler { return binary<decltype(x), Op>; });
}
/// For types of at least 16 bits.
template <class F>
Handler for_word(Type type, F f) {
    return for_integer(type, [&](auto x) -> Handler {
        if constexpr (sizeof x >= 2) return f(x);
        return nullptr;
    });
}

template <bool subtract>
void add_or_sub(Body& b) {
    using Op = std::conditional_t<subtract, Sub, Add>;
    const bool out = b.take("cc");
    const bool saturate = b.take("sat");
    if (b.current().modifiers.back() == "u16x2" || b.current().modifiers.back() == "s16x2") {
        b.take("u16x2") || b.take("s16x2");
        return emit_all(b, pairs<std::uint16_t, Op>, Type::b32, 2);
    }
    const Type type = b.take_type();
    if (saturate) return emit_all(b, type == Type::s32 ? binary<std::int32_t, Saturated<Op>> : nullptr, type, 2);
    if (!out) return emit_all(b, binary_of<Op>(type), type, 2);
    emit_all(b,
             for_bits(type,
                      [](auto x) -> Handler {
                          using T = decltype(x);
                          if constexpr (sizeof(T) >= 4)
                              return subtract ? sub_borrow<T, false, true> : add_carry<T, false, true>;
                          return nullptr;
                      }),
             type, 2);
}

template <bool subtract>
void with_carry(Body& b) {
    const bool out = b.take("cc");
    const Type type = b.take_type();
    emit_all(b,
             for_bits(type,
                      [&](auto x) -> Handler {
                          using T = decltype(x);
                          if constexpr (sizeof(T) >= 4) {
                              if (subtract) return out ? sub_borrow<T, true, true> : sub_borrow<T, true, false>;
                              return out ? add_carry<T, true, true> : add_carry<T, true, false>;
                          }
                          return nullptr;
                      }),
             type, 2);
}

void mul(Body& b) {
    const int part = b.take_one_of({"lo", "hi", "wide"}, 0);
    const Type type = b.take_type();
    emit_all(b,
             for_word(type,
                      [&](auto x) -> Handler {
                          using T = decltype(x);
                          if (part == 0) return binary<T, MulLo>;
                          if (part == 1) return binary<T, MulHi>;
                          if constexpr (sizeof(T) < 8) return binary<T, MulWide>;
                          return nullptr;
                      }),
             type, 2);
}

Type twice(Type type) {
    switch (type) {
    case Type::u16: return Type::u32;
    case Type::s16: return Type::s32;
    case Type::u32: return Type::u64;
    default: return Type::s64;
    }
}

template <class F>
void emit_mad(Body& b, F choose) {
    const bool saturate = b.take("sat");
    const bool out = b.take("cc");
    const int part = b.take_one_of({"lo", "hi", "wide"}, 0);
    const Type type = b.take_type();
    const Handler handler = choose(type, part, saturate, out);
    if (!handler) b.error("not for this type");
    b.expect_operands(4, 4);
    b.emit(handler, b.destination(0), b.source(1, type), b.source(2, type),
           b.source(3, part == 2 ? twice(type) : type));
}

Handler mad_handler(Type type, int part, bool saturate, bool out) {
    if (saturate) return type == Type::s32 && part == 1 ? ternary<std::int32_t, MadSaturated<MulHi>> : nullptr;
    return for_word(type, [&](auto x) -> Handler {
        using T = decltype(x);
        if (out) {
            if constexpr (sizeof(T) >= 4) {
                // The low half of a product does not depend on the sign.
                using U = Unsigned<T>;
                if (part == 0) return mad_carry<U, false, false, true>;
                if constexpr (std::is_unsigned_v<T>) return mad_carry<U, true, false, true>;
            }
            return nullptr;
        }
        if (part == 0) return ternary<T, Mad<MulLo>>;
        if (part == 1) return ternary<T, Mad<MulHi>>;
        if constexpr (sizeof(T) < 8) return mad_wide<T>;
        return nullptr;
    });
}

Handler madc_handler(Type type, int part, bool, bool out) {
    return for_word(type, [&](auto x) -> Handler {
        using T = decltype(x);
        if constexpr (sizeof(T) >= 4) {
            using U = Unsigned<T>;
            if (part == 0) return out ? mad_carry<U, false, true, true> : mad_carry<U, false, true, false>;
            if constexpr (std::is_unsigned_v<T>)
                return out ? mad_carry<U, true, true, true> : mad_carry<U, true, true, false>;
        }
        return nullptr;
    });
}

void mul24(Body& b) {
    const bool high = b.take_one_of({"lo", "hi"}, 0) == 1;
    const Type type = b.take_type();
    if (type == Type::u32)
        return emit_all(b, high ? binary<std::uint32_t, Mul24Hi> : binary<std::uint32_t, Mul24Lo>, type, 2);
    emit_all(b,
             type != Type::s32 ? nullptr
             : high            ? binary<std::int32_t, Mul24Hi>
                               : binary<std::int32_t, Mul24Lo>,
             type, 2);
}
void mad24(Body& b) {
    const bool saturate = b.take("sat");
    const bool high = b.take_one_of({"lo", "hi"}, 0) == 1;
    const Type type = b.take_type();
    Handler handler = nullptr;
    if (saturate) {
        if (type == Type::s32 && high) handler = ternary<std::int32_t, MadSaturated<Mul24Hi>>;
    } else if (type == Type::u32) {
        handler = high ? ternary<std::uint32_t, Mad<Mul24Hi>> : ternary<std::uint32_t, Mad<Mul24Lo>>;
    } else if (type == Type::s32) {
        handler = high ? ternary<std::int32_t, Mad<Mul24Hi>> : ternary<std::int32_t, Mad<Mul24Lo>>;
    }
    emit_all(b, handler, type, 3);
}

template <class Op>
void two(Body& b) {
    const Type type = b.take_type();
    emit_all(b, binary_of<Op>(type), type, 2);
}
template <class Op>
void one(Body& b) {
    const Type type = b.take_type();
    emit_all(b, for_integer(type, [](auto x) -> Handler { return unary<decltype(x), Op>; }), type, 1);
}
void sad(Body& b) {
    const Type type = b.take_type();
    emit_all(b, for_integer(type, [](auto x) -> Handler { return ternary<decltype(x), Sad>; }), type, 3);
}
void dp4(Body& b) {
    const bool a = is_signed(b.take_type());
    const bool other = is_signed(b.take_type());
    emit_all(b,
             a ? (other ? dp4a<std::int8_t, std::int8_t> : dp4a<std::int8_t, std::uint8_t>)
               : (other ? dp4a<std::uint8_t, std::int8_t> : dp4a<std::uint8_t, std::uint8_t>),
             Type::b32, 3);
}

constexpr std::array operations = {
    Operation{"add", add_or_sub<false>},
    Operation{"sub", add_or_sub<true>},
    Operation{"addc", with_carry<false>},
    Operation{"subc", with_carry<true>},
    Operation{"mul", mul},
    Operation{"mad", [](Body& b) { emit_mad(b, mad_handler); }},
    Operation{"madc", [](Body& b) { emit_mad(b, madc_handler); }},
    Operation{"mul24", mul24},
    Operation{"mad24", mad24},
    Operation{"sad", sad},
    Operation{"div", two<Div>},
    Operation{"rem", two<Rem>},
    Operation{"min", two<Min>},
    Operation{"max", two<Max>},
    Operation{"neg", one<Neg>},
    Operation{"abs", one<Abs>},
    Operation{"dp4a", dp4},
};

} // namespace

std::span<const Operation> integer_operations() { return operations; }

} // namespace pm::ptx
