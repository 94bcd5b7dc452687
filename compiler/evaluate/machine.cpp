#include "compiler/evaluate/machine.hpp"

#include "compiler/base/diagnostic.hpp"
#include "compiler/base/python_format.hpp"
#include "compiler/ir/places.hpp"
#include "compiler/ops/core/rules.hpp"
#include "compiler/ops/effects/check_attributes.hpp"
#include "compiler/transform/core/transform.hpp"
#include "runtime/failure.hpp"

#include <algorithm>

namespace pm::evaluate {

using ir::Attr;
using ir::Inst;
using ir::Op;

void Machine::poll(const Inst& inst) const {
    if (options_.stop && options_.stop()) raise(diagnose(Diag::interrupted, inst.place.span));
}

std::vector<Column> Machine::run(const ir::Block& block, std::vector<Column> arguments, const Lanes& lanes) {
    PM_CHECK(arguments.size() == block.params.size());
    std::vector<Column> values(block.values.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) values[block.params[i].id] = std::move(arguments[i]);
    for (const Inst& inst : block.insts) {
        poll(inst);
        std::vector<Column> operands;
        operands.reserve(inst.operands.size());
        for (ir::Value v : inst.operands) operands.push_back(values[v.id]);
        std::vector<Column> results = instruction(block, inst, operands, lanes);
        PM_CHECK(results.size() == inst.results.size());
        for (std::size_t i = 0; i < results.size(); ++i) values[inst.results[i].id] = std::move(results[i]);
    }
    std::vector<Column> results;
    results.reserve(block.results.size());
    for (ir::Value v : block.results) results.push_back(values[v.id]);
    return results;
}

std::vector<Column> Machine::instruction(const ir::Block& block, const Inst& inst, const std::vector<Column>& operands,
                                         const Lanes& lanes) {
    if (inst.op == Op::call) return ir::placed_at(inst, [&] { return run(*inst.regions[0], operands, lanes); });
    if (inst.op == Op::if_) return if_(inst, operands, lanes);
    if (inst.op == Op::while_) return while_(inst, operands, lanes);
    if (inst.op == Op::scan) return scan(block, inst, operands, lanes);
    if (inst.op == Op::pmap) return pmap(inst, operands, lanes);
    PM_CHECK(!ir::is_control(inst.op), std::string(ir::info(inst.op).name));
    if (inst.op == Op::check) return check(inst, operands, lanes);
    if (inst.op == Op::print) return print(inst, operands, lanes);
    PM_CHECK(!ir::info(inst.op).has(ir::effect), std::string(ir::info(inst.op).name));
    if (ir::info(inst.op).has(ir::collective)) {
        if (inst.op != Op::axis_index) flush();
        return run_collective(inst, operands, lanes, options_.allocator);
    }
    return flat(block, inst, operands, lanes);
}

std::vector<Column> Machine::flat(const ir::Block& block, const Inst& inst, const std::vector<Column>& operands,
                                  const Lanes& lanes) {
    const auto& eval = ops::rules(inst.op).eval;
    PM_CHECK(static_cast<bool>(eval), std::string(ir::info(inst.op).name));
    std::vector<ir::Type> types;
    for (ir::Value v : inst.results) types.push_back(block.type(v));
    std::vector<Column> results(types.size(), Column(lanes.size()));
    std::vector<Array> in(operands.size());
    for (std::size_t l = 0; l < lanes.size(); ++l) {
        for (std::size_t i = 0; i < operands.size(); ++i) in[i] = operands[i][l];
        ops::EvalContext context{inst, in, types, options_.allocator, tapes_.get()};
        std::vector<Array> made = eval.fn(context);
        PM_CHECK(made.size() == types.size());
        for (std::size_t i = 0; i < made.size(); ++i) {
            PM_CHECK(made[i].dtype() == types[i].dtype && made[i].shape() == types[i].shape,
                     std::string(ir::info(inst.op).name));
            results[i][l] = std::move(made[i]);
        }
    }
    return results;
}

namespace {

/// The part of a value that the message of a check shows. If the leading axes of the value are the axes of `ok`, this
/// is the part at `at`, the index of the failed element. Otherwise this is the whole value.
Array shown(const Array& value, const Array& ok, std::int64_t at) {
    const auto& shape = value.shape();
    if (shape.size() < ok.shape().size() || !std::equal(ok.shape().begin(), ok.shape().end(), shape.begin()))
        return value;
    runtime::Shape rest(shape.begin() + ok.rank(), shape.end());
    runtime::Shape flat = rest;
    flat.insert(flat.begin(), ok.elements());
    return value.reshape(std::move(flat)).at(at);
}

} // namespace

std::vector<Column> Machine::check(const Inst& inst, const std::vector<Column>& operands, const Lanes& lanes) {
    for (std::size_t l = 0; l < lanes.size(); ++l) {
        const Array& ok = operands[0][l];
        for (std::int64_t at = 0; at < ok.elements(); ++at) {
            if (ok.as_bool(at)) continue;
            flush();
            std::vector<Array> values;
            for (std::size_t i = 1; i < operands.size(); ++i) values.push_back(shown(operands[i][l], ok, at));
            const ops::Check check = ops::check_of(inst);
            Diagnostic d;
            d.id = check.diagnostic;
            d.span = inst.place.span;
            ir::add_callers(d, inst.place.callers);
            d.message = fill_template(check.text, values);
            if (!check.help.empty()) d.help.push_back(check.help);
            if (check.mapped > 0) {
                const auto inner = ok.shape().begin() + static_cast<std::ptrdiff_t>(check.mapped);
                const std::int64_t step = ir::Type{ir::DType::b1, ir::Shape(inner, ok.shape().end())}.elements();
                d.notes.push_back(ops::mapped_note(ir::Shape(ok.shape().begin(), inner), at / step));
            }
            if (options_.devices > 1 && !lanes[l].at.empty())
                d.notes.push_back(fmt::format("on device {}", lanes[l].device));
            raise(std::move(d));
        }
    }
    return {};
}

std::vector<Column> Machine::print(const Inst& inst, const std::vector<Column>& operands, const Lanes& lanes) {
    if (!options_.print) return {};
    for (std::size_t l = 0; l < lanes.size(); ++l) {
        std::vector<Array> values;
        for (const Column& operand : operands) values.push_back(operand[l]);
        held_[lanes[l].iteration] += fill_template(inst.attrs.text(Attr::text), values);
    }
    if (lanes.size() == 1 && lanes[0].at.empty()) flush();
    return {};
}

void Machine::flush() {
    for (const auto& [iteration, text] : held_)
        if (options_.print) options_.print(text);
    held_.clear();
}

std::vector<Array> evaluate(const ir::BlockPtr& block, std::vector<Array> arguments, const Options& options) {
    PM_CHECK(block != nullptr && arguments.size() == block->params.size(),
             "arguments of " + (block ? block->name : "nothing"));
    const ir::BlockPtr lowered = transform::lower_complex(block);
    std::vector<Column> columns;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const ir::Type& type = block->type(block->params[i]);
        PM_CHECK(arguments[i] && arguments[i].dtype() == type.dtype && arguments[i].shape() == type.shape,
                 "argument " + std::to_string(i));
        const ir::Type& real = lowered->type(lowered->params[i]);
        columns.push_back({arguments[i].as_type(real.dtype, real.shape)});
        if (real.dtype != ir::DType::tape) arguments[i] = {};
    }
    try {
        Machine machine(options);
        const std::vector<Column> results = machine.run(*lowered, std::move(columns), {Lane{}});
        machine.flush();
        std::vector<Array> arrays;
        for (std::size_t i = 0; i < results.size(); ++i) {
            const ir::Type& type = block->type(block->results[i]);
            arrays.push_back(results[i][0].as_type(type.dtype, type.shape));
        }
        return runtime::keeping(std::move(arrays), machine.tapes(), arguments);
    } catch (const runtime::Failure& failure) {
        raise(diagnose(Diag::out_of_memory, {}, failure.message()));
    }
}

} // namespace pm::evaluate
