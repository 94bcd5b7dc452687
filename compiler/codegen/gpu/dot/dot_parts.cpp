#include "compiler/codegen/gpu/dot/dot.hpp"
#include "compiler/codegen/gpu/points.hpp"

#include <algorithm>
#include <array>

// A product of few tiles and many terms runs on all thread blocks of a launch. Times of an H100 in ms, with one thread
// block per tile:
//   1 x 32, k = 200704     11.8
//   1 x 1, k = 1048576     24.7
//   64 x 64, k = 32768      2.9, and 0.70 by tensor cores

namespace pm::codegen {
namespace {

/// The desired number of thread blocks, one for each part of each tile. `enough_tiles` is two thread blocks for each
/// multiprocessor of a large device. A product of few rows or columns mostly waits for memory, so it needs more
/// threads. `enough_lines` thread blocks have about as many threads as a large device can hold at a time.
constexpr std::int64_t enough_tiles = 264;
constexpr std::int64_t enough_lines = 1024;
/// Summing this number of terms takes about as long as a second launch.
constexpr std::int64_t few_products = 512;
constexpr std::int64_t few_products_on_cores = 1024;
/// The least number of terms in a part.
constexpr std::int64_t least_part = 128;
constexpr std::int64_t least_part_on_cores = 512;
/// The size of a part on tensor cores is a multiple of this unit, so no slab is cut.
constexpr std::int64_t unit_on_cores = 256;
constexpr std::int64_t most_scratch = std::int64_t{1} << 26;
/// The number of elements that keeps a device busy with a thread for each element.
constexpr std::int64_t many_elements = std::int64_t{1} << 14U;

std::int64_t round_up(std::int64_t x, std::int64_t unit) { return ceil_div(x, unit) * unit; }

DType sum_of(const plan::Step& dot, const plan::Program& program) {
    return dot_sum(program.buffers[dot.buffers[0]].dtype);
}

std::int64_t bytes_of(const DotParts& parts, const plan::DotStep& s, DType sum) {
    return parts.pieces(s.k) * s.elements() * static_cast<std::int64_t>(runtime::size_of(sum));
}

} // namespace

DotParts parts_of(const plan::Step& dot, const plan::Program& program) {
    const plan::DotStep s = dot_sizes(dot);
    const DType sum = sum_of(dot, program);
    const bool cores = on_tensor_cores(dot);
    if (sum == DType::b1 || s.elements() == 0 || s.k < 2 * (cores ? few_products_on_cores : few_products)) return {};
    const std::int64_t enough = cores || (s.m > few_lines && s.n > few_lines) ? enough_tiles : enough_lines;
    const std::int64_t wanted = std::min(enough / tiles_of_dot(dot), s.k / (cores ? least_part_on_cores : least_part));
    if (wanted < 2) return {};
    const ProductOrder order = product_order(sum, s.k);
    const bool in_order = !cores && order.has_blocks();
    DotParts made;
    made.size = round_up(ceil_div(s.k, wanted), cores ? unit_on_cores : least_part);
    made.count = ceil_div(s.k, made.size);
    made.piece = in_order ? order.block : made.size;
    made.group = in_order ? order.group / order.block : 1;
    return made.count > 1 && bytes_of(made, s, sum) <= most_scratch ? made : DotParts{};
}

int dot_passes(const plan::Step& dot, const plan::Program& program) { return parts_of(dot, program).count > 1 ? 2 : 1; }

std::int64_t dot_scratch_bytes(const plan::Step& dot, const plan::Program& program) {
    const DotParts parts = parts_of(dot, program);
    return parts.count == 1 ? 0 : bytes_of(parts, dot_sizes(dot), sum_of(dot, program));
}

int team_of_totals(const plan::DotStep& s) { return s.elements() < many_elements ? warp : 1; }

std::optional<DotPieces> DotPieces::of(Emit& e, const plan::Step& step, const plan::Program& program,
                                       llvm::ArrayRef<Value*> buffers) {
    if (buffers.size() == step.buffers.size()) return {};
    return DotPieces(e, step, program, buffers);
}

DotPieces::DotPieces(Emit& e, const plan::Step& step, const plan::Program& program, llvm::ArrayRef<Value*> buffers)
    : e_(e), step_(step), program_(program), s_(dot_sizes(step)), parts_(parts_of(step, program)),
      sum_{{}, nest::Combine::add, sum_of(step, program), sum_of(step, program), false},
      memory_(buffers[buffers.size() - 2]), pass_(e.b.CreatePtrToInt(buffers.back(), e.i64())) {}

void DotPieces::run(Threads& threads, const Mapping& mapping, llvm::ArrayRef<Value*> buffers,
                    const std::function<void()>& multiply) {
    e_.when(e_.b.CreateICmpEQ(pass_, e_.int64(0)), multiply);
    e_.when(e_.b.CreateICmpEQ(pass_, e_.int64(1)), [&] {
        DotEpilogue end(e_, step_, program_, buffers.take_front(step_.buffers.size()));
        Mapping by_element = mapping;
        by_element.team = team_of_totals(s_);
        each_point(e_, threads, by_element, s_.elements(), [&](Value* element) {
            Value* sum = total(threads, by_element, element);
            const std::vector<Value*> at = digits(e_, element, {s_.batch, s_.m, s_.n});
            const auto put = [&] { end.put(sum, at[0], at[1], at[2]); };
            if (by_element.team == 1) return put();
            Value* lane = e_.b.CreateURem(threads.thread(), e_.int64(warp));
            e_.when(e_.b.CreateICmpEQ(lane, e_.int64(0)), put);
        });
    });
}

void DotPieces::put(Value* sum, Value* piece, Value* batch, Value* m, Value* n) {
    Value* element = e_.add(e_.mul(e_.add(e_.mul(batch, s_.m), m), s_.n), n);
    store_ranked(e_, sum_, {place(piece, element), nullptr}, {sum, nullptr});
}

Value* DotPieces::place(Value* piece, Value* element) {
    const auto width = static_cast<std::int64_t>(runtime::size_of(sum_.dtype));
    return e_.byte_offset(memory_, e_.mul(e_.add(e_.mul(piece, s_.elements()), element), width));
}

/// The loads of 16 pieces start before the first loaded value is used. Beyond the last piece, the identity is added.
Ranked DotPieces::group_sum(Value* group, Value* element) {
    constexpr std::int64_t at_once = 16;
    const std::int64_t pieces = parts_.pieces(s_.k);
    Accumulator sum(e_, sum_, 1, 1);
    sum.reset();
    e_.loop(0, parts_.group, at_once, [&](Value* first) {
        std::array<Ranked, at_once> some{};
        const std::int64_t count = std::min(at_once, parts_.group);
        for (std::int64_t i = 0; i < count; ++i) {
            Value* piece = e_.add(e_.mul(group, parts_.group), e_.add(first, e_.int64(i)));
            Value* there = e_.b.CreateICmpSLT(piece, e_.int64(pieces));
            piece = e_.b.CreateSelect(there, piece, e_.int64(pieces - 1));
            Ranked x = load_ranked(e_, sum_, {place(piece, element), nullptr}, 1);
            x.value = e_.b.CreateSelect(there, x.value, identity(e_, sum_, 1).value);
            some[static_cast<std::size_t>(i)] = x;
        }
        for (std::int64_t i = 0; i < count; ++i) sum.add(0, some[static_cast<std::size_t>(i)], nullptr);
    });
    return sum.read(0);
}

/// Each thread of the team adds the pieces of one group. Then every thread adds the sums of these groups in order.
Value* DotPieces::total(Threads& threads, const Mapping& mapping, Value* element) {
    const std::int64_t groups = ceil_div(parts_.pieces(s_.k), parts_.group);
    Value* lane = e_.b.CreateURem(threads.thread(), e_.int64(mapping.team));
    Accumulator total(e_, total_of(sum_), 1, 1);
    total.reset();
    e_.loop(0, groups, mapping.team, [&](Value* first) {
        const Ranked own = group_sum(e_.add(first, lane), element);
        e_.loop(0, mapping.team, 1, [&](Value* member) {
            Value* source = e_.b.CreateTrunc(member, e_.i32());
            Value* sum = mapping.team == 1 ? own.value : threads.take(own.value, source, warp);
            total.add(0, widened(e_, total.reduction(), {sum, nullptr}), nullptr);
        });
    });
    return narrowed(e_, sum_.dtype, total.read(0).value);
}

} // namespace pm::codegen
