#include "compiler/stage/interpret/loops.hpp"

#include "compiler/base/check.hpp"
#include "compiler/base/count.hpp"
#include "compiler/stage/call/types_only.hpp"
#include "compiler/stage/check/module_check.hpp"
#include "compiler/stage/core/restore.hpp"
#include "compiler/stage/index/index_plan.hpp"
#include "compiler/stage/index/sequence.hpp"
#include "compiler/stage/index/stacking.hpp"
#include "compiler/stage/interpret/control.hpp"
#include "compiler/stage/known/arrays.hpp"
#include "compiler/stage/known/computed.hpp"
#include "compiler/stage/known/known.hpp"
#include "compiler/stage/known/printing.hpp"
#include "compiler/stage/names/names.hpp"
#include "compiler/stage/values/promotion.hpp"
#include "compiler/stage/values/tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace pm::stage {

namespace {

/// For each element: the element of `a` if `condition` is true, and the element of `b` if `condition` is false.
Value selected(Stager& s, const Value& condition, const Value& a, const Value& b, Span span) {
    if (const auto known = known_condition(s, condition, span)) return *known ? a : b;
    return s.array_work(span, [&] {
        Promoted type{};
        const std::vector<ir::Value> in = aligned(s, {a, b}, span, &type);
        ir::Value c = s.use(condition);
        c = s.build().broadcast_to(c, s.build().shape(in[0]));
        return s.wrap(s.build().select(c, in[0], in[1]), type.weak);
    });
}

/// The item of an iteration of an interpreted loop. Its numbers are converted to computed numbers.
Value iterated(const Stager& s, const Sequence& sequence, const Value& item) {
    if (!sequence.wide) return as_argument(s, item);
    Number n = *item.number();
    n.computed = n.wide = true;
    return n;
}

/// If the item is a known number or a short string, adds a note with the item of the iteration in which the error was
/// raised.
void note_iteration(const Stager& s, const syntax::For& loop, const Value& item, Diagnostic& d) {
    constexpr std::size_t most = 60;      // bytes of a string
    constexpr std::size_t most_notes = 8; // an error in a recursive function may be in many loops
    const Span pattern = s.tree()[loop.pattern].span;
    const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
    const std::string* const text = item.text();
    const bool shown = item.number() || (text && text->size() <= most && std::ranges::none_of(*text, is_control));
    if (!shown || ends_run(d) || s.places().in_library(pattern) || d.notes.size() >= most_notes) return;
    d.notes.push_back(fmt::format("in the iteration with {} = {}", s.sources().text(pattern),
                                  text ? '"' + *text + '"' : printed(item)));
}

/// The name of the hidden local with the value of a `while` condition. The local is used only if the condition assigns
/// names.
constexpr const char* more_name = "#more";

} // namespace

void warn_of_fields(Stager& s, const Value& source, syntax::PatternId pattern, Span span) {
    const Record* const r = source.record();
    const auto* const name = std::get_if<syntax::NamePattern>(&s.tree()[pattern].node);
    if (!r || source.by_rows || !name || r->fields.empty()) return;
    std::optional<std::int64_t> length;
    for (const auto& [field, value] : r->fields) {
        if (!value.is_numeric() || numeric_type(value).type.rank() == 0) return;
        const std::int64_t here = numeric_type(value).type.shape[0];
        if (length.value_or(here) != here) return;
        length = here;
    }
    s.specialiser().warn_once(Diag::loop_over_fields, span, [&] {
        const std::string_view text = s.sources().text(span);
        return diagnose(Diag::loop_over_fields, span, Count{r->fields.size()})
            .fix(fmt::format("along axis 0 of the arrays: for {} in each({})", name->text, text))
            .fix(fmt::format("over the fields: for (name, value) in {}", text));
    });
}

/// Runs the iterations one by one. In compiled code this unrolls the loop. A `break` or `return` ends the loop.
Flow Loops::run_iterations(const syntax::For& loop, const Sequence& sequence, Span span) {
    std::optional<CheckedLoop> checked;
    if (s_.checking() && s_.interpreting()) checked.emplace(s_, loop.body);
    for (std::int64_t i = 0; i < sequence.length; ++i) {
        s_.poll(span);
        Flow flow = run_iteration(loop, sequence.at(i), span);
        if (!flow.known()) {
            // The iteration has an early exit under a staged condition. The remaining iterations are staged under the
            // condition that neither a `break` nor a `return` has happened.
            const Value goes_on = binary(s_, syntax::BinaryOp::not_equal, flow.code, Value::integer(Flow::broke), span);
            const Value not_returned =
                binary(s_, syntax::BinaryOp::not_equal, flow.code, Value::integer(Flow::returned), span);
            const Value condition = binary(s_, syntax::BinaryOp::logical_and, goes_on, not_returned, span);
            Sequence rest = sequence;
            rest.length = sequence.length - i - 1;
            rest.at = [&sequence, i](std::int64_t k) { return sequence.at(i + 1 + k); };
            Flow more;
            Control(s_).hold(flow.value);
            const Value joined = Control(s_).branch(
                {condition, span},
                [&] {
                    more = run_iterations(loop, rest, span);
                    return Value::tuple({more.code, more.value});
                },
                [&] {
                    // If a `break` has ended the loop, the code after the loop is Flow::normal.
                    const Value code = selected(
                        s_, binary(s_, syntax::BinaryOp::equal, flow.code, Value::integer(Flow::returned), span),
                        Value::integer(Flow::returned), Value::integer(Flow::normal), span);
                    return Value::tuple({code, flow.value});
                },
                span, true);
            Flow out;
            if (!returns_inside(s_.tree(), loop.body)) return out;
            out.code = joined.tuple()->items[0];
            out.value = joined.tuple()->items[1];
            out.none_at_end = true;
            out.none_returned = flow.returns_none() || more.returns_none();
            return out;
        }
        if (flow.is(Flow::returned)) return flow;
        if (flow.is(Flow::broke)) break;
        if (checked && i + 1 < sequence.length && checked->enough()) break;
    }
    return {};
}

/// Unrolls a loop over a tuple, string or record in compiled code. Warns if the loop has many iterations and its code
/// takes long to compile.
Flow Loops::run_items(const syntax::For& loop, const Sequence& sequence, Span span) {
    constexpr std::int64_t long_loop = 64;
    constexpr std::size_t much_code = 4096; // compiles in about 0.5 s
    const std::vector<ir::Inst>& code = s_.build().raw().block().insts;
    const std::size_t before = code.size();
    Flow flow = run_iterations(loop, sequence, span);
    const std::size_t added = code.size() - before;
    if (sequence.length <= long_loop || added <= much_code) return flow;
    s_.specialiser().warn_once(Diag::loop_unrolled, span, [&] {
        Diagnostic d = diagnose(Diag::loop_unrolled, span, Count{sequence.length}, added);
        const Value first = sequence.at(0);
        bool alike = first.is_numeric() || first.tuple() || first.record();
        for (std::int64_t i = 1; alike && i < sequence.length; ++i) alike = same_structure(first, sequence.at(i));
        if (alike)
            d.help.emplace_back("items of one structure, stacked, make one loop: for x in each(tree.stack(items))");
        if (first.text() || (first.tuple() && !first.tuple()->items.empty() && first.tuple()->items[0].text()))
            d.help = {"a loop over texts at the top level compiles nothing; text.indices(words, names) makes one array "
                      "of them"};
        return d;
    });
    return flow;
}

/// Warns if a loop with many iterations is unrolled because a carried array changes its dtype.
void Loops::warn_of_dtype(const NeedUnroll& need, std::int64_t iterations, Span span) const {
    constexpr std::int64_t few = 16;
    if (need.changes != NeedUnroll::Changes::dtype || iterations <= few) return;
    s_.specialiser().warn_once(Diag::loop_changes_dtype, span, [&] {
        return diagnose(Diag::loop_changes_dtype, span, Count{iterations}, need.reason)
            .fix("begin with a value of the dtype that each iteration gives, then one copy of the code is enough");
    });
}

/// Called for an interpreted loop that compiled code does not unroll. In compiled code, each `return` in such a loop is
/// under a computed condition.
void Loops::note_returns(syntax::BlockId body) {
    const bool returns = returns_inside(s_.tree(), body);
    s_.interpreted().returns_computed = s_.interpreted().returns_computed || returns;
    s_.interpreted().leaves_computed = s_.interpreted().leaves_computed || returns;
}

/// Runs the iterations of an interpreted loop that compiled code unrolls. An early exit may be under a computed
/// condition. Compiled code then stages the rest of the iteration, and all later iterations, as a branch of this
/// condition. So the locals are converted to the joined types of both branches.
Flow Loops::run_unrolled(const syntax::For& loop, const Sequence& sequence, Span span) {
    const bool compiles = s_.interpreted().as_compiled() && sequence.length <= most_unrolled;
    if (!compiles || !leaves_early(s_.tree(), loop.body)) return run_iterations(loop, sequence, span);
    const Assigned& assigned = assigned_in(s_, {loop.body});
    Value none;
    Flow flow;
    bool leaves = false;
    BranchTypes whole(s_, assigned);
    for (std::int64_t i = 0; i < sequence.length && !flow.is(Flow::returned) && !flow.is(Flow::broke); ++i) {
        s_.poll(span);
        BranchTypes iteration(s_, assigned);
        const Restore computed(s_.interpreted().leaves_computed, false);
        flow = run_iteration(loop, sequence.at(i), span);
        leaves = leaves || s_.interpreted().leaves_computed;
        if (!s_.interpreted().leaves_computed || flow.is(Flow::returned)) continue;
        iteration.join(none, false, [&]() -> Value {
            run_iteration(loop, sequence.at(i), span);
            return {};
        });
    }
    const bool returns = leaves && returns_inside(s_.tree(), loop.body); // a `return` also ends the enclosing loops
    s_.interpreted().leaves_computed = s_.interpreted().leaves_computed || returns;
    if (flow.is(Flow::returned)) return flow;
    if (leaves)
        whole.join(none, false, [&]() -> Value {
            run_iterations(loop, sequence, span);
            return {};
        });
    return {};
}

Flow Loops::run_iteration(const syntax::For& loop, const Value& item, Span span) {
    const Restore top_scope(s_.frame().top, false);
    const std::size_t before = s_.frame().locals.size();
    try {
        bind_pattern(s_, loop.pattern, item, false, span);
        Flow flow = run_block(s_, loop.body, false);
        s_.frame().locals.resize(before);
        return flow;
    } catch (Error& e) {
        note_iteration(s_, loop, item, e.diagnostic());
        throw;
    }
}

/// Stages one iteration of a loop with early exits. At run time, the iteration does nothing if an earlier iteration has
/// left the loop. Returns true if a `return` in the iteration may return `none`.
bool Loops::guarded_iteration(const std::function<Flow()>& iteration, Span span) {
    const auto local = [&](const char* name) -> std::size_t {
        for (std::size_t i = s_.frame().locals.size(); i-- > 0;)
            if (s_.frame().locals[i].name == name) return i;
        PM_UNREACHABLE();
    };
    const std::size_t code = local(exit_code);
    const std::size_t value = local(returned_value);
    const Value running =
        binary(s_, syntax::BinaryOp::equal, s_.frame().locals[code].cell.value, Value::integer(Flow::normal), span);
    Flow f;
    const Value joined = Control(s_).branch(
        {running, span},
        [&] {
            f = iteration();
            // A `continue` ends only this iteration, so its code becomes Flow::normal.
            const Value ended =
                f.known()
                    ? Value::integer(f.is(Flow::continued) ? Flow::normal : f.code.number()->i)
                    : selected(s_, binary(s_, syntax::BinaryOp::equal, f.code, Value::integer(Flow::continued), span),
                               Value::integer(Flow::normal), f.code, span);
            return Value::tuple({ended, f.value});
        },
        [&] { return Value::tuple({s_.frame().locals[code].cell.value, s_.frame().locals[value].cell.value}); }, span,
        true);
    s_.scopes().mark_dirty(code);
    s_.scopes().mark_dirty(value);
    s_.frame().locals[code].cell.value = joined.tuple()->items[0];
    s_.frame().locals[value].cell.value = joined.tuple()->items[1];
    return f.returns_none();
}

/// The flow after a staged loop with early exits. A code other than Flow::returned becomes Flow::normal, because a
/// `break` has no effect after the loop.
Flow Loops::after_guarded(bool returns, bool none_returned, Span span) {
    Flow flow;
    if (!returns) return flow;
    flow.none_at_end = true;
    flow.none_returned = none_returned;
    for (const Local& l : s_.frame().locals) {
        if (l.name == exit_code) flow.code = l.cell.value;
        if (l.name == returned_value) flow.value = l.cell.value;
    }
    flow.code = selected(s_, binary(s_, syntax::BinaryOp::equal, flow.code, Value::integer(Flow::returned), span),
                         Value::integer(Flow::returned), Value::integer(Flow::normal), span);
    return flow;
}

Flow Loops::run(const syntax::For& loop) {
    const Value source = evaluate(s_, loop.source);
    const Span source_span = s_.tree()[loop.source].span;
    warn_of_fields(s_, source, loop.pattern, source_span);
    Sequence sequence = sequence_of(s_, source, source_span);
    if (s_.interpreting()) {
        if (sequence.staged_length) PM_UNREACHABLE();
        if (sequence.must_unroll || !s_.interpreted().as_compiled()) return run_unrolled(loop, sequence, source_span);
        if (s_.interpreted().unrolls(s_.tree()[loop.pattern].span)) {
            sequence.at = [this, at = std::move(sequence.at)](std::int64_t i) { return known_computed(s_, at(i)); };
            return run_unrolled(loop, sequence, source_span);
        }
        // Compiled code does not unroll this loop. In compiled code, the loop carries the names that its body assigns.
        CarriedTypes carried(s_, loop.body);
        sequence.at = [this, &carried, &sequence, at = std::move(sequence.at)](std::int64_t i) {
            carried.carry();
            return iterated(s_, sequence, at(i));
        };
        note_returns(loop.body);
        carried.settle([&] {
            const int id = s_.new_loop_id();
            try {
                staged_for(loop, sequence_of(s_, source, source_span), leaves_early(s_.tree(), loop.body), id,
                           source_span);
            } catch (const NeedUnroll& need) {
                if (need.loop != id) throw;
                throw HostWork{
                    need.reason,
                    source_span}; // in compiled code, the carried values would have other types in other iterations
            }
        });
        const Flow flow = run_iterations(loop, sequence, source_span);
        carried.carry();
        return flow;
    }
    if (sequence.must_unroll) {
        if (s_.types_only() && sequence.length > most_unrolled) throw HostWork{"a long loop over a tuple", source_span};
        return run_items(loop, sequence, source_span);
    }
    const bool early = leaves_early(s_.tree(), loop.body);
    const int id = s_.new_loop_id();
    std::vector<Value> before;
    for (const Local& l : s_.frame().locals) before.push_back(l.cell.value);
    const Restore dirty_scope(s_.scopes().dirty);
    try {
        return staged_for(loop, sequence, early, id, source_span);
    } catch (const NeedUnroll& need) {
        if (need.loop != id) throw;
        s_.specialiser().note_unrolled(s_.tree()[loop.pattern].span);
        s_.frame().locals.resize(before.size());
        for (std::size_t i = 0; i < before.size(); ++i) s_.frame().locals[i].cell.value = before[i];
        if (sequence.staged_length) sequence = known_sequence(s_, source, source_span, "the number of iterations");
        if (sequence.length > most_unrolled) {
            Diagnostic d =
                diagnose(Diag::unroll_limit, source_span, sequence.length, most_unrolled).label(need.why, need.reason);
            if (need.changes == NeedUnroll::Changes::text)
                throw HostWork{need.reason, source_span, false, std::make_shared<const Diagnostic>(std::move(d))};
            raise(std::move(d));
        }
        warn_of_dtype(need, sequence.length, source_span);
        sequence.at = [this, at = std::move(sequence.at)](std::int64_t i) { return known_computed(s_, at(i)); };
        return run_iterations(loop, sequence, source_span);
    }
}

Flow Loops::staged_for(const syntax::For& loop, const Sequence& sequence, bool early, int id, Span span) {
    const std::size_t before = s_.frame().locals.size();
    std::set<std::string> assigned = assigned_names(s_.tree(), loop.body);
    if (early) {
        Control(s_).may_leave();
        assigned.insert({exit_code, returned_value});
    }
    bool none_returned = false;
    const auto iteration = [&](const Value& index, const std::vector<Value>& slices) {
        if (!early) {
            const Flow f = run_iteration(loop, sequence.staged(index, slices), span);
            PM_CHECK(f.known());
            return;
        }
        none_returned |=
            guarded_iteration([&] { return run_iteration(loop, sequence.staged(index, slices), span); }, span);
    };
    if (!sequence.staged_length) {
        Control::Loop l;
        l.length = sequence.length;
        l.sliced = sequence.sliced;
        l.id = id;
        l.may_unroll = true;
        l.assigned = std::move(assigned);
        l.span = span;
        l.header = join(s_.tree()[loop.pattern].span, span);
        Control(s_).scan(l, [&](const Value& index, const std::vector<Value>& slices) -> Value {
            iteration(index, slices);
            return None{};
        });
    } else {
        // A loop over a range of staged length becomes a `while_` with a counter.
        const char* counter = "#index";
        // The counter is weak, as the index of each loop is. It has the width of the range's length.
        const DType dtype = index_dtype(numeric_type(*sequence.staged_length).type.dtype, 0);
        s_.scopes().add_local(counter, {s_.wrap(s_.build().constant_i(dtype, 0), true), true, {}});
        assigned.insert(counter);
        const std::size_t at = s_.frame().locals.size() - 1;
        Control(s_).repeat(
            [&] {
                Value more =
                    binary(s_, syntax::BinaryOp::less, s_.frame().locals[at].cell.value, *sequence.staged_length, span);
                if (!early) return more;
                const Value running = binary(s_, syntax::BinaryOp::equal, s_.frame().locals[before].cell.value,
                                             Value::integer(Flow::normal), span);
                return elementwise(s_, ir::Op::and_, {more, running}, span);
            },
            [&] {
                iteration(s_.frame().locals[at].cell.value, {});
                s_.scopes().mark_dirty(at);
                s_.frame().locals[at].cell.value =
                    binary(s_, syntax::BinaryOp::add, s_.frame().locals[at].cell.value, Value::integer(1), span);
            },
            assigned, span, Control::Counter{at, id});
    }
    Flow flow;
    if (early) flow = after_guarded(returns_inside(s_.tree(), loop.body), none_returned, span);
    s_.frame().locals.resize(before);
    return flow;
}

/// Runs the iterations of an interpreted `while` one by one.
Flow Loops::run_while(const syntax::While& loop, Span span) {
    std::optional<CheckedLoop> checked;
    if (s_.checking()) checked.emplace(s_, loop.body);
    std::optional<CarriedTypes> carried;
    if (s_.interpreted().as_compiled()) {
        carried.emplace(s_, loop.body);
        carried->settle([&] { run(loop); });
        note_returns(loop.body);
    }
    while (is_true(s_, evaluate(s_, loop.condition), span)) {
        s_.poll(span);
        const Restore top_scope(s_.frame().top, false);
        const Flow flow = run_block(s_, loop.body, false);
        if (carried) carried->carry();
        if (flow.is(Flow::returned)) return flow;
        if (flow.is(Flow::broke) || (checked && checked->enough())) break;
    }
    return {};
}

Flow Loops::run(const syntax::While& loop) {
    const Span span = s_.tree()[loop.condition].span;
    if (s_.interpreting()) return run_while(loop, span);
    const bool early = leaves_early(s_.tree(), loop.body);
    const std::size_t before = s_.frame().locals.size();
    std::set<std::string> assigned = assigned_names(s_.tree(), loop.body);
    if (early) {
        Control(s_).may_leave();
        assigned.insert({exit_code, returned_value});
    }
    bool none_returned = false;
    const auto condition = [&]() -> Value {
        if (!early) return evaluate(s_, loop.condition);
        const Value running = binary(s_, syntax::BinaryOp::equal, s_.frame().locals[before].cell.value,
                                     Value::integer(Flow::normal), span);
        return Control(s_).branch(
            {running, span}, [&] { return evaluate(s_, loop.condition); }, [] { return Value::boolean(false); }, span);
    };
    const auto body = [&] {
        if (early) {
            none_returned |= guarded_iteration([&] { return run_block(s_, loop.body, false); }, span);
            return;
        }
        const Flow f = run_block(s_, loop.body, false);
        PM_CHECK(f.known());
    };
    const std::set<std::string> by_condition = assigned_names(s_.tree(), loop.condition);
    if (by_condition.empty()) {
        Control(s_).repeat(condition, body, assigned, span);
    } else {
        // Assignments in the region of the condition of a staged loop would be lost. So the condition is evaluated
        // before the loop and at the end of each iteration.
        assigned.insert(by_condition.begin(), by_condition.end());
        assigned.insert(more_name);
        const Value first = condition();
        const std::size_t more = s_.frame().locals.size();
        s_.scopes().add_local(more_name, {first, true, {}});
        Control(s_).repeat([&] { return s_.frame().locals[more].cell.value; },
                           [&] {
                               body();
                               const Value next = condition();
                               s_.scopes().mark_dirty(more);
                               s_.frame().locals[more].cell.value = next;
                           },
                           assigned, span);
    }
    Flow flow;
    if (early) flow = after_guarded(returns_inside(s_.tree(), loop.body), none_returned, span);
    // Only a `return` can end a `while true` without `break`.
    const auto* always = std::get_if<syntax::BoolLiteral>(&s_.tree()[loop.condition].node);
    if (always && always->value && !breaks_inside(s_.tree(), loop.body)) flow.none_at_end = false;
    s_.frame().locals.resize(before);
    return flow;
}

std::optional<Value> Loops::without_iterations(const std::function<Value()>& loop, int id) {
    std::optional<TypesOnly::Types> types;
    try {
        types = TypesOnly(s_, {}, {}).of(loop);
    } catch (const NeedUnroll& need) {
        if (need.loop != id) throw;
    }
    if (!types) return {};
    return map_leaves(types->value, [&](const Value& leaf) -> Value {
        const Array* const a = leaf.array();
        if (!a || a->rank() == 0) return leaf;
        Shape shape = a->shape();
        shape[0] = 0; // the loop that was staged for its types may have iterations
        return {Array::zeros(a->dtype(), std::move(shape)), leaf.weak};
    });
}

Value Loops::map_over(const Value& source, const Elements& elements, Span span) {
    const Sequence q = known_sequence(s_, source, span, "the number of elements");
    if (q.staged_length) require_fits(*Value::integer(q.length).number(), DType::i32, span);
    const bool alike = !q.must_unroll && !q.staged_length; // all elements have the same type
    const bool one_loop = alike && !elements.keeps;
    Control::Loop l;
    l.length = q.length;
    l.sliced = q.sliced;
    l.id = s_.new_loop_id();
    l.span = span;
    l.header = elements.header;
    const auto as_loop = [&] {
        const Value stacked = Control(s_).scan(l, [&](const Value& index, const std::vector<Value>& slices) {
            return elements.body(q.staged(index, slices));
        });
        return elements.joins ? rows_joined(s_, stacked, span) : stacked;
    };
    if (!s_.interpreting() && one_loop) {
        const Restore dirty_scope(s_.scopes().dirty);
        std::vector<Value> before;
        for (const Local& x : s_.frame().locals) before.push_back(x.cell.value);
        try {
            return as_loop();
        } catch (const NeedUnroll& need) {
            if (need.loop != l.id) throw;
            s_.specialiser().note_unrolled(span);
            s_.frame().locals.resize(before.size());
            for (std::size_t i = 0; i < before.size(); ++i) s_.frame().locals[i].cell.value = before[i];
        }
    }
    const bool known = !s_.interpreting() || s_.interpreted().unrolls(span);
    const auto item = [&](std::int64_t i) {
        if (!alike) return q.at(i);
        return known ? known_computed(s_, q.at(i)) : iterated(s_, q, q.at(i));
    };
    std::vector<Value> rows;
    for (std::int64_t i = 0; i < q.length; ++i) {
        s_.poll(span);
        const Value x = item(i);
        if (!elements.keeps || elements.keeps(x)) rows.push_back(elements.body(x));
    }
    if (alike && rows.empty() && (s_.interpreting() || elements.keeps))
        if (const auto none = without_iterations(as_loop, l.id)) return *none;
    return elements.joins ? join_trees(s_, std::move(rows), span) : stack_trees(s_, rows, span);
}

} // namespace pm::stage
