// The type rules of the operations with regions; control.def defines the operations.
#include "compiler/ir/ir.hpp"

namespace pm::ir {
namespace {

using Types = std::vector<Type>;

Types part(const Types& types, std::size_t begin, std::size_t end) {
    return {types.begin() + static_cast<std::ptrdiff_t>(begin), types.begin() + static_cast<std::ptrdiff_t>(end)};
}

bool is_condition(const Type& type) { return type == Type{DType::b1, {}}; }

/// The value of the attribute `attr`. The value must be from 0 to `most`.
std::size_t count(const Inst& inst, Attr attr, std::size_t most) {
    const std::int64_t n = inst.attrs.integer(attr);
    PM_CHECK(n >= 0 && static_cast<std::uint64_t>(n) <= most, std::string(name(attr)));
    return static_cast<std::size_t>(n);
}

void regions(const Inst& inst, std::size_t n) {
    PM_CHECK(inst.regions.size() == n, "number of regions");
    for (const BlockPtr& region : inst.regions) PM_CHECK(region != nullptr);
}

Types call_types(const Inst& inst, const Types& in) {
    regions(inst, 1);
    PM_CHECK(inst.regions[0]->param_types() == in, "the callee's parameters");
    return inst.regions[0]->result_types();
}

Types if_types(const Inst& inst, const Types& in) {
    regions(inst, 2);
    PM_CHECK(!in.empty() && is_condition(in[0]), "the condition is a bool scalar");
    const Types rest = part(in, 1, in.size());
    PM_CHECK(inst.regions[0]->param_types() == rest, "parameters of `then`");
    PM_CHECK(inst.regions[1]->param_types() == rest, "parameters of `else`");
    Types out = inst.regions[0]->result_types();
    PM_CHECK(inst.regions[1]->result_types() == out, "both sides give the same types");
    return out;
}

Types while_types(const Inst& inst, const Types& in) {
    regions(inst, 2);
    const std::size_t whole = count(inst, Attr::whole, in.size());
    const std::size_t carried = count(inst, Attr::carried, in.size());
    PM_CHECK(whole + carried == in.size(), "whole and carried");
    const Block& condition = *inst.regions[0];
    PM_CHECK(condition.param_types() == in, "parameters of the condition");
    PM_CHECK(condition.results.size() == 1 && is_condition(condition.type(condition.results[0])), "the condition");
    PM_CHECK(inst.regions[1]->param_types() == in, "parameters of the body");
    Types out = part(in, whole, in.size());
    PM_CHECK(inst.regions[1]->result_types() == out, "the body gives what is carried");
    return out;
}

Types scan_types(const Inst& inst, const Types& in) {
    regions(inst, 1);
    const std::size_t whole = count(inst, Attr::whole, in.size());
    const std::size_t carried = count(inst, Attr::carried, in.size() - whole);
    const std::int64_t length = inst.attrs.integer(Attr::length);
    PM_CHECK(length >= 0);
    Types params{{DType::i32, {}}};
    for (std::size_t i = 0; i < in.size(); ++i) {
        params.push_back(in[i]);
        if (i < whole + carried) continue;
        PM_CHECK(in[i].rank() >= 1 && in[i].shape[0] == length, "axis 0 of what is sliced");
        params.back().shape.erase(params.back().shape.begin());
    }
    const Block& body = *inst.regions[0];
    PM_CHECK(body.param_types() == params, "parameters of the body");
    Types out = body.result_types();
    PM_CHECK(out.size() >= carried && part(out, 0, carried) == part(in, whole, whole + carried),
             "the body gives what is carried");
    for (std::size_t i = carried; i < out.size(); ++i) out[i].shape.insert(out[i].shape.begin(), length);
    return out;
}

Types pmap_types(const Inst& inst, const Types& in) {
    regions(inst, 1);
    const Integers& in_axes = inst.attrs.integers(Attr::in_axes);
    const Integers& out_axes = inst.attrs.integers(Attr::out_axes);
    const std::int64_t size = inst.attrs.integer(Attr::axis_size);
    const bool tiled = inst.attrs.integer(Attr::tiled, 0) != 0;
    inst.attrs.integer(Attr::axis_id);
    inst.attrs.text(Attr::axis_name);
    PM_CHECK(in_axes.size() == in.size(), "in_axes");
    PM_CHECK(size >= 1, "axis_size");
    if (inst.attrs.has(Attr::devices)) PM_CHECK(!inst.attrs.integers(Attr::devices).empty(), "devices");
    Types params = in;
    for (std::size_t i = 0; i < in.size(); ++i) {
        if (in_axes[i] < 0) continue;
        Shape& shape = params[i].shape;
        PM_CHECK(in_axes[i] < params[i].rank(), "in_axes");
        const auto at = shape.begin() + in_axes[i];
        PM_CHECK(tiled ? *at % size == 0 : *at == size, "size of a mapped axis");
        if (tiled)
            *at /= size;
        else
            shape.erase(at);
    }
    PM_CHECK(inst.regions[0]->param_types() == params, "parameters of the body");
    Types out = inst.regions[0]->result_types();
    PM_CHECK(out_axes.size() == out.size(), "out_axes");
    for (std::size_t i = 0; i < out.size(); ++i) {
        if (out_axes[i] < 0) continue;
        Shape& shape = out[i].shape;
        PM_CHECK(out_axes[i] < out[i].rank() + (tiled ? 0 : 1), "out_axes");
        const auto at = shape.begin() + out_axes[i];
        if (tiled)
            *at *= size;
        else
            shape.insert(at, size);
    }
    return out;
}

Types inexact(const Types& types) {
    Types found;
    for (const Type& type : types)
        if (runtime::is_inexact(type.dtype)) found.push_back(type);
    return found;
}

void add(Types& types, const Types& more) { types.insert(types.end(), more.begin(), more.end()); }

Types custom_types(const Inst& inst, const Types& in) {
    PM_CHECK(!inst.regions.empty() && inst.regions.size() <= 3, "number of regions");
    regions(inst, inst.regions.size());
    inst.attrs.text(Attr::text);
    const std::size_t closed = count(inst, Attr::closed, in.size());
    PM_CHECK(inst.regions[0]->param_types() == in, "the primal's parameters");
    Types out = inst.regions[0]->result_types();
    const Types tangents = inexact(part(in, closed, in.size()));
    if (inst.regions.size() == 2) {
        Types params = in;
        add(params, tangents);
        Types results = out;
        add(results, inexact(out));
        PM_CHECK(inst.regions[1]->param_types() == params, "parameters of the rule");
        PM_CHECK(inst.regions[1]->result_types() == results, "results of the rule");
    }
    if (inst.regions.size() == 3) {
        const Types made = inst.regions[1]->result_types();
        PM_CHECK(inst.regions[1]->param_types() == in, "parameters of fwd");
        PM_CHECK(made.size() >= out.size() && part(made, 0, out.size()) == out, "results of fwd");
        Types params = part(in, 0, closed);
        add(params, part(made, out.size(), made.size()));
        add(params, inexact(out));
        PM_CHECK(inst.regions[2]->param_types() == params, "parameters of bwd");
        PM_CHECK(inst.regions[2]->result_types() == tangents, "results of bwd");
    }
    return out;
}

Types custom_linear_types(const Inst& inst, const Types& in) {
    PM_CHECK(inst.regions.size() == 1 || inst.regions.size() == 2, "number of regions");
    regions(inst, inst.regions.size());
    inst.attrs.text(Attr::text);
    const std::size_t residuals = count(inst, Attr::closed, in.size());
    const Types params = inst.regions[0]->param_types();
    PM_CHECK(params.size() >= residuals && part(params, 0, residuals) == part(in, 0, residuals), "parameters of bwd");
    PM_CHECK(inst.regions[0]->result_types() == part(in, residuals, in.size()), "results of bwd");
    Types out = part(params, residuals, params.size());
    if (inst.regions.size() == 2) {
        PM_CHECK(inst.regions[1]->param_types() == in, "parameters of forward");
        PM_CHECK(inst.regions[1]->result_types() == out, "results of forward");
    }
    return out;
}

} // namespace

std::vector<Type> control_types(const Inst& inst, const std::vector<Type>& operand_types) {
    switch (inst.op) {
    case Op::call: return call_types(inst, operand_types);
    case Op::if_: return if_types(inst, operand_types);
    case Op::while_: return while_types(inst, operand_types);
    case Op::scan: return scan_types(inst, operand_types);
    case Op::pmap: return pmap_types(inst, operand_types);
    case Op::custom: return custom_types(inst, operand_types);
    case Op::custom_linear: return custom_linear_types(inst, operand_types);
#define OP(name, operands, results, traits) case Op::name:
#include "compiler/ir/ops.def"
#undef OP
        break;
    }
    PM_CHECK(false, "not a control operation: " + std::string(info(inst.op).name));
    return {};
}

} // namespace pm::ir
