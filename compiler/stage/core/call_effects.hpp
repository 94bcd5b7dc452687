#pragma once
#include "compiler/stage/core/stager.hpp"

#include <set>
#include <string>

namespace pm::stage {

/// Whether a function of the library that is written in C++ has an effect.
inline bool acts(const Native& n) { return n.kind == Native::Kind::host || n.has(Native::acts); }

/// Whether a call of a value may have an effect: it prints, stops the program, or works with files or time. A function
/// of the program may have an effect if it mentions or captured a value whose call may have one. A function of the
/// library may have an effect if it is written in C++ and `acts`. Arguments are not examined: they are in the caller's
/// text.
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
