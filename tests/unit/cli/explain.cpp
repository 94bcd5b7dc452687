// The pages of docs/diagnostics/: each diagnostic code must have a page, and each program on a page must have the
// outcome that the page states.
#include "compiler/cli/explain.hpp"

#include "compiler/api/deep_stack.hpp"
#include "compiler/api/session.hpp"
#include "compiler/base/diagnostic.hpp"
#include "compiler/cli/options.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

using namespace pm;

namespace fs = std::filesystem;

namespace {

/// A temporary folder, in which programs may write.
class Folder {
  public:
    Folder() : before_(fs::current_path()) {
        std::string pattern = (fs::temp_directory_path() / "pm-explain-XXXXXX").string();
        REQUIRE(mkdtemp(pattern.data()) != nullptr);
        path_ = pattern;
        fs::current_path(path_);
    }
    ~Folder() {
        fs::current_path(before_);
        fs::remove_all(path_);
    }

  private:
    fs::path before_;
    fs::path path_;
};

/// The codes of the diagnostics that an example of a page causes when it runs or is checked.
std::set<std::string> codes(const cli::Example& example) {
    api::SessionOptions options;
    options.workers = 1;
    options.memory_limit = std::size_t{1} << 32U;
    std::set<std::string> found;
    options.stage.warning = [&](const Diagnostic& d, const SourceMap&) { found.insert(std::string(info(d.id).code)); };
    bool check = false; // the example is an input of `pm check`
    for (const std::string& option : example.options) {
        if (option == "check") {
            check = true;
            options.problem = [&](const Diagnostic& d) { found.insert(std::string(info(d.id).code)); };
            continue;
        }
        if (option == "--check-nans" || option == "--check-overflow") {
            (option == "--check-nans" ? options.stage.check_nans : options.stage.check_overflow) = true;
            continue;
        }
        REQUIRE_MESSAGE(option.rfind("--devices=", 0) == 0, option);
        cli::parse_devices(option.substr(10), options);
    }
    api::DeepStack().run([&] {
        try {
            api::Session session(options);
            if (check)
                session.check_text("example.pm", example.text, ".");
            else
                session.run_text("example.pm", example.text, ".");
        } catch (const api::SyntaxErrors& e) {
            for (const Diagnostic& d : e.all()) found.insert(std::string(info(d.id).code));
        } catch (const Error& e) {
            found.insert(std::string(info(e.diagnostic().id).code));
        }
    });
    return found;
}

/// The text of all programs of tests/lang/diagnostics/ and tests/lang/check/, which includes the expected errors.
std::string golden_files() {
    std::ostringstream all;
    for (const char* folder : {"tests/lang/diagnostics", "tests/lang/check"})
        for (const auto& entry : fs::directory_iterator(fs::path(PM_SOURCE_DIR) / folder))
            if (entry.path().extension() == ".pm") all << std::ifstream(entry.path()).rdbuf() << "\n";
    return all.str();
}

} // namespace

TEST_CASE("every diagnostic code has a page, and every page has a code") {
    std::set<std::string_view> known, explained;
    for (std::size_t i = 0; i < diagnostic_count(); ++i) {
        CHECK_MESSAGE(known.insert(info(static_cast<Diag>(i)).code).second, info(static_cast<Diag>(i)).code);
    }
    for (const cli::Page& page : cli::pages()) {
        CHECK_MESSAGE(!page.title.empty(), page.code);
        CHECK_MESSAGE(cli::page_text(page).rfind(fmt::format("{}: ", page.code), 0) == 0, page.code);
        explained.insert(page.code);
    }
    for (const std::string_view code : known) CHECK_MESSAGE(explained.count(code) == 1, code);
    for (const std::string_view code : explained) CHECK_MESSAGE(known.count(code) == 1, code);
}

TEST_CASE("the failing programs of a page cause the code of the page, and the repaired programs run") {
    const Folder folder;
    for (const cli::Page& page : cli::pages()) {
        int fails = 0, runs = 0;
        for (const cli::Example& example : cli::examples(page)) {
            std::string found;
            for (const std::string& code : codes(example)) found += code + " ";
            CHECK_MESSAGE(found == (example.fails ? std::string(page.code) + " " : ""),
                          page.code << ": " << example.text);
            ++(example.fails ? fails : runs);
        }
        const bool reason = page.body.find("\nNo example: ") != std::string_view::npos;
        CHECK_MESSAGE((reason ? fails + runs == 0 : fails > 0 && runs > 0), page.code);
    }
}

TEST_CASE("every code that a program can cause is expected by a file of tests/lang/diagnostics") {
    const std::string golden = golden_files();
    for (std::size_t i = 0; i < diagnostic_count(); ++i) {
        const std::string code(info(static_cast<Diag>(i)).code);
        const auto page = cli::page_for(code);
        if (page && cli::examples(*page).empty()) continue; // the page says why it has no example
        CHECK_MESSAGE(golden.find(fmt::format("# error: {}", code)) != std::string::npos, code);
    }
}

TEST_CASE("a page is found by code, number and name") {
    for (const char* code : {"PM0204", "pm0204", "204", "0204", "shapes_do_not_broadcast"}) {
        const auto page = cli::page_for(code);
        REQUIRE_MESSAGE(page.has_value(), std::string(code));
        CHECK(page->code == "PM0204");
    }
    CHECK(!cli::page_for("PM0299"));
    CHECK(!cli::page_for(""));
    CHECK(!cli::page_for("PM0204x"));
    const std::string text = cli::page_text(*cli::page_for("204"));
    CHECK(text.find("```") == std::string::npos);
    CHECK(text.find("\n    print(") != std::string::npos);
    CHECK(cli::page_list().find("PM0204  shapes do not broadcast\n") != std::string::npos);
}

TEST_CASE("the error for an unknown code names the nearest code") {
    const auto help = [](const std::string& code) {
        try {
            cli::Options options;
            options.code = code;
            cli::explain(options);
        } catch (const Error& e) {
            CHECK(e.diagnostic().id == Diag::bad_option);
            return e.diagnostic().help.at(0);
        }
        return std::string("no error");
    };
    CHECK(help("PM0205x") == "`pm explain` lists all");
    CHECK(help("PM0295").rfind("the nearest is PM0293: ", 0) == 0);
    CHECK(help("unknown_nam") == "the nearest is unknown_name");
}
