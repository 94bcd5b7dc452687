#include "compiler/stage/transform/divergence.hpp"

#include "compiler/base/count.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pm::stage {
namespace {

constexpr std::string_view or_keep_one = "or keep one per device: out_axes=0 for it";

/// Completes the error if `loop` combines the values of the devices, but may end before the result is equal on all
/// devices. The loop may have too few iterations, or iterations that leave the value unchanged.
Diagnostic with_loop_reason(Diagnostic d, const transform::EqualizingLoop& loop, const std::string& split,
                            const NamedAxis& axis) {
    const Span at = loop.inst->place.span;
    if (loop.inst->op == ir::Op::while_) {
        d.label(at, fmt::format("may make no iteration, and then passes on {}", split));
        d.help.emplace_back(
            "make a number of iterations that is known before they begin: for k in 0..3, without break");
    } else if (loop.may_pass) {
        d.label(at, fmt::format("its iterations may leave {} unchanged", split));
        d.help.emplace_back("combine it in every iteration, without break, continue or a branch that leaves it out");
    } else {
        const std::int64_t iterations = loop.inst->attrs.integer(ir::Attr::length);
        d.label(at, fmt::format("passes on {} after its {:iteration|iterations}", split, Count{iterations}));
        d.help.emplace_back("make more iterations: each brings it nearer to what is the same everywhere");
    }
    if (!axis.name.empty())
        d.help.push_back(fmt::format("or combine it after the loop: pmean(..., \"{}\")", axis.name));
    return std::move(d).fix(std::string(or_keep_one));
}

} // namespace

Diagnostic with_reason(Diagnostic d, const ir::Block& block, std::size_t result, const NamedAxis& axis,
                       const std::vector<transform::AxisSet>& varying) {
    const std::string split = axis.name.empty() ? "an argument that is split"
                                                : fmt::format("a value that is split over axis `{}`", axis.name);
    if (const auto loop = transform::equalizing_loop(block, result, axis.id, varying); loop.inst)
        return with_loop_reason(std::move(d), loop, split, axis);
    const ir::Value v = block.results[result];
    for (const ir::Inst& inst : block.insts)
        if (std::find(inst.results.begin(), inst.results.end(), v) != inst.results.end() && inst.place.span)
            d.label(inst.place.span, fmt::format("depends on {}; nothing combines it afterwards", split));
    return std::move(d)
        .fix(axis.name.empty() ? "name the axis and combine over it: pmap(..., axis_name=\"i\"), and pmean(..., \"i\")"
                                 " in the function"
                               : fmt::format("combine it: pmean(..., \"{}\")", axis.name))
        .fix(std::string(or_keep_one));
}

} // namespace pm::stage
