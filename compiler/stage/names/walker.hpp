#pragma once
#include "compiler/syntax/ast.hpp"

#include <string>

namespace pm::stage {

/// Visits each node below a block or expression once. Calls the protected virtual functions as hooks.
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
    /// Called for the name `f` of a method call `x.f(..)`. `f` may be a field or a function.
    virtual void method(const std::string&) {}
    virtual void declared(const std::string&) {}
    virtual void assigned(const std::string&, Span) {}
    virtual void jump(const syntax::Stmt&, int /*loops*/) {}
    virtual bool enter_functions() const { return true; }
    /// Called for a name in a size of an annotation. The body of the function can use this name as a value.
    virtual void size_name(const std::string& text) { declared(text); }
    /// `opened` is called at the start of a scope, and `closed` at the end of the scope. A scope is a function, a
    /// block, a loop or a comprehension. Names declared between the two calls are visible only in the scope.
    virtual void opened(bool /*function*/) {}
    virtual void closed(bool /*function*/) {}

    const syntax::Module& tree_;

  private:
    void type(syntax::TypeId id);
    void size(syntax::ExprId id);
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
