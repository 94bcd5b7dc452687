#include "tests/unit/plan/interpret_nest.hpp"

#include "runtime/element.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <utility>

namespace pm::plan::testing {

using nest::Combine;
using nest::DType;
using nest::Nest;
using nest::Ref;
using nest::ScalarOp;

std::uint64_t read_element(const std::uint8_t* data, DType dtype, std::int64_t i) {
    std::uint64_t bits = 0;
    const std::size_t width = runtime::size_of(dtype);
    std::memcpy(&bits, data + static_cast<std::size_t>(i) * width, width);
    return bits;
}
void write_element(std::uint8_t* data, DType dtype, std::int64_t i, std::uint64_t bits) {
    const std::size_t width = runtime::size_of(dtype);
    std::memcpy(data + static_cast<std::size_t>(i) * width, &bits, width);
}

DType accumulator(Combine how, DType dtype) {
    const bool half = dtype == DType::f16 || dtype == DType::bf16;
    if (how == Combine::mul && runtime::is_float(dtype)) return DType::f64;
    return half && how == Combine::add ? DType::f32 : dtype;
}

namespace {

bool is_position(Combine how) { return how == Combine::argmax || how == Combine::argmin; }

/// A partial result of a reduction: a value, and for argmax and argmin also a position.
struct Partial {
    std::uint64_t value = 0;
    std::int64_t position = std::numeric_limits<std::int64_t>::max();
};

Partial combine(Combine how, DType dtype, const Partial& a, const Partial& b) {
    if (!is_position(how)) return {combine_elements(how, dtype, a.value, b.value), 0};
    const bool float_ = runtime::is_float(dtype);
    const double x = runtime::read_f64(dtype, &a.value, 0);
    const double y = runtime::read_f64(dtype, &b.value, 0);
    const auto before = [&](ScalarOp op, std::uint64_t p, std::uint64_t q) {
        return scalar_operation(op, DType::b1, dtype, p, q) != 0;
    };
    const bool a_nan = float_ && std::isnan(x);
    const bool b_nan = float_ && std::isnan(y);
    if (a_nan != b_nan) return a_nan ? a : b;
    const bool tie = (a_nan && b_nan) || before(ScalarOp::equal, a.value, b.value);
    if (tie) return a.position <= b.position ? a : b;
    const bool a_wins =
        how == Combine::argmax ? before(ScalarOp::less, b.value, a.value) : before(ScalarOp::less, a.value, b.value);
    return a_wins ? a : b;
}

/// Runs one nest on buffers at given addresses.
class NestRun {
  public:
    /// `sizes` are the numbers of elements of the buffers; an access beyond them is an error.
    NestRun(const Nest& nest, std::vector<std::uint8_t*> buffers, std::vector<std::int64_t> sizes)
        : nest_(nest), buffers_(std::move(buffers)), sizes_(std::move(sizes)), values_(nest.insts.size(), 0) {}

    void run() {
        loops_.assign(nest_.grid.size(), 0);
        each(nest_.grid, 0, [&] {
            for (const nest::Stage& stage : nest_.stages) run_stage(stage);
            loops_.resize(nest_.grid.size());
        });
    }

  private:
    template <class Fn>
    void each(const std::vector<std::int64_t>& extents, std::size_t first, Fn fn) {
        if (std::any_of(extents.begin(), extents.end(), [](std::int64_t e) { return e == 0; })) return;
        std::vector<std::int64_t> at(extents.size(), 0);
        for (;;) {
            for (std::size_t d = 0; d < at.size(); ++d) loops_[first + d] = at[d];
            fn();
            std::size_t d = at.size();
            while (d-- > 0) {
                if (++at[d] < extents[d]) break;
                at[d] = 0;
            }
            if (d == static_cast<std::size_t>(-1)) return;
        }
    }

    std::int64_t affine(const nest::Affine& a) const {
        std::int64_t result = a.base;
        for (std::size_t l = 0; l < a.coefficients.size(); ++l) result += a.coefficients[l] * loops_[l];
        return result;
    }
    std::int64_t address(const nest::Access& a) const {
        const std::int64_t at = affine(a.offset) + (a.dynamic ? static_cast<std::int64_t>(values_[a.dynamic.id]) : 0);
        if (at < 0 || at >= sizes_[a.buffer]) throw std::logic_error("nest " + nest_.name + " leaves a buffer");
        return at;
    }

    void execute(Ref r) {
        const nest::Inst& inst = nest_[r];
        switch (inst.op) {
        case ScalarOp::constant: values_[r.id] = inst.bits; return;
        case ScalarOp::index: values_[r.id] = static_cast<std::uint64_t>(affine(inst.affine)); return;
        case ScalarOp::load:
            values_[r.id] = inst.access.mask && values_[inst.access.mask.id] == 0
                                ? 0
                                : read_element(buffers_[inst.access.buffer], inst.dtype, address(inst.access));
            return;
        case ScalarOp::store:
            if (!inst.access.mask || values_[inst.access.mask.id] != 0)
                write_element(buffers_[inst.access.buffer], inst.dtype, address(inst.access),
                              values_[inst.operands[0].id]);
            return;
        case ScalarOp::reduce: return;
        default: break;
        }
        std::array<std::uint64_t, 3> operands{};
        for (std::size_t i = 0; i < inst.operands.size(); ++i) operands.at(i) = values_[inst.operands[i].id];
        values_[r.id] = scalar_operation(inst.op, inst.dtype, nest_[inst.operands.back()].dtype, operands[0],
                                         operands[1], operands[2]);
    }

    void body(const nest::Stage& stage) {
        for (const Ref r : stage.body) execute(r);
    }

    void run_stage(const nest::Stage& stage) {
        std::vector<Ref> reductions;
        for (const Ref r : stage.body)
            if (nest_[r].op == ScalarOp::reduce) reductions.push_back(r);
        loops_.resize(nest_.grid.size() + stage.loops.size());
        if (reductions.empty()) {
            each(stage.loops, nest_.grid.size(), [&] { body(stage); });
            return;
        }
        const std::int64_t outer = stage.loops[0];
        const std::int64_t block = stage.block > 0 ? stage.block : std::max<std::int64_t>(outer, 1);
        std::vector<Partial> totals;
        for (std::int64_t begin = 0; begin < std::max<std::int64_t>(outer, 1); begin += block) {
            const std::vector<Partial> part = reduce_block(stage, reductions, begin, std::min(outer, begin + block));
            if (stage.block == 0) {
                totals = part;
                break;
            }
            if (totals.empty())
                for (const Ref r : reductions) totals.push_back({nest::identity_bits(nest_[r].combine, total_type(r))});
            for (std::size_t i = 0; i < totals.size(); ++i) {
                const Ref r = reductions[i];
                Partial more = part[i];
                more.value = converted(more.value, block_type(stage, r), total_type(r));
                totals[i] = combine(nest_[r].combine, total_type(r), totals[i], more);
            }
        }
        for (std::size_t i = 0; i < totals.size(); ++i) {
            const Ref r = reductions[i];
            values_[r.id] = result(r, totals[i], stage.block > 0 ? total_type(r) : block_type(stage, r));
        }
    }

    DType operand_type(Ref r) const { return nest_[nest_[r].operands[0]].dtype; }
    /// The dtype in which results of blocks are combined.
    DType total_type(Ref r) const {
        const bool sum = nest_[r].combine == Combine::add || nest_[r].combine == Combine::mul;
        return sum && type_of(r) == DType::f32 ? DType::f64 : type_of(r);
    }
    DType type_of(Ref r) const { return accumulator(nest_[r].combine, operand_type(r)); }
    /// The dtype of the result of a block.
    DType block_type(const nest::Stage& stage, Ref r) const {
        return stage.chunk.iterations > 0 ? total_type(r) : type_of(r);
    }
    static std::uint64_t converted(std::uint64_t value, DType from, DType to) {
        return from == to ? value : scalar_operation(ScalarOp::convert, to, from, value);
    }

    std::uint64_t result(Ref r, const Partial& total, DType from) const {
        if (is_position(nest_[r].combine)) return static_cast<std::uint64_t>(total.position);
        return converted(total.value, from, nest_[r].dtype);
    }

    /// Whether a chunk ends after the current iteration. A block is a part of the stage's outermost own loop
    /// (Stage::block). The indices of the stage's loops count from its start. `extents` are the extents of the block's
    /// loops.
    bool chunk_ends(const nest::Stage& stage, const std::vector<std::int64_t>& extents) const {
        if (stage.chunk.iterations == 0) return false;
        const std::int64_t* at = loops_.data() + nest_.grid.size();
        for (std::size_t l = stage.chunk.loop + 1; l < extents.size(); ++l)
            if (at[l] + 1 < extents[l]) return false;
        const std::int64_t done = at[stage.chunk.loop] + 1;
        return done % stage.chunk.iterations == 0 || done == extents[stage.chunk.loop];
    }

    std::vector<Partial> reduce_block(const nest::Stage& stage, const std::vector<Ref>& reductions, std::int64_t begin,
                                      std::int64_t end) {
        const std::int64_t inner = stage.loops.back();
        const std::int64_t width = stage.order == nest::Order::sequential ? 1 : inner >= 64 ? 64 : 16;
        std::vector<std::vector<Partial>> sums;
        std::vector<std::vector<Partial>> totals;
        const auto anew = [&](Ref r, DType dtype) {
            return std::vector<Partial>(static_cast<std::size_t>(width),
                                        Partial{nest::identity_bits(nest_[r].combine, dtype)});
        };
        for (const Ref r : reductions) sums.push_back(anew(r, type_of(r)));
        for (const Ref r : reductions) totals.push_back(anew(r, block_type(stage, r)));
        std::vector<std::int64_t> extents = stage.loops;
        const std::size_t first = nest_.grid.size();
        const bool one_loop = extents.size() == 1;
        extents[0] = end - begin;
        each(extents, first, [&] {
            loops_[first] += begin;
            body(stage);
            // If there is one loop, the innermost index counts from the start of the block.
            const std::int64_t iteration = loops_[first + extents.size() - 1] - (one_loop ? begin : 0);
            for (std::size_t i = 0; i < reductions.size(); ++i) {
                const nest::Inst& inst = nest_[reductions[i]];
                Partial& sum = sums[i][static_cast<std::size_t>(width == 1 ? 0 : iteration % width)];
                Partial x{values_[inst.operands[0].id], 0};
                if (is_position(inst.combine)) x.position = static_cast<std::int64_t>(values_[inst.operands[1].id]);
                x.value = converted(x.value, operand_type(reductions[i]), type_of(reductions[i]));
                sum = combine(inst.combine, type_of(reductions[i]), sum, x);
            }
            loops_[first] -= begin;
            if (!chunk_ends(stage, extents)) return;
            for (std::size_t i = 0; i < reductions.size(); ++i) {
                const Ref r = reductions[i];
                for (std::size_t a = 0; a < sums[i].size(); ++a) {
                    Partial more = sums[i][a];
                    more.value = converted(more.value, type_of(r), block_type(stage, r));
                    totals[i][a] = combine(nest_[r].combine, block_type(stage, r), totals[i][a], more);
                }
                sums[i] = anew(r, type_of(r));
            }
        });
        if (stage.chunk.iterations > 0) sums = totals;
        std::vector<Partial> result;
        for (std::size_t i = 0; i < reductions.size(); ++i) {
            for (std::int64_t half = width / 2; half > 0; half /= 2)
                for (std::int64_t a = 0; a < half; ++a) {
                    auto& sum = sums[i][static_cast<std::size_t>(a)];
                    sum = combine(nest_[reductions[i]].combine, block_type(stage, reductions[i]), sum,
                                  sums[i][static_cast<std::size_t>(a + half)]);
                }
            result.push_back(sums[i][0]);
        }
        return result;
    }

    const Nest& nest_;
    std::vector<std::uint8_t*> buffers_;
    std::vector<std::int64_t> sizes_;
    std::vector<std::uint64_t> values_;
    std::vector<std::int64_t> loops_;
};

} // namespace

void interpret_nest(const Nest& nest, std::vector<std::uint8_t*> buffers, std::vector<std::int64_t> sizes) {
    NestRun(nest, std::move(buffers), std::move(sizes)).run();
}

} // namespace pm::plan::testing
