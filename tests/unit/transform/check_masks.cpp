#include "compiler/transform/core/check_masks.hpp"

#include "compiler/base/diagnostic.hpp"
#include "tests/unit/transform/harness.hpp"

using namespace pm;
using namespace pm::transform;
using namespace pm::transform::test;

namespace {

/// A block of a / b with the check of this division, then `rest`, which defines the result %r.
BlockPtr divided(const std::string& rest) {
    return program(R"(
fn f(%a: i32[3], %b: i32[3]) -> (i32[3]) {
  %zero: i32[3] = constant() shape=[3] dtype=i32 value=i32:0
  %q: i32[3] = div(%a, %b)
  %ok: bool[3] = not_equal(%b, %zero)
  check(%ok, %q) text="division by zero" diagnostic="division_by_zero" guards=1
  %c: bool[3] = less(%zero, %b)
)" + rest + R"(
  return %r
})");
}

std::optional<Diag> stopped(const BlockPtr& block, const Arrays& arguments) {
    try {
        run(verified(with_masked_checks(block), "masks"), arguments);
    } catch (const Error& error) {
        return error.diagnostic().id;
    }
    return {};
}

Array numbers(std::vector<std::int32_t> list) {
    Array made = Array::zeros(DType::i32, {static_cast<std::int64_t>(list.size())});
    for (std::size_t i = 0; i < list.size(); ++i) made.mutable_as<std::int32_t>()[i] = list[i];
    return made;
}

} // namespace

TEST_CASE("a check of an operand of a select is masked by the condition of the select") {
    const BlockPtr block = divided("  %r: i32[3] = select(%c, %q, %zero)");
    CHECK_FALSE(stopped(block, {numbers({7, 8, 9}), numbers({2, 0, -1})}).has_value());
    const BlockPtr reversed = divided("  %p: i32[3] = reverse(%q) axes=[0]\n  %r: i32[3] = select(%c, %p, %zero)");
    CHECK(stopped(reversed, {numbers({7, 8, 9}), numbers({2, 1, 0})}) == Diag::division_by_zero);
    CHECK_FALSE(stopped(reversed, {numbers({7, 8, 9}), numbers({0, 1, -1})}).has_value());
}

TEST_CASE("a guarded value that has other uses, or no use, is checked everywhere") {
    const Arrays at = {numbers({7, 8, 9}), numbers({2, 0, -1})};
    CHECK(stopped(divided("  %s: i32[3] = select(%c, %q, %zero)\n  %r: i32[3] = add(%s, %q)"), at) ==
          Diag::division_by_zero);
    CHECK(stopped(divided("  %r: i32[3] = select(%c, %a, %zero)"), at) == Diag::division_by_zero);
    CHECK(stopped(divided("  print(%q) text=\"{}\"\n  %r: i32[3] = select(%c, %q, %zero)"), at) ==
          Diag::division_by_zero);
    CHECK(stopped(divided("  %s: i32[3] = select(%c, %q, %zero)\n  %t: i32[3] = select(%c, %zero, %q)\n"
                          "  %r: i32[3] = add(%s, %t)"),
                  at) == Diag::division_by_zero);
}

TEST_CASE("guarded checks of a callee are masked too, and lower_complex removes the guards") {
    const BlockPtr block = program(R"(
fn @quotient(%a: i32[3], %b: i32[3]) -> (i32[3]) {
  %zero: i32[3] = constant() shape=[3] dtype=i32 value=i32:0
  %q: i32[3] = div(%a, %b)
  %ok: bool[3] = not_equal(%b, %zero)
  check(%ok, %q) text="division by zero" diagnostic="division_by_zero" guards=1
  return %q
}

fn f(%a: i32[3], %b: i32[3]) -> (i32[3]) {
  %zero: i32[3] = constant() shape=[3] dtype=i32 value=i32:0
  %c: bool[3] = less(%zero, %b)
  %q: i32[3] = call(%a, %b) text="quotient" @quotient
  %r: i32[3] = select(%c, %q, %zero)
  return %r
})");
    CHECK_FALSE(stopped(block, {numbers({7, 8, 9}), numbers({2, 0, -1})}).has_value());
    const auto guards = [](const ir::Block&, const ir::Inst& inst) { return guards_value(inst); };
    CHECK(instructions(*with_masked_checks(block), guards) == 1);
    CHECK(instructions(*verified(lower_complex(block), "lower_complex"), guards) == 0);
}
