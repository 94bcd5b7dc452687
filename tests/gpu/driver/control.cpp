#include "tests/gpu/driver/blocks.hpp"
#include "tests/gpu/driver/operations.hpp"

#include <array>

namespace pm::ptx {
namespace {

I jump(Slot*, I i, Thread&) { return i->target; }
I jump_if(Slot* r, I i, Thread&) { return r[i->a] ? i->target : i + 1; }
I jump_unless(Slot* r, I i, Thread&) { return r[i->a] ? i + 1 : i->target; }
I jump_by_index(Slot* r, I i, Thread& t) {
    const auto index = get<std::uint32_t>(r, i->a);
    if (index >= i->targets->list.size())
        return fail(t, i, Fault::illegal_instruction, "the index is beyond the targets");
    return i->targets->list[index];
}
I call(Slot*, I i, Thread& t) { return enter(t, i); }
I give_back(Slot*, I, Thread& t) { return leave(t); }
I end(Slot*, I, Thread& t) {
    t.state = State::ended;
    return nullptr;
}
I trap(Slot*, I i, Thread& t) { return fail(t, i, Fault::launch_failed, "trap"); }

/// The operation of a barrier is in `offset`.
I wait_at_barrier(Slot* r, I i, Thread& t) {
    t.barrier = get<std::uint32_t>(r, i->a);
    t.members = get<std::uint32_t>(r, i->b);
    t.value = r[i->c] != 0;
    if (t.barrier >= barrier_count) return fail(t, i, Fault::illegal_instruction, "there are 16 barriers");
    return wait(t, i, State::at_barrier);
}
I arrive_at_barrier(Slot* r, I i, Thread& t) {
    const auto number = get<std::uint32_t>(r, i->a);
    if (number >= barrier_count) return fail(t, i, Fault::illegal_instruction, "there are 16 barriers");
    arrive(t, number, get<std::uint32_t>(r, i->b));
    return i + 1;
}

void bra(Body& b) {
    b.take("uni");
    b.expect_operands(1, 1);
    const Statement& s = b.current();
    if (s.guard.empty()) return b.emit_branch(jump, 0, b.operand(0).name);
    Operand condition;
    condition.name = s.guard;
    b.emit_branch(s.guard_negated ? jump_unless : jump_if, b.source(condition, Type::pred), b.operand(0).name);
}
void brx(Body& b) {
    if (!b.take("idx")) b.error(".idx is missing");
    b.take("uni");
    b.expect_operands(2, 2);
    b.emit_table(jump_by_index, b.source(0, Type::u32), b.operand(1).name);
}

/// The copies between the caller's variables and the function's own.
std::vector<CallSite::Copy> copies(Body& b, const Operand* given, const std::vector<Parameter>& own, bool into) {
    const std::size_t count = given ? given->parts.size() : 0;
    if (count != own.size()) b.error("another number of parameters");
    std::vector<CallSite::Copy> made;
    for (std::size_t n = 0; n < count; ++n) {
        Symbol symbol;
        if (!b.find(given->parts[n].name, symbol) || symbol.kind != Symbol::Kind::local || symbol.bytes != own[n].bytes)
            b.error("parameters are .param variables of the same size");
        const std::size_t outside = symbol.at, inside = own[n].offset;
        made.push_back(into ? CallSite::Copy{outside, inside, own[n].bytes}
                            : CallSite::Copy{inside, outside, own[n].bytes});
    }
    return made;
}

void encode_call(Body& b) {
    b.take("uni");
    const Operand* results = nullptr;
    const Operand* arguments = nullptr;
    std::size_t n = 0;
    if (b.operand(n).kind == Operand::Kind::list) results = &b.operand(n++);
    const auto found = b.module().functions.find(b.operand(n++).name);
    if (found == b.module().functions.end()) b.error("no function of this name; calls by address are not supported");
    if (n < b.operand_count()) arguments = &b.operand(n++);
    b.expect_operands(n, n);
    auto site = std::make_unique<CallSite>();
    site->callee = found->second.get();
    site->arguments = copies(b, arguments, site->callee->parameters, true);
    site->results = copies(b, results, site->callee->results, false);
    b.emit(call).call = site.get();
    b.function().calls.push_back(std::move(site));
}

/// bar.warp.sync, bar.sync, bar.arrive and bar.red; `barrier` is another name of `bar`.
void bar(Body& b) {
    if (b.take("warp")) {
        b.take("sync");
        return encode_warp_barrier(b);
    }
    b.take("cta");
    b.take("aligned");
    const int how = b.take_one_of({"sync", "arrive", "red"}, -1);
    if (how < 0) b.error("how is not said");
    if (how == 2) {
        const int with = b.take_one_of({"popc", "and", "or"}, -1);
        b.take_type();
        b.expect_operands(3, 4);
        const std::size_t last = b.operand_count() - 1;
        const std::uint32_t count = last == 3 ? b.source(2, Type::u32) : b.constant(0);
        b.emit(wait_at_barrier, b.destination(0), b.source(1, Type::u32), count, b.source(last, Type::pred)).offset =
            static_cast<std::int64_t>(BarrierKind::popc) + with;
        return;
    }
    b.expect_operands(how == 1 ? 2 : 1, 2);
    const std::uint32_t number = b.source(0, Type::u32);
    const std::uint32_t count = b.operand_count() == 2 ? b.source(1, Type::u32) : b.constant(0);
    b.emit(how == 0 ? wait_at_barrier : arrive_at_barrier, sink, number, count, b.constant(0));
}

/// Fences: memory is sequentially consistent anyway.
void nothing(Body& b) {
    for (const auto* word : {"cta", "gl", "sys", "gpu", "cluster", "sc", "acq_rel", "acquire", "release", "proxy",
                             "alias", "async", "u32", "launch_dependents", "wait"})
        b.take(word);
}

constexpr std::array operations = {
    Operation{"bra", bra},
    Operation{"brx", brx},
    Operation{"call", encode_call},
    Operation{"ret",
              [](Body& b) {
                  b.take("uni");
                  b.emit(give_back);
              }},
    Operation{"exit", [](Body& b) { b.emit(end); }},
    Operation{"trap", [](Body& b) { b.emit(trap); }},
    Operation{"brkpt", [](Body& b) { b.emit(trap); }},
    Operation{"bar", bar},
    Operation{"barrier", bar},
    Operation{"membar", nothing},
    Operation{"fence", nothing},
    Operation{"nanosleep", nothing},
    Operation{"griddepcontrol", nothing},
};

} // namespace

std::span<const Operation> control_operations() { return operations; }

} // namespace pm::ptx
