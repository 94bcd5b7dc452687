// The names that messages use for operations must be names that a program can use.
#include "compiler/ops/core/display_name.hpp"
#include "tests/unit/stage/harness.hpp"

#include "compiler/syntax/kinds.hpp"

#include <algorithm>
#include <set>

using namespace pm;

namespace {

std::set<std::string> operators() {
    std::set<std::string> all;
    for (int i = 0; i <= static_cast<int>(syntax::BinaryOp::power); ++i)
        all.emplace(syntax::spelling(static_cast<syntax::BinaryOp>(i)));
    for (const syntax::UnaryOp op : {syntax::UnaryOp::negate, syntax::UnaryOp::bit_not, syntax::UnaryOp::logical_not})
        all.emplace(syntax::spelling(op));
    return all;
}

} // namespace

TEST_CASE("messages name every operation as a program calls it") {
    const std::set<std::string> written = operators();
    const std::set<std::string> statements = {"if", "while", "with"};
    stage::test::Session s;
    for (int i = 0; i < ir::op_count; ++i) {
        const std::string name(ops::display_name(static_cast<ir::Op>(i)));
        INFO(ir::info(static_cast<ir::Op>(i)).name, ": ", name);
        if (written.count(name) != 0 || statements.count(name) != 0) continue;
        CHECK_NOTHROW(s.run("let f = " + name));
    }
}

TEST_CASE("a message names the function that was called, not the functions that it uses") {
    stage::test::Session s;
    s.run("let z = array([1j])\nlet x = [1.0, 2.0]");
    const auto refused = [&](const std::string& text) { return s.error(text).message; };
    CHECK(refused("z % 2") == "`%` takes integers and floats, not c64");
    CHECK(refused("z > z") == "`>` takes bool, integers and floats, not c64");
    CHECK(refused("z <= z") == "`<=` takes bool, integers and floats, not c64");
    CHECK(refused("greater(z, z)") == "`greater` takes bool, integers and floats, not c64");
    CHECK(refused("max(z)") == "`max` takes bool, integers and floats, not c64");
    CHECK(refused("fmod(z, 2)") == "`fmod` takes integers and floats, not c64");
    CHECK(refused("z // 2") == "`//` takes integers and floats, not c64");
    // These functions of the library are written in Polymap.
    CHECK(refused("percentile(z, 50)") == "`percentile` takes real numbers, not complex ones");
    CHECK(refused("special.i0(z)") == "`special.i0` takes real numbers, not complex ones");
    CHECK(refused("signal.welch(z)") == "`signal.welch` takes real numbers, not complex ones");
    // An error in a function that is an argument names this function.
    CHECK(refused("map(floor, z)") == "`floor` takes floats, not c64");
    CHECK(refused("vmap(median)(array([[1j]]))") == "`median` takes real numbers, not complex ones");
}

TEST_CASE("every line of foreign.def is the repair for a name that the language does not have") {
    struct Line {
        std::string where, name, repair;
    };
    const std::vector<Line> lines = {
#define FOREIGN(where, name, repair) {where, name, repair},
#include "compiler/stage/known/foreign.def"
#undef FOREIGN
    };
    stage::test::Session s;
    for (Line line : lines) {
        if (line.name.ends_with('*')) line.name.pop_back();
        const std::string asked = line.where == ""           ? line.name
                                  : line.where == "argument" ? "abs(1, " + line.name + "=1)"
                                  : line.where == "array"    ? "ones(3)." + line.name
                                  : line.where == "record"   ? "{a: 1}." + line.name
                                  : line.where == "tuple"    ? "(1, 2)." + line.name
                                  : line.where == "text"     ? "\"a\"." + line.name
                                                             : line.where + "." + line.name;
        INFO(asked);
        const Diagnostic d = s.error("let it = " + asked);
        CHECK(std::count(d.help.begin(), d.help.end(), line.repair) == 1);
    }
}
