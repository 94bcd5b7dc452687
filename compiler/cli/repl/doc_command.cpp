// :doc
#include "compiler/cli/repl/interactive.hpp"
#include "compiler/cli/repl/keyword_docs.hpp"
#include "compiler/stage/core/stager.hpp"
#include "compiler/stage/known/embedded.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pm::cli {
namespace {

std::string first_line(std::string_view text) { return std::string(text.substr(0, text.find('\n'))); }

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
    if (f.native()) { // a native that a module renames has only the path of its new name
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

void document_module(Interactive& session, const stage::ModuleScope& module) {
    std::vector<std::string> lines;
    for (const auto& [name, cell] : module.names) {
        if (name[0] == '_') continue;
        const stage::Function* f = cell.value.function();
        const std::string about = f ? first_line(documentation(*f)) : std::string();
        lines.push_back(type_text(cell.value, session.session().sources()) + (about.empty() ? "" : "\n    " + about) +
                        "\n");
        if (!f) lines.back() = name + ": " + lines.back();
    }
    std::sort(lines.begin(), lines.end());
    for (const std::string& line : lines) session.print(line);
}

} // namespace

void document(Interactive& session, const std::string& argument) {
    if (argument.empty()) raise(diagnose(Diag::bad_option, {}, "this command needs a name"));
    const stage::Value* value = session.resolve(argument);
    if (const std::string about = keyword_doc(argument); !value && !about.empty()) return session.print(about);
    if (!value) {
        auto d = diagnose(Diag::unknown_name, {}, argument);
        if (const std::string near = nearest(argument, known_names(session)); !near.empty())
            raise(std::move(d).fix(fmt::format("did you mean `{}`?", near)));
        raise(std::move(d));
    }
    if (value->module()) return document_module(session, *value->module()->scope);
    std::string text = type_text(*value, session.session().sources()) + "\n";
    if (const stage::Function* f = value->function())
        if (const std::string about = documentation(*f); !about.empty()) text += about + "\n";
    session.print(text);
}

} // namespace pm::cli
