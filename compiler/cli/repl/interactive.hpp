#pragma once
#include "compiler/cli/editor/line_editor.hpp"
#include "compiler/cli/options.hpp"
#include "compiler/stage/values/tree.hpp"

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
    std::string_view argument; ///< the argument as the help shows it; empty if the command has no argument
    enum class Takes : std::uint8_t { nothing, code, file, name, words } takes;
    void (*run)(Interactive&, const std::string& argument);
    std::string_view help;
};
/// All commands, in the order of the help (commands.cpp).
std::span<const Command> commands();
/// The command whose name is `word` (which begins with a colon), or the only command whose name begins with `word`.
/// Raises Diag::bad_option if no command or several commands match.
const Command& command_named(std::string_view word);
/// As command_named(), but returns null instead of raising an error.
const Command* find_command(std::string_view word);

/// The parts of an entry that begins with a colon (or `?`, for `:doc`). The argument has no spaces around it.
struct CommandLine {
    std::string word;
    std::string argument;
    std::size_t argument_begin = 0; ///< the position of the argument in the entry
};
bool is_command(std::string_view entry);
CommandLine command_line(const std::string& entry);

/// An interactive session without its terminal. It runs entries and commands, and passes their output to the functions
/// in Options.
class Interactive {
  public:
    explicit Interactive(Options& options);

    /// Runs an entry: a command, or a program whose last value is shown and becomes `it`. After an error, the names of
    /// the session have their previous values again. Pasted text may have several entries, which run up to the first
    /// entry that fails. Returns the exit code.
    int run(const std::string& entry);
    /// Whether `:quit` was entered.
    bool leaving() const { return leaving_; }
    /// Whether the entry is `:quit`, an unambiguous abbreviation of `:quit`, or `quit`, `exit`, `quit()` or `exit()` as
    /// in other languages.
    static bool leaves(const std::string& entry);
    /// Whether the entry ends inside a bracket, a string literal or an expression.
    bool incomplete(const std::string& entry) const;
    editor::Completion complete(const std::string& text, std::size_t cursor);

    // -- for the commands
    Options& options() { return options_; }
    api::Session& session() { return session_; }
    const std::shared_ptr<stage::ModuleScope>& scope() const { return scope_; }
    void leave() { leaving_ = true; }
    void print(std::string_view text) { options_.session.stage.output(text); }
    /// A text, parsed as a function without parameters, which can be staged and called. The spans in the tree refer to
    /// the text.
    struct Code {
        std::shared_ptr<syntax::Module> tree;
        stage::Value function;
    };
    Code code(const std::string& text);
    /// An expression within the text, as a function without parameters.
    stage::Value part(const Code& code, syntax::ExprId id);
    /// The result of staging a function without parameters: values that the function computes are staged values. The
    /// function is not run, unless it has host work (files, time).
    stage::Value typed(const stage::Value& function);
    stage::Value call(const stage::Value& function);
    /// Runs a program in the session and returns its value.
    stage::Value evaluate(const std::string& text);
    /// Shows the value of an entry, unless the entry ends in `;`, and binds the name `it` to the value.
    void show(const std::string& entry, const stage::Value& value);
    void load(const std::string& path);
    const std::string& loaded() const { return loaded_; }
    /// The value of a path such as `a.b.0`, whose first name is a name of the session or the library. Null if there is
    /// no such value.
    const stage::Value* resolve(std::string_view path);

    bool time_entries = false; ///< true after `:set time on`

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

/// The text of `:type`: "f32[3, 4]", "fn predict(params, x)".
std::string type_text(const stage::Value& value, const SourceMap& sources);
// The longer commands (measure.cpp, explain_command.cpp, doc_command.cpp).
void show_ir_of(Interactive& session, const std::string& argument);
void time_once(Interactive& session, const std::string& argument);
void bench(Interactive& session, const std::string& argument);
void explain_entry(Interactive& session, const std::string& argument);
void document(Interactive& session, const std::string& argument);

/// The colour of each byte of an entry.
std::vector<editor::Style> highlight(std::string_view text);

} // namespace pm::cli
