// Finds names without a definition.
#include "compiler/stage/check/module_check.hpp"
#include "compiler/stage/known/embedded.hpp"
#include "compiler/stage/known/foreign.hpp"
#include "compiler/stage/known/numpy_names.hpp"
#include "compiler/stage/names/names.hpp"
#include "compiler/stage/names/walker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <unordered_set>

namespace pm::stage {

LibraryNames::LibraryNames(std::vector<std::string> global) {
#define PM_X(keyword) global.push_back(#keyword);
    PM_TRANSFORM_KEYWORDS(PM_X)
#undef PM_X
    for (const std::string_view module : offered_modules()) global.emplace_back(module);
    std::sort(global.begin(), global.end());
    for (std::string& name : global) (name.starts_with('_') ? underlined_ : plain_).add(std::move(name));
}

std::vector<const NearNames*> LibraryNames::seen_by(const std::string& name) const {
    if (name.starts_with('_')) return {&plain_, &underlined_};
    return {&plain_};
}

Diagnostic unknown_name(const std::string& name, Span span, const KnownNames& known, std::string_view path) {
    std::vector<const NearNames*> visible = known.own;
    visible.insert(visible.end(), known.library.begin(), known.library.end());
    auto d = diagnose(Diag::unknown_name, span, name);
    for (const std::string_view module : modules_with(name))
        d.help.push_back(
            !known.is_value(module)
                ? fmt::format("the module `{}` has one: {}.{}", module, module, name)
                : fmt::format("the module `{0}` has one, but `{0}` is a value of the program here: give that "
                              "another name",
                              module));
    const std::string_view foreign = foreign_name("", name);
    if (foreign_module(name)) {
        const std::string repair = repair_of_path(path, visible);
        d.help.push_back("write functions of arrays without the name of a module: zeros(3), not jnp.zeros(3)");
        if (!repair.empty()) d.help.back() = repair;
    } else if (!foreign.empty()) {
        d.help.emplace(d.help.begin(), foreign);
    }
    // `int`, `float` and `bool` are names in this language too.
    if (const std::string_view dtype = dtype_of_numpy(name); !dtype.empty())
        d.help.push_back(fmt::format("the dtype is called {}", dtype));
    // For a known foreign name, names of the library are not suggested. Names of the program are still suggested,
    // because the unknown name may be a misspelling of a name of the program.
    const std::string near = d.help.empty()         ? nearest(name, visible)
                             : foreign_module(name) ? ""
                                                    : nearest(name, known.own);
    if (!near.empty()) d.caret = fmt::format("did you mean `{}`?", near);
    return d;
}

std::string_view path_at(const SourceMap& sources, Span span) {
    if (!span) return {};
    std::string_view text = sources[span.source].text().substr(span.begin);
    const auto part = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '.'; };
    return text.substr(0, static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), part) - text.begin()));
}

bool gets_whole_value(const SourceMap& sources, Span span) {
    std::string_view rest = sources[span.source].text().substr(span.end);
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    return rest.starts_with('=');
}

Diagnostic unknown_assigned(const std::string& name, Span span, const std::vector<const NearNames*>& own,
                            const SourceMap& sources) {
    auto d = diagnose(Diag::unknown_name, span, name);
    if (const std::string near = nearest(name, own); !near.empty()) d.caret = fmt::format("did you mean `{}`?", near);
    if (!gets_whole_value(sources, span)) return std::move(d).fix(fmt::format("declare it first: mut {} = ...", name));
    return std::move(d).fix(fmt::format(
        "a new name is made with `let`: let {0} = ...; one that changes later with `mut`: mut {0} = ...", name));
}

namespace {

/// The names of a scope.
struct Scope {
    std::unordered_set<std::string> names;
    NearNames near;

    void declare(const std::string& name) {
        if (names.insert(name).second) near.add(name);
    }
    bool has(const std::string& name) const { return names.count(name) != 0; }
};

/// Resolves the names in the source text of a module. A function may use names that the module defines later. A
/// statement of the module must not use such names.
class Resolver : public Walker {
  public:
    Resolver(const syntax::Module& tree, const std::vector<std::string>& visible, const SourceMap& sources)
        : Walker(tree), sources_(sources), outside_(visible.begin(), visible.end()), library_(visible) {
        for (const syntax::StmtId id : tree.statements()) {
            const syntax::Stmt& s = tree[id];
            if (const auto* let = std::get_if<syntax::Let>(&s.node))
                for (const std::string& name : pattern_names(tree, let->pattern)) {
                    module_.declare(name);
                    later_.emplace(name, tree[let->pattern].span);
                }
            if (const auto* f = std::get_if<syntax::FunctionStmt>(&s.node)) {
                const syntax::Name& name = tree[f->function].name;
                module_.declare(name.text);
                later_.emplace(name.text, name.span);
            }
            if (const auto* import = std::get_if<syntax::Import>(&s.node)) {
                module_.declare(import->name.text);
                imports_.insert(import->name.text);
            }
        }
        scopes_.emplace_back();
    }

    std::vector<Diagnostic> found;
    bool only_statements = false; ///< true if names in functions are not looked up

  protected:
    void name(const std::string& text, Span span) override {
        if (known(text) || (only_statements && functions_ > 0)) return;
        const KnownNames names{own(functions_ > 0), library_.seen_by(text),
                               [this](std::string_view module) { return is_value(std::string(module)); }};
        found.push_back(unknown_name(text, span, names, path_at(sources_, span)));
        if (const auto at = later_.find(text); at != later_.end()) {
            found.back().caret.clear();
            found.back().label(at->second, "it is defined here, after this use");
        }
    }
    void assigned(const std::string& text, Span span) override {
        if (known(text) || (only_statements && functions_ > 0)) return;
        Diagnostic d = unknown_assigned(text, span, own(true), sources_);
        // In an assignment to a part of a variable, the walker also visits the name of the variable as a name that is
        // read.
        const bool is_read = !found.empty() && found.back().span == span;
        if (is_read) found.pop_back();
        found.push_back(std::move(d));
        scopes_.back().names.insert(text); // so only one error is reported for each name
    }
    void declared(const std::string& text) override { scopes_.back().declare(text); }
    void opened(bool function) override {
        scopes_.emplace_back();
        functions_ += function ? 1 : 0;
    }
    void closed(bool function) override {
        scopes_.pop_back();
        functions_ -= function ? 1 : 0;
    }

  private:
    bool known(const std::string& text) const {
        for (const Scope& scope : scopes_)
            if (scope.has(text)) return true;
        if (functions_ > 0 && module_.has(text)) return true;
        return outside_.count(text) != 0 || embedded_module(text);
    }
    /// The names of the program, innermost scope first. `of_module`: true if all names of the module are included.
    std::vector<const NearNames*> own(bool of_module) const {
        std::vector<const NearNames*> lists;
        for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) lists.push_back(&scope->near);
        if (of_module) lists.push_back(&module_.near);
        return lists;
    }
    bool is_value(const std::string& name) const {
        if (imports_.count(name) != 0) return false;
        return module_.has(name) ||
               std::any_of(scopes_.begin(), scopes_.end(), [&](const Scope& scope) { return scope.has(name); });
    }

    const SourceMap& sources_;
    std::unordered_set<std::string> outside_;
    LibraryNames library_;
    Scope module_;
    std::map<std::string, Span> later_; ///< where the module defines its names
    std::set<std::string> imports_;
    std::vector<Scope> scopes_;
    int functions_ = 0;
};

} // namespace

std::vector<Diagnostic> unresolved_names(const syntax::Module& tree, const std::vector<std::string>& visible,
                                         const SourceMap& sources, bool only_statements) {
    Resolver resolver(tree, visible, sources);
    resolver.only_statements = only_statements;
    for (const syntax::StmtId id : tree.statements()) resolver.stmt(id);
    return std::move(resolver.found);
}

} // namespace pm::stage
