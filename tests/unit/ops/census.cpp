#include "tests/unit/ops/harness.hpp"

#include <doctest/doctest.h>

#include <set>

// Laws that are checked for the samples of every operation. The results of eval have the types of the type rule. The
// batch rule agrees with a loop over slices. The expansion of an operation agrees with its eval rule. Also checks which
// sizes and dtypes occur in the samples. tests/unit/codegen/census_test.cpp compiles the samples.

using namespace pm;
using namespace pm::ops;
using namespace pm::ops::test;

namespace {

template <class Fn>
void for_samples(Fn&& fn) {
    for (Op op : every_op()) {
        if (!rules(op).samples || !rules(op).eval) continue;
        const std::vector<Sample> samples = rules(op).samples.fn();
        REQUIRE_MESSAGE(!samples.empty(), std::string(ir::info(op).name));
        for (const Sample& sample : samples) {
            INFO(describe(op, sample));
            fn(op, sample);
        }
    }
}

Array slice_of(const Array& x, std::int64_t i) { return x.at(i); }

Array stacked(const std::vector<Array>& slices, const Type& type) {
    Shape shape = type.shape;
    shape.insert(shape.begin(), static_cast<std::int64_t>(slices.size()));
    Array out = Array::empty(type.dtype, shape);
    auto* to = static_cast<std::byte*>(out.mutable_data());
    for (const Array& x : slices) {
        std::copy_n(static_cast<const std::byte*>(x.data()), x.bytes(), to);
        to += x.bytes();
    }
    return out;
}

void check_batch(Op op, const Sample& sample, const std::vector<bool>& batched) {
    constexpr std::int64_t size = 3;
    std::mt19937_64 random(11);
    Build b("batched");
    Values params;
    std::vector<Array> arguments;
    for (std::size_t i = 0; i < sample.operands.size(); ++i) {
        Type type = sample.operands[i];
        if (batched[i]) type.shape.insert(type.shape.begin(), size);
        params.push_back(b.param(type));
        arguments.push_back(make_input(type, domain_of(sample, i), random));
    }
    const ir::BlockPtr primal = primal_block(op, sample);
    const std::unique_ptr<bool[]> flags(new bool[batched.size()]);
    std::copy(batched.begin(), batched.end(), flags.get());
    BatchContext c{b, primal->insts[0], size, params, std::span<const bool>(flags.get(), batched.size())};
    const ir::BlockPtr block = b.finish(rules(op).batch.fn(c));
    const std::vector<Array> made = evaluate::evaluate(block, arguments);

    std::vector<std::vector<Array>> expected(made.size());
    for (std::int64_t s = 0; s < size; ++s) {
        std::vector<Array> one = arguments;
        for (std::size_t i = 0; i < one.size(); ++i)
            if (batched[i]) one[i] = slice_of(one[i], s);
        const std::vector<Array> out = evaluate::evaluate(primal, one);
        REQUIRE(out.size() == made.size());
        for (std::size_t r = 0; r < out.size(); ++r) expected[r].push_back(out[r]);
    }
    for (std::size_t r = 0; r < made.size(); ++r) {
        const Array all = stacked(expected[r], primal->type(primal->results[r]));
        REQUIRE(made[r].shape() == all.shape());
        REQUIRE(made[r].dtype() == all.dtype());
        CHECK(distance(made[r], all) <= (runtime::is_float(all.dtype()) ? 1e-6 : 0));
    }
}

/// Whether the operation accepts `dtype` for operand i and all operands that have its dtype.
bool accepts(Op op, const Sample& sample, std::size_t i, DType dtype) {
    std::vector<Type> operands = sample.operands;
    for (Type& type : operands)
        if (type.dtype == sample.operands[i].dtype) type.dtype = dtype;
    try {
        (void)result_types({op, {}, {}, sample.attrs, {}, {}}, operands);
        return true;
    } catch (const Error&) {
        return false;
    }
}

} // namespace

TEST_CASE("results of eval have the types of the type rule") {
    for_samples([](Op op, const Sample& sample) {
        const ir::BlockPtr block = primal_block(op, sample);
        const std::vector<Array> out = evaluate::evaluate(block, make_inputs(sample, 3)); // evaluate checks the types
        REQUIRE(out.size() == block->results.size());
    });
}

TEST_CASE("batching agrees with a loop over slices") {
    for_samples([](Op op, const Sample& sample) {
        const std::size_t n = sample.operands.size();
        if (!rules(op).batch || n == 0) return;
        check_batch(op, sample, std::vector<bool>(n, true));
        for (std::size_t i = 0; i < n && n > 1; ++i) {
            std::vector<bool> one(n, false);
            one[i] = true;
            check_batch(op, sample, one);
        }
    });
}

TEST_CASE("expansions agree with eval") {
    for_samples([](Op op, const Sample& sample) {
        const auto* expand = std::get_if<LowerExpand>(&rules(op).lower);
        if (expand == nullptr) return;
        const ir::BlockPtr primal = primal_block(op, sample);
        Build b("expanded");
        Values params;
        for (const Type& type : sample.operands) params.push_back(b.param(type));
        const ir::BlockPtr block = b.finish(expand->rule(b, primal->insts[0], params));
        REQUIRE(block->result_types() == primal->result_types());
        const std::vector<Array> inputs = make_inputs(sample, 4);
        const std::vector<Array> made = evaluate::evaluate(block, inputs);
        const std::vector<Array> expected = evaluate::evaluate(primal, inputs);
        for (std::size_t r = 0; r < made.size(); ++r) CHECK(distance(made[r], expected[r]) <= sample.tolerance);
    });
}

TEST_CASE("samples have sizes of 0, of odd numbers and of more than a block, and every operation has a description") {
    constexpr std::int64_t block = 16384; // the block size of reductions
    for (Op op : every_op()) {
        INFO(std::string(ir::info(op).name));
        CHECK(!rules(op).doc.empty());
        if (!rules(op).samples) continue;
        std::set<std::int64_t> sizes;
        for (const Sample& sample : rules(op).samples.fn()) {
            for (const Type& type : sample.operands) sizes.insert(type.elements());
            for (const Type& type : result_types({op, {}, {}, sample.attrs, {}, {}}, sample.operands))
                sizes.insert(type.elements());
        }
        CHECK(sizes.contains(0));
        CHECK(sizes.contains(1));
        CHECK(std::any_of(sizes.begin(), sizes.end(), [](std::int64_t n) { return n > 1 && n % 2 == 1; }));
        CHECK(*sizes.rbegin() > block);
    }
}

// For every operation that accepts complex dtypes, tests/unit/transform/lower_complex.cpp tests complex samples.
TEST_CASE("samples include every dtype that an operation accepts") {
    for (Op op : every_op()) {
        if (!rules(op).samples || !rules(op).eval) continue;
        // pairs of (whether the operand is an index, its dtype)
        std::set<std::pair<bool, DType>> tried;
        std::set<std::pair<bool, DType>> taken;
        for (const Sample& sample : rules(op).samples.fn()) {
            for (std::size_t i = 0; i < sample.operands.size(); ++i) {
                const bool index = domain_of(sample, i) == Domain::index;
                tried.emplace(index, sample.operands[i].dtype);
                for (int d = 0; d < runtime::dtype_count; ++d)
                    if (!runtime::is_complex(static_cast<DType>(d)) && accepts(op, sample, i, static_cast<DType>(d)))
                        taken.emplace(index, static_cast<DType>(d));
            }
        }
        for (const auto& [index, dtype] : taken)
            CHECK_MESSAGE(tried.contains({index, dtype}), ir::info(op).name << " of " << runtime::name(dtype));
    }
}
