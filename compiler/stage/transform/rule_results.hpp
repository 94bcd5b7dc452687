#pragma once
#include "compiler/stage/core/stager.hpp"
#include "compiler/stage/values/tree.hpp"

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace pm::stage {

bool is_inexact(const Value& leaf);

/// The tree of tangents or cotangents of `v`. Each numeric leaf of `v` is replaced by the result of `leaf`. Each other
/// value in the tree, such as a string, is replaced by `none`.
Value derivative_tree(const Value& v, const std::function<Value(const Value&)>& leaf);

/// The result of a function whose derivatives the program defines.
struct CustomResult {
    Value tree; ///< the structure of the result; its leaves are known numbers or values of the function's block
    std::vector<bool> is_computed;  ///< per leaf: true if the leaf is not a known number
    std::vector<NumericType> types; ///< types of the leaves with `is_computed` true
};

/// Checks the values that the rule, fwd, bwd or transpose of a function has returned. Converts these values to the
/// types that they must have. Raises if a value does not fit.
class RuleResults {
  public:
    /// `function`: the function with the rules. `result`: the result of `function`. `span`: the position of the call.
    RuleResults(Stager& s, Span span, const Value& function, const std::vector<Value>& arguments,
                const CustomResult& result)
        : s_(s), span_(span), function_(function), arguments_(arguments), result_(result) {}

    /// The two items of `out`, the result of `maker`. Raises if `out` is no pair. For the error, `what` is the role of
    /// `maker` (such as "fwd"), and `pair` describes the pair that `maker` must return.
    const std::vector<Value>& pair(std::string_view what, const Value& maker, std::string_view pair,
                                   const Value& out) const;
    /// For each computed leaf of the function's result, the corresponding leaf of `given`.
    std::vector<Value> results(std::string_view what, const Value& maker, const Value& given) const;
    /// For each computed leaf of the function's result that is inexact, the corresponding leaf of `given`.
    std::vector<Value> tangents(const Value& rule, const Value& given) const;
    /// For each inexact leaf of the arguments, the corresponding leaf of `given`. `given` must be a tuple with an item
    /// for each argument.
    std::vector<Value> cotangents(const Value& bwd, const Value& given) const;
    /// For each inexact leaf of the second argument of a linear function, the corresponding leaf of `given`.
    std::vector<Value> linear_cotangents(const Value& given) const;

  private:
    /// Adds a label to `d`: the signature of the function `maker` is labelled with the type of `made`, the result of
    /// `maker`. Adds no label if `maker` is in the library.
    Diagnostic beside(Diagnostic d, const Value& maker, const Value& made) const;
    /// The leaves of `given`, converted to the types of the leaves of `like`. `given` is the derivative of `like`. The
    /// derivatives of leaves of `like` that are not inexact, or are not `computed`, are left out. nullopt if `given`
    /// does not fit.
    std::optional<std::vector<Value>> derivatives(const Value& like, const Value& given,
                                                  const std::vector<bool>& computed = {}) const;
    /// The error for the cotangent `given` of an argument.
    Diagnostic wrong_cotangent(std::size_t argument, const Value& given) const;

    Stager& s_;
    Span span_;
    const Value& function_;
    const std::vector<Value>& arguments_;
    const CustomResult& result_;
};

} // namespace pm::stage
