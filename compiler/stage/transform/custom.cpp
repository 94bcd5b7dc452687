// custom_jvp and custom_vjp: functions whose derivatives the program defines.
#include "compiler/stage/transform/custom.hpp"

#include "compiler/base/check.hpp"
#include "compiler/base/count.hpp"
#include "compiler/stage/call/staging.hpp"
#include "compiler/stage/core/restore.hpp"
#include "compiler/stage/known/operands.hpp"
#include "compiler/stage/values/tree.hpp"
#include "compiler/transform/core/bit_mask.hpp"
#include "compiler/transform/core/dependence.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pm::stage {
namespace {

using ir::Attr;
using ir::BlockPtr;
using transform::Slot;

bool is_inexact(const Value& leaf) { return runtime::is_inexact(numeric_type(leaf).type.dtype); }

/// The tree of tangents or cotangents of a value. Each numeric leaf is replaced by the result of `leaf`, and each other
/// part by `none`.
Value derivative_tree(const Value& v, const std::function<Value(const Value&)>& leaf) {
    if (v.is_numeric()) return leaf(v);
    if (const Tuple* t = v.tuple()) {
        std::vector<Value> items;
        for (const Value& item : t->items) items.push_back(derivative_tree(item, leaf));
        return Value::tuple(std::move(items), v.by_rows);
    }
    if (const Record* r = v.record()) {
        auto fields = r->fields;
        for (const std::size_t i : sorted_fields(*r)) fields[i].second = derivative_tree(fields[i].second, leaf);
        return Value::record(std::move(fields), v.by_rows);
    }
    return {};
}

/// The text of the tangents of a value: their types, and `none` for parts without a derivative.
std::string derivative_text(const Value& v) {
    return tree_text(derivative_tree(v, [](const Value& leaf) { return is_inexact(leaf) ? leaf : Value(); }));
}

/// Appends the derivative of each numeric leaf of `like` to `found`. The derivatives are the leaves of `given`, a tree
/// of the same structure. A `none` in `given` stands for zeros: a null is appended for each leaf of this part. Returns
/// false if the structures differ.
bool derivatives_of(const Value& like, const Value& given, std::vector<const Value*>& found) {
    if (given.is_none()) {
        found.resize(found.size() + leaves(like).size(), nullptr);
        return true;
    }
    if (like.is_numeric()) {
        found.push_back(&given);
        return given.is_numeric();
    }
    if (const Tuple* t = like.tuple()) {
        const Tuple* g = given.tuple();
        if (!g || g->items.size() != t->items.size()) return false;
        for (std::size_t i = 0; i < t->items.size(); ++i)
            if (!derivatives_of(t->items[i], g->items[i], found)) return false;
        return true;
    }
    if (const Record* r = like.record()) {
        const Record* g = given.record();
        if (!g || g->fields.size() != r->fields.size()) return false;
        for (const std::size_t i : sorted_fields(*r)) {
            const Value* part = g->find(r->fields[i].first);
            if (!part || !derivatives_of(r->fields[i].second, *part, found)) return false;
        }
        return true;
    }
    return false;
}

/// Traces v through calls that return a parameter unchanged: if v is a result of such a call, returns the forwarded
/// value of the operand for this parameter. Otherwise returns v.
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

/// The role of a parameter of a staged function. The index counts the parameters of the same kind.
enum class Kind : std::uint8_t { closed, argument, tangent, residual, cotangent };
struct Role {
    Kind kind;
    std::size_t index = 0;
    bool operator==(const Role&) const = default;
};

/// A block with the roles of its parameters.
struct Piece {
    BlockPtr block;
    std::vector<Role> params;
};

/// The roles and types of the parameters that a region of an instruction must have, in order.
using PieceLayout = std::vector<std::pair<Role, Type>>;

BlockPtr arranged(const Piece& piece, const PieceLayout& layout) {
    std::vector<Slot> slots;
    for (const auto& [role, type] : layout) {
        const auto at = std::find(piece.params.begin(), piece.params.end(), role);
        if (at == piece.params.end())
            slots.push_back({Slot::unused, type});
        else
            slots.push_back(transform::slot(static_cast<std::size_t>(at - piece.params.begin())));
    }
    return transform::with_params(*piece.block, slots);
}

PieceLayout joined(PieceLayout a, const PieceLayout& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
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

    /// Stages a call of a linear function. Outside of a custom_jvp rule nothing is transposed, so the call is an
    /// ordinary call. It is also an ordinary call within a transpose.
    Value run_linear() {
        if (s_.around().custom_rules.in_transpose || !s_.around().derivatives.of_tangents)
            return s_.calls().call({function(), std::move(arguments_), {}, span_});
        read_arguments();
        {
            const Restore order(s_.around().derivatives, Derivatives{}); // the function is run, not differentiated
            stage_primal();
        }
        stage_transpose();
        return emit_linear();
    }

    // ---- arguments

    /// Converts known numbers to values of the block, which can become known again like other values. Numbers that
    /// stay_known are not converted: bools, and integers that do not fit an i32.
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
                roles_.push_back({Kind::closed});
                return;
            }
            roles_.push_back({Kind::argument, data_.size()});
            data_.push_back(v);
        } else if (const Tuple* t = v.tuple()) {
            for (const Value& item : t->items) read_roles(item);
        } else if (const Record* r = v.record()) {
            for (const std::size_t i : sorted_fields(*r)) read_roles(r->fields[i].second);
        } else {
            // The argument is a function; its leaves are the values that it has captured.
            roles_.resize(roles_.size() + all_leaves(v).size(), {Kind::closed});
        }
    }

    // ---- staging

    /// The leaves that are passed to a staged function, with their roles: first the values that the function has
    /// captured, then the arguments.
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
        for (const Value& leaf : all_leaves(function)) made.add(leaf, {Kind::closed});
        return made;
    }
    Leaves with_arguments(const Value& function) const {
        Leaves made = captured(function);
        const std::vector<Value> given = all_leaves(Value::tuple(arguments_));
        PM_CHECK(given.size() == roles_.size());
        for (std::size_t i = 0; i < given.size(); ++i) made.add(given[i], roles_[i]);
        return made;
    }

    Piece piece(const StagedFunction& f, const Leaves& leaves, ir::Values results) {
        Piece made{transform::with_results(*f.block, std::move(results)), {}};
        const auto add = [&](Role role, const Value& v) {
            if (role.kind == Kind::closed) {
                role.index = closed_.size();
                closed_.emplace_back(v, f.block->type(f.block->params[made.params.size()]));
            }
            made.params.push_back(role);
        };
        for (std::size_t i = 0; i < leaves.all.size(); ++i)
            if (!f.known_leaves[i]) add(leaves.roles[i], leaves.all[i]);
        for (const Value& c : f.captures) add({Kind::closed}, c);
        PM_CHECK(made.params.size() == made.block->params.size());
        return made;
    }

    /// For each leaf of a staged function's result that is not a known number, the corresponding result of the
    /// function's block. Several leaves may have the same result of the block.
    static ir::Values computed(const StagedFunction& f) {
        ir::Values values;
        for (const std::int64_t place : f.places)
            if (place >= 0) values.push_back(f.block->results[static_cast<std::size_t>(place)]);
        return values;
    }

    /// Calls the function, with the values that it has captured replaced by leaves of `inner` from index `next` on.
    /// Calls a function of the user. `form` is the call in the error that the function has other parameters.
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
        // The rules define the derivative of the function, so the derivatives around the call do not apply to it. A
        // call within a custom_jvp rule is an exception: partial evaluation splits the function, and the part that
        // depends only on primals is differentiated like the code around the call.
        const Restore order(s_.around().derivatives,
                            s_.around().derivatives.of_tangents ? s_.around().derivatives : Derivatives{});
        const Leaves leaves = with_arguments(function());
        const StagedFunction f = Staging(s_).leaves({function(), arguments_, {}, span_}, leaves.all, {});
        result_ = f.result;
        for (const std::int64_t place : f.places) {
            in_result_.push_back(place >= 0);
            if (place >= 0) results_.push_back(f.results[static_cast<std::size_t>(place)]);
        }
        primal_ = piece(f, leaves, computed(f));
    }

    void stage_rule() {
        const Restore transposed(s_.around().custom_rules.in_transpose, false);
        const Value& rule = t_.functions[1];
        Leaves leaves = with_arguments(rule);
        for (std::size_t i = 0; i < inexact_.size(); ++i)
            leaves.add(stand_in(numeric_type(inexact_[i])), {Kind::tangent, i});
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
                const std::vector<Value>& pair = need_pair("rule", rule, "(result, tangent)", out);
                std::vector<Value> made = results_of("rule", rule, pair[0]);
                const std::vector<Value> tangents = tangents_of(rule, pair[1]);
                made.insert(made.end(), tangents.begin(), tangents.end());
                return Value::tuple(std::move(made));
            },
            span_);
        rule_ = piece(f, leaves, computed(f));
        refuse_tangents_in_result();
    }

    /// Raises if a result of the rule depends on a tangent. The result of a rule must be that of the function, which
    /// has no tangents as arguments.
    void refuse_tangents_in_result() const {
        transform::BitMask tangents;
        for (const Role& role : rule_->params) tangents.push_back(role.kind == Kind::tangent);
        const transform::BitMask depends = transform::Dependence().results(rule_->block, tangents);
        const auto end = depends.begin() + static_cast<std::ptrdiff_t>(results_.size());
        if (std::find(depends.begin(), end, true) == end) return;
        const std::string f = name_of(function());
        raise(diagnose(Diag::custom_result, span_, "rule", f, f, tree_text(result_), "one that depends on a tangent")
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
                const std::vector<Value>& pair = need_pair("fwd", fwd, "(result, residuals)", out);
                return Value::tuple({Value::tuple(results_of("fwd", fwd, pair[0])), pair[1]});
            },
            span_);
        fwd_ = piece(f, leaves, computed(f));
        residual_tree_ = f.result.tuple()->items[1];
        // A residual that is an argument can become known if the argument can become known.
        const std::size_t results = results_.size();
        for (std::size_t leaf = results; leaf < f.places.size(); ++leaf) {
            if (f.places[leaf] < 0) continue;
            const auto place = static_cast<std::size_t>(f.places[leaf]);
            const ir::Value value = forwarded_value(*f.block, f.block->results[place]);
            Value seen = stand_in(f.results[place]);
            for (std::size_t p = 0; p < fwd_->params.size(); ++p)
                if (fwd_->params[p].kind == Kind::argument && f.block->params[p] == value)
                    seen = data_[fwd_->params[p].index];
            residuals_.push_back(seen);
        }
    }

    void stage_bwd() {
        const Value& bwd = t_.functions[2];
        Leaves leaves = captured(bwd);
        for (std::size_t i = 0; i < residuals_.size(); ++i) leaves.add(residuals_[i], {Kind::residual, i});
        std::size_t cotangents = 0;
        for (const NumericType& t : results_)
            if (runtime::is_inexact(t.type.dtype)) leaves.add(stand_in(t), {Kind::cotangent, cotangents++});
        const StagedFunction f = Staging(s_).function(
            bwd, leaves.all, {},
            [&](const std::vector<Value>& inner) {
                std::size_t next = 0;
                const Value out = call("bwd(residuals, cotangent)", bwd, inner, next, [&] {
                    const Value residuals = map_leaves(
                        residual_tree_, [&](const Value& leaf) { return leaf.number() ? leaf : inner.at(next++); });
                    return std::vector<Value>{residuals, cotangent_tree(inner, next)};
                });
                return Value::tuple(cotangents_of(bwd, out));
            },
            span_);
        bwd_ = piece(f, leaves, computed(f));
    }

    /// Stages the transpose of a linear function. The residuals are the leaves of the first argument. The results are
    /// the cotangents of the leaves of the second argument.
    void stage_transpose() {
        const Restore transposed(s_.around().custom_rules.in_transpose, true);
        const Value& transpose = t_.functions[1];
        Leaves leaves = captured(transpose);
        const std::vector<Value> residuals = all_leaves(arguments_[0]);
        for (std::size_t i = 0; i < residuals.size(); ++i) leaves.add(residuals[i], roles_[i]);
        std::size_t cotangents = 0;
        for (const NumericType& t : results_) leaves.add(stand_in(t), {Kind::cotangent, cotangents++});
        const StagedFunction f = Staging(s_).function(
            transpose, leaves.all, {},
            [&](const std::vector<Value>& inner) {
                std::size_t next = 0;
                const Value out = call("transpose(residuals, cotangent)", transpose, inner, next, [&] {
                    const Value first = replace_leaves(arguments_[0], inner, next);
                    return std::vector<Value>{first, cotangent_tree(inner, next)};
                });
                return Value::tuple(linear_cotangents(out));
            },
            span_);
        bwd_ = piece(f, leaves, computed(f));
    }

    /// The cotangent that is passed to bwd. For a leaf of f's result that is a known number, the cotangent is 0.0.
    Value cotangent_tree(const std::vector<Value>& inner, std::size_t& next) const {
        std::size_t leaf_number = 0;
        return derivative_tree(result_, [&](const Value& leaf) -> Value {
            if (!in_result_[leaf_number++]) return is_inexact(leaf) ? Value::floating(0.0) : Value();
            return is_inexact(leaf) ? inner.at(next++) : Value();
        });
    }

    // ---- results of the program's functions

    /// Labels the signature of the function `maker` with the type of `made`, its result, unless the function is in the
    /// library.
    Diagnostic beside(Diagnostic d, const Value& maker, const Value& made) const {
        const Function* f = maker.function();
        if (f && f->closure() && !s_.places().in_library(f->closure()->text().signature))
            d.label(f->closure()->text().signature, fmt::format("gives {}", tree_text(made)));
        return d;
    }

    const std::vector<Value>& need_pair(std::string_view what, const Value& maker, std::string_view pair,
                                        const Value& out) const {
        if (out.tuple() && out.tuple()->items.size() == 2) return out.tuple()->items;
        raise(beside(diagnose(Diag::custom_pair, span_, what, name_of(function()), pair, tree_text(out)), maker, out));
    }

    /// For each leaf of f's result that is not a known number, the corresponding leaf of a rule's result `given`,
    /// converted to the type of the leaf of f's result.
    std::vector<Value> results_of(std::string_view what, const Value& maker, const Value& given) const {
        const auto refuse = [&] {
            const std::string f = name_of(function());
            raise(beside(diagnose(Diag::custom_result, span_, what, f, f, tree_text(result_), tree_text(given)), maker,
                         given));
        };
        if (!same_structure(given, result_)) refuse();
        std::vector<Value> made;
        const std::vector<Value> all = leaves(given);
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (!in_result_[i]) continue;
            if (const auto v = fitted(s_, all[i], results_[made.size()]))
                made.push_back(*v);
            else
                refuse();
        }
        return made;
    }

    /// Appends `given`, the derivative of a leaf of this type, to `made`; null stands for zeros. Nothing is appended
    /// for a leaf that is not floating or complex, which has no derivative. Returns false if the derivative does not
    /// fit.
    bool add_derivative(std::vector<Value>& made, const Value* given, const Type& type) const {
        if (!runtime::is_inexact(type.dtype)) return given == nullptr;
        const std::optional<Value> v = given ? fitted(s_, *given, {type, false}) : s_.wrap(s_.build().zeros(type));
        if (v) made.push_back(*v);
        return v.has_value();
    }

    std::vector<Value> tangents_of(const Value& rule, const Value& given) const {
        const auto refuse = [&] {
            raise(beside(diagnose(Diag::custom_tangent, span_, name_of(function()), derivative_text(result_),
                                  tree_text(given)),
                         rule, given)
                      .note("a tangent has the type of its value; whole numbers, bools and text have none, and `none` "
                            "stands for zeros"));
        };
        std::vector<const Value*> found;
        if (!derivatives_of(result_, given, found)) refuse();
        std::vector<Value> made;
        std::size_t next = 0;
        for (std::size_t i = 0; i < found.size(); ++i) {
            if (!in_result_[i]) continue;
            if (!add_derivative(made, found[i], results_[next++].type)) refuse();
        }
        return made;
    }

    std::vector<Value> cotangents_of(const Value& bwd, const Value& given) const {
        const Tuple* entries = given.tuple();
        if (!entries || entries->items.size() != arguments_.size()) {
            auto d = beside(
                diagnose(Diag::custom_entries, span_, name_of(function()), Count{arguments_.size()}, tree_text(given)),
                bwd, given);
            if (arguments_.size() == 1) raise(std::move(d).fix("a tuple of one is written with a comma: (cotangent,)"));
            raise(std::move(d).fix("give none for an argument without a cotangent"));
        }
        std::vector<Value> made;
        for (std::size_t a = 0; a < arguments_.size(); ++a) {
            const auto refuse = [&] {
                raise(
                    beside(diagnose(Diag::custom_cotangent, span_, name_of(function()), derivative_text(arguments_[a]),
                                    argument_text(function(), a, ""), tree_text(entries->items[a])),
                           bwd, given)
                        .note("a cotangent has the type of its argument; whole numbers, bools, functions and text "
                              "have none, and `none` stands for zeros"));
            };
            std::vector<const Value*> found;
            if (!derivatives_of(arguments_[a], entries->items[a], found)) refuse();
            const std::vector<Value> likes = leaves(arguments_[a]);
            for (std::size_t i = 0; i < found.size(); ++i)
                if (!add_derivative(made, found[i], numeric_type(likes[i]).type)) refuse();
        }
        return made;
    }

    std::vector<Value> linear_cotangents(const Value& given) const {
        const auto refuse = [&] {
            raise(diagnose(Diag::custom_cotangent, span_, name_of(function()), derivative_text(arguments_[1]),
                           argument_text(function(), 1, ""), tree_text(given)));
        };
        std::vector<const Value*> found;
        if (!derivatives_of(arguments_[1], given, found)) refuse();
        std::vector<Value> made;
        const std::vector<Value> likes = leaves(arguments_[1]);
        for (std::size_t i = 0; i < found.size(); ++i)
            if (!add_derivative(made, found[i], numeric_type(likes[i]).type)) refuse();
        return made;
    }

    // ---- the operation

    PieceLayout closed_layout() const {
        PieceLayout layout;
        for (std::size_t i = 0; i < closed_.size(); ++i) layout.push_back({{Kind::closed, i}, closed_[i].second});
        return layout;
    }
    PieceLayout argument_layout(std::size_t first, std::size_t last) const {
        PieceLayout layout;
        for (std::size_t i = first; i < last; ++i) layout.push_back({{Kind::argument, i}, numeric_type(data_[i]).type});
        return layout;
    }

    Value emit_linear() {
        std::size_t residuals = 0;
        for (std::size_t i = 0; i < all_leaves(arguments_[0]).size(); ++i)
            if (roles_[i].kind == Kind::argument) ++residuals;
        const PieceLayout kept = joined(closed_layout(), argument_layout(0, residuals));
        PieceLayout back = kept;
        for (std::size_t i = 0; i < results_.size(); ++i) back.push_back({{Kind::cotangent, i}, results_[i].type});
        return emit(
            ir::Op::custom_linear, kept.size(),
            {arranged(*bwd_, back), arranged(*primal_, joined(kept, argument_layout(residuals, data_.size())))});
    }

    Value emit() {
        const PieceLayout closed = closed_layout();
        const PieceLayout base = joined(closed, argument_layout(0, data_.size()));
        std::vector<BlockPtr> regions{arranged(*primal_, base)};
        if (rule_) {
            PieceLayout tangents;
            for (std::size_t i = 0; i < inexact_.size(); ++i)
                tangents.push_back({{Kind::tangent, i}, numeric_type(inexact_[i]).type});
            regions.push_back(arranged(*rule_, joined(base, tangents)));
        }
        if (fwd_ && bwd_) {
            PieceLayout back = closed;
            for (std::size_t i = 0; i < residuals_.size(); ++i)
                back.push_back({{Kind::residual, i}, numeric_type(residuals_[i]).type});
            std::size_t next = 0;
            for (const NumericType& t : results_)
                if (runtime::is_inexact(t.type.dtype)) back.push_back({{Kind::cotangent, next++}, t.type});
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
            return map_leaves(result_, [&](const Value& leaf) {
                if (!in_result_[leaf_number++]) return leaf;
                const std::size_t i = next++;
                return s_.wrap(made.at(i), results_[i].weak);
            });
        });
    }

    Stager& s_;
    const Transformed& t_;
    std::vector<Value> arguments_;
    Span span_;
    std::vector<Value> data_;    ///< the leaves of the arguments that are operands of the operation
    std::vector<Value> inexact_; ///< the leaves of `data_` that can have a tangent
    std::vector<Role> roles_;    ///< role of each leaf of the arguments

    std::vector<std::pair<Value, Type>> closed_; ///< the values that the functions have captured, with their types
    Value result_;                               ///< the result of f; its leaves are values of the primal's block
    std::vector<bool> in_result_;                ///< per leaf of `result_`: whether it is a result of the operation
    std::vector<NumericType> results_;           ///< types of the operation's results
    Value residual_tree_;
    std::vector<Value> residuals_; ///< the residuals that are passed to bwd
    std::optional<Piece> primal_, rule_, fwd_, bwd_;
};

} // namespace

Value custom_call(Stager& s, const Transformed& t, const std::vector<Value>& arguments, Span span) {
    return CustomCall(s, t, arguments, span).run();
}

} // namespace pm::stage
