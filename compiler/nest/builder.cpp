#include "compiler/nest/builder.hpp"

#include "compiler/base/check.hpp"
#include "compiler/base/stop.hpp"
#include "compiler/nest/fold.hpp"
#include "runtime/element.hpp"

#include <algorithm>

namespace pm::nest {
namespace {

std::uint64_t mix(std::uint64_t h, std::uint64_t x) {
    h ^= x + 0x9E3779B97F4A7C15ULL + (h << 6) + (h >> 2);
    return h * 0xFF51AFD7ED558CCDULL;
}

std::uint64_t hash_affine(std::uint64_t h, const Affine& a) {
    h = mix(h, static_cast<std::uint64_t>(a.base));
    for (const std::int64_t c : a.coefficients) h = mix(h, static_cast<std::uint64_t>(c));
    return h;
}

std::uint64_t hash(const Inst& i) {
    std::uint64_t h = mix(static_cast<std::uint64_t>(i.op), static_cast<std::uint64_t>(i.dtype));
    for (const Ref r : i.operands) h = mix(h, r.id);
    h = mix(h, i.bits);
    h = hash_affine(h, i.affine);
    h = mix(mix(h, i.access.buffer), mix(i.access.dynamic.id, i.access.mask.id));
    h = hash_affine(h, i.access.offset);
    return mix(h, static_cast<std::uint64_t>(i.combine));
}

bool same(const Inst& a, const Inst& b) {
    return a.op == b.op && a.dtype == b.dtype && a.operands == b.operands && a.bits == b.bits && a.affine == b.affine &&
           a.access.buffer == b.access.buffer && a.access.offset == b.access.offset &&
           a.access.dynamic == b.access.dynamic && a.access.mask == b.access.mask && a.combine == b.combine;
}

void trim(Affine& a) {
    while (!a.coefficients.empty() && a.coefficients.back() == 0) a.coefficients.pop_back();
}

Affine scaled(const Affine& a, std::int64_t factor) {
    Affine r = a;
    r.base *= factor;
    for (auto& c : r.coefficients) c *= factor;
    trim(r);
    return r;
}

Affine sum(const Affine& a, const Affine& b) {
    Affine r = a;
    r.base += b.base;
    if (r.coefficients.size() < b.coefficients.size()) r.coefficients.resize(b.coefficients.size());
    for (std::size_t l = 0; l < b.coefficients.size(); ++l) r.coefficients[l] += b.coefficients[l];
    trim(r);
    return r;
}

} // namespace

Builder::Builder(std::string name, std::vector<std::int64_t> grid) {
    nest_.name = std::move(name);
    nest_.grid = std::move(grid);
}

std::uint32_t Builder::buffer(DType dtype, bool written) {
    nest_.buffers.push_back({dtype, written});
    return static_cast<std::uint32_t>(nest_.buffers.size() - 1);
}

void Builder::begin_stage(std::vector<std::int64_t> loops, const ReduceOrder& order) {
    nest_.stages.push_back({std::move(loops), {}, order.order, order.block, order.chunk});
    interned_.clear();
}

namespace {
Indices loop_indices(std::size_t count) {
    Indices result(count);
    for (std::size_t l = 0; l < count; ++l) {
        result[l].affine.coefficients.assign(l + 1, 0);
        result[l].affine.coefficients[l] = 1;
    }
    return result;
}
} // namespace

Indices Builder::grid_indices() const { return loop_indices(nest_.grid.size()); }

Indices Builder::stage_indices() const {
    PM_CHECK(!nest_.stages.empty());
    return loop_indices(nest_.grid.size() + nest_.stages.back().loops.size());
}

Ref Builder::push(Inst inst) {
    poll_stop();
    if (nest_.stages.empty()) begin_stage({});
    const bool unique = inst.op == ScalarOp::store;
    const std::uint64_t h = hash(inst);
    if (!unique)
        for (auto [at, end] = interned_.equal_range(h); at != end; ++at) {
            ++compared_;
            if (same(nest_[at->second], inst)) return at->second;
        }
    const Ref ref{static_cast<std::uint32_t>(nest_.insts.size())};
    ranges_.push_back(value_range(nest_, &nest_.stages.back(), inst, ranges_));
    nest_.insts.push_back(std::move(inst));
    nest_.stages.back().body.push_back(ref);
    if (!unique) interned_.emplace(h, ref);
    return ref;
}

Ref Builder::constant(DType dtype, double value) {
    PM_CHECK(runtime::size_of(dtype) <= 8);
    std::uint64_t bits = 0;
    runtime::write_f64(dtype, &bits, 0, value);
    return constant_bits(dtype, bits);
}

Ref Builder::constant_bits(DType dtype, std::uint64_t bits) {
    Inst inst;
    inst.op = ScalarOp::constant;
    inst.dtype = dtype;
    inst.bits = bits;
    return push(std::move(inst));
}

Ref Builder::op(ScalarOp op, DType dtype, std::vector<Ref> operands) {
    PM_CHECK(static_cast<int>(operands.size()) == operand_count(op), std::string(name(op)));
    if (const auto folded = fold(nest_, op, dtype, operands)) {
        if (folded->ref) return folded->ref;
        return constant_bits(dtype, folded->bits);
    }
    Inst inst;
    inst.op = op;
    inst.dtype = dtype;
    inst.operands = std::move(operands);
    return push(std::move(inst));
}

// -- index arithmetic

Index Builder::add(const Index& a, const Index& b) {
    Index r{sum(a.affine, b.affine), a.computed};
    if (b.computed) r.computed = a.computed ? op(ScalarOp::add, DType::i64, {a.computed, b.computed}) : b.computed;
    return r;
}

Index Builder::add(const Index& a, std::int64_t b) {
    Index r = a;
    r.affine.base += b;
    return r;
}

Index Builder::mul(const Index& a, std::int64_t b) {
    if (b == 0) return Index::constant(0);
    Index r{scaled(a.affine, b), a.computed};
    if (a.computed)
        r.computed =
            op(ScalarOp::mul, DType::i64, {a.computed, constant_bits(DType::i64, static_cast<std::uint64_t>(b))});
    return r;
}

Range Builder::range(const Index& a) const {
    const Range r = affine_range(nest_, stage(), a.affine);
    return a.computed ? r + ranges_[a.computed.id] : r;
}

/// Splits the index: a = b * quotient + rest. The quotient is affine. The rest has the terms whose coefficients are not
/// multiples of b.
std::pair<Affine, Index> Builder::split(const Index& a, std::int64_t b) const {
    Affine quotient;
    Index rest = a;
    for (std::size_t l = 0; l < rest.affine.coefficients.size(); ++l) {
        if (rest.affine.coefficients[l] % b != 0) continue;
        quotient.coefficients.resize(std::max(quotient.coefficients.size(), l + 1));
        quotient.coefficients[l] = rest.affine.coefficients[l] / b;
        rest.affine.coefficients[l] = 0;
    }
    trim(rest.affine);
    const std::int64_t base = rest.affine.base;
    const std::int64_t whole = base >= 0 ? base / b : -((-base + b - 1) / b); // rounded down
    quotient.base = whole;
    rest.affine.base = base - whole * b;
    const Range r = range(rest);
    if (!r.known() || r.low < 0) {
        // The division would be wrong for a negative rest. Only the whole sum `a` is known not to be negative.
        return {Affine{}, a};
    }
    return {quotient, rest};
}

Index Builder::div(const Index& a, std::int64_t b) {
    PM_CHECK(b > 0);
    if (b == 1) return a;
    auto [quotient, rest] = split(a, b);
    const Range r = range(rest);
    if (r.known() && r.low >= 0 && r.high < b) return {quotient, {}};
    const Ref computed =
        op(ScalarOp::div, DType::i64, {value(rest), constant_bits(DType::i64, static_cast<std::uint64_t>(b))});
    return {quotient, computed};
}

Index Builder::rem(const Index& a, std::int64_t b) {
    PM_CHECK(b > 0);
    if (b == 1) return Index::constant(0);
    auto [quotient, rest] = split(a, b);
    const Range r = range(rest);
    if (r.known() && r.low >= 0 && r.high < b) return rest;
    return {{}, op(ScalarOp::rem, DType::i64, {value(rest), constant_bits(DType::i64, static_cast<std::uint64_t>(b))})};
}

Index Builder::clamp(const Index& a, std::int64_t low, std::int64_t high) {
    const Range r = range(a);
    if (low == high) return Index::constant(low);
    Ref v = value(a);
    bool changed = false;
    if (!r.known() || r.low < low) {
        v = op(ScalarOp::max, DType::i64, {v, constant_bits(DType::i64, static_cast<std::uint64_t>(low))});
        changed = true;
    }
    if (!r.known() || r.high > high) {
        v = op(ScalarOp::min, DType::i64, {v, constant_bits(DType::i64, static_cast<std::uint64_t>(high))});
        changed = true;
    }
    return changed ? Index{{}, v} : a;
}

Index Builder::from(Ref integer) {
    const Inst& inst = nest_[integer];
    if (inst.op == ScalarOp::constant) {
        std::uint64_t bits = inst.bits;
        return Index::constant(runtime::read_i64(inst.dtype, &bits, 0));
    }
    if (inst.op == ScalarOp::index) return {inst.affine, {}};
    // A conversion to a narrower integer is the index itself if the narrower dtype can represent all values of the
    // index.
    if (inst.op == ScalarOp::convert && nest_[inst.operands[0]].op == ScalarOp::index) {
        const Affine affine = nest_[inst.operands[0]].affine;
        const Range r = affine_range(nest_, stage(), affine);
        const Range fits = dtype_range(inst.dtype);
        if (r.known() && r.low >= fits.low && r.high <= fits.high) return {affine, {}};
    }
    if (inst.dtype == DType::i64) return {{}, integer};
    return {{}, op(ScalarOp::convert, DType::i64, {integer})};
}

Ref Builder::value(const Index& index) {
    Affine affine = index.affine;
    trim(affine);
    if (affine.coefficients.empty()) {
        if (!index.computed) return constant_bits(DType::i64, static_cast<std::uint64_t>(affine.base));
        if (affine.base == 0) return index.computed;
        return op(ScalarOp::add, DType::i64,
                  {index.computed, constant_bits(DType::i64, static_cast<std::uint64_t>(affine.base))});
    }
    Inst inst;
    inst.op = ScalarOp::index;
    inst.dtype = DType::i64;
    inst.affine = std::move(affine);
    const Ref loops = push(std::move(inst));
    return index.computed ? op(ScalarOp::add, DType::i64, {loops, index.computed}) : loops;
}

std::optional<Ref> Builder::within(const Index& index, std::int64_t low, std::int64_t high) {
    const Range r = range(index);
    if (r.known() && (r.high < low || r.low >= high)) return constant_bits(DType::b1, 0);
    std::optional<Ref> result;
    if (!r.known() || r.low < low) {
        const Ref bound = constant_bits(DType::i64, static_cast<std::uint64_t>(low));
        result = op(ScalarOp::less_equal, DType::b1, {bound, value(index)});
    }
    if (!r.known() || r.high >= high) {
        const Ref bound = constant_bits(DType::i64, static_cast<std::uint64_t>(high));
        const Ref below = op(ScalarOp::less, DType::b1, {value(index), bound});
        result = result ? op(ScalarOp::and_, DType::b1, {*result, below}) : below;
    }
    return result;
}

// -- memory

Access Builder::access(std::uint32_t buffer, const std::vector<std::int64_t>& shape, const Indices& at,
                       std::optional<Ref> mask) {
    PM_CHECK(shape.size() == at.size(), nest_.name);
    Index offset;
    std::int64_t stride = 1;
    for (std::size_t d = shape.size(); d-- > 0;) {
        if (shape[d] != 1 || at[d].computed) offset = add(offset, mul(at[d], stride));
        stride *= shape[d];
    }
    Access result;
    result.buffer = buffer;
    result.offset = std::move(offset.affine);
    result.dynamic = offset.computed;
    if (mask && !(nest_[*mask].op == ScalarOp::constant && nest_[*mask].bits != 0)) result.mask = *mask;
    return result;
}

Ref Builder::load(std::uint32_t buffer, const std::vector<std::int64_t>& shape, const Indices& at,
                  std::optional<Ref> mask) {
    Inst inst;
    inst.op = ScalarOp::load;
    inst.dtype = nest_.buffers[buffer].dtype;
    inst.access = access(buffer, shape, at, mask);
    if (inst.access.mask && nest_[inst.access.mask].op == ScalarOp::constant) return constant_bits(inst.dtype, 0);
    return push(std::move(inst));
}

void Builder::store(std::uint32_t buffer, const std::vector<std::int64_t>& shape, const Indices& at, Ref value,
                    std::optional<Ref> mask) {
    Inst inst;
    inst.op = ScalarOp::store;
    inst.dtype = nest_.buffers[buffer].dtype;
    PM_CHECK(nest_.buffers[buffer].written && nest_[value].dtype == inst.dtype, nest_.name);
    inst.access = access(buffer, shape, at, mask);
    inst.operands = {value};
    push(std::move(inst));
}

Ref Builder::reduce(Combine combine, Ref value, Ref position) {
    const bool positional = combine == Combine::argmax || combine == Combine::argmin;
    PM_CHECK(positional == static_cast<bool>(position));
    Inst inst;
    inst.op = ScalarOp::reduce;
    inst.dtype = positional ? DType::i64 : nest_[value].dtype;
    inst.operands = {value};
    if (position) inst.operands.push_back(position);
    inst.combine = combine;
    return push(std::move(inst));
}

namespace {

void mark(const Nest& nest, Ref r, std::vector<bool>& live) {
    std::vector<Ref> work{r};
    while (!work.empty()) {
        const Ref top = work.back();
        work.pop_back();
        if (!top || live[top.id]) continue;
        live[top.id] = true;
        const Inst& inst = nest[top];
        work.insert(work.end(), inst.operands.begin(), inst.operands.end());
        work.push_back(inst.access.dynamic);
        work.push_back(inst.access.mask);
    }
}

} // namespace

Nest Builder::finish() {
    std::vector<bool> live(nest_.insts.size(), false);
    for (std::uint32_t i = 0; i < nest_.insts.size(); ++i)
        if (nest_.insts[i].op == ScalarOp::store) mark(nest_, Ref{i}, live);
    std::vector<Ref> renamed(nest_.insts.size());
    Nest result;
    result.name = std::move(nest_.name);
    result.buffers = std::move(nest_.buffers);
    result.grid = std::move(nest_.grid);
    const auto rename = [&](Ref r) { return r ? renamed[r.id] : r; };
    for (Stage& stage : nest_.stages) {
        Stage kept{stage.loops, {}, stage.order, stage.block, stage.chunk};
        for (const Ref r : stage.body) {
            if (!live[r.id]) continue;
            Inst inst = std::move(nest_.insts[r.id]);
            for (Ref& operand : inst.operands) operand = rename(operand);
            inst.access.dynamic = rename(inst.access.dynamic);
            inst.access.mask = rename(inst.access.mask);
            renamed[r.id] = Ref{static_cast<std::uint32_t>(result.insts.size())};
            kept.body.push_back(renamed[r.id]);
            result.insts.push_back(std::move(inst));
        }
        if (!kept.body.empty()) result.stages.push_back(std::move(kept));
    }
    nest_ = {};
    ranges_.clear();
    interned_.clear();
    return result;
}

} // namespace pm::nest
