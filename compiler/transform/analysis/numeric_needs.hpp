#pragma once
#include "compiler/transform/analysis/numeric_checks.hpp"
#include "compiler/transform/core/bit_mask.hpp"

#include <map>
#include <memory>
#include <optional>

namespace pm::transform {

/// Determines, for each value of a block, the elements in which a NaN matters. An integer that wrapped around matters
/// in the same elements. A NaN does not matter if every use of its element leads to a `select` that does not select the
/// element. The condition of the `select` is a condition of the program or the mask of a cotangent (masks.hpp). Where
/// the mask of a cotangent is false, the cotangent is undefined.
class NumericNeeds {
  public:
    /// If `within` is true, only instructions with the span of the queried instruction can drop a NaN. Instructions
    /// with the same span belong to the same operation of the program. If `within` is false, every instruction can drop
    /// a NaN.
    NumericNeeds(const ir::Block& block, const std::vector<Need>& results, bool within);
    NumericNeeds(const NumericNeeds&) = delete;
    NumericNeeds& operator=(const NumericNeeds&) = delete;

    struct Answer {
        Need need = Need::none;
        std::size_t ready = 0; ///< the index of the first instruction before which the mask can be computed
    };
    /// The need of a result of `block.insts[at]`.
    Answer of(Value v, std::size_t at);
    /// The need of a parameter.
    Need of_param(Value v);
    /// Per result of a region of `block.insts[at]`: its need. The result of the condition of a `while` is not included.
    const std::vector<Need>& inside(std::size_t at);
    /// The mask of `v`, in the shape of `v`. The last query must have been for `v`, and the need in its answer must be
    /// `masked`. `now` has, per value of the block, the corresponding value in `b`.
    Value mask(Build& b, const Values& now, Value v);

  private:
    struct Use {
        std::size_t inst;
        std::size_t operand;
    };
    Answer answer(Value v);
    Answer of_use(const Use& use);
    Answer of_region_use(const Use& use);
    Need in_region(std::size_t at, std::size_t region, std::size_t param);
    NumericNeeds& inside(const ir::Block& region, const std::vector<Need>& results);
    /// The mask of a use whose need is `masked`.
    Value mask_of_use(Build& b, const Values& now, const Use& use);

    const ir::Block& block_;
    std::vector<std::vector<Use>> uses_;
    std::vector<std::optional<Need>> as_result_;
    bool within_;
    Span place_;
    std::map<std::uint32_t, Answer> answers_;         ///< if `within_`: the answers of the current query; otherwise:
                                                      ///< the answers of all queries
    std::map<std::uint32_t, Value> masks_;            ///< of the current query, in the block under construction
    std::map<std::size_t, std::vector<Need>> inside_; ///< per instruction with regions, for the same queries as
                                                      ///< `answers_`
    /// One analysis for each pair of a nested block and the needs of its results. An outer loop queries its body with
    /// several needs. Each of these queries makes a nested loop query its own body with several needs. So without this
    /// table, the number of analyses would grow exponentially with the depth of the loops.
    using Regions = std::map<std::pair<const ir::Block*, std::vector<Need>>, std::unique_ptr<NumericNeeds>>;
    Regions own_; ///< the table of the outermost block, used by all nested analyses; cleared before each query if
                  ///< `within_`
    Regions* regions_ = &own_;
};

/// True if `inst` is a check that `with_nan_checks` or `with_overflow_checks` added.
bool is_numeric_check(const Inst& inst);

} // namespace pm::transform
