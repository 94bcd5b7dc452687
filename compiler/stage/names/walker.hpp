#pragma once
#include "compiler/syntax/ast.hpp"

#include <string>

namespace pm::stage {

/// Visits every node below a block once and calls the hooks.
class Walker {
  public:
    explicit Walker(const syntax::Module& tree) : tree_(tree) {}
    virtual ~Walker() = default;

    void function(syntax::FunctionId id);
    void block(syntax::BlockId id);

    virtual void expr(syntax::ExprId id);
    virtual void stmt(syntax::StmtId id);

  protected:
    virtual void name(const std::string&, Span) {}
    /// `x.f(..)`: `f` is a field or a function.
    virtual void method(const std::string&) {}
    virtual void declared(const std::string&) {}
    virtual void assigned(const std::string&, Span) {}
    virtual void jump(const syntax::Stmt&, int /*loops*/) {}
    virtual bool enter_functions() const { return true; }
    /// A size in an annotation.
    virtual void size(syntax::ExprId e) { expr(e); }
    /// Called at the begin and the end of a scope: a function, or a block, a loop or a comprehension. Names declared
    /// between the two calls are visible only there.
    virtual void opened(bool /*function*/) {}
    virtual void closed(bool /*function*/) {}

    const syntax::Module& tree_;

  private:
    void type(syntax::TypeId id);
    void items(const std::vector<syntax::IndexItem>& list);
    void path(const std::vector<syntax::Selector>& selectors);
    void arguments(const std::vector<syntax::Argument>& list);
    void target(syntax::PatternId id, bool assigns);
    template <class Work>
    void within(bool function, Work work) {
        opened(function);
        work();
        closed(function);
    }

    int loops_ = 0;
};

} // namespace pm::stage
