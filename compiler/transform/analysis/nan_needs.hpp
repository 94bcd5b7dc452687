#pragma once
#include "compiler/transform/analysis/nan_checks.hpp"
#include "compiler/transform/core/bit_mask.hpp"

#include <map>
#include <memory>
#include <optional>

namespace pm::transform {

/// Which elements of a block's values go on to matter: those that every `select` behind them drops do not. The masks
/// are those of the program or of cotangents (masks.hpp), whose values mean nothing outside of them.
class NanNeeds {
  public:
    /// With `within` only what stands at the same place as the operation that is asked about may drop a NaN: together
    /// they are one operation as a program writes it. Without, everything may.
    NanNeeds(const ir::Block& block, const std::vector<Need>& results, bool within);
    NanNeeds(const NanNeeds&) = delete;
    NanNeeds& operator=(const NanNeeds&) = delete;

    struct Answer {
        Need need = Need::none;
        std::size_t ready = 0; ///< the instruction before which the mask can be made
    };
    /// Of a result of `block.insts[at]`.
    Answer of(Value v, std::size_t at);
    /// The same of a parameter.
    Need of_param(Value v);
    /// Of the results of the regions of `block.insts[at]`, but for the condition of a `while`.
    const std::vector<Need>& inside(std::size_t at);
    /// The mask of a value that the last question was about and that has one, of its shape; `now`: what the block's
    /// values have become in `b`.
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
    /// Of a use that is masked.
    Value mask_of_use(Build& b, const Values& now, const Use& use);

    const ir::Block& block_;
    std::vector<std::vector<Use>> uses_;
    std::vector<std::optional<Need>> as_result_;
    bool within_;
    Span place_;
    std::map<std::uint32_t, Answer> answers_;         ///< to the question at hand, or to all of them
    std::map<std::size_t, std::vector<Need>> inside_; ///< likewise, per instruction with regions
    /// Of all blocks in the outermost one, by what of their results matters. A loop asks for several, and each loop
    /// in it would ask for as many in each of these.
    using Regions = std::map<std::pair<const ir::Block*, std::vector<Need>>, std::unique_ptr<NanNeeds>>;
    Regions own_; ///< of the outermost block, to the question at hand or to all
    Regions* regions_ = &own_;
};

/// True for a check that `with_nan_checks` has put in.
bool is_nan_check(const Inst& inst);

} // namespace pm::transform
