// The functions for control flow, such as scan and cond. They have the same parameters as in JAX. At top level a loop
// is run as one separate program. If a function in the loop does host work (files, time), the iterations run one by one
// instead.
#include "compiler/stage/interpret/control.hpp"
#include "compiler/stage/call/types_only.hpp"
#include "compiler/stage/index/indexing.hpp"
#include "compiler/stage/index/stacking.hpp"
#include "compiler/stage/interpret/loops.hpp"
#include "compiler/stage/known/arrays.hpp"
#include "compiler/stage/known/computed.hpp"
#include "compiler/stage/library/numbers.hpp"

#include "compiler/base/check.hpp"
#include "compiler/ops/reduce/pair_scan.hpp"
#include "compiler/stage/index/sequence.hpp"
#include "compiler/stage/known/known.hpp"
#include "compiler/stage/values/tree.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pm::stage::library {
namespace {

using syntax::BinaryOp;

const Value& need_function(const Value& v, Span span, std::string_view what) {
    if (!v.function() && !v.dtype()) raise(diagnose(Diag::wrong_kind, span, what, "a function", describe(v)));
    return v;
}

/// A local of the current frame that a staged loop carries, with a name for messages. The local exists as long as this
/// object. During this time no source text of the program is evaluated in this frame, so the program cannot use the
/// name.
class Carried {
  public:
    Carried(Stager& s, std::string name, Value initial) : s_(s), name_(std::move(name)), at_(s.frame().locals.size()) {
        s_.frame().locals.push_back({name_, {std::move(initial), true, {}}, 0});
    }
    ~Carried() { s_.frame().locals.resize(at_); }
    Carried(const Carried&) = delete;
    Carried& operator=(const Carried&) = delete;
    Value& value() { return s_.frame().locals.at(at_).cell.value; }
    const std::string& name() const { return name_; }

  private:
    Stager& s_;
    std::string name_;
    std::size_t at_;
};

/// The iterations of a loop, for messages and NeedUnroll.
struct Iterations {
    int id = -1; ///< the id of the loop; negative if the loop cannot be unrolled
    std::int64_t count = 0;
};

/// Stages a loop by `staged`. At top level, runs the staged loop as a separate program. If a function in the loop needs
/// the index to be known, or does host work at top level, runs the iterations by `one_by_one` instead. `initial` is the
/// position of the argument with the initial carried value. It is empty if the loop has no such argument.
Value looped(Stager& s, Span span, Span initial, Iterations loop, const std::function<Value()>& staged,
             const std::function<Value()>& one_by_one) {
    const std::size_t locals = s.frame().locals.size();
    try {
        return s.array_work(span, staged);
    } catch (Error& e) {
        if (Diagnostic& d = e.diagnostic(); d.id == Diag::carried_type && d.span == span && initial) {
            d.span = initial;
            if (d.help.empty())
                d.help.emplace_back("begin with a value of the type that each iteration gives, as 0.0 for 0");
        }
        throw;
    } catch (const NeedUnroll& need) {
        if (need.loop != loop.id) throw;
        if (loop.count > most_unrolled)
            raise(diagnose(Diag::unroll_limit, span, loop.count, most_unrolled)
                      .label(need.why, "the index must be known here"));
    } catch (const HostWork&) {
        if (!s.interpreting()) throw;
    }
    s.frame().locals.resize(locals);
    return one_by_one();
}

/// The arrays that `scan` or `map` slices, and their common length. `length` is the argument `length` of the call; it
/// may be none.
Sliced sliced_arguments(Stager& s, const Value& xs, const Value& length, std::string_view name, Span span,
                        Span length_span) {
    std::optional<std::int64_t> given;
    if (!length.is_none()) given = need_integer(s, length, length_span, "`length`");
    Sliced out = sliced_leaves(xs, name, span, given);
    if (!out.length)
        raise(diagnose(Diag::missing_argument, span, name, "length")
                  .note("there is no array to run over, which would tell"));
    if (*out.length < 0) raise(diagnose(Diag::negative_size, length_span, *out.length));
    return out;
}

/// The pair (carry, y) in `v`, the value that an iteration of scan returns. Raises if `v` is no pair.
const std::vector<Value>& need_pair(const Value& v, Span span) {
    if (!v.tuple() || v.tuple()->items.size() != 2)
        raise(diagnose(Diag::wrong_kind, span, "a function under `scan`", "to return (carry, output)", tree_text(v))
                  .fix("where there is nothing to stack: (carry, none)"));
    return v.tuple()->items;
}

// ---- scan and map

Value scan(Stager& s, Arguments& a) {
    const Value& f = need_function(a[0], a.spans[0], "`scan`");
    const Value& xs = a[2];
    const bool reverse = need_bool(s, a[4], a.spans[4], "`reverse`");
    const Sliced sliced = sliced_arguments(s, xs, a[3], "scan", a.spans[2], a.spans[3]);
    Control::Loop loop;
    loop.length = *sliced.length;
    loop.sliced = sliced.leaves;
    loop.reverse = reverse;
    loop.id = s.new_loop_id();
    loop.span = a.span;
    const auto staged = [&] {
        Carried carry(s, "carry", a[1]);
        loop.assigned = {carry.name()};
        const Value stacked = Control(s).scan(loop, [&](const Value&, const std::vector<Value>& slices) {
            const Value made = s.calls().call({f, {carry.value(), row_of(xs, slices)}, {}, a.span});
            const std::vector<Value>& pair = need_pair(made, a.spans[0]);
            carry.value() = pair[0];
            return pair[1];
        });
        return Value::tuple({carry.value(), stacked});
    };
    return looped(s, a.span, a.spans[1], {loop.id, loop.length}, staged, [&] {
        Value carry = a[1];
        if (loop.length == 0)
            if (const auto types = Loops(s).without_iterations(staged, loop.id))
                return Value::tuple({carry, types->tuple()->items[1]});
        std::vector<Value> rows(static_cast<std::size_t>(loop.length));
        for (std::int64_t t = 0; t < loop.length; ++t) {
            const std::int64_t i = reverse ? loop.length - 1 - t : t;
            const Value made = s.calls().call({f, {carry, row_at(s, xs, i, a.span)}, {}, a.span});
            const std::vector<Value>& pair = need_pair(made, a.spans[0]);
            carry = pair[0];
            rows[static_cast<std::size_t>(i)] = pair[1];
        }
        return Value::tuple({carry, stack_trees(s, rows, a.span)});
    });
}

Value map(Stager& s, Arguments& a) {
    const Value& f = need_function(a[0], a.spans[0], "`map`");
    if (a[1].range())
        return Loops(s).map_over(a[1], {[&](const Value& x) { return s.calls().call({f, {x}, {}, a.span}); }, {}},
                                 a.span);
    const Sliced sliced = sliced_arguments(s, a[1], Value(), "map", a.spans[1], a.spans[1]);
    Control::Loop loop;
    loop.length = *sliced.length;
    loop.sliced = sliced.leaves;
    loop.id = s.new_loop_id();
    loop.span = a.span;
    const auto staged = [&] {
        return Control(s).scan(loop, [&](const Value&, const std::vector<Value>& slices) {
            return s.calls().call({f, {row_of(a[1], slices)}, {}, a.span});
        });
    };
    return looped(s, a.span, {}, {loop.id, loop.length}, staged, [&] {
        if (loop.length == 0)
            if (const auto none = Loops(s).without_iterations(staged, loop.id)) return *none;
        std::vector<Value> rows;
        for (std::int64_t i = 0; i < loop.length; ++i)
            rows.push_back(s.calls().call({f, {row_at(s, a[1], i, a.span)}, {}, a.span}));
        return stack_trees(s, rows, a.span);
    });
}

// ---- while and for

Value while_loop(Stager& s, Arguments& a) {
    const Value& condition = need_function(a[0], a.spans[0], "`while_loop`");
    const Value& body = need_function(a[1], a.spans[1], "`while_loop`");
    const auto staged = [&] {
        Carried carry(s, "carry", a[2]);
        Control(s).repeat([&] { return s.calls().call({condition, {carry.value()}, {}, a.span}); },
                          [&] { carry.value() = s.calls().call({body, {carry.value()}, {}, a.span}); }, {carry.name()},
                          a.span);
        return carry.value();
    };
    return looped(s, a.span, a.spans[2], {}, staged, [&] {
        Value carry = a[2];
        while (is_true(s, s.calls().call({condition, {carry}, {}, a.spans[0]}), a.spans[0])) {
            s.poll();
            carry = s.calls().call({body, {carry}, {}, a.span});
        }
        return carry;
    });
}

Value need_whole(const Value& v, Span span) {
    if (!v.is_numeric() || !runtime::is_integer(numeric_type(v).type.dtype) || numeric_type(v).type.rank() != 0)
        raise(diagnose(Diag::wrong_kind, span, "`fori_loop`", "integers as bounds", describe(v)));
    return v;
}

/// The function fori_loop with a staged bound. It becomes a while loop with a counter.
Value counted_while(Stager& s, Arguments& a, const Value& body) {
    Carried carry(s, "carry", a[3]);
    // The counter is weak, as the index of a loop with known bounds is. It has the dtype of the bounds, so its type
    // does not change in the loop.
    const DType dtype = promoted_type({a[0], a[1]}, a.span).dtype;
    Carried index(s, "index", s.wrap(s.use(a[0], dtype), true));
    Control(s).repeat([&] { return binary(s, BinaryOp::less, index.value(), a[1], a.span); },
                      [&] {
                          carry.value() = s.calls().call({body, {index.value(), carry.value()}, {}, a.span});
                          index.value() = binary(s, BinaryOp::add, index.value(), Value::integer(1), a.span);
                      },
                      {carry.name(), index.name()}, a.span);
    return carry.value();
}

Value fori_loop(Stager& s, Arguments& a) {
    const Value low = need_whole(a[0], a.spans[0]);
    const Value high = need_whole(a[1], a.spans[1]);
    const Value& body = need_function(a[2], a.spans[2], "`fori_loop`");
    if (low.staged() || high.staged()) return counted_while(s, a, body);
    const std::int64_t from = need_integer(s, low, a.spans[0], "a bound");
    const std::int64_t length = std::max<std::int64_t>(0, need_integer(s, high, a.spans[1], "a bound") - from);
    const bool wide = is_wide(promoted_type({low, high}, a.span).dtype);
    Control::Loop loop;
    loop.length = length;
    loop.id = s.new_loop_id();
    loop.span = a.span;
    const auto staged = [&] {
        Carried carry(s, "carry", a[3]);
        loop.assigned = {carry.name()};
        Control(s).scan(loop, [&](const Value& index, const std::vector<Value>&) -> Value {
            const Value number = wide ? s.wrap(s.use(index, DType::i64), true) : counter(s, index);
            const Value i = from == 0 ? number : binary(s, BinaryOp::add, number, Value::integer(from), a.span);
            carry.value() = s.calls().call({body, {i, carry.value()}, {}, a.span});
            return None{};
        });
        return carry.value();
    };
    return looped(s, a.span, a.spans[3], {loop.id, length}, staged, [&] {
        Value carry = a[3];
        for (std::int64_t i = 0; i < length; ++i) {
            s.poll();
            Number index = Number::of(from + i);
            index.wide = wide;
            carry = s.calls().call({body, {index, carry}, {}, a.span});
        }
        return carry;
    });
}

// ---- branches

/// The result of the function that the known index `index` selects. If compiled code would stage all functions, the
/// result is converted to the promoted types of the results of all functions. Records in the result get the field order
/// of the first function's result.
Value taken_of(Stager& s, const Value& index, const std::vector<Value>& list, std::size_t taken,
               const std::function<Value(const Value&)>& call) {
    if (!stages_both_branches(s, index)) return chosen(s, index, call(list[taken]));
    static const Assigned nothing;
    BranchTypes branch_types(s, nothing);
    Value value = call(list[taken]);
    for (std::size_t i = list.size(); i-- > 0;)
        if (i != taken) branch_types.join(value, taken < i, [&] { return call(list[i]); });
    return value;
}

Value cond(Stager& s, Arguments& a) {
    const Value& then = need_function(a[1], a.spans[1], "`cond`");
    const Value& otherwise = need_function(a[2], a.spans[2], "`cond`");
    const std::vector<Value>& operands = a[3].tuple()->items;
    const auto call = [&](const Value& f) { return s.calls().call({f, operands, {}, a.span}); };
    const Value condition = as_data_if_computed(s, a[0]);
    if (const auto known = known_condition(s, condition, a.spans[0]))
        return taken_of(s, condition, {then, otherwise}, *known ? 0 : 1, call);
    return Control(s).branch(
        {condition, a.spans[0]}, [&] { return call(then); }, [&] { return call(otherwise); }, a.span);
}

/// The result of the function that the staged index `index` selects. The functions have the numbers `from` to `to` - 1.
/// The selection is staged as nested conditions. Each condition halves the range of numbers. An index outside of the
/// range selects the function with the nearest number. `call` calls the function with a given number.
Value branches(Stager& s, const Value& index, std::size_t from, std::size_t to,
               const std::function<Value(std::size_t)>& call, Span span) {
    if (to - from == 1) return call(from);
    const std::size_t middle = from + (to - from) / 2;
    const Value left = binary(s, BinaryOp::less, index, Value::integer(static_cast<std::int64_t>(middle)), span);
    return Control(s).branch(
        {left, span}, [&] { return branches(s, index, from, middle, call, span); },
        [&] { return branches(s, index, middle, to, call, span); }, span);
}

Value switch_(Stager& s, Arguments& a) {
    if (!a[0].is_numeric() || !runtime::is_integer(numeric_type(a[0]).type.dtype) ||
        numeric_type(a[0]).type.rank() != 0)
        raise(diagnose(Diag::wrong_kind, a.spans[0], "`switch`", "an integer", describe(a[0])));
    if (!a[1].tuple() || a[1].tuple()->items.empty())
        raise(diagnose(Diag::wrong_kind, a.spans[1], "`switch`", "a tuple of functions", describe(a[1])));
    const std::vector<Value>& list = a[1].tuple()->items;
    for (const Value& f : list) need_function(f, a.spans[1], "`switch`");
    const std::vector<Value>& operands = a[2].tuple()->items;
    const auto call = [&](const Value& f) { return s.calls().call({f, operands, {}, a.span}); };
    const Value index = as_data_if_computed(s, a[0]);
    if (!index.staged()) {
        const auto last = static_cast<std::int64_t>(list.size()) - 1;
        const std::int64_t taken = std::clamp<std::int64_t>(need_integer(s, index, a.spans[0], "`switch`"), 0, last);
        return taken_of(s, index, list, static_cast<std::size_t>(taken), call);
    }
    return branches(s, index, 0, list.size(), [&](std::size_t i) { return call(list[i]); }, a.span);
}

// ---- associative_scan: O(n) work in O(log n) steps (Blelloch), the recursion of jax.lax.associative_scan

class AssociativeScan {
  public:
    /// `axes`: per leaf, the axis along which the scan runs.
    AssociativeScan(Stager& s, const Value& f, std::vector<int> axes, Span span)
        : s_(s), f_(f), axes_(std::move(axes)), span_(span) {}

    Value run(const Value& tree, std::int64_t n) {
        if (n < 2) return tree;
        const Value halves = combine(part(tree, 0, n - 1, 2), part(tree, 1, n, 2));
        const Value odd = run(halves, n / 2);
        Value even = part(tree, 0, 1, 1);
        if (n > 2) {
            const std::int64_t count = (n - 1) / 2;
            const Value rest = combine(part(odd, 0, count, 1), part(tree, 2, n, 2));
            even = zip(even, rest,
                       [&](ir::Value x, ir::Value y, int axis) { return s_.build().concatenate({x, y}, axis); });
        }
        return zip(even, odd,
                   [&](ir::Value x, ir::Value y, int axis) { return ops::interleave(s_.build(), x, y, axis); });
    }

  private:
    Value part(const Value& tree, std::int64_t from, std::int64_t to, std::int64_t step) {
        std::size_t next = 0;
        return map_leaves(tree, [&](const Value& leaf) {
            const int axis = axes_.at(next++);
            return s_.wrap(s_.build().slice_axis(s_.use(leaf), axis, from, to, step), numeric_type(leaf).weak);
        });
    }
    Value combine(const Value& before, const Value& after) {
        const Value made = s_.calls().call({f_, {before, after}, {}, span_});
        const std::vector<Value> old = leaves(before);
        const std::vector<Value> now = leaves(made);
        bool same = same_structure(before, made);
        for (std::size_t i = 0; same && i < old.size(); ++i)
            same = numeric_type(old[i]).type == numeric_type(now[i]).type;
        if (!same)
            raise(diagnose(Diag::result_type, span_, "the function under `associative_scan`", tree_text(before),
                           tree_text(made)));
        return made;
    }
    Value zip(const Value& a, const Value& b, const std::function<ir::Value(ir::Value, ir::Value, int axis)>& f) {
        const std::vector<Value> others = leaves(b);
        std::size_t next = 0;
        return map_leaves(a, [&](const Value& leaf) {
            const int axis = axes_.at(next);
            const Value& other = others.at(next++);
            return s_.wrap(f(s_.use(leaf), s_.use(other), axis), numeric_type(leaf).weak);
        });
    }

    Stager& s_;
    const Value& f_;
    std::vector<int> axes_;
    Span span_;
};

Value associative_scan(Stager& s, Arguments& a) {
    const Value& f = need_function(a[0], a.spans[0], "`associative_scan`");
    const bool reverse = need_bool(s, a[2], a.spans[2], "`reverse`");
    std::optional<std::int64_t> n;
    std::vector<int> axes;
    for_each_leaf(a[1], [&](const Value& leaf) {
        const Type t = numeric_type(leaf).type;
        axes.push_back(axis_of(s, a[3], t, a.spans[3]));
        const std::int64_t here = t.shape[static_cast<std::size_t>(axes.back())];
        if (n && *n != here)
            raise(diagnose(Diag::shapes_disagree, a.spans[1], "associative_scan", fmt::format("length {}", *n),
                           fmt::format("length {}", here)));
        n = here;
    });
    if (!n) raise(diagnose(Diag::wrong_kind, a.spans[1], "`associative_scan`", "arrays to run over", describe(a[1])));
    const auto turned = [&](const Value& tree) {
        if (!reverse) return tree;
        std::size_t next = 0;
        return map_leaves(tree, [&](const Value& leaf) {
            return s.wrap(s.build().reverse(s.use(leaf), {axes.at(next++)}), numeric_type(leaf).weak);
        });
    };
    return turned(AssociativeScan(s, f, axes, a.span).run(turned(a[1]), *n));
}

using K = Native::Kind;
constexpr Native control_natives[] = {
    {"scan", "f, init, xs=none, length=none, reverse=false, unroll=1", K::known, scan,
     "scan(f, init, xs): (carry, y) = f(carry, x) for each x along axis 0; gives (last carry, all y stacked)."},
    {"map", "f, xs, batch_size=none", K::known, map, "map(f, xs): f of each element along axis 0, stacked."},
    {"while_loop", "cond_fun, body_fun, init_val", K::known, while_loop, "while_loop(c, f, x): x = f(x) while c(x)."},
    {"fori_loop", "lower, upper, body_fun, init_val, unroll=none", K::known, fori_loop,
     "fori_loop(a, b, f, x): x = f(i, x) for i in a..b."},
    {"cond", "pred, true_fun, false_fun, *operands", K::known, cond,
     "cond(c, f, g, *x): f(*x) if c, else g(*x); staged, when c is, as one branch."},
    {"switch", "index, branches, *operands", K::known, switch_, "switch(i, (f, g, ...), *x): branch i, clamped, of x."},
    {"associative_scan", "fn, elems, reverse=false, axis=0", K::array, associative_scan,
     "associative_scan(f, xs): the running results of an associative f along an axis, in O(log n) steps."},
};

} // namespace

std::span<const Native> control() { return control_natives; }

} // namespace pm::stage::library
