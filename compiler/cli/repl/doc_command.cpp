// :doc
#include "compiler/cli/repl/interactive.hpp"
#include "compiler/stage/core/stager.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pm::cli {
namespace {

std::string first_line(std::string_view text) { return std::string(text.substr(0, text.find('\n'))); }

std::string documentation(const stage::Function& f) {
    if (f.native()) return std::string(f.native()->doc);
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
