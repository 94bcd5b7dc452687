#include "tests/unit/plan/harness.hpp"

#include <cmath>
#include <doctest/doctest.h>

namespace pm::plan::testing {

std::vector<runtime::Array> some_arguments(const ir::Block& block, unsigned seed) {
    std::uint64_t state = seed * 0x9E3779B97F4A7C15ULL + 1;
    std::vector<runtime::Array> result;
    for (const ir::Value p : block.params) {
        const ir::Type& type = block.type(p);
        runtime::Array a = runtime::Array::empty(type.dtype, type.shape);
        for (std::int64_t i = 0; i < a.elements(); ++i) {
            state = state * 6364136223846793005ULL + 1442695040888963407ULL;
            const auto small = static_cast<std::int64_t>((state >> 33) % 1000);
            if (runtime::is_float(type.dtype))
                runtime::write_f64(type.dtype, a.mutable_data(), i, static_cast<double>(small) / 250.0 - 2.0);
            else
                runtime::write_i64(type.dtype, a.mutable_data(), i,
                                   type.dtype == runtime::DType::b1 ? small % 2 : small % 5);
        }
        result.push_back(std::move(a));
    }
    return result;
}

namespace {

void check_close(const runtime::Array& a, const runtime::Array& b, double tolerance) {
    REQUIRE(a.dtype() == b.dtype());
    REQUIRE(a.shape() == b.shape());
    for (std::int64_t i = 0; i < a.elements(); ++i) {
        const double x = a.as_f64(i);
        const double y = b.as_f64(i);
        if (std::isnan(x) && std::isnan(y)) continue;
        const double off = std::fabs(x - y);
        if (off > tolerance * std::max(1.0, std::fabs(y))) {
            CHECK_MESSAGE(off <= tolerance * std::max(1.0, std::fabs(y)), "element " << i << ": " << x << " for " << y);
            return;
        }
    }
}

} // namespace

Program agrees(std::string_view text, const Options& options, double tolerance) {
    const ir::BlockPtr block = ir::read(text);
    const Program fused = plan(block, options);
    verify(fused, "plan");
    const std::string printed = print(fused);
    CHECK(print(read_program(printed)) == printed);
    Options unfused_options = options;
    unfused_options.fuse = false;
    const Program unfused = plan(block, unfused_options);
    verify(unfused, "plan without fusion");
    for (unsigned seed = 1; seed <= 2; ++seed) {
        const std::vector<runtime::Array> arguments = some_arguments(*block, seed);
        const auto before = arguments;
        evaluate::Options eval;
        eval.devices = options.devices;
        const std::vector<runtime::Array> expected = evaluate::evaluate(block, arguments, eval);
        const std::vector<runtime::Array> got = interpret(fused, arguments);
        const std::vector<runtime::Array> got_unfused = interpret(unfused, arguments);
        REQUIRE(got.size() == expected.size());
        INFO(printed);
        for (std::size_t i = 0; i < got.size(); ++i) {
            INFO("result " << i);
            CHECK(runtime::identical(got[i], got_unfused[i]));
            check_close(got[i], expected[i], tolerance);
        }
        for (std::size_t i = 0; i < arguments.size(); ++i)
            CHECK(runtime::identical(arguments[i], some_arguments(*block, seed)[i]));
    }
    return fused;
}

} // namespace pm::plan::testing
