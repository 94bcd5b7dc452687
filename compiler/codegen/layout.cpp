#include "compiler/codegen/collective.hpp"
#include "compiler/codegen/cpu/dot.hpp"
#include "compiler/codegen/emit_program.hpp"

#include <algorithm>

namespace pm::codegen {

using plan::Step;
using plan::StepKind;

namespace {

/// Instructions a module holds at most, about; each takes some 25 us to compile.
constexpr int module_weight = 2500;

std::string text_of(const Step& step) {
    std::string text = std::to_string(static_cast<int>(step.kind)) + (step.parallel ? "p" : "s");
    for (const std::int64_t n : step.integers) text += " " + std::to_string(n);
    return text + (step.nest ? nest::print(*step.nest) : std::string());
}

} // namespace

Layout::Layout(const plan::Program& program, const Machine& machine) : program_(program), machine_(machine) {
    collect(program.steps);
    // Heavy units are spread over further modules, in order, each filled before the next.
    int total = 0;
    for (const auto& unit : units_) total += unit->shape.weight;
    if (total + weight_ < module_weight / 2) return;
    const auto wanted = static_cast<std::size_t>(std::max(2, (total + module_weight - 1) / module_weight));
    const int each = total / static_cast<int>(wanted) + 1;
    int filled = 0;
    for (const auto& unit : units_) {
        unit->module = 1 + static_cast<std::size_t>(std::min<int>(filled / each, static_cast<int>(wanted) - 1));
        filled += unit->shape.weight;
        modules_ = std::max(modules_, unit->module + 1);
    }
}

void Layout::collect(const plan::Steps& steps) {
    for (const Step& step : steps) {
        if (auto made = step.kind == StepKind::collective ? collective_nest(program_, step) : nullptr) {
            add(*made);
            replacements_.emplace(&step, std::move(made));
        }
        if (step.kind == StepKind::nest || step.kind == StepKind::dot) add(step);
        for (const plan::Steps& child : step.children) collect(child);
    }
}

bool Layout::stands_in_place(const Step& step, const NestShape& shape) const {
    if (step.kind == StepKind::dot) return small_dot(step, program_);
    if (step.parallel || shape.takes_long()) return false;
    const bool local = std::any_of(step.buffers.begin(), step.buffers.end(),
                                   [&](plan::BufferId b) { return program_.buffers[b].space == plan::Space::local; });
    return shape.weight * shape.unroll <= (local ? 400 : 60);
}

void Layout::add(const Step& step) {
    NestShape shape;
    if (step.kind == StepKind::nest)
        shape = shape_nest(*step.nest, machine_);
    else
        shape.weight = 150;
    if (stands_in_place(step, shape)) {
        weight_ += shape.weight;
        return;
    }
    std::string text = text_of(step);
    if (step.kind == StepKind::dot) // element types are part of a product's code
        for (const plan::BufferId b : step.buffers) text += std::string(runtime::name(program_.buffers[b].dtype));
    Unit*& unit = by_text_[text];
    if (unit == nullptr) {
        units_.push_back(
            std::make_unique<Unit>(Unit{"unit_" + std::to_string(units_.size()), &step, std::move(shape), 0}));
        unit = units_.back().get();
    }
    by_step_.emplace(&step, unit);
}

const Unit* Layout::unit_of(const Step& step) const {
    const auto found = by_step_.find(&step);
    return found == by_step_.end() ? nullptr : found->second;
}

const Step* Layout::replacement(const Step& step) const {
    const auto found = replacements_.find(&step);
    return found == replacements_.end() ? nullptr : found->second.get();
}

void Layout::emit(std::size_t module, llvm::Module& into) const {
    Emit e(into, machine_);
    if (module == 0) emit_entry(e, *this);
    for (const auto& unit : units_)
        if (unit->module == module) emit_unit(e, *this, *unit);
}

} // namespace pm::codegen
