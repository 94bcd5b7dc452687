// Compares every expression of tests/oracle/library.txt with the value of JAX, at top level and in a compiled function.
#include "compiler/stage/values/tree.hpp"
#include "tests/unit/stage/harness.hpp"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace pm;
using namespace pm::stage;
using runtime::DType;

namespace {

struct Leaf {
    std::string type;
    std::vector<double> values;
};

std::vector<std::string> split(const std::string& text, const std::string& separator) {
    std::vector<std::string> parts;
    std::size_t from = 0;
    for (std::size_t at = text.find(separator); at != std::string::npos; at = text.find(separator, from)) {
        parts.push_back(text.substr(from, at - from));
        from = at + separator.size();
    }
    parts.push_back(text.substr(from));
    return parts;
}

/// Reads a value such as "f32[2,2] 1.0 2.0 nan 4.0".
Leaf read_leaf(const std::string& text) {
    std::istringstream in(text);
    Leaf leaf;
    in >> leaf.type;
    for (std::string word; in >> word;) leaf.values.push_back(std::strtod(word.c_str(), nullptr));
    return leaf;
}

std::string type_text(const Type& type) {
    std::string text(runtime::name(type.dtype));
    text += '[';
    for (std::size_t i = 0; i < type.shape.size(); ++i) text += (i ? "," : "") + std::to_string(type.shape[i]);
    return text + ']';
}

std::vector<double> values_of(const Value& v) {
    if (const Number* n = v.number()) return {n->as_f64()};
    std::vector<double> values;
    for (std::int64_t i = 0; i < v.array()->elements(); ++i) values.push_back(v.array()->as_f64(i));
    return values;
}

double tolerance(DType d) {
    if (d == DType::f16) return 2e-3;
    if (d == DType::bf16) return 1e-2;
    return runtime::is_float(d) ? 2e-5 : 0;
}

bool close(double a, double b, double tolerance) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    if (a == b) return true;
    return std::fabs(a - b) <= tolerance * std::max(1.0, std::fabs(b));
}

void compare(const Value& found, const std::string& expected) {
    const std::vector<Value> leaves = stage::leaves(found);
    const std::vector<std::string> wanted = split(expected, "; ");
    CHECK(leaves.size() == wanted.size());
    if (leaves.size() != wanted.size()) return;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
        const Leaf leaf = read_leaf(wanted[i]);
        const Type type = numeric_type(leaves[i]).type;
        CHECK(type_text(type) == leaf.type);
        const std::vector<double> values = values_of(leaves[i]);
        CHECK(values.size() == leaf.values.size());
        if (values.size() != leaf.values.size()) continue;
        for (std::size_t k = 0; k < values.size(); ++k) {
            INFO("leaf " << i << ", element " << k << ": " << values[k] << " and in JAX " << leaf.values[k]);
            CHECK(close(values[k], leaf.values[k], tolerance(type.dtype)));
        }
    }
}

std::string contents(const char* name) {
    std::ifstream in(std::string(PM_SOURCE_DIR) + "/tests/oracle/" + name);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
}

/// Whether the size of the result depends on values. Such a result is computed only at top level.
bool only_at_top(const std::string& expression) {
    const bool sized = expression.find("size=") != std::string::npos || expression.find("length=") != std::string::npos;
    return (expression.rfind("unique(", 0) == 0 || expression.rfind("bincount(", 0) == 0) &&
           (!sized || expression.find("minlength") != std::string::npos);
}

} // namespace

TEST_CASE("native functions agree with JAX") {
    stage::test::Session session;
    session.run("import random");
    for (const std::string& line : split(contents("library.txt"), "\n"))
        if (line.rfind("let ", 0) == 0) session.run(line);
    std::size_t count = 0;
    for (const std::string& line : split(contents("library.values"), "\n")) {
        if (line.empty()) continue;
        const std::vector<std::string> parts = split(line, "\t");
        INFO(parts[0]);
        for (const bool compiled : {false, true}) {
            if (compiled && only_at_top(parts[0])) continue;
            INFO((compiled ? "in a compiled function" : "at top level"));
            try {
                compare(session.run(compiled ? "jit(fn() = " + parts[0] + ")()" : parts[0]), parts[1]);
            } catch (const Error& e) {
                FAIL_CHECK(render(e.diagnostic(), session.sources()));
            }
        }
        ++count;
    }
    CHECK(count > 300);
}
