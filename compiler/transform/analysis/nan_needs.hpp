#pragma once
#include "compiler/transform/analysis/nan_checks.hpp"
#include "compiler/transform/core/bit_mask.hpp"

#include <map>
#include <memory>
#include <optional>

namespace pm::transform {

/// Which elements of a block's values matter: those that some use without a `select` after it takes, or that the
/// `select`s keep. The masks are conditions of the program or masks of cotangents (masks.hpp), whose values are
/// undefined outside of them.
class NanNeeds {
  public:
    /// With `within`, only instructions at the same place in the program as the operation in question may drop a NaN:
    /// together they are one operation of the program. Without it, all instructions may.
    NanNeeds(const ir::Block& block, const std::vector<Need>& results, bool within);
    NanNeeds(const NanNeeds&) = delete;
    NanNeeds& operator=(const NanNeeds&) = delete;

    struct Answer {
        Need need = Need::none;
        std::size_t ready = 0; ///< the instruction before which the mask can be made
    };
    /// The need of a result of `block.insts[at]`.
    Answer of(Value v, std::size_t at);
    /// The need of a parameter.
    Need of_param(Value v);
    /// The needs of the results of the regions of `block.insts[at]`, except the condition of a `while`.
    const std::vector<Need>& inside(std::size_t at);
    /// The mask of a value, in the value's shape. The last question must have been about it, and its answer `masked`.
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
    std::map<std::uint32_t, Answer> answers_;         ///< to the current question (`within`), or to all of them
    std::map<std::size_t, std::vector<Need>> inside_; ///< likewise, per instruction with regions
    /// For all blocks in the outermost one, by the needs of their results. A loop asks for several, and each loop in
    /// it for as many in each of these.
    using Regions = std::map<std::pair<const ir::Block*, std::vector<Need>>, std::unique_ptr<NanNeeds>>;
    Regions own_; ///< of the outermost block: for the current question (`within`), or for all of them
    Regions* regions_ = &own_;
};

/// True for a check that `with_nan_checks` added.
bool is_nan_check(const Inst& inst);

} // namespace pm::transform
