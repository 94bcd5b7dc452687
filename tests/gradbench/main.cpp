// The GradBench programs, through their adapter, return the values of evaluations.jsonl (see values.py). An invalid
// message is answered with an error, and the session continues.
#include "session.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <fstream>

using gradbench::Json;
using gradbench::Session;

namespace {

const std::string source = PM_SOURCE_DIR;

Session open(const std::string& programs = source + "/examples/gradbench") {
    auto session = Session::create(programs, false);
    REQUIRE(session.ok());
    return std::move(*session);
}

Json request(Session& session, const Json& message) { return Json::parse(session.answer(message.dump())); }

void define(Session& session, const std::string& module) {
    const Json answer = request(session, {{"id", 1}, {"kind", "define"}, {"module", module}});
    INFO(answer.dump());
    REQUIRE(answer["success"] == true);
}

/// The first difference; empty if there is none. Integers must be equal. Other numbers may differ by 1e-9, relatively
/// above 1.
std::string difference(const Json& wanted, const Json& got, const std::string& where = "output") {
    const std::string both = where + ": wanted " + wanted.dump() + ", got " + got.dump();
    if (wanted.is_number_integer()) return wanted == got ? "" : both;
    if (wanted.is_number()) {
        if (!got.is_number()) return both;
        const double a = wanted, b = got;
        return std::abs(a - b) <= 1e-9 * std::max(1.0, std::abs(a)) ? "" : both;
    }
    if (wanted.is_array() != got.is_array() || wanted.is_object() != got.is_object() || wanted.size() != got.size())
        return both;
    if (wanted.is_array())
        for (std::size_t i = 0; i < wanted.size(); ++i)
            if (auto d = difference(wanted[i], got[i], where + "[" + std::to_string(i) + "]"); !d.empty()) return d;
    if (wanted.is_object()) {
        for (const auto& [key, value] : wanted.items()) {
            if (!got.contains(key)) return both;
            if (auto d = difference(value, got[key], where + "." + key); !d.empty()) return d;
        }
    }
    return "";
}

} // namespace

TEST_CASE("the programs return the values of JAX, NumPy and SciPy") {
    Session session = open();
    std::ifstream file(source + "/tests/gradbench/evaluations.jsonl");
    std::map<std::string, int> checked;
    for (std::string line; std::getline(file, line);) {
        const Json stored = Json::parse(line);
        const std::string module = stored["module"], function = stored["function"];
        CAPTURE(module);
        CAPTURE(function);
        if (!checked.contains(module)) define(session, module);
        Json input = stored["input"];
        if (input.is_object()) input.update({{"min_runs", 2}, {"min_seconds", 0.0}});
        const Json answer = request(
            session, {{"id", 7}, {"kind", "evaluate"}, {"module", module}, {"function", function}, {"input", input}});
        INFO(answer.value("error", ""));
        REQUIRE(answer["success"] == true);
        CHECK(answer["id"] == 7);
        CHECK(difference(stored["output"], answer["output"]) == "");
        CHECK(answer["timings"].size() == (input.is_object() ? 2 : 1));
        for (const Json& timing : answer["timings"]) {
            CHECK(timing["name"] == "evaluate");
            CHECK(timing["nanoseconds"].get<std::int64_t>() > 0);
        }
        ++checked[module];
    }
    CHECK(checked.size() == 6);
}

TEST_CASE("runs repeat until min_runs and min_seconds are reached") {
    Session session = open();
    define(session, "ode");
    const Json answer = request(session, {{"id", 2},
                                          {"kind", "evaluate"},
                                          {"module", "ode"},
                                          {"function", "primal"},
                                          {"input", {{"x", {0.5}}, {"s", 2}, {"min_runs", 3}, {"min_seconds", 0.01}}}});
    REQUIRE(answer["success"] == true);
    std::int64_t total = 0;
    for (const Json& timing : answer["timings"]) total += timing["nanoseconds"].get<std::int64_t>();
    CHECK(answer["timings"].size() >= 3);
    CHECK(total >= 10'000'000);
}

TEST_CASE("start and analysis messages are acknowledged") {
    Session session = open();
    const Json start = request(session, {{"id", 0}, {"kind", "start"}, {"eval", "hello"}});
    CHECK(start["id"] == 0);
    CHECK(start["tool"] == "polymap");
    const Json analysis = request(session, {{"id", 3}, {"kind", "analysis"}, {"of", 2}, {"valid", true}});
    CHECK(analysis == Json{{"id", 3}});
}

TEST_CASE("an invalid message is answered with an error, and the session continues") {
    Session session = open();
    define(session, "hello");
    define(session, "kmeans");
    const std::pair<std::string, std::string> cases[] = {
        {R"(hello)", "parse error"},
        {R"([1])", "a message is an object"},
        {R"({"id": 5})", "no text `kind`"},
        {R"({"id": 5, "kind": "define"})", "no text `module`"},
        {R"({"id": 5, "kind": "define", "module": "ht"})", "no program for the module `ht`"},
        {R"({"id": 5, "kind": "define", "module": "../kmeans"})", "no program for the module"},
        {R"({"id": 5, "kind": "evaluate", "module": "gmm", "function": "objective", "input": {}})", "not been defined"},
        {R"({"id": 5, "kind": "evaluate", "module": "hello", "function": "cube", "input": 1.0})", "no function `cube`"},
        {R"({"id": 5, "kind": "evaluate", "module": "hello", "function": "square"})", "no `input`"},
        {R"({"id": 5, "kind": "evaluate", "module": "hello", "function": "square", "input": [[1, 2], [3]]})",
         "`input` is no array: its lists differ"},
        {R"({"id": 5, "kind": "evaluate", "module": "hello", "function": "square", "input": [1, [2]]})",
         "`input` is no array: its lists differ"},
        {R"({"id": 5, "kind": "evaluate", "module": "hello", "function": "square", "input": [1, "2"]})",
         "it holds string"},
        {R"({"id": 5, "kind": "evaluate", "module": "hello", "function": "double", "input": [1, 2]})", "PM"},
        {R"({"id": 5, "kind": "evaluate", "module": "hello", "function": "double", "input": 9223372036854775808})",
         "too large for an i64"},
        {R"({"kind": "evaluate", "module": "hello", "function": "square", "input": )" + std::string(100000, '[') +
             std::string(100000, ']') + "}",
         "nested too deep"},
        {R"({"id": 5, "kind": "evaluate", "module": "kmeans", "function": "cost", "input": {"points": [[1.0]]}})",
         "centroids"},
        {R"({"id": 5, "kind": "evaluate", "module": "kmeans", "function": "cost",
             "input": {"points": [[1.0]], "centroids": [[1.0, 2.0]], "min_runs": 1, "min_seconds": 0}})",
         "PM"},
        {R"({"id": 5, "kind": "evaluate", "module": "kmeans", "function": "cost",
             "input": {"points": [[1.0]], "centroids": [[1.0]], "min_runs": "many"}})",
         "`input.min_runs` is no number"},
    };
    for (const auto& [message, error] : cases) {
        CAPTURE(message);
        const Json answer = Json::parse(session.answer(message));
        const bool has_id = message.find("\"id\"") != std::string::npos;
        CHECK(answer["id"] == (has_id ? Json(5) : Json()));
        CAPTURE(answer.dump());
        REQUIRE(answer["success"] == false);
        CHECK(answer["error"].get<std::string>().find(error) != std::string::npos);
        const Json after = request(
            session, {{"id", 6}, {"kind", "evaluate"}, {"module", "hello"}, {"function", "square"}, {"input", 3.0}});
        CHECK(after["output"] == 9.0);
    }
}
