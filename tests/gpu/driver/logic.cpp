#include "tests/gpu/driver/operations.hpp"

#include <algorithm>
#include <array>

namespace pm::ptx {
namespace {

template <class T>
constexpr std::uint32_t bits = 8 * sizeof(T);

struct And {
    template <class T>
    static T of(T a, T b) {
        return static_cast<T>(a & b);
    }
};
struct Or {
    template <class T>
    static T of(T a, T b) {
        return static_cast<T>(a | b);
    }
};
struct Xor {
    template <class T>
    static T of(T a, T b) {
        return static_cast<T>(a ^ b);
    }
};
struct Not {
    template <class T>
    static T of(T a) {
        return static_cast<T>(~a);
    }
};
struct NotPredicate {
    static std::uint8_t of(std::uint8_t a) { return a ? 0 : 1; }
};
struct Cnot {
    template <class T>
    static T of(T a) {
        return a == 0 ? 1 : 0;
    }
};
struct Popc {
    template <class T>
    static std::uint32_t of(T a) {
        return static_cast<std::uint32_t>(std::popcount(a));
    }
};
struct Clz {
    template <class T>
    static std::uint32_t of(T a) {
        return static_cast<std::uint32_t>(std::countl_zero(a));
    }
};
struct Brev {
    template <class T>
    static T of(T a) {
        T made = 0;
        for (std::uint32_t n = 0; n < bits<T>; ++n) made = static_cast<T>(made << 1 | (a >> n & 1));
        return made;
    }
};

/// Shift counts have 32 bits; a count of the width or more shifts all bits out.
template <class T>
I shl(Slot* r, I i, Thread&) {
    const auto count = get<std::uint32_t>(r, i->b);
    set(r, i->d, count >= bits<T> ? T{0} : static_cast<T>(static_cast<std::uint64_t>(get<T>(r, i->a)) << count));
    return i + 1;
}
template <class T>
I shr(Slot* r, I i, Thread&) {
    const auto a = get<T>(r, i->a);
    const auto count = get<std::uint32_t>(r, i->b);
    const T all_out = std::is_signed_v<T> && a < 0 ? static_cast<T>(-1) : T{0};
    set(r, i->d, count >= bits<T> ? all_out : static_cast<T>(a >> count));
    return i + 1;
}

template <bool left, bool clamp>
I funnel(Slot* r, I i, Thread&) {
    const std::uint64_t both = get<std::uint64_t>(r, i->b) << 32 | get<std::uint32_t>(r, i->a);
    const auto amount = get<std::uint32_t>(r, i->c);
    const std::uint32_t count = clamp ? std::min(amount, 32U) : amount & 31;
    set(r, i->d, static_cast<std::uint32_t>(left ? (both << count) >> 32 : both >> count));
    return i + 1;
}

/// `offset` is the truth table, indexed by 4a + 2b + c.
I lop3(Slot* r, I i, Thread&) {
    const auto a = get<std::uint32_t>(r, i->a), b = get<std::uint32_t>(r, i->b), c = get<std::uint32_t>(r, i->c);
    std::uint32_t made = 0;
    for (std::uint32_t n = 0; n < 8; ++n)
        if (i->offset >> n & 1) made |= (n & 4 ? a : ~a) & (n & 2 ? b : ~b) & (n & 1 ? c : ~c);
    set(r, i->d, made);
    return i + 1;
}

template <class T>
I bfe(Slot* r, I i, Thread&) {
    using U = std::make_unsigned_t<T>;
    const auto a = get<T>(r, i->a);
    const std::uint32_t at = get<std::uint32_t>(r, i->b) & 0xFF, length = get<std::uint32_t>(r, i->c) & 0xFF;
    const U sign =
        std::is_signed_v<T> && length > 0 ? static_cast<U>(a) >> std::min(at + length - 1, bits<T> - 1) & 1 : 0;
    U made = at < bits<T> ? static_cast<U>(a) >> at : 0;
    // Bits beyond the word, and those above the field, are copies of its sign.
    const std::uint32_t there = std::min(length, at < bits<T> ? bits<T> - at : 0);
    const U mask = there >= bits<T> ? ~U{0} : (U{1} << there) - 1;
    made &= mask;
    if (sign) made |= ~mask;
    set(r, i->d, static_cast<T>(made));
    return i + 1;
}
template <class T>
I bfi(Slot* r, I i, Thread&) {
    const auto a = get<T>(r, i->a), b = get<T>(r, i->b);
    const std::uint32_t at = get<std::uint32_t>(r, i->c) & 0xFF, length = get<std::uint32_t>(r, i->e) & 0xFF;
    T mask = length >= bits<T> ? ~T{0} : (T{1} << length) - 1;
    mask = at < bits<T> ? mask << at : 0;
    const T placed = at < bits<T> ? a << at : 0;
    set(r, i->d, static_cast<T>((b & ~mask) | (placed & mask)));
    return i + 1;
}
/// The highest bit that differs from the sign. With `offset`: the shift that moves it to the top.
template <class T>
I bfind(Slot* r, I i, Thread&) {
    auto a = get<T>(r, i->a);
    if (std::is_signed_v<T> && a < 0) a = static_cast<T>(~a);
    const auto zeros = static_cast<std::uint32_t>(std::countl_zero(static_cast<std::make_unsigned_t<T>>(a)));
    if (zeros == bits<T>) {
        set(r, i->d, ~0U);
    } else {
        set(r, i->d, i->offset ? zeros : bits<T> - 1 - zeros);
    }
    return i + 1;
}
/// The position of the n-th set bit from a base on; n = 0 is the base itself.
I fns(Slot* r, I i, Thread&) {
    const auto mask = get<std::uint32_t>(r, i->a);
    auto at = get<std::int32_t>(r, i->b);
    auto n = get<std::int32_t>(r, i->c);
    std::uint32_t found = ~0U;
    if (n == 0) {
        if (at >= 0 && at < 32 && (mask >> at & 1)) found = static_cast<std::uint32_t>(at);
    } else {
        const int step = n > 0 ? 1 : -1;
        for (; at >= 0 && at < 32; at += step) {
            if (!(mask >> at & 1)) continue;
            n -= step;
            if (n != 0) continue;
            found = static_cast<std::uint32_t>(at);
            break;
        }
    }
    set(r, i->d, found);
    return i + 1;
}
template <bool wrap>
I bmsk(Slot* r, I i, Thread&) {
    auto at = get<std::uint32_t>(r, i->a), width = get<std::uint32_t>(r, i->b);
    if (wrap) {
        at &= 31;
        width &= 31;
    }
    const std::uint64_t ones = width >= 32 ? 0xFFFF'FFFFULL : (1ULL << width) - 1;
    set(r, i->d, at >= 32 ? 0U : static_cast<std::uint32_t>(ones << at));
    return i + 1;
}
template <class T, bool wrap>
I szext(Slot* r, I i, Thread&) {
    const auto a = get<std::uint32_t>(r, i->a);
    auto width = get<std::uint32_t>(r, i->b);
    if (wrap) width &= 31;
    std::uint32_t made = a;
    if (width < 32) {
        const std::uint32_t mask = (1U << width) - 1;
        made = a & mask;
        if (std::is_signed_v<T> && width > 0 && (a >> (width - 1) & 1)) made |= ~mask;
    }
    set(r, i->d, made);
    return i + 1;
}

/// The selected bytes, as a selector of the default mode. `mode` is 1 to 6 for the named modes.
std::uint32_t selector(std::uint32_t mode, std::uint32_t c) {
    static constexpr std::array<std::array<std::uint16_t, 4>, 7> named = {{
        {},
        {0x3210, 0x4321, 0x5432, 0x6543}, // f4e
        {0x5670, 0x6701, 0x7012, 0x0123}, // b4e
        {0x0000, 0x1111, 0x2222, 0x3333}, // rc8
        {0x3210, 0x3211, 0x3222, 0x3333}, // ecl
        {0x0000, 0x1110, 0x2210, 0x3210}, // ecr
        {0x1010, 0x3232, 0x1010, 0x3232}, // rc16
    }};
    return mode == 0 ? c : named[mode][c & 3];
}
I prmt(Slot* r, I i, Thread&) {
    const std::uint64_t both = get<std::uint64_t>(r, i->b) << 32 | get<std::uint32_t>(r, i->a);
    const std::uint32_t choose = selector(static_cast<std::uint32_t>(i->offset), get<std::uint32_t>(r, i->c));
    std::uint32_t made = 0;
    for (std::uint32_t n = 0; n < 4; ++n) {
        const std::uint32_t pick = choose >> (4 * n) & 0xF;
        auto byte = static_cast<std::uint32_t>(both >> (8 * (pick & 7)) & 0xFF);
        if (pick & 8) byte = byte & 0x80 ? 0xFF : 0;
        made |= byte << (8 * n);
    }
    set(r, i->d, made);
    return i + 1;
}

template <class Op>
void logical(Body& b) {
    const Type type = b.take_type();
    if (type == Type::pred) return emit_all(b, binary<std::uint8_t, Op>, type, 2);
    emit_all(b, for_bits(type, [](auto x) -> Handler { return binary<decltype(x), Op>; }), type, 2);
}
void invert(Body& b) {
    const Type type = b.take_type();
    if (type == Type::pred) return emit_all(b, unary<std::uint8_t, NotPredicate>, type, 1);
    emit_all(b, for_bits(type, [](auto x) -> Handler { return unary<decltype(x), Not>; }), type, 1);
}
template <class Op>
void one(Body& b) {
    const Type type = b.take_type();
    emit_all(b, for_bits(type, [](auto x) -> Handler { return unary<decltype(x), Op>; }), type, 1);
}
template <bool left>
void shift(Body& b) {
    const Type type = b.take_type();
    const Handler handler =
        for_integer(type, [](auto x) -> Handler { return left ? shl<decltype(x)> : shr<decltype(x)>; });
    if (!handler) b.error("not for this type");
    b.expect_operands(3, 3);
    b.emit(handler, b.destination(0), b.source(1, type), b.source(2, Type::u32));
}
void shf(Body& b) {
    const bool left = b.take_one_of({"l", "r"}, 0) == 0;
    const bool clamp = b.take_one_of({"clamp", "wrap"}, 0) == 0;
    b.take_type();
    emit_all(b,
             left ? (clamp ? funnel<true, true> : funnel<true, false>)
                  : (clamp ? funnel<false, true> : funnel<false, false>),
             Type::b32, 3);
}
void lop(Body& b) {
    b.take_type();
    b.expect_operands(5, 5);
    if (b.operand(4).kind != Operand::Kind::integer) b.error("the table is no number");
    b.emit(lop3, b.destination(0), b.source(1, Type::b32), b.source(2, Type::b32), b.source(3, Type::b32)).offset =
        static_cast<std::int64_t>(b.operand(4).value);
}
/// For the integer types of 32 and 64 bits.
template <class F>
Handler for_wide(Type type, F f) {
    return for_integer(type, [&](auto x) -> Handler {
        if constexpr (sizeof x >= 4) return f(x);
        return nullptr;
    });
}
void extract(Body& b) {
    const Type type = b.take_type();
    const Handler handler = for_wide(type, [](auto x) -> Handler { return bfe<decltype(x)>; });
    if (!handler) b.error("not for this type");
    b.expect_operands(4, 4);
    b.emit(handler, b.destination(0), b.source(1, type), b.source(2, Type::u32), b.source(3, Type::u32));
}
void insert(Body& b) {
    const Type type = b.take_type();
    b.expect_operands(5, 5);
    const std::uint32_t length = b.source(4, Type::u32);
    b.emit(size_of(type) == 8 ? bfi<std::uint64_t> : bfi<std::uint32_t>, b.destination(0), b.source(1, type),
           b.source(2, type), b.source(3, Type::u32))
        .e = length;
}
void find_bit(Body& b) {
    const bool amount = b.take("shiftamt");
    const Type type = b.take_type();
    const Handler handler = for_wide(type, [](auto x) -> Handler { return bfind<decltype(x)>; });
    if (!handler) b.error("not for this type");
    b.expect_operands(2, 2);
    b.emit(handler, b.destination(0), b.source(1, type)).offset = amount;
}
void find_nth(Body& b) {
    b.take_type();
    emit_all(b, fns, Type::b32, 3);
}
void mask(Body& b) {
    const bool wrap = b.take_one_of({"clamp", "wrap"}, 0) == 1;
    b.take_type();
    emit_all(b, wrap ? bmsk<true> : bmsk<false>, Type::b32, 2);
}
void extend(Body& b) {
    const bool wrap = b.take_one_of({"clamp", "wrap"}, 0) == 1;
    const Type type = b.take_type();
    const Handler with_sign = wrap ? szext<std::int32_t, true> : szext<std::int32_t, false>;
    emit_all(b, is_signed(type) ? with_sign : wrap ? szext<std::uint32_t, true> : szext<std::uint32_t, false>, type, 2);
}
void permute(Body& b) {
    b.take_type();
    const int mode = b.take_one_of({"", "f4e", "b4e", "rc8", "ecl", "ecr", "rc16"}, 0);
    b.expect_operands(4, 4);
    b.emit(prmt, b.destination(0), b.source(1, Type::b32), b.source(2, Type::b32), b.source(3, Type::b32)).offset =
        mode;
}

constexpr std::array operations = {
    Operation{"and", logical<And>}, Operation{"or", logical<Or>}, Operation{"xor", logical<Xor>},
    Operation{"not", invert},       Operation{"cnot", one<Cnot>}, Operation{"popc", one<Popc>},
    Operation{"clz", one<Clz>},     Operation{"brev", one<Brev>}, Operation{"shl", shift<true>},
    Operation{"shr", shift<false>}, Operation{"shf", shf},        Operation{"lop3", lop},
    Operation{"bfe", extract},      Operation{"bfi", insert},     Operation{"bfind", find_bit},
    Operation{"fns", find_nth},     Operation{"bmsk", mask},      Operation{"szext", extend},
    Operation{"prmt", permute},
};

} // namespace

std::span<const Operation> logic_operations() { return operations; }

} // namespace pm::ptx
