#pragma once
#include "compiler/cli/editor/line_editor.hpp"
#include "compiler/cli/options.hpp"

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pm::cli {

class Interactive;

/// One command of the session: `:name argument`.
struct Command {
    std::string_view name;
    std::string_view argument; ///< for the help; empty: none
    enum class Takes : std::uint8_t { nothing, code, file, name, words } takes;
    void (*run)(Interactive&, const std::string& argument);
    std::string_view help;
};
/// All of them, in the order of the help (commands.cpp).
std::span<const Command> commands();
/// The command that `word` (with its colon) is or begins; raises Diag::bad_option when none or several do.
const Command& command_named(std::string_view word);
/// The same for questions in between: null instead of an error.
const Command* find_command(std::string_view word);

/// An entry that begins with a colon (or `?`, for `:doc`), in its parts. The argument is without the space around it.
struct CommandLine {
    std::string word;
    std::string argument;
    std::size_t argument_begin = 0; ///< where it begins in the entry
};
bool is_command(std::string_view entry);
CommandLine command_line(const std::string& entry);

/// An interactive session without its terminal: entries and commands go in, what they print comes out.
class Interactive {
  public:
    explicit Interactive(Options& options);

    /// Runs an entry: a program, whose last value is shown and becomes `it`, or a command. Errors are reported and
    /// change nothing. Answers the exit code.
    /// Several entries too, as they are pasted: the first that fails is the last that is run.
    int run(const std::string& entry);
    /// `:quit` has been said.
    bool leaving() const { return leaving_; }
    /// The entry is `:quit`, a beginning of it that means nothing else, or what other languages say.
    static bool leaves(const std::string& entry);
    /// The entry ends inside something open.
    bool incomplete(const std::string& entry) const;
    editor::Completion complete(const std::string& text, std::size_t cursor);

    // -- for the commands
    Options& options() { return options_; }
    api::Session& session() { return session_; }
    const std::shared_ptr<stage::ModuleScope>& scope() const { return scope_; }
    void leave() { leaving_ = true; }
    void print(std::string_view text) { options_.session.output(text); }
    /// A text as a function without parameters, so that it can be staged and called; spans are those of the text.
    struct Code {
        std::shared_ptr<syntax::Module> tree;
        stage::Value function;
    };
    Code code(const std::string& text);
    /// A part of such a text in the same form.
    stage::Value part(const Code& code, syntax::ExprId id);
    /// The result of a function without parameters, staged values in place of what is computed: nothing is run, unless
    /// it does what cannot be staged (files, time).
    stage::Value typed(const stage::Value& function);
    stage::Value call(const stage::Value& function);
    /// Runs a program in the session; its value.
    stage::Value evaluate(const std::string& text);
    /// Shows the value of an entry as the session does, unless a `;` ends the entry, and makes it `it`.
    void show(const std::string& entry, const stage::Value& value);
    void load(const std::string& path);
    const std::string& loaded() const { return loaded_; }
    /// The value of `a.b.0`, of the session or the library; null when there is none.
    const stage::Value* resolve(std::string_view path);

    bool time_entries = false; ///< `:set time on`

  private:
    int run_one(const std::string& entry);
    std::string meant(const std::string& entry) const;
    int attempt(const std::function<void()>& work);

    Options& options_;
    api::Session session_;
    std::shared_ptr<stage::ModuleScope> scope_;
    std::string loaded_; ///< the file of the last `:load`
    int count_ = 0;
    bool leaving_ = false;
};

/// "f32[3, 4]", "fn predict(params, x)": what `:type` says.
std::string type_text(const stage::Value& value, const SourceMap& sources);
/// "12.3 ms".
std::string duration_text(double seconds);
/// "1.20 s: staging 200 ms, optimize ...; 3 programs compiled; by libraries of the GPU: cuFFT 2": what became of this
/// time since `before`. Work on the syntax and what is interpreted count as staging. No compiler: the time alone.
std::string time_text(double seconds, const api::Compiler* compiler, const api::Compiler::Spent& before);
/// What a block is after a stage of the compiler (`pm ir --after`), PTX for that GPU; raises Diag::bad_option when
/// there is no such stage.
std::string ir_text(api::Session& session, const ir::BlockPtr& block, const std::string& after,
                    const std::string& architecture);

// What stands behind the longer commands (measure.cpp, parts.cpp, document.cpp).
void show_ir_of(Interactive& session, const std::string& argument);
void time_once(Interactive& session, const std::string& argument);
void bench(Interactive& session, const std::string& argument);
void explain_entry(Interactive& session, const std::string& argument);
void document(Interactive& session, const std::string& argument);

/// Colours of an entry, per byte.
std::vector<editor::Style> highlight(std::string_view text);

} // namespace pm::cli
