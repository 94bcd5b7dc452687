#pragma once
#include "compiler/stage/core/stager.hpp"

#include <set>
#include <string>

namespace pm::stage {

/// Whether a function of the library in C++ is called for its effect.
inline bool acts(const Native& n) { return n.kind == Native::Kind::host || n.has(Native::acts); }

/// Whether a call of a value may do more than compute: print, stop the program, work with files or time. A function of
/// the program may do so if its text mentions, or it captured, a value that may do so. A function of the library may do
/// so if it is written in C++ and `acts`. Arguments are not examined: they are in the caller's text.
class Effects {
  public:
    explicit Effects(Stager& s) : s_(s) {}

    bool of(const Value& v);
    /// Whether an expression in the current frame may do more than compute.
    bool of(const syntax::Module& tree, syntax::ExprId id);

  private:
    bool of_names(const std::set<std::string>& names, const ModuleScope& globals);
    bool of_program(const Closure& f);

    Stager& s_;
    std::set<const Function*> seen_;
};

} // namespace pm::stage
