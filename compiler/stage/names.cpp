#include "compiler/stage/names.hpp"

namespace pm::stage {
namespace {

using namespace syntax;

/// Walks every node below a block once and calls the hooks.
class Walker {
  public:
    explicit Walker(const Module& tree) : tree_(tree) {}
    virtual ~Walker() = default;

    void function(FunctionId id) {
        const syntax::Function& f = tree_[id];
        for (const Parameter& p : f.parameters) {
            if (p.type) type(p.type);
            if (p.otherwise) expr(p.otherwise);
        }
        if (f.result) type(f.result);
        if (f.body) block(f.body);
    }

    void block(BlockId id) {
        for (const StmtId s : tree_[id].statements) stmt(s);
    }

    void expr(ExprId id);

  protected:
    virtual void name(const std::string&) {}
    virtual void assigned(const std::string&) {}
    virtual void jump(const Stmt&, int /*loops*/) {}
    virtual bool enter_functions() const { return true; }

  private:
    void type(TypeId id) {
        const TypeExpr& t = tree_[id];
        if (const auto* a = std::get_if<ArrayType>(&t.node))
            for (const SizeExpr& s : a->sizes)
                if (s.value) expr(s.value);
    }

    void items(const std::vector<IndexItem>& list) {
        for (const IndexItem& i : list)
            for (const ExprId e : {i.first, i.last, i.step})
                if (e) expr(e);
    }

    void path(const std::vector<Selector>& selectors) {
        for (const Selector& s : selectors) items(s.items);
    }

    void arguments(const std::vector<Argument>& list) {
        for (const Argument& a : list) expr(a.value);
    }

    void target(PatternId id, bool assigns) {
        const Pattern& p = tree_[id];
        if (const auto* n = std::get_if<NamePattern>(&p.node)) {
            if (assigns) assigned(n->text);
        } else if (const auto* place = std::get_if<PlacePattern>(&p.node)) {
            name(place->root.text);
            assigned(place->root.text);
            path(place->path);
        } else if (const auto* t = std::get_if<TuplePattern>(&p.node)) {
            for (const auto& e : t->elements) target(e.pattern, assigns);
        } else if (const auto* r = std::get_if<RecordPattern>(&p.node)) {
            for (const auto& e : r->entries) target(e.pattern, assigns);
        }
    }

    void stmt(StmtId id);

    const Module& tree_;
    int loops_ = 0;
};

void Walker::expr(ExprId id) {
    const Expr& e = tree_[id];
    std::visit(
        [&](const auto& n) {
            using T = std::decay_t<decltype(n)>;
            if constexpr (std::is_same_v<T, NameRef>)
                name(n.text);
            else if constexpr (std::is_same_v<T, StringLiteral>) {
                for (const StringPiece& p : n.pieces)
                    if (p.value) expr(p.value);
            } else if constexpr (std::is_same_v<T, Tuple> || std::is_same_v<T, Array>) {
                for (const Item& i : n.items) expr(i.value);
            } else if constexpr (std::is_same_v<T, Record>) {
                for (const RecordEntry& entry : n.entries) expr(entry.value);
            } else if constexpr (std::is_same_v<T, Comprehension>) {
                expr(n.source);
                expr(n.body);
            } else if constexpr (std::is_same_v<T, Unary>)
                expr(n.operand);
            else if constexpr (std::is_same_v<T, Binary>) {
                expr(n.left);
                expr(n.right);
            } else if constexpr (std::is_same_v<T, syntax::Range>) {
                expr(n.first);
                expr(n.last);
            } else if constexpr (std::is_same_v<T, Call>) {
                expr(n.callee);
                arguments(n.arguments);
            } else if constexpr (std::is_same_v<T, TransformCall>)
                arguments(n.arguments);
            else if constexpr (std::is_same_v<T, MethodCall>) {
                name(n.name.text);
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
                target(n.pattern, false);
            } else if constexpr (std::is_same_v<T, Assign>) {
                expr(n.value);
                target(n.target, true);
            } else if constexpr (std::is_same_v<T, FunctionStmt>) {
                if (enter_functions()) function(n.function);
            } else if constexpr (std::is_same_v<T, For>) {
                expr(n.source);
                ++loops_;
                block(n.body);
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

class Names : public Walker {
  public:
    using Walker::Walker;
    std::set<std::string> found;
    void name(const std::string& text) override { found.insert(text); }
};

class Assigned : public Walker {
  public:
    using Walker::Walker;
    std::set<std::string> found;
    void assigned(const std::string& text) override { found.insert(text); }
    bool enter_functions() const override { return false; }
};

class Jumps : public Walker {
  public:
    using Walker::Walker;
    bool found = false; ///< any that leaves the block
    bool returns = false;
    bool breaks = false;
    void jump(const Stmt& s, int loops) override {
        returns = returns || std::holds_alternative<Return>(s.node);
        breaks = breaks || (loops == 0 && std::holds_alternative<Break>(s.node));
        found = found || loops == 0 || returns;
    }
    bool enter_functions() const override { return false; }
};

} // namespace

std::set<std::string> free_names(const Module& tree, FunctionId id) {
    Names names(tree);
    names.function(id);
    return std::move(names.found);
}

std::set<std::string> assigned_names(const Module& tree, BlockId id) {
    Assigned names(tree);
    names.block(id);
    return std::move(names.found);
}

std::set<std::string> assigned_names(const Module& tree, ExprId id) {
    Assigned names(tree);
    names.expr(id);
    return std::move(names.found);
}

bool leaves_early(const Module& tree, BlockId id) {
    Jumps jumps(tree);
    jumps.block(id);
    return jumps.found;
}

bool returns_inside(const Module& tree, BlockId id) {
    Jumps jumps(tree);
    jumps.block(id);
    return jumps.returns;
}

bool breaks_inside(const Module& tree, BlockId id) {
    Jumps jumps(tree);
    jumps.block(id);
    return jumps.breaks;
}

} // namespace pm::stage
