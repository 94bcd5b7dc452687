// mma.sync and ldmatrix. Lane l has row l / 4 and column l % 4.
#include "tests/gpu/driver/matrices.hpp"

#include "tests/gpu/driver/accesses.hpp"
#include "tests/gpu/driver/numbers.hpp"

#include <bit>
#include <cmath>
#include <functional>

namespace pm::ptx {
namespace {

using Lanes = std::span<Thread* const>;

const Fragments& fragments_of(const Thread& t) { return *t.pc->fragments; }

constexpr std::uint32_t most_depth = 16;
using Line = std::array<float, most_depth>;

/// A line of a factor, whose words are in registers of 4 lanes from `first` on. `slot` returns the register of the
/// first or second 16 bytes. For TF32 the low 13 bits are ignored.
template <class SlotOf>
Line line_of(MatrixKind kind, Lanes lanes, std::uint32_t first, SlotOf slot) {
    Line line{};
    for (std::uint32_t word = 0; word < 8; ++word) {
        const Thread& t = *lanes[first + word % 4];
        const auto bits = get<std::uint32_t>(t.r, slot(fragments_of(t), word / 4));
        if (kind == MatrixKind::tf32) {
            line[word] = std::bit_cast<float>(bits & 0xFFFF'E000U);
        } else {
            const Format format = kind == MatrixKind::f16 ? f16_format : bf16_format;
            line[2 * word] = static_cast<float>(widen(bits & 0xFFFF, format));
            line[2 * word + 1] = static_cast<float>(widen(bits >> 16, format));
        }
    }
    return line;
}

float add_products(const Line& a, const Line& b, std::uint32_t depth, float sum) {
    for (std::uint32_t k = 0; k < depth; ++k) sum = std::fma(a[k], b[k], sum);
    return sum;
}
/// The same for processors with an fma instruction.
PM_WITH_FMA float add_products_by_fma(const Line& a, const Line& b, std::uint32_t depth, float sum) {
    for (std::uint32_t k = 0; k < depth; ++k) sum = __builtin_fmaf(a[k], b[k], sum);
    return sum;
}

/// Sums in increasing k, rounded each time. (The order of a device is unspecified.)
void multiply(MatrixKind kind, Lanes lanes) {
    const std::uint32_t depth = kind == MatrixKind::tf32 ? 8 : most_depth;
    std::array<Line, 16> rows;
    std::array<Line, 8> columns;
    for (std::uint32_t n = 0; n < 8; ++n) {
        for (std::uint32_t half = 0; half < 2; ++half)
            rows[n + 8 * half] = line_of(
                kind, lanes, 4 * n, [&](const Fragments& f, std::uint32_t second) { return f.a[half + 2 * second]; });
        columns[n] = line_of(kind, lanes, 4 * n, [](const Fragments& f, std::uint32_t second) { return f.b[second]; });
    }
    static const auto add = has_fma() ? add_products_by_fma : add_products;
    std::array<std::array<float, 4>, warp_size> sums{};
    for (std::uint32_t n = 0; n < warp_size; ++n)
        for (std::uint32_t i = 0; i < 4; ++i) {
            const Line& row = rows[n / 4 + 8 * (i / 2)];
            const Line& column = columns[2 * (n % 4) + i % 2];
            const auto before = get<float>(lanes[n]->r, fragments_of(*lanes[n]).c[i]);
            sums[n][i] = canonical(add(row, column, depth, before));
        }
    for (std::uint32_t n = 0; n < warp_size; ++n)
        for (std::uint32_t i = 0; i < 4; ++i) set(lanes[n]->r, fragments_of(*lanes[n]).d[i], sums[n][i]);
}

/// Lane 8 m + r has the address of row r of matrix m.
bool load(std::size_t count, bool transposed, Lanes lanes) {
    std::array<std::array<std::uint16_t, 8>, warp_size> rows{};
    for (std::size_t n = 0; n < 8 * count; ++n) {
        Thread& t = *lanes[n];
        const std::uint64_t address = t.r[t.pc->a] + static_cast<Slot>(fragments_of(t).offset);
        const std::uint8_t* bytes = find_bytes<Space::shared, 16>(t, t.pc, address);
        if (!bytes) return false;
        std::memcpy(rows[n].data(), bytes, 16);
    }
    for (std::size_t n = 0; n < warp_size; ++n)
        for (std::size_t m = 0; m < count; ++m) {
            const std::size_t row = n / 4, column = 2 * (n % 4);
            const auto element = [&](std::size_t r, std::size_t c) -> std::uint32_t {
                return transposed ? rows[8 * m + c][r] : rows[8 * m + r][c];
            };
            set(lanes[n]->r, fragments_of(*lanes[n]).d[m], element(row, column) | element(row, column + 1) << 16);
        }
    return true;
}

Fragments* new_fragments(Body& b) { return b.function().fragments.emplace_back(std::make_unique<Fragments>()).get(); }

template <std::size_t count>
void read_vector(Body& b, const Operand& operand, std::array<std::uint32_t, count>& slots, std::size_t used,
                 const std::function<std::uint32_t(const Operand&)>& slot) {
    if (operand.kind != Operand::Kind::vector || operand.parts.size() != used) b.error("a vector of another length");
    for (std::size_t n = 0; n < used; ++n) slots[n] = slot(operand.parts[n]);
}

} // namespace

bool run_matrix(MatrixKind kind, Lanes lanes) {
    for (std::uint32_t n = 0; n < warp_size; ++n)
        if (!lanes[n]) {
            for (Thread* t : lanes)
                if (t) fail(*t, t->pc, Fault::launch_failed, "the whole warp must be there");
            return false;
        }
    if (kind <= MatrixKind::bf16) {
        multiply(kind, lanes);
        return true;
    }
    const int which = static_cast<int>(kind) - static_cast<int>(MatrixKind::load_1);
    return load(std::size_t{1} << (which % 3), which >= 3, lanes);
}

MatrixStatement read_mma(Body& b) {
    for (const auto* word : {"sync", "aligned", "row", "col"})
        if (!b.take(word)) b.error(std::string("only .") + word + " is known");
    const int shape = b.take_one_of({"m16n8k8", "m16n8k16"}, -1);
    const Type d = b.take_type(), a = b.take_type(), other = b.take_type(), c = b.take_type();
    const bool known = shape == 0 ? a == Type::tf32 : shape == 1 && (a == Type::f16 || a == Type::bf16);
    if (!known || other != a || d != Type::f32 || c != Type::f32) b.error("not for these types");
    b.expect_operands(4, 4);
    MatrixStatement made;
    made.kind = a == Type::tf32 ? MatrixKind::tf32 : a == Type::f16 ? MatrixKind::f16 : MatrixKind::bf16;
    made.fragments = new_fragments(b);
    Fragments& f = *made.fragments;
    const auto source = [&](Type type) { return [&b, type](const Operand& o) { return b.source(o, type); }; };
    read_vector(b, b.operand(0), f.d, 4, [&](const Operand& o) { return b.destination(o); });
    read_vector(b, b.operand(1), f.a, 4, source(Type::b32));
    read_vector(b, b.operand(2), f.b, 2, source(Type::b32));
    read_vector(b, b.operand(3), f.c, 4, source(Type::f32));
    return made;
}

MatrixStatement read_ldmatrix(Body& b) {
    for (const auto* word : {"sync", "aligned", "m8n8"})
        if (!b.take(word)) b.error(std::string("only .") + word + " is known");
    const int count = b.take_one_of({"x1", "x2", "x4"}, -1);
    const bool transposed = b.take("trans");
    if (take_space(b) != Space::shared) b.error("only of shared memory");
    if (b.take_type() != Type::b16 || count < 0) b.error("not for this type");
    b.expect_operands(2, 2);
    MatrixStatement made;
    made.kind = static_cast<MatrixKind>(static_cast<int>(MatrixKind::load_1) + count + (transposed ? 3 : 0));
    made.fragments = new_fragments(b);
    read_vector(b, b.operand(0), made.fragments->d, std::size_t{1} << count,
                [&](const Operand& o) { return b.destination(o); });
    const Place place = place_of(b, b.operand(1), Space::shared);
    made.address = place.base;
    made.fragments->offset = place.offset;
    return made;
}

} // namespace pm::ptx
