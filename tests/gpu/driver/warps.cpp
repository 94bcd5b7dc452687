#include "tests/gpu/driver/warps.hpp"

#include "tests/gpu/driver/matrices.hpp"
#include "tests/gpu/driver/operations.hpp"

#include <algorithm>
#include <array>
#include <functional>

namespace pm::ptx {
namespace {

/// The operation in an instruction's `offset`.
enum WarpOperation : std::int64_t {
    sync,
    shfl_up,
    shfl_down,
    shfl_bfly,
    shfl_idx,
    vote_all,
    vote_any,
    vote_uni,
    vote_ballot,
    match_any_32,
    match_any_64,
    match_all_32,
    match_all_64,
    redux_add,
    redux_min_u,
    redux_max_u,
    redux_min_s,
    redux_max_s,
    redux_and,
    redux_or,
    redux_xor,
    first_matrix ///< this one and the following: MatrixKind
};

/// The result of a shuffle from a lane that does not take part; unlike any usual value.
constexpr std::uint32_t missing_lane_value = 0xBAD0'BAD0U;

using Lanes = std::span<Thread* const>;

I wait_for_warp(Slot* r, I i, Thread& t) {
    t.members = get<std::uint32_t>(r, i->f);
    if ((t.members >> (t.number % warp_size) & 1) == 0)
        return fail(t, i, Fault::launch_failed, "the thread is none of the members that it names");
    return wait(t, i, State::in_warp);
}

std::uint32_t source_lane(WarpOperation how, std::uint32_t lane, std::uint32_t b, std::uint32_t c, bool& in_range) {
    const auto by = static_cast<int>(b & 31), self = static_cast<int>(lane);
    const std::uint32_t segment = c >> 8 & 31, clamp = c & 31;
    const auto first = static_cast<int>(lane & segment);
    const auto last = static_cast<int>((lane & segment) | (clamp & ~segment));
    int from = self;
    if (how == shfl_up) from = self - by;
    if (how == shfl_down) from = self + by;
    if (how == shfl_bfly) from = self ^ by;
    if (how == shfl_idx) from = first | static_cast<int>(b & 31 & ~segment);
    in_range = how == shfl_up ? from >= last : from <= last;
    return in_range ? static_cast<std::uint32_t>(from) : lane;
}

void shuffle(WarpOperation how, Lanes lanes) {
    std::array<std::uint32_t, warp_size> values;
    for (std::uint32_t n = 0; n < warp_size; ++n)
        values[n] = lanes[n] ? get<std::uint32_t>(lanes[n]->r, lanes[n]->pc->a) : missing_lane_value;
    for (std::uint32_t n = 0; n < warp_size; ++n) {
        if (!lanes[n]) continue;
        Slot* r = lanes[n]->r;
        const Instruction& i = *lanes[n]->pc;
        bool in_range = false;
        const std::uint32_t from =
            source_lane(how, n, get<std::uint32_t>(r, i.b), get<std::uint32_t>(r, i.c), in_range);
        set(r, i.d, values[from]);
        r[i.e] = in_range;
    }
}

void vote(WarpOperation how, Lanes lanes) {
    std::uint32_t yes = 0, all = 0;
    for (std::uint32_t n = 0; n < warp_size; ++n) {
        if (!lanes[n]) continue;
        all |= 1U << n;
        if (lanes[n]->r[lanes[n]->pc->a]) yes |= 1U << n;
    }
    std::uint32_t made = yes;
    if (how == vote_all) made = yes == all;
    if (how == vote_any) made = yes != 0;
    if (how == vote_uni) made = yes == 0 || yes == all;
    for (Thread* t : lanes)
        if (t) set(t->r, t->pc->d, made);
}

void match(WarpOperation how, Lanes lanes) {
    const bool wide = how == match_any_64 || how == match_all_64;
    const bool of_all = how == match_all_32 || how == match_all_64;
    const Slot mask = wide ? ~Slot{0} : 0xFFFF'FFFF;
    std::array<Slot, warp_size> values{};
    std::uint32_t all = 0;
    for (std::uint32_t n = 0; n < warp_size; ++n) {
        if (!lanes[n]) continue;
        all |= 1U << n;
        values[n] = lanes[n]->r[lanes[n]->pc->a] & mask;
    }
    for (std::uint32_t n = 0; n < warp_size; ++n) {
        if (!lanes[n]) continue;
        std::uint32_t equal = 0;
        for (std::uint32_t m = 0; m < warp_size; ++m)
            if (lanes[m] && values[m] == values[n]) equal |= 1U << m;
        const Instruction& i = *lanes[n]->pc;
        set(lanes[n]->r, i.d, of_all && equal != all ? 0U : equal);
        lanes[n]->r[i.e] = equal == all;
    }
}

template <class T, class F>
void reduce(Lanes lanes, F f) {
    bool any = false;
    T made{};
    for (Thread* t : lanes) {
        if (!t) continue;
        const T value = get<T>(t->r, t->pc->a);
        made = any ? static_cast<T>(f(made, value)) : value;
        any = true;
    }
    for (Thread* t : lanes)
        if (t) set(t->r, t->pc->d, made);
}

void reduce(WarpOperation how, Lanes lanes) {
    const auto least = [](auto a, auto b) { return std::min(a, b); };
    const auto most = [](auto a, auto b) { return std::max(a, b); };
    switch (how) {
    case redux_add: return reduce<std::uint32_t>(lanes, std::plus<>());
    case redux_min_u: return reduce<std::uint32_t>(lanes, least);
    case redux_max_u: return reduce<std::uint32_t>(lanes, most);
    case redux_min_s: return reduce<std::int32_t>(lanes, least);
    case redux_max_s: return reduce<std::int32_t>(lanes, most);
    case redux_and: return reduce<std::uint32_t>(lanes, std::bit_and<>());
    case redux_or: return reduce<std::uint32_t>(lanes, std::bit_or<>());
    default: return reduce<std::uint32_t>(lanes, std::bit_xor<>());
    }
}

I active_mask(Slot* r, I i, Thread& t) {
    set(r, i->d, 1U << (t.number % warp_size));
    return i + 1;
}

void emit_warp_operation(Body& b, std::int64_t how, std::uint32_t d, std::uint32_t a, std::uint32_t mask,
                         std::uint32_t bb = 0, std::uint32_t c = 0, std::uint32_t second = sink) {
    Instruction& made = b.emit(wait_for_warp, d, a, bb, c);
    made.e = second;
    made.f = mask;
    made.offset = how;
}

/// The second register of d|p, or `sink`.
std::uint32_t second_destination(Body& b) {
    const auto& parts = b.operand(0).parts;
    return parts.empty() ? static_cast<std::uint32_t>(sink) : b.destination(parts[0]);
}

void shfl(Body& b) {
    if (!b.take("sync")) b.error("only .sync is known");
    const int how = b.take_one_of({"up", "down", "bfly", "idx"}, -1);
    b.take_type();
    b.expect_operands(5, 5);
    if (how < 0) b.error("how is not said");
    emit_warp_operation(b, shfl_up + how, b.destination(0), b.source(1, Type::b32), b.source(4, Type::b32),
                        b.source(2, Type::b32), b.source(3, Type::b32), second_destination(b));
}
void encode_vote(Body& b) {
    if (!b.take("sync")) b.error("only .sync is known");
    const int how = b.take_one_of({"all", "any", "uni", "ballot"}, -1);
    b.take_type();
    b.expect_operands(3, 3);
    if (how < 0) b.error("how is not said");
    emit_warp_operation(b, vote_all + how, b.destination(0), b.source(1, Type::pred), b.source(2, Type::b32));
}
void encode_match(Body& b) {
    if (!b.take("sync")) b.error("only .sync is known");
    const int how = b.take_one_of({"any", "all"}, 0);
    const Type type = b.take_type();
    b.expect_operands(3, 3);
    emit_warp_operation(b, match_any_32 + 2 * how + (size_of(type) == 8), b.destination(0), b.source(1, type),
                        b.source(2, Type::b32), 0, 0, second_destination(b));
}
void redux(Body& b) {
    if (!b.take("sync")) b.error("only .sync is known");
    const int how = b.take_one_of({"add", "min", "max", "and", "or", "xor"}, -1);
    const Type type = b.take_type();
    b.expect_operands(3, 3);
    static constexpr WarpOperation names[] = {redux_add, redux_min_u, redux_max_u, redux_and, redux_or, redux_xor};
    if (how < 0 || size_of(type) != 4 || !is_integer(type)) b.error("not for this type");
    std::int64_t name = names[how];
    if (is_signed(type) && (how == 1 || how == 2)) name += 2;
    emit_warp_operation(b, name, b.destination(0), b.source(1, type), b.source(2, Type::b32));
}
void activemask(Body& b) {
    b.take_type();
    b.expect_operands(1, 1);
    b.emit(active_mask, b.destination(0), 0);
}

void emit_matrix(Body& b, const MatrixStatement& statement) {
    emit_warp_operation(b, first_matrix + static_cast<int>(statement.kind), sink, statement.address,
                        b.constant(0xFFFF'FFFF));
    b.function().code.back().fragments = statement.fragments;
}
void mma(Body& b) { emit_matrix(b, read_mma(b)); }
void ldmatrix(Body& b) { emit_matrix(b, read_ldmatrix(b)); }

constexpr std::array operations = {
    Operation{"shfl", shfl},         Operation{"vote", encode_vote},      Operation{"match", encode_match},
    Operation{"redux", redux},       Operation{"activemask", activemask}, Operation{"mma", mma},
    Operation{"ldmatrix", ldmatrix},
};

} // namespace

void encode_warp_barrier(Body& b) {
    b.expect_operands(1, 1);
    emit_warp_operation(b, sync, sink, sink, b.source(0, Type::b32));
}

std::span<const Operation> warp_operations() { return operations; }

bool same_warp_operation(const Thread& a, const Thread& b) {
    return a.members == b.members && a.pc->offset == b.pc->offset;
}

void run_warp_operation(Lanes lanes) {
    const auto first = std::find_if(lanes.begin(), lanes.end(), [](const Thread* t) { return t != nullptr; });
    const auto how = static_cast<WarpOperation>((*first)->pc->offset);
    if (how >= shfl_up && how <= shfl_idx) shuffle(how, lanes);
    if (how >= vote_all && how <= vote_ballot) vote(how, lanes);
    if (how >= match_any_32 && how <= match_all_64) match(how, lanes);
    if (how >= redux_add && how < first_matrix) reduce(how, lanes);
    if (how >= first_matrix && !run_matrix(static_cast<MatrixKind>(how - first_matrix), lanes)) return;
    for (Thread* t : lanes) {
        if (!t) continue;
        ++t->pc;
        t->state = State::ready;
    }
}

} // namespace pm::ptx
