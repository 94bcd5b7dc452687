// Finds names that are never read, and functions that are defined twice. Uses only the text of the module.
#include "compiler/stage/check/module_check.hpp"
#include "compiler/stage/names/names.hpp"
#include "compiler/stage/names/walker.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace pm::stage {
namespace {

/// Records for each name of a scope whether it is read. The names at the top level of the module are not reported as
/// unread, because other modules can read them. Parts of a tuple pattern, names of loops and names that begin with `_`
/// are not reported either.
class Unused : public Walker {
  public:
    explicit Unused(const syntax::Module& tree) : Walker(tree), scopes_(1) {}

    std::vector<Diagnostic> run() {
        for (const syntax::StmtId id : tree_.statements()) stmt(id);
        for (Parameter& p : parameters_)
            if (!passed_.contains(p.function)) found_.push_back(std::move(p.unread));
        std::ranges::sort(found_, {}, [](const Diagnostic& d) { return d.span.begin; });
        return std::move(found_);
    }

    void expr(syntax::ExprId id) override {
        const syntax::Expr& e = tree_[id];
        if (const auto* name = std::get_if<syntax::NameRef>(&e.node); name && id != callee_) passed_.insert(name->text);
        if (const auto* call = std::get_if<syntax::Call>(&e.node)) callee_ = call->callee;
        if (const auto* lambda = std::get_if<syntax::Lambda>(&e.node)) entered_ = lambda->function;
        Walker::expr(id);
    }

    void stmt(syntax::StmtId id) override {
        const syntax::Stmt& s = tree_[id];
        const auto* f = std::get_if<syntax::FunctionStmt>(&s.node);
        bool replaces_unread = false;
        if (f) {
            entered_ = f->function;
            const auto earlier = scopes_.back().names.find(tree_[f->function].name.text);
            replaces_unread = earlier != scopes_.back().names.end() && !earlier->second.is_read;
        }
        Walker::stmt(id);
        if (f) define(tree_[f->function].name, replaces_unread);
        if (const auto* let = std::get_if<syntax::Let>(&s.node)) report_later(let->pattern);
    }

  protected:
    void name(const std::string& text, Span) override { read(text); }
    void method(const std::string& text) override { read(text); }
    void declared(const std::string& text) override {
        Scope& scope = scopes_.back();
        report(scope.names[text]);
        scope.names[text] = {};
    }
    void size_name(const std::string& text) override {
        if (!read(text)) declared(text);
    }
    void opened(bool function) override {
        scopes_.push_back({.function = function ? std::exchange(entered_, {}) : syntax::FunctionId{}});
    }
    void closed(bool) override {
        Scope& scope = scopes_.back();
        if (scope.function) report_parameters(scope);
        for (auto& [text, name] : scope.names) report(name);
        scopes_.pop_back();
    }

  private:
    struct Name {
        bool is_read = false;
        std::optional<Diagnostic> unread; ///< the warning if the name is not read; empty if it is not to be reported
    };
    struct Scope {
        syntax::FunctionId function{}; ///< set for the scope of a function's parameters
        std::map<std::string, Name> names{};
        std::map<std::string, Span> functions{}; ///< the names of the defined functions, with the last definition
    };
    struct Parameter {
        std::string function;
        Diagnostic unread;
    };

    /// Returns false if no scope has the name.
    bool read(const std::string& text) {
        for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
            if (const auto at = scope->names.find(text); at != scope->names.end()) return at->second.is_read = true;
        return false;
    }

    void report(Name& name) {
        if (name.unread && !name.is_read) found_.push_back(std::move(*name.unread));
    }

    /// Warns if no statement reads the names that a `let` or `mut` with this pattern has declared.
    void report_later(syntax::PatternId id) {
        const syntax::Pattern& p = tree_[id];
        if (const auto* n = std::get_if<syntax::NamePattern>(&p.node)) report_later({n->text, p.span});
        if (const auto* r = std::get_if<syntax::RecordPattern>(&p.node))
            for (const auto& entry : r->entries) report_later(entry.pattern);
    }
    void report_later(const syntax::Name& name) {
        if (scopes_.size() == 1 || name.text.starts_with('_')) return;
        scopes_.back().names[name.text].unread =
            diagnose(Diag::unused_name, name.span, name.text).fix("remove it, or begin its name with `_`");
    }

    /// Warns if the function replaces another one that no statement between them reads, as `let inner = f` does.
    void define(const syntax::Name& name, bool replaces_unread) {
        report_later(name);
        const auto [first, is_new] = scopes_.back().functions.try_emplace(name.text, name.span);
        if (is_new) return;
        if (replaces_unread)
            found_.push_back(diagnose(Diag::function_twice, name.span, name.text)
                                 .label(first->second, "the first definition")
                                 .fix("give one of them another name"));
        first->second = name.span;
    }

    /// An anonymous function is an argument in most cases. Its parameters are given by the function that calls it.
    void report_parameters(const Scope& scope) {
        const syntax::Function& f = tree_[scope.function];
        if (f.name.text.empty()) return;
        for (const syntax::Parameter& p : f.parameters) {
            const auto* n = std::get_if<syntax::NamePattern>(&tree_[p.pattern].node);
            if (!n || n->text.starts_with('_') || scope.names.at(n->text).is_read) continue;
            if (p.type && gives_size(p.type, scope)) continue;
            parameters_.push_back(
                {f.name.text, diagnose(Diag::unused_parameter, tree_[p.pattern].span, n->text, f.name.text)
                                  .fix("remove it, or begin its name with `_`")});
        }
    }

    /// Whether the annotation of a parameter has a named size that is read. The size is an axis of the argument.
    bool gives_size(syntax::TypeId id, const Scope& scope) const {
        const syntax::TypeExpr& t = tree_[id];
        const auto gives = [&](syntax::TypeId part) { return gives_size(part, scope); };
        if (const auto* tuple = std::get_if<syntax::TupleType>(&t.node))
            return std::ranges::any_of(tuple->elements, gives);
        if (const auto* record = std::get_if<syntax::RecordType>(&t.node))
            return std::ranges::any_of(record->entries, gives, &syntax::RecordType::Entry::type);
        const auto* array = std::get_if<syntax::ArrayType>(&t.node);
        if (!array) return false;
        const auto is_read = [&](const std::string& name) {
            const auto at = scope.names.find(name);
            return at != scope.names.end() && at->second.is_read;
        };
        return std::ranges::any_of(array->sizes, [&](const syntax::SizeExpr& size) {
            return size.value && std::ranges::any_of(mentioned_names(tree_, size.value), is_read);
        });
    }

    std::vector<Scope> scopes_;
    syntax::FunctionId entered_;        ///< the function whose scope is opened next
    syntax::ExprId callee_;             ///< the callee of the call that was visited last
    std::set<std::string> passed_;      ///< the names that are read other than as the callee of a call
    std::vector<Parameter> parameters_; ///< the unread parameters of named functions
    std::vector<Diagnostic> found_;
};

} // namespace

std::vector<Diagnostic> unused_names(const syntax::Module& tree) { return Unused(tree).run(); }

} // namespace pm::stage
