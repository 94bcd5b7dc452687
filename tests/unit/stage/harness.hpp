#pragma once
#include "compiler/evaluate/evaluate.hpp"
#include "compiler/stage/core/stager.hpp"
#include "compiler/syntax/parse.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>

/// Shared by the tests of the stager: runs programs, given as text, with the evaluator.
namespace pm::stage::test {

/// A session of programs. Each text can use the names that earlier texts define.
class Session {
  public:
    explicit Session(int devices = 1) {
        evaluate::Options options;
        options.devices = devices;
        options.print = [this](std::string_view text) { output_ += text; };
        evaluator_ = std::make_unique<evaluate::Evaluator>(std::move(options));
        Host host;
        host.executor = evaluator_.get();
        host.devices = devices;
        host.output = [this](std::string_view text) { output_ += text; };
        host.message = [this](std::string_view text) { messages_ += text; };
        stager_ = std::make_unique<Stager>(sources_, std::move(host));
        scope_ = stager_->modules().add("main", "");
    }

    /// Runs statements. If the last statement is an expression, returns its value. Throws pm::Error.
    Value run(const std::string& text) {
        const std::uint32_t source = sources_.add("test.pm", text);
        const syntax::ParseResult parsed = syntax::parse(sources_, source);
        if (!parsed.ok()) throw Error(parsed.errors.front());
        return stager_->run(parsed.module, scope_);
    }
    /// The text that the statements print, or the rendered error.
    std::string printed(const std::string& text) {
        output_.clear();
        try {
            run(text);
        } catch (const Error& e) {
            return render(e.diagnostic(), sources_);
        }
        return output_;
    }
    /// The text of an expression's value, or the rendered error.
    std::string shown(const std::string& expression) {
        std::string text = printed("print(" + expression + ")");
        if (!text.empty() && text.back() == '\n') text.pop_back();
        return text;
    }
    /// Runs statements that must fail and returns the diagnostic of the error. If there is no error, the test fails.
    Diagnostic error(const std::string& text) {
        try {
            run(text);
        } catch (const Error& e) {
            return e.diagnostic();
        }
        FAIL("no error: " << text);
        return {};
    }
    SourceMap& sources() { return sources_; }
    Stager& stager() { return *stager_; }
    const std::string& messages() const { return messages_; }

  private:
    SourceMap sources_;
    std::string output_;
    std::string messages_;
    std::unique_ptr<evaluate::Evaluator> evaluator_;
    std::unique_ptr<Stager> stager_;
    std::shared_ptr<ModuleScope> scope_;
};

} // namespace pm::stage::test
