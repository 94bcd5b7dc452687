// :doc
#include "compiler/cli/repl/interactive.hpp"
#include "compiler/cli/repl/keyword_docs.hpp"
#include "compiler/stage/check/module_check.hpp"
#include "compiler/stage/core/stager.hpp"
#include "compiler/stage/known/embedded.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pm::cli {
namespace {

/// The text in one line, with one blank for each run of white space. There is no blank after an opening or before a
/// closing parenthesis.
std::string in_one_line(std::string_view text) {
    std::string line;
    bool blank = false;
    for (const char c : text) {
        const bool is_blank = c == ' ' || c == '\n';
        if (!is_blank && blank && !line.empty() && line.back() != '(' && c != ')') line += ' ';
        if (!is_blank) line += c;
        blank = is_blank;
    }
    return line;
}

/// The first sentence of a documentation, without the form of the call at its beginning.
std::string first_sentence(std::string_view documentation) {
    std::string text = in_one_line(documentation);
    const std::size_t form = text.find("): ");
    if (form != std::string::npos && text.find('(') < text.find(' ')) text = text.substr(form + 3);
    const std::size_t end = text.find(". ");
    return end == std::string::npos ? text : text.substr(0, end + 1);
}

/// The documentation of a function `module.name` of the library: the lines with ## from `## module.name(` on.
std::string documentation_in_module(std::string_view path) {
    const std::size_t dot = path.find('.');
    const auto text = stage::embedded_module(path.substr(0, dot));
    if (!text) return {};
    std::size_t at = text->find(fmt::format("\n## {}(", path));
    std::string lines;
    for (; at != std::string_view::npos && text->substr(at).starts_with("\n## "); at = text->find('\n', at + 1)) {
        const std::string_view line = text->substr(at + 1, text->find('\n', at + 1) - at - 1);
        lines += fmt::format("{}{}", lines.empty() ? "" : "\n", line.substr(3));
    }
    return lines;
}

std::string documentation(const stage::Function& f) {
    if (f.native()) { // if a module renames the native, `doc` is only the path of the new name
        const std::string in_module = documentation_in_module(f.native()->doc);
        return in_module.empty() ? std::string(f.native()->doc) : in_module;
    }
    if (f.closure()) return f.closure()->text().documentation;
    return {};
}

std::vector<std::string> known_names(Interactive& session) {
    std::vector<std::string> names;
    for (const auto& scope : {session.scope(), session.session().stager().modules().prelude()})
        for (const auto& [name, cell] : scope->names) names.push_back(name);
    return names;
}

Diagnostic unknown(Interactive& session, const std::string& path) {
    const std::size_t dot = path.find('.');
    const stage::Value* const owner = dot == std::string::npos ? nullptr : session.resolve(path.substr(0, dot));
    if (owner && owner->module()) {
        auto d = stage::missing_member(*owner->module()->scope, *session.session().stager().modules().prelude(),
                                       {path.substr(dot + 1), {}});
        if (!d.caret.empty()) d.help.push_back(std::exchange(d.caret, {}));
        return d;
    }
    auto d = diagnose(Diag::unknown_name, {}, path);
    for (const std::string_view module : stage::modules_with(path))
        d.help.push_back(fmt::format("the module `{}` has one: {}.{}", module, module, path));
    if (const std::string near = nearest(path, known_names(session)); d.help.empty() && !near.empty())
        d.help.push_back(fmt::format("did you mean `{}`?", near));
    return d;
}

void document_module(Interactive& session, const stage::ModuleScope& module) {
    std::vector<std::string> lines;
    for (const auto& [name, cell] : module.names) {
        if (name[0] == '_') continue;
        const stage::Function* f = cell.value.function();
        const std::string about = f ? first_sentence(documentation(*f)) : std::string();
        lines.push_back(in_one_line(type_text(cell.value, session.session().sources())) +
                        (about.empty() ? "" : "\n    " + about) + "\n");
        if (!f) lines.back() = name + ": " + lines.back();
    }
    std::sort(lines.begin(), lines.end());
    for (const std::string& line : lines) session.print(line);
}

} // namespace

void document(Interactive& session, const std::string& argument) {
    if (argument.empty())
        raise(diagnose(Diag::bad_option, {}, "this command needs a name")
                  .fix(":doc mean, :doc nn, :doc nn.dense, :doc for"));
    const stage::Value* value = session.resolve(argument);
    if (const std::string about = keyword_doc(argument); !value && !about.empty()) return session.print(about);
    if (!value) raise(unknown(session, argument));
    if (value->module()) return document_module(session, *value->module()->scope);
    std::string text = in_one_line(type_text(*value, session.session().sources())) + "\n";
    if (const stage::Function* f = value->function())
        if (const std::string about = documentation(*f); !about.empty()) text += about + "\n";
    session.print(text);
}

} // namespace pm::cli
