#include "compiler/codegen/steps/step_text.hpp"

#include "compiler/codegen/steps/buffers.hpp"

#include <fmt/format.h>

namespace pm::codegen {

using plan::Step;
using plan::StepKind;

std::string text_of(const plan::Program& program, const Step& step, const NestShape& shape) {
    std::string text = fmt::format("{}{}", plan::name(step.kind()), step.parallel ? "p" : "s");
    // A check's site is not part of its kernel: the host reports the check.
    if (step.kind() != StepKind::check) text += attributes_text(step);
    if (step.nest) text += nest::print(*step.nest);
    if (shape.lanes > 1)
        for (const char a : shape.aligned) text += a == 0 ? 'u' : 'a';
    if (step.kind() == StepKind::nest) return text;
    if (step.kind() == StepKind::check) {
        const plan::Buffer& ok = program.buffers[step.buffers[0]];
        return text + fmt::format(" {} {}", ok.elements(), alignment_of(ok));
    }
    // For products that need not be exact, the alignment decides how operands are copied.
    const auto* dot = std::get_if<plan::DotStep>(&step.attributes);
    if (dot != nullptr && !dot->precision.empty())
        for (const std::size_t i : {0U, 1U}) text += fmt::format(" {}", alignment_of(program.buffers[step.buffers[i]]));
    for (const plan::BufferId b : step.buffers)
        text += fmt::format(" {} {} {}", runtime::name(program.buffers[b].dtype), program.buffers[b].bytes(),
                            lane_stride(program.buffers[b]));
    return text;
}

} // namespace pm::codegen
