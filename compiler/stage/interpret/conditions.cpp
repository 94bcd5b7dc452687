// The member functions of Expressions for `and`, `or` and `if`.
#include "compiler/stage/call/types_only.hpp"
#include "compiler/stage/interpret/control.hpp"
#include "compiler/stage/interpret/expressions.hpp"
#include "compiler/stage/known/arrays.hpp"
#include "compiler/stage/known/computed.hpp"
#include "compiler/stage/known/known.hpp"
#include "compiler/stage/names/names.hpp"

namespace pm::stage {

namespace {

bool is_written(const Value& v, bool value) {
    const Number* n = v.number();
    return n && !n->computed && (n->i != 0) == value;
}

} // namespace

/// The result of `and` or `or` if the left operand alone determines the result. If the left operand is a computed
/// number, compiled code selects one of the operands at run time. So the left operand is broadcast to the shape of the
/// right operand. If the right operand is a literal (true or false) that equals the left operand, the result is this
/// literal, which is not a computed number.
Value Expressions::decided(const Value& left, syntax::ExprId right, const std::function<Value()>& evaluated,
                           Span span) {
    if (!stages_both_branches(s_, left)) return left;
    const std::set<std::string> names = assigned_names(s_.tree(), right);
    const auto types = TypesOnly(s_, names, {}).of(evaluated);
    if (!types || !types->value.is_numeric()) return left;
    if (is_written(types->value, is_true(s_, left, span))) return types->value;
    if (numeric_type(types->value).type.rank() == 0) return left;
    return s_.array_work(
        span, [&] { return s_.wrap(s_.build().broadcast_to(s_.use(left), numeric_type(types->value).type.shape)); });
}

/// Evaluates `and` and `or`.
Value Expressions::logical(const syntax::Binary& b, Span span) {
    const Value left = as_data_if_computed(s_, evaluate(b.left));
    const bool scalar = left.is_numeric() && numeric_type(left).type.rank() == 0;
    if (!scalar) {
        if (!left.is_numeric()) known_condition(s_, left, s_.tree()[b.left].span); // raises
        return binary(s_, b.op, left, evaluate(b.right), span);
    }
    const auto right = [&] {
        Value v = evaluate(b.right);
        if (!v.is_numeric() || numeric_type(v).type.dtype != DType::b1)
            known_condition(s_, v, s_.tree()[b.right].span); // raises
        return v;
    };
    const bool either = b.op == syntax::BinaryOp::logical_or;
    if (const auto known = known_condition(s_, left, s_.tree()[b.left].span)) {
        if (*known == either) return decided(chosen(s_, left, Value::boolean(*known)), b.right, right, span);
        const Value v = right();
        return stages_both_branches(s_, left) && is_written(v, either) ? v : chosen(s_, left, v);
    }
    // The right operand is staged as the first branch, because the second branch, the value of the left operand, is
    // broadcast to its shape. For `or`, the condition must be negated for this order of the branches.
    const Span at = s_.tree()[b.left].span;
    Shape shape;
    return Control(s_).branch(
        {either ? elementwise(s_, ir::Op::not_, {left}, at) : left, at},
        [&] {
            Value v = right();
            if (v.is_numeric()) shape = numeric_type(v).type.shape;
            return v;
        },
        [&]() -> Value {
            if (shape.empty()) return Value::boolean(either);
            return s_.wrap(s_.build().constant_i(DType::b1, either ? 1 : 0, shape));
        },
        span);
}

namespace {

/// The blocks of the branches of `node` from branch number `at` on, including the block of `else`.
std::vector<syntax::BlockId> blocks_of(const syntax::If& node, std::size_t at) {
    std::vector<syntax::BlockId> blocks;
    for (std::size_t i = at; i < node.branches.size(); ++i) blocks.push_back(node.branches[i].block);
    if (node.otherwise) blocks.push_back(node.otherwise);
    return blocks;
}

} // namespace

/// Called if compiled code also knows the value of the condition. Runs the branch that the condition selects. If the
/// condition is a computed number, the numbers that the branch returns or assigns become computed numbers.
Value Expressions::taken_in_code(const syntax::If& node, std::size_t at, const Value& condition,
                                 const std::function<Value()>& side, Flow* flow) {
    const Value value = chosen(s_, condition, side());
    if (flow) flow->value = value;
    const Assigned& all = assigned_in(s_, blocks_of(node, at));
    s_.frame().returns_computed = s_.frame().returns_computed || all.returns;
    for (const std::string& name : all.names)
        for (std::size_t i = s_.frame().locals.size(); i-- > 0;) {
            if (s_.frame().locals[i].name != name) continue;
            Value& assigned = s_.frame().locals[i].cell.value;
            assigned = chosen(s_, condition, assigned);
            break;
        }
    return value;
}

/// Runs the branch that a computed condition selects in an interpreted function. The value of the branch and the
/// assigned locals get the types that compiled code would give to the joined results of both branches.
Value Expressions::taken_branch(const syntax::If& node, std::size_t at, bool first,
                                const std::function<Flow(bool first)>& side, Flow* flow) {
    const std::vector<syntax::BlockId> blocks = blocks_of(node, at);
    const Assigned& assigned = assigned_in(s_, blocks);
    BranchTypes branch_types(s_, assigned);
    Flow taken = side(first);
    s_.interpreted().returns_computed = s_.interpreted().returns_computed || assigned.returns;
    s_.interpreted().leaves_computed = s_.interpreted().leaves_computed || assigned.leaves;
    const auto other = [&]() -> Value {
        const Flow flow = side(!first);
        return taken.is(Flow::normal) && flow.is(Flow::normal) ? flow.value : Value(None{});
    };
    const bool alone = first && blocks.size() == 1;
    branch_types.join(taken.value, first, alone ? std::function<Value()>() : other);
    Value value = taken.value;
    if (flow) *flow = std::move(taken);
    return value;
}

Value Expressions::conditional(const syntax::If& node, std::size_t at, Span span, Flow* flow, bool wanted) {
    // If `flow` is not null, the caller also needs to know how the selected block ended. An `if` without `else` has no
    // value.
    const bool has_value = node.otherwise && wanted;
    const auto run_branch = [&](syntax::BlockId block) -> Value {
        Flow f = run_block(s_, block, has_value);
        if (flow) *flow = f;
        return f.value;
    };
    if (at == node.branches.size()) {
        if (node.otherwise) return run_branch(node.otherwise);
        if (flow) *flow = Flow{};
        return None{};
    }
    const syntax::If::Branch& branch = node.branches[at];
    const Value condition = as_data_if_computed(s_, evaluate(branch.condition));
    if (const auto known = known_condition(s_, condition, s_.tree()[branch.condition].span)) {
        const auto taken = [&] {
            return *known ? run_branch(branch.block) : conditional(node, at + 1, span, flow, wanted);
        };
        if (!stages_both_branches(s_, condition))
            return known_in_code(s_, condition) ? taken_in_code(node, at, condition, taken, flow) : taken();
        const auto side = [&](bool first) {
            if (first) return run_block(s_, branch.block, has_value);
            Flow f;
            conditional(node, at + 1, span, &f, wanted);
            return f;
        };
        return taken_branch(node, at, *known, side, flow);
    }
    const Condition asked{condition, s_.tree()[branch.condition].span};
    bool early = false;
    for (std::size_t i = at; i < node.branches.size(); ++i)
        early = early || leaves_early(s_.tree(), node.branches[i].block);
    if (node.otherwise) early = early || leaves_early(s_.tree(), node.otherwise);
    if (!early || !flow) {
        const Value value = Control(s_).branch(
            asked,
            [&]() -> Value {
                Value v = run_block(s_, branch.block, has_value).value;
                return has_value ? v : Value(None{});
            },
            [&]() -> Value {
                Value v = conditional(node, at + 1, span, nullptr, has_value);
                return has_value ? v : Value(None{});
            },
            span);
        if (flow) {
            *flow = Flow{};
            flow->value = value;
        }
        return value;
    }
    const auto pack = [](const Flow& f) { return Value::tuple({f.code, f.value}); };
    Flow left, right;
    const Value joined = Control(s_).branch(
        asked, [&] { return pack(left = run_block(s_, branch.block, has_value)); },
        [&] {
            conditional(node, at + 1, span, &right, has_value);
            return pack(right);
        },
        span, true);
    flow->none_at_end = left.ends_in_none() || right.ends_in_none();
    flow->none_returned = left.returns_none() || right.returns_none();
    flow->code = joined.tuple()->items[0];
    flow->value = joined.tuple()->items[1];
    return flow->value;
}

} // namespace pm::stage
