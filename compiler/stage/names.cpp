#include "compiler/stage/names.hpp"

#include "compiler/stage/walker.hpp"
#include "compiler/syntax/left_chain.hpp"

#include <algorithm>
#include <functional>
#include <map>

namespace pm::stage {
namespace {

using namespace syntax;

class Names : public Walker {
  public:
    using Walker::Walker;
    std::set<std::string> found;
    void name(const std::string& text, Span) override { found.insert(text); }
    void method(const std::string& text) override { found.insert(text); }
};

class AssignedNames : public Walker {
  public:
    using Walker::Walker;
    std::set<std::string> found;
    void assigned(const std::string& text, Span) override { found.insert(text); }
    bool enter_functions() const override { return false; }
};

/// Counts what assigns each name, and of that what appends to it.
class Appended : public Walker {
  public:
    using Walker::Walker;
    std::map<std::string, int> others;
    void assigned(const std::string& text, Span) override { ++others[text]; }
    void stmt(StmtId id) override {
        Walker::stmt(id);
        const auto* a = std::get_if<Assign>(&tree_[id].node);
        const auto* target = a ? std::get_if<NamePattern>(&tree_[a->target].node) : nullptr;
        if (!target) return;
        const auto* sum = std::get_if<Binary>(&tree_[a->value].node);
        const bool adds = a->op == UpdateOp::set && sum && sum->op == BinaryOp::add && begins_with(a->value, *target);
        if (adds || a->op == UpdateOp::add) --others[target->text];
    }
    bool enter_functions() const override { return false; }

  private:
    bool begins_with(ExprId value, const NamePattern& target) const {
        const LeftChain chain = left_chain(tree_, value);
        const auto* first = std::get_if<NameRef>(&tree_[chain.first].node);
        return first && first->text == target.text &&
               std::ranges::all_of(chain.steps, [](const auto& s) { return s.node->op == BinaryOp::add; });
    }
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

std::set<std::string> free_names(const Module& tree, ExprId id) {
    Names names(tree);
    names.expr(id);
    return std::move(names.found);
}

std::set<std::string> assigned_names(const Module& tree, BlockId id) {
    AssignedNames names(tree);
    names.block(id);
    return std::move(names.found);
}

std::set<std::string> assigned_names(const Module& tree, ExprId id) {
    AssignedNames names(tree);
    names.expr(id);
    return std::move(names.found);
}

std::set<std::string> assigned_otherwise(const Module& tree, BlockId id) {
    Appended names(tree);
    names.block(id);
    std::set<std::string> found;
    for (const auto& [name, count] : names.others)
        if (count > 0) found.insert(name);
    return found;
}

std::vector<std::string> pattern_names(const Module& tree, PatternId id) {
    std::vector<std::string> names;
    const std::function<void(PatternId)> collect = [&](PatternId part) {
        const Pattern& p = tree[part];
        if (const auto* n = std::get_if<NamePattern>(&p.node)) names.push_back(n->text);
        if (const auto* t = std::get_if<TuplePattern>(&p.node))
            for (const auto& e : t->elements) collect(e.pattern);
        if (const auto* r = std::get_if<RecordPattern>(&p.node))
            for (const auto& e : r->entries) collect(e.pattern);
    };
    collect(id);
    return names;
}

std::set<std::string> changed_names(const Module& tree, StmtId id) {
    AssignedNames names(tree);
    names.stmt(id);
    const Stmt& s = tree[id];
    if (const auto* let = std::get_if<Let>(&s.node))
        for (std::string& name : pattern_names(tree, let->pattern)) names.found.insert(std::move(name));
    if (const auto* f = std::get_if<FunctionStmt>(&s.node)) names.found.insert(tree[f->function].name.text);
    if (const auto* import = std::get_if<Import>(&s.node)) names.found.insert(import->name.text);
    return std::move(names.found);
}

bool leaves_early(const Module& tree, StmtId id) {
    Jumps jumps(tree);
    jumps.stmt(id);
    return jumps.found;
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
