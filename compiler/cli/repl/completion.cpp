// The completions of Tab: names, fields, named arguments, commands, files.
#include "compiler/cli/repl/interactive.hpp"
#include "compiler/stage/core/stager.hpp"
#include "compiler/stage/known/embedded.hpp"
#include "compiler/stage/known/signature.hpp"
#include "compiler/syntax/lexer.hpp"
#include "runtime/utf8.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

namespace pm::cli {
namespace {

using editor::Completion;
using syntax::Token;
using syntax::TokenKind;

bool in_word(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x80U || std::isalnum(byte) != 0 || c == '_';
}

bool begins_with(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

/// A completion with these names as candidates.
Completion completion(std::size_t begin, const std::set<std::string>& names) {
    Completion made;
    made.begin = begin;
    for (const std::string& name : names) made.candidates.push_back({name, name});
    return made;
}

Completion complete_command(std::string_view word, std::size_t begin) {
    std::set<std::string> names;
    for (const Command& c : commands())
        if (begins_with(":" + std::string(c.name), word)) names.insert(":" + std::string(c.name) + " ");
    return completion(begin, names);
}

/// Files whose path begins with `text`, which is at `begin` in the entry.
Completion complete_file(const std::string& text, std::size_t begin) {
    const std::size_t slash = text.rfind('/');
    const std::string folder = slash == std::string::npos ? "" : text.substr(0, slash + 1);
    const std::string start = text.substr(folder.size());
    Completion made;
    made.begin = begin;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder.empty() ? "." : folder, error)) {
        std::string name = entry.path().filename().string();
        if (!begins_with(name, start) || (start.empty() && name[0] == '.')) continue;
        if (entry.is_directory(error)) name += '/';
        made.candidates.push_back({folder + name, name});
    }
    std::sort(made.candidates.begin(), made.candidates.end(),
              [](const auto& a, const auto& b) { return a.text < b.text; });
    return made;
}

/// The path, such as `a.b.0`, that ends at `end`. Empty if there is no path.
std::string_view path_before(std::string_view text, std::size_t end) {
    std::size_t begin = end;
    while (begin > 0 && (in_word(text[begin - 1]) || text[begin - 1] == '.')) --begin;
    // A point at the beginning of the path follows a closing bracket or a string literal. The path then names a field
    // of a value that is not known here.
    if (begin > 0 && begin < end && text[begin] == '.') return {};
    return text.substr(begin, end - begin);
}

std::vector<std::string> parameters_of(const stage::Value* value) {
    std::vector<std::string> names;
    const stage::Function* f = value ? value->function() : nullptr;
    if (f && f->native())
        for (const auto& p : stage::signature_of(*f->native()).parameters)
            if (!p.rest) names.push_back(p.name);
    if (f && f->closure())
        for (const syntax::Parameter& p : f->closure()->text().parameters)
            if (const auto* name = std::get_if<syntax::NamePattern>(&(*f->closure()->module)[p.pattern].node);
                name && !p.rest)
                names.push_back(name->text);
    // A transformed function has the parameters of the function that it transforms.
    if (f && f->transformed()) return parameters_of(&f->transformed()->function());
    return names;
}

/// If the text ends at the beginning of an argument of a call, returns the parameters of the called function. The
/// completion offers these parameters with `=`.
std::vector<std::string> arguments_at(Interactive& session, const syntax::Tokens& tokens) {
    int open = 0;
    bool first = true;
    for (std::size_t i = tokens.list.size(); i-- > 0;) {
        const Token& token = tokens.list[i];
        if (token.kind == TokenKind::end || token.kind == TokenKind::newline) continue;
        if (first && token.kind != TokenKind::comma && token.kind != TokenKind::round_open) return {};
        first = false;
        if (syntax::is_closer(token.kind)) ++open;
        const bool opener = token.kind == TokenKind::round_open || token.kind == TokenKind::square_open ||
                            token.kind == TokenKind::record_open || token.kind == TokenKind::block_open;
        if (!opener || open-- > 0) continue;
        if (token.kind != TokenKind::round_open) return {};
        const std::string_view path = path_before(tokens.text, token.begin);
        std::vector<std::string> names = parameters_of(path.empty() ? nullptr : session.resolve(path));
        if (!names.empty() || path.empty()) return names;
        // The path may be a method call, whose object is the first argument.
        const std::size_t dot = path.rfind('.');
        if (dot == std::string_view::npos) return {};
        names = parameters_of(session.resolve(path.substr(dot + 1)));
        if (!names.empty()) names.erase(names.begin());
        return names;
    }
    return {};
}

/// If the input ends inside a string literal, returns the position after the opening quote. Otherwise empty.
std::optional<std::size_t> open_text(const syntax::Tokens& tokens) {
    std::size_t begin = 0;
    for (std::size_t i = 0; i < tokens.list.size(); ++i) {
        const Token& token = tokens.list[i];
        if (token.kind == TokenKind::text_begin) begin = token.end;
        // The lexer closes open string literals with tokens of width 0.
        if (token.kind == TokenKind::text_end && token.begin == token.end && token.end == tokens.text.size())
            return begin;
    }
    return {};
}

void add_members(Interactive& session, std::string_view object, const std::string& prefix,
                 std::set<std::string>& names) {
    const auto add = [&](std::string_view name) {
        if (begins_with(name, prefix)) names.emplace(name);
    };
    const stage::Value* value = object.empty() ? nullptr : session.resolve(object);
    if (value && value->module()) {
        for (const auto& [name, cell] : value->module()->scope->names)
            if (name[0] != '_' || begins_with(prefix, "_")) add(name);
        return;
    }
    if (value && value->record()) {
        for (const auto& [name, field] : value->record()->fields)
            if (!name.empty() && std::all_of(name.begin(), name.end(), in_word)) add(name);
        return;
    }
    if (!value || value->is_numeric())
        for (const char* name : {"shape", "dtype", "ndim", "size", "T", "mT"}) add(name);
    // `x.f(y)` is `f(x, y)` for every function.
    for (const auto& scope : {session.scope(), session.session().stager().modules().prelude()})
        for (const auto& [name, cell] : scope->names)
            if (cell.value.function() && name[0] != '_') add(name);
}

void add_names(Interactive& session, const std::string& prefix, std::set<std::string>& names) {
    for (const auto& [name, cell] : session.scope()->names)
        if (begins_with(name, prefix)) names.insert(name);
    for (const auto& [name, cell] : session.session().stager().modules().prelude()->names)
        if (begins_with(name, prefix) && !cell.value.module() && (name[0] != '_' || begins_with(prefix, "_")))
            names.insert(name);
    for (const std::string_view module : stage::offered_modules())
        if (begins_with(module, prefix)) names.emplace(module);
    for (int kind = static_cast<int>(TokenKind::kw_let); kind <= static_cast<int>(TokenKind::kw_pmean); ++kind)
        if (const std::string_view word = syntax::spelling(static_cast<TokenKind>(kind)); begins_with(word, prefix))
            names.emplace(word);
}

} // namespace

Completion Interactive::complete(const std::string& text, std::size_t cursor) {
    const std::string before = text.substr(0, cursor);
    std::size_t from = 0;
    if (is_command(before)) {
        const CommandLine line = command_line(before);
        if (before.find_first_of(" \t\n", before.find_first_not_of(" \t")) == std::string::npos &&
            line.word[0] == ':' && before.find('?') == std::string::npos)
            return complete_command(line.word, before.find(':'));
        const Command* command = find_command(line.word);
        if (!command || command->takes == Command::Takes::nothing || command->takes == Command::Takes::words) return {};
        if (command->takes == Command::Takes::file)
            return complete_file(before.substr(line.argument_begin), line.argument_begin);
        from = line.argument_begin;
    }
    if (runtime::first_invalid_utf8(before) != before.size()) return {};
    std::vector<Diagnostic> ignored;
    const std::string code = before.substr(from);
    if (const auto begin = open_text(syntax::lex(0, code, ignored)))
        return complete_file(code.substr(*begin), from + *begin);
    std::size_t begin = code.size();
    while (begin > 0 && in_word(code[begin - 1])) --begin;
    const std::string prefix = code.substr(begin);
    std::set<std::string> names;
    if (begin > 0 && code[begin - 1] == '.') {
        add_members(*this, path_before(code, begin - 1), prefix, names);
        return completion(from + begin, names);
    }
    if (!prefix.empty() && std::isdigit(static_cast<unsigned char>(prefix[0])) != 0) return {};
    const std::string around = code.substr(0, begin);
    std::set<std::string> named;
    for (const std::string& name : arguments_at(*this, syntax::lex(0, around, ignored)))
        if (begins_with(name, prefix)) named.insert(name + "=");
    // If names of arguments match, only these names are offered.
    if (!named.empty()) return completion(from + begin, named);
    add_names(*this, prefix, names);
    return completion(from + begin, names);
}

} // namespace pm::cli
