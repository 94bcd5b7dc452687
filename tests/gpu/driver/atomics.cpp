#include "tests/gpu/driver/accesses.hpp"
#include "tests/gpu/driver/numbers.hpp"
#include "tests/gpu/driver/operations.hpp"

#include <algorithm>
#include <array>

namespace pm::ptx {
namespace {

/// Each returns the stored value, from the old value and the operands. Threads run one at a time, so all are atomic.
struct Add {
    template <class T>
    static T of(T old, T b, T) {
        if constexpr (std::is_integral_v<T>) {
            return static_cast<T>(static_cast<std::uint64_t>(old) + static_cast<std::uint64_t>(b));
        } else if constexpr (std::is_same_v<T, F16> || std::is_same_v<T, BF16>) {
            return from_double<T>(to_double(old) + to_double(b));
        } else {
            return canonical(old + b);
        }
    }
};
struct Min {
    template <class T>
    static T of(T old, T b, T) {
        return std::min(old, b);
    }
};
struct Max {
    template <class T>
    static T of(T old, T b, T) {
        return std::max(old, b);
    }
};
struct And {
    template <class T>
    static T of(T old, T b, T) {
        return static_cast<T>(old & b);
    }
};
struct Or {
    template <class T>
    static T of(T old, T b, T) {
        return static_cast<T>(old | b);
    }
};
struct Xor {
    template <class T>
    static T of(T old, T b, T) {
        return static_cast<T>(old ^ b);
    }
};
struct Exchange {
    template <class T>
    static T of(T, T b, T) {
        return b;
    }
};
struct CompareAndSwap {
    template <class T>
    static T of(T old, T b, T c) {
        return old == b ? c : old;
    }
};
struct Increment {
    template <class T>
    static T of(T old, T b, T) {
        return old >= b ? T{0} : static_cast<T>(old + 1);
    }
};
struct Decrement {
    template <class T>
    static T of(T old, T b, T) {
        return old == 0 || old > b ? b : static_cast<T>(old - 1);
    }
};

template <class T, class Op, Space space>
I atomic(Slot* r, I i, Thread& t) {
    const std::uint64_t address = r[i->a] + static_cast<Slot>(i->offset);
    std::uint8_t* bytes = find_bytes<space, sizeof(T)>(t, i, address);
    if (!bytes) return nullptr;
    T old;
    std::memcpy(&old, bytes, sizeof old);
    const T made = Op::of(old, get<T>(r, i->b), get<T>(r, i->c));
    ++t.launch->waiting_reads;
    if (std::memcmp(&made, &old, sizeof old) != 0) {
        std::memcpy(bytes, &made, sizeof made);
        ++t.launch->writes;
    }
    set(r, i->d, old);
    return i + 1;
}

/// Atomic operations on two 16-bit values in a word.
template <class T, Space space>
I atomic_pair(Slot* r, I i, Thread& t) {
    const std::uint64_t address = r[i->a] + static_cast<Slot>(i->offset);
    std::uint8_t* bytes = find_bytes<space, 4>(t, i, address);
    if (!bytes) return nullptr;
    std::array<T, 2> old;
    std::memcpy(old.data(), bytes, sizeof old);
    const auto b = get<std::array<T, 2>>(r, i->b);
    const std::array<T, 2> made{Add::of(old[0], b[0], b[0]), Add::of(old[1], b[1], b[1])};
    std::memcpy(bytes, made.data(), sizeof made);
    ++t.launch->waiting_reads;
    ++t.launch->writes;
    set(r, i->d, std::bit_cast<std::uint32_t>(old));
    return i + 1;
}

template <class T, class Op>
Handler in_space(Space space) {
    switch (space) {
    case Space::generic: return atomic<T, Op, Space::generic>;
    case Space::global: return atomic<T, Op, Space::global>;
    case Space::shared: return atomic<T, Op, Space::shared>;
    default: return nullptr;
    }
}
template <class T>
Handler pair_in_space(Space space) {
    switch (space) {
    case Space::generic: return atomic_pair<T, Space::generic>;
    case Space::global: return atomic_pair<T, Space::global>;
    case Space::shared: return atomic_pair<T, Space::shared>;
    default: return nullptr;
    }
}

template <class Op>
Handler on_integers(Type type, Space space) {
    switch (type) {
    case Type::b32:
    case Type::u32: return in_space<std::uint32_t, Op>(space);
    case Type::b64:
    case Type::u64: return in_space<std::uint64_t, Op>(space);
    case Type::s32: return in_space<std::int32_t, Op>(space);
    case Type::s64: return in_space<std::int64_t, Op>(space);
    default: return nullptr;
    }
}

Handler adding(Type type, Space space) {
    switch (type) {
    case Type::f32: return in_space<float, Add>(space);
    case Type::f64: return in_space<double, Add>(space);
    case Type::f16: return in_space<F16, Add>(space);
    case Type::bf16: return in_space<BF16, Add>(space);
    case Type::f16x2: return pair_in_space<F16>(space);
    case Type::bf16x2: return pair_in_space<BF16>(space);
    default: return on_integers<Add>(type, space);
    }
}

enum Name { add, min, max, and_, or_, xor_, exch, cas, inc, dec };

Handler handler_of(int name, Type type, Space space) {
    switch (name) {
    case add: return adding(type, space);
    case min: return on_integers<Min>(type, space);
    case max: return on_integers<Max>(type, space);
    case and_: return on_integers<And>(type, space);
    case or_: return on_integers<Or>(type, space);
    case xor_: return on_integers<Xor>(type, space);
    case exch: return on_integers<Exchange>(type, space);
    case cas:
        return type == Type::b16 ? in_space<std::uint16_t, CompareAndSwap>(space)
                                 : on_integers<CompareAndSwap>(type, space);
    case inc: return type == Type::u32 ? in_space<std::uint32_t, Increment>(space) : nullptr;
    case dec: return type == Type::u32 ? in_space<std::uint32_t, Decrement>(space) : nullptr;
    default: return nullptr;
    }
}

template <bool result>
void encode_atomic(Body& b) {
    for (const auto* word : {"relaxed", "acquire", "release", "acq_rel", "cta", "cluster", "gpu", "sys", "noftz"})
        b.take(word);
    const Space space = take_space(b);
    const int name = b.take_one_of({"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"}, -1);
    const Type type = b.take_type();
    const Handler handler = handler_of(name, type, space);
    if (!handler || (!result && (name == exch || name == cas))) b.error("not for this type");
    const std::size_t first = result ? 1 : 0;
    const std::size_t sources = name == cas ? 2 : 1;
    b.expect_operands(first + 1 + sources, first + 1 + sources);
    const Place place = place_of(b, b.operand(first), space);
    const std::uint32_t value = b.source(first + 1, type);
    const std::uint32_t other = name == cas ? b.source(first + 2, type) : value;
    const std::uint32_t d = result ? b.destination(0) : static_cast<std::uint32_t>(sink);
    Instruction& made = b.emit(handler, d, place.base, value, other);
    made.offset = place.offset;
    made.site = b.new_site();
}

constexpr std::array operations = {
    Operation{"atom", encode_atomic<true>},
    Operation{"red", encode_atomic<false>},
};

} // namespace

std::span<const Operation> atomic_operations() { return operations; }

} // namespace pm::ptx
