#pragma once
#include "compiler/evaluate/evaluate.hpp"
#include "compiler/ir/text.hpp"
#include "compiler/ops/core/combinators.hpp"

#include <cmath>
#include <random>

/// Functions for the generated tests of operations. They make random inputs for samples, and blocks that have one
/// instruction and no regions.
namespace pm::ops::test {

/// All operations without regions.
inline std::vector<Op> every_op() {
    std::vector<Op> all;
    for (int i = 0; i < ir::flat_op_count; ++i) all.push_back(static_cast<Op>(i));
    return all;
}

inline Domain domain_of(const Sample& sample, std::size_t operand) {
    if (sample.domains.empty()) return Domain::any;
    return sample.domains[std::min(operand, sample.domains.size() - 1)];
}

/// A random float of the domain. Unless the domain is integral, the float is not near 0. In the domains `any`,
/// `positive` and `unit_open` it is not near any integer, where functions may have kinks.
inline double random_float(Domain domain, std::mt19937_64& random) {
    const double u = std::uniform_real_distribution<double>(0.1, 0.9)(random);
    const double sign = (random() & 1) != 0 ? 1 : -1;
    switch (domain) {
    case Domain::any: return sign * (u + static_cast<double>(random() % 2));
    case Domain::nonzero: return sign * (u + 0.3);
    case Domain::positive: return u + static_cast<double>(random() % 3);
    case Domain::unit_open: return sign * u;
    case Domain::above_one: return 1 + 2 * u;
    case Domain::small_integer: return static_cast<double>(static_cast<std::int64_t>(random() % 7) - 3);
    case Domain::boolean: return static_cast<double>(random() & 1);
    case Domain::index: return static_cast<double>(random() % 3);
    }
    return 0;
}

inline std::uint64_t random_bits(Domain domain, std::mt19937_64& random) {
    const auto small = static_cast<std::uint64_t>(static_cast<std::int64_t>(random() % 7) - 3);
    switch (domain) {
    case Domain::any: {
        constexpr std::uint64_t special[] = {
            0,          1,          ~0ULL,      0x80,       0x7F, 0xFF, 0x8000, 0x7FFF, 0x80000000ULL,
            0x7FFFFFFF, 0xFFFFFFFF, 1ULL << 63, ~0ULL >> 1, 31,   32,   33};
        const std::uint64_t r = random();
        return r % 3 == 0 ? special[(r >> 8) % std::size(special)] : r % 3 == 1 ? small : random();
    }
    case Domain::nonzero: return small == 0 ? 1 : small;
    case Domain::small_integer: return small;
    case Domain::positive:
    case Domain::above_one: return 2 + random() % 5;
    case Domain::unit_open:
    case Domain::index: return random() % 3;
    case Domain::boolean: return random() & 1;
    }
    return 0;
}

inline Array make_input(const Type& type, Domain domain, std::mt19937_64& random) {
    Array x = Array::empty(type.dtype, type.shape);
    void* to = x.mutable_data();
    for (std::int64_t i = 0; i < x.elements(); ++i) {
        if (runtime::is_float(type.dtype))
            runtime::write_f64(type.dtype, to, i, random_float(domain, random));
        else if (type.dtype == DType::b1)
            runtime::write_u64(type.dtype, to, i, random() & 1);
        else
            runtime::write_u64(type.dtype, to, i, random_bits(domain, random));
    }
    return x;
}

inline std::vector<Array> make_inputs(const Sample& sample, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<Array> inputs;
    for (std::size_t i = 0; i < sample.operands.size(); ++i)
        inputs.push_back(make_input(sample.operands[i], domain_of(sample, i), random));
    return inputs;
}

inline std::string describe(Op op, const Sample& sample) {
    Build b("sample");
    Values params;
    for (const Type& type : sample.operands) params.push_back(b.param(type));
    return ir::print(*b.finish(b.emit(op, params, sample.attrs)));
}

inline ir::BlockPtr primal_block(Op op, const Sample& sample) {
    Build b("primal");
    Values params;
    for (const Type& type : sample.operands) params.push_back(b.param(type));
    return b.finish(b.emit(op, params, sample.attrs));
}

/// The forward derivative of a block without regions. The parameters of the derivative are the parameters of `block`,
/// then a tangent for each active parameter. The results of the derivative are the tangents of the floating results. If
/// a result does not depend on an active parameter, its tangent is zeros.
inline ir::BlockPtr jvp_block(const ir::Block& block, const std::vector<bool>& active) {
    Build b("jvp");
    Values now(block.values.size());
    std::vector<Tangent> tangent(block.values.size());
    for (Value p : block.params) now[p.id] = b.param(block.type(p));
    for (std::size_t i = 0; i < active.size(); ++i)
        if (active[i]) tangent[block.params[i].id] = b.param(block.type(block.params[i]));
    for (const Inst& inst : block.insts) {
        Values in;
        Tangents tangents;
        bool any = false;
        for (Value v : inst.operands) {
            in.push_back(now[v.id]);
            tangents.push_back(tangent[v.id]);
            any = any || tangent[v.id];
        }
        const Values out = b.copy(inst, in);
        for (std::size_t i = 0; i < out.size(); ++i) now[inst.results[i].id] = out[i];
        if (!any || !rules(inst.op).jvp) continue;
        JvpContext c{b, inst, in, out, tangents};
        const Tangents made = rules(inst.op).jvp.fn(c);
        for (std::size_t i = 0; i < out.size(); ++i) tangent[inst.results[i].id] = made.at(i);
    }
    Values results;
    for (Value r : block.results)
        if (runtime::is_float(block.type(r).dtype))
            results.push_back(tangent[r.id] ? *tangent[r.id] : b.zeros(block.type(r)));
    return b.finish(std::move(results));
}

inline double dot(const Array& x, const Array& y) {
    double sum = 0;
    for (std::int64_t i = 0; i < x.elements(); ++i) sum += x.as_f64(i) * y.as_f64(i);
    return sum;
}

/// x + h * direction.
inline Array moved(const Array& x, const Array& direction, double h) {
    Array out = Array::empty(x.dtype(), x.shape());
    for (std::int64_t i = 0; i < x.elements(); ++i)
        runtime::write_f64(x.dtype(), out.mutable_data(), i, x.as_f64(i) + h * direction.as_f64(i));
    return out;
}

/// The largest difference of two elements, divided by the maximum of 1 and the magnitudes of the two elements.
inline double distance(const Array& x, const Array& y) {
    double worst = 0;
    for (std::int64_t i = 0; i < x.elements(); ++i) {
        const double a = x.as_f64(i);
        const double b = y.as_f64(i);
        if (a == b || (std::isnan(a) && std::isnan(b))) continue;
        const double d = std::fabs(a - b) / std::max({1.0, std::fabs(a), std::fabs(b)});
        worst = std::isnan(d) ? INFINITY : std::max(worst, d);
    }
    return worst;
}

} // namespace pm::ops::test
