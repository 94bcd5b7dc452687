#include "compiler/stage/check/static_checks.hpp"

#include "compiler/evaluate/evaluate.hpp"
#include "compiler/ir/places.hpp"
#include "compiler/ops/core/build.hpp"
#include "compiler/transform/core/check_masks.hpp"
#include "runtime/kernels/matrices.hpp"

#include <algorithm>

namespace pm::stage {
namespace {

using ir::Inst;
using runtime::Array;

constexpr std::int64_t most_elements = 256; ///< the maximum number of elements of an array that is evaluated

bool has_elements(const Array& x) {
    if (x.dtype() == ir::DType::tape) return false;
    try {
        (void)x.data();
        return true;
    } catch (const runtime::AbstractRead&) {
        return false;
    }
}

/// The maximum number of visited instructions. Without this bound, nested calls could execute exponentially many
/// instructions.
constexpr int most_instructions = 50'000;

class KnownEvaluator {
  public:
    /// Returns the results of the block. An unknown result is an empty array.
    std::vector<Array> run(const ir::Block& block, const std::vector<Array>& arguments) {
        std::vector<Array> values(block.values.size());
        for (std::size_t i = 0; i < arguments.size(); ++i) values[block.params[i].id] = arguments[i];
        for (const Inst& inst : block.insts) {
            if (++seen_ > most_instructions) break;
            const Inst looked_at = transform::guards_value(inst) ? transform::without_guarded(inst) : inst;
            std::vector<Array> operands;
            for (const ir::Value v : looked_at.operands) operands.push_back(values[v.id]);
            const std::vector<Array> results = instruction(block, looked_at, operands);
            for (std::size_t i = 0; i < results.size(); ++i) values[inst.results[i].id] = results[i];
        }
        std::vector<Array> results;
        for (const ir::Value v : block.results) results.push_back(values[v.id]);
        return results;
    }

  private:
    std::vector<Array> instruction(const ir::Block& block, const Inst& inst, const std::vector<Array>& operands) {
        if (inst.op == ir::Op::call) return ir::placed_at(inst, [&] { return run(*inst.regions[0], operands); });
        if (inst.op == ir::Op::if_ && operands[0])
            return run(*inst.regions[operands[0].as_bool(0) ? 0 : 1], {operands.begin() + 1, operands.end()});
        const ir::OpInfo& about = ir::info(inst.op);
        const bool looks = inst.op == ir::Op::check || !about.has(ir::effect);
        const bool of_lapack = inst.op == ir::Op::factorize || inst.op == ir::Op::triangular_solve;
        if (ir::is_control(inst.op) || about.has(ir::collective) || !looks) return {};
        if (of_lapack && !runtime::has_lapack()) return {}; // a library of the device computes this operation
        const bool small = std::all_of(inst.results.begin(), inst.results.end(), [&](ir::Value v) {
            return block.type(v).elements() <= most_elements && block.type(v).dtype != ir::DType::tape;
        });
        if (!small || !std::all_of(operands.begin(), operands.end(), [](const Array& x) { return bool(x); })) return {};
        ops::Build alone("check");
        alone.set_place(inst.place);
        ir::Values params;
        for (const ir::Value v : inst.operands) params.push_back(alone.param(block.type(v)));
        ir::Values made = alone.copy(inst, std::move(params));
        return evaluate::evaluate(alone.finish(std::move(made)), operands);
    }

    int seen_ = 0;
};

} // namespace

void evaluate_known_checks(const ir::Block& block, const std::vector<Array>& arguments) {
    std::vector<Array> known;
    for (const Array& x : arguments) known.push_back(x.elements() <= most_elements && has_elements(x) ? x : Array());
    KnownEvaluator().run(block, known);
}

} // namespace pm::stage
