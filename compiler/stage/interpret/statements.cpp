#include "compiler/stage/interpret/statements.hpp"

#include "compiler/base/check.hpp"
#include "compiler/base/count.hpp"
#include "compiler/base/stop.hpp"
#include "compiler/stage/call/donation.hpp"
#include "compiler/stage/check/module_check.hpp"
#include "compiler/stage/core/failures.hpp"
#include "compiler/stage/core/restore.hpp"
#include "compiler/stage/core/stager.hpp"
#include "compiler/stage/index/indexing.hpp"
#include "compiler/stage/index/update.hpp"
#include "compiler/stage/interpret/control.hpp"
#include "compiler/stage/interpret/expressions.hpp"
#include "compiler/stage/interpret/loops.hpp"
#include "compiler/stage/known/annotations.hpp"
#include "compiler/stage/names/names.hpp"
#include "compiler/syntax/left_chain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>

namespace pm::stage {

// ---- blocks

Flow run_block(Stager& s, syntax::BlockId id, bool wanted) { return Statements(s).block(id, wanted); }

void bind_pattern(Stager& s, syntax::PatternId pattern, const Value& value, bool mut, Span span) {
    Statements(s).bind_pattern(pattern, value, mut, span);
}

Flow Statements::block(syntax::BlockId id, bool wanted) {
    const Restore top_scope(s_.frame().top, false);
    const std::size_t before = s_.frame().locals.size();
    Flow flow = run_all(s_.tree()[id].statements, 0, wanted);
    s_.frame().locals.resize(before);
    return flow;
}

namespace {

Value pack(const Flow& f) { return Value::tuple({f.code, f.value}); }

Flow unpack(const Value& v) {
    Flow f;
    f.code = v.tuple()->items[0];
    f.value = v.tuple()->items[1];
    return f;
}

} // namespace

Flow Statements::run_all(const std::vector<syntax::StmtId>& statements, std::size_t from, bool wanted) {
    for (std::size_t i = from; i < statements.size(); ++i) {
        s_.poll(s_.tree()[statements[i]].span);
        const bool is_last = i + 1 == statements.size();
        Flow last = run(statements[i], wanted && is_last);
        if (is_last || last.is_early()) return last;
        if (last.known()) continue;
        // The statement has an early exit under a staged condition. The remaining statements are staged under the
        // condition that the exit has not happened.
        const Span span = s_.tree()[statements[i]].span;
        const Value goes_on = binary(s_, syntax::BinaryOp::equal, last.code, Value::integer(Flow::normal), span);
        const Flow left = last;
        Control(s_).hold(left.value);
        Flow rest;
        const std::size_t locals = s_.frame().locals.size();
        const Value joined = Control(s_).branch(
            {goes_on, span},
            [&] {
                rest = run_all(statements, i + 1, wanted);
                s_.frame().locals.resize(locals);
                return pack(rest);
            },
            [&] { return pack(left); }, span, true);
        Flow all = unpack(joined);
        all.none_at_end = rest.ends_in_none();
        all.none_returned = left.returns_none() || rest.returns_none();
        return all;
    }
    return {};
}

Flow Statements::run(syntax::StmtId id, bool wanted) {
    try {
        return run_checked(id, wanted);
    } catch (
        const std::bad_alloc&) { // the allocation of a value of the stager, such as a tuple or a string, has failed
        raise(diagnose(Diag::out_of_memory, s_.tree()[id].span, "the system has no more memory"));
    } catch (const runtime::Failure& f) {
        if (!f.of_memory()) throw;
        raise(failure_diagnostic(f, s_.tree()[id].span));
    } catch (const runtime::JobFailure& f) { // in a read of a value that is divided among processes
        raise(job_diagnostic(f, s_.tree()[id].span));
    }
}

Flow Statements::run_checked(syntax::StmtId id, bool wanted) {
    if (!s_.checking() || !s_.interpreting()) return run_any(id, wanted);
    // When a program is only checked, statements that need the elements of an array, or that do host work, are skipped.
    const std::size_t locals = s_.frame().locals.size();
    try {
        return run_any(id, wanted);
    } catch (const runtime::AbstractRead&) {
        if ((wanted && !s_.frame().top) || leaves_early(s_.tree(), id)) throw;
        s_.frame().locals.resize(locals);
        leave_unknown(id);
        return {};
    }
}

void Statements::leave_unknown(syntax::StmtId id) {
    const syntax::Module& module = s_.tree();
    const auto& s = module[id];
    const bool declares = std::holds_alternative<syntax::Let>(s.node) ||
                          std::holds_alternative<syntax::FunctionStmt>(s.node) ||
                          std::holds_alternative<syntax::Import>(s.node);
    for (const std::string& name : changed_names(module, id))
        if (declares && s_.frame().top)
            s_.frame().globals->names[name] = {{}, false, s.span, true};
        else if (declares)
            s_.scopes().add_local(name, {{}, false, s.span, true});
        else if (Cell* cell = s_.scopes().cell_of(name))
            cell->unknown = true;
}

Flow Statements::run_any(syntax::StmtId id, bool wanted) {
    const syntax::Module& module = s_.tree();
    const syntax::Stmt& s = module[id];
    Flow flow;
    std::visit(
        [&](const auto& n) {
            using T = std::decay_t<decltype(n)>;
            if constexpr (std::is_same_v<T, syntax::ExprStmt>) {
                if (const auto* conditional = std::get_if<syntax::If>(&module[n.value].node)) {
                    Expressions(s_).conditional(*conditional, 0, s.span, &flow, wanted);
                } else {
                    flow.value = wanted ? evaluate(s_, n.value) : Expressions(s_).dropped(n.value);
                }
                if (!wanted && flow.is(Flow::normal)) flow.value = None{};
            } else if constexpr (std::is_same_v<T, syntax::Let>) {
                const Value v = evaluate(s_, n.value);
                if (n.type) check_let(s_, n.type, v, module[n.value].span);
                bind_pattern(n.pattern, v, n.mut, module[n.value].span);
            } else if constexpr (std::is_same_v<T, syntax::Assign>) {
                assign(n, s.span);
            } else if constexpr (std::is_same_v<T, syntax::FunctionStmt>) {
                const syntax::Function& f = module[n.function];
                s_.scopes().define(f.name.text, Expressions(s_).function(n.function), false, f.name.span);
            } else if constexpr (std::is_same_v<T, syntax::For>) {
                flow = Loops(s_).run(n);
            } else if constexpr (std::is_same_v<T, syntax::While>) {
                flow = Loops(s_).run(n);
            } else if constexpr (std::is_same_v<T, syntax::Break>) {
                flow.code = Value::integer(Flow::broke);
            } else if constexpr (std::is_same_v<T, syntax::Continue>) {
                flow.code = Value::integer(Flow::continued);
            } else if constexpr (std::is_same_v<T, syntax::Return>) {
                if (n.value) flow.value = evaluate(s_, n.value);
                flow.code = Value::integer(Flow::returned);
            } else if constexpr (std::is_same_v<T, syntax::Import>) {
                s_.scopes().define(n.name.text, s_.modules().import(n.path, n.file, n.path_span), false, n.name.span);
            } else if constexpr (std::is_same_v<T, syntax::Test>) {
                // Only `pm test` runs test blocks.
            }
        },
        s.node);
    return flow;
}

Value Stager::run(const std::shared_ptr<const syntax::Module>& module, const std::shared_ptr<ModuleScope>& scope) {
    Frame frame;
    frame.module = module;
    frame.globals = scope;
    frame.top = true;
    const Restore frame_scope(scopes_.frame, &frame);
    const Restore context_scope(context_, {});
    const Restore numbers_scope(interpreted_, {});
    const StopScope stop(polling());
    const AccountScope account(host_.allocator);
    Value value;
    const auto& statements = module->statements();
    for (std::size_t i = 0; i < statements.size(); ++i) {
        const syntax::Stmt& s = (*module)[statements[i]];
        Flow flow;
        try {
            flow = Statements(*this).run(statements[i], i + 1 == statements.size());
        } catch (const Error& e) {
            if (e.diagnostic().id == Diag::out_of_memory) specialiser_->clear();
            if (!checking() || ends_run(e.diagnostic())) throw;
            frame.locals.clear();
            Statements(*this).leave_unknown(statements[i]);
            if (!own_words(*this, e.diagnostic())) host_.problem(e.diagnostic());
        }
        const auto* e = std::get_if<syntax::ExprStmt>(&s.node);
        value = e ? flow.value : Value{};
    }
    return value;
}

void Stager::run_test(const std::shared_ptr<const syntax::Module>& module, const std::shared_ptr<ModuleScope>& scope,
                      const syntax::Test& test) {
    Frame frame;
    frame.module = module;
    frame.globals = scope;
    const Restore frame_scope(scopes_.frame, &frame);
    const StopScope stop(polling());
    const AccountScope account(host_.allocator);
    // Values are immutable, so it is enough to restore the names of the module.
    const Restore names_scope(scope->names);
    run_block(*this, test.body, false);
}

// ---- names and patterns

void Statements::bind_pattern(syntax::PatternId pattern, const Value& value, bool mut, Span span) {
    const syntax::Pattern& p = s_.tree()[pattern];
    std::visit(
        [&](const auto& n) {
            using T = std::decay_t<decltype(n)>;
            if constexpr (std::is_same_v<T, syntax::WildcardPattern>)
                return;
            else if constexpr (std::is_same_v<T, syntax::NamePattern>)
                s_.scopes().define(n.text, value, mut, p.span);
            else if constexpr (std::is_same_v<T, syntax::PlacePattern>)
                PM_UNREACHABLE();
            else if constexpr (std::is_same_v<T, syntax::TuplePattern>)
                take_apart(n, p.span, value, span,
                           [&](syntax::PatternId part, const Value& v) { bind_pattern(part, v, mut, span); });
            else
                for (const auto& entry : n.entries)
                    bind_pattern(entry.pattern, field(s_, value, entry.field), mut, span);
        },
        p.node);
}

void Statements::take_apart(const syntax::TuplePattern& p, Span at, const Value& value, Span span,
                            const std::function<void(syntax::PatternId, const Value&)>& part) {
    if (!value.tuple() && !(value.is_numeric() && numeric_type(value).type.rank() > 0))
        raise(diagnose(Diag::pattern_mismatch, at, fmt::format("{:value|values}", Count{p.elements.size()}),
                       describe(value))
                  .label(span, "the value"));
    const std::vector<Value> items = spread(s_, value, span);
    std::size_t rest = p.elements.size();
    for (std::size_t i = 0; i < p.elements.size(); ++i)
        if (p.elements[i].rest) rest = i;
    const bool has_rest = rest < p.elements.size();
    const std::size_t fixed = p.elements.size() - (has_rest ? 1 : 0);
    if (has_rest ? items.size() < fixed : items.size() != fixed)
        raise(diagnose(Diag::pattern_mismatch, at,
                       fmt::format("{}{:value|values}", has_rest ? "at least " : "", Count{fixed}),
                       fmt::format("{}", items.size()))
                  .label(span, describe(value)));
    const std::size_t more = items.size() - fixed;
    std::size_t next = 0;
    for (std::size_t i = 0; i < p.elements.size(); ++i) {
        if (i != rest) {
            part(p.elements[i].pattern, items[next++]);
            continue;
        }
        std::vector<Value> list(items.begin() + static_cast<std::ptrdiff_t>(next),
                                items.begin() + static_cast<std::ptrdiff_t>(next + more));
        next += more;
        part(p.elements[i].pattern, Value::tuple(std::move(list)));
    }
}

namespace {

std::string why_not_assignable(bool parameter_or_let) {
    return parameter_or_let ? "it is not declared with `mut`"
                            : "it belongs to the module, and a function cannot change it";
}

} // namespace

/// The cell that an assignment to `name` changes. Raises if the program must not assign `name`.
Cell& Statements::assignable(const std::string& name, Span span) {
    for (std::size_t i = s_.frame().locals.size(); i-- > 0;)
        if (s_.frame().locals[i].name == name) {
            Cell& cell = s_.frame().locals[i].cell;
            if (cell.unknown) throw runtime::AbstractRead{};
            if (!cell.mut)
                raise(diagnose(Diag::not_assignable, span, name, why_not_assignable(true))
                          .label(cell.span, "declared here")
                          .fix(fmt::format("mut {} = ...", name)));
            s_.scopes().mark_dirty(i);
            return cell;
        }
    const auto at = s_.frame().globals->names.find(name);
    if (at == s_.frame().globals->names.end()) raise(s_.scopes().unknown_target(name, span));
    if (at->second.unknown) throw runtime::AbstractRead{};
    if (s_.frame().function) {
        auto d = diagnose(Diag::not_assignable, span, name, why_not_assignable(false))
                     .label(at->second.span, "declared here");
        if (gets_whole_value(s_.sources(), span))
            d.help.push_back(fmt::format("a name of the function's own is made with `let`: let {} = ...", name));
        raise(std::move(d));
    }
    if (!at->second.mut)
        raise(diagnose(Diag::not_assignable, span, name, why_not_assignable(true))
                  .label(at->second.span, "declared here")
                  .fix(fmt::format("mut {} = ...", name)));
    return at->second;
}

namespace {

/// Whether an expression has only literals, names other than `root`, operators, fields and indices. Such an expression
/// does not read the variable `root`, which is being changed.
bool plain(const syntax::Module& tree, syntax::ExprId id, const std::string& root);

bool plain_items(const syntax::Module& tree, const std::vector<syntax::IndexItem>& items, const std::string& root) {
    return std::all_of(items.begin(), items.end(), [&](const syntax::IndexItem& item) {
        return plain(tree, item.first, root) && plain(tree, item.last, root) && plain(tree, item.step, root);
    });
}

bool plain(const syntax::Module& tree, syntax::ExprId id, const std::string& root) {
    if (!id) return true;
    const syntax::Expr& e = tree[id];
    if (const auto* name = std::get_if<syntax::NameRef>(&e.node)) return name->text != root;
    if (const auto* u = std::get_if<syntax::Unary>(&e.node)) return plain(tree, u->operand, root);
    if (in_left_chain(e)) {
        const syntax::LeftChain chain = left_chain(tree, id);
        return plain(tree, chain.first, root) &&
               std::all_of(chain.steps.begin(), chain.steps.end(),
                           [&](const auto& s) { return plain(tree, s.node->right, root); });
    }
    if (const auto* b = std::get_if<syntax::Binary>(&e.node))
        return plain(tree, b->left, root) && plain(tree, b->right, root);
    if (const auto* f = std::get_if<syntax::Field>(&e.node)) return plain(tree, f->object, root);
    if (const auto* t = std::get_if<syntax::TupleIndex>(&e.node)) return plain(tree, t->object, root);
    if (const auto* i = std::get_if<syntax::Index>(&e.node))
        return plain(tree, i->object, root) && plain_items(tree, i->items, root);
    return std::holds_alternative<syntax::IntLiteral>(e.node) ||
           std::holds_alternative<syntax::StringLiteral>(e.node) || std::holds_alternative<syntax::NoneLiteral>(e.node);
}

bool plain_index(const syntax::Module& tree, const syntax::PlacePattern& place) {
    return std::all_of(place.path.begin(), place.path.end(),
                       [&](const syntax::Selector& s) { return plain_items(tree, s.items, place.root.text); });
}

} // namespace

/// Assigns to an element or field of a variable. If the variable is the only owner of an array, the array is changed in
/// place. The variable keeps its old value during the assignment only if an index may read the variable.
void Statements::assign_place(const syntax::PlacePattern& place, syntax::UpdateOp op, const Value& value, Span span) {
    if (const Cell* of = s_.scopes().cell_of(place.root.text); of && of->value.module()) {
        const std::string written = fmt::format("{}.{}", place.root.text, place.path.front().name.text);
        auto d =
            diagnose(Diag::not_assignable, {place.root.span.source, place.root.span.begin, place.path.front().span.end},
                     written, "only the module's own statements change its names");
        raise(std::move(d)
                  .label(of->span, "imported here")
                  .fix(fmt::format("copy it into a name of your own: mut {} = {}", place.path.front().name.text,
                                   written)));
    }
    Cell& cell = assignable(place.root.text, place.root.span);
    if (cell.donated) refuse_donated(place.root.text, cell, place.root.span);
    Value old = plain_index(s_.tree(), place) ? std::exchange(cell.value, Value{}) : cell.value;
    try {
        Value made = updated(s_, old, {place.path, op, value, span});
        assignable(place.root.text, place.root.span).value = std::move(made);
    } catch (...) {
        assignable(place.root.text, place.root.span).value = std::move(old);
        throw;
    }
}

void Statements::assign_pattern(syntax::PatternId pattern, const Value& value, Span span) {
    const syntax::Pattern& p = s_.tree()[pattern];
    std::visit(
        [&](const auto& n) {
            using T = std::decay_t<decltype(n)>;
            if constexpr (std::is_same_v<T, syntax::WildcardPattern>)
                return;
            else if constexpr (std::is_same_v<T, syntax::NamePattern>)
                give(assignable(n.text, p.span), value);
            else if constexpr (std::is_same_v<T, syntax::PlacePattern>) {
                assign_place(n, syntax::UpdateOp::set, value, p.span);
            } else if constexpr (std::is_same_v<T, syntax::TuplePattern>)
                take_apart(n, p.span, value, span,
                           [&](syntax::PatternId part, const Value& v) { assign_pattern(part, v, span); });
            else
                for (const auto& entry : n.entries) assign_pattern(entry.pattern, field(s_, value, entry.field), span);
        },
        p.node);
}

namespace {

bool both_texts_or_tuples(const Value& a, const Value& b) { return (a.text() && b.text()) || (a.tuple() && b.tuple()); }

/// The content of `v` as a mutable object. Null if another value shares the content.
template <class T>
T* own_part(const Value& v) {
    const auto& held = std::get<std::shared_ptr<const T>>(v.node);
    return held.use_count() == 1 ? const_cast<T*>(held.get()) : nullptr; // see parts_of
}

/// Reserves `size` bytes for the string. If the memory is not available, the string does not change.
void make_room(Text& text, std::size_t size) {
    if (size <= text.text.capacity()) return;
    const std::size_t room = std::max(size, 2 * text.text.capacity());
    runtime::Charge paid = charged(room + 1); // the charge for the old memory remains until the bytes are copied
    text.text.reserve(room);
    text.paid = std::move(paid);
}

/// Appends the string or tuple `more` to `to`, a value of the same kind. If no other value shares the content of `to`,
/// the content is extended in place, so n appends cost O(n). If the memory is not available, `to` does not change.
void append(Value& to, const Value& more) {
    if (to.text()) {
        const std::size_t size = to.text()->size() + more.text()->size();
        Text* const text = own_part<Text>(to);
        if (!text) {
            const runtime::Charge made = charged(size);
            std::string joined;
            joined.reserve(size);
            joined.append(*to.text()).append(*more.text());
            to = Value(std::move(joined));
            return;
        }
        make_room(*text, size);
        text->text += *more.text();
        return;
    }
    Tuple* const tuple = own_part<Tuple>(to);
    std::vector<Value> copied = tuple ? std::vector<Value>() : to.tuple()->items;
    std::vector<Value>& items = tuple ? tuple->items : copied;
    const std::size_t size = items.size() + more.tuple()->items.size();
    if (size > items.capacity()) items.reserve(std::max(size, 2 * items.capacity()));
    items.insert(items.end(), more.tuple()->items.begin(), more.tuple()->items.end());
    if (!tuple) to = Value::tuple(std::move(items));
}

/// If `value` is a sum `name + x + ...` and no addend assigns the name, the sum with a step for each addend. For other
/// expressions, the result has no steps.
syntax::LeftChain addends(const syntax::Module& tree, const std::string& name, syntax::ExprId value) {
    syntax::LeftChain chain = left_chain(tree, value);
    const auto* first = std::get_if<syntax::NameRef>(&tree[chain.first].node);
    const auto adds = [&](const syntax::LeftChain::Step& step) {
        return step.node->op == syntax::BinaryOp::add && assigned_names(tree, step.node->right).count(name) == 0;
    };
    if (!first || first->text != name || !std::ranges::all_of(chain.steps, adds)) chain.steps.clear();
    return chain;
}

} // namespace

/// For strings and tuples, runs `s = s + x` as `s += x`, which appends to `s`. For other statements, does nothing and
/// returns false.
bool Statements::assign_appended(const syntax::Assign& a) {
    const syntax::Pattern& target = s_.tree()[a.target];
    const auto* pattern = std::get_if<syntax::NamePattern>(&target.node);
    const auto* sum = std::get_if<syntax::Binary>(&s_.tree()[a.value].node);
    if (!pattern || a.op != syntax::UpdateOp::set || !sum || sum->op != syntax::BinaryOp::add) return false;
    const std::string& name = pattern->text;
    const Cell* const now = s_.scopes().cell_of(name);
    if (!now || now->unknown || now->donated || (!now->value.text() && !now->value.tuple())) return false;
    const auto steps = addends(s_.tree(), name, a.value).steps;
    if (steps.empty()) return false;
    std::vector<Value> parts;
    do parts.push_back(evaluate(s_, steps[parts.size()].node->right));
    while (both_texts_or_tuples(s_.scopes().cell_of(name)->value, parts.back()) && parts.size() < steps.size());
    if (both_texts_or_tuples(s_.scopes().cell_of(name)->value, parts.back())) {
        Cell& cell = assignable(name, target.span);
        for (const Value& part : parts) append(cell.value, part);
        return true;
    }
    Value made = s_.scopes().cell_of(name)->value;
    for (std::size_t i = 0; i < steps.size(); ++i)
        made = Expressions(s_).chain_step(steps[i], made,
                                          i < parts.size() ? parts[i] : evaluate(s_, steps[i].node->right));
    give(assignable(name, target.span), made);
    return true;
}

void Statements::assign(const syntax::Assign& a, Span span) {
    if (assign_appended(a)) return;
    const Value value = evaluate(s_, a.value);
    const Span value_span = s_.tree()[a.value].span;
    if (a.op == syntax::UpdateOp::set) return assign_pattern(a.target, value, value_span);
    const syntax::Pattern& target = s_.tree()[a.target];
    if (const auto* name = std::get_if<syntax::NamePattern>(&target.node)) {
        Cell& cell = assignable(name->text, target.span);
        if (cell.donated) refuse_donated(name->text, cell, target.span);
        if (a.op == syntax::UpdateOp::add && both_texts_or_tuples(cell.value, value)) return append(cell.value, value);
        const Value old = cell.value;
        const Value made = combine(s_, a.op, old, value, span);
        assignable(name->text, target.span).value = made;
        return;
    }
    const auto* place = std::get_if<syntax::PlacePattern>(&target.node);
    PM_CHECK(place != nullptr);
    assign_place(*place, a.op, value, span);
}

Value combine(Stager& s, syntax::UpdateOp op, const Value& old, const Value& value, Span span) {
    if (op == syntax::UpdateOp::set) return value;
    if (op == syntax::UpdateOp::minimum || op == syntax::UpdateOp::maximum) {
        CallArguments given;
        given.positional = {old, value};
        given.positional_spans = {span, span};
        given.span = span;
        return s.calls().call(s.modules().builtin(op == syntax::UpdateOp::minimum ? "minimum" : "maximum"),
                              std::move(given));
    }
    return binary(s, *syntax::binary(op), old, value, span);
}

} // namespace pm::stage
