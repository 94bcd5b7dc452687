#include "golden.hpp"

using namespace pm;
using namespace pm::optimize;

namespace {

const char* const program = "fn @g(%x: f32) -> (f32) { %1: f32 = sin(%x) %2: f32 = sin(%x) %3: f32 = mul(%1, %2) %4: "
                            "f32 = add(%3, %x) return %4 }\n"
                            "fn f(%x: f32) -> (f32) { %1: f32 = call(%x) @g return %1 }";

} // namespace

TEST_CASE("pipelines name passes that exist") {
    for (const std::string_view name : before_plan) CHECK_MESSAGE(pass_named(name) != nullptr, name);
    CHECK(pass_named("inline_") == nullptr);
    for (const Pass& p : passes()) {
        CHECK_FALSE(p.doc.empty());
        const auto in = [&](Pipeline pipeline) { return std::ranges::find(pipeline, p.name) != pipeline.end(); };
        CHECK_MESSAGE((in(before_plan) || in(in_plan)), p.name << " is in no pipeline");
    }
}

TEST_CASE("a pipeline runs its passes in order, except for skipped ones") {
    std::vector<std::string> ran;
    Options options;
    options.skip = {"cse", "hoist"};
    options.after = [&](std::string_view pass, std::size_t iteration, const ir::Block&) {
        ran.push_back(std::string(pass) + std::to_string(iteration));
    };
    constexpr std::array<std::string_view, 4> pipeline{"inline", "fold", "cse", "dce"};
    const BlockPtr block = run(ir::read(program), pipeline, options);
    CHECK(ran == std::vector<std::string>{"inline0", "fold1", "dce3"});
    CHECK(ir::print(*block) == canonical("fn f(%x: f32) -> (f32) { %1: f32 = sin(%x) %2: f32 = sin(%x) %3: f32 = "
                                         "mul(%1, %2) %4: f32 = add(%3, %x) return %4 }"));
    CHECK(ir::print(*run(ir::read(program), before_plan)) ==
          canonical("fn f(%x: f32) -> (f32) { %1: f32 = sin(%x) %4: f32 = fma(%1, %1, %x) return %4 }"));
}

TEST_CASE("a pass that changes nothing returns the same block") {
    const BlockPtr block = ir::read("fn f(%x: f32) -> (f32) { %1: f32 = sin(%x) return %1 }");
    CHECK(run(block, before_plan) == block);
}
