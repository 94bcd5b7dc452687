#include "tests/gpu/driver/numbers.hpp"
#include "tests/gpu/driver/operations.hpp"

#include <array>

namespace pm::ptx {
namespace {

enum class Compare { eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan };

template <Compare how, class T>
bool holds(T a, T b) {
    if constexpr (how == Compare::eq) return a == b;
    // For floats, unordered operands are not `ne`.
    if constexpr (how == Compare::ne) return std::is_integral_v<T> ? a != b : a < b || a > b;
    if constexpr (how == Compare::lt) return a < b;
    if constexpr (how == Compare::le) return a <= b;
    if constexpr (how == Compare::gt) return a > b;
    if constexpr (how == Compare::ge) return a >= b;
    if constexpr (how == Compare::equ) return !(a < b || a > b);
    if constexpr (how == Compare::neu) return a != b;
    if constexpr (how == Compare::ltu) return !(a >= b);
    if constexpr (how == Compare::leu) return !(a > b);
    if constexpr (how == Compare::gtu) return !(a <= b);
    if constexpr (how == Compare::geu) return !(a < b);
    if constexpr (how == Compare::num) return a == a && b == b;
    if constexpr (how == Compare::nan) return a != a || b != b;
}

template <class T, Compare how>
I set_predicate(Slot* r, I i, Thread&) {
    if constexpr (std::is_same_v<T, F16> || std::is_same_v<T, BF16>) {
        r[i->d] = holds<how>(to_double(get<T>(r, i->a)), to_double(get<T>(r, i->b)));
    } else {
        r[i->d] = holds<how>(get<T>(r, i->a), get<T>(r, i->b));
    }
    return i + 1;
}

template <class T>
Handler float_compare(Compare how) {
    switch (how) {
    case Compare::eq: return set_predicate<T, Compare::eq>;
    case Compare::ne: return set_predicate<T, Compare::ne>;
    case Compare::lt: return set_predicate<T, Compare::lt>;
    case Compare::le: return set_predicate<T, Compare::le>;
    case Compare::gt: return set_predicate<T, Compare::gt>;
    case Compare::ge: return set_predicate<T, Compare::ge>;
    case Compare::equ: return set_predicate<T, Compare::equ>;
    case Compare::neu: return set_predicate<T, Compare::neu>;
    case Compare::ltu: return set_predicate<T, Compare::ltu>;
    case Compare::leu: return set_predicate<T, Compare::leu>;
    case Compare::gtu: return set_predicate<T, Compare::gtu>;
    case Compare::geu: return set_predicate<T, Compare::geu>;
    case Compare::num: return set_predicate<T, Compare::num>;
    case Compare::nan: return set_predicate<T, Compare::nan>;
    }
    return nullptr;
}
template <class T>
Handler integer_compare(Compare how) {
    switch (how) {
    case Compare::eq: return set_predicate<T, Compare::eq>;
    case Compare::ne: return set_predicate<T, Compare::ne>;
    case Compare::lt: return set_predicate<T, Compare::lt>;
    case Compare::le: return set_predicate<T, Compare::le>;
    case Compare::gt: return set_predicate<T, Compare::gt>;
    case Compare::ge: return set_predicate<T, Compare::ge>;
    default: return nullptr;
    }
}

Handler comparison(Body& b, Compare how, Type type) {
    Handler handler = nullptr;
    switch (type) {
    case Type::f32: handler = float_compare<float>(how); break;
    case Type::f64: handler = float_compare<double>(how); break;
    case Type::f16: handler = float_compare<F16>(how); break;
    case Type::bf16: handler = float_compare<BF16>(how); break;
    default: handler = for_integer(type, [&](auto x) -> Handler { return integer_compare<decltype(x)>(how); });
    }
    if (!handler) b.error("not for this type");
    return handler;
}

enum class Joined { none, with_and, with_or, with_xor };

template <Joined how, bool negated>
I join(Slot* r, I i, Thread&) {
    const bool a = (r[i->a] != 0) != negated, c = r[i->b] != 0;
    r[i->d] = how == Joined::with_and ? a && c : how == Joined::with_or ? a || c : a != c;
    return i + 1;
}
template <bool negated>
I copy_predicate(Slot* r, I i, Thread&) {
    r[i->d] = (r[i->a] != 0) != negated;
    return i + 1;
}
template <bool negated>
Handler joining(Joined how) {
    switch (how) {
    case Joined::none: return copy_predicate<negated>;
    case Joined::with_and: return join<Joined::with_and, negated>;
    case Joined::with_or: return join<Joined::with_or, negated>;
    case Joined::with_xor: return join<Joined::with_xor, negated>;
    }
    return nullptr;
}

I flush(Slot* r, I i, Thread&) {
    const auto a = get<float>(r, i->a);
    set(r, i->d, std::fabs(a) < 0x1p-126F ? std::copysign(0.0F, a) : a);
    return i + 1;
}

/// Compares sources 1 and 2 into a slot, and reads the modifiers of the comparison.
struct Comparison {
    Compare how = Compare::eq;
    Joined joined = Joined::none;
    bool flushed = false;
};
Comparison take_comparison(Body& b) {
    Comparison made;
    const int how = b.take_one_of({"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num",
                                   "nan", "lo", "ls", "hi", "hs"},
                                  -1);
    if (how < 0) b.error("a comparison is missing");
    static constexpr Compare of_unsigned[] = {Compare::lt, Compare::le, Compare::gt, Compare::ge};
    made.how = how < 14 ? static_cast<Compare>(how) : of_unsigned[how - 14];
    made.joined = static_cast<Joined>(b.take_one_of({"and", "or", "xor"}, -1) + 1);
    made.flushed = b.take("ftz");
    return made;
}
std::uint32_t flushed_source(Body& b, std::size_t n, Type type, bool flushed) {
    const std::uint32_t at = b.source(n, type);
    if (!flushed) return at;
    if (type != Type::f32) b.error(".ftz is for f32");
    const std::uint32_t made = b.temporary();
    b.emit(flush, made, at);
    return made;
}
void compare_into(Body& b, const Comparison& c, Type type, std::uint32_t d) {
    const std::uint32_t x = flushed_source(b, 1, type, c.flushed);
    const std::uint32_t y = flushed_source(b, 2, type, c.flushed);
    b.emit(comparison(b, c.how, type), d, x, y);
}

void setp(Body& b) {
    const Comparison c = take_comparison(b);
    const Type type = b.take_type();
    b.expect_operands(c.joined == Joined::none ? 3 : 4, c.joined == Joined::none ? 3 : 4);
    const Operand& made = b.operand(0);
    const std::uint32_t p = b.destination(made);
    if (c.joined == Joined::none && made.parts.empty()) return compare_into(b, c, type, p);
    const std::uint32_t other = c.joined == Joined::none ? 0 : b.source(3, Type::pred);
    const std::uint32_t result = b.temporary();
    compare_into(b, c, type, result);
    // The second destination is the negated comparison, combined with the same predicate.
    const std::uint32_t q = made.parts.empty() ? static_cast<std::uint32_t>(sink) : b.destination(made.parts[0]);
    const std::uint32_t opposite = b.temporary();
    b.emit(joining<true>(c.joined), opposite, result, other);
    b.emit(joining<false>(c.joined), p, result, other);
    b.emit(copy_predicate<false>, q, opposite);
}

template <class T>
I select(Slot* r, I i, Thread&) {
    set(r, i->d, r[i->c] ? get<T>(r, i->a) : get<T>(r, i->b));
    return i + 1;
}

void set_value(Body& b) {
    const Comparison c = take_comparison(b);
    const Type made = b.take_type();
    const Type type = b.take_type();
    const bool joined = c.joined != Joined::none;
    b.expect_operands(joined ? 4 : 3, joined ? 4 : 3);
    const std::uint32_t other = joined ? b.source(3, Type::pred) : 0;
    const std::uint32_t result = b.temporary();
    compare_into(b, c, type, result);
    if (joined) b.emit(joining<false>(c.joined), result, result, other);
    Slot yes = size_of(made) == 2 ? 0xFFFF : 0xFFFF'FFFF;
    if (made == Type::f32) yes = std::bit_cast<std::uint32_t>(1.0F);
    if (made == Type::f16) yes = 0x3C00;
    if (made == Type::bf16) yes = 0x3F80;
    b.emit(select<std::uint64_t>, b.destination(0), b.constant(yes), b.constant(0), result);
}

void selp(Body& b) {
    const Type type = b.take_type();
    const Handler handler = for_bits(type, [](auto x) -> Handler { return select<decltype(x)>; });
    if (!handler) b.error("not for this type");
    b.expect_operands(4, 4);
    b.emit(handler, b.destination(0), b.source(1, type), b.source(2, type), b.source(3, Type::pred));
}

void slct(Body& b) {
    const bool flushed = b.take("ftz");
    const Type type = b.take_type();
    const Type sign = b.take_type();
    b.expect_operands(4, 4);
    const std::uint32_t c = flushed_source(b, 3, sign, flushed);
    const std::uint32_t result = b.temporary();
    b.emit(comparison(b, Compare::ge, sign), result, c, b.constant(0));
    b.emit(for_bits(type, [](auto x) -> Handler { return select<decltype(x)>; }), b.destination(0), b.source(1, type),
           b.source(2, type), result);
}

constexpr std::array operations = {
    Operation{"setp", setp},
    Operation{"set", set_value},
    Operation{"selp", selp},
    Operation{"slct", slct},
};

} // namespace

std::span<const Operation> compare_operations() { return operations; }

} // namespace pm::ptx
