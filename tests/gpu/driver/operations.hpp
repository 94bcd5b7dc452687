#pragma once

#include "tests/gpu/driver/body.hpp"
#include "tests/gpu/driver/thread.hpp"

#include <initializer_list>
#include <span>

namespace pm::ptx {

struct Operation {
    std::string_view name;
    Encoder encode;
};

std::span<const Operation> integer_operations();
std::span<const Operation> logic_operations();
std::span<const Operation> float_operations();
std::span<const Operation> compare_operations();
std::span<const Operation> convert_operations();
std::span<const Operation> move_operations();
std::span<const Operation> memory_operations();
std::span<const Operation> atomic_operations();
std::span<const Operation> control_operations();
std::span<const Operation> warp_operations();

/// bar.warp.sync
void encode_warp_barrier(Body& body);
/// Encodes statements of float types for operations that integers have too. False for other statements.
bool encode_float(Body& body);

using I = const Instruction*;

template <class T, class Op>
I unary(Slot* r, I i, Thread&) {
    set(r, i->d, Op::of(get<T>(r, i->a)));
    return i + 1;
}
template <class T, class Op>
I binary(Slot* r, I i, Thread&) {
    set(r, i->d, Op::of(get<T>(r, i->a), get<T>(r, i->b)));
    return i + 1;
}
template <class T, class Op>
I ternary(Slot* r, I i, Thread&) {
    set(r, i->d, Op::of(get<T>(r, i->a), get<T>(r, i->b), get<T>(r, i->c)));
    return i + 1;
}

/// The result of `f` for a value of the C++ type; b types are unsigned. Null for other types.
template <class F>
Handler for_integer(Type type, F f) {
    switch (type) {
    case Type::b8:
    case Type::u8: return f(std::uint8_t{});
    case Type::b16:
    case Type::u16: return f(std::uint16_t{});
    case Type::b32:
    case Type::u32: return f(std::uint32_t{});
    case Type::b64:
    case Type::u64: return f(std::uint64_t{});
    case Type::s8: return f(std::int8_t{});
    case Type::s16: return f(std::int16_t{});
    case Type::s32: return f(std::int32_t{});
    case Type::s64: return f(std::int64_t{});
    default: return nullptr;
    }
}

/// The same for types of bits: only the width matters.
template <class F>
Handler for_bits(Type type, F f) {
    switch (size_of(type)) {
    case 1: return f(std::uint8_t{});
    case 2: return f(std::uint16_t{});
    case 4: return f(std::uint32_t{});
    case 8: return f(std::uint64_t{});
    default: return nullptr;
    }
}

/// Emits `handler` with the first operand as destination and one, two or three sources of this type.
inline void emit_all(Body& body, Handler handler, Type type, std::size_t sources) {
    if (!handler) body.error("not for this type");
    body.expect_operands(sources + 1, sources + 1);
    std::uint32_t at[3] = {};
    for (std::size_t n = 0; n < sources; ++n) at[n] = body.source(n + 1, type);
    body.emit(handler, body.destination(0), at[0], at[1], at[2]);
}

} // namespace pm::ptx
