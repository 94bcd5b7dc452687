// Random functions with nested control flow and early exits. A staged and an interpreted function must have the same
// results. A function that calls time() is interpreted, so each body is run without and with a call of time().
#include "tests/unit/stage/harness.hpp"

#include <fmt/format.h>

#include <random>
#include <vector>

using namespace pm;
using namespace pm::stage;

namespace {

class Generator {
  public:
    explicit Generator(unsigned seed) : random_(seed) {}

    std::string body() {
        names_ = {"a", "b", "acc"};
        mutable_ = {"acc"};
        functions_.clear();
        next_ = 0;
        return "    mut acc = 1\n    mut t = (a, b)\n    mut z = [1, 2, 3, 4, 5]\n    mut r = {w: a, b: (b, 1)}\n" +
               block(3, false, 1) + "    (acc + t.0 * 3 + t.1 * 5 + sum(z) + r.w + r.b.0 + r.b.1 * 7) % 97\n";
    }

  private:
    int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
    bool chance(int percent) { return below(100) < percent; }
    const std::string& any(const std::vector<std::string>& list) {
        return list[static_cast<std::size_t>(below(static_cast<int>(list.size())))];
    }
    std::string fresh(const char* prefix) { return fmt::format("{}{}", prefix, next_++); }

    std::string expression(int depth) {
        if (depth == 0 || chance(25)) return chance(70) ? any(names_) : fmt::format("{}", below(10));
        switch (below(8)) {
        case 0:
            return fmt::format("(if {} {{ {} }} else {{ {} }})", condition(depth - 1), expression(depth - 1),
                               expression(depth - 1));
        case 1: return chance(50) ? "t.0" : "r.b.1";
        case 2: return fmt::format("z[({}) % 5]", expression(depth - 1));
        case 3:
            if (!functions_.empty()) return fmt::format("{}({})", any(functions_), expression(depth - 1));
            [[fallthrough]];
        default: {
            const char* const operators[] = {"+", "-", "*"};
            return fmt::format("(({} {} {}) % 97)", expression(depth - 1), operators[below(3)], expression(depth - 1));
        }
        }
    }

    std::string condition(int depth) {
        const char* const comparisons[] = {"==", "<", ">", "!="};
        const std::string c =
            fmt::format("{} % {} {} {}", expression(depth), 2 + below(4), comparisons[below(4)], below(4));
        switch (below(8)) {
        case 0: return fmt::format("({}) and {} > {}", c, expression(depth), below(60));
        case 1: return fmt::format("({}) or {} < {}", c, expression(depth), below(30));
        case 2: return fmt::format("not ({})", c);
        default: return c;
        }
    }

    std::string block(int depth, bool loop, int indent) {
        const auto names = names_, mutables = mutable_, functions = functions_;
        std::string out;
        const int count = 2 + below(4);
        for (int i = 0; i < count; ++i) out += statement(depth, loop, indent);
        names_ = names, mutable_ = mutables, functions_ = functions;
        return out;
    }

    std::string statement(int depth, bool loop, int indent) {
        const std::string in(static_cast<std::size_t>(4 * indent), ' ');
        if (depth > 0 && chance(35)) return nested(depth, loop, in, indent);
        switch (below(10)) {
        case 0: {
            const std::string value = expression(2), name = fresh("v");
            names_.push_back(name);
            return fmt::format("{}let {} = {}\n", in, name, value);
        }
        case 1: {
            const std::string value = expression(2), name = fresh("m");
            names_.push_back(name);
            mutable_.push_back(name);
            return fmt::format("{}mut {} = {}\n", in, name, value);
        }
        case 2: return fmt::format("{}t = ({}, {})\n", in, expression(1), expression(1));
        case 3: return fmt::format("{}r.{} = {}\n", in, chance(50) ? "w" : "b.0", expression(2));
        case 4: return fmt::format("{}z[({}) % 5] = {}\n", in, expression(1), expression(1));
        case 5: {
            names_.push_back("q");
            const std::string value = expression(2), name = fresh("g");
            names_.pop_back();
            functions_.push_back(name);
            return fmt::format("{}let {} = fn(q) = {}\n", in, name, value);
        }
        case 6:
            if (loop) return fmt::format("{}if {} {{ {} }}\n", in, condition(1), chance(50) ? "break" : "continue");
            [[fallthrough]];
        case 7:
            if (chance(30)) return fmt::format("{}if {} {{ return {} }}\n", in, condition(1), expression(1));
            [[fallthrough]];
        default: {
            const std::string& name = any(mutable_);
            if (chance(40)) return fmt::format("{}{} += {}\n{}{} %= 97\n", in, name, expression(2), in, name);
            return fmt::format("{}{} = {}\n", in, name, expression(2));
        }
        }
    }

    std::string nested(int depth, bool loop, const std::string& in, int indent) {
        switch (below(3)) {
        case 0: {
            std::string out =
                fmt::format("{}if {} {{\n{}{}}}", in, condition(1), block(depth - 1, loop, indent + 1), in);
            if (chance(50)) out += fmt::format(" else {{\n{}{}}}", block(depth - 1, loop, indent + 1), in);
            return out + "\n";
        }
        case 1: {
            const std::string length =
                chance(50) ? fmt::format("{}", below(6)) : fmt::format("(({}) % 6)", expression(1));
            const std::string name = fresh("i");
            names_.push_back(name);
            const std::string inner = block(depth - 1, true, indent + 1);
            names_.pop_back();
            return fmt::format("{}for {} in 0..{} {{\n{}{}}}\n", in, name, length, inner, in);
        }
        default: {
            const std::string name = fresh("i");
            const std::string head = fmt::format("{}mut {} = 0\n{}while {} < {} and ({}) {{\n{}    {} += 1\n", in, name,
                                                 in, name, 1 + below(8), condition(1), in, name);
            names_.push_back(name);
            return head + block(depth - 1, true, indent + 1) + in + "}\n";
        }
        }
    }

    std::mt19937 random_;
    std::vector<std::string> names_, mutable_, functions_;
    int next_ = 0;
};

} // namespace

TEST_CASE("staged control flow agrees with interpreted control flow") {
    for (unsigned seed = 0; seed < 300; ++seed) {
        stage::test::Session s;
        const std::string body = Generator(seed).body();
        INFO("seed " << seed << "\n" << body);
        const std::string defined =
            s.printed("fn staged(a, b) {\n" + body + "}\nfn interpreted(a, b) {\n    let _ = time()\n" + body + "}\n");
        REQUIRE(defined.empty());
        for (const char* arguments : {"(0, 13)", "(19, 7)", "(42, 41)"})
            CHECK(s.shown(std::string("staged") + arguments) == s.shown(std::string("interpreted") + arguments));
    }
}
