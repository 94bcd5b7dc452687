#pragma once
#include "compiler/stage/core/context.hpp"

#include <string>
#include <unordered_map>
#include <vector>

/// How the values that the two sides of a condition give become one.
namespace pm::stage {

/// Thrown where the sides do not fit.
struct Mismatch {
    std::string what, left, right;
    /// Of two values of a kind that compiled code has none of: why they do not fit. Empty: their types differ.
    std::string why = {};
    std::vector<std::string> help = {};
};

/// Two values that differ and are no numbers, as messages show them; where both are of one kind, its name.
struct Different {
    std::string left, right;
    std::string kind = {};
};
Different different(const Value& a, const Value& b);

/// A leaf of a join: the value on either side, and the type both get.
struct Output {
    Value left, right;
    DType dtype;
    bool weak;
};

/// The tree with zeros of the same types, in this context.
Value zeros_like_tree(const Value& tree, Context& context);

/// Joins two trees: the structure, with a number per staged leaf that says which output it is.
class Join {
  public:
    Join(Context& left, Context& right) : left_(left), right_(right) {}

    std::vector<Output> outputs;
    std::vector<std::int64_t> places;
    bool lenient = false;
    Value held; ///< what stands for a missing value where it is of the same type; zeros otherwise

    Value tree(const std::string& what, const Value& a, const Value& b);

  private:
    Value missing(const Value& like, Context& side) const;
    Value leaf(const std::string& what, const Value& a, const Value& b);

    Context& left_;
    Context& right_;
};

/// The tree with results in the places of its leaves, from place `next` on; leaves of place -1 stay.
Value place(const Value& tree, const std::vector<std::int64_t>& places, std::size_t& next,
            const std::vector<Value>& results);

/// A parameter of a region: one of its values, or a new one of the type.
using RegionParam = std::pair<ir::Value, Type>;
/// The finished block with the parameters of this list, in this order.
ir::BlockPtr with_params(const ir::BlockPtr& block, const std::vector<RegionParam>& params);

/// The captures of several regions of one instruction, each outer value once.
class Wholes {
  public:
    void add(const Context& region);
    ir::Values operands(Context& parent) const;
    /// The parameters that stand for them in a region.
    std::vector<RegionParam> params(const Context& region) const;
    std::size_t size() const { return outer_.size(); }

  private:
    std::vector<Value> outer_;
    std::unordered_multimap<std::size_t, std::size_t> index_; ///< by source_hash
};

} // namespace pm::stage
