#include "compiler/stage/transform/rule_results.hpp"

#include "compiler/base/count.hpp"
#include "compiler/stage/known/operands.hpp"

#include <fmt/format.h>

namespace pm::stage {

bool is_inexact(const Value& leaf) { return runtime::is_inexact(numeric_type(leaf).type.dtype); }

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

namespace {

/// A description, for messages, of the tangents of a value: the types of the tangents, and `none` for parts without a
/// derivative.
std::string derivative_text(const Value& v) {
    return tree_text(derivative_tree(v, [](const Value& leaf) { return is_inexact(leaf) ? leaf : Value(); }));
}

/// Appends to `found` the derivative of each numeric leaf of `like`. The derivatives are the leaves of `given`, a tree
/// of the same structure. A `none` in `given` stands for zeros. For each leaf of `like` that this `none` stands for, a
/// null is appended. Returns false if the structures differ.
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

} // namespace

Diagnostic RuleResults::beside(Diagnostic d, const Value& maker, const Value& made) const {
    const Function* f = maker.function();
    if (f && f->closure() && !s_.places().in_library(f->closure()->text().signature))
        d.label(f->closure()->text().signature, fmt::format("gives {}", tree_text(made)));
    return d;
}

const std::vector<Value>& RuleResults::pair(std::string_view what, const Value& maker, std::string_view pair,
                                            const Value& out) const {
    if (out.tuple() && out.tuple()->items.size() == 2) return out.tuple()->items;
    raise(beside(diagnose(Diag::custom_pair, span_, what, name_of(function_), pair, tree_text(out)), maker, out));
}

std::vector<Value> RuleResults::results(std::string_view what, const Value& maker, const Value& given) const {
    const auto refuse = [&] {
        const std::string f = name_of(function_);
        raise(beside(diagnose(Diag::custom_result, span_, what, f, f, tree_text(result_.tree), tree_text(given)), maker,
                     given));
    };
    if (!same_structure(given, result_.tree)) refuse();
    std::vector<Value> made;
    const std::vector<Value> all = leaves(given);
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!result_.is_computed[i]) continue;
        if (const auto v = fitted(s_, all[i], result_.types[made.size()]))
            made.push_back(*v);
        else
            refuse();
    }
    return made;
}

std::optional<std::vector<Value>> RuleResults::derivatives(const Value& like, const Value& given,
                                                           const std::vector<bool>& computed) const {
    std::vector<const Value*> found;
    if (!derivatives_of(like, given, found)) return {};
    std::vector<Value> made;
    const std::vector<Value> likes = leaves(like);
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (!computed.empty() && !computed[i]) continue;
        const Type type = numeric_type(likes[i]).type;
        if (!runtime::is_inexact(type.dtype)) {
            if (found[i]) return {};
            continue;
        }
        const std::optional<Value> v =
            found[i] ? fitted(s_, *found[i], {type, false}) : s_.wrap(s_.build().zeros(type));
        if (!v) return {};
        made.push_back(*v);
    }
    return made;
}

std::vector<Value> RuleResults::tangents(const Value& rule, const Value& given) const {
    if (auto made = derivatives(result_.tree, given, result_.is_computed)) return std::move(*made);
    raise(beside(diagnose(Diag::custom_tangent, span_, name_of(function_), derivative_text(result_.tree),
                          tree_text(given)),
                 rule, given)
              .note("a tangent has the type of its value; whole numbers, bools and text have none, and `none` "
                    "stands for zeros"));
}

Diagnostic RuleResults::wrong_cotangent(std::size_t argument, const Value& given) const {
    return diagnose(Diag::custom_cotangent, span_, name_of(function_), derivative_text(arguments_[argument]),
                    argument_text(function_, argument, ""), tree_text(given));
}

std::vector<Value> RuleResults::cotangents(const Value& bwd, const Value& given) const {
    const Tuple* entries = given.tuple();
    if (!entries || entries->items.size() != arguments_.size()) {
        auto d = beside(
            diagnose(Diag::custom_entries, span_, name_of(function_), Count{arguments_.size()}, tree_text(given)), bwd,
            given);
        if (arguments_.size() == 1) raise(std::move(d).fix("a tuple of one is written with a comma: (cotangent,)"));
        raise(std::move(d).fix("give none for an argument without a cotangent"));
    }
    std::vector<Value> made;
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
        const auto one = derivatives(arguments_[i], entries->items[i]);
        if (!one)
            raise(beside(wrong_cotangent(i, entries->items[i]), bwd, given)
                      .note("a cotangent has the type of its argument; whole numbers, bools, functions and text have "
                            "none, and `none` stands for zeros"));
        made.insert(made.end(), one->begin(), one->end());
    }
    return made;
}

std::vector<Value> RuleResults::linear_cotangents(const Value& given) const {
    if (auto made = derivatives(arguments_[1], given)) return std::move(*made);
    raise(wrong_cotangent(1, given));
}

} // namespace pm::stage
