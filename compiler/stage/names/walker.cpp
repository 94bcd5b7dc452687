#include "compiler/stage/names/walker.hpp"

#include "compiler/syntax/left_chain.hpp"

namespace pm::stage {

void Walker::function(syntax::FunctionId id) {
    const syntax::Function& f = tree_[id];
    within(true, [&] {
        for (const syntax::Parameter& p : f.parameters) {
            if (p.otherwise) expr(p.otherwise);
            target(p.pattern, false);
        }
        // Named sizes get their values after all parameters, so they are visited after the parameters.
        for (const syntax::Parameter& p : f.parameters)
            if (p.type) type(p.type);
        if (f.result) type(f.result);
        if (f.body) block(f.body);
    });
}

void Walker::block(syntax::BlockId id) {
    within(false, [&] {
        for (const syntax::StmtId s : tree_[id].statements) stmt(s);
    });
}

void Walker::type(syntax::TypeId id) {
    const syntax::TypeExpr& t = tree_[id];
    if (const auto* a = std::get_if<syntax::ArrayType>(&t.node))
        for (const syntax::SizeExpr& s : a->sizes)
            if (s.value) size(s.value);
    if (const auto* tuple = std::get_if<syntax::TupleType>(&t.node))
        for (const syntax::TypeId part : tuple->elements) type(part);
    if (const auto* record = std::get_if<syntax::RecordType>(&t.node))
        for (const auto& entry : record->entries) type(entry.type);
}

void Walker::size(syntax::ExprId id) {
    const syntax::Expr& e = tree_[id];
    if (const auto* n = std::get_if<syntax::NameRef>(&e.node)) size_name(n->text);
    if (const auto* u = std::get_if<syntax::Unary>(&e.node)) size(u->operand);
    if (!in_left_chain(e)) return; // a size contains no `and` or `or`
    const syntax::LeftChain chain = left_chain(tree_, id);
    size(chain.first);
    for (const syntax::LeftChain::Step& step : chain.steps) size(step.node->right);
}

void Walker::items(const std::vector<syntax::IndexItem>& list) {
    for (const syntax::IndexItem& i : list)
        for (const syntax::ExprId e : {i.first, i.last, i.step})
            if (e) expr(e);
}

void Walker::path(const std::vector<syntax::Selector>& selectors) {
    for (const syntax::Selector& s : selectors) items(s.items);
}

void Walker::arguments(const std::vector<syntax::Argument>& list) {
    for (const syntax::Argument& a : list) expr(a.value);
}

void Walker::target(syntax::PatternId id, bool assigns) {
    const syntax::Pattern& p = tree_[id];
    if (const auto* n = std::get_if<syntax::NamePattern>(&p.node)) {
        if (assigns)
            assigned(n->text, p.span);
        else
            declared(n->text);
    } else if (const auto* place = std::get_if<syntax::PlacePattern>(&p.node)) {
        name(place->root.text, place->root.span);
        assigned(place->root.text, place->root.span);
        path(place->path);
    } else if (const auto* t = std::get_if<syntax::TuplePattern>(&p.node)) {
        for (const auto& e : t->elements) target(e.pattern, assigns);
    } else if (const auto* r = std::get_if<syntax::RecordPattern>(&p.node)) {
        for (const auto& e : r->entries) target(e.pattern, assigns);
    }
}

void Walker::expr(syntax::ExprId id) {
    const syntax::Expr& e = tree_[id];
    std::visit(
        [&](const auto& n) {
            using T = std::decay_t<decltype(n)>;
            if constexpr (std::is_same_v<T, syntax::NameRef>)
                name(n.text, e.span);
            else if constexpr (std::is_same_v<T, syntax::StringLiteral>) {
                for (const syntax::StringPiece& p : n.pieces)
                    for (const syntax::ExprId part : {p.value, p.computed_format})
                        if (part) expr(part);
            } else if constexpr (std::is_same_v<T, syntax::Tuple> || std::is_same_v<T, syntax::Array>) {
                for (const syntax::Item& i : n.items) expr(i.value);
            } else if constexpr (std::is_same_v<T, syntax::Record>) {
                for (const syntax::RecordEntry& entry : n.entries) expr(entry.value);
            } else if constexpr (std::is_same_v<T, syntax::Comprehension>) {
                expr(n.source);
                within(false, [&] {
                    target(n.pattern, false);
                    if (n.condition) expr(n.condition);
                    expr(n.body);
                });
            } else if constexpr (std::is_same_v<T, syntax::Unary>)
                expr(n.operand);
            else if constexpr (std::is_same_v<T, syntax::Binary>) {
                if (!in_left_chain(e)) {
                    expr(n.left);
                    expr(n.right);
                    return;
                }
                const syntax::LeftChain chain = left_chain(tree_, id);
                expr(chain.first);
                for (const syntax::LeftChain::Step& step : chain.steps) expr(step.node->right);
            } else if constexpr (std::is_same_v<T, syntax::Range>) {
                expr(n.first);
                expr(n.last);
            } else if constexpr (std::is_same_v<T, syntax::Call>) {
                expr(n.callee);
                arguments(n.arguments);
            } else if constexpr (std::is_same_v<T, syntax::TransformCall>)
                arguments(n.arguments);
            else if constexpr (std::is_same_v<T, syntax::MethodCall>) {
                method(n.name.text);
                expr(n.object);
                arguments(n.arguments);
            } else if constexpr (std::is_same_v<T, syntax::Field>)
                expr(n.object);
            else if constexpr (std::is_same_v<T, syntax::TupleIndex>)
                expr(n.object);
            else if constexpr (std::is_same_v<T, syntax::Index>) {
                expr(n.object);
                items(n.items);
            } else if constexpr (std::is_same_v<T, syntax::With>) {
                expr(n.base);
                path(n.path);
                expr(n.value);
            } else if constexpr (std::is_same_v<T, syntax::If>) {
                for (const syntax::If::Branch& b : n.branches) {
                    expr(b.condition);
                    block(b.block);
                }
                if (n.otherwise) block(n.otherwise);
            } else if constexpr (std::is_same_v<T, syntax::Lambda>) {
                if (enter_functions()) function(n.function);
            }
        },
        e.node);
}

void Walker::stmt(syntax::StmtId id) {
    const syntax::Stmt& s = tree_[id];
    std::visit(
        [&](const auto& n) {
            using T = std::decay_t<decltype(n)>;
            if constexpr (std::is_same_v<T, syntax::ExprStmt>)
                expr(n.value);
            else if constexpr (std::is_same_v<T, syntax::Let>) {
                expr(n.value);
                if (n.type) type(n.type);
                target(n.pattern, false);
            } else if constexpr (std::is_same_v<T, syntax::Assign>) {
                expr(n.value);
                target(n.target, true);
            } else if constexpr (std::is_same_v<T, syntax::Import>)
                declared(n.name.text);
            else if constexpr (std::is_same_v<T, syntax::FunctionStmt>) {
                declared(tree_[n.function].name.text);
                if (enter_functions()) function(n.function);
            } else if constexpr (std::is_same_v<T, syntax::For>) {
                expr(n.source);
                ++loops_;
                within(false, [&] {
                    target(n.pattern, false);
                    block(n.body);
                });
                --loops_;
            } else if constexpr (std::is_same_v<T, syntax::While>) {
                expr(n.condition);
                ++loops_;
                block(n.body);
                --loops_;
            } else if constexpr (std::is_same_v<T, syntax::Break> || std::is_same_v<T, syntax::Continue>)
                jump(s, loops_);
            else if constexpr (std::is_same_v<T, syntax::Return>) {
                jump(s, loops_);
                if (n.value) expr(n.value);
            } else if constexpr (std::is_same_v<T, syntax::Test>)
                block(n.body);
        },
        s.node);
}

} // namespace pm::stage
