#include "compiler/stage/call/types_only.hpp"

#include "compiler/stage/core/restore.hpp"
#include "compiler/stage/known/computed.hpp"
#include "compiler/stage/names/names.hpp"
#include "compiler/stage/values/promotion.hpp"
#include "compiler/stage/values/tree.hpp"
#include "runtime/failure.hpp"

#include <algorithm>
#include <iterator>

namespace pm::stage {
namespace {

struct Named {
    const std::string* name;
    std::size_t at;
};
/// For each name, the index of the innermost local with this name. `frame` may be null if `names` is empty.
std::vector<Named> places_of(const Frame* frame, const std::set<std::string>& names) {
    std::vector<Named> places;
    for (const std::string& name : names)
        for (std::size_t i = frame->locals.size(); i-- > 0;) {
            if (frame->locals[i].name != name) continue;
            if (!frame->locals[i].cell.unknown) places.push_back({&name, i});
            break;
        }
    return places;
}

std::size_t size_of(const Value& tuple) { return tuple.tuple()->items.size(); }

/// Removes all items with an index of at least `size` from a tuple, and returns these items.
std::vector<Value> cut(Value& tuple, std::size_t size) {
    std::vector<Value> items = parts_of(tuple, &Tuple::items);
    const auto from = items.begin() + static_cast<std::ptrdiff_t>(std::min(size, items.size()));
    std::vector<Value> more(std::make_move_iterator(from), std::make_move_iterator(items.end()));
    items.erase(from, items.end());
    tuple = Value::tuple(std::move(items), tuple.by_rows);
    return more;
}

std::vector<Value> items_from(const Value& tuple, std::size_t size) {
    const std::vector<Value>& items = tuple.tuple()->items;
    return {items.begin() + static_cast<std::ptrdiff_t>(std::min(size, items.size())), items.end()};
}

void append(Value& tuple, std::vector<Value> more) {
    if (more.empty()) return;
    std::vector<Value> items = parts_of(tuple, &Tuple::items);
    std::move(more.begin(), more.end(), std::back_inserter(items));
    tuple = Value::tuple(std::move(items), tuple.by_rows);
}

/// Converts the numbers in the items from index `from` on to computed numbers. The items before `from` are already
/// converted. Without `from`, a loop that appends would take quadratic time.
void compute_items(Stager& s, Value& tuple, std::size_t from) {
    if (size_of(tuple) <= from) return;
    std::vector<Value> items = parts_of(tuple, &Tuple::items);
    for (std::size_t i = from; i < items.size(); ++i) items[i] = s.interpreted().computed(items[i]);
    tuple = Value::tuple(std::move(items), tuple.by_rows);
}

/// Saves the locals that some code assigns. For a tuple that is only appended to, only the size is saved.
class Before {
  public:
    /// `frame` is null if the embedding program makes the call.
    Before(Frame* frame, const std::set<std::string>& names, const std::set<std::string>& appended)
        : frame_(frame), size_(frame ? frame->locals.size() : 0) {
        for (const auto& [name, at] : places_of(frame, names)) {
            const Value& value = frame->locals[at].cell.value;
            const bool grows = value.tuple() && appended.count(*name) != 0;
            saved_.push_back({at, grows ? Value() : value, grows ? size_of(value) : 0, grows});
        }
    }
    /// Restores the locals. Allocates memory if a tuple has grown.
    void give_back() {
        if (!frame_) return;
        frame_->locals.resize(size_);
        for (Saved& s : saved_) {
            Value& value = frame_->locals[s.at].cell.value;
            if (s.grows)
                cut(value, s.size);
            else
                value = std::move(s.value);
        }
    }

  private:
    struct Saved {
        std::size_t at;
        Value value;
        std::size_t size;
        bool grows;
    };
    Frame* frame_;
    std::size_t size_;
    std::vector<Saved> saved_;
};

/// Whether the value contains a record, or a numeric leaf for which `asked` is true. Records are included because their
/// type can always change: the other branch could have the fields in a different order.
bool has_part(const Value& v, bool (*asked)(const Value& leaf)) {
    if (v.tuple())
        return std::ranges::any_of(v.tuple()->items, [&](const Value& item) { return has_part(item, asked); });
    return v.record() || (v.is_numeric() && asked(v));
}

/// Whether a join with another branch could change the type of the value.
bool may_be_promoted(const Value& v) {
    return has_part(v, [](const Value& leaf) { return numeric_type(leaf).type.dtype != DType::key; });
}

/// Whether an iteration could change the type of the value.
bool gives_way(const Value& v) {
    return has_part(v, [](const Value& leaf) { return leaf.number() || numeric_type(leaf).weak; });
}

/// Whether `a` and `b` are the same number, and compiled code knows this number.
bool known_alike(const Value& a, const Value& b) {
    const Number* x = a.number();
    const Number* y = b.number();
    return x && y && x->same_as(*y) && (!x->computed || (x->specialised && y->specialised));
}

Value in_dtype(Stager& s, const Value& v, const Promoted& p) {
    if (const Number* n = v.number()) {
        if (!p.weak || (p.dtype != DType::i32 && p.dtype != DType::i64)) return {n->array(p.dtype), p.weak};
        Number made = *n;
        made.kind = Number::Kind::integer;
        made.dtype.reset();
        made.wide = p.dtype == DType::i64;
        return made;
    }
    return s.array_work({}, [&] { return s.wrap(s.use(v, p.dtype), p.weak); });
}

/// The value that `given` has in compiled code if the types of the branches cannot be joined. In this case compiled
/// code must know the condition, and stages only the branch that is taken.
Value misfit(Stager& s, const Value& given) { return s.interpreted().argument(given); }

Value joined_leaf(Stager& s, const Value& given, const Value& other) {
    if (known_alike(given, other)) return given;
    const auto type_of = [&s](const Value& v) {
        return v.number() ? s.interpreted().widths().of(numeric_type(v)) : numeric_type(v);
    };
    const NumericType y = type_of(other);
    const bool keys = numeric_type(given).type.dtype == DType::key || y.type.dtype == DType::key;
    if (keys || numeric_type(given).type.shape != y.type.shape) return misfit(s, given);
    if (const Number* n = given.number();
        n && !n->computed && n->weak()) { // a literal must keep all its digits, so it is converted directly
        const Promoted p = promote(type_of(given).type.dtype, true, y.type.dtype, y.weak);
        if (!p.weak || (n->kind == Number::Kind::integer && runtime::is_inexact(p.dtype))) {
            require_fits(*n, p.dtype, {});
            return {n->array(p.dtype), p.weak};
        }
    }
    const Value own = s.interpreted().computed(given);
    const NumericType x = numeric_type(own);
    Promoted p{x.type.dtype, x.weak && y.weak};
    if (x.type.dtype != y.type.dtype) p = promote(x.type.dtype, x.weak, y.type.dtype, y.weak);
    return p.dtype != x.type.dtype || p.weak != x.weak ? in_dtype(s, own, p) : own;
}

} // namespace

Value joined(Stager& s, const Value& given, const Value& other, const Value& first) {
    if (given.is_numeric() && other.is_numeric()) return joined_leaf(s, given, other);
    if (given.tuple() && other.tuple() && size_of(given) == size_of(other)) {
        std::vector<Value> items;
        for (std::size_t i = 0; i < size_of(given); ++i)
            items.push_back(joined(s, given.tuple()->items[i], other.tuple()->items[i], first.tuple()->items[i]));
        return Value::tuple(std::move(items), given.by_rows);
    }
    if (given.record() && other.record() && given.record()->fields.size() == other.record()->fields.size()) {
        auto fields = first.record()->fields;
        for (auto& [name, value] : fields) {
            const Value* const x = given.record()->find(name);
            const Value* const y = other.record()->find(name);
            if (!x || !y) return misfit(s, given);
            value = joined(s, *x, *y, value);
        }
        return Value::record(std::move(fields), given.by_rows);
    }
    return misfit(s, given);
}

// ---- staging for types

TypesOnly::Types TypesOnly::staged(const std::function<Value()>& work) {
    Before before(s_.scopes().frame, names_, appended_);
    Types types;
    try {
        types = types_after(work);
    } catch (...) {
        before.give_back();
        throw;
    }
    before.give_back();
    return types;
}

TypesOnly::Types TypesOnly::types_after(const std::function<Value()>& work) {
    Frame* const frame = s_.scopes().frame;
    std::map<std::string, std::size_t> sizes;
    for (const auto& [name, at] : places_of(frame, names_))
        if (const Value& value = frame->locals[at].cell.value; value.tuple() && appended_.count(*name) != 0)
            sizes.emplace(*name, size_of(value));
    Types types;
    types.value = map_all_leaves(work(), type_of_leaf);
    for (const auto& [name, at] : places_of(frame, names_)) {
        const Value& value = frame->locals[at].cell.value;
        const auto size = sizes.find(*name);
        const Value& assigned = size == sizes.end() ? value : Value::tuple(items_from(value, size->second));
        types.locals.emplace(*name, map_all_leaves(assigned, type_of_leaf));
    }
    return types;
}

std::optional<TypesOnly::Types> TypesOnly::of(const std::function<Value()>& work) {
    constexpr int most_attempts = 100;
    Demands& demands = s_.specialiser_->demands();
    const Restore demands_scope(demands);
    for (int attempt = 0; attempt < most_attempts; ++attempt) {
        const auto context = std::make_shared<Context>(Context::Kind::types, s_.context(), "types");
        context->widen(s_.interpreted().widths());
        try {
            const Restore context_scope(s_.context_, context);
            const Restore dirty_scope(s_.scopes().dirty, {});
            const Restore conditions_scope(s_.scopes().conditions);
            const Restore side_scope(s_.scopes().errors_as_checks,
                                     true); // a condition around the work may guard indices and divisors in the work
            return staged(work);
        } catch (const NeedKnown& need) {
            if (need.owner != context.get()) throw;
            add_demands(demands, need.demands);
        } catch (const HostWork&) {
            return {};
        } catch (const runtime::AbstractRead&) {
            return {};
        } catch (const runtime::Failure&) {
            return {};
        } catch (const Error& e) {
            if (ends_run(e.diagnostic())) throw;
            return {};
        }
    }
    return {};
}

// ---- branches

namespace {

/// Joins each of `items`, which a branch has appended to a tuple, with the item at the same index in `other`. `other`
/// is a tuple of the items that the other branch appends.
std::vector<Value> joined_items(Stager& s, std::vector<Value> items, const Value& other) {
    const bool fits = other.tuple() && size_of(other) == items.size();
    for (std::size_t i = 0; i < items.size(); ++i)
        items[i] = fits ? joined(s, items[i], other.tuple()->items[i], items[i]) : s.interpreted().computed(items[i]);
    return items;
}

} // namespace

const Assigned& assigned_in(Stager& s, const std::vector<syntax::BlockId>& blocks) {
    const auto [at, fresh] = s.interpreted().assigned.try_emplace({&s.tree(), blocks.front().value});
    Assigned& made = at->second;
    if (!fresh) return made;
    std::set<std::string> otherwise;
    for (const syntax::BlockId block : blocks) {
        made.names.merge(assigned_names(s.tree(), block));
        otherwise.merge(assigned_otherwise(s.tree(), block));
        made.returns = made.returns || returns_inside(s.tree(), block);
        made.leaves = made.leaves || leaves_early(s.tree(), block);
    }
    std::ranges::set_difference(made.names, otherwise, std::inserter(made.appended, made.appended.end()));
    return made;
}

bool stages_both_branches(const Stager& s, const Value& condition) {
    return (s.interpreting() || s.types_only()) && s.interpreted().as_compiled() && is_computed(condition) &&
           !known_in_code(s, condition);
}

Value as_data_if_computed(Stager& s, const Value& condition) {
    if (!s.types_only() || !condition.is_numeric() || !stages_both_branches(s, condition)) return condition;
    return s.array_work({}, [&] { return s.wrap(s.build().unary(ir::Op::stop_gradient, s.use(condition))); });
}

BranchTypes::BranchTypes(Stager& s, const Assigned& assigned) : s_(s), assigned_(assigned) {
    for (const auto& [name, at] : places_of(&s.frame(), assigned.names)) {
        const Value& value = s.frame().locals[at].cell.value;
        const bool appended = value.tuple() && assigned.appended.count(*name) != 0;
        Local local{at, name, {}, appended ? size_of(value) : 0, appended};
        if (!appended)
            local.before = map_all_leaves(value, [](const Value& leaf) {
                const bool scalar = numeric_type(leaf).type.rank() == 0;
                return scalar ? leaf : type_of_leaf(leaf);
            });
        locals_.push_back(std::move(local));
    }
}

/// Saves the values that the branch has assigned, and restores the values that the locals had before the branch.
void BranchTypes::back() {
    for (Local& local : locals_) {
        Value& value = s_.frame().locals[local.at].cell.value;
        if (local.appended) {
            local.more = cut(value, local.size);
            continue;
        }
        local.after = std::move(value);
        value = local.before;
    }
}

void BranchTypes::forth() {
    for (Local& local : locals_) {
        Value& value = s_.frame().locals[local.at].cell.value;
        if (local.appended)
            append(value, std::move(local.more));
        else
            value = std::move(local.after);
    }
}

void BranchTypes::join(Value& value, bool first, const std::function<Value()>& other) {
    const auto join = [&](const Value& taken, const Value& type) {
        return joined(s_, taken, type, first ? taken : type);
    };
    const auto& locals = s_.frame().locals;
    const bool needed =
        may_be_promoted(value) || std::ranges::any_of(locals_, [&](const Local& l) {
            const Value& v = locals[l.at].cell.value;
            return l.appended ? std::ranges::any_of(items_from(v, l.size), may_be_promoted) : may_be_promoted(v);
        });
    if (!needed) {
        for (const Local& l : locals_)
            if (l.appended) compute_items(s_, s_.frame().locals[l.at].cell.value, l.size);
        return;
    }
    std::optional<TypesOnly::Types> types;
    back();
    try {
        if (other) types = TypesOnly(s_, assigned_.names, assigned_.appended).of(other);
    } catch (...) {
        forth();
        throw;
    }
    if (!other) {
        types.emplace();
        for (const Local& local : locals_) types->locals.emplace(*local.name, local.before);
    }
    for (Local& local : locals_) {
        const Value other_type = types ? types->of(*local.name) : Value();
        if (local.appended)
            local.more = joined_items(s_, std::move(local.more), other_type);
        else
            local.after = types ? join(local.after, other_type) : s_.interpreted().computed(local.after);
    }
    forth();
    value = types ? join(value, types->value) : s_.interpreted().computed(value);
}

// ---- loops

CarriedTypes::CarriedTypes(Stager& s, syntax::BlockId body) : s_(s), assigned_(assigned_in(s, {body})) {
    for (const auto& [name, at] : places_of(&s.frame(), assigned_.names)) {
        const bool appended = s.frame().locals[at].cell.value.tuple() && assigned_.appended.count(*name) != 0;
        locals_.push_back({at, name, {}, appended});
        const auto key = std::pair<const Frame*, std::size_t>(&s.frame(), at);
        if (appended && s.interpreted().computed_items.try_emplace(key, 0).second) registered_.push_back(key);
    }
}

CarriedTypes::~CarriedTypes() {
    for (const auto& key : registered_) s_.interpreted().computed_items.erase(key);
}

void CarriedTypes::settle(const std::function<void()>& loop) {
    find_types(loop);
    carry();
}

/// Finds the types that the carried values have in all iterations. The initial numbers are not converted first, because
/// literals must keep all their digits.
void CarriedTypes::find_types(const std::function<void()>& loop) {
    const auto& locals = s_.frame().locals;
    bool needed = false;
    for (Local& l : locals_) {
        const Value& value = locals[l.at].cell.value;
        if (l.appended) continue;
        if (gives_way(value))
            needed = true;
        else if (may_be_promoted(
                     value)) // a weak number that an iteration assigns to this local gets the type of the local
            l.type = map_all_leaves(value, type_of_leaf);
    }
    if (!needed) return;
    const auto types = TypesOnly(s_, assigned_.names, assigned_.appended).of([&]() -> Value {
        loop();
        return {};
    });
    if (!types) return;
    for (Local& l : locals_)
        if (!l.appended) l.type = types->of(*l.name);
}

void CarriedTypes::carry() {
    for (const Local& l : locals_) {
        Value& value = s_.frame().locals[l.at].cell.value;
        if (l.appended && value.tuple()) {
            std::size_t& done = s_.interpreted().computed_items[{&s_.frame(), l.at}];
            compute_items(s_, value, done);
            done = size_of(value);
        } else if (gives_way(value)) {
            value = l.type ? joined(s_, value, *l.type, *l.type) : s_.interpreted().computed(value);
        }
    }
}

} // namespace pm::stage
