// The output formats of --errors, and the report of a failed internal check.
#include "compiler/cli/report.hpp"

#include "compiler/base/check.hpp"
#include "compiler/cli/options.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <vector>

using namespace pm;
using nlohmann::json;

namespace {

struct Given {
    SourceMap sources;
    Diagnostic d;
    Given() {
        const std::uint32_t source = sources.add("a.pm", "let é = 1\nlet y = é + zeros(\n  3)\n");
        d = diagnose(Diag::shapes_do_not_broadcast, {source, 19, 34}, "(2,)", "(3,)").under("here");
        d.label({source, 4, 6}, "and here").notes.emplace_back("a note");
        d.help.emplace_back("a repair");
    }
};

/// The exit code and the standard error output of guarded(work).
std::pair<int, std::string> guarded_output(const cli::Options& options, const std::function<int()>& work) {
    std::FILE* file = std::tmpfile();
    REQUIRE(file != nullptr);
    std::FILE* const before = stderr;
    stderr = file;
    const int code = cli::guarded(options, nullptr, work);
    stderr = before;
    std::string text(static_cast<std::size_t>(std::ftell(file)), '\0');
    std::rewind(file);
    CHECK(std::fread(text.data(), 1, text.size(), file) == text.size());
    std::fclose(file);
    return {code, text};
}

} // namespace

TEST_CASE("short: one line") {
    const Given g;
    CHECK(cli::error_text(g.d, g.sources, cli::Errors::short_form) ==
          "a.pm:2:9: error[PM0204]: shapes (2,) and (3,) do not broadcast to one shape\n");
    CHECK(cli::error_text(diagnose(Diag::interrupted, {}), g.sources, cli::Errors::short_form) ==
          "error[PM0510]: interrupted\n");
}

TEST_CASE("json: one object per line with all parts of the diagnostic") {
    const Given g;
    const std::string text = cli::error_text(g.d, g.sources, cli::Errors::json);
    CHECK(text.find('\n') == text.size() - 1);
    const json object = json::parse(text);
    CHECK(object["code"] == "PM0204");
    CHECK(object["name"] == "shapes_do_not_broadcast");
    CHECK(object["severity"] == "error");
    CHECK(object["message"] == "shapes (2,) and (3,) do not broadcast to one shape");
    CHECK(object["file"] == "a.pm");
    CHECK(object["spans"] == json::parse(R"([{"file":"a.pm","line":2,"column":9,"end_line":3,"end_column":4},
                          {"file":"a.pm","line":1,"column":5,"end_line":1,"end_column":6}])"));
    CHECK(object["labels"] == json::parse(R"(["here","and here"])"));
    CHECK(object["notes"] == json::parse(R"(["a note"])"));
    CHECK(object["fixes"] == json::parse(R"(["a repair"])"));
    const json placeless = json::parse(cli::json_text(diagnose(Diag::file_error, {}, "a\nb\xff"), g.sources));
    CHECK(placeless["file"].is_null());
    CHECK(placeless["spans"].empty());
    CHECK(placeless["message"] == "a\nb\xEF\xBF\xBD"); // invalid UTF-8 is replaced
}

TEST_CASE("a failed internal check is reported with its stage and a command that reproduces it") {
    cli::Options options;
    options.command = "pm run --devices=cpu:2 a.pm";
    options.file = "a.pm";
    const auto broken = [] {
        return in_stage("run", [] {
            return in_stage("optimize, pass cse", [] {
                PM_CHECK(1 + 1 == 3, "arithmetic");
                return 0;
            });
        });
    };
    const auto [code, text] = guarded_output(options, broken);
    CHECK(code == 70);
    CHECK(text.rfind("error[PM0990]: internal error: tests/unit/cli/report.cpp:", 0) == 0);
    CHECK(text.find(": 1 + 1 == 3: arithmetic\n") != std::string::npos);
    CHECK(text.find("= stage: optimize, pass cse\n") != std::string::npos);
    CHECK(text.find("= to reproduce: pm run --devices=cpu:2 a.pm\n") != std::string::npos);
    CHECK(text.find("--skip=cse") != std::string::npos);
    CHECK(text.find("`pm ir --after=stage a.pm`") != std::string::npos);

    options.errors = cli::Errors::json;
    const auto [json_code, line] = guarded_output(options, broken);
    CHECK(json_code == 70);
    CHECK(json::parse(line)["code"] == "PM0990");
}

TEST_CASE("an exception of the standard library is an internal error; lack of memory and an interrupt are not") {
    const auto thrown = guarded_output({}, [] { return in_stage("plan", [] { return std::vector<int>{}.at(1); }); });
    CHECK(thrown.first == 70);
    CHECK(thrown.second.find("= stage: plan\n") != std::string::npos);
    CHECK(thrown.second.find("`pm ir --after=optimize FILE`") != std::string::npos);
    const auto optional =
        guarded_output({}, [] { return in_stage("stage", [] { return std::optional<int>{}.value(); }); });
    CHECK(optional.first == 70);
    CHECK(optional.second.find("= stage: stage\n") != std::string::npos);
    CHECK(guarded_output({}, []() -> int { throw std::bad_alloc(); }).first == 1);
    CHECK(guarded_output({}, []() -> int { throw std::bad_alloc(); }).second.rfind("error[PM0512]", 0) == 0);
    CHECK(guarded_output({}, []() -> int { raise(diagnose(Diag::interrupted, {})); }).first == 130);
}

TEST_CASE("long texts in a message are shortened") {
    Given g;
    const std::string name(100000, 'n');
    g.d.message = name;
    g.d.caret = "`" + name + "`";
    g.d.notes.assign(1, "é" + name);
    g.d.help.assign(1, name + "\xFF");
    const std::string shown = cli::error_text(g.d, g.sources, cli::Errors::long_form);
    CHECK(shown.size() < 6500);
    CHECK(shown.find("`" + name.substr(0, 40) + "...`\n") != std::string::npos);
    CHECK(shown.find("= é" + name.substr(0, 899) + " ... " + name.substr(0, 900) + "\n") != std::string::npos);
    CHECK(cli::error_text(g.d, g.sources, cli::Errors::short_form).size() < 2000);
    CHECK(cli::error_text(g.d, g.sources, cli::Errors::json).size() < 7000);
    g.d.message = name.substr(0, 2000);
    CHECK(cli::error_text(g.d, g.sources, cli::Errors::short_form).find(g.d.message) != std::string::npos);
}
