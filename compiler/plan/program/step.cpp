#include "compiler/plan/program/step.hpp"

#include "compiler/base/check.hpp"

#include <array>

namespace pm::plan {
namespace {

struct Names {
    std::string_view text;
    std::string_view title;
};
constexpr std::array all_names = {
#define STEP(kind, text, attributes, title) Names{text, title},
#include "compiler/plan/program/steps.def"
};

} // namespace

std::string_view name(StepKind kind) { return all_names.at(static_cast<std::size_t>(kind)).text; }
std::string_view title(StepKind kind) { return all_names.at(static_cast<std::size_t>(kind)).title; }

Step step_of(StepKind kind) {
    switch (kind) {
#define STEP(kind, text, attributes, title)                                                                            \
    case StepKind::kind: return {attributes{}};
#include "compiler/plan/program/steps.def"
    }
    return {};
}

bool writes(const Step& step, std::size_t buffer) {
    switch (step.kind()) {
    case StepKind::nest: return step.nest->buffers[buffer].written;
    case StepKind::dot: return buffer == 2 || (buffer > 2 && step.nest->buffers[buffer - 2].written);
    case StepKind::scatter:
    case StepKind::tape: return buffer + 1 == step.buffers.size();
    case StepKind::sort: return buffer >= step.buffers.size() / 2;
    case StepKind::cumulative:
    case StepKind::copy:
    case StepKind::collective: return buffer == 1;
    case StepKind::loop: return buffer == 0;
    case StepKind::meeting: return step.as<MeetingStep>().work <= MeetingWork::tapes || buffer % 2 == 1;
    // Libraries compute these steps. The buffers that they write depend on the attribute `kernel`.
    case StepKind::matrices: PM_UNREACHABLE();
    case StepKind::if_:
    case StepKind::while_:
    case StepKind::lanes:
    case StepKind::tapes:
    case StepKind::check:
    case StepKind::print:
    case StepKind::poll: return false;
    }
    PM_UNREACHABLE();
}

std::int64_t collective_lanes(const Step& step) {
    if (const auto* nest = std::get_if<NestStep>(&step.attributes)) return nest->lanes;
    if (const auto* collective = std::get_if<CollectiveStep>(&step.attributes)) return collective->lanes;
    return 0;
}

} // namespace pm::plan
