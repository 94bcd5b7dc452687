#pragma once
#include "compiler/transform/pattern.hpp"

namespace pm::transform {

/// Which values of a loop's body are the same in every turn: its `whole` parameters from `first` on, and what flat
/// operations make of them.
std::vector<bool> invariant_values(const ir::Block& body, std::size_t first, std::size_t whole);

/// Makes invariant values of a body outside of it.
class Outside {
  public:
    /// `whole`: what the body's parameters from `first` on stand for.
    Outside(Build& b, const ir::Block& body, std::size_t first, const Values& whole);
    Value make(Value v);

  private:
    Build& b_;
    Values made_;
    std::vector<const Inst*> definitions_;
};

} // namespace pm::transform
