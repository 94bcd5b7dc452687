#include "compiler/plan/program/program.hpp"

namespace pm::plan {

std::int64_t Buffer::elements() const {
    std::int64_t product = 1;
    for (const std::int64_t size : shape) product *= size;
    return product;
}

bool writes(const Step& step, std::size_t buffer) {
    switch (step.kind) {
    case StepKind::nest: return step.nest->buffers[buffer].written;
    case StepKind::dot: return buffer == 2 || (buffer > 2 && step.nest->buffers[buffer - 2].written);
    case StepKind::scatter:
    case StepKind::tape: return buffer + 1 == step.buffers.size();
    case StepKind::sort: return buffer >= step.buffers.size() / 2;
    case StepKind::check:
    case StepKind::print: return false;
    default: return buffer == 1;
    }
}

std::string_view name(Space space) {
    switch (space) {
    case Space::argument: return "argument";
    case Space::result: return "result";
    case Space::constant: return "constant";
    case Space::arena: return "arena";
    case Space::local: return "local";
    }
    return {};
}

std::string_view name(StepKind kind) {
    switch (kind) {
    case StepKind::nest: return "nest";
    case StepKind::dot: return "dot";
    case StepKind::matrices: return "matrices";
    case StepKind::sort: return "sort";
    case StepKind::scatter: return "scatter";
    case StepKind::cumulative: return "cumulative";
    case StepKind::tape: return "tape";
    case StepKind::copy: return "copy";
    case StepKind::collective: return "collective";
    case StepKind::if_: return "if";
    case StepKind::while_: return "while";
    case StepKind::loop: return "loop";
    case StepKind::lanes: return "lanes";
    case StepKind::tapes: return "tapes";
    case StepKind::check: return "check";
    case StepKind::print: return "print";
    case StepKind::poll: return "poll";
    }
    return {};
}

} // namespace pm::plan
