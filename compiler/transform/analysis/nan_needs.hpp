#pragma once
#include "compiler/transform/analysis/nan_checks.hpp"
#include "compiler/transform/core/bit_mask.hpp"

#include <map>
#include <memory>
#include <optional>

namespace pm::transform {

/// Determines the elements of a block's values in which a NaN matters. A NaN does not matter if every use of its
/// element leads to a `select` that does not select the element. The condition of the `select` is a condition of the
/// program or the mask of a cotangent (masks.hpp). A cotangent is undefined outside of its mask.
class NanNeeds {
  public:
    /// With `within`, only instructions with the span of the queried instruction count as dropping a NaN: they belong
    /// to the same operation of the program. Without `within`, all instructions count.
    NanNeeds(const ir::Block& block, const std::vector<Need>& results, bool within);
    NanNeeds(const NanNeeds&) = delete;
    NanNeeds& operator=(const NanNeeds&) = delete;

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
    /// The mask of a value, in the value's shape. The last query must have been for `v`, and its answer `masked`.
    /// `now`: per value of the block, its value in `b`.
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
    NanNeeds& inside(const ir::Block& region, const std::vector<Need>& results);
    /// The mask of a use whose need is `masked`.
    Value mask_of_use(Build& b, const Values& now, const Use& use);

    const ir::Block& block_;
    std::vector<std::vector<Use>> uses_;
    std::vector<std::optional<Need>> as_result_;
    bool within_;
    Span place_;
    std::map<std::uint32_t, Answer> answers_;         ///< with `within`: of the current query; otherwise of all queries
    std::map<std::size_t, std::vector<Need>> inside_; ///< of the same queries as answers_, per instruction with regions
    /// One analysis for each pair of a nested block and the needs of its results. An outer loop queries its body with
    /// several needs. Each of these queries makes a nested loop query its own body with several needs.
    using Regions = std::map<std::pair<const ir::Block*, std::vector<Need>>, std::unique_ptr<NanNeeds>>;
    Regions own_; ///< used in the outermost block, by all nested analyses; cleared before each query if `within`
    Regions* regions_ = &own_;
};

/// True for a check that `with_nan_checks` added.
bool is_nan_check(const Inst& inst);

} // namespace pm::transform
