#include "tests/gpu/driver/numbers.hpp"
#include "tests/gpu/driver/operations.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace pm::ptx {
namespace {

__extension__ using Wide = __int128;

template <class D, class S>
I resize(Slot* r, I i, Thread&) {
    set(r, i->d, static_cast<D>(get<S>(r, i->a)));
    return i + 1;
}
template <class D, class S>
I saturate(Slot* r, I i, Thread&) {
    const auto limited =
        std::clamp<Wide>(get<S>(r, i->a), std::numeric_limits<D>::min(), std::numeric_limits<D>::max());
    set(r, i->d, static_cast<D>(limited));
    return i + 1;
}

/// A saturating conversion; NaN becomes 0.
template <class D, class S>
D to_integer(S whole) {
    if (whole != whole) return 0;
    // One more than the greatest value is a power of two, which both float types represent.
    const S above = std::ldexp(S{1}, std::numeric_limits<D>::digits);
    if (whole >= above) return std::numeric_limits<D>::max();
    if (whole <= (std::is_signed_v<D> ? -above : S{0})) return std::numeric_limits<D>::min();
    return static_cast<D>(whole);
}
template <class S>
S rounded_whole(S value, Rounding rounding) {
    switch (rounding) {
    case Rounding::nearest: return std::nearbyint(value);
    case Rounding::zero: return std::trunc(value);
    case Rounding::down: return std::floor(value);
    case Rounding::up: return std::ceil(value);
    case Rounding::away: return std::round(value);
    }
    return value;
}
template <class D, class S, Rounding how>
I float_to_integer(Slot* r, I i, Thread&) {
    using Exact = std::conditional_t<std::is_same_v<S, float>, float, double>;
    set(r, i->d, to_integer<D>(rounded_whole(static_cast<Exact>(to_double(get<S>(r, i->a))), how)));
    return i + 1;
}

template <class D, class S>
I integer_to_float(Slot* r, I i, Thread&) {
    if constexpr (std::is_same_v<D, float> || std::is_same_v<D, double>) {
        set(r, i->d, static_cast<D>(get<S>(r, i->a)));
    } else {
        // An integer above 2^53 overflows f16. For bf16 its low bits only decide that it is not a tie.
        const auto a = get<S>(r, i->a);
        auto value = static_cast<double>(a);
        if (static_cast<Wide>(value) != static_cast<Wide>(a) && (std::bit_cast<std::uint64_t>(value) & 1) == 0)
            value = std::nextafter(value, static_cast<Wide>(value) < static_cast<Wide>(a) ? HUGE_VAL : -HUGE_VAL);
        set(r, i->d, from_double<D>(value));
    }
    return i + 1;
}
/// For the other roundings. A long double has 64 bits of precision.
template <class D, class S>
I integer_to_float_rounded(Slot* r, I i, Thread&) {
    volatile long double exact = static_cast<long double>(get<S>(r, i->a));
    volatile D made{};
    {
        const RoundingMode mode(static_cast<Rounding>(i->offset));
        made = static_cast<D>(exact);
    }
    set(r, i->d, static_cast<D>(made));
    return i + 1;
}

I widen_single(Slot* r, I i, Thread&) {
    set(r, i->d, static_cast<double>(get<float>(r, i->a)));
    return i + 1;
}
I narrow_double(Slot* r, I i, Thread&) {
    set(r, i->d, canonical(static_cast<float>(get<double>(r, i->a))));
    return i + 1;
}
I narrow_double_rounded(Slot* r, I i, Thread&) {
    volatile double a = get<double>(r, i->a);
    volatile float made = 0;
    {
        const RoundingMode mode(static_cast<Rounding>(i->offset));
        made = static_cast<float>(a);
    }
    set(r, i->d, canonical(static_cast<float>(made)));
    return i + 1;
}

Rounding rounding_of(I i) { return static_cast<Rounding>(i->offset); }

template <class D>
constexpr Format format_of() {
    return std::is_same_v<D, F16> ? f16_format : bf16_format;
}
template <class D, class S>
I narrow_to_half(Slot* r, I i, Thread&) {
    r[i->d] = narrow(to_double(get<S>(r, i->a)), format_of<D>(), rounding_of(i));
    return i + 1;
}
template <class D, class S>
I widen_half(Slot* r, I i, Thread&) {
    set(r, i->d, canonical(static_cast<D>(to_double(get<S>(r, i->a)))));
    return i + 1;
}
template <class S>
I whole_number(Slot* r, I i, Thread&) {
    const auto a = get<S>(r, i->a);
    if constexpr (std::is_same_v<S, F16> || std::is_same_v<S, BF16>) {
        set(r, i->d, from_double<S>(rounded_whole(to_double(a), rounding_of(i))));
    } else {
        set(r, i->d, canonical(rounded_whole(a, rounding_of(i))));
    }
    return i + 1;
}
I to_tf32(Slot* r, I i, Thread&) {
    set(r, i->d, narrow(to_double(get<float>(r, i->a)), tf32_format, rounding_of(i)) << 13);
    return i + 1;
}
/// Converts two f32 into one register; the first becomes the upper half.
template <class D>
I pack_halves(Slot* r, I i, Thread&) {
    const std::uint32_t high = narrow(to_double(get<float>(r, i->a)), format_of<D>(), rounding_of(i));
    const std::uint32_t low = narrow(to_double(get<float>(r, i->b)), format_of<D>(), rounding_of(i));
    set(r, i->d, high << 16 | low);
    return i + 1;
}

template <class T>
I flush(Slot* r, I i, Thread&) {
    const T a = get<T>(r, i->a);
    set(r, i->d, std::fabs(a) < static_cast<T>(0x1p-126) ? std::copysign(T{0}, a) : a);
    return i + 1;
}
template <class T>
I limit(Slot* r, I i, Thread&) {
    const double a = to_double(get<T>(r, i->a));
    set(r, i->d, a > 0 ? (a < 1 ? get<T>(r, i->a) : from_double<T>(1)) : from_double<T>(0));
    return i + 1;
}
template <class T>
I relu(Slot* r, I i, Thread&) {
    const double a = to_double(get<T>(r, i->a));
    set(r, i->d, a > 0 || a != a ? get<T>(r, i->a) : from_double<T>(0));
    return i + 1;
}

template <class F>
Handler for_float(Type type, F f) {
    switch (type) {
    case Type::f16: return f(F16{});
    case Type::bf16: return f(BF16{});
    case Type::f32: return f(float{});
    case Type::f64: return f(double{});
    default: return nullptr;
    }
}
template <class T>
constexpr bool is_half = std::is_same_v<T, F16> || std::is_same_v<T, BF16>;

/// The modifiers of a conversion. A rounding to an integer has an i, such as .rni.
struct Conversion {
    Rounding rounding = Rounding::nearest;
    bool named = false;
    bool whole = false;
    bool saturate = false;
    bool flush = false;
    bool relu = false;
    Type to = Type::none;
    Type from = Type::none;
};

Handler between_integers(const Conversion& c) {
    return for_integer(c.to, [&](auto d) -> Handler {
        return for_integer(c.from, [&](auto s) -> Handler {
            return c.saturate ? saturate<decltype(d), decltype(s)> : resize<decltype(d), decltype(s)>;
        });
    });
}
template <class D, class S>
Handler to_integer_by(Rounding rounding) {
    switch (rounding) {
    case Rounding::nearest: return float_to_integer<D, S, Rounding::nearest>;
    case Rounding::zero: return float_to_integer<D, S, Rounding::zero>;
    case Rounding::down: return float_to_integer<D, S, Rounding::down>;
    case Rounding::up: return float_to_integer<D, S, Rounding::up>;
    case Rounding::away: return nullptr;
    }
    return nullptr;
}
Handler from_float_to_integer(const Conversion& c) {
    if (!c.whole) return nullptr;
    return for_integer(c.to, [&](auto d) -> Handler {
        return for_float(c.from,
                         [&](auto s) -> Handler { return to_integer_by<decltype(d), decltype(s)>(c.rounding); });
    });
}
Handler from_integer_to_float(const Conversion& c) {
    if (c.whole || !c.named) return nullptr;
    return for_float(c.to, [&](auto d) -> Handler {
        using D = decltype(d);
        return for_integer(c.from, [&](auto s) -> Handler {
            if (c.rounding == Rounding::nearest) return integer_to_float<D, decltype(s)>;
            if constexpr (!is_half<D>) return integer_to_float_rounded<D, decltype(s)>;
            return nullptr;
        });
    });
}
Handler between_floats(const Conversion& c) {
    if (c.to == Type::tf32) return c.from == Type::f32 ? to_tf32 : nullptr;
    if (c.to == c.from) return for_float(c.to, [](auto s) -> Handler { return whole_number<decltype(s)>; });
    if (c.to == Type::f64 && c.from == Type::f32) return widen_single;
    if (c.to == Type::f32 && c.from == Type::f64)
        return !c.named ? nullptr : c.rounding == Rounding::nearest ? narrow_double : narrow_double_rounded;
    return for_float(c.to, [&](auto d) -> Handler {
        using D = decltype(d);
        return for_float(c.from, [&](auto s) -> Handler {
            using S = decltype(s);
            if constexpr (is_half<D>)
                return c.named ? narrow_to_half<D, S> : nullptr;
            else if constexpr (is_half<S>)
                return widen_half<D, S>;
            return nullptr;
        });
    });
}

Handler handler_of(const Conversion& c) {
    if (is_integer(c.to) && is_integer(c.from)) return between_integers(c);
    if (is_integer(c.to)) return from_float_to_integer(c);
    if (is_integer(c.from)) return from_integer_to_float(c);
    return between_floats(c);
}

Conversion take_conversion(Body& b) {
    Conversion c;
    const int rounding = b.take_one_of({"rn", "rz", "rm", "rp", "rna"}, -1);
    const int whole = b.take_one_of({"rni", "rzi", "rmi", "rpi"}, -1);
    c.named = rounding >= 0;
    c.whole = whole >= 0;
    if (c.named || c.whole) c.rounding = static_cast<Rounding>(c.named ? rounding : whole);
    c.flush = b.take("ftz");
    c.relu = b.take("relu");
    c.saturate = b.take("sat");
    c.to = b.take_type();
    c.from = b.take_type();
    return c;
}

void pack(Body& b, const Conversion& c) {
    if (c.from != Type::f32 || !c.named || c.relu) b.error("not for this type");
    b.expect_operands(3, 3);
    b.emit(c.to == Type::f16x2 ? pack_halves<F16> : pack_halves<BF16>, b.destination(0), b.source(1, c.from),
           b.source(2, c.from))
        .offset = static_cast<std::int64_t>(c.rounding);
}

void cvt(Body& b) {
    if (b.take("pack")) b.error("not supported");
    Conversion c = take_conversion(b);
    if (c.to == Type::f16x2 || c.to == Type::bf16x2) return pack(b, c);
    Handler handler = handler_of(c);
    // Between equal float types a rounding without i does nothing.
    const bool copy = c.to == c.from && is_float(c.to) && !c.whole;
    if (!handler) b.error("not for these types");
    b.expect_operands(2, 2);
    std::uint32_t from = b.source(1, c.from);
    const std::uint32_t d = b.destination(0);
    if (c.flush && c.from == Type::f32) {
        const std::uint32_t flushed = b.temporary();
        b.emit(flush<float>, flushed, from);
        from = flushed;
    }
    if (copy) handler = for_bits(c.to, [](auto x) -> Handler { return resize<decltype(x), decltype(x)>; });
    b.emit(handler, d, from).offset = static_cast<std::int64_t>(c.rounding);
    if (c.flush && c.to == Type::f32) b.emit(flush<float>, d, d);
    if (c.saturate && is_float(c.to))
        b.emit(for_float(c.to, [](auto x) -> Handler { return limit<decltype(x)>; }), d, d);
    if (c.relu && is_float(c.to)) b.emit(for_float(c.to, [](auto x) -> Handler { return relu<decltype(x)>; }), d, d);
}

constexpr std::array operations = {Operation{"cvt", cvt}};

} // namespace

std::span<const Operation> convert_operations() { return operations; }

} // namespace pm::ptx
