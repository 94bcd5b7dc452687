#include "compiler/codegen/gpu/points.hpp"

#include <limits>

namespace pm::codegen {

Mapping map_points(std::int64_t points, int team, int threads) {
    constexpr std::int64_t most_blocks = 8192;
    const std::int64_t per_block = threads / team;
    const std::int64_t blocks = std::clamp<std::int64_t>((points + per_block - 1) / per_block, 1, most_blocks);
    return {.team = team, .threads = threads, .points = points, .blocks = blocks, .has_barriers = team > 1};
}

void each_point(Emit& e, Threads& threads, const Mapping& mapping, std::int64_t points,
                const std::function<void(Value*)>& f) {
    const std::int64_t per_block = mapping.threads / mapping.team;
    Value* team = threads.thread();
    if (mapping.team > 1) team = e.b.CreateUDiv(team, e.int64(mapping.team));
    const bool alone = mapping.fixed && mapping.blocks == 1;
    Value* first = alone ? team : e.add(e.mul(threads.block(), per_block), team);
    if (points <= per_block * (mapping.fixed ? mapping.blocks : 1))
        e.when(e.b.CreateICmpSLT(first, e.int64(points)), [&] { f(first); });
    else if (mapping.fixed)
        e.loop(first, e.int64(points), per_block * mapping.blocks, f);
    else
        e.loop(first, e.int64(points), e.mul(threads.blocks(), per_block), f);
}

std::vector<Value*> digits(Emit& e, Value* number, const std::vector<std::int64_t>& extents) {
    std::vector<Value*> made(extents.size());
    if (extents.empty()) return made;
    // 64-bit divisions are slow, so 32 bits are used if they are enough for all numbers.
    llvm::Type* type = nest::product(extents) <= std::numeric_limits<std::int32_t>::max() ? e.i32() : e.i64();
    number = e.b.CreateTrunc(number, type);
    for (std::size_t d = extents.size(); d-- > 1;) {
        Value* extent = llvm::ConstantInt::get(type, static_cast<std::uint64_t>(extents[d]));
        made[d] = e.b.CreateZExt(e.b.CreateURem(number, extent), e.i64());
        number = e.b.CreateUDiv(number, extent);
    }
    made[0] = e.b.CreateZExt(number, e.i64());
    return made;
}

} // namespace pm::codegen
