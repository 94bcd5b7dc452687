#pragma once
#include "compiler/stage/core/stager.hpp"

#include <set>
#include <string>

namespace pm::stage {

/// Whether a function of the library's C++ is there for what it does.
inline bool acts(const Native& n) { return n.kind == Native::Kind::host || n.has(Native::acts); }

/// Whether calling a value may do more than compute: print, stop the program, work with files or time. Of a function of
/// the program this is so where its text mentions, or it captured, something of that kind; of a function of the library
/// where it is written in C++ and made for it. What a function is given is not asked: that is the caller's text.
class Effects {
  public:
    explicit Effects(Stager& s) : s_(s) {}

    bool of(const Value& v);
    /// Of an expression in the frame that is being run.
    bool of(const syntax::Module& tree, syntax::ExprId id);

  private:
    bool of_names(const std::set<std::string>& names, const ModuleScope& globals);
    bool of_program(const Function& f);

    Stager& s_;
    std::set<const Function*> seen_;
};

} // namespace pm::stage
