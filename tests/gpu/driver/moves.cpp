#include "tests/gpu/driver/operations.hpp"

#include <algorithm>
#include <array>
#include <chrono>

namespace pm::ptx {
namespace {

template <class T>
I copy(Slot* r, I i, Thread&) {
    set(r, i->d, get<T>(r, i->a));
    return i + 1;
}
I copy_predicate(Slot* r, I i, Thread&) {
    r[i->d] = r[i->a] != 0;
    return i + 1;
}

/// Packs `count` parts of T into one register, the first lowest.
template <class T, int count>
I pack(Slot* r, I i, Thread&) {
    const std::uint32_t at[] = {i->a, i->b, i->c, i->e};
    Slot made = 0;
    for (int n = 0; n < count; ++n)
        made |= static_cast<Slot>(get<T>(r, at[n])) << (8 * sizeof(T) * static_cast<std::size_t>(n));
    r[i->d] = made;
    return i + 1;
}
template <class T, int count>
I unpack(Slot* r, I i, Thread&) {
    const std::uint32_t at[] = {i->d, i->b, i->c, i->e};
    const Slot whole = r[i->a];
    for (int n = 0; n < count; ++n)
        set(r, at[n], static_cast<T>(whole >> (8 * sizeof(T) * static_cast<std::size_t>(n))));
    return i + 1;
}

/// Counts nanoseconds instead of cycles.
I clock_now(Slot* r, I i, Thread&) {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    r[i->d] = static_cast<Slot>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()) >> i->offset;
    return i + 1;
}

Handler packing(std::size_t part, std::size_t count, bool out_of) {
    if (part == 4 && count == 2) return out_of ? unpack<std::uint32_t, 2> : pack<std::uint32_t, 2>;
    if (part == 2 && count == 2) return out_of ? unpack<std::uint16_t, 2> : pack<std::uint16_t, 2>;
    if (part == 2 && count == 4) return out_of ? unpack<std::uint16_t, 4> : pack<std::uint16_t, 4>;
    if (part == 1 && count == 2) return out_of ? unpack<std::uint8_t, 2> : pack<std::uint8_t, 2>;
    if (part == 1 && count == 4) return out_of ? unpack<std::uint8_t, 4> : pack<std::uint8_t, 4>;
    return nullptr;
}

Type bits_of_width(std::size_t bytes) {
    return bytes == 1 ? Type::b8 : bytes == 2 ? Type::b16 : bytes == 4 ? Type::b32 : Type::b64;
}

void move_parts(Body& b, Type type) {
    const bool out_of = b.operand(0).kind == Operand::Kind::vector;
    const auto& parts = b.operand(out_of ? 0 : 1).parts;
    const std::size_t part = size_of(type) / std::max<std::size_t>(parts.size(), 1);
    const Handler handler = packing(part, parts.size(), out_of);
    if (!handler) b.error("not for this type");
    std::uint32_t at[4] = {};
    for (std::size_t n = 0; n < parts.size(); ++n)
        at[n] = out_of ? b.destination(parts[n]) : b.source(parts[n], bits_of_width(part));
    if (out_of) {
        b.emit(handler, at[0], b.source(1, type), at[1], at[2]).e = at[3];
    } else {
        b.emit(handler, b.destination(0), at[0], at[1], at[2]).e = at[3];
    }
}

void mov(Body& b) {
    const Type type = b.take_type();
    b.expect_operands(2, 2);
    if (b.operand(0).kind == Operand::Kind::vector || b.operand(1).kind == Operand::Kind::vector)
        return move_parts(b, type);
    const std::string_view name = b.operand(1).name;
    if (name == "%clock" || name == "%clock64" || name == "%globaltimer" || name == "%clock_hi") {
        b.emit(clock_now, b.destination(0), 0).offset = name == "%clock_hi" ? 32 : 0;
        return;
    }
    if (type == Type::pred) return emit_all(b, copy_predicate, type, 1);
    emit_all(b, for_bits(type, [](auto x) -> Handler { return copy<decltype(x)>; }), type, 1);
}

/// Converts an address of a space to a generic one, or back. `offset` is the window.
template <bool to>
I convert_address(Slot* r, I i, Thread&) {
    const auto window = static_cast<Slot>(i->offset);
    r[i->d] = to ? r[i->a] - window : r[i->a] + window;
    return i + 1;
}
/// Compares the bits of an address above the offset with those of the window.
I is_in_window(Slot* r, I i, Thread&) {
    r[i->d] = r[i->a] / window_bytes == static_cast<Slot>(i->offset) / window_bytes;
    return i + 1;
}
I is_device_address(Slot* r, I i, Thread&) {
    r[i->d] = Memory::is_device(r[i->a]);
    return i + 1;
}

std::uint64_t take_window(Body& b) {
    const bool shared = b.take("shared");
    b.take("cta");
    b.take("const");
    b.take("global");
    if (b.take("local")) return local_window;
    if (b.take("param")) {
        b.take("entry");
        return parameter_window;
    }
    return shared ? shared_window : 0;
}

void cvta(Body& b) {
    const bool to = b.take("to");
    const std::uint64_t window = take_window(b);
    const Type type = b.take_type();
    b.expect_operands(2, 2);
    b.emit(to ? convert_address<true> : convert_address<false>, b.destination(0), b.source(1, type)).offset =
        static_cast<std::int64_t>(window);
}

void isspacep(Body& b) {
    const std::uint64_t window = take_window(b);
    b.expect_operands(2, 2);
    b.emit(window ? is_in_window : is_device_address, b.destination(0), b.source(1, Type::b64)).offset =
        static_cast<std::int64_t>(window);
}

constexpr std::array operations = {
    Operation{"mov", mov},
    Operation{"cvta", cvta},
    Operation{"isspacep", isspacep},
};

} // namespace

std::span<const Operation> move_operations() { return operations; }

} // namespace pm::ptx
