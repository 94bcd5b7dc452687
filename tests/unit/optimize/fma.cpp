#include "golden.hpp"

using namespace pm;
using namespace pm::optimize;

namespace {

void fuses(const std::string& type, const std::string& body, const std::string& due) {
    const std::string head = "fn f(%a: " + type + ", %b: " + type + ", %c: " + type + ") -> (" + type + ") { ";
    gives({"fma"}, head + body + " return %r }", head + due + " return %r }");
}

} // namespace

TEST_CASE("a product and a sum with it are rounded once") {
    fuses("f32", "%p: f32 = mul(%a, %b) %r: f32 = add(%p, %c)", "%r: f32 = fma(%a, %b, %c)");
    fuses("f64[3]", "%p: f64[3] = mul(%a, %b) %r: f64[3] = add(%c, %p)", "%r: f64[3] = fma(%a, %b, %c)");
    fuses("f32", "%p: f32 = mul(%a, %b) %r: f32 = sub(%p, %c)", "%n: f32 = neg(%c) %r: f32 = fma(%a, %b, %n)");
    fuses("f32", "%p: f32 = mul(%a, %b) %r: f32 = sub(%c, %p)", "%n: f32 = neg(%a) %r: f32 = fma(%n, %b, %c)");
}

TEST_CASE("if a sum has two products, the left product is fused") {
    fuses("f32", "%p: f32 = mul(%a, %b) %q: f32 = mul(%b, %c) %r: f32 = add(%p, %q)",
          "%q: f32 = mul(%b, %c) %r: f32 = fma(%a, %b, %q)");
    fuses("f32", "%p: f32 = mul(%a, %b) %q: f32 = mul(%b, %c) %s: f32 = add(%p, %p) %r: f32 = add(%q, %s)",
          "%p: f32 = mul(%a, %b) %s: f32 = add(%p, %p) %r: f32 = fma(%b, %c, %s)");
}

TEST_CASE("a product with another use or of another type is not fused") {
    for (const char* type : {"f16", "bf16", "i32"})
        fuses(type, std::string("%p: ") + type + " = mul(%a, %b) %r: " + type + " = add(%p, %c)",
              std::string("%p: ") + type + " = mul(%a, %b) %r: " + type + " = add(%p, %c)");
    keeps({"fma"}, "fn f(%a: f32) -> (f32, f32) { %p: f32 = mul(%a, %a) %r: f32 = add(%p, %a) return %p, %r }");
}

TEST_CASE("a product is fused through barriers that have no other use") {
    fuses("f32", "%p: f32 = mul(%a, %b) %q: f32 = barrier(%p) %r: f32 = add(%c, %q)", "%r: f32 = fma(%a, %b, %c)");
    fuses("f32", "%p: f32 = mul(%a, %b) %q: f32 = barrier(%p) %s: f32 = barrier(%q) %r: f32 = sub(%s, %c)",
          "%n: f32 = neg(%c) %r: f32 = fma(%a, %b, %n)");
    keeps({"fma"}, "fn f(%a: f32) -> (f32, f32) { %p: f32 = mul(%a, %a) %q: f32 = barrier(%p) %r: f32 = add(%q, %a) "
                   "return %p, %r }");
    keeps({"fma"}, "fn f(%a: f32) -> (f32, f32) { %p: f32 = mul(%a, %a) %q: f32 = barrier(%p) %r: f32 = add(%q, %a) "
                   "return %q, %r }");
}

TEST_CASE("chains of products and sums are fused") {
    fuses("f32", "%p: f32 = mul(%a, %b) %s: f32 = add(%p, %c) %q: f32 = mul(%s, %a) %r: f32 = add(%q, %b)",
          "%s: f32 = fma(%a, %b, %c) %r: f32 = fma(%s, %a, %b)");
}
