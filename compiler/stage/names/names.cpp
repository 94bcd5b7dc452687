#include "compiler/stage/names/names.hpp"

#include "compiler/stage/names/walker.hpp"
#include "compiler/syntax/left_chain.hpp"

#include <algorithm>
#include <functional>
#include <map>

namespace pm::stage {
namespace {

class MentionedNames : public Walker {
  public:
    using Walker::Walker;
    std::set<std::string> found;
    void name(const std::string& text, Span) override { found.insert(text); }
    void method(const std::string& text) override { found.insert(text); }
};

class FreeNames : public Walker {
  public:
    FreeNames(const syntax::Module& tree, const std::string& own) : Walker(tree), scopes_{{own}} {}
    std::set<std::string> found;

  protected:
    void name(const std::string& text, Span) override { read(text); }
    void method(const std::string& text) override { read(text); }
    void declared(const std::string& text) override { scopes_.back().insert(text); }
    void opened(bool) override { scopes_.emplace_back(); }
    void closed(bool) override { scopes_.pop_back(); }

  private:
    void read(const std::string& text) {
        if (std::ranges::none_of(scopes_, [&](const auto& scope) { return scope.contains(text); })) found.insert(text);
    }

    std::vector<std::set<std::string>>
        scopes_; ///< per scope: the names that the scope has bound so far; the innermost scope is last
};

class AssignedNames : public Walker {
  public:
    using Walker::Walker;
    std::set<std::string> found;
    void assigned(const std::string& text, Span) override { found.insert(text); }
    bool enter_functions() const override { return false; }
};

/// Counts, for each name, the assignments that do not append to the name's value.
class Appended : public Walker {
  public:
    using Walker::Walker;
    std::map<std::string, int> others;
    void assigned(const std::string& text, Span) override { ++others[text]; }
    void stmt(syntax::StmtId id) override {
        Walker::stmt(id);
        const auto* a = std::get_if<syntax::Assign>(&tree_[id].node);
        const auto* target = a ? std::get_if<syntax::NamePattern>(&tree_[a->target].node) : nullptr;
        if (!target) return;
        const auto* sum = std::get_if<syntax::Binary>(&tree_[a->value].node);
        const bool adds =
            a->op == syntax::UpdateOp::set && sum && sum->op == syntax::BinaryOp::add && begins_with(a->value, *target);
        if (adds || a->op == syntax::UpdateOp::add) --others[target->text];
    }
    bool enter_functions() const override { return false; }

  private:
    bool begins_with(syntax::ExprId value, const syntax::NamePattern& target) const {
        const syntax::LeftChain chain = left_chain(tree_, value);
        const auto* first = std::get_if<syntax::NameRef>(&tree_[chain.first].node);
        return first && first->text == target.text &&
               std::ranges::all_of(chain.steps, [](const auto& s) { return s.node->op == syntax::BinaryOp::add; });
    }
};

class Jumps : public Walker {
  public:
    using Walker::Walker;
    bool found = false; ///< true if the block contains a jump out of the block
    bool returns = false;
    bool breaks = false;
    void jump(const syntax::Stmt& s, int loops) override {
        returns = returns || std::holds_alternative<syntax::Return>(s.node);
        breaks = breaks || (loops == 0 && std::holds_alternative<syntax::Break>(s.node));
        found = found || loops == 0 || returns;
    }
    bool enter_functions() const override { return false; }
};

} // namespace

std::set<std::string> free_names(const syntax::Module& tree, syntax::FunctionId id) {
    FreeNames names(tree, tree[id].name.text);
    names.function(id);
    return std::move(names.found);
}

std::set<std::string> mentioned_names(const syntax::Module& tree, syntax::FunctionId id) {
    MentionedNames names(tree);
    names.function(id);
    return std::move(names.found);
}

std::set<std::string> mentioned_names(const syntax::Module& tree, syntax::ExprId id) {
    MentionedNames names(tree);
    names.expr(id);
    return std::move(names.found);
}

std::set<std::string> assigned_names(const syntax::Module& tree, syntax::BlockId id) {
    AssignedNames names(tree);
    names.block(id);
    return std::move(names.found);
}

std::set<std::string> assigned_names(const syntax::Module& tree, syntax::ExprId id) {
    AssignedNames names(tree);
    names.expr(id);
    return std::move(names.found);
}

std::set<std::string> assigned_otherwise(const syntax::Module& tree, syntax::BlockId id) {
    Appended names(tree);
    names.block(id);
    std::set<std::string> found;
    for (const auto& [name, count] : names.others)
        if (count > 0) found.insert(name);
    return found;
}

std::vector<std::string> pattern_names(const syntax::Module& tree, syntax::PatternId id) {
    std::vector<std::string> names;
    const std::function<void(syntax::PatternId)> collect = [&](syntax::PatternId part) {
        const syntax::Pattern& p = tree[part];
        if (const auto* n = std::get_if<syntax::NamePattern>(&p.node)) names.push_back(n->text);
        if (const auto* t = std::get_if<syntax::TuplePattern>(&p.node))
            for (const auto& e : t->elements) collect(e.pattern);
        if (const auto* r = std::get_if<syntax::RecordPattern>(&p.node))
            for (const auto& e : r->entries) collect(e.pattern);
    };
    collect(id);
    return names;
}

std::set<std::string> changed_names(const syntax::Module& tree, syntax::StmtId id) {
    AssignedNames names(tree);
    names.stmt(id);
    const syntax::Stmt& s = tree[id];
    if (const auto* let = std::get_if<syntax::Let>(&s.node))
        for (std::string& name : pattern_names(tree, let->pattern)) names.found.insert(std::move(name));
    if (const auto* f = std::get_if<syntax::FunctionStmt>(&s.node)) names.found.insert(tree[f->function].name.text);
    if (const auto* import = std::get_if<syntax::Import>(&s.node)) names.found.insert(import->name.text);
    return std::move(names.found);
}

bool leaves_early(const syntax::Module& tree, syntax::StmtId id) {
    Jumps jumps(tree);
    jumps.stmt(id);
    return jumps.found;
}

bool leaves_early(const syntax::Module& tree, syntax::BlockId id) {
    Jumps jumps(tree);
    jumps.block(id);
    return jumps.found;
}

bool returns_inside(const syntax::Module& tree, syntax::BlockId id) {
    Jumps jumps(tree);
    jumps.block(id);
    return jumps.returns;
}

bool breaks_inside(const syntax::Module& tree, syntax::BlockId id) {
    Jumps jumps(tree);
    jumps.block(id);
    return jumps.breaks;
}

} // namespace pm::stage
