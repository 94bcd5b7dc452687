#pragma once
#include "compiler/stage/core/context.hpp"
#include "compiler/stage/values/tree.hpp"

#include <string>
#include <unordered_map>
#include <vector>

/// Joins the values of the two branches of a condition into one value.
namespace pm::stage {

/// Thrown if the values of the branches cannot be joined.
struct Mismatch {
    std::string what, left, right;
    /// The reason why compiled code cannot select between the values, for example because they are strings. Empty if
    /// the types of the values differ.
    std::string why = {};
    std::vector<std::string> help = {};
    bool of_texts = false; ///< true if interpreted code can select between the values
};

/// Descriptions of two different values for messages. `kind` is the kind of both values. It is empty if the kinds
/// differ.
struct Different {
    std::string left, right;
    std::string kind = {};
};
Different different(const Value& a, const Value& b);

/// A leaf of a join: the values of both branches, and the dtype to which both are converted.
struct Output {
    Value left, right;
    DType dtype;
    bool weak;
};

/// A tree of zeros with the structure and the types of `tree`. The zeros are values of `context`.
Value zeros_like_tree(const Value& tree, Context& context);

/// Joins the trees of two branches. For each numeric leaf, `places` has the index of the leaf in `outputs`. The index
/// is -1 if both branches have the same known number.
class Join {
  public:
    Join(Context& left, Context& right) : left_(left), right_(right) {}

    std::vector<Output> outputs;
    std::vector<std::int64_t> places;
    bool lenient = false;
    Value held; ///< used if `lenient` is true: it replaces `none` if it has the structure and types of the other
                ///< branch's value; otherwise zeros replace `none`

    /// The first two texts that differ. Interpreted code can select between them, so tree() goes on after them.
    std::optional<Mismatch> texts;

    /// Throws Mismatch.
    Value tree(const std::string& what, const Value& a, const Value& b);
    /// Promotes the dtypes of the leaves of `made` with the dtypes of the leaves of `types`. `made` is the tree that
    /// was joined last. Does nothing if the structures of `made` and `types` differ.
    void promote_to(const Value& types, const Value& made);
    /// Calls visit(leaf, dtype) for each leaf of `made` that the join converts in at least one branch. `made` is the
    /// tree that was joined last.
    template <class Visit>
    void each_converted(const Value& made, const Visit& visit) const {
        const std::size_t first = places.size() - leaves(made).size();
        for (std::size_t i = first; i < places.size(); ++i) {
            if (places[i] < 0) continue;
            const Output& o = outputs[static_cast<std::size_t>(places[i])];
            if (left_.type_of(o.left).type.dtype != o.dtype || right_.type_of(o.right).type.dtype != o.dtype)
                visit(i - first, o.dtype);
        }
    }

  private:
    Value missing(const Value& like, Context& side) const;
    Value leaf(const std::string& what, const Value& a, const Value& b);

    Context& left_;
    Context& right_;
};

/// The tree with its leaves replaced by elements of `results`. `places` has, from index `next` on, the index in
/// `results` for each leaf. A leaf with the index -1 is not replaced. Advances `next`.
Value place(const Value& tree, const std::vector<std::int64_t>& places, std::size_t& next,
            const std::vector<Value>& results);

/// A parameter for a region: an existing parameter of the region, and the type. If the value is null, it is a new
/// parameter of this type.
using RegionParam = std::pair<ir::Value, Type>;
/// The finished block with its parameters replaced by `params`, in this order.
ir::BlockPtr with_params(const ir::BlockPtr& block, const std::vector<RegionParam>& params);

/// The captures of all regions of one instruction. If several regions capture the same outer value, it occurs only
/// once.
class RegionCaptures {
  public:
    void add(const Context& region);
    ir::Values operands(Context& parent) const;
    /// The parameters of `region` for these captures. For a capture that `region` does not use, the value is null.
    std::vector<RegionParam> params(const Context& region) const;
    std::size_t size() const { return outer_.size(); }

  private:
    std::vector<Value> outer_;
    std::unordered_multimap<std::size_t, std::size_t> index_; ///< indices in `outer_`, by source_hash of the value
};

} // namespace pm::stage
