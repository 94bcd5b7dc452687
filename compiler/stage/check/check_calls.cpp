// Finds calls with a wrong number of arguments or with wrong argument names, and unknown members of modules. Functions
// that are never called are checked too. The check uses the source text of the module and the values of its names.
#include "compiler/stage/call/binding.hpp"
#include "compiler/stage/check/module_check.hpp"
#include "compiler/stage/known/embedded.hpp"
#include "compiler/stage/names/names.hpp"
#include "compiler/stage/names/walker.hpp"

#include <map>

namespace pm::stage {
namespace {

/// Checks the calls whose callee is known from the source text. The value of a name is known in three cases: the name
/// is a local function or constant; or it is a name of the library; or it is a name of the module that is not `mut` and
/// is declared only once.
class CallChecks : public Walker {
  public:
    CallChecks(Stager& s, const std::shared_ptr<const syntax::Module>& tree, const ModuleScope& scope)
        : Walker(*tree), s_(s), module_(tree), scope_(scope) {
        for (const syntax::StmtId id : tree->statements())
            for (const std::string& name : changed_names(*tree, id)) ++declared_[name];
        scopes_.emplace_back();
    }

    std::vector<Diagnostic> found;

    void expr(syntax::ExprId id) override {
        s_.poll();
        Walker::expr(id);
        const syntax::Expr& e = tree_[id];
        if (const auto* field = std::get_if<syntax::Field>(&e.node)) {
            if (const auto object = value(field->object)) member(*object, field->name);
        } else if (const auto* call = std::get_if<syntax::Call>(&e.node)) {
            check(value(call->callee), call->arguments, e.span);
        } else if (const auto* transform = std::get_if<syntax::TransformCall>(&e.node)) {
            check(library(std::string(syntax::name(transform->kind))), transform->arguments, e.span);
        } else if (const auto* method = std::get_if<syntax::MethodCall>(&e.node)) {
            if (const auto object = value(method->object))
                check(member(*object, method->name), method->arguments, e.span);
        }
    }

    void stmt(syntax::StmtId id) override {
        Walker::stmt(id);
        if (scopes_.size() == 1) return; // the names of the module already have values
        const syntax::Stmt& s = tree_[id];
        if (const auto* f = std::get_if<syntax::FunctionStmt>(&s.node)) {
            const std::string& name = tree_[f->function].name.text;
            scopes_.back()[name] = function_of(f->function, name);
        }
        const auto* let = std::get_if<syntax::Let>(&s.node);
        const auto* name = let && !let->mut ? std::get_if<syntax::NamePattern>(&tree_[let->pattern].node) : nullptr;
        if (name) scopes_.back()[name->text] = value(let->value);
    }

  protected:
    void declared(const std::string& name) override {
        if (scopes_.size() > 1) scopes_.back()[name] = std::nullopt;
    }
    void opened(bool) override { scopes_.emplace_back(); }
    void closed(bool) override { scopes_.pop_back(); }

  private:
    using Scope = std::map<std::string, std::optional<Value>>; ///< a value is empty if it is not known

    Value function_of(syntax::FunctionId id, std::string name = {}) const {
        return std::make_shared<const stage::Function>(std::move(name), Closure{module_, id, {}, {}, true});
    }

    static Value transformed(Transformation kind, Value of, Span span) {
        return std::make_shared<const stage::Function>(
            "", Transformed{.kind = kind, .functions = {std::move(of)}, .span = span});
    }

    std::optional<Value> value(syntax::ExprId id) {
        const syntax::Expr& e = tree_[id];
        if (const auto* name = std::get_if<syntax::NameRef>(&e.node)) return named(name->text);
        if (const auto* lambda = std::get_if<syntax::Lambda>(&e.node)) return function_of(lambda->function);
        if (const auto* transform = std::get_if<syntax::TransformCall>(&e.node);
            transform && !transform->arguments.empty()) {
            const syntax::Argument& first = transform->arguments.front();
            const auto kind = transformation_named(syntax::name(transform->kind));
            const auto of = first.named() || first.spread ? std::nullopt : value(first.value);
            if (kind && of) return transformed(*kind, *of, e.span);
        }
        if (const auto* field = std::get_if<syntax::Field>(&e.node))
            if (const auto object = value(field->object); object && object->module()) {
                const auto& names = object->module()->scope->names;
                if (const auto at = names.find(field->name.text); at != names.end()) return known(at->second);
            }
        return {};
    }

    std::optional<Value> named(const std::string& name) {
        for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
            if (const auto at = scope->find(name); at != scope->end()) return at->second;
        if (const auto times = declared_.find(name); times != declared_.end()) {
            const auto at = scope_.names.find(name);
            if (times->second > 1 || at == scope_.names.end() || at->second.mut) return {};
            return known(at->second);
        }
        return library(name);
    }

    std::optional<Value> library(const std::string& name) {
        const auto& names = s_.modules().prelude()->names;
        if (const auto at = names.find(name); at != names.end()) return known(at->second);
        if (embedded_module(name)) return s_.modules().of_library(name);
        return {};
    }

    static std::optional<Value> known(const Cell& cell) {
        if (cell.unknown) return {};
        return cell.value;
    }

    /// The member `name` of a module. Empty if `object` is not a module.
    std::optional<Value> member(const Value& object, const syntax::Name& name) {
        if (!object.module()) return {};
        const auto& names = object.module()->scope->names;
        if (const auto at = names.find(name.text); at != names.end()) return known(at->second);
        found.push_back(missing_member(*object.module()->scope, *s_.modules().prelude(), name));
        return {};
    }

    void check(const std::optional<Value>& callee, const std::vector<syntax::Argument>& arguments, Span span) {
        if (!callee) return;
        Value function = *callee;
        bool takes_names = true;
        while (function.function() && function.function()->transformed()) {
            const Transformed t = *function.function()->transformed();
            if (t.kind == Transformation::linear_call) return; // the first parameter is a tuple of residuals
            takes_names = takes_names && t.kind == Transformation::jit;
            function = t.function();
        }
        CallArguments given;
        given.span = span;
        bool spread = false; // true if the number of arguments is not known
        for (const syntax::Argument& a : arguments) {
            const syntax::Expr& e = tree_[a.value];
            if (a.named()) {
                given.named.emplace_back(a.name.text, None{});
                given.named_spans.push_back(e.span);
                given.name_spans.push_back(a.name.span);
            } else if (a.spread) {
                spread = true;
            } else {
                const bool number = std::holds_alternative<syntax::IntLiteral>(
                    e.node); // the error for `zeros(2, 3)` has another suggestion
                given.positional.push_back(number ? Value::integer(0) : Value());
                given.positional_spans.push_back(e.span);
            }
        }
        try {
            if (takes_names || given.named.empty()) require_arguments(s_, function, std::move(given));
        } catch (const Error& e) {
            if (!spread || e.diagnostic().id == Diag::unknown_argument) found.push_back(e.diagnostic());
        }
    }

    Stager& s_;
    const std::shared_ptr<const syntax::Module>& module_;
    const ModuleScope& scope_;
    std::map<std::string, int>
        declared_; ///< by name: number of statements of the module that declare or assign the name
    std::vector<Scope> scopes_;
};

} // namespace

std::vector<Diagnostic> wrong_calls(Stager& stager, const std::shared_ptr<const syntax::Module>& tree,
                                    const ModuleScope& scope) {
    CallChecks calls(stager, tree, scope);
    for (const syntax::StmtId id : tree->statements()) calls.stmt(id);
    return std::move(calls.found);
}

} // namespace pm::stage
