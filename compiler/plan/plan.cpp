#include "compiler/plan/plan.hpp"

#include "compiler/plan/lower/block.hpp"
#include "compiler/plan/prepare/prepare.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace pm::plan {
namespace {

/// Per value of a block: its index among the parameters, or -1.
std::vector<std::int64_t> param_numbers(const ir::Block& block) {
    std::vector<std::int64_t> numbers(block.values.size(), -1);
    for (std::size_t i = block.params.size(); i-- > 0;) numbers[block.params[i].id] = static_cast<std::int64_t>(i);
    return numbers;
}

/// (result, parameter): the result is computed in the memory of the parameter.
using Place = std::pair<std::size_t, std::int64_t>;

/// Per result: the donated parameter whose memory the result may use; -1 if there is none. It is the first parameter
/// that meets four conditions. It has the result's type, is not in `refused` for this result, is not itself a result,
/// and is not used by another result.
std::vector<std::int64_t> places(const ir::Block& block, const std::vector<bool>& donated,
                                 const std::set<Place>& refused) {
    const std::vector<std::int64_t> numbers = param_numbers(block);
    std::vector<bool> taken(block.params.size(), false);
    for (const ir::Value v : block.results)
        if (numbers[v.id] >= 0) taken[static_cast<std::size_t>(numbers[v.id])] = true;
    std::map<std::pair<DType, ir::Shape>, std::set<std::int64_t>> free; // the usable parameters, by their type
    for (std::size_t p = 0; p < donated.size(); ++p) {
        const ir::Type& type = block.type(block.params[p]);
        if (donated[p] && !taken[p]) free[{type.dtype, type.shape}].insert(static_cast<std::int64_t>(p));
    }
    std::vector<std::int64_t> found(block.results.size(), -1);
    for (std::size_t r = 0; r < block.results.size(); ++r) {
        if (numbers[block.results[r].id] >= 0) continue;
        const ir::Type& type = block.type(block.results[r]);
        const auto of_type = free.find({type.dtype, type.shape});
        if (of_type == free.end()) continue;
        std::set<std::int64_t>& fit = of_type->second;
        const auto p = std::ranges::find_if(fit, [&](std::int64_t n) { return refused.count({r, n}) == 0; });
        if (p == fit.end()) continue;
        found[r] = *p;
        fit.erase(p);
    }
    return found;
}

/// Collects the arguments to which a copy step writes. The results that use the memory of these arguments were not
/// computed in place.
void copied_to(const Program& program, const Steps& steps, std::set<std::int64_t>& arguments) {
    for (const Step& step : steps) {
        if (step.kind() == StepKind::copy && program.buffers[step.buffers[1]].space == Space::argument)
            arguments.insert(program.buffers[step.buffers[1]].index);
        for (const Steps& children : step.children) copied_to(program, children, arguments);
    }
}

Program planned(const ir::BlockPtr& block, const Options& options, const std::vector<std::int64_t>& places) {
    PlanState state(options);
    Program& program = state.program;
    program.name = block->name;
    program.deterministic = options.deterministic;
    BlockTask task{*block, {}, {}, Mode::driver, 0, -1, {}};
    for (std::size_t i = 0; i < block->params.size(); ++i) {
        const ir::Type& type = block->type(block->params[i]);
        const StorageId storage = state.memory.fixed(Space::argument, static_cast<std::uint32_t>(i), bytes_of(type));
        program.arguments.push_back(state.memory.buffer(storage, type));
        task.params.push_back({program.arguments.back(), nullptr, false, false});
    }
    const std::vector<std::int64_t> numbers = param_numbers(*block);
    for (std::size_t i = 0; i < block->results.size(); ++i) {
        const ir::Value v = block->results[i];
        program.forwarded.push_back(places[i] >= 0 ? places[i] : numbers[v.id]);
        if (const std::int64_t from = program.forwarded.back(); from >= 0) {
            program.results.push_back(program.arguments[static_cast<std::size_t>(from)]);
            task.destinations.emplace_back(std::nullopt);
            if (places[i] < 0) continue;
            task.destinations.back() = program.results.back();
            state.memory.donate(state.memory.storage_of(program.results.back()));
            program.overwritten.push_back(from);
            continue;
        }
        const StorageId storage =
            state.memory.fixed(Space::result, static_cast<std::uint32_t>(i), bytes_of(block->type(v)));
        task.destinations.emplace_back(state.memory.buffer(storage, block->type(v)));
        program.results.push_back(*task.destinations.back());
    }
    plan_block(state, task, program.steps);
    state.memory.assign(options.locals);
    state.memory.drop_unused();
    return std::move(program);
}

} // namespace

Program plan(const ir::BlockPtr& original, const Options& options, const std::vector<bool>& donated) {
    const ir::BlockPtr block = prepare(original, options);
    // A copy costs more than separate memory for the result. If the plan needs a copy for a result in a donated
    // argument, the pair of result and argument is refused. Then planning runs again. The last try uses no donated
    // memory at all.
    constexpr int most_tries = 4;
    std::set<Place> refused;
    std::vector<std::int64_t> in_place = places(*block, donated, refused);
    Program program = planned(block, options, in_place);
    for (int tries = 1;; ++tries) {
        std::set<std::int64_t> copied;
        copied_to(program, program.steps, copied);
        if (copied.empty()) break;
        for (std::size_t r = 0; r < in_place.size(); ++r)
            if (copied.count(in_place[r]) != 0) refused.insert({r, in_place[r]});
        if (tries < most_tries)
            in_place = places(*block, donated, refused);
        else
            in_place.assign(in_place.size(), -1);
        program = planned(block, options, in_place);
    }
    if (options.verify) verify(program, "plan");
    return program;
}

} // namespace pm::plan
