#pragma once
#include "compiler/plan/partition/facts.hpp"

#include <functional>
#include <map>

namespace pm::plan {

/// Writes instructions into a nest that compute one element of a value. The instructions come from the element rules of
/// the operations that compute the value. Within a stage, a value is computed once for each index.
class Pull {
  public:
    /// This function is called for every value before the value is expanded. If the value is already available, it
    /// returns a reference to it: a load, or the result of a reduction. Otherwise it returns nothing, and the value is
    /// expanded.
    using Leaf = std::function<std::optional<nest::Ref>(Value, const nest::Indices&)>;

    Pull(const Facts& facts, nest::Builder& builder, Leaf leaf) : facts_(facts), n_(builder), leaf_(std::move(leaf)) {}

    nest::Ref operator()(Value v, const nest::Indices& at);
    /// Expands `v` without a call of the leaf function for `v`.
    nest::Ref expand(Value v, const nest::Indices& at);
    /// Must be called at the start of a stage. The reason: values of earlier stages are not available in the new stage.
    void forget() { known_.clear(); }

  private:
    const Facts& facts_;
    nest::Builder& n_;
    Leaf leaf_;
    std::map<std::vector<std::int64_t>, nest::Ref> known_;
};

/// True if `a` and `b` are the same functions of the loop indices.
bool same_indices(const nest::Indices& a, const nest::Indices& b);

} // namespace pm::plan
