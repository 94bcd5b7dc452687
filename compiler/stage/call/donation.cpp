// Donated arguments. A name that is a donated argument has no value after the call. If no other value refers to a
// donated array, the call may write results to the array's memory. In compiled code, arrays have no separate memory. So
// calls in compiled code donate nothing.
#include "compiler/stage/call/donation.hpp"

#include "compiler/base/count.hpp"
#include "compiler/stage/core/note.hpp"
#include "compiler/stage/core/restore.hpp"
#include "compiler/stage/known/options.hpp"
#include "compiler/stage/values/tree.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pm::stage {
namespace {

constexpr const char* option_name = "donate_argnums";

/// Adds to `owned` the addresses of the memory of the arrays to which only `v` refers.
void collect_owned(const Value& v, std::set<const void*>& owned) {
    if (v.owns_array() && v.array()->bytes() > 0) owned.insert(v.array()->memory());
    if (const auto* t = std::get_if<std::shared_ptr<const Tuple>>(&v.node); t && t->use_count() == 1)
        for (const Value& item : (*t)->items) collect_owned(item, owned);
    if (const auto* r = std::get_if<std::shared_ptr<const Record>>(&v.node); r && r->use_count() == 1)
        for (const auto& [name, field] : (*r)->fields) collect_owned(field, owned);
}

std::size_t arrays_in(const Value& v, const std::set<const void*>& memory) {
    const std::vector<Value> leaves = all_leaves(v);
    return static_cast<std::size_t>(std::count_if(leaves.begin(), leaves.end(), [&](const Value& leaf) {
        return leaf.array() && memory.count(leaf.array()->memory()) != 0;
    }));
}

} // namespace

bool takes_donations(const Value& function) {
    const Function* f = function.function();
    if (!f || !f->transformed() || f->transformed()->kind != Transformation::pmap) return false;
    const Value* numbers = option(*f->transformed(), option_name);
    return numbers && !numbers->is_none() && !(numbers->tuple() && numbers->tuple()->items.empty());
}

void refuse_donated(const std::string& name, const Cell& cell, Span span) {
    raise(diagnose(Diag::donated_value, span, name)
              .label(cell.donated, fmt::format("this call has used `{}` up", name))
              .fix(fmt::format("{}give the name what the call returns: {} = ...",
                               cell.mut ? "" : "declare it with `mut`, and ", name))
              .fix("or leave the argument out of donate_argnums"));
}

const Value& value_of(const std::string& name, const Cell& cell, Span span) {
    if (cell.donated) refuse_donated(name, cell, span);
    return cell.value;
}

void give(Cell& cell, Value value) {
    cell.value = std::move(value);
    cell.donated = {};
}

ir::Donated Donation::of(std::size_t leaf, const runtime::Array& array) const {
    if (!leaves[leaf]) return ir::Donated::no;
    return owned.count(array.memory()) != 0 ? ir::Donated::owned : ir::Donated::shared;
}

namespace {

/// If the positional argument at this position is only a name, this name. Null for other expressions.
const std::string* name_given(const Stager& s, const CallArguments& given, Span at) {
    const auto name_at = [&](syntax::ExprId id) {
        const syntax::Expr& e = s.tree()[id];
        const auto* name = e.span == at ? std::get_if<syntax::NameRef>(&e.node) : nullptr;
        return name ? &name->text : nullptr;
    };
    if (given.object)
        if (const std::string* name = name_at(given.object)) return name;
    if (!given.written) return nullptr;
    for (const syntax::Argument& a : *given.written)
        if (const std::string* name = a.named() || a.spread ? nullptr : name_at(a.value)) return name;
    return nullptr;
}

/// The cell of `name` if the running code may donate its value. Null if the code is in a function and the name is a
/// name of the module.
Cell* donated_cell(Stager& s, const std::string& name) {
    Cell* cell = s.scopes().cell_of(name);
    const bool global =
        std::none_of(s.frame().locals.begin(), s.frame().locals.end(), [&](const Local& l) { return &l.cell == cell; });
    return global && s.frame().function ? nullptr : cell;
}

} // namespace

Value Calls::donating(const Value& function, CallArguments given) {
    const std::vector<std::size_t> numbers =
        argument_numbers(s_, *function.function()->transformed(), option_name, given.positional.size(), given.span);
    Donation donation;
    {
        const CallLeaves leaves = call_leaves({function, given.positional, given.named, given.span});
        donation.leaves.assign(leaves.all.size(), false);
        for (const std::size_t i : numbers)
            for (std::size_t leaf = leaves.arguments[i].first; leaf < leaves.arguments[i].second; ++leaf)
                donation.leaves[leaf] = true;
    }
    struct Used {
        Value value;      ///< the donated value, which is restored if the call fails
        std::string name; ///< the name that had the value; empty if the argument is not only a name
    };
    std::vector<Used> used;
    std::size_t arrays = 0;
    for (const std::size_t i : numbers) {
        used.push_back({std::move(given.positional[i]), {}});
        auto& [value, name] = used.back();
        const std::string* const whole = name_given(s_, given, given.positional_spans[i]);
        Cell* cell = whole ? donated_cell(s_, *whole) : nullptr;
        if (cell && !cell->donated) {
            name = *whole;
            cell->value = {};
            cell->donated = given.span;
        }
        if (!s_.checking()) collect_owned(value, donation.owned);
        given.positional[i] = value;
        for (const Value& leaf : all_leaves(value)) arrays += leaf.array() && leaf.array()->bytes() > 0 ? 1 : 0;
    }
    const Span span = given.span;
    try {
        const Restore scope(donation_, &donation);
        Value result = call(function, std::move(given));
        if (s_.host().explain && s_.host().message && !s_.checking())
            give_note(s_.host(), s_.sources(), s_.places().of(span),
                      fmt::format("{:donated array|donated arrays}: results lie in the memory of {}; {} held elsewhere",
                                  Count{arrays}, arrays_in(result, donation.owned), arrays - donation.owned.size()));
        return result;
    } catch (...) {
        const bool overwritten = std::find(donation.operands.begin(), donation.operands.end(),
                                           ir::Donated::overwritten) != donation.operands.end();
        for (Used& u : used)
            if (!u.name.empty() && !overwritten) give(*donated_cell(s_, u.name), std::move(u.value));
        throw;
    }
}

} // namespace pm::stage
