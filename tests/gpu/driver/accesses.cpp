#include "tests/gpu/driver/accesses.hpp"

#include "tests/gpu/driver/operations.hpp"

#include <array>

namespace pm::ptx {
namespace {

/// Loads `count` values of T into slots.
template <class T, int count, Space space, bool waits>
I load(Slot* r, I i, Thread& t) {
    const std::uint64_t address = r[i->a] + static_cast<Slot>(i->offset);
    const std::uint8_t* bytes = find_bytes<space, sizeof(T) * count>(t, i, address);
    if (!bytes) return nullptr;
    if constexpr (waits) ++t.launch->waiting_reads;
    std::array<T, count> values;
    std::memcpy(values.data(), bytes, sizeof values);
    const std::uint32_t at[] = {i->d, i->b, i->c, i->e};
    for (int n = 0; n < count; ++n) set(r, at[n], values[static_cast<std::size_t>(n)]);
    return i + 1;
}

template <class T, int count, Space space>
I store(Slot* r, I i, Thread& t) {
    const std::uint64_t address = r[i->a] + static_cast<Slot>(i->offset);
    std::uint8_t* bytes = find_bytes<space, sizeof(T) * count>(t, i, address);
    if (!bytes) return nullptr;
    const std::uint32_t at[] = {i->d, i->b, i->c, i->e};
    std::array<T, count> values;
    for (int n = 0; n < count; ++n) values[static_cast<std::size_t>(n)] = get<T>(r, at[n]);
    std::memcpy(bytes, values.data(), sizeof values);
    ++t.launch->writes;
    return i + 1;
}
/// A store that counts as progress only if it changes memory.
template <class T, Space space>
I store_watched(Slot* r, I i, Thread& t) {
    const std::uint64_t address = r[i->a] + static_cast<Slot>(i->offset);
    std::uint8_t* bytes = find_bytes<space, sizeof(T)>(t, i, address);
    if (!bytes) return nullptr;
    const auto value = get<T>(r, i->d);
    if (std::memcmp(bytes, &value, sizeof value) != 0) ++t.launch->writes;
    std::memcpy(bytes, &value, sizeof value);
    return i + 1;
}

template <class T, Space space>
Handler load_of(int count, bool waits) {
    if (waits)
        return count == 1 ? load<T, 1, space, true> : count == 2 ? load<T, 2, space, true> : load<T, 4, space, true>;
    return count == 1 ? load<T, 1, space, false> : count == 2 ? load<T, 2, space, false> : load<T, 4, space, false>;
}
template <class T, Space space>
Handler store_of(int count, bool watched) {
    if (watched && count == 1) return store_watched<T, space>;
    return count == 1 ? store<T, 1, space> : count == 2 ? store<T, 2, space> : store<T, 4, space>;
}

template <template <class, Space> class Pick, class T>
Handler in_space(Space space, int count, bool watched) {
    switch (space) {
    case Space::generic: return Pick<T, Space::generic>::of(count, watched);
    case Space::global:
    case Space::constant: return Pick<T, Space::global>::of(count, watched);
    case Space::shared: return Pick<T, Space::shared>::of(count, watched);
    case Space::local: return Pick<T, Space::local>::of(count, watched);
    case Space::parameter: return Pick<T, Space::parameter>::of(count, watched);
    }
    return nullptr;
}
template <class T, Space space>
struct PickLoad {
    static Handler of(int count, bool waits) { return load_of<T, space>(count, waits); }
};
template <class T, Space space>
struct PickStore {
    static Handler of(int count, bool watched) { return store_of<T, space>(count, watched); }
};

/// Reads the modifiers for cache hints, which have no effect here.
void take_hints(Body& b) {
    for (const auto* hint :
         {"ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc", "L1::evict_normal", "L1::evict_last", "L1::no_allocate"})
        b.take(hint);
}

/// Reads the modifier volatile, relaxed, acquire or release. Threads may wait for such accesses, or synchronize by
/// them.
bool take_order(Body& b) {
    const bool ordered = b.take_one_of({"volatile", "relaxed", "acquire", "release", "mmio"}, -1) >= 0;
    b.take("weak");
    b.take_one_of({"cta", "cluster", "gpu", "sys"}, -1);
    return ordered;
}

Type for_load(Type type) {
    // Floats are copied as bits.
    return is_float(type) ? (size_of(type) == 2 ? Type::b16 : size_of(type) == 4 ? Type::b32 : Type::b64) : type;
}

struct Access {
    Space space = Space::generic;
    bool ordered = false;
    int count = 1;
    Type type = Type::none;
};
Access take_access(Body& b) {
    Access a;
    a.ordered = take_order(b);
    take_hints(b);
    a.space = take_space(b);
    a.count = b.take("v2") ? 2 : b.take("v4") ? 4 : 1;
    a.type = b.take_type();
    if (size_of(a.type) * static_cast<std::size_t>(a.count) > 16) b.error("more than 16 bytes");
    return a;
}

/// The registers of a value: one, or those of a vector.
template <class F>
void registers_of(Body& b, const Operand& operand, int count, std::uint32_t (&at)[4], F slot) {
    if (count == 1 && operand.kind != Operand::Kind::vector) {
        at[0] = slot(operand);
        return;
    }
    if (operand.parts.size() != static_cast<std::size_t>(count)) b.error("a vector of another length");
    for (std::size_t n = 0; n < operand.parts.size(); ++n) at[n] = slot(operand.parts[n]);
}

void ld(Body& b) {
    const Access a = take_access(b);
    b.expect_operands(2, 2);
    const Place place = place_of(b, b.operand(1), a.space);
    const Handler handler = for_integer(for_load(a.type), [&](auto x) -> Handler {
        return in_space<PickLoad, decltype(x)>(place.space, a.count, a.ordered);
    });
    if (!handler) b.error("not for this type");
    std::uint32_t at[4] = {};
    registers_of(b, b.operand(0), a.count, at, [&](const Operand& o) { return b.destination(o); });
    Instruction& made = b.emit(handler, at[0], place.base, at[1], at[2]);
    made.e = at[3];
    made.offset = place.offset;
    made.site = b.new_site();
}

void st(Body& b) {
    const Access a = take_access(b);
    b.expect_operands(2, 2);
    const Place place = place_of(b, b.operand(0), a.space);
    const Handler handler = for_bits(
        a.type, [&](auto x) -> Handler { return in_space<PickStore, decltype(x)>(place.space, a.count, a.ordered); });
    if (!handler) b.error("not for this type");
    std::uint32_t at[4] = {};
    registers_of(b, b.operand(1), a.count, at, [&](const Operand& o) { return b.source(o, a.type); });
    Instruction& made = b.emit(handler, at[0], place.base, at[1], at[2]);
    made.e = at[3];
    made.offset = place.offset;
    made.site = b.new_site();
}

/// Prefetches and the like have no effect: the address is not checked.
void advice(Body& b) {
    for (const auto* word : {"global", "local", "L1", "L2", "L2::evict_last", "L2::evict_normal", "L2::128B"})
        b.take(word);
}

/// The bytes are copied when the thread waits for them, not before. A thread that does not wait reads the old content.
I copy_later(Slot* r, I i, Thread& t) {
    t.copies.push_back({i, r[i->d] + static_cast<Slot>(i->number), r[i->a] + static_cast<Slot>(i->offset),
                        get<std::uint32_t>(r, i->b), t.groups});
    return i + 1;
}

template <std::size_t bytes>
bool arrive(Thread& t, const Copy& copy) {
    std::uint8_t* target = find_bytes<Space::shared, bytes>(t, copy.instruction, copy.to);
    if (!target) return false;
    std::uint8_t value[bytes] = {};
    if (copy.from % bytes != 0) {
        fail(t, copy.instruction, Fault::misaligned_address, "the address to copy from");
        return false;
    }
    for (std::size_t n = 0; n < std::min<std::size_t>(copy.used, bytes); ++n) {
        const std::uint8_t* source = find_bytes<Space::global, 1>(t, copy.instruction, copy.from + n);
        if (!source) return false;
        value[n] = *source;
    }
    std::memcpy(target, value, bytes);
    ++t.launch->writes;
    return true;
}

/// Waits for all groups but the last `c`; with `all` also for copies outside of groups.
template <bool all>
I wait_for_copies(Slot*, I i, Thread& t) {
    std::size_t done = 0;
    for (const Copy& copy : t.copies) {
        if (!all && copy.group + i->c >= t.groups) break;
        const std::uint32_t bytes = copy.instruction->c;
        if (!(bytes == 4 ? arrive<4>(t, copy) : bytes == 8 ? arrive<8>(t, copy) : arrive<16>(t, copy))) return nullptr;
        ++done;
    }
    t.copies.erase(t.copies.begin(), t.copies.begin() + static_cast<std::ptrdiff_t>(done));
    return i + 1;
}
I close_group(Slot*, I i, Thread& t) {
    ++t.groups;
    return i + 1;
}

void cp(Body& b) {
    if (!b.take("async")) b.error("not supported");
    if (b.take("commit_group")) {
        b.emit(close_group);
        return;
    }
    if (b.take("wait_all")) {
        b.emit(wait_for_copies<true>);
        return;
    }
    if (b.take("wait_group")) {
        b.expect_operands(1, 1);
        if (b.operand(0).kind != Operand::Kind::integer) b.error("a number is expected");
        b.emit(wait_for_copies<false>).c = static_cast<std::uint32_t>(b.operand(0).value);
        return;
    }
    b.take("ca") || b.take("cg");
    for (const auto* word : {"shared", "shared::cta", "global", "L2::64B", "L2::128B", "L2::256B"}) b.take(word);
    b.expect_operands(3, 4);
    const Place to = place_of(b, b.operand(0), Space::shared);
    const Place from = place_of(b, b.operand(1), Space::global);
    const std::uint64_t bytes = b.operand(2).value;
    if (b.operand(2).kind != Operand::Kind::integer || (bytes != 4 && bytes != 8 && bytes != 16))
        b.error("4, 8 or 16 bytes");
    const std::uint32_t used = b.operand_count() == 4 ? b.source(3, Type::u32) : b.constant(bytes);
    Instruction& made = b.emit(copy_later, to.base, from.base, used, static_cast<std::uint32_t>(bytes));
    made.offset = from.offset;
    made.number = to.offset;
    made.site = b.new_site();
}

constexpr std::array operations = {
    Operation{"ld", ld},           Operation{"ldu", ld},
    Operation{"st", st},           Operation{"cp", cp},
    Operation{"prefetch", advice}, Operation{"prefetchu", advice},
    Operation{"discard", advice},  Operation{"applypriority", advice},
};

} // namespace

Space take_space(Body& b) {
    if (b.take("global")) return Space::global;
    if (b.take("const")) return Space::constant;
    if (b.take("local")) return Space::local;
    for (const auto* word : {"shared", "shared::cta"})
        if (b.take(word)) return Space::shared;
    for (const auto* word : {"param", "param::entry", "param::func"})
        if (b.take(word)) return Space::parameter;
    return Space::generic;
}

Place place_of(Body& b, const Operand& operand, Space space) {
    if (operand.kind != Operand::Kind::address) b.error("an address is expected");
    Place place{space, 0, static_cast<std::int64_t>(operand.value)};
    if (operand.name.empty()) {
        place.base = b.constant(0);
        return place;
    }
    Symbol symbol;
    if (!b.find(operand.name, symbol)) b.error("no name: " + std::string(operand.name));
    Operand base;
    base.name = operand.name;
    place.base = b.source(base, symbol.kind == Symbol::Kind::register_ ? symbol.type : Type::b64);
    // Variables of calls and a function's own parameters are in its frame.
    if (space == Space::parameter && symbol.kind == Symbol::Kind::local) place.space = Space::local;
    return place;
}

std::span<const Operation> memory_operations() { return operations; }

} // namespace pm::ptx
