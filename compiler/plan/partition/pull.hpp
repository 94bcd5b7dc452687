#pragma once
#include "compiler/plan/partition/facts.hpp"

#include <functional>
#include <map>

namespace pm::plan {

/// Writes the expression of one element of a value into a nest, by the element rules of the operations it comes from.
/// Each (value, index) is written once per stage.
class Pull {
  public:
    /// Gives what is not to be computed here: a load, a reduction's result. Asked for every value first.
    using Leaf = std::function<std::optional<nest::Ref>(Value, const nest::Indices&)>;

    Pull(const Facts& facts, nest::Builder& builder, Leaf leaf) : facts_(facts), n_(builder), leaf_(std::move(leaf)) {}

    nest::Ref operator()(Value v, const nest::Indices& at);
    /// The expression of `v` itself, whatever `leaf` says of it.
    nest::Ref expand(Value v, const nest::Indices& at);
    /// Called when a stage begins: what an earlier one computed is gone.
    void forget() { known_.clear(); }

  private:
    const Facts& facts_;
    nest::Builder& n_;
    Leaf leaf_;
    std::map<std::vector<std::int64_t>, nest::Ref> known_;
};

/// Both are the same function of the loops.
bool same_indices(const nest::Indices& a, const nest::Indices& b);

} // namespace pm::plan
