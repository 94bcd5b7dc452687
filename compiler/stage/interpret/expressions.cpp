#include "compiler/stage/interpret/expressions.hpp"

#include "compiler/base/check.hpp"
#include "compiler/stage/call/call_arguments.hpp"
#include "compiler/stage/call/donation.hpp"
#include "compiler/stage/call/types_only.hpp"
#include "compiler/stage/check/check.hpp"
#include "compiler/stage/core/restore.hpp"
#include "compiler/stage/core/stager.hpp"
#include "compiler/stage/interpret/assertion.hpp"
#include "compiler/stage/interpret/control.hpp"
#include "compiler/stage/interpret/loops.hpp"
#include "compiler/stage/known/embedded.hpp"
#include "compiler/stage/known/known_arithmetic.hpp"
#include "compiler/stage/known/operands.hpp"
#include "compiler/stage/known/printing.hpp"
#include "compiler/stage/names/names.hpp"
#include "compiler/syntax/left_chain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace pm::stage {

// ---- names

namespace {

Cell* known(Cell& cell) {
    if (cell.unknown) throw runtime::AbstractRead{};
    return &cell;
}

} // namespace

Cell* Stager::find(const std::string& name) {
    for (std::size_t i = frame_->locals.size(); i-- > 0;)
        if (frame_->locals[i].name == name) return known(frame_->locals[i].cell);
    if (const auto at = frame_->globals->names.find(name); at != frame_->globals->names.end()) {
        known(at->second);
        if (!interpreting()) specialiser_->record_dependency(name);
        return specialiser_->global_cell(name, at->second);
    }
    if (!interpreting()) specialiser_->record_dependency(name); // a later definition in the module hides the prelude's
    auto& library = modules_.prelude()->names;
    const auto at = library.find(name);
    return at == library.end() ? nullptr : known(at->second);
}

namespace {

/// The names of a frame and its module, in an order that does not depend on addresses.
NearNames own_names(const Frame& frame) {
    NearNames own;
    for (std::size_t i = frame.locals.size(); i-- > 0 && !own.full();) own.add(frame.locals[i].name);
    std::vector<std::string> globals;
    for (const auto& [name, cell] : frame.globals->names) globals.push_back(name);
    std::sort(globals.begin(), globals.end());
    for (std::string& name : globals) own.add(std::move(name));
    return own;
}

} // namespace

const Value& Stager::lookup(const std::string& name, Span span) {
    if (const Cell* cell = find(name)) return value_of(name, *cell, span);
    // A module of the standard library needs no import: it is loaded at the first use of its name.
    if (embedded_module(name)) return modules_.of_library(name, span);
    if (host_.told && host_.told(Diag::unknown_name, span)) raise(diagnose(Diag::unknown_name, span, name));
    const NearNames own = own_names(*frame_);
    std::vector<std::string> global;
    for (const auto& [known_name, cell] : modules_.prelude()->names)
        if (!cell.value.module()) global.push_back(known_name); // LibraryNames adds the offered modules itself
    const LibraryNames library(std::move(global));
    const auto is_value = [this](std::string_view module) {
        const Cell* cell = cell_of(std::string(module));
        return cell && !cell->value.module();
    };
    raise(unknown_name(name, span, {{&own}, library.seen_by(name), is_value}, path_at(sources_, span)));
}

Diagnostic Stager::unknown_target(const std::string& name, Span span) const {
    if (host_.told && host_.told(Diag::unknown_name, span)) return diagnose(Diag::unknown_name, span, name);
    const NearNames own = own_names(*frame_); // the names that can be assigned, without those of the library
    return unknown_assigned(name, span, {&own}, sources_);
}

// ---- literals

namespace {

/// 128 for i8: the literal fits only with a minus before it.
std::uint64_t magnitude_of_least(DType dtype) { return std::uint64_t{1} << (8 * runtime::size_of(dtype) - 1); }

Value literal(const syntax::IntLiteral& n, Span span, const SourceMap& sources) {
    const auto written = [&] { return sources.text(span); };
    if (!n.dtype) {
        if (n.value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
            raise(diagnose(Diag::number_too_large, span, written(), "i64")
                      .fix(fmt::format("write it as a u64: {}u64", written())));
        return Value::integer(static_cast<std::int64_t>(n.value));
    }
    // The parser accepts the maximum of a signed dtype plus one, since a minus may precede it.
    if (runtime::is_signed_integer(*n.dtype) && n.value == magnitude_of_least(*n.dtype))
        raise(diagnose(Diag::number_too_large, span, written(), runtime::name(*n.dtype)));
    if (!runtime::is_integer(*n.dtype)) return rounded(Number::of(static_cast<double>(n.value)), *n.dtype);
    Number made;
    made.dtype = n.dtype;
    made.i = static_cast<std::int64_t>(n.value);
    return made;
}

/// The value of `-128i8`, the least number of a dtype, whose digits alone do not fit. nullopt for other expressions.
std::optional<Number> least_number(const syntax::Module& tree, const syntax::Unary& n) {
    const auto* digits = std::get_if<syntax::IntLiteral>(&tree[n.operand].node);
    if (n.op != syntax::UnaryOp::negate || !digits) return {};
    const DType dtype = digits->dtype.value_or(DType::i64);
    if (!runtime::is_signed_integer(dtype) || digits->value != magnitude_of_least(dtype)) return {};
    return Number{Number::Kind::integer, -static_cast<std::int64_t>(digits->value - 1) - 1, 0, digits->dtype};
}

Value literal(const syntax::FloatLiteral& n) {
    const Number made = Number::of(n.value);
    return n.dtype ? rounded(made, *n.dtype) : made;
}

} // namespace

namespace {

/// The array literal that is the only argument of a call. Null for other arguments.
const syntax::Array* only_literal(const syntax::Module& tree, const std::vector<syntax::Argument>& arguments) {
    if (arguments.size() != 1 || arguments[0].named() || arguments[0].spread) return nullptr;
    return std::get_if<syntax::Array>(&tree[arguments[0].value].node);
}

} // namespace

Value Stager::evaluate(syntax::ExprId id) { return Expressions(*this).evaluate(id); }

Value Expressions::evaluate(syntax::ExprId id) {
    const syntax::Module& module = s_.tree();
    const syntax::Expr& e = module[id];
    return std::visit(
        [&](const auto& n) -> Value {
            using T = std::decay_t<decltype(n)>;
            if constexpr (std::is_same_v<T, syntax::IntLiteral>)
                return literal(n, e.span, s_.sources());
            else if constexpr (std::is_same_v<T, syntax::FloatLiteral>)
                return literal(n);
            else if constexpr (std::is_same_v<T, syntax::ImaginaryLiteral>)
                return Value(Number::of(std::complex<double>(0, n.value)));
            else if constexpr (std::is_same_v<T, syntax::BoolLiteral>)
                return Value::boolean(n.value);
            else if constexpr (std::is_same_v<T, syntax::NoneLiteral>)
                return None{};
            else if constexpr (std::is_same_v<T, syntax::StringLiteral>)
                return string(n);
            else if constexpr (std::is_same_v<T, syntax::NameRef>)
                return s_.lookup(n.text, e.span);
            else if constexpr (std::is_same_v<T, syntax::Transform>)
                return s_.lookup(std::string(syntax::name(n.kind)), e.span);
            else if constexpr (std::is_same_v<T, syntax::Tuple>)
                return Value::tuple(values_of(n.items));
            else if constexpr (std::is_same_v<T, syntax::Array>)
                return array_literal(n, e.span);
            else if constexpr (std::is_same_v<T, syntax::Record>)
                return record_literal(n);
            else if constexpr (std::is_same_v<T, syntax::Comprehension>)
                return comprehension(n, e.span);
            else if constexpr (std::is_same_v<T, syntax::Unary>) {
                if (const auto least = least_number(module, n)) return *least;
                return s_.unary(n.op, evaluate(n.operand), e.span);
            } else if constexpr (std::is_same_v<T, syntax::Binary>)
                return in_left_chain(e) ? chain(id) : logical(n, e.span);
            else if constexpr (std::is_same_v<T, syntax::Range>) {
                Range range;
                range.parts = {evaluate(n.first), evaluate(n.last), Value::integer(1)};
                return std::make_shared<const Range>(std::move(range));
            } else if constexpr (std::is_same_v<T, syntax::Call>)
                return call(n, id);
            else if constexpr (std::is_same_v<T, syntax::TransformCall>)
                return s_.call(s_.lookup(std::string(syntax::name(n.kind)), n.keyword),
                               evaluate_arguments(n.arguments, e.span));
            else if constexpr (std::is_same_v<T, syntax::MethodCall>) {
                const auto named = s_.modules().prelude()->names.find(n.name.text);
                const auto called = [&] { return method_call(n, e.span); };
                return named != s_.modules().prelude()->names.end() && is_native(named->second.value, Native::chooses)
                           ? choice(called, id)
                           : called();
            } else if constexpr (std::is_same_v<T, syntax::Field>)
                return std::holds_alternative<syntax::IntLiteral>(module[n.object].node)
                           ? field_of_literal(n, e.span)
                           : s_.field(evaluate(n.object), n.name, e.span);
            else if constexpr (std::is_same_v<T, syntax::TupleIndex>)
                return tuple_index(evaluate(n.object), n.index, n.index_span);
            else if constexpr (std::is_same_v<T, syntax::Index>)
                return s_.index(evaluate(n.object), n.items, e.span);
            else if constexpr (std::is_same_v<T, syntax::With>) {
                Value base = evaluate(n.base);
                return s_.update(base, n.path, 0, n.op, evaluate(n.value), e.span);
            } else if constexpr (std::is_same_v<T, syntax::If>)
                return conditional(n, 0, e.span, nullptr);
            else if constexpr (std::is_same_v<T, syntax::Lambda>)
                return function(n.function);
            else
                PM_UNREACHABLE();
        },
        e.node);
}

Value Expressions::call(const syntax::Call& n, syntax::ExprId id) {
    const Span span = s_.tree()[id].span;
    const Value callee = evaluate(n.callee);
    if (is_native(callee, Native::looks_at_condition) && assertion(s_, n, span)) return None{};
    if (const auto* literal = callee.dtype() ? only_literal(s_.tree(), n.arguments) : nullptr)
        return typed_literal(*literal, *callee.dtype(), span);
    const bool literals = is_native(callee, Native::reads_literals);
    if (!is_native(callee, Native::chooses)) return s_.call(callee, evaluate_arguments(n.arguments, span, literals));
    return choice([&] { return s_.call(callee, evaluate_arguments(n.arguments, span, literals)); }, id);
}

/// A call of a function that returns one of its arguments (Native::chooses). At top level each argument is a program of
/// its own, which a failed check stops. The call then runs again as one program, in which a check counts only where its
/// value is chosen. A call whose arguments assign names does not run again.
Value Expressions::choice(const std::function<Value()>& call, syntax::ExprId id) {
    const auto on_side = [&] {
        const Restore scope(s_.on_side_, true);
        return call();
    };
    if (!s_.interpreting()) return on_side();
    try {
        return call();
    } catch (const Error& failure) {
        const Diag failed = failure.diagnostic().id;
        if (failed != Diag::division_by_zero && failed != Diag::index_out_of_range) throw;
        if (!assigned_names(s_.tree(), id).empty()) throw;
        try {
            return s_.array_work(s_.tree()[id].span, [&] {
                Value made = on_side();
                const auto prints = [](const ir::Inst& inst) { return inst.op == ir::Op::print; };
                if (ir::any_inst(s_.build().raw().block(), prints)) throw failure; // the text has been printed once
                return made;
            });
        } catch (const Error& again) { // the first error is reported: it is about the argument alone
            if (ends_run(again.diagnostic())) throw;
        } catch (const HostWork&) {
        } catch (const NeedKnown&) {
        } catch (const NeedUnroll&) {
        }
        throw;
    }
}

std::vector<Value> Stager::spread(const Value& v, Span span) {
    if (const auto* t = v.tuple()) return t->items;
    if (v.is_numeric() && numeric_type(v).type.rank() > 0) {
        std::vector<Value> parts;
        for (std::int64_t i = 0; i < numeric_type(v).type.shape[0]; ++i) parts.push_back(element(v, i, span));
        return parts;
    }
    raise(diagnose(Diag::rest_argument, span, describe(v)));
}

Value Stager::element(const Value& v, std::int64_t i, Span span) {
    if (const runtime::Array* a = v.array()) {
        specialiser_->note_value_read();
        return {a->at(i), v.weak};
    }
    return array_work(span, [&] {
        const ir::Value x = use(v);
        const Shape shape = build().shape(x);
        const ir::Value part = build().slice_axis(x, 0, i, i + 1);
        return wrap(build().reshape(part, Shape(shape.begin() + 1, shape.end())), numeric_type(v).weak);
    });
}

Value Expressions::record_literal(const syntax::Record& r) {
    std::vector<std::pair<std::string, Value>> fields;
    std::unordered_map<std::string, std::size_t> places;
    const auto put = [&](const std::string& name, Value value) {
        const auto [at, fresh] = places.try_emplace(name, fields.size());
        if (fresh)
            fields.emplace_back(name, std::move(value));
        else
            fields[at->second].second = std::move(value);
    };
    for (const syntax::RecordEntry& entry : r.entries) {
        Value v = evaluate(entry.value);
        if (!entry.spread) {
            put(entry.name.text, std::move(v));
            continue;
        }
        if (!v.record())
            raise(diagnose(Diag::wrong_kind, s_.tree()[entry.value].span, "`..` in a record", "a record", describe(v)));
        for (const auto& [name, value] : v.record()->fields) put(name, value);
    }
    return Value::record(std::move(fields));
}

std::vector<Value> Expressions::values_of(const std::vector<syntax::Item>& written, bool literals) {
    std::vector<Value> items;
    items.reserve(written.size());
    for (const syntax::Item& item : written) {
        const auto* inner = literals ? std::get_if<syntax::Array>(&s_.tree()[item.value].node) : nullptr;
        Value v = inner ? Value::tuple(values_of(inner->items, true)) : evaluate(item.value);
        if (!item.spread)
            items.push_back(std::move(v));
        else
            for (Value& part : s_.spread(v, s_.tree()[item.value].span)) items.push_back(std::move(part));
    }
    return items;
}

Value Expressions::typed_literal(const syntax::Array& a, DType dtype, Span span) {
    std::vector<Value> items;
    for (const syntax::Item& item : a.items) {
        const auto* inner = item.spread ? nullptr : std::get_if<syntax::Array>(&s_.tree()[item.value].node);
        const Value v = inner ? typed_literal(*inner, dtype, span) : evaluate(item.value);
        const std::vector<Value> parts = item.spread ? s_.spread(v, s_.tree()[item.value].span) : std::vector<Value>{v};
        for (const Value& part : parts) items.push_back(s_.cast(part, dtype, s_.tree()[item.value].span));
    }
    return s_.stack_values(items, span, dtype);
}

/// `(a, b)` for the literal `[a, b]` at `span`. nullopt for a long literal.
std::optional<std::string> Expressions::in_round_brackets(Span span, std::size_t items) {
    std::string_view inner = s_.sources().text(span);
    if (inner.size() < 2 || inner.size() > 80 || inner.find('\n') != inner.npos) return {};
    inner = inner.substr(1, inner.size() - 2);
    return fmt::format("({}{})", inner, items == 1 && inner.back() != ',' ? "," : "");
}

Value Expressions::array_literal(const syntax::Array& a, Span span) {
    const std::vector<Value> items = values_of(a.items);
    const auto other = std::find_if(items.begin(), items.end(), [](const Value& v) { return !v.is_numeric(); });
    if (other != items.end())
        if (const auto tuple = in_round_brackets(span, items.size()))
            raise(diagnose(Diag::wrong_kind, span, "an array", "numbers or arrays as elements", describe(*other))
                      .fix(fmt::format("put anything else in a tuple, which has round brackets: {}", *tuple)));
    return s_.stack_values(items, span);
}

Value Expressions::string(const syntax::StringLiteral& s) {
    std::string text;
    Template pieces;
    // A width or a number of digits must be known: it formats the text before the program runs.
    const auto known_part = [&](syntax::ExprId part) -> Value {
        const Value v = evaluate(part);
        return v.staged() ? Value::integer(s_.need_integer(v, s_.tree()[part].span, "a format")) : v;
    };
    const auto format_of = [&](const syntax::StringPiece& p) {
        if (!p.computed_format) return p.format;
        std::string format;
        for (const syntax::StringPiece& f : std::get<syntax::StringLiteral>(s_.tree()[p.computed_format].node).pieces)
            format += f.value ? s_.need_text(text_of(known_part(f.value), {}, f.span), f.span, "a format") : f.text;
        return format;
    };
    for (const syntax::StringPiece& p : s.pieces) {
        if (!p.value) {
            text += p.text;
            continue;
        }
        append_formatted(pieces, text, evaluate(p.value), format_of(p), p.span);
    }
    return text_value(std::move(pieces), std::move(text));
}

namespace {

bool is_written(const Value& v, bool value) {
    const Number* n = v.number();
    return n && !n->computed && (n->i != 0) == value;
}

} // namespace

/// The result of `and` or `or` that the left side alone decides. A computed left side gets the shape of the right side,
/// as in compiled code that chooses at run time. If the right side is known to be the same, the result is not computed.
Value Expressions::decided(const Value& left, syntax::ExprId right, const std::function<Value()>& evaluated,
                           Span span) {
    if (!has_both_sides(s_, left)) return left;
    const std::set<std::string> names = assigned_names(s_.tree(), right);
    const auto types = TypesOnly(s_, names, {}).of(evaluated);
    if (!types || !types->value.is_numeric()) return left;
    if (is_written(types->value, s_.is_true(left, span))) return types->value;
    if (numeric_type(types->value).type.rank() == 0) return left;
    return s_.array_work(
        span, [&] { return s_.wrap(s_.build().broadcast_to(s_.use(left), numeric_type(types->value).type.shape)); });
}

/// `and` and `or`.
Value Expressions::logical(const syntax::Binary& b, Span span) {
    const Value left = s_.undecided(evaluate(b.left));
    const bool scalar = left.is_numeric() && numeric_type(left).type.rank() == 0;
    if (!scalar) {
        if (!left.is_numeric()) s_.known_condition(left, s_.tree()[b.left].span); // raises
        return s_.binary(b.op, left, evaluate(b.right), span);
    }
    const auto right = [&] {
        Value v = evaluate(b.right);
        if (!v.is_numeric() || numeric_type(v).type.dtype != DType::b1)
            s_.known_condition(v, s_.tree()[b.right].span); // raises
        return v;
    };
    const bool either = b.op == syntax::BinaryOp::logical_or;
    if (const auto known = s_.known_condition(left, s_.tree()[b.left].span)) {
        if (*known == either) return decided(s_.chosen(left, Value::boolean(*known)), b.right, right, span);
        const Value v = right();
        return has_both_sides(s_, left) && is_written(v, either) ? v : s_.chosen(left, v);
    }
    // The right side is staged as the first branch, since the other branch gets its shape. For `or` the condition is
    // therefore negated.
    const Span at = s_.tree()[b.left].span;
    Shape shape;
    return Control(s_).branch(
        {either ? s_.elementwise(ir::Op::not_, {left}, at) : left, at},
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

Value Expressions::chain(syntax::ExprId id) {
    const auto& last = std::get<syntax::Binary>(s_.tree()[id].node);
    if (!in_left_chain(s_.tree()[last.left])) { // most are one operator, and need no list
        const Value left = evaluate(last.left);
        return chain_step({id, &last}, left, evaluate(last.right));
    }
    const syntax::LeftChain chain = left_chain(s_.tree(), id);
    Value left = evaluate(chain.first);
    for (const syntax::LeftChain::Step& step : chain.steps) {
        const Value right = evaluate(step.node->right);
        left = chain_step(step, left, right);
    }
    return left;
}

Value Expressions::chain_step(const syntax::LeftChain::Step& step, const Value& left, const Value& right) {
    const Span span = s_.tree()[step.id].span;
    try {
        return s_.binary(step.node->op, left, right, span);
    } catch (Error& e) {
        const syntax::Binary& b = *step.node;
        show_operands(e.diagnostic(), span, {{s_.tree()[b.left].span, &left}, {s_.tree()[b.right].span, &right}});
        throw;
    }
}

Stager::CallArguments Expressions::evaluate_arguments(const std::vector<syntax::Argument>& arguments, Span span,
                                                      bool literals) {
    Stager::CallArguments given;
    given.span = span;
    given.written = &arguments;
    given.positional.reserve(arguments.size());
    given.positional_spans.reserve(arguments.size());
    for (const syntax::Argument& a : arguments) {
        const Span at = s_.tree()[a.value].span;
        const auto* literal = literals ? std::get_if<syntax::Array>(&s_.tree()[a.value].node) : nullptr;
        Value v = literal ? Value::tuple(values_of(literal->items, true)) : evaluate(a.value);
        if (a.named()) {
            given.named.emplace_back(a.name.text, std::move(v));
            given.named_spans.push_back(at);
            given.name_spans.push_back(a.name.span);
        } else if (a.spread) {
            for (Value& part : s_.spread(v, at)) {
                given.positional.push_back(std::move(part));
                given.positional_spans.push_back(at);
            }
        } else {
            given.positional.push_back(std::move(v));
            given.positional_spans.push_back(at);
        }
    }
    return given;
}

namespace {

/// The blocks of the branches from `at` on, with `else`.
std::vector<syntax::BlockId> blocks_of(const syntax::If& node, std::size_t at) {
    std::vector<syntax::BlockId> blocks;
    for (std::size_t i = at; i < node.branches.size(); ++i) blocks.push_back(node.branches[i].block);
    if (node.otherwise) blocks.push_back(node.otherwise);
    return blocks;
}

} // namespace

/// Takes one side of a condition that is known in compiled code. If the condition is computed, the numbers that it
/// chooses count as computed.
Value Expressions::taken_in_code(const syntax::If& node, std::size_t at, const Value& condition,
                                 const std::function<Value()>& side, Flow* flow) {
    const Value value = s_.chosen(condition, side());
    if (flow) flow->value = value;
    const Assigned& all = assigned_in(s_, blocks_of(node, at));
    s_.frame().returns_computed = s_.frame().returns_computed || all.returns;
    for (const std::string& name : all.names)
        for (std::size_t i = s_.frame().locals.size(); i-- > 0;) {
            if (s_.frame().locals[i].name != name) continue;
            Value& assigned = s_.frame().locals[i].cell.value;
            assigned = s_.chosen(condition, assigned);
            break;
        }
    return value;
}

/// Takes the known side of a computed condition in an interpreted function. The values get the types that both sides
/// have.
Value Expressions::taken_side(const syntax::If& node, std::size_t at, bool first,
                              const std::function<Flow(bool first)>& side, Flow* flow) {
    const std::vector<syntax::BlockId> blocks = blocks_of(node, at);
    const Assigned& assigned = assigned_in(s_, blocks);
    Sides sides(s_, assigned);
    Flow taken = side(first);
    s_.interpreted().returns_computed = s_.interpreted().returns_computed || assigned.returns;
    s_.interpreted().leaves_computed = s_.interpreted().leaves_computed || assigned.leaves;
    const auto other = [&]() -> Value {
        const Flow flow = side(!first);
        return taken.is(Flow::normal) && flow.is(Flow::normal) ? flow.value : Value(None{});
    };
    const bool alone = first && blocks.size() == 1;
    sides.join(taken.value, first, alone ? std::function<Value()>() : other);
    Value value = taken.value;
    if (flow) *flow = std::move(taken);
    return value;
}

Value Expressions::conditional(const syntax::If& node, std::size_t at, Span span, Flow* flow, bool wanted) {
    // Without `flow` only the value counts; with it also how the block ended. Without `else` there is no value.
    const bool has_value = node.otherwise && wanted;
    const auto run_block = [&](syntax::BlockId block) -> Value {
        Flow f = s_.execute(block, has_value);
        if (flow) *flow = f;
        return f.value;
    };
    if (at == node.branches.size()) {
        if (node.otherwise) return run_block(node.otherwise);
        if (flow) *flow = Flow{};
        return None{};
    }
    const syntax::If::Branch& branch = node.branches[at];
    const Value condition = s_.undecided(evaluate(branch.condition));
    if (const auto known = s_.known_condition(condition, s_.tree()[branch.condition].span)) {
        const auto taken = [&] {
            return *known ? run_block(branch.block) : conditional(node, at + 1, span, flow, wanted);
        };
        if (!has_both_sides(s_, condition))
            return s_.known_in_code(condition) ? taken_in_code(node, at, condition, taken, flow) : taken();
        const auto side = [&](bool first) {
            if (first) return s_.execute(branch.block, has_value);
            Flow f;
            conditional(node, at + 1, span, &f, wanted);
            return f;
        };
        return taken_side(node, at, *known, side, flow);
    }
    const Stager::Condition asked{condition, s_.tree()[branch.condition].span};
    bool early = false;
    for (std::size_t i = at; i < node.branches.size(); ++i)
        early = early || leaves_early(s_.tree(), node.branches[i].block);
    if (node.otherwise) early = early || leaves_early(s_.tree(), node.otherwise);
    if (!early || !flow) {
        const Value value = Control(s_).branch(
            asked,
            [&]() -> Value {
                Value v = s_.execute(branch.block, has_value).value;
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
        asked, [&] { return pack(left = s_.execute(branch.block, has_value)); },
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

Value Expressions::comprehension(const syntax::Comprehension& c, Span span) {
    const Value source = evaluate(c.source);
    const auto body = [&](const Value& item) {
        const std::size_t before = s_.frame().locals.size();
        s_.bind_pattern(c.pattern, item, false, s_.tree()[c.source].span);
        Value v = evaluate(c.body);
        s_.frame().locals.resize(before);
        return v;
    };
    const Restore top_scope(s_.frame().top, false);
    if (!c.tuple) return Loops(s_).map_over(source, body, span);
    return Value::tuple(s_.known_elements(source, s_.tree()[c.source].span, body));
}

Value Expressions::function(syntax::FunctionId id) {
    const syntax::Function& declared = s_.tree()[id];
    Function f;
    f.name = declared.name.text;
    f.module = s_.frame().module;
    f.id = id;
    f.globals = s_.frame().globals;
    f.local = !s_.frame().top;
    if (!s_.frame().locals.empty()) {
        // A local function captures the current values of the outer names that it uses.
        for (const std::string& name : free_names(s_.tree(), id))
            for (std::size_t i = s_.frame().locals.size(); i-- > 0;)
                if (s_.frame().locals[i].name == name) {
                    const Cell& cell = s_.frame().locals[i].cell;
                    if (cell.unknown) throw runtime::AbstractRead{};
                    f.captured.emplace_back(name, value_of(name, cell, declared.signature));
                    break;
                }
    }
    constexpr std::size_t captured_bytes = 128; // an estimate
    return std::allocate_shared<const Function>(Counted<Function, captured_bytes>(), std::move(f));
}

Value Expressions::tuple_index(const Value& object, std::uint64_t index, Span span) {
    if (!object.tuple()) {
        if (object.is_numeric() && numeric_type(object).type.rank() > 0 &&
            index < static_cast<std::uint64_t>(numeric_type(object).type.shape[0]))
            return s_.element(object, static_cast<std::int64_t>(index), span);
        raise(diagnose(Diag::wrong_kind, span, fmt::format("`.{}`", index), "a tuple", describe(object)));
    }
    const auto& items = object.tuple()->items;
    if (index >= items.size())
        raise(diagnose(Diag::index_out_of_range, span,
                       fmt::format("index {} is out of range for a tuple of {}", index, items.size()))
                  .fix(valid_indices(static_cast<std::int64_t>(items.size()))));
    return items[index];
}

namespace {

/// Whether `name` is the exponent of a number, such as "e5".
bool is_exponent(std::string_view name) {
    return name.size() > 1 && (name[0] == 'e' || name[0] == 'E') &&
           name.find_first_not_of("0123456789_", 1) == std::string_view::npos;
}

} // namespace

/// `1.e5` is parsed as the field `e5` of 1. The message therefore suggests `1.0e5`.
Value Expressions::field_of_literal(const syntax::Field& f, Span span) {
    try {
        return s_.field(evaluate(f.object), f.name, span);
    } catch (Error& e) {
        if (e.diagnostic().id == Diag::unknown_field && is_exponent(f.name.text)) {
            e.diagnostic().notes.clear(); // the list of the fields
            e.diagnostic().help.push_back(fmt::format("a float has a digit behind its point: {}.0{}",
                                                      s_.sources().text(s_.tree()[f.object].span), f.name.text));
        }
        throw;
    }
}

} // namespace pm::stage
