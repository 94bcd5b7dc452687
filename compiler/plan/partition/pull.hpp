#pragma once
#include "compiler/plan/partition/facts.hpp"

#include <functional>
#include <map>

namespace pm::plan {

/// Writes the expression of one element of a value into a nest, by the element rules of the operations that compute it.
/// Each (value, index) is written once per stage.
class Pull {
  public:
    /// Called for every value before it is expanded. Returns a reference to a value that is already available: a load
    /// or the result of a reduction. Empty if the value is to be expanded.
    using Leaf = std::function<std::optional<nest::Ref>(Value, const nest::Indices&)>;

    Pull(const Facts& facts, nest::Builder& builder, Leaf leaf) : facts_(facts), n_(builder), leaf_(std::move(leaf)) {}

    nest::Ref operator()(Value v, const nest::Indices& at);
    /// The expression of `v` itself, without a call of the leaf function for `v`.
    nest::Ref expand(Value v, const nest::Indices& at);
    /// Must be called at the start of a stage: values of earlier stages are not available in the new stage.
    void forget() { known_.clear(); }

  private:
    const Facts& facts_;
    nest::Builder& n_;
    Leaf leaf_;
    std::map<std::vector<std::int64_t>, nest::Ref> known_;
};

/// Whether `a` and `b` are the same functions of the loop indices.
bool same_indices(const nest::Indices& a, const nest::Indices& b);

} // namespace pm::plan
