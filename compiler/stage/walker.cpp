#include "compiler/stage/walker.hpp"

#include "compiler/syntax/left_chain.hpp"

namespace pm::stage {

using namespace syntax;

void Walker::function(FunctionId id) {
    const syntax::Function& f = tree_[id];
    within(true, [&] {
        for (const Parameter& p : f.parameters) {
            if (p.type) type(p.type);
            if (p.otherwise) expr(p.otherwise);
            target(p.pattern, false);
        }
        if (f.result) type(f.result);
        if (f.body) block(f.body);
    });
}

void Walker::block(BlockId id) {
    within(false, [&] {
        for (const StmtId s : tree_[id].statements) stmt(s);
    });
}

void Walker::type(TypeId id) {
    const TypeExpr& t = tree_[id];
    if (const auto* a = std::get_if<ArrayType>(&t.node))
        for (const SizeExpr& s : a->sizes)
            if (s.value) size(s.value);
    if (const auto* tuple = std::get_if<TupleType>(&t.node))
        for (const TypeId part : tuple->elements) type(part);
    if (const auto* record = std::get_if<RecordType>(&t.node))
        for (const auto& entry : record->entries) type(entry.type);
}

void Walker::items(const std::vector<IndexItem>& list) {
    for (const IndexItem& i : list)
        for (const ExprId e : {i.first, i.last, i.step})
            if (e) expr(e);
}

void Walker::path(const std::vector<Selector>& selectors) {
    for (const Selector& s : selectors) items(s.items);
}

void Walker::arguments(const std::vector<Argument>& list) {
    for (const Argument& a : list) expr(a.value);
}

void Walker::target(PatternId id, bool assigns) {
    const Pattern& p = tree_[id];
    if (const auto* n = std::get_if<NamePattern>(&p.node)) {
        if (assigns)
            assigned(n->text, p.span);
        else
            declared(n->text);
    } else if (const auto* place = std::get_if<PlacePattern>(&p.node)) {
        name(place->root.text, place->root.span);
        assigned(place->root.text, place->root.span);
        path(place->path);
    } else if (const auto* t = std::get_if<TuplePattern>(&p.node)) {
        for (const auto& e : t->elements) target(e.pattern, assigns);
    } else if (const auto* r = std::get_if<RecordPattern>(&p.node)) {
        for (const auto& e : r->entries) target(e.pattern, assigns);
    }
}

void Walker::expr(ExprId id) {
    const Expr& e = tree_[id];
    std::visit(
        [&](const auto& n) {
            using T = std::decay_t<decltype(n)>;
            if constexpr (std::is_same_v<T, NameRef>)
                name(n.text, e.span);
            else if constexpr (std::is_same_v<T, StringLiteral>) {
                for (const StringPiece& p : n.pieces)
                    for (const ExprId part : {p.value, p.computed_format})
                        if (part) expr(part);
            } else if constexpr (std::is_same_v<T, syntax::Tuple> || std::is_same_v<T, syntax::Array>) {
                for (const Item& i : n.items) expr(i.value);
            } else if constexpr (std::is_same_v<T, syntax::Record>) {
                for (const RecordEntry& entry : n.entries) expr(entry.value);
            } else if constexpr (std::is_same_v<T, Comprehension>) {
                expr(n.source);
                within(false, [&] {
                    target(n.pattern, false);
                    expr(n.body);
                });
            } else if constexpr (std::is_same_v<T, Unary>)
                expr(n.operand);
            else if constexpr (std::is_same_v<T, Binary>) {
                if (!in_left_chain(e)) {
                    expr(n.left);
                    expr(n.right);
                    return;
                }
                const LeftChain chain = left_chain(tree_, id);
                expr(chain.first);
                for (const LeftChain::Step& step : chain.steps) expr(step.node->right);
            } else if constexpr (std::is_same_v<T, syntax::Range>) {
                expr(n.first);
                expr(n.last);
            } else if constexpr (std::is_same_v<T, Call>) {
                expr(n.callee);
                arguments(n.arguments);
            } else if constexpr (std::is_same_v<T, TransformCall>)
                arguments(n.arguments);
            else if constexpr (std::is_same_v<T, MethodCall>) {
                method(n.name.text);
                expr(n.object);
                arguments(n.arguments);
            } else if constexpr (std::is_same_v<T, Field>)
                expr(n.object);
            else if constexpr (std::is_same_v<T, TupleIndex>)
                expr(n.object);
            else if constexpr (std::is_same_v<T, Index>) {
                expr(n.object);
                items(n.items);
            } else if constexpr (std::is_same_v<T, With>) {
                expr(n.base);
                path(n.path);
                expr(n.value);
            } else if constexpr (std::is_same_v<T, If>) {
                for (const If::Branch& b : n.branches) {
                    expr(b.condition);
                    block(b.block);
                }
                if (n.otherwise) block(n.otherwise);
            } else if constexpr (std::is_same_v<T, Lambda>) {
                if (enter_functions()) function(n.function);
            }
        },
        e.node);
}

void Walker::stmt(StmtId id) {
    const Stmt& s = tree_[id];
    std::visit(
        [&](const auto& n) {
            using T = std::decay_t<decltype(n)>;
            if constexpr (std::is_same_v<T, ExprStmt>)
                expr(n.value);
            else if constexpr (std::is_same_v<T, Let>) {
                expr(n.value);
                if (n.type) type(n.type);
                target(n.pattern, false);
            } else if constexpr (std::is_same_v<T, Assign>) {
                expr(n.value);
                target(n.target, true);
            } else if constexpr (std::is_same_v<T, Import>)
                declared(n.name.text);
            else if constexpr (std::is_same_v<T, FunctionStmt>) {
                declared(tree_[n.function].name.text);
                if (enter_functions()) function(n.function);
            } else if constexpr (std::is_same_v<T, For>) {
                expr(n.source);
                ++loops_;
                within(false, [&] {
                    target(n.pattern, false);
                    block(n.body);
                });
                --loops_;
            } else if constexpr (std::is_same_v<T, While>) {
                expr(n.condition);
                ++loops_;
                block(n.body);
                --loops_;
            } else if constexpr (std::is_same_v<T, Break> || std::is_same_v<T, Continue>)
                jump(s, loops_);
            else if constexpr (std::is_same_v<T, Return>) {
                jump(s, loops_);
                if (n.value) expr(n.value);
            } else if constexpr (std::is_same_v<T, Test>)
                block(n.body);
        },
        s.node);
}

} // namespace pm::stage
