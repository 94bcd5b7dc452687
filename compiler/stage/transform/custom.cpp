// Calls of custom_jvp(f, rule), custom_vjp(f, fwd, bwd) and linear functions: functions whose derivatives the program
// defines.
#include "compiler/stage/transform/custom.hpp"

#include "compiler/base/check.hpp"
#include "compiler/stage/call/staging.hpp"
#include "compiler/stage/core/restore.hpp"
#include "compiler/stage/known/operands.hpp"
#include "compiler/stage/transform/block_roles.hpp"
#include "compiler/stage/transform/rule_results.hpp"
#include "compiler/stage/values/tree.hpp"
#include "compiler/transform/core/dependence.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pm::stage {
namespace {

using ir::Attr;
using ir::BlockPtr;

/// If `v` is the result of a call that returns one of its parameters unchanged, returns the operand for this parameter,
/// traced in the same way. Otherwise returns `v`.
ir::Value forwarded_value(const ir::Block& block, ir::Value v) {
    for (const ir::Inst& inst : block.insts) {
        const auto at = std::find(inst.results.begin(), inst.results.end(), v);
        if (inst.op != ir::Op::call || at == inst.results.end()) continue;
        const ir::Block& callee = *inst.regions[0];
        const ir::Value given =
            forwarded_value(callee, callee.results[static_cast<std::size_t>(at - inst.results.begin())]);
        for (std::size_t i = 0; i < callee.params.size(); ++i)
            if (callee.params[i] == given) return forwarded_value(block, inst.operands[i]);
        break;
    }
    return v;
}

class CustomCall {
  public:
    CustomCall(Stager& s, const Transformed& t, std::vector<Value> arguments, Span span)
        : s_(s), t_(t), arguments_(std::move(arguments)), span_(span) {}

    Value run() {
        if (t_.kind == Transformation::linear_call) return run_linear();
        read_arguments();
        stage_primal();
        if (s_.around().derivatives.count > 0) {
            const bool of_tangents = t_.kind == Transformation::custom_jvp;
            const Restore order(s_.around().derivatives,
                                {.count = s_.around().derivatives.count - 1, .of_tangents = of_tangents});
            if (of_tangents) {
                stage_rule();
            } else {
                stage_fwd();
                stage_bwd();
            }
        }
        return emit();
    }

  private:
    const Value& function() const { return t_.function(); }
    RuleResults checked() const { return {s_, span_, function(), arguments_, result_}; }

    /// Stages a call of a linear function. Outside of a custom_jvp rule nothing is transposed, so the call is an
    /// ordinary call. Within a transpose, the call is an ordinary call too.
    Value run_linear() {
        if (s_.around().custom_rules.in_transpose || !s_.around().derivatives.of_tangents)
            return s_.calls().call({function(), std::move(arguments_), {}, span_});
        read_arguments();
        {
            const Restore order(s_.around().derivatives, Derivatives{}); // the function is run and not differentiated
            stage_primal();
        }
        stage_transpose();
        return emit_linear();
    }

    // ---- arguments

    /// Converts known numbers to staged values of the block. Such values can become known again later. Bools, and
    /// integers that do not fit an i32, are not converted (Number::stays_known).
    void read_arguments() {
        for (Value& a : arguments_)
            a = map_leaves(a, [&](const Value& leaf) -> Value {
                const Number* n = leaf.number();
                if (!n || n->stays_known()) return leaf;
                const NumericType t = s_.context()->type_of(leaf);
                return s_.array_work(span_, [&] { return s_.wrap(s_.use(leaf, t.type.dtype), t.weak); });
            });
        for (const Value& a : arguments_) read_roles(a);
        for (const Value& leaf : data_)
            if (is_inexact(leaf)) inexact_.push_back(leaf);
    }

    void read_roles(const Value& v) {
        if (v.is_numeric()) {
            if (v.number()) { // a known number has no parameter
                roles_.push_back({Role::Kind::closed});
                return;
            }
            roles_.push_back({Role::Kind::argument, data_.size()});
            data_.push_back(v);
        } else if (const Tuple* t = v.tuple()) {
            for (const Value& item : t->items) read_roles(item);
        } else if (const Record* r = v.record()) {
            for (const std::size_t i : sorted_fields(*r)) read_roles(r->fields[i].second);
        } else {
            // Here the argument is a function. The leaves of a function are the values that it has captured.
            roles_.resize(roles_.size() + all_leaves(v).size(), {Role::Kind::closed});
        }
    }

    // ---- staging

    /// The leaves that are passed to a staged function, with their roles. The values that the function has captured
    /// come first, then the arguments.
    struct Leaves {
        std::vector<Value> all;
        std::vector<Role> roles;

        void add(const Value& leaf, Role role) {
            all.push_back(leaf);
            roles.push_back(role);
        }
    };
    static Leaves captured(const Value& function) {
        Leaves made;
        for (const Value& leaf : all_leaves(function)) made.add(leaf, {Role::Kind::closed});
        return made;
    }
    Leaves with_arguments(const Value& function) const {
        Leaves made = captured(function);
        const std::vector<Value> given = all_leaves(Value::tuple(arguments_));
        PM_CHECK(given.size() == roles_.size());
        for (std::size_t i = 0; i < given.size(); ++i) made.add(given[i], roles_[i]);
        return made;
    }

    BlockWithRoles with_roles(const StagedFunction& f, const Leaves& leaves, ir::Values results) {
        BlockWithRoles made{transform::with_results(*f.block, std::move(results)), {}};
        const auto add = [&](Role role, const Value& v) {
            if (role.kind == Role::Kind::closed) {
                role.index = closed_.size();
                closed_.emplace_back(v, f.block->type(f.block->params[made.params.size()]));
            }
            made.params.push_back(role);
        };
        for (std::size_t i = 0; i < leaves.all.size(); ++i)
            if (!f.known_leaves[i]) add(leaves.roles[i], leaves.all[i]);
        for (const Value& c : f.captures) add({Role::Kind::closed}, c);
        PM_CHECK(made.params.size() == made.block->params.size());
        return made;
    }

    /// For each leaf of a staged function's result that is not a known number, the corresponding result of the
    /// function's block. The same result of the block may correspond to several leaves.
    static ir::Values computed(const StagedFunction& f) {
        ir::Values values;
        for (const std::int64_t place : f.places)
            if (place >= 0) values.push_back(f.block->results[static_cast<std::size_t>(place)]);
        return values;
    }

    /// Calls `function`, which is the custom function or one of its rules. The values that `function` has captured are
    /// replaced by leaves of `inner` from index `next` on. `form` is the form of the call, such as "rule(primals,
    /// tangents)". The error for a function with other parameters shows this form.
    Value call(std::string_view form, const Value& function, const std::vector<Value>& inner, std::size_t& next,
               const std::function<std::vector<Value>()>& arguments) {
        const Value callee = replace_leaves(function, inner, next);
        CallArguments given;
        given.positional = arguments();
        given.positional_spans.assign(given.positional.size(), span_);
        given.span = span_;
        try {
            return s_.calls().call(callee, std::move(given));
        } catch (Error& e) {
            Diagnostic& d = e.diagnostic();
            const bool of_this_call = d.span.source == span_.source && d.span.begin == span_.begin;
            if (d.id == Diag::wrong_argument_count && of_this_call) d.help = {fmt::format("it is called as {}", form)};
            throw;
        }
    }
    Value arguments_from(const std::vector<Value>& inner, std::size_t& next) const {
        return replace_leaves(Value::tuple(arguments_), inner, next);
    }

    void stage_primal() {
        // The rules define the derivative of the function, so the derivatives around the call do not apply to the
        // function. A call within a custom_jvp rule is an exception. There, partial evaluation splits the function, and
        // the part that depends only on primals is differentiated like the code around the call.
        const Restore order(s_.around().derivatives,
                            s_.around().derivatives.of_tangents ? s_.around().derivatives : Derivatives{});
        const Leaves leaves = with_arguments(function());
        const StagedFunction f = Staging(s_).leaves({function(), arguments_, {}, span_}, leaves.all, {});
        result_.tree = f.result;
        for (const std::int64_t place : f.places) {
            result_.is_computed.push_back(place >= 0);
            if (place >= 0) result_.types.push_back(f.results[static_cast<std::size_t>(place)]);
        }
        primal_ = with_roles(f, leaves, computed(f));
    }

    void stage_rule() {
        const Restore transposed(s_.around().custom_rules.in_transpose, false);
        const Value& rule = t_.functions[1];
        Leaves leaves = with_arguments(rule);
        for (std::size_t i = 0; i < inexact_.size(); ++i)
            leaves.add(stand_in(numeric_type(inexact_[i])), {Role::Kind::tangent, i});
        const StagedFunction f = Staging(s_).function(
            rule, leaves.all, {},
            [&](const std::vector<Value>& inner) {
                std::size_t next = 0;
                const Value out = call("rule(primals, tangents)", rule, inner, next, [&] {
                    const Value primals = arguments_from(inner, next);
                    const Value tangents = derivative_tree(Value::tuple(arguments_), [&](const Value& leaf) {
                        return !leaf.number() && is_inexact(leaf) ? inner.at(next++) : Value();
                    });
                    return std::vector<Value>{primals, tangents};
                });
                const std::vector<Value>& pair = checked().pair("rule", rule, "(result, tangent)", out);
                std::vector<Value> made = checked().results("rule", rule, pair[0]);
                const std::vector<Value> tangents = checked().tangents(rule, pair[1]);
                made.insert(made.end(), tangents.begin(), tangents.end());
                return Value::tuple(std::move(made));
            },
            span_);
        rule_ = with_roles(f, leaves, computed(f));
        refuse_tangents_in_result();
    }

    /// Raises if a result of the rule depends on a tangent. The result of a rule must be the result of the function.
    /// The function has no tangents as arguments, so its result cannot depend on a tangent.
    void refuse_tangents_in_result() const {
        transform::BitMask tangents;
        for (const Role& role : rule_->params) tangents.push_back(role.kind == Role::Kind::tangent);
        const transform::BitMask depends = transform::Dependence().results(rule_->block, tangents);
        const auto end = depends.begin() + static_cast<std::ptrdiff_t>(result_.types.size());
        if (std::find(depends.begin(), end, true) == end) return;
        const std::string f = name_of(function());
        raise(
            diagnose(Diag::custom_result, span_, "rule", f, f, tree_text(result_.tree), "one that depends on a tangent")
                .fix("compute the first entry of what the rule returns from the arguments alone"));
    }

    void stage_fwd() {
        const Value& fwd = t_.functions[1];
        const Leaves leaves = with_arguments(fwd);
        const StagedFunction f = Staging(s_).function(
            fwd, leaves.all, {},
            [&](const std::vector<Value>& inner) {
                std::size_t next = 0;
                const Value out = call("fwd(*arguments)", fwd, inner, next,
                                       [&] { return arguments_from(inner, next).tuple()->items; });
                const std::vector<Value>& pair = checked().pair("fwd", fwd, "(result, residuals)", out);
                return Value::tuple({Value::tuple(checked().results("fwd", fwd, pair[0])), pair[1]});
            },
            span_);
        fwd_ = with_roles(f, leaves, computed(f));
        residual_tree_ = f.result.tuple()->items[1];
        // A residual that is an argument can become known if the argument can become known.
        const std::size_t results = result_.types.size();
        for (std::size_t leaf = results; leaf < f.places.size(); ++leaf) {
            if (f.places[leaf] < 0) continue;
            const auto place = static_cast<std::size_t>(f.places[leaf]);
            const ir::Value value = forwarded_value(*f.block, f.block->results[place]);
            Value seen = stand_in(f.results[place]);
            for (std::size_t p = 0; p < fwd_->params.size(); ++p)
                if (fwd_->params[p].kind == Role::Kind::argument && f.block->params[p] == value)
                    seen = data_[fwd_->params[p].index];
            residuals_.push_back(seen);
        }
    }

    void stage_bwd() {
        const Value& bwd = t_.functions[2];
        Leaves leaves = captured(bwd);
        for (std::size_t i = 0; i < residuals_.size(); ++i) leaves.add(residuals_[i], {Role::Kind::residual, i});
        std::size_t cotangents = 0;
        for (const NumericType& t : result_.types)
            if (runtime::is_inexact(t.type.dtype)) leaves.add(stand_in(t), {Role::Kind::cotangent, cotangents++});
        const StagedFunction f = Staging(s_).function(
            bwd, leaves.all, {},
            [&](const std::vector<Value>& inner) {
                std::size_t next = 0;
                const Value out = call("bwd(residuals, cotangent)", bwd, inner, next, [&] {
                    const Value residuals = map_leaves(
                        residual_tree_, [&](const Value& leaf) { return leaf.number() ? leaf : inner.at(next++); });
                    return std::vector<Value>{residuals, cotangent_tree(inner, next)};
                });
                return Value::tuple(checked().cotangents(bwd, out));
            },
            span_);
        bwd_ = with_roles(f, leaves, computed(f));
    }

    /// Stages the transpose of a linear function. The residuals of the transpose are the leaves of the first argument.
    /// Its results are the cotangents of the leaves of the second argument.
    void stage_transpose() {
        const Restore transposed(s_.around().custom_rules.in_transpose, true);
        const Value& transpose = t_.functions[1];
        Leaves leaves = captured(transpose);
        const std::vector<Value> residuals = all_leaves(arguments_[0]);
        for (std::size_t i = 0; i < residuals.size(); ++i) leaves.add(residuals[i], roles_[i]);
        std::size_t cotangents = 0;
        for (const NumericType& t : result_.types) leaves.add(stand_in(t), {Role::Kind::cotangent, cotangents++});
        const StagedFunction f = Staging(s_).function(
            transpose, leaves.all, {},
            [&](const std::vector<Value>& inner) {
                std::size_t next = 0;
                const Value out = call("transpose(residuals, cotangent)", transpose, inner, next, [&] {
                    const Value first = replace_leaves(arguments_[0], inner, next);
                    return std::vector<Value>{first, cotangent_tree(inner, next)};
                });
                return Value::tuple(checked().linear_cotangents(out));
            },
            span_);
        bwd_ = with_roles(f, leaves, computed(f));
    }

    /// The cotangent that is passed to bwd. For a floating or complex leaf of f's result that is a known number, the
    /// cotangent is 0.0.
    Value cotangent_tree(const std::vector<Value>& inner, std::size_t& next) const {
        std::size_t leaf_number = 0;
        return derivative_tree(result_.tree, [&](const Value& leaf) -> Value {
            if (!result_.is_computed[leaf_number++]) return is_inexact(leaf) ? Value::floating(0.0) : Value();
            return is_inexact(leaf) ? inner.at(next++) : Value();
        });
    }

    // ---- the operation

    RoleLayout closed_layout() const {
        RoleLayout layout;
        for (std::size_t i = 0; i < closed_.size(); ++i) layout.push_back({{Role::Kind::closed, i}, closed_[i].second});
        return layout;
    }
    RoleLayout argument_layout(std::size_t first, std::size_t last) const {
        RoleLayout layout;
        for (std::size_t i = first; i < last; ++i)
            layout.push_back({{Role::Kind::argument, i}, numeric_type(data_[i]).type});
        return layout;
    }

    Value emit_linear() {
        std::size_t residuals = 0;
        for (std::size_t i = 0; i < all_leaves(arguments_[0]).size(); ++i)
            if (roles_[i].kind == Role::Kind::argument) ++residuals;
        const RoleLayout kept = joined(closed_layout(), argument_layout(0, residuals));
        RoleLayout back = kept;
        for (std::size_t i = 0; i < result_.types.size(); ++i)
            back.push_back({{Role::Kind::cotangent, i}, result_.types[i].type});
        return emit(
            ir::Op::custom_linear, kept.size(),
            {arranged(*bwd_, back), arranged(*primal_, joined(kept, argument_layout(residuals, data_.size())))});
    }

    Value emit() {
        const RoleLayout closed = closed_layout();
        const RoleLayout base = joined(closed, argument_layout(0, data_.size()));
        std::vector<BlockPtr> regions{arranged(*primal_, base)};
        if (rule_) {
            RoleLayout tangents;
            for (std::size_t i = 0; i < inexact_.size(); ++i)
                tangents.push_back({{Role::Kind::tangent, i}, numeric_type(inexact_[i]).type});
            regions.push_back(arranged(*rule_, joined(base, tangents)));
        }
        if (fwd_ && bwd_) {
            RoleLayout back = closed;
            for (std::size_t i = 0; i < residuals_.size(); ++i)
                back.push_back({{Role::Kind::residual, i}, numeric_type(residuals_[i]).type});
            std::size_t next = 0;
            for (const NumericType& t : result_.types)
                if (runtime::is_inexact(t.type.dtype)) back.push_back({{Role::Kind::cotangent, next++}, t.type});
            regions.push_back(arranged(*fwd_, base));
            regions.push_back(arranged(*bwd_, back));
        }
        return emit(ir::Op::custom, closed.size(), regions);
    }

    Value emit(ir::Op op, std::size_t leading, const std::vector<BlockPtr>& regions) {
        return s_.array_work(span_, [&] {
            Context& context = s_.here();
            ir::Values in;
            for (const auto& [v, type] : closed_) in.push_back(context.use(v, type.dtype));
            for (const Value& v : data_) in.push_back(context.use(v));
            const ir::Values made = context.build().emit(
                op, in, {{Attr::text, name_of(function())}, {Attr::closed, static_cast<std::int64_t>(leading)}},
                regions);
            std::size_t leaf_number = 0;
            std::size_t next = 0;
            return map_leaves(result_.tree, [&](const Value& leaf) {
                if (!result_.is_computed[leaf_number++]) return leaf;
                const std::size_t i = next++;
                return s_.wrap(made.at(i), result_.types[i].weak);
            });
        });
    }

    Stager& s_;
    const Transformed& t_;
    std::vector<Value> arguments_;
    Span span_;
    std::vector<Value> data_;    ///< the leaves of the arguments that are operands of the operation
    std::vector<Value> inexact_; ///< the leaves of `data_` that can have a tangent
    std::vector<Role> roles_;    ///< per leaf of the arguments: its role

    std::vector<std::pair<Value, Type>> closed_; ///< the values that the functions have captured, with their types
    CustomResult result_; ///< the result of f; its computed leaves are the results of the operation
    Value residual_tree_;
    std::vector<Value> residuals_; ///< the residuals that are passed to bwd
    std::optional<BlockWithRoles> primal_, rule_, fwd_, bwd_;
};

} // namespace

Value custom_call(Stager& s, const Transformed& t, const std::vector<Value>& arguments, Span span) {
    return CustomCall(s, t, arguments, span).run();
}

} // namespace pm::stage
