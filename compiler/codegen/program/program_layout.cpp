#include "compiler/codegen/program/program_layout.hpp"

#include "compiler/base/stop.hpp"
#include "compiler/codegen/program/emit_program.hpp"
#include "compiler/codegen/steps/collective.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace pm::codegen {

using plan::Step;
using plan::StepKind;

/// The state that the steps of one function share.
struct Layout::Scope {
    Scope(const plan::Program& program, const plan::Steps& body) : program(program) {
        count(body, 0, body.size(), uses);
    }

    using Uses = std::map<std::uint32_t, int>; ///< the number of uses of each local buffer, by Buffer::index
    /// Adds the uses of local buffers in list[first..last) to `into`. Skips the bodies of `lanes` steps: each lane has
    /// its own local buffers.
    void count(const plan::Steps& list, std::size_t first, std::size_t last, Uses& into) const {
        for (std::size_t i = first; i < last; ++i) {
            for (const plan::BufferId id : list[i].buffers)
                if (const plan::Buffer& b = program.buffers[id]; b.space == plan::Space::local) ++into[b.index];
            if (list[i].kind() == StepKind::lanes) continue;
            for (const plan::Steps& child : list[i].children) count(child, 0, child.size(), into);
        }
    }

    const plan::Program& program;
    Uses uses;
    bool in_lane = false;
    std::vector<std::uint32_t> loops;
};

Layout::Layout(const plan::Program& program, const Machine& machine, std::unique_ptr<Backend> backend,
               int function_size)
    : program_(program), machine_(machine), backend_(std::move(backend)), function_size_(function_size) {
    collect(program.steps);
    Scope entry(program, program.steps);
    spread(cut(program.steps, entry));
}

std::int64_t Layout::parts(const Step& replacement) const {
    const auto found = parts_.find(&replacement);
    return found == parts_.end() ? 1 : found->second;
}

/// Distributes the functions of units and regions over additional modules, in order. Each module is filled before the
/// next one. If the functions are small in total, they stay in the first module.
void Layout::spread(int entry_weight) {
    std::vector<std::pair<int, std::size_t*>> parts;
    if (backend_->form() != UnitForm::kernel)
        for (const auto& unit : units_) parts.emplace_back(unit->shape.weight, &unit->module);
    for (const auto& region : regions_) parts.emplace_back(region->weight, &region->module);
    int total = 0;
    for (const auto& [weight, module] : parts) total += weight;
    if (total + entry_weight < function_size_ / 2) return;
    const auto wanted = static_cast<std::size_t>(std::max(2, (total + function_size_ - 1) / function_size_));
    const int each = total / static_cast<int>(wanted) + 1;
    int filled = 0;
    for (const auto& [weight, module] : parts) {
        *module = 1 + static_cast<std::size_t>(std::min<int>(filled / each, static_cast<int>(wanted) - 1));
        filled += weight;
        modules_ = std::max(modules_, *module + 1);
    }
}

void Layout::collect(const plan::Steps& steps) {
    for (const Step& step : steps) {
        poll_stop();
        if (backend_->runs_whole(step)) {
            add(step);
            continue;
        }
        const bool collective = step.kind() == StepKind::collective;
        const std::int64_t parts = collective ? backend_->parts(step) : 1;
        if (auto made = collective ? collective_nest(program_, step, parts) : nullptr) {
            if (parts > 1) parts_.emplace(made.get(), parts);
            add(*made);
            replacements_.emplace(&step, std::move(made));
        } else if (backend_->may_be_unit(step)) {
            add(step);
        }
        for (const Step* epilogue : backend_->epilogues(step)) add(*epilogue);
        for (const plan::Steps& child : step.children) collect(child);
    }
}

void Layout::add(const Step& step) {
    NestShape shape = backend_->shape(step);
    if (backend_->inlined(step, shape)) {
        in_place_.emplace(&step, shape.weight * shape.unroll);
        return;
    }
    Unit*& unit = by_text_[backend_->text(step, shape)];
    if (unit == nullptr) {
        const auto number = static_cast<std::int64_t>(units_.size());
        units_.push_back(
            std::make_unique<Unit>(Unit{"unit_" + std::to_string(number), number, &step, std::move(shape)}));
        unit = units_.back().get();
        backend_->add(*unit);
    }
    by_step_.emplace(&step, unit);
}

/// The approximate number of instructions that a step adds to the enclosing function.
int Layout::weight_of(const Step& step, Scope& scope) {
    poll_stop();
    if (const Step* made = replacement(step)) return weight_of(*made, scope);
    // Instructions for addresses and for a call or a branch.
    int weight = 10 + 3 * static_cast<int>(step.buffers.size());
    if (const auto found = in_place_.find(&step); found != in_place_.end()) weight += found->second;
    if (unit_of(step) != nullptr && step.kind() != StepKind::check && step.kind() != StepKind::tape)
        return weight + backend_->weight_after(step); // the children of a step with a unit belong to the unit
    if (step.kind() == StepKind::scatter || step.kind() == StepKind::cumulative || step.kind() == StepKind::check)
        weight += 50;
    if (step.kind() == StepKind::lanes) {
        Scope body(program_, step.children[0]);
        body.in_lane = true;
        body.loops = scope.loops;
        return weight + cut(step.children[0], body);
    }
    if (step.kind() == StepKind::loop) scope.loops.push_back(step.as<plan::LoopStep>().id);
    for (const plan::Steps& child : step.children) weight += cut(child, scope);
    if (step.kind() == StepKind::loop) scope.loops.pop_back();
    return weight;
}

/// Cuts a long list into regions. First cuts the lists inside of its steps. Returns the weight of the code that remains
/// in the enclosing function.
int Layout::cut(const plan::Steps& list, Scope& scope) {
    std::vector<int> weights;
    int total = 0;
    for (std::size_t i = 0; i < list.size();) {
        total += weights.emplace_back(weight_of(list[i], scope));
        const std::size_t equal = equal_steps(list, i, list.size());
        weights.resize(i += equal, 0); // the other equal steps are iterations of the same loop
    }
    if (total <= function_size_) return total;
    int left = 0;
    for (std::size_t first = 0; first < list.size();) {
        auto made = std::make_unique<OutlinedRegion>();
        std::size_t last = first;
        while (last < list.size() &&
               (last == first || weights[last] == 0 || made->weight + weights[last] <= function_size_))
            made->weight += weights[last++];
        Scope::Uses uses;
        scope.count(list, first, last, uses);
        for (const auto& [local, count] : uses)
            if (count != scope.uses.at(local)) made->locals.push_back(local);
        made->name = "region_" + std::to_string(regions_.size());
        made->list = &list;
        made->first = std::exchange(first, last);
        made->last = last;
        made->in_lane = scope.in_lane;
        made->loops = scope.loops;
        left += 10 + static_cast<int>(made->locals.size() + made->loops.size());
        cuts_[&list].push_back(made.get());
        regions_.push_back(std::move(made));
    }
    return left;
}

const std::vector<const OutlinedRegion*>& Layout::regions_of(const plan::Steps& list) const {
    static const std::vector<const OutlinedRegion*> none;
    const auto found = cuts_.find(&list);
    return found == cuts_.end() ? none : found->second;
}

const Unit* Layout::unit_of(const Step& step) const {
    const auto found = by_step_.find(&step);
    return found == by_step_.end() ? nullptr : found->second;
}

std::size_t Layout::equal_steps(const plan::Steps& list, std::size_t first, std::size_t last) const {
    constexpr std::size_t least = 4;
    const Unit* const unit = unit_of(list[first]);
    if (unit == nullptr || backend_->form() != UnitForm::function || list[first].kind() != StepKind::nest) return 1;
    const auto found_alike = [&](plan::BufferId a, plan::BufferId b) {
        const plan::Buffer& one = program_.buffers[a];
        const plan::Buffer& other = program_.buffers[b];
        return one.space == other.space && one.space != plan::Space::local && one.strides.empty() &&
               other.strides.empty();
    };
    std::size_t end = first + 1;
    while (end < last && unit_of(list[end]) == unit &&
           std::ranges::equal(list[first].buffers, list[end].buffers, found_alike))
        ++end;
    return end - first < least ? 1 : end - first;
}

const Step* Layout::replacement(const Step& step) const {
    const auto found = replacements_.find(&step);
    return found == replacements_.end() ? nullptr : found->second.get();
}

void Layout::emit(std::size_t module, llvm::Module& into) const {
    Emit e(into, machine_);
    if (module == 0) emit_entry(e, *this);
    if (module == 0 && backend_->form() != UnitForm::function) { // for the loader of the program
        llvm::ConstantInt* count = e.int64(static_cast<std::int64_t>(units_.size()));
        new llvm::GlobalVariable(into, e.i64(), true, llvm::GlobalValue::ExternalLinkage, count, unit_count_name);
    }
    for (const auto& unit : units_)
        if (unit->module == module && backend_->form() != UnitForm::kernel)
            backend_->emit_unit(e, *unit, modules_ == 1);
    for (const auto& region : regions_)
        if (region->module == module) emit_region(e, *this, *region);
}

void Layout::emit_kernels(llvm::Module& into, const Machine& device) const {
    Emit e(into, device);
    e.polls = false;
    e.aligned = true;
    for (const auto& unit : units_) backend_->emit_unit(e, *unit, false);
}

} // namespace pm::codegen
