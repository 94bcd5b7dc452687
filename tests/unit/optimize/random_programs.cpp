#include "random_programs.hpp"

#include "compiler/evaluate/evaluate.hpp"
#include "golden.hpp"

#include <cmath>
#include <cstring>

using namespace pm;
using namespace pm::optimize;

namespace {

using runtime::Array;

struct Outcome {
    std::vector<Array> results;
    std::string printed;
};

Outcome outcome(const BlockPtr& block, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<Array> arguments;
    for (const ir::Type& type : block->param_types()) {
        Array made = Array::zeros(type.dtype, type.shape);
        for (std::int64_t i = 0; i < made.elements(); ++i) {
            const auto n = static_cast<std::int64_t>(random() % 9) - 4;
            if (type.dtype == ir::DType::b1)
                runtime::write_i64(type.dtype, made.mutable_data(), i, n & 1);
            else if (type.dtype == ir::DType::f32)
                runtime::write_f64(type.dtype, made.mutable_data(), i,
                                   n == 4   ? -0.0
                                   : n == 3 ? INFINITY
                                            : static_cast<double>(n) / 4);
            else
                runtime::write_i64(type.dtype, made.mutable_data(), i, n);
        }
        arguments.push_back(std::move(made));
    }
    Outcome out;
    evaluate::Options options;
    options.print = [&](std::string_view text) { out.printed += text; };
    out.results = evaluate::evaluate(block, std::move(arguments), options);
    return out;
}

/// Whether two arrays have the same bits; all NaNs count as equal.
bool same(const Array& a, const Array& b) {
    if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
    const std::size_t width = runtime::size_of(a.dtype());
    for (std::int64_t i = 0; i < a.elements(); ++i) {
        if (runtime::is_float(a.dtype()) && std::isnan(a.as_f64(i)) && std::isnan(b.as_f64(i))) continue;
        const auto offset = static_cast<std::size_t>(i) * width;
        if (std::memcmp(static_cast<const char*>(a.data()) + offset, static_cast<const char*>(b.data()) + offset,
                        width) != 0)
            return false;
    }
    return true;
}

} // namespace

TEST_CASE("passes do not change any bit of the results of random programs") {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        BlockPtr block = RandomProgram(seed).function();
        ir::verify(*block, ops::result_types, "making it");
        REQUIRE(ir::print(*ir::read(ir::print(*block))) == ir::print(*block));
        const Outcome due = outcome(block, seed);
        for (const std::string_view name : before_plan) {
            if (name == "fma") continue; // fma rounds once where the program rounds twice
            const BlockPtr made = pass_named(name)->run(block, ops::TargetInfo::none());
            ir::verify(*made, ops::result_types, name);
            const Outcome got = outcome(made, seed);
            INFO("seed ", seed, " pass ", name, "\n", ir::print(*block), "\nbecame\n", ir::print(*made));
            REQUIRE(got.printed == due.printed);
            REQUIRE(got.results.size() == due.results.size());
            for (std::size_t i = 0; i < due.results.size(); ++i) {
                INFO("result ", i);
                REQUIRE(same(got.results[i], due.results[i]));
            }
            block = made;
        }
    }
}

TEST_CASE("no pass finds anything to remove in an optimised program") {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        const BlockPtr block = run(RandomProgram(seed).function(), before_plan);
        CHECK(pass::dce(block) == block);
        CHECK(pass::cse(block) == block);
    }
}
