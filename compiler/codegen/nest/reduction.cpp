#include "compiler/codegen/nest/reduction.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace pm::codegen {

using nest::Combine;

namespace {

/// `lanes`, rounded up to a power of two. Vectors with this number of lanes fill whole registers.
int whole(int lanes) { return static_cast<int>(std::bit_ceil(static_cast<unsigned>(lanes))); }

/// `v` with `lanes` lanes. Lanes beyond those of `v` are poison.
Value* resized(Emit& e, Value* v, int lanes) {
    const int have = Emit::lanes_of(v);
    if (have == lanes) return v;
    std::vector<int> taken(static_cast<std::size_t>(lanes), llvm::PoisonMaskElem);
    for (int i = 0; i < std::min(have, lanes); ++i) taken[static_cast<std::size_t>(i)] = i;
    return e.b.CreateShuffleVector(v, taken);
}
Ranked resized(Emit& e, Ranked x, int lanes) {
    return {resized(e, x.value, lanes), x.position == nullptr ? nullptr : resized(e, x.position, lanes)};
}

} // namespace

std::vector<Reduction> reductions_of(const nest::Nest& nest, const nest::Stage& stage) {
    std::vector<Reduction> made;
    for (const nest::Ref r : stage.body) {
        const nest::Inst& inst = nest[r];
        if (inst.op != nest::ScalarOp::reduce) continue;
        const DType from = nest[inst.operands[0]].dtype;
        const bool ranked = inst.combine == Combine::argmax || inst.combine == Combine::argmin;
        made.push_back({r, inst.combine, accumulator(inst.combine, from), from, ranked});
    }
    return made;
}

int accumulators_of(const nest::Stage& stage) { return nest::accumulators(nest::Order::lanes, stage.loops.back()); }

std::int64_t blocks_of(const nest::Stage& stage) {
    const std::int64_t extent = stage.loops.front();
    return stage.block == 0 || stage.block >= extent ? 1 : (extent + stage.block - 1) / stage.block;
}

Ranked merge(Emit& e, const Reduction& r, Ranked a, Ranked c) {
    if (r.ranked) return combine_ranked(e, r.how, r.dtype, a, c);
    return {combine(e, r.how, r.dtype, a.value, c.value), nullptr};
}

Ranked identity(Emit& e, const Reduction& r, int lanes) {
    Value* value = constant_bits(e, r.dtype, nest::identity_bits(r.how, r.dtype), lanes);
    return {value, r.ranked ? e.splat(e.int64(std::numeric_limits<std::int64_t>::max()), lanes) : nullptr};
}

Ranked operand_of(const NestBody& body, const Scope& scope, const Reduction& r) {
    const nest::Inst& inst = body.shape.nest[r.ref];
    const Ranked x{body.spread(scope, inst.operands[0]), r.ranked ? body.spread(scope, inst.operands[1]) : nullptr};
    if (r.dtype != DType::f64 || r.from == DType::f64) return x;
    // LLVM generates good code for widening only if vectors fill whole registers.
    return {widened(body.e, r.dtype, resized(body.e, x.value, whole(Emit::lanes_of(x.value)))), nullptr};
}

Reduction total_of(Reduction r) {
    r.dtype = total_dtype(r.how, r.dtype);
    return r;
}

std::vector<Reduction> block_results_of(const nest::Nest& nest, const nest::Stage& stage) {
    std::vector<Reduction> made = reductions_of(nest, stage);
    if (stage.chunk.iterations > 0) std::transform(made.begin(), made.end(), made.begin(), total_of);
    return made;
}

Ranked widened(Emit& e, const Reduction& total, Ranked x) {
    x.value = widened(e, total.dtype, x.value);
    return x;
}

llvm::Type* stored_type(Emit& e, const Reduction& r, int lanes) {
    return r.dtype == DType::b1 ? memory_type(e, r.dtype, lanes) : register_type(e, r.dtype, lanes);
}

void store_ranked(Emit& e, const Reduction& r, RankedPlace place, Ranked x) {
    e.b.CreateStore(r.dtype == DType::b1 ? to_memory(e, r.dtype, x.value) : x.value, place.value);
    if (r.ranked) e.b.CreateStore(x.position, place.position);
}

Ranked load_ranked(Emit& e, const Reduction& r, RankedPlace place, int lanes) {
    Value* value = e.b.CreateLoad(stored_type(e, r, lanes), place.value);
    if (r.dtype == DType::b1) value = to_register(e, r.dtype, value);
    return {value, r.ranked ? e.b.CreateLoad(e.vector(e.i64(), lanes), place.position) : nullptr};
}

void publish_reduced(Emit& e, Scope& scope, const Reduction& r, Ranked result) {
    Value* value = r.ranked ? result.position : result.value;
    if (!r.ranked && r.dtype != r.from) value = emit_scalar(e, nest::ScalarOp::convert, r.from, r.dtype, {value});
    scope.values[r.ref.id] = value;
}

Accumulator::Accumulator(Emit& e, const Reduction& r, int lanes, int count)
    : e_(e), r_(r), lanes_(lanes), held_(whole(lanes)) {
    type_ = register_type(e, r.dtype, held_);
    for (int i = 0; i < count; ++i) {
        values_.push_back(e.slot(type_, "acc"));
        if (r.ranked) positions_.push_back(e.slot(e.vector(e.i64(), held_), "at"));
    }
}

void Accumulator::reset() {
    for (std::size_t i = 0; i < values_.size(); ++i) write(i, identity(e_, r_, held_));
}

void Accumulator::write(std::size_t i, Ranked x) {
    x = resized(e_, x, held_);
    e_.b.CreateStore(x.value, values_[i]);
    if (r_.ranked) e_.b.CreateStore(x.position, positions_[i]);
}

Ranked Accumulator::read(std::size_t i) { return resized(e_, held(i), lanes_); }

Ranked Accumulator::held(std::size_t i) {
    return {e_.b.CreateLoad(type_, values_[i]),
            r_.ranked ? e_.b.CreateLoad(e_.vector(e_.i64(), held_), positions_[i]) : nullptr};
}

void Accumulator::add(std::size_t i, Ranked x, Value* mask) {
    const Ranked old = held(i);
    Ranked sum = merge(e_, r_, old, resized(e_, x, held_));
    if (mask != nullptr) {
        mask = resized(e_, mask, held_);
        sum.value = e_.b.CreateSelect(mask, sum.value, old.value);
        if (r_.ranked) sum.position = e_.b.CreateSelect(mask, sum.position, old.position);
    }
    write(i, sum);
}

void Accumulators::append(int lanes, int count) {
    for (const Reduction& r : reductions_of(nest_, stage_)) {
        parts_.emplace_back(e_, r, lanes, count);
        if (stage_.chunk.iterations > 0) totals_.emplace_back(e_, total_of(r), lanes, count);
    }
}

void Accumulators::reset() {
    for (Accumulator& part : parts_) part.reset();
    for (Accumulator& total : totals_) total.reset();
}

void Accumulators::flush() {
    for (std::size_t i = 0; i < totals_.size(); ++i) {
        for (std::size_t k = 0; k < totals_[i].count(); ++k)
            totals_[i].add(k, widened(e_, totals_[i].reduction(), parts_[i].read(k)), nullptr);
        parts_[i].reset();
    }
}

void Accumulators::chunks(std::size_t loop, Value* begin, Value* end, const std::function<void(Value*, Value*)>& part,
                          bool more) {
    const nest::Chunk& chunk = stage_.chunk;
    if (chunk.iterations == 0 || chunk.loop != loop) return part(begin, end);
    e_.loop(begin, end, chunk.iterations, [&](Value* from) {
        Value* to = e_.b.CreateAdd(from, e_.int64(chunk.iterations));
        part(from, e_.call(llvm::Intrinsic::smin, {e_.i64()}, {to, end}));
        if (more)
            e_.when(e_.b.CreateICmpSLE(to, end), [&] { flush(); });
        else
            flush();
    });
}

} // namespace pm::codegen
