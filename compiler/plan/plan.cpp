#include "compiler/plan/plan.hpp"

#include "compiler/ir/verify.hpp"
#include "compiler/ops/rules.hpp"
#include "compiler/plan/block.hpp"
#include "compiler/plan/prepare.hpp"

namespace pm::plan {
namespace {

std::int64_t param_index(const ir::Block& block, ir::Value v) {
    for (std::size_t i = 0; i < block.params.size(); ++i)
        if (block.params[i] == v) return static_cast<std::int64_t>(i);
    return -1;
}

} // namespace

Program plan(const ir::BlockPtr& original, const Options& options) {
    const ir::BlockPtr block = prepare(original, options);
    if (options.verify) ir::verify(*block, ops::result_types, "spmd");
    Session session(options);
    Program& program = session.program;
    program.name = block->name;
    BlockTask task{*block, {}, {}, Mode::driver, 0, -1, {}};
    for (std::size_t i = 0; i < block->params.size(); ++i) {
        const ir::Type& type = block->type(block->params[i]);
        const StorageId storage = session.memory.fixed(Space::argument, static_cast<std::uint32_t>(i), bytes_of(type));
        program.arguments.push_back(session.memory.buffer(storage, type));
        task.params.push_back({program.arguments.back(), nullptr, false, false});
    }
    for (std::size_t i = 0; i < block->results.size(); ++i) {
        const ir::Value v = block->results[i];
        program.forwarded.push_back(param_index(*block, v));
        if (program.forwarded.back() >= 0) {
            task.destinations.emplace_back(std::nullopt);
            program.results.push_back(program.arguments[static_cast<std::size_t>(program.forwarded.back())]);
            continue;
        }
        const StorageId storage =
            session.memory.fixed(Space::result, static_cast<std::uint32_t>(i), bytes_of(block->type(v)));
        task.destinations.emplace_back(session.memory.buffer(storage, block->type(v)));
        program.results.push_back(*task.destinations.back());
    }
    plan_block(session, task, program.steps);
    session.memory.assign();
    session.memory.drop_unused();
    if (options.verify) verify(program, "plan");
    return std::move(program);
}

} // namespace pm::plan
