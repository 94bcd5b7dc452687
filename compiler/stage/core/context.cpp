#include "compiler/stage/core/context.hpp"

#include "compiler/base/check.hpp"
#include "compiler/base/diagnostic.hpp"
#include "compiler/stage/values/tree.hpp"

#include <algorithm>

namespace pm::stage {

Value Context::parameter(Type type, bool weak, std::int64_t leaf) {
    const ir::Value v = build_.param(type);
    if (leaf >= 0) leaf_of_.emplace(v.id, leaf);
    return Value::staged(shared_from_this(), v, std::move(type), weak);
}

const Value* Context::result(const ResultKey& key) const {
    const auto at = results_->find(key);
    return at == results_->end() ? nullptr : &at->second;
}

const Context* Context::body() const {
    const Context* context = this;
    while (context->kind_ == Kind::region && context->parent_) context = context->parent_.get();
    return context->results_ ? context : nullptr;
}

namespace {

bool fits(std::int64_t value, DType dtype) {
    const int bits = static_cast<int>(runtime::size_of(dtype)) * 8;
    if (runtime::is_unsigned_integer(dtype)) return value >= 0 && (bits == 64 || value < (std::int64_t{1} << bits));
    return bits == 64 || (value >= -(std::int64_t{1} << (bits - 1)) && value < (std::int64_t{1} << (bits - 1)));
}

} // namespace

void require_complex(DType from, DType to, Span span) {
    if (runtime::is_complex(from) && !runtime::is_complex(to))
        raise(diagnose(Diag::complex_to_real, span, runtime::name(to))
                  .fix("take what is meant: real(z), imag(z) or abs(z)"));
}

namespace {

/// The range of a dtype's values for messages: "-128 to 127".
std::string bounds_text(DType dtype) {
    const auto bits = 8 * runtime::size_of(dtype);
    const std::uint64_t all = ~std::uint64_t{0} >> (64 - bits);
    if (runtime::is_unsigned_integer(dtype)) return fmt::format("0 to {}", all);
    return fmt::format("-{} to {}", all / 2 + 1, all / 2);
}

ir::Value number_constant(ops::Build& b, const Number& n, DType dtype) {
    if (n.kind == Number::Kind::floating) return b.constant(dtype, n.f);
    if (!n.is_complex()) return b.constant_i(dtype, n.data());
    const Array z = n.array(dtype);
    ir::Literal literal;
    literal.bytes.assign(z.as<std::uint8_t>(), z.as<std::uint8_t>() + z.bytes());
    return b.literal({dtype, {}}, std::move(literal));
}

} // namespace

void require_fits(const Number& n, DType dtype, Span span) {
    if (n.is_complex()) require_complex(DType::c64, dtype, span);
    const bool written = n.weak() && !n.computed && n.kind == Number::Kind::integer;
    if (!written || !runtime::is_integer(dtype) || fits(n.i, dtype)) return;
    auto d = diagnose(Diag::number_too_large, span, n.i, runtime::name(dtype))
                 .note(fmt::format("{} holds {}", runtime::name(dtype), bounds_text(dtype)));
    if (dtype == DType::i32) raise(std::move(d).fix(fmt::format("use 64 bits: {}i64, or i64(x) of a value x", n.i)));
    raise(std::move(d));
}

ir::Value Context::use(const Value& v, std::optional<DType> as) {
    if (as && !v.number() && v.is_numeric()) require_complex(numeric_type(v).type.dtype, *as, build_.span());
    if (const Number* n = v.number()) {
        const DType dtype = as.value_or(n->default_dtype());
        require_fits(*n, dtype, build_.span());
        if (kind_ != Kind::eager) return number_constant(build_, *n, dtype);
        // The parameter is real and is then converted, so the block shows that the imaginary part is zero.
        if (runtime::is_complex(dtype) && !n->is_complex())
            return build_.convert(use(v, runtime::part_type(dtype)), dtype);
        return add_capture({Value(n->array(dtype)), build_.param({dtype, {}}), {}});
    }
    if (const Staged* s = v.staged(); s && s->context.get() == this)
        return as ? build_.convert(s->value, *as) : s->value;
    PM_CHECK(v.is_numeric());
    const Capture* const known = captured(v);
    const ir::Value param = known ? known->param : add_capture({v, build_.param(numeric_type(v).type), {}});
    return as ? build_.convert(param, *as) : param;
}

namespace {

constexpr std::size_t few_captures = 16; ///< up to this number of captures, the search is linear

} // namespace

void Context::index_captures() const {
    for (; indexed_ < captures_.size(); ++indexed_) {
        capture_of_.emplace(captures_[indexed_].param.id, indexed_);
        captured_.emplace(source_hash(captures_[indexed_].outer), indexed_);
    }
}

const Context::Capture* Context::captured(const Value& v) const {
    if (captures_.size() <= few_captures) {
        const auto at = std::ranges::find_if(captures_, [&](const Capture& c) { return same_source(c.outer, v); });
        return at == captures_.end() ? nullptr : &*at;
    }
    index_captures();
    const auto [first, last] = captured_.equal_range(source_hash(v));
    const auto at = std::find_if(first, last, [&](const auto& e) { return same_source(captures_[e.second].outer, v); });
    return at == last ? nullptr : &captures_[at->second];
}

const Context::Capture* Context::capture(ir::Value param) const {
    if (captures_.size() <= few_captures) {
        const auto at = std::ranges::find_if(captures_, [&](const Capture& c) { return c.param == param; });
        return at == captures_.end() ? nullptr : &*at;
    }
    index_captures();
    const auto at = capture_of_.find(param.id);
    return at == capture_of_.end() ? nullptr : &captures_[at->second];
}

ir::Value Context::add_capture(Capture made) {
    captures_.push_back(std::move(made));
    return captures_.back().param;
}

Value Context::global(const Global& which, const Value& now) {
    const NumericType t = widths_.of(numeric_type(now));
    ir::Value& param = globals_[{which.scope.get(), which.name}][which.leaf];
    if (!param) param = add_capture({now, build_.param(t.type), which});
    return wrap(param, t.weak);
}

namespace {

std::size_t result_number(const ir::Inst& inst, ir::Value v) {
    for (std::size_t i = 0; i < inst.results.size(); ++i)
        if (inst.results[i] == v) return i;
    PM_UNREACHABLE();
}

/// True for the control operations whose results are results of a region: `call`, `if` and `custom`. For `custom`, the
/// region is its first region.
bool traced_through(ir::Op op) { return op == ir::Op::call || op == ir::Op::custom || op == ir::Op::if_; }

/// The index of the first operand that is passed to the regions. Operand number i is parameter number i - first of each
/// region.
std::size_t first_block_operand(const ir::Inst& inst) { return inst.op == ir::Op::if_ ? 1 : 0; }

class Slice;
/// Traces result `v` of a control operation. Adds the calls in the regions of the operation to `found`, and records in
/// `found` whether the regions read an array. Calls `trace` for each operand that `v` depends on.
template <class Found>
void slice_control(const ir::Inst& inst, ir::Value v, Found& found, const std::function<void(ir::Value)>& trace);

/// Finds the parameters that a scalar in a finished block depends on. `from_array`: true if the scalar depends on an
/// array.
class Slice {
  public:
    std::set<std::size_t> params;
    std::vector<Context::Callee> calls;
    bool from_array = false;

    explicit Slice(const ir::Block& block) : block_(block) {
        for (std::size_t i = 0; i < block.insts.size(); ++i)
            for (const ir::Value r : block.insts[i].results) defined_[r.id] = i;
        for (std::size_t p = 0; p < block.params.size(); ++p) param_of_[block.params[p].id] = p;
    }

    void trace(ir::Value v) {
        if (from_array || !seen_.insert(v.id).second) return;
        const Type& type = block_.type(v);
        if (type.rank() != 0 || type.dtype == DType::key) {
            from_array = true;
            return;
        }
        const auto at = defined_.find(v.id);
        if (at == defined_.end()) {
            if (const auto param = param_of_.find(v.id); param != param_of_.end()) params.insert(param->second);
            return;
        }
        const ir::Inst& inst = block_.insts[at->second];
        if (traced_through(inst.op)) return slice_control(inst, v, *this, [this](ir::Value o) { trace(o); });
        if (ir::is_control(inst.op) || ir::info(inst.op).has(ir::collective)) {
            from_array = true;
            return;
        }
        for (const ir::Value operand : inst.operands) trace(operand);
    }

  private:
    const ir::Block& block_;
    std::unordered_map<std::uint32_t, std::size_t> defined_;
    std::unordered_map<std::uint32_t, std::size_t> param_of_;
    std::set<std::uint32_t> seen_;
};

template <class Found>
void slice_control(const ir::Inst& inst, ir::Value v, Found& found, const std::function<void(ir::Value)>& trace) {
    if (inst.op == ir::Op::if_) trace(inst.operands[0]);
    const std::size_t regions = inst.op == ir::Op::custom ? 1 : inst.regions.size();
    for (std::size_t r = 0; r < regions; ++r) {
        const ir::BlockPtr& region = inst.regions[r];
        Slice slice(*region);
        slice.trace(region->results[result_number(inst, v)]);
        found.from_array = found.from_array || slice.from_array;
        found.calls.insert(found.calls.end(), slice.calls.begin(), slice.calls.end());
        if (inst.op == ir::Op::call) found.calls.push_back({region.get(), slice.params});
        for (const std::size_t p : slice.params) trace(inst.operands[p + first_block_operand(inst)]);
    }
}

} // namespace

Context::Origin Context::origin(ir::Value v) {
    Origin found;
    Seen seen;
    trace(v, found, seen);
    return found;
}

void Context::trace(ir::Value v, Origin& found, Seen& seen) {
    if (!seen.insert({this, v.id}).second) return;
    if (const ir::Inst* inst = build_.definition(v)) {
        if (traced_through(inst->op)) {
            const ir::Inst control = *inst; // a copy: tracing may grow the block, which invalidates pointers
            return slice_control(control, v, found, [&](ir::Value o) { trace(o, found, seen); });
        }
        // A scalar that is computed from an array cannot become known.
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
    if (const auto at = leaf_of_.find(v.id); at != leaf_of_.end()) {
        if (build_.rank(v) != 0) found.from_array = true;
        found.add(this, at->second);
        return;
    }
    if (const Capture* c = capture(v)) {
        if (c->global)
            found.add(this, -1 - static_cast<std::int64_t>(c - captures_.data()));
        else if (const Staged* s = c->outer.staged())
            s->context->trace(s->value, found, seen);
        else
            found.from_array = found.from_array || (c->outer.array() && c->outer.array()->rank() != 0);
        return;
    }
    found.from_carried = true;
}

void raise_first(const Context& context, const std::function<void()>& work) {
    try {
        work();
    } catch (const Error& e) {
        if (!context.failure() || ends_run(e.diagnostic())) throw;
        Diagnostic failure = *context.failure();
        if (context.kind() == Context::Kind::region)
            failure.notes.emplace_back(
                "this code is compiled also if a condition or a loop leaves it out; there the check "
                "fails whenever it runs");
        throw Error(std::move(failure));
    }
}

} // namespace pm::stage
