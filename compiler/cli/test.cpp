// pm test: the `test` blocks of files.
#include "compiler/base/check.hpp"
#include "compiler/cli/options.hpp"
#include "compiler/cli/program_files.hpp"
#include "compiler/stage/core/failures.hpp"
#include "compiler/stage/core/stager.hpp"
#include "runtime/failure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <iterator>

namespace pm::cli {
namespace {

class Tests {
  public:
    explicit Tests(const Options& options) : options_(options) {
        options_.session.stage.output = [this](std::string_view text) { printed_ += text; };
    }

    /// Runs the tests of one file. Returns false if the user has pressed Ctrl-C.
    bool run(const ProgramFile& place) {
        SourceMap sources;
        std::vector<const syntax::Test*> chosen;
        std::vector<Span> tests;
        std::string text;
        syntax::ParseResult parsed;
        const bool readable = passes(place.path, {}, sources, [&] {
            text = read_file(place.path);
            parsed = syntax::parse(sources, sources.add(place.path, text));
            if (!parsed.ok()) throw api::SyntaxErrors(std::move(parsed.errors));
        });
        if (!readable) return !interrupted;
        lost_ = parsed.lost;
        for (const syntax::StmtId id : parsed.module->statements())
            if (const auto* test = std::get_if<syntax::Test>(&(*parsed.module)[id].node)) {
                tests.push_back((*parsed.module)[id].span);
                if (test->title.find(options_.filter) != std::string::npos) chosen.push_back(test);
            }
        if (tests.empty() && place.given) fmt::print("{}: no tests\n", place.path);
        // If a value is lost within a test (PM0110), only that test fails; other tests run.
        const auto in_test = [&](const Diagnostic& d) {
            return std::any_of(tests.begin(), tests.end(), [&](Span test) { return within(d.span, test); });
        };
        std::vector<Diagnostic> outside;
        std::copy_if(lost_.begin(), lost_.end(), std::back_inserter(outside), std::not_fn(in_test));
        if (!outside.empty() && !passes(place.path, {}, sources, [&] { throw api::SyntaxErrors(outside); }))
            if (chosen.empty()) return !interrupted;
        if (chosen.empty()) return true;
        run_file(place.path);
        return !interrupted;
    }

    int summary() const {
        if (passed_ + failed_ == 0 && !options_.filter.empty()) {
            fmt::print("no test has `{}` in its name\n", options_.filter);
            return exit_error;
        }
        if (passed_ + failed_ == 0) {
            fmt::print("no tests\n");
            return exit_error;
        }
        fmt::print("{} passed, {} failed\n", passed_, failed_);
        if (internal_) return exit_internal;
        return failed_ == 0 ? exit_done : exit_error;
    }

  private:
    /// Whether `part` is within `whole`. Both are spans of the same text, but their source numbers may differ.
    static bool within(Span part, Span whole) { return whole.begin <= part.begin && part.end <= whole.end; }

    void run_file(const std::string& path) {
        api::Session session(options_.session);
        api::Session::Loaded loaded;
        printed_.clear();
        const bool ran = passes(path, {}, session.sources(), [&] { loaded = session.run_file(path, true); });
        if (!ran) return;
        for (const syntax::StmtId id : loaded.tree->statements()) {
            const auto* test = std::get_if<syntax::Test>(&(*loaded.tree)[id].node);
            if (!test || test->title.find(options_.filter) == std::string::npos) continue;
            printed_.clear();
            const Span place = (*loaded.tree)[id].span;
            const bool holds = passes(path, test->title, session.sources(), [&] {
                std::vector<Diagnostic> lost;
                std::copy_if(lost_.begin(), lost_.end(), std::back_inserter(lost),
                             [&](const Diagnostic& d) { return within(d.span, place); });
                // the session has read the text again, under another source number
                for (Diagnostic& d : lost) d.span.source = place.source;
                if (!lost.empty()) throw api::SyntaxErrors(lost);
                session.stager().run_test(loaded.tree, loaded.scope, *test);
            });
            if (interrupted) return;
            if (holds) ++passed_;
        }
    }

    /// Runs `work`. If `work` fails, counts the failure, and reports it after the output of the test. An empty title
    /// means that the failure belongs to the file, not to a test.
    bool passes(const std::string& path, const std::string& title, const SourceMap& sources,
                const std::function<void()>& work) {
        std::string said;
        try {
            work();
            return true;
        } catch (...) {
            const Said error = current_error(options_, sources, path);
            said = error.text;
            internal_ = internal_ || error.code == exit_internal;
        }
        ++failed_;
        if (!printed_.empty() && printed_.back() != '\n') printed_ += '\n';
        const bool apart = options_.errors == Errors::json; // json: each line of standard error is an object
        fmt::print("{}FAIL {}{}{}{}", printed_, path, title.empty() ? "" : fmt::format(" \"{}\"", title),
                   options_.errors == Errors::short_form ? ": " : "\n", apart ? "" : said);
        std::fflush(stdout);
        if (apart) say(said);
        return false;
    }

    Options options_;
    std::vector<Diagnostic> lost_; ///< lost values of the file's statements
    std::string printed_;          ///< output of the current test; shown if the test fails
    int passed_ = 0;
    int failed_ = 0;
    bool internal_ = false; ///< true if there was an internal error of pm
};

} // namespace

int test(Options& options) {
    say_messages(options);
    answer_interrupts(options.session);
    return guarded(options, nullptr, [&] {
        Tests tests(options);
        for (const ProgramFile& place :
             program_files(options.files.empty() ? std::vector<std::string>{"."} : options.files))
            if (!tests.run(place)) return static_cast<int>(exit_interrupted);
        return tests.summary();
    });
}

} // namespace pm::cli
