#include "compiler/syntax/check_context.hpp"

#include "compiler/syntax/left_chain.hpp"
#include "compiler/syntax/parse.hpp"

#include <map>
#include <string>

namespace pm::syntax {
namespace {

/// Walks the whole tree. The walk is recursive, because the height of the tree is bounded.
class ContextCheck {
  public:
    ContextCheck(const Module& module, std::vector<Diagnostic>& errors, std::vector<Diagnostic>& lost)
        : module_(module), errors_(errors), lost_(lost) {}

    void run() { statements(module_.statements(), {true, false, false}, true); }

  private:
    struct Where {
        bool top = false;
        bool in_function = false;
        bool in_loop = false;
        // Whether this code is inside an expression that is inside the loop or function. A `break`, `continue` or
        // `return` here would leave the expression without a value.
        bool loop_cut = false;
        bool function_cut = false;
    };

    void cut(std::string_view word, Span span) {
        report(diagnose(Diag::exit_in_expression, span, word)
                   .fix("let the `if` be a statement of its own that assigns a `mut` name"));
    }

    void report(Diagnostic diagnostic) { report(errors_, std::move(diagnostic)); }
    static void report(std::vector<Diagnostic>& list, Diagnostic diagnostic) {
        if (list.size() < max_errors) list.push_back(std::move(diagnostic));
    }

    /// `wanted` is true if the value of the block is used. The value of a block is the value of its last statement.
    void block(BlockId id, Where where, bool wanted) {
        if (!id) return;
        where.top = false;
        statements(module_[id].statements, where, wanted);
    }

    void statements(const std::vector<StmtId>& list, Where where, bool wanted) {
        for (std::size_t i = 0; i < list.size(); ++i) statement(list[i], where, wanted && i + 1 == list.size());
    }

    /// Whether an expression may have an effect, judged from its syntax alone.
    bool may_have_effect(ExprId id) const {
        return std::visit(
            [](const auto& n) {
                using T = std::decay_t<decltype(n)>;
                return std::is_same_v<T, Call> || std::is_same_v<T, TransformCall> || std::is_same_v<T, MethodCall> ||
                       std::is_same_v<T, If> || std::is_same_v<T, Comprehension> || std::is_same_v<T, NoneLiteral> ||
                       std::is_same_v<T, Invalid>;
            },
            module_[id].node);
    }

    void function(FunctionId id, Where where) {
        const Function& f = module_[id];
        for (const Parameter& parameter : f.parameters) expression(parameter.otherwise, where);
        sizes(f);
        block(f.body, {false, true, false}, true);
    }

    // -- a size in an annotation binds a name, which must not hide a parameter

    void bound_names(PatternId id, std::map<std::string, Span>& names) {
        const Pattern& node = module_[id];
        if (const auto* name = std::get_if<NamePattern>(&node.node)) names.emplace(name->text, node.span);
        if (const auto* tuple = std::get_if<TuplePattern>(&node.node))
            for (const TuplePattern::Element& element : tuple->elements) bound_names(element.pattern, names);
        if (const auto* record = std::get_if<RecordPattern>(&node.node))
            for (const RecordPattern::Entry& entry : record->entries) bound_names(entry.pattern, names);
    }

    void sizes(const Function& f) {
        std::map<std::string, Span> names;
        for (const Parameter& parameter : f.parameters) bound_names(parameter.pattern, names);
        for (const Parameter& parameter : f.parameters) sizes(parameter.type, names);
        sizes(f.result, names);
    }

    void sizes(TypeId id, const std::map<std::string, Span>& names) {
        if (!id) return;
        const TypeExpr& type = module_[id];
        if (const auto* array = std::get_if<ArrayType>(&type.node))
            for (const SizeExpr& size : array->sizes) size_names(size.value, names);
        if (const auto* tuple = std::get_if<TupleType>(&type.node))
            for (const TypeId element : tuple->elements) sizes(element, names);
        if (const auto* record = std::get_if<RecordType>(&type.node))
            for (const auto& entry : record->entries) sizes(entry.type, names);
    }

    void size_names(ExprId id, const std::map<std::string, Span>& names) {
        if (!id) return;
        const Expr& e = module_[id];
        if (const auto* name = std::get_if<NameRef>(&e.node))
            if (const auto at = names.find(name->text); at != names.end())
                report(diagnose(Diag::duplicate_binding, e.span, name->text)
                           .label(at->second, "the parameter")
                           .note("a size in an annotation is a name of its own")
                           .fix("give the size another name"));
        if (const auto* unary = std::get_if<Unary>(&e.node)) size_names(unary->operand, names);
        if (!in_left_chain(e)) return;
        const LeftChain chain = left_chain(module_, id);
        size_names(chain.first, names);
        for (const LeftChain::Step& step : chain.steps) size_names(step.node->right, names);
    }

    void statement(StmtId id, Where where, bool wanted) {
        struct Visitor {
            ContextCheck& check;
            Span span;
            Where where;
            bool wanted;
            void operator()(const ExprStmt& s) const {
                if (!wanted && s.value && !check.may_have_effect(s.value))
                    check.report(check.lost_, diagnose(Diag::lost_value, span));
                if (const auto* e = std::get_if<If>(&check.module_[s.value].node))
                    check.branches(*e, where, wanted);
                else
                    check.expression(s.value, where);
            }
            void operator()(const Let& s) const { check.expression(s.value, where); }
            void operator()(const Assign& s) const {
                check.pattern(s.target, where);
                check.expression(s.value, where);
            }
            void operator()(const FunctionStmt& s) const { check.function(s.function, where); }
            void operator()(const For& s) const {
                check.expression(s.source, where);
                check.block(s.body, {false, where.in_function, true, false, where.function_cut}, false);
            }
            void operator()(const While& s) const {
                check.expression(s.condition, where);
                check.block(s.body, {false, where.in_function, true, false, where.function_cut}, false);
            }
            void operator()(const Break&) const {
                if (!where.in_loop)
                    check.report(diagnose(Diag::outside_loop, span, "break"));
                else if (where.loop_cut)
                    check.cut("break", span);
            }
            void operator()(const Continue&) const {
                if (!where.in_loop)
                    check.report(diagnose(Diag::outside_loop, span, "continue"));
                else if (where.loop_cut)
                    check.cut("continue", span);
            }
            void operator()(const Return& s) const {
                if (!where.in_function)
                    check.report(diagnose(Diag::outside_function, span));
                else if (where.function_cut)
                    check.cut("return", span);
                check.expression(s.value, where);
            }
            void operator()(const Import& s) const {
                if (!where.top) check.report(diagnose(Diag::only_at_top_level, s.path_span, "import"));
            }
            void operator()(const Test& s) const {
                if (!where.top) check.report(diagnose(Diag::only_at_top_level, span, "test"));
                check.block(s.body, where, false);
            }
        };
        const Stmt& node = module_[id];
        std::visit(Visitor{*this, node.span, where, wanted}, node.node);
    }

    void pattern(PatternId id, Where where) {
        const Pattern& node = module_[id];
        if (const auto* place = std::get_if<PlacePattern>(&node.node)) path(place->path, where);
        if (const auto* tuple = std::get_if<TuplePattern>(&node.node))
            for (const TuplePattern::Element& element : tuple->elements) pattern(element.pattern, where);
        if (const auto* record = std::get_if<RecordPattern>(&node.node))
            for (const RecordPattern::Entry& entry : record->entries) pattern(entry.pattern, where);
    }

    void items(const std::vector<IndexItem>& list, Where where) {
        for (const IndexItem& item : list) {
            expression(item.first, where);
            expression(item.last, where);
            expression(item.step, where);
        }
    }

    void path(const std::vector<Selector>& steps, Where where) {
        for (const Selector& step : steps) items(step.items, where);
    }

    template <class List>
    void values(const List& list, Where where) {
        for (const auto& element : list) expression(element.value, where);
    }

    void branches(const If& e, Where where, bool wanted) {
        for (const If::Branch& branch : e.branches) {
            expression(branch.condition, where);
            block(branch.block, where, wanted && e.otherwise);
        }
        block(e.otherwise, where, wanted);
    }

    void expression(ExprId id, Where where) {
        if (!id) return;
        where.top = false;
        where.loop_cut = where.in_loop;
        where.function_cut = where.in_function;
        struct Visitor {
            ContextCheck& check;
            ExprId id;
            Where where;
            void operator()(const Invalid&) const {}
            void operator()(const IntLiteral&) const {}
            void operator()(const FloatLiteral&) const {}
            void operator()(const ImaginaryLiteral&) const {}
            void operator()(const BoolLiteral&) const {}
            void operator()(const NoneLiteral&) const {}
            void operator()(const NameRef&) const {}
            void operator()(const Transform&) const {}
            void operator()(const StringLiteral& e) const {
                check.values(e.pieces, where);
                for (const StringPiece& piece : e.pieces) check.expression(piece.computed_format, where);
            }
            void operator()(const Tuple& e) const { check.values(e.items, where); }
            void operator()(const Array& e) const { check.values(e.items, where); }
            void operator()(const Record& e) const { check.values(e.entries, where); }
            void operator()(const Comprehension& e) const {
                // The body is a function of the element, so `break` and `continue` cannot exit an enclosing loop.
                check.expression(e.body, {false, where.in_function, false});
                check.expression(e.condition, {false, where.in_function, false});
                check.expression(e.source, where);
            }
            void operator()(const Unary& e) const { check.expression(e.operand, where); }
            void operator()(const Binary& e) const {
                if (!in_left_chain(check.module_[id])) {
                    check.expression(e.left, where);
                    check.expression(e.right, where);
                    return;
                }
                const LeftChain chain = left_chain(check.module_, id);
                check.expression(chain.first, where);
                for (const LeftChain::Step& step : chain.steps) check.expression(step.node->right, where);
            }
            void operator()(const Range& e) const {
                check.expression(e.first, where);
                check.expression(e.last, where);
            }
            void operator()(const Call& e) const {
                check.expression(e.callee, where);
                check.values(e.arguments, where);
            }
            void operator()(const TransformCall& e) const { check.values(e.arguments, where); }
            void operator()(const MethodCall& e) const {
                check.expression(e.object, where);
                check.values(e.arguments, where);
            }
            void operator()(const Field& e) const { check.expression(e.object, where); }
            void operator()(const TupleIndex& e) const { check.expression(e.object, where); }
            void operator()(const Index& e) const {
                check.expression(e.object, where);
                check.items(e.items, where);
            }
            void operator()(const With& e) const {
                check.expression(e.base, where);
                check.path(e.path, where);
                check.expression(e.value, where);
            }
            void operator()(const If& e) const { check.branches(e, where, true); }
            void operator()(const Lambda& e) const { check.function(e.function, where); }
        };
        std::visit(Visitor{*this, id, where}, module_[id].node);
    }

    const Module& module_;
    std::vector<Diagnostic>& errors_;
    std::vector<Diagnostic>& lost_;
};

} // namespace

void check_context(const Module& module, std::vector<Diagnostic>& errors, std::vector<Diagnostic>& lost) {
    ContextCheck(module, errors, lost).run();
}

} // namespace pm::syntax
