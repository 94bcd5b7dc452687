#pragma once
#include "compiler/evaluate/evaluate.hpp"
#include "compiler/ir/text.hpp"
#include "compiler/ir/verify.hpp"
#include "compiler/ops/core/build.hpp"
#include "compiler/ops/core/rules.hpp"
#include "compiler/transform/core/bit_mask.hpp"
#include "compiler/transform/core/transform.hpp"
#include "runtime/dtype.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

/// Shared by the tests of transformations: programs as IR text, inputs for these programs, and oracles for their
/// derivatives and batched forms (finite differences, inner products, a loop over the batch).
namespace pm::transform::test {

using ir::BlockPtr;
using ir::Type;
using ir::Value;
using ir::Values;
using runtime::Array;
using runtime::DType;
using Arrays = std::vector<Array>;
using BitMask = std::vector<bool>;

inline BlockPtr verified(const BlockPtr& block, std::string_view after) {
    const auto types = [](const ir::Inst& inst, const std::vector<Type>& operands) {
        return ops::result_types(inst, operands);
    };
    ir::verify(*block, types, after);
    return block;
}
inline BlockPtr program(std::string_view text) { return verified(ir::read(text), "read"); }

inline Arrays run(const BlockPtr& block, const Arrays& arguments) { return evaluate::evaluate(block, arguments); }

/// Applies vmap to a block. In the result, every result of the block has the batch axis.
inline BlockPtr batched_whole(const BlockPtr& block, const BitMask& batched, std::int64_t size, std::int64_t axis) {
    const Batched made = batch(block, batched, size, axis);
    ops::Build b;
    Values params;
    for (const Type& type : made.block->param_types()) params.push_back(b.param(type));
    Values results = b.inline_block(*made.block, params);
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (made.batched[i]) continue;
        ir::Shape shape = b.shape(results[i]);
        ir::Integers dims;
        for (std::size_t d = 1; d <= shape.size(); ++d) dims.push_back(static_cast<std::int64_t>(d));
        shape.insert(shape.begin(), size);
        results[i] = b.broadcast(results[i], shape, dims);
    }
    return b.finish(results);
}

/// A random array. Floats are between 0.2 and 1.8, integers are 0..2. If a test needs negative numbers, its program
/// computes them.
inline Array random_array(const Type& type, std::mt19937_64& random) {
    Array made = Array::zeros(type.dtype, type.shape);
    for (std::int64_t i = 0; i < made.elements(); ++i) {
        const double u = std::uniform_real_distribution<double>(0.2, 1.8)(random);
        if (type.dtype == DType::f64) made.mutable_as<double>()[i] = u;
        if (type.dtype == DType::f32) made.mutable_as<float>()[i] = static_cast<float>(u);
        if (type.dtype == DType::i32) made.mutable_as<std::int32_t>()[i] = static_cast<std::int32_t>(random() % 3);
        if (type.dtype == DType::b1) made.mutable_as<std::uint8_t>()[i] = static_cast<std::uint8_t>(random() & 1);
    }
    return made;
}
inline Arrays random_arrays(const std::vector<Type>& types, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    Arrays made;
    for (const Type& type : types) made.push_back(random_array(type, random));
    return made;
}

template <class T>
std::vector<T> joined(std::vector<T> a, const std::vector<T>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}
inline std::size_t count(const BitMask& p) { return pick(std::vector<int>(p.size()), p).size(); }
inline BitMask inexact(const std::vector<Type>& types) {
    BitMask found;
    for (const Type& type : types) found.push_back(runtime::is_inexact(type.dtype));
    return found;
}
/// A mask of the parameters that can have a tangent.
inline BitMask active_params(const BlockPtr& block) { return inexact(block->param_types()); }

inline double inner(const Arrays& a, const Arrays& b) {
    REQUIRE(a.size() == b.size());
    double sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
        REQUIRE(a[k].shape() == b[k].shape());
        for (std::int64_t i = 0; i < a[k].elements(); ++i) sum += a[k].as_f64(i) * b[k].as_f64(i);
    }
    return sum;
}
inline Arrays moved(const Arrays& at, const Arrays& direction, const BitMask& active, double step) {
    Arrays made;
    std::size_t next = 0;
    for (std::size_t k = 0; k < at.size(); ++k) {
        made.push_back(at[k].clone());
        if (!active[k]) continue;
        const Array& d = direction[next++];
        for (std::int64_t i = 0; i < d.elements(); ++i) made[k].mutable_as<double>()[i] += step * d.as_f64(i);
    }
    return made;
}
inline void check_close(const Arrays& got, const Arrays& due, double tolerance) {
    REQUIRE(got.size() == due.size());
    for (std::size_t k = 0; k < got.size(); ++k) {
        CAPTURE(k);
        REQUIRE(got[k].dtype() == due[k].dtype());
        REQUIRE(got[k].shape() == due[k].shape());
        for (std::int64_t i = 0; i < got[k].elements(); ++i) {
            CAPTURE(i);
            const double x = got[k].as_f64(i);
            const double y = due[k].as_f64(i);
            CHECK(std::abs(x - y) <= tolerance * (1 + std::abs(y)));
        }
    }
}

/// Compares forward mode with central differences in one random direction.
inline void check_jvp(const BlockPtr& block, const BitMask& active, std::uint64_t seed = 1, double tolerance = 1e-6) {
    const Jvp forward = jvp(block, active);
    verified(forward.block, "jvp");
    const Arrays at = random_arrays(block->param_types(), seed);
    const Arrays direction = random_arrays(pick(block->param_types(), active), seed + 1);
    const Arrays made = run(forward.block, joined(at, direction));
    const std::size_t results = block->results.size();
    const Arrays primals(made.begin(), made.begin() + static_cast<std::ptrdiff_t>(results));
    check_close(primals, run(block, at), 1e-12);
    constexpr double step = 1e-5;
    const Arrays up = run(block, moved(at, direction, active, step));
    const Arrays down = run(block, moved(at, direction, active, -step));
    Arrays due;
    for (std::size_t k = 0; k < results; ++k) {
        if (!forward.active_results[k]) {
            CHECK(runtime::identical(up[k], down[k]));
            continue;
        }
        due.push_back(up[k].clone());
        for (std::int64_t i = 0; i < up[k].elements(); ++i)
            due.back().mutable_as<double>()[i] = (up[k].as_f64(i) - down[k].as_f64(i)) / (2 * step);
    }
    check_close({made.begin() + static_cast<std::ptrdiff_t>(results), made.end()}, due, tolerance);
}

/// Compares the linear part of a linearisation with forward mode. Compares reverse mode with the linear part, by inner
/// products.
inline void check_vjp(const BlockPtr& block, const BitMask& active, std::uint64_t seed = 1, double tolerance = 1e-10) {
    const Linearized linear = linearize(block, active);
    verified(linear.primal, "linearize");
    verified(linear.linear, "linearize");
    const Vjp reverse = vjp(block, active);
    verified(reverse.block, "vjp");
    CHECK(linear.active_results == reverse.active_results);
    const std::vector<Type> params = block->param_types();
    const Arrays at = random_arrays(params, seed);
    const Arrays direction = random_arrays(pick(params, active), seed + 1);
    const auto results = static_cast<std::ptrdiff_t>(block->results.size());

    const Arrays primal = run(linear.primal, at);
    check_close({primal.begin(), primal.begin() + results}, run(block, at), 1e-12);
    REQUIRE(primal.size() == block->results.size() + linear.residuals);
    const Arrays tangents = run(linear.linear, joined(Arrays(primal.begin() + results, primal.end()), direction));
    const Arrays forward = run(jvp(block, active).block, joined(at, direction));
    check_close(tangents, {forward.begin() + results, forward.end()}, 1e-12);

    const Arrays weights = random_arrays(pick(block->result_types(), reverse.active_results), seed + 2);
    const Arrays back = run(reverse.block, joined(at, weights));
    check_close({back.begin(), back.begin() + results}, run(block, at), 1e-12);
    const double x = inner(weights, tangents);
    const double y = inner({back.begin() + results, back.end()}, direction);
    CHECK(std::abs(x - y) <= tolerance * (1 + std::abs(x)));

    const BlockPtr transposed = verified(transpose(linear.linear, direction.size()), "transpose");
    check_close(run(transposed, joined(Arrays(primal.begin() + results, primal.end()), weights)),
                {back.begin() + results, back.end()}, 1e-12);
}

/// As the functions above, with respect to all parameters that can have a tangent.
inline void check_jvp(const BlockPtr& block, std::uint64_t seed = 1, double tolerance = 1e-6) {
    check_jvp(block, active_params(block), seed, tolerance);
}
inline void check_vjp(const BlockPtr& block, std::uint64_t seed = 1, double tolerance = 1e-10) {
    check_vjp(block, active_params(block), seed, tolerance);
}
/// For each parameter that can have a tangent, a mask that selects only this parameter.
inline std::vector<BitMask> single_params(const BlockPtr& block) {
    std::vector<BitMask> patterns;
    const BitMask active = active_params(block);
    for (std::size_t k = 0; k < active.size(); ++k) {
        if (!active[k]) continue;
        patterns.emplace_back(active.size(), false);
        patterns.back()[k] = true;
    }
    return patterns;
}

/// For each batched array its element i, for the other arrays the array itself.
inline Arrays element(const Arrays& all, const BitMask& batched, std::int64_t i) {
    Arrays one;
    for (std::size_t k = 0; k < all.size(); ++k) one.push_back(batched[k] ? all[k].at(i).clone() : all[k]);
    return one;
}

/// Compares vmap with a loop over the batch.
inline void check_batch(const BlockPtr& block, const BitMask& batched, std::int64_t size = 3, std::uint64_t seed = 1,
                        double tolerance = 1e-12) {
    const Batched made = batch(block, batched, size);
    verified(made.block, "batch");
    std::vector<Type> types = block->param_types();
    for (std::size_t k = 0; k < types.size(); ++k)
        if (batched[k]) types[k].shape.insert(types[k].shape.begin(), size);
    const Arrays at = random_arrays(types, seed);
    const Arrays all = run(made.block, at);
    REQUIRE(all.size() == block->results.size());
    for (std::int64_t i = 0; i < size; ++i) {
        CAPTURE(i);
        check_close(element(all, made.batched, i), run(block, element(at, batched, i)), tolerance);
    }
}
/// Calls check_batch with each parameter batched alone, and with all parameters batched.
inline void check_batches(const BlockPtr& block, double tolerance = 1e-12) {
    const std::size_t params = block->params.size();
    for (std::size_t k = 0; k < params; ++k) {
        CAPTURE(k);
        BitMask one(params, false);
        one[k] = true;
        check_batch(block, one, 3, 5 + k, tolerance);
    }
    check_batch(block, BitMask(params, true), 4, 3, tolerance);
    check_batch(block, BitMask(params, true), 1, 4, tolerance);
}

/// The number of instructions in a block and its regions that satisfy `test`. A callee is counted once for each call.
inline int instructions(const ir::Block& block, bool (*test)(const ir::Block&, const ir::Inst&)) {
    int found = 0;
    for (const ir::Inst& inst : block.insts) {
        if (test(block, inst)) ++found;
        for (const BlockPtr& region : inst.regions) found += instructions(*region, test);
    }
    return found;
}

struct Named {
    std::string name;
    const char* text;
};
/// Programs that contain every construct, in f64. Their functions are smooth at the tested inputs.
const std::vector<Named>& programs();

} // namespace pm::transform::test
