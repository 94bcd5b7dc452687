// Functions for values that must be known during staging.
#include "compiler/stage/known/known.hpp"

#include "compiler/base/check.hpp"
#include "compiler/base/count.hpp"
#include "compiler/base/stop.hpp"
#include "compiler/stage/known/computed.hpp"
#include "compiler/stage/values/tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace pm::stage {
namespace {

std::optional<Number> constant_of(Context& context, ir::Value v) {
    const ir::Inst* inst = context.build().definition(v);
    if (!inst || inst->op != ir::Op::constant) return {};
    const Type& type = context.build().type(v);
    if (type.dtype == DType::key) return {};
    return number_of(Array::from_bytes(type.dtype, {}, inst->attrs.literal(ir::Attr::value).bytes.data()));
}

/// Copies the computation of a value into a separate block. Works only if the value depends on constants and existing
/// arrays alone.
class ConstantPart {
  public:
    explicit ConstantPart(Context& context) : context_(context) {}

    bool add(ir::Value v) {
        if (made_.count(v.id) != 0) return true;
        if (made_.size() > most_values) return false;
        const ir::Inst* found = context_.build().definition(v);
        if (!found) return add_captured(v);
        const ir::Inst inst = *found;
        const ir::OpInfo& info = ir::info(inst.op);
        const auto stays = [](const ir::BlockPtr& region) {
            return ir::has_effect(*region) || ir::has_collective(*region);
        };
        if (info.has(ir::effect) || info.has(ir::collective) || inst.op == ir::Op::pmap ||
            std::any_of(inst.regions.begin(), inst.regions.end(), stays))
            return false;
        ir::Values operands;
        for (const ir::Value o : inst.operands) {
            if (!add(o)) return false;
            operands.push_back(made_.at(o.id));
        }
        const ir::Values results = block_.copy(inst, std::move(operands));
        for (std::size_t r = 0; r < results.size(); ++r) made_[inst.results[r].id] = results[r];
        return true;
    }

    ir::BlockPtr finish(ir::Value v) { return block_.finish({made_.at(v.id)}); }
    std::vector<Array> arguments;

  private:
    static constexpr std::size_t most_values = 1000;

    bool add_captured(ir::Value v) {
        const Context::Capture* const c = context_.capture(v);
        if (!c || !c->outer.array() || c->global) return false;
        arguments.push_back(c->outer.array()->convert(context_.build().dtype(v)));
        made_[v.id] = block_.param(context_.build().type(v));
        return true;
    }

    Context& context_;
    ops::Build block_{"constant"};
    std::map<std::uint32_t, ir::Value> made_;
};

} // namespace

std::optional<Array> constant_array(Stager& s, const Value& v, Span span) {
    if (const Array* a = v.array()) return *a;
    const Staged* staged = v.staged();
    if (!staged) return {};
    std::optional<Array>& known = staged->context->constant(staged->value);
    if (known) return known;
    ConstantPart part(*staged->context);
    if (!part.add(staged->value)) return {};
    if (!part.arguments.empty()) s.specialiser().note_value_read();
    return known = s.execute(part.finish(staged->value), std::move(part.arguments), span).at(0);
}

Number need_number(Stager& s, const Value& v, Span span, std::string_view what) {
    if (const Number* n = v.number()) return *n;
    if (const Array* a = v.array()) {
        if (a->rank() != 0) raise(diagnose(Diag::wrong_kind, span, what, "a number", describe(v)));
        s.specialiser().note_value_read();
        return number_of(*a);
    }
    const Staged* staged = v.staged();
    if (!staged || staged->type.rank() != 0) raise(diagnose(Diag::wrong_kind, span, what, "a number", describe(v)));
    if (const auto constant = constant_of(*staged->context, staged->value)) {
        Number n = *constant;
        if (staged->weak) n.dtype.reset();
        return n;
    }
    const Context::Origin origin = staged->context->origin(staged->value);
    const bool knowable = !origin.from_array && !origin.from_carried;
    if (!knowable)
        if (const auto constant = constant_array(s, v, span)) return number_of(*constant);
    const auto refusal = [&] {
        return diagnose(Diag::value_not_known, span, what)
            .note("sizes, axes, tuple indices and slice bounds are fixed while a function is compiled");
    };
    if (knowable && origin.owner)
        throw NeedKnown{origin.owner, origin.leaves, std::make_shared<const Diagnostic>(refusal())};
    if (knowable && !origin.loops.empty()) throw NeedUnroll{*origin.loops.begin(), span};
    if (Demands demands = knowable ? s.specialiser().demands_of(origin.calls) : Demands(); !demands.empty())
        throw NeedKnown{staged->context->function(), {}, nullptr, std::move(demands)};
    if (knowable)
        if (const auto constant = constant_array(s, v, span)) return number_of(*constant);
    raise(refusal());
}

Value resolved(Stager& s, const Value& v) {
    const Staged* staged = v.staged();
    if (!staged || staged->type.rank() != 0 || !constant_of(*staged->context, staged->value)) return v;
    return need_number(s, v, {}, {});
}

bool can_become_known(Stager& s, const Value& v) {
    const Staged* staged = v.staged();
    if (!staged) return v.number() != nullptr;
    if (staged->type.rank() != 0) return false;
    if (constant_of(*staged->context, staged->value)) return true;
    const Context::Origin origin = staged->context->origin(staged->value);
    if (origin.from_array || origin.from_carried) return false;
    return origin.owner || !origin.loops.empty() || !s.specialiser().demands_of(origin.calls).empty();
}

void know_conditions_of_library(Stager& s, Span span) {
    const std::vector<Condition>& conditions = s.scopes().conditions;
    std::size_t from = conditions.size();
    for (const Frame* f = s.scopes().frame; f && f->function && s.places().in_library(f->function->signature);
         f = f->caller)
        from = f->conditions;
    for (std::size_t i = from; i < conditions.size(); ++i)
        if (conditions[i].value.staged() && can_become_known(s, conditions[i].value))
            need_number(s, conditions[i].value, span, "a condition");
}

namespace {

using AskedLeaves = std::set<std::pair<const Context*, std::int64_t>>;

/// `asked` has the leaves that have already been visited. The function adds the leaves that it visits.
bool known_to_callers(Stager& s, const Value& v, AskedLeaves& asked) {
    if (const Array* a = v.array()) return a->rank() == 0;
    if (!can_become_known(s, v)) return false;
    const Staged* staged = v.staged();
    if (!staged) return true;
    const Context::Origin origin = staged->context->origin(staged->value);
    return std::all_of(origin.leaves.begin(), origin.leaves.end(), [&](std::int64_t leaf) {
        if (leaf < 0 || !asked.insert({origin.owner, leaf}).second) return true;
        return known_to_callers(s, origin.owner->given(static_cast<std::size_t>(leaf)), asked);
    });
}

} // namespace

bool known_to_callers(Stager& s, const Value& v) {
    AskedLeaves asked;
    return known_to_callers(s, v, asked);
}

std::int64_t need_integer(Stager& s, const Value& v, Span span, std::string_view what) {
    if (!v.is_numeric()) raise(diagnose(Diag::wrong_kind, span, what, "an integer", describe(v)));
    const NumericType t = numeric_type(v);
    if (!runtime::is_integer(t.type.dtype)) raise(diagnose(Diag::wrong_kind, span, what, "an integer", describe(v)));
    return need_number(s, v, span, what).i;
}

namespace {

bool holds_text(const Value& v) {
    poll_stop();
    if (v.text() || v.text_template()) return true;
    if (const Tuple* t = v.tuple()) return std::ranges::any_of(t->items, holds_text);
    if (const Record* r = v.record())
        return std::ranges::any_of(r->fields, [](const auto& field) { return holds_text(field.second); });
    return false;
}

} // namespace

void interpret_choice(Stager& s, const Value& source, const Error& e) {
    if (e.diagnostic().id == Diag::value_not_known && holds_text(source))
        s.host_work(chooses_text, e.diagnostic().span, std::make_shared<const Diagnostic>(e.diagnostic()));
}

void interpret_choice(const Value& source, NeedKnown& need) {
    if (!need.otherwise || !holds_text(source)) return;
    Diagnostic refusal = *need.otherwise;
    refusal.compiled_only = true;
    need.otherwise = std::make_shared<const Diagnostic>(std::move(refusal));
}

bool need_bool(Stager& s, const Value& v, Span span, std::string_view what) {
    if (!v.is_numeric() || numeric_type(v).type.dtype != DType::b1)
        raise(diagnose(Diag::wrong_kind, span, what, "a bool", describe(v)));
    return need_number(s, v, span, what).i != 0;
}

const std::string& need_text(Stager& s, const Value& v, Span span, std::string_view what) {
    // Compiled code cannot build a string from computed values, so the function must be interpreted.
    if (v.text_template()) s.host_work(fmt::format("{} needs text that holds computed values", what), span);
    if (!v.text()) raise(diagnose(Diag::wrong_kind, span, what, "a string", describe(v)));
    return *v.text();
}

Shape need_shape(Stager& s, const Value& v, Span span) {
    Shape shape;
    const auto add = [&](const Value& item) {
        const std::int64_t n = need_one_of(s, item, span, "a shape");
        if (n < 0) raise(diagnose(Diag::negative_size, span, n));
        shape.push_back(n);
    };
    if (const Tuple* t = v.tuple())
        for (const Value& item : t->items) add(item);
    else
        add(v);
    std::int64_t product = 1;
    for (const std::int64_t n : shape)
        if (n != 0 && __builtin_mul_overflow(product, n, &product))
            raise(diagnose(Diag::bad_shape, span, ir::to_string(shape), "it has more than 2^63 elements"));
    if (product > (std::int64_t{1} << 48))
        raise(diagnose(Diag::bad_shape, span, ir::to_string(shape), "it is larger than any memory"));
    return shape;
}

namespace {

/// `of` describes the value that has the axes, for the message. If the value has no axes, the error has no suggestion
/// yet; repair_axis adds one.
int axis_within(Stager& s, const Value& v, int rank, std::string_view of, Span span) {
    const std::int64_t axis = need_one_of(s, v, span, "an axis");
    if (axis < -rank || axis >= rank) {
        auto d = diagnose(Diag::axis_out_of_range, span, axis, of, Count{rank});
        if (rank == 0) raise(std::move(d)); // repair_axis adds the suggestion
        if (rank == 1) raise(std::move(d).fix("its only axis is 0 (or -1)"));
        raise(std::move(d).fix(fmt::format("its axes are 0 to {}, or -{} to -1", rank - 1, rank)));
    }
    return static_cast<int>(axis < 0 ? axis + rank : axis);
}

std::vector<int> axes_within(Stager& s, const Value& v, int rank, std::string_view of, Span span) {
    std::vector<int> axes;
    if (v.is_none())
        for (int i = 0; i < rank; ++i) axes.push_back(i);
    else if (const Tuple* t = v.tuple())
        for (const Value& item : t->items) axes.push_back(axis_within(s, item, rank, of, span));
    else
        axes.push_back(axis_within(s, v, rank, of, span));
    std::sort(axes.begin(), axes.end());
    if (const auto twice = std::adjacent_find(axes.begin(), axes.end()); twice != axes.end())
        raise(diagnose(Diag::axis_named_twice, span, *twice));
    return axes;
}

} // namespace

void repair_axis(Diagnostic& d, bool may_be_left_out) {
    if (d.id != Diag::axis_out_of_range || !d.help.empty()) return;
    d.help.emplace_back(may_be_left_out ? "leave the axis out: one number has none"
                                        : "one number has no axes; in brackets it is an array with one: [x]");
}

std::int64_t need_one_of(Stager& stager, const Value& v, Span span, std::string_view what) {
    if (v.is_numeric() && numeric_type(v).type.rank() == 1)
        raise(diagnose(Diag::wrong_kind, span, what, "a number", describe(v))
                  .fix("write several in round brackets, (2, 3): square ones make an array"));
    return need_integer(stager, v, span, what);
}

int need_axis(Stager& s, const Value& v, int rank, Span span) { return axis_within(s, v, rank, "a result", span); }

std::vector<int> need_axes(Stager& s, const Value& v, int rank, Span span) {
    return axes_within(s, v, rank, "an array", span);
}

int axis_of(Stager& stager, const Value& axis, const Type& type, Span span) {
    return axis_within(stager, axis, type.rank(), ir::to_string(type), span);
}

std::vector<int> axes_of(Stager& stager, const Value& axes, const Type& type, Span span) {
    return axes_within(stager, axes, type.rank(), ir::to_string(type), span);
}

std::optional<bool> known_condition(Stager& s, const Value& v, Span span) {
    if (!v.is_numeric() || numeric_type(v).type.dtype != DType::b1 || numeric_type(v).type.rank() != 0) {
        auto d = diagnose(Diag::condition_kind, span, describe(v));
        if (v.is_numeric() && numeric_type(v).type.rank() != 0) raise(std::move(d).fix("use any(...) or all(...)"));
        if (v.is_numeric()) raise(std::move(d).fix("compare it: `... != 0`"));
        raise(std::move(d));
    }
    if (const Number* n = v.number()) return n->i != 0;
    if (const Array* a = v.array()) {
        s.specialiser().note_value_read();
        return a->as_bool();
    }
    if (const auto constant = constant_of(*v.staged()->context, v.staged()->value)) return constant->i != 0;
    return {};
}

bool is_true(Stager& s, const Value& v, Span span) {
    if (const auto known = known_condition(s, v, span)) return *known;
    return need_bool(s, v, span, "a condition here");
}

} // namespace pm::stage
