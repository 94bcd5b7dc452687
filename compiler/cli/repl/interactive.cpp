#include "compiler/cli/repl/interactive.hpp"

#include "compiler/cli/time_text.hpp"
#include "compiler/stage/call/staging.hpp"
#include "compiler/stage/core/context.hpp"
#include "compiler/stage/core/stager.hpp"
#include "compiler/stage/known/embedded.hpp"
#include "compiler/stage/known/printing.hpp"
#include "compiler/stage/values/tree.hpp"
#include "compiler/syntax/lexer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <filesystem>

namespace pm::cli {
namespace {

using Clock = std::chrono::steady_clock;

/// Whether the text ends in `;`, so that its value is not shown.
bool hides_value(std::string_view text) {
    std::vector<Diagnostic> ignored;
    const syntax::Tokens tokens = syntax::lex(0, text, ignored);
    for (std::size_t i = tokens.list.size(); i-- > 0;) {
        const syntax::TokenKind kind = tokens.list[i].kind;
        if (kind != syntax::TokenKind::end && kind != syntax::TokenKind::newline)
            return kind == syntax::TokenKind::semicolon;
    }
    return false;
}

/// Whether a text has only comments, and at least one is a documentation comment (`##`) of the function that follows.
bool only_documentation(std::string_view text) {
    if (text.find("##") == std::string_view::npos) return false;
    std::vector<Diagnostic> ignored;
    const syntax::Tokens tokens = syntax::lex(0, text, ignored);
    return ignored.empty() && std::all_of(tokens.list.begin(), tokens.list.end(), [](const syntax::Token& token) {
               return token.kind == syntax::TokenKind::end || token.kind == syntax::TokenKind::newline;
           });
}

/// A text as a literal of a program, so that no control characters reach the terminal.
std::string written(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\')
            out += {'\\', c};
        else if (c == '\n')
            out += "\\n";
        else if (c == '\t')
            out += "\\t";
        else if (byte < 0x20U || byte == 0x7FU)
            out += fmt::format("\\u{{{:x}}}", byte);
        else
            out += c;
    }
    return out + "\"";
}

std::string stripped(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos) return {};
    return std::string(text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1));
}

} // namespace

bool is_command(std::string_view entry) {
    const std::size_t begin = entry.find_first_not_of(" \t");
    return begin != std::string_view::npos && (entry[begin] == ':' || entry[begin] == '?');
}

CommandLine command_line(const std::string& entry) {
    CommandLine line;
    std::size_t at = entry.find_first_not_of(" \t");
    if (entry[at] == '?') {
        line.word = ":doc";
        ++at;
    } else {
        const std::size_t end = std::min(entry.find_first_of(" \t\r\n", at), entry.size());
        line.word = entry.substr(at, end - at);
        at = end;
    }
    line.argument_begin = std::min(entry.find_first_not_of(" \t\r\n", at), entry.size());
    line.argument = stripped(std::string_view(entry).substr(line.argument_begin));
    return line;
}

Interactive::Interactive(Options& options) : options_(options), session_(options.session) {
    scope_ = session_.stager().modules().add("session", ".");
}

namespace {

bool one_incomplete(const std::string& entry) {
    std::string text = entry;
    if (is_command(entry)) {
        const CommandLine line = command_line(entry);
        const Command* command = find_command(line.word);
        if (!command || command->takes != Command::Takes::code) return false;
        text = line.argument;
    }
    if (only_documentation(text)) return true;
    SourceMap scratch;
    const std::uint32_t source = scratch.add("<entry>", text);
    return syntax::parse(scratch, source).incomplete;
}

/// The entries in a pasted text. A command is one line. While the code of a command is incomplete, the next line also
/// belongs to the command. If the value of a statement would be lost (PM0110), each statement is a separate entry. A
/// text that is one entry is returned unchanged.
std::vector<std::string> entries_in(const std::string& pasted) {
    SourceMap scratch;
    const auto parsed = [&](const std::string& text) { return syntax::parse(scratch, scratch.add("<entry>", text)); };
    std::vector<std::string> entries;
    std::string open;
    std::string command; ///< a command whose code is still incomplete
    const auto finish = [&] {
        const syntax::ParseResult result = parsed(open);
        const auto& statements = result.module->statements();
        if (!result.ok() || result.lost.empty() || statements.size() < 2) {
            if (!stripped(open).empty()) entries.push_back(open);
        } else {
            for (std::size_t i = 0; i < statements.size(); ++i) {
                const std::size_t from = i == 0 ? 0 : (*result.module)[statements[i]].span.begin;
                const std::size_t to =
                    i + 1 < statements.size() ? (*result.module)[statements[i + 1]].span.begin : open.size();
                entries.push_back(open.substr(from, to - from));
            }
        }
        open.clear();
    };
    for (std::size_t at = 0; at < pasted.size();) {
        const std::size_t end = std::min(pasted.find('\n', at), pasted.size() - 1) + 1;
        const std::string line = pasted.substr(at, end - at);
        at = end;
        if (command.empty() && !(is_command(line) && !parsed(open).incomplete)) {
            open += line;
            continue;
        }
        finish();
        command += line;
        if (one_incomplete(command)) continue;
        entries.push_back(std::move(command));
        command.clear();
    }
    finish();
    if (!command.empty()) entries.push_back(command);
    return entries;
}

} // namespace

bool Interactive::leaves(const std::string& entry) {
    if (!is_command(entry)) {
        const std::string word = stripped(entry);
        return word == "quit" || word == "exit" || word == "quit()" || word == "exit()";
    }
    const Command* command = find_command(command_line(entry).word);
    return command != nullptr && command->name == "quit";
}

bool Interactive::incomplete(const std::string& entry) const {
    const std::vector<std::string> entries = entries_in(entry);
    return one_incomplete(entries.empty() ? entry : entries.back());
}

int Interactive::run(const std::string& pasted) {
    if (pasted.find('\n') == std::string::npos) return run_one(pasted);
    int code = exit_done;
    for (const std::string& entry : entries_in(pasted))
        if (code = run_one(entry); code != exit_done || leaving()) break;
    return code;
}

/// The command for an entry that has the form of another language, such as `exit()` or `help(f)`. Other entries are
/// returned unchanged.
std::string Interactive::meant(const std::string& entry) const {
    std::string word = stripped(entry);
    const std::size_t end = std::min(word.find_first_of("( \t"), word.size());
    std::string rest = stripped(std::string_view(word).substr(end));
    word.resize(end);
    if (scope_->names.count(word) != 0) return entry;
    if (rest.size() >= 2 && rest.front() == '(' && rest.back() == ')') rest = stripped(rest.substr(1, rest.size() - 2));
    if ((word == "exit" || word == "quit") && rest.empty()) return ":quit";
    if (word != "help") return entry;
    const auto of_path = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '.'; };
    if (rest.empty()) return ":help";
    return std::all_of(rest.begin(), rest.end(), of_path) ? ":doc " + rest : entry;
}

int Interactive::run_one(const std::string& given) {
    const std::string entry = meant(given);
    const auto start = Clock::now();
    const int code = attempt([&] {
        if (is_command(entry)) {
            const CommandLine line = command_line(entry);
            command_named(line.word).run(*this, line.argument);
            return;
        }
        show(entry, evaluate(entry));
    });
    if (time_entries && !is_command(entry))
        print(fmt::format("time: {}\n", duration_text(std::chrono::duration<double>(Clock::now() - start).count())));
    std::fflush(stdout);
    return code;
}

/// Runs `work`. If `work` fails, the names of the session get their previous values again. Returns the exit code.
int Interactive::attempt(const std::function<void()>& work) {
    const auto before = scope_->names;
    const std::string folder = scope_->folder;
    const int code = guarded(options_, &session_.sources(), [&] {
        work();
        if (interrupted) raise(diagnose(Diag::interrupted, {})); // `work` itself may have reported the interrupt before
        return static_cast<int>(exit_done);
    });
    scope_->folder = folder;
    if (code != exit_done) {
        // Names that existed before have their previous cells again, and the names that the failed entry added are
        // removed.
        std::erase_if(scope_->names, [&](const auto& entry) { return before.count(entry.first) == 0; });
        for (const auto& [name, cell] : before) scope_->names[name] = cell;
    }
    return code;
}

stage::Value Interactive::evaluate(const std::string& text) {
    return session_.run_text(fmt::format("<entry {}>", ++count_), text, ".", scope_).value;
}

void Interactive::show(const std::string& entry, const stage::Value& value) {
    if (value.is_none()) return;
    scope_->names["it"] = {value, false, {}};
    if (hides_value(entry)) return;
    if (const std::string* text = value.text())
        print(written(*text) + "\n");
    else
        stage::print_values(session_.stager(), {value}, " ", "\n", {});
}

void Interactive::load(const std::string& path) {
    std::string text = read_file(path);
    loaded_ = path; // recorded even if the text has errors, since the user will correct them
    scope_->folder = std::filesystem::path(path).parent_path().string();
    session_.run_text(path, std::move(text), {}, scope_);
}

// ---- code as functions

namespace {

/// A function of the tree without parameters.
stage::Value function_of(std::shared_ptr<const syntax::Module> tree, syntax::FunctionId id,
                         const std::shared_ptr<stage::ModuleScope>& scope) {
    return {std::make_shared<const stage::Function>("it", stage::Closure{std::move(tree), id, scope, {}})};
}

syntax::FunctionId add_function(syntax::Module& tree, Span span, std::vector<syntax::StmtId> statements) {
    syntax::Function f;
    f.span = span;
    f.signature = span;
    f.body = tree.add(syntax::Block{span, std::move(statements)});
    return tree.add(std::move(f));
}

} // namespace

Interactive::Code Interactive::code(const std::string& text) {
    const std::uint32_t source = session_.sources().add(fmt::format("<entry {}>", ++count_), text);
    const syntax::ParseResult parsed = syntax::parse(session_.sources(), source);
    if (!parsed.problems().empty()) throw api::SyntaxErrors(parsed.problems());
    if (parsed.module->statements().empty())
        raise(diagnose(Diag::bad_option, {}, "this command needs an expression after its name"));
    const auto tree = std::make_shared<syntax::Module>(*parsed.module);
    const Span whole{source, 0, static_cast<std::uint32_t>(text.size())};
    const syntax::FunctionId id = add_function(*tree, whole, tree->statements());
    return {tree, function_of(tree, id, scope_)};
}

stage::Value Interactive::part(const Code& code, syntax::ExprId id) {
    const Span span = (*code.tree)[id].span;
    const syntax::StmtId statement = code.tree->add(syntax::Stmt{span, syntax::ExprStmt{id}});
    return function_of(code.tree, add_function(*code.tree, span, {statement}), scope_);
}

stage::Value Interactive::typed(const stage::Value& function) {
    try {
        return stage::Staging(session_.stager()).call({function}).result;
    } catch (const stage::HostWork&) {
        return call(function);
    }
}

stage::Value Interactive::call(const stage::Value& function) { return session_.stager().calls().call({function}); }

const stage::Value* Interactive::resolve(std::string_view path) {
    const stage::Value* value = nullptr;
    while (!path.empty()) {
        const std::size_t dot = std::min(path.find('.'), path.size());
        const std::string name(path.substr(0, dot));
        path.remove_prefix(std::min(dot + 1, path.size()));
        const auto in = [&](const stage::ModuleScope& scope) -> const stage::Value* {
            const auto at = scope.names.find(name);
            return at == scope.names.end() ? nullptr : &at->second.value;
        };
        if (!value) {
            value = in(*scope_);
            if (!value) value = in(*session_.stager().modules().prelude());
            if (!value && stage::embedded_module(name)) // such a module is loaded when its name is first used
                value = &session_.stager().modules().of_library(name);
        } else if (const stage::Record* record = value->record()) {
            value = record->find(name);
        } else if (const stage::ModuleValue* module = value->module()) {
            value = in(*module->scope);
        } else if (const stage::Tuple* tuple = value->tuple()) {
            const bool number = !name.empty() && name.size() < 6 &&
                                std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
            const std::size_t i = number ? std::stoul(name) : tuple->items.size();
            value = i < tuple->items.size() ? &tuple->items[i] : nullptr;
        } else {
            return nullptr;
        }
        if (!value) return nullptr;
    }
    return value;
}

} // namespace pm::cli
