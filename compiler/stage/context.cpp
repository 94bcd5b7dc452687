#include "compiler/stage/context.hpp"

#include "compiler/base/check.hpp"
#include "compiler/base/diagnostic.hpp"

namespace pm::stage {

Value Context::parameter(Type type, bool weak, std::int64_t leaf) {
    const ir::Value v = build_.param(type);
    if (leaf >= 0) leaf_of_.emplace_back(v, leaf);
    return Value::staged(shared_from_this(), v, std::move(type), weak);
}

namespace {

bool same_source(const Value& a, const Value& b) {
    if (a.staged() && b.staged())
        return a.staged()->context == b.staged()->context && a.staged()->value == b.staged()->value;
    if (a.array() && b.array())
        return a.array()->same_memory(*b.array()) && a.array()->dtype() == b.array()->dtype() &&
               a.array()->shape() == b.array()->shape();
    return false;
}

bool fits(std::int64_t value, DType dtype) {
    const int bits = static_cast<int>(runtime::size_of(dtype)) * 8;
    if (runtime::is_unsigned_integer(dtype)) return value >= 0 && (bits == 64 || value < (std::int64_t{1} << bits));
    return bits == 64 || (value >= -(std::int64_t{1} << (bits - 1)) && value < (std::int64_t{1} << (bits - 1)));
}

ir::Value number_constant(ops::Build& b, const Number& n, DType dtype) {
    if (n.kind == Number::Kind::floating) return b.constant(dtype, n.f);
    return b.constant_i(dtype, n.i);
}

} // namespace

void require_fits(const Number& n, DType dtype, Span span) {
    if (n.weak() && n.kind == Number::Kind::integer && runtime::is_integer(dtype) && !fits(n.i, dtype))
        raise(diagnose(Diag::number_too_large, span, n.i, runtime::name(dtype)));
}

ir::Value Context::use(const Value& v, std::optional<DType> as) {
    if (const Number* n = v.number()) {
        const DType dtype = as.value_or(n->default_dtype());
        require_fits(*n, dtype, build_.span());
        if (kind_ != Kind::eager) return number_constant(build_, *n, dtype);
        const Array scalar =
            n->kind == Number::Kind::floating ? Array::scalar(dtype, n->f) : Array::scalar(dtype, n->i);
        const ir::Value param = build_.param({dtype, {}});
        captures_.push_back({Value(scalar), param});
        return param;
    }
    if (const Staged* s = v.staged(); s && s->context.get() == this)
        return as ? build_.convert(s->value, *as) : s->value;
    PM_CHECK(v.is_numeric());
    for (const Capture& c : captures_)
        if (same_source(c.outer, v)) return as ? build_.convert(c.param, *as) : c.param;
    const ir::Value param = build_.param(numeric_type(v).type);
    captures_.push_back({v, param});
    return as ? build_.convert(param, *as) : param;
}

Context::Origin Context::origin(ir::Value v) {
    Origin found;
    std::set<std::pair<Context*, std::uint32_t>> seen;
    trace(v, found, seen);
    return found;
}

void Context::trace(ir::Value v, Origin& found, std::set<std::pair<Context*, std::uint32_t>>& seen) {
    if (!seen.insert({this, v.id}).second) return;
    if (const ir::Inst* inst = build_.definition(v)) {
        // Only scalars computed from scalars can become known.
        for (const ir::Value operand : inst->operands)
            if (build_.rank(operand) != 0) {
                found.from_array = true;
                return;
            }
        if (ir::is_control(inst->op) || ir::info(inst->op).has(ir::collective)) {
            found.from_array = true;
            return;
        }
        for (const ir::Value operand : ir::Values(inst->operands)) trace(operand, found, seen);
        return;
    }
    if (v == loop_index_) {
        found.loops.insert(loop_);
        return;
    }
    for (const auto& [param, leaf] : leaf_of_)
        if (param == v) {
            if (build_.rank(v) != 0) found.from_array = true;
            found.owner = this;
            found.leaves.insert(leaf);
            return;
        }
    for (const Capture& c : captures_)
        if (c.param == v) {
            if (const Staged* s = c.outer.staged())
                s->context->trace(s->value, found, seen);
            else
                found.from_array = found.from_array || (c.outer.array() && c.outer.array()->rank() != 0);
            return;
        }
    found.from_carried = true;
}

} // namespace pm::stage
