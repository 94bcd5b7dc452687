// Derivatives of staged functions: grad, vjp, linearize, jvp.
#include "compiler/stage/transform/derivatives.hpp"

#include "compiler/transform/core/transform.hpp"

#include "compiler/base/check.hpp"
#include "compiler/base/count.hpp"
#include "compiler/stage/call/staging.hpp"
#include "compiler/stage/core/restore.hpp"
#include "compiler/stage/core/stager.hpp"
#include "compiler/stage/known/arrays.hpp"
#include "compiler/stage/known/known.hpp"
#include "compiler/stage/known/operands.hpp"
#include "compiler/stage/known/options.hpp"
#include "compiler/stage/transform/explain_grad.hpp"
#include "compiler/stage/transform/refused_derivatives.hpp"
#include "compiler/stage/values/tree.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pm::stage {
namespace {

/// A staged function, and the parameters with respect to which it is differentiated.
struct Active {
    StagedFunction f;
    std::vector<bool> params; ///< per parameter of the block: true if the derivative is with respect to this parameter
    std::vector<std::size_t> leaves; ///< the indices of the leaves that are the parameters with `params` true, in order
    std::vector<Value> operands;     ///< the values for the block's parameters
};

/// Stages the function of `call` for derivatives with respect to the arguments `which`. `integers`: true if leaves that
/// are not floating or complex are allowed. Such leaves have no derivative. At least one leaf must be floating or
/// complex.
Active stage_active(Stager& s, const std::string& caller, const Call& call, const std::vector<std::size_t>& which,
                    bool integers) {
    const CallLeaves all = call_leaves(call);
    std::vector<bool> wanted(all.all.size(), false);
    for (const std::size_t a : which)
        for (std::size_t leaf = all.arguments[a].first; leaf < all.arguments[a].second; ++leaf) wanted[leaf] = true;
    const Asked asked{caller, call, all};
    bool some = false;
    for (std::size_t leaf = 0; leaf < wanted.size(); ++leaf) some = some || (wanted[leaf] && inexact(all.all[leaf]));
    if (!integers || !some) refuse_structure(s, asked, which);
    for (std::size_t leaf = 0; leaf < wanted.size(); ++leaf) {
        if (!wanted[leaf] || inexact(all.all[leaf])) continue;
        if (!integers || !some) refuse_integer(s, asked, leaf);
        wanted[leaf] = false;
    }
    Active made;
    const auto stay_computed = [&](std::size_t leaf, const std::vector<bool>& known, const Reason& why) {
        if (!wanted[leaf]) return;
        auto d = static_argument(s, asked, asked.argument_of(leaf), asked.path_of(leaf),
                                 fmt::format("its value decides how `{}` is compiled", name_of(call.function)), known);
        if (why && why->span != d.span) d.label(why->span, "here it must be known");
        if (why && why->id == Diag::types_differ) { // the suggestion of the error `why` is more specific
            d.notes = why->notes;
            if (!why->help.empty()) d.help = why->help;
        }
        raise(std::move(d));
    };
    {
        const Restore order(s.around().derivatives, {.count = s.around().derivatives.count + 1,
                                                     .of_tangents = s.around().derivatives.of_tangents});
        made.f = Staging(s).leaves(call, all.all, {}, stay_computed);
    }
    for (std::size_t leaf = 0; leaf < all.all.size(); ++leaf) {
        if (made.f.known_leaves[leaf]) continue;
        made.params.push_back(wanted[leaf]);
        made.operands.push_back(all.all[leaf]);
        if (wanted[leaf]) made.leaves.push_back(leaf);
    }
    for (const Value& c : made.f.captures) {
        made.params.push_back(false);
        made.operands.push_back(c);
    }
    return made;
}

/// Stages a function and splits it for a derivative. The derivative costs least if the trip counts of all loops are
/// known. If a trip count can become known, the function is staged again with this trip count known. Other loops record
/// their iterations at run time. An inner derivative may need a trip count that depends on the variables of this
/// derivative. The inner derivative then records the iterations too.
template <class Stage, class Cut>
auto staged_and_cut(Stager& s, const Stage& stage, const Cut& cut) {
    using transform::WhileLoops;
    using Result = std::pair<Active, decltype(cut(std::declval<const Active&>(), WhileLoops::refused))>;
    const auto recorded = [&](Active a) {
        auto made = cut(a, WhileLoops::recorded);
        return Result(std::move(a), std::move(made));
    };
    if (s.around().bounds == Bounds::recorded) return recorded(stage());
    const auto not_known = [](const Error& e) {
        return e.diagnostic().id == Diag::value_not_known || e.diagnostic().id == Diag::static_derivative;
    };
    std::optional<Active> uncounted;
    if (s.around().bounds == Bounds::computed) {
        try {
            uncounted = stage();
        } catch (const Error& e) {
            if (!not_known(e)) throw;
            const Restore scope(s.around().bounds, Bounds::recorded);
            return recorded(stage());
        }
        try {
            auto made = cut(*uncounted, WhileLoops::refused);
            return Result(std::move(*uncounted), std::move(made));
        } catch (const transform::UncountedLoop&) { // the function is staged again below
        }
    }
    try {
        const Restore scope(s.around().bounds, Bounds::known);
        return recorded(stage());
    } catch (const Error& e) { // a trip count cannot be known, because it depends on differentiated variables or is
                               // computed in a loop
        if (!uncounted || !not_known(e)) throw;
    }
    return recorded(std::move(*uncounted));
}

std::vector<std::size_t> every(std::size_t n) {
    std::vector<std::size_t> all(n);
    for (std::size_t i = 0; i < n; ++i) all[i] = i;
    return all;
}

Value zeros_of(Stager& s, const NumericType& t, Span span) {
    return s.array_work(span, [&] { return s.wrap(s.build().zeros(t.type), t.weak); });
}

Value ones_of(Stager& s, const NumericType& t, Span span) {
    return s.array_work(span, [&] { return s.wrap(s.build().constant(t.type.dtype, 1.0, t.type.shape), t.weak); });
}

void need_aux(const Value& function, const Value& result, Span span) {
    const Tuple* pair = result.tuple();
    if (!pair || pair->items.size() != 2) raise(diagnose(Diag::bad_aux, span, name_of(function), describe(result)));
}

/// If `has_aux` is true, the function returns two results. The second result is returned unchanged, and derivatives
/// treat it as a constant.
Active with_aux(Active a, const Value& function, bool has_aux, Span span) {
    if (!has_aux) return a;
    need_aux(function, a.f.result, span);
    const std::size_t own = all_leaves(a.f.result.tuple()->items[0]).size();
    std::vector<bool> differentiated(a.f.results.size(), false);
    for (std::size_t i = 0; i < own; ++i)
        if (a.f.places[i] >= 0) differentiated[static_cast<std::size_t>(a.f.places[i])] = true;
    ops::Build b(a.f.block->name);
    ir::Values in;
    for (const Type& type : a.f.block->param_types()) in.push_back(b.param(type));
    ir::Values out = b.inline_block(*a.f.block, in);
    for (std::size_t i = 0; i < out.size(); ++i)
        if (!differentiated[i] && runtime::is_inexact(b.dtype(out[i]))) out[i] = b.unary(ir::Op::stop_gradient, out[i]);
    a.f.block = b.finish(std::move(out));
    return a;
}

/// The structure of the tangents or cotangents of the arguments. It is the structure of `arguments`, with `none` for
/// leaves that are not floating or complex.
Value differentiable(const Value& arguments) {
    std::vector<Value> kept;
    for (const Value& leaf : all_leaves(arguments)) kept.push_back(inexact(leaf) ? leaf : Value(None{}));
    std::size_t at = 0;
    return replace_leaves(arguments, kept, at);
}

/// Per leaf of a result: the index of the leaf's tangent. It is -1 if the leaf has no tangent. `places` has, for each
/// leaf, the index of the block's result. `active` is true for each result of the block that has a tangent.
std::vector<std::int64_t> tangent_places(const std::vector<std::int64_t>& places, const std::vector<bool>& active) {
    std::vector<std::int64_t> number(active.size(), -1);
    std::int64_t next = 0;
    for (std::size_t i = 0; i < active.size(); ++i)
        if (active[i]) number[i] = next++;
    std::vector<std::int64_t> found;
    for (const std::int64_t place : places) found.push_back(place < 0 ? -1 : number[static_cast<std::size_t>(place)]);
    return found;
}

/// The tree of tangents of `result`. A leaf that has no tangent gets zeros.
Value tangent_tree(Stager& s, const Value& result, const std::vector<std::int64_t>& places,
                   const std::vector<Value>& tangents, Span span) {
    std::size_t next = 0;
    return map_leaves(result, [&](const Value& leaf) {
        const std::int64_t place = places.at(next++);
        return place < 0 ? zeros_of(s, numeric_type(leaf), span) : tangents.at(static_cast<std::size_t>(place));
    });
}

// ---- reverse mode

class Gradient {
  public:
    Gradient(Stager& s, const Transformed& t, Call call) : s_(s), t_(t), call_(std::move(call)), span_(call_.span) {}

    Value run() {
        read_argnums();
        const Value* aux = option(t_, "has_aux");
        has_aux_ = aux && need_bool(s_, *aux, span_, fmt::format("the `has_aux` of `{}`", name(t_.kind)));
        const Value* holomorphic = option(t_, "holomorphic");
        holomorphic_ = holomorphic && need_bool(s_, *holomorphic, span_, "holomorphic");
        const Value* integers = option(t_, "allow_int");
        const bool allow_int = integers && need_bool(s_, *integers, span_, "allow_int");
        std::int64_t loss = -1;
        const auto [a, vjp] = staged_and_cut(
            s_, [&] { return stage_active(s_, std::string(name(t_.kind)), call_, numbers_, allow_int); },
            [&](const Active& staged, transform::WhileLoops loops) {
                loss = loss_place(staged.f);
                if (holomorphic_) need_complex(staged);
                transform::Vjp made = transform::vjp(staged.f.block, staged.params, loops);
                made.block = nan_checked(
                    s_, made.block, {.derivative = true, .results = {}, .whole_from = staged.f.block->results.size()});
                verified(s_, made.block, "vjp");
                return made;
            });
        explain_gradient(s_.host(), s_.sources(), span_, fmt::format("{}({})", name(t_.kind), name_of(t_.function())),
                         vjp.forward);
        // The cotangent of the loss is 1. The cotangents of auxiliary results are 0.
        std::vector<Value> operands = a.operands;
        for (std::size_t i = 0; i < vjp.active_results.size(); ++i) {
            if (!vjp.active_results[i]) continue;
            const NumericType& t = a.f.results[i];
            operands.push_back(static_cast<std::int64_t>(i) == loss ? ones_of(s_, t, span_) : zeros_of(s_, t, span_));
        }
        std::vector<NumericType> types = a.f.results;
        for (std::size_t p = 0; p < a.params.size(); ++p)
            if (a.params[p]) types.push_back(numeric_type(a.operands[p]));
        const std::vector<Value> out = Staging(s_).apply(vjp.block, operands, types, span_);
        const std::vector<Value> results(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(a.f.results.size()));
        const Value value = Staging(s_).rebuild(a.f, results);
        const Value grads = gradients(a, out);
        if (t_.kind == Transformation::grad) return has_aux_ ? Value::tuple({grads, value.tuple()->items[1]}) : grads;
        return Value::tuple({value, grads});
    }

  private:
    void read_argnums() {
        const Value* spec = option(t_, "argnums");
        const auto add = [&](const Value& v) {
            const std::int64_t i = need_integer(s_, v, span_, fmt::format("the `argnums` of `{}`", name(t_.kind)));
            const auto n = static_cast<std::int64_t>(call_.arguments.size());
            if (i < -n || i >= n) raise(diagnose(Diag::bad_argnums, span_, i, Count{n}));
            numbers_.push_back(static_cast<std::size_t>(i < 0 ? i + n : i));
        };
        if (!spec) return add(Value::integer(0));
        tuple_ = spec->tuple() != nullptr;
        if (!tuple_) return add(*spec);
        for (const Value& v : spec->tuple()->items) add(v);
    }

    void need_complex(const Active& a) {
        for (std::size_t p = 0; p < a.params.size(); ++p) {
            const Type type = numeric_type(a.operands[p]).type;
            if (a.params[p] && !runtime::is_complex(type.dtype))
                raise(diagnose(Diag::wrong_kind, span_, "`grad` with holomorphic=true", "complex arguments",
                               ir::to_string(type))
                          .fix("convert it: c64(x)"));
        }
    }

    /// The index of the loss among the results of the block. It is -1 if the loss is a known number.
    std::int64_t loss_place(const StagedFunction& f) {
        const Value* loss = &f.result;
        if (has_aux_) {
            need_aux(t_.function(), f.result, span_);
            loss = &f.result.tuple()->items[0];
        }
        const bool scalar = loss->is_numeric() && numeric_type(*loss).type.rank() == 0;
        const bool fits = scalar && (holomorphic_ ? runtime::is_complex(numeric_type(*loss).type.dtype)
                                                  : runtime::is_float(numeric_type(*loss).type.dtype));
        if (!fits) {
            const bool real = scalar && holomorphic_;
            auto d = diagnose(Diag::grad_of_array, span_, name(t_.kind), name_of(t_.function()),
                              tree_text(*loss) + (real ? ", not a complex number" : ""));
            const Function* f = t_.function().function();
            if (f && f->closure() && !s_.places().in_library(f->closure()->text().signature))
                d.label(f->closure()->text().signature, fmt::format("returns {}", tree_text(*loss)));
            if (real)
                raise(std::move(d)
                          .note("with holomorphic=true the function goes from complex to complex numbers")
                          .fix("leave out holomorphic=true, or give complex arguments: c64(x)"));
            if (scalar && runtime::is_complex(numeric_type(*loss).type.dtype))
                raise(std::move(d)
                          .fix("return a real number: real(...), imag(...) or abs(...)")
                          .fix("for the derivative of a holomorphic function give holomorphic=true"));
            if (loss->is_numeric() && scalar) raise(std::move(d).fix("convert it: f32(...)"));
            if (!loss->is_numeric()) raise(std::move(d).fix("return (loss, aux) and give has_aux=true"));
            raise(std::move(d)
                      .fix(fmt::format("sum it (gradient of the total): {}(fn(x) = sum({}(x)))", name(t_.kind),
                                       f && !f->name.empty() ? f->name : "f"))
                      .fix("per-row gradients: vmap(grad(row_loss))")
                      .fix("all derivatives: jacrev(f)"));
        }
        return f.places.at(0); // the loss is the first leaf
    }

    Value gradients(const Active& a, const std::vector<Value>& out) {
        // The cotangents are in the order of the parameters. This is the order of the leaves.
        std::vector<Value> by_leaf(a.f.known_leaves.size());
        std::size_t next = a.f.results.size();
        for (const std::size_t leaf : a.leaves) by_leaf[leaf] = out.at(next++);
        const CallLeaves all = call_leaves(call_);
        std::vector<Value> grads;
        for (const std::size_t n : numbers_) {
            const auto [begin, end] = all.arguments[n];
            const std::vector<Value> part(by_leaf.begin() + static_cast<std::ptrdiff_t>(begin),
                                          by_leaf.begin() + static_cast<std::ptrdiff_t>(end));
            std::size_t at = 0;
            grads.push_back(replace_leaves(call_.arguments[n], part, at));
        }
        return tuple_ ? Value::tuple(std::move(grads)) : grads.at(0);
    }

    Stager& s_;
    const Transformed& t_;
    Call call_; ///< the call of the differentiated function
    Span span_;
    std::vector<std::size_t> numbers_;
    bool tuple_ = false;
    bool has_aux_ = false;
    bool holomorphic_ = false;
};

} // namespace

Value gradient_call(Stager& s, const Transformed& t, Call call) { return Gradient(s, t, std::move(call)).run(); }

// ---- vjp, linearize, jvp

Value split_derivative(Stager& s, const Value& function, const std::vector<Value>& primals, bool reverse, bool has_aux,
                       Span span) {
    const std::string kind = reverse ? "vjp" : "linearize";
    const auto [a, split] = staged_and_cut(
        s,
        [&] {
            return with_aux(stage_active(s, kind, {function, primals, {}, span}, every(primals.size()), true), function,
                            has_aux, span);
        },
        [&](const Active& staged, transform::WhileLoops loops) {
            transform::Linearized made = transform::linearize(staged.f.block, staged.params, loops);
            std::vector<transform::Need> needs(staged.f.block->results.size(), transform::Need::all);
            const std::vector<transform::Need> residuals = transform::needs_of_params(*made.linear);
            needs.insert(needs.end(), residuals.begin(),
                         residuals.begin() + static_cast<std::ptrdiff_t>(made.residuals));
            made.primal = nan_checked(s, made.primal, {.derivative = true, .results = std::move(needs)});
            verified(s, made.primal, "linearize");
            verified(s, made.linear, "linearize");
            return made;
        });
    explain_gradient(s.host(), s.sources(), span, fmt::format("{}({})", kind, name_of(function)), split);
    std::vector<NumericType> types = a.f.results;
    const std::vector<Type> all = split.primal->result_types();
    for (std::size_t i = types.size(); i < all.size(); ++i) types.push_back({all[i], false});
    const std::vector<Value> out = Staging(s).apply(split.primal, a.operands, types, span);
    const std::vector<Value> results(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(a.f.results.size()));
    const Value both = Staging(s).rebuild(a.f, results);
    const Value& value = has_aux ? both.tuple()->items[0] : both;

    LinearMap map;
    map.reverse = reverse;
    map.residuals.assign(out.begin() + static_cast<std::ptrdiff_t>(a.f.results.size()), out.end());
    const transform::NanChecks whole{.derivative = true, .results = {}, .whole_from = 0};
    map.block = nan_checked(
        s, reverse ? verified(s, transform::transpose(split.linear, a.leaves.size()), "transpose") : split.linear,
        whole);
    map.places = tangent_places(a.f.places, split.active_results);
    map.places.resize(all_leaves(value).size(), -1); // drops the leaves of the auxiliary result
    const auto type_tree = [](const Value& v) {      // replaces the leaves by values that have only a type
        std::vector<Value> types_of;
        for (const Value& leaf : all_leaves(v)) types_of.push_back(stand_in(numeric_type(leaf)));
        std::size_t at = 0;
        return replace_leaves(v, types_of, at);
    };
    map.arguments = type_tree(differentiable(Value::tuple(primals)));
    map.result = type_tree(value);
    const Value linear(std::make_shared<const Function>(
        fmt::format("{} of {}", reverse ? "pullback" : "derivative", name_of(function)), std::move(map)));
    return has_aux ? Value::tuple({value, linear, both.tuple()->items[1]}) : Value::tuple({value, linear});
}

namespace {

/// The error for arguments that do not fit the pullback or derivative that is called.
Diagnostic linear_mismatch(Span span, bool reverse, const std::string& got, const std::string& wanted) {
    return diagnose(Diag::linear_mismatch, span, reverse ? "pullback" : "derivative",
                    reverse ? "a cotangent like the result" : "tangents like the arguments", got, wanted);
}

/// Converts tangents or cotangents to the types of the leaves to which they belong.
class Tangents {
  public:
    enum class Caller : std::uint8_t { jvp, derivative, pullback };
    Tangents(Stager& s, Caller caller, const Value& function, const Value& like, Span span)
        : s_(s), caller_(caller), function_(function), like_(like), span_(span) {}

    /// Converts a tangent to the type of a parameter of the block. This type can differ from the type of the leaf
    /// `like`: if the data has 64 bits, a weak number has 64 bits in the block.
    Value fitted(const Value& given, const Value& like, const Type& parameter, std::size_t leaf) const {
        return s_.array_work(span_, [&] {
            const std::optional<Value> v = stage::fitted(s_, given, {parameter, numeric_type(like).weak});
            if (!v) refuse(ir::to_string(numeric_type(given).type), ir::to_string(parameter), leaf);
            return *v;
        });
    }

  private:
    [[noreturn]] void refuse(const std::string& got, const std::string& wanted, std::size_t leaf) const {
        auto d = caller_ == Caller::jvp ? diagnose(Diag::tangent_mismatch, span_, "jvp", "derivatives", got, wanted)
                                        : linear_mismatch(span_, caller_ == Caller::pullback, got, wanted);
        raise(std::move(d).note("it belongs to " + belongs_to(leaf)));
    }

    /// A description, for messages, of the result or argument that contains this leaf.
    std::string belongs_to(std::size_t leaf) const {
        if (caller_ == Caller::pullback) {
            const std::string path = leaf_path(like_, leaf);
            return path.empty() ? "the result" : fmt::format("`{}` of the result", path);
        }
        std::size_t argument = 0;
        for (const Value& one : like_.tuple()->items) {
            const std::size_t count = all_leaves(one).size();
            if (leaf < count) return argument_text(function_, argument, leaf_path(one, leaf));
            leaf -= count;
            ++argument;
        }
        PM_UNREACHABLE();
    }

    Stager& s_;
    Caller caller_;
    const Value& function_;
    const Value& like_;
    Span span_;
};

} // namespace

Value linear_call(Stager& s, const LinearMap& map, const std::vector<Value>& arguments, Span span) {
    const bool reverse = map.reverse;
    const Value given =
        reverse ? (arguments.size() == 1 ? arguments[0] : Value::tuple(arguments)) : Value::tuple(arguments);
    const Value& wanted = reverse ? map.result : map.arguments;
    if (!same_structure(given, wanted)) raise(linear_mismatch(span, reverse, tree_text(given), tree_text(wanted)));
    const std::vector<Value> given_leaves = all_leaves(given);
    const std::vector<Value> wanted_leaves = all_leaves(wanted);
    const Value nameless;
    const Tangents fit(s, reverse ? Tangents::Caller::pullback : Tangents::Caller::derivative, nameless, wanted, span);
    std::vector<Value> operands = map.residuals;
    const std::size_t residuals = operands.size();
    const auto parameter = [&](std::size_t i) { return map.block->type(map.block->params.at(i)); };
    if (reverse) {
        std::int64_t count = 0;
        for (const std::int64_t place : map.places) count = std::max(count, place + 1);
        std::vector<Value> cotangents(static_cast<std::size_t>(count));
        for (std::size_t i = 0; i < given_leaves.size(); ++i) {
            const std::int64_t place = map.places[i];
            if (place < 0) continue;
            const Value ct = fit.fitted(given_leaves[i], wanted_leaves[i],
                                        parameter(residuals + static_cast<std::size_t>(place)), i);
            Value& sum =
                cotangents[static_cast<std::size_t>(place)]; // several leaves may be the same result of the block
            sum = sum.is_none() ? ct : elementwise(s, ir::Op::add, {sum, ct}, span);
        }
        operands.insert(operands.end(), cotangents.begin(), cotangents.end());
    } else {
        for (std::size_t i = 0; i < given_leaves.size(); ++i)
            operands.push_back(fit.fitted(given_leaves[i], wanted_leaves[i], parameter(operands.size()), i));
    }
    PM_CHECK(operands.size() == map.block->params.size() && residuals <= operands.size());
    std::vector<NumericType> types;
    for (const Type& type : map.block->result_types()) types.push_back({type, false});
    const std::vector<Value> out = Staging(s).apply(map.block, operands, types, span);
    std::size_t next = 0;
    if (reverse) return replace_leaves(map.arguments, out, next);
    return tangent_tree(s, map.result, map.places, out, span);
}

Value forward_derivative(Stager& s, const Value& function, const std::vector<Value>& primals,
                         const std::vector<Value>& tangents, bool has_aux, Span span) {
    const Value point = differentiable(Value::tuple(primals));
    const Value direction = Value::tuple(tangents);
    if (!same_structure(point, direction))
        raise(diagnose(Diag::tangent_mismatch, span, "jvp", "tangents", tree_text(direction), tree_text(point)));
    const Active a = with_aux(stage_active(s, "jvp", {function, primals, {}, span}, every(primals.size()), true),
                              function, has_aux, span);
    transform::Jvp made = transform::jvp(a.f.block, a.params);
    made.block =
        nan_checked(s, made.block, {.derivative = true, .results = {}, .whole_from = a.f.block->results.size()});
    verified(s, made.block, "jvp");
    std::vector<Value> operands = a.operands;
    const std::vector<Value> given = all_leaves(direction);
    const std::vector<Value> at = all_leaves(point);
    const Tangents fit(s, Tangents::Caller::jvp, function, point, span);
    for (std::size_t i = 0; i < given.size(); ++i) {
        const Type& parameter = made.block->type(made.block->params.at(operands.size()));
        operands.push_back(fit.fitted(given[i], at[i], parameter, i));
    }
    std::vector<NumericType> types = a.f.results;
    for (std::size_t i = 0; i < made.active_results.size(); ++i)
        if (made.active_results[i]) types.push_back(a.f.results[i]);
    const std::vector<Value> out = Staging(s).apply(made.block, operands, types, span);
    const auto first_tangent = out.begin() + static_cast<std::ptrdiff_t>(a.f.results.size());
    const Value both = Staging(s).rebuild(a.f, {out.begin(), first_tangent});
    const Value& value = has_aux ? both.tuple()->items[0] : both;
    const Value tangent =
        tangent_tree(s, value, tangent_places(a.f.places, made.active_results), {first_tangent, out.end()}, span);
    return has_aux ? Value::tuple({value, tangent, both.tuple()->items[1]}) : Value::tuple({value, tangent});
}

} // namespace pm::stage
