#pragma once
#include "compiler/stage/core/stager.hpp"

#include <set>
#include <string>

namespace pm::stage {

/// Whether a call of this function of the library, which is written in C++, has an effect.
inline bool acts(const Native& n) { return n.kind == Native::Kind::host || n.has(Native::acts); }

/// Finds whether a call of a value may have an effect. Effects are: to print, to stop the program, and to use files or
/// time. A function of the program may have an effect if it mentions or captures a value whose call may have an effect.
/// A function of the library may have an effect if it is written in C++ and `acts`. The names in the arguments of a
/// call are among the names in the caller's source text. These names are examined, so the arguments are not examined
/// separately.
class Effects {
  public:
    explicit Effects(Stager& s) : s_(s) {}

    bool of(const Value& v);
    /// Whether an expression in the current frame may have an effect.
    bool of(const syntax::Module& tree, syntax::ExprId id);

  private:
    bool of_names(const std::set<std::string>& names, const ModuleScope& globals);
    bool of_program(const Closure& f);

    Stager& s_;
    std::set<const Function*> seen_;
};

} // namespace pm::stage
