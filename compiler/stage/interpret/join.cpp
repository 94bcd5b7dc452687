#include "compiler/stage/interpret/join.hpp"

#include "compiler/stage/values/promotion.hpp"
#include "compiler/stage/values/tree.hpp"
#include "compiler/transform/core/bit_mask.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pm::stage {

Value zeros_like_tree(const Value& tree, Context& context) {
    return map_leaves(tree, [&](const Value& leaf) {
        const NumericType t = context.type_of(leaf);
        return context.wrap(context.build().zeros(t.type), t.weak);
    });
}

namespace {

bool is_string(const Value& v) { return v.text() || v.text_template(); }

} // namespace

Different different(const Value& a, const Value& b) {
    constexpr std::size_t longest = 40;
    Different d{describe(a), describe(b)};
    if (is_string(a) && is_string(b)) d.kind = "string";
    if (a.function() && b.function()) d.kind = "function";
    if (a.dtype() && b.dtype()) d.kind = "dtype";
    if (a.range() && b.range()) d.kind = "range";
    if (a.module() && b.module()) d.kind = "module";
    if (a.text() && b.text() && std::max(a.text()->size(), b.text()->size()) <= longest) {
        d.left = quoted_text(*a.text());
        d.right = quoted_text(*b.text());
    } else if (!d.kind.empty() && d.left == d.right) {
        d.left = fmt::format("a {}", d.kind);
        d.right = fmt::format("another {}", d.kind);
    }
    return d;
}

namespace {

Mismatch mismatch(const std::string& what, const Value& a, const Value& b) {
    const Different d = different(a, b);
    Mismatch m{what, d.left, d.right};
    if (!d.kind.empty())
        m.why = fmt::format("{}s are known before the program runs: a condition that is computed in compiled code "
                            "cannot choose between two",
                            d.kind);
    m.of_texts = (is_string(a) || a.is_none()) && (is_string(b) || b.is_none());
    if (d.kind == "string")
        m.help = {"print on each side",
                  "or give a number on each side, and choose the string by it outside of compiled code"};
    if (d.kind == "function") m.help = {"call it on each side: if c { f(x) } else { g(x) }"};
    if (a.is_none() != b.is_none()) // the branch with the value `none` may end with `fail(...)`
        m.help = {"give a value on that side too; or, to stop there, write assert(condition, \"why\") before"};
    return m;
}

} // namespace

Value Join::tree(const std::string& what, const Value& a, const Value& b) {
    if (lenient && a.is_none() && !b.is_none()) return tree(what, missing(b, left_), b);
    if (lenient && b.is_none() && !a.is_none()) return tree(what, a, missing(a, right_));
    if (a.is_numeric() && b.is_numeric()) return leaf(what, a, b);
    if (a.by_rows != b.by_rows) throw Mismatch{what, tree_text(a), tree_text(b)};
    if (a.tuple() && b.tuple() && a.tuple()->items.size() == b.tuple()->items.size()) {
        std::vector<Value> items;
        for (std::size_t i = 0; i < a.tuple()->items.size(); ++i)
            items.push_back(tree(what, a.tuple()->items[i], b.tuple()->items[i]));
        return Value::tuple(std::move(items), a.by_rows);
    }
    if (a.record() && b.record() && a.record()->fields.size() == b.record()->fields.size()) {
        auto fields = a.record()->fields;
        const std::vector<std::size_t> of_a = sorted_fields(*a.record());
        const std::vector<std::size_t> of_b = sorted_fields(*b.record());
        for (std::size_t i = 0; i < fields.size(); ++i) {
            const auto& [name, other] = b.record()->fields[of_b[i]];
            if (fields[of_a[i]].first != name) throw Mismatch{what, tree_text(a), tree_text(b)};
            fields[of_a[i]].second = tree(what, fields[of_a[i]].second, other);
        }
        return Value::record(std::move(fields), a.by_rows);
    }
    if (same_leaves(a, b)) return a;
    Mismatch differ = mismatch(what, a, b);
    if (!differ.of_texts) throw differ;
    if (!texts) texts = std::move(differ);
    return a;
}

/// The value that replaces `none`. If `held` has the structure and types of `like`, this is `held`. Otherwise it is
/// zeros. `held` is preferred, because a loop that does not change the held value copies nothing.
Value Join::missing(const Value& like, Context& side) const {
    const auto alike = [&] {
        const std::vector<Value> a = leaves(held);
        const std::vector<Value> b = leaves(like);
        for (std::size_t i = 0; i < a.size(); ++i) {
            const NumericType x = side.type_of(a[i]);
            const NumericType y = side.type_of(b[i]);
            if (x.type != y.type || x.weak != y.weak) return false;
        }
        return true;
    };
    return same_structure(held, like) && alike() ? held : zeros_like_tree(like, side);
}
Value Join::leaf(const std::string& what, const Value& a, const Value& b) {
    if (a.number() && b.number() && a.number()->same_as(*b.number())) {
        places.push_back(-1);
        return a;
    }
    const NumericType x = left_.type_of(a);
    const NumericType y = right_.type_of(b);
    const bool keys = x.type.dtype == DType::key || y.type.dtype == DType::key;
    Promoted p{x.type.dtype, x.weak && y.weak};
    if (x.type.dtype != y.type.dtype && !keys) p = promote(x.type.dtype, x.weak, y.type.dtype, y.weak);
    const bool fits = x.type.shape == y.type.shape && (!keys || x.type.dtype == y.type.dtype);
    if (!fits) throw Mismatch{what, ir::to_string(x.type), ir::to_string(y.type)};
    places.push_back(static_cast<std::int64_t>(outputs.size()));
    outputs.push_back({a, b, p.dtype, p.weak});
    return a;
}

void Join::promote_to(const Value& types, const Value& made) {
    if (!same_structure(made, types)) return;
    const std::vector<Value> all = leaves(types);
    const std::size_t first = places.size() - all.size();
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (places[first + i] < 0) continue;
        Output& o = outputs[static_cast<std::size_t>(places[first + i])];
        const NumericType t = numeric_type(all[i]);
        if (o.dtype == t.type.dtype) continue;
        const Promoted p = promote(o.dtype, o.weak, t.type.dtype, t.weak);
        o.dtype = p.dtype;
        o.weak = p.weak;
    }
}

Value place(const Value& tree, const std::vector<std::int64_t>& places, std::size_t& next,
            const std::vector<Value>& results) {
    return map_leaves(tree, [&](const Value& leaf) {
        const std::int64_t at = places.at(next++);
        return at < 0 ? leaf : results.at(static_cast<std::size_t>(at));
    });
}

ir::BlockPtr with_params(const ir::BlockPtr& block, const std::vector<RegionParam>& params) {
    std::vector<std::size_t> at(block->values.size(), transform::Slot::unused);
    for (std::size_t i = 0; i < block->params.size(); ++i) at[block->params[i].id] = i;
    std::vector<transform::Slot> slots;
    for (const auto& [value, type] : params) slots.push_back({value ? at[value.id] : transform::Slot::unused, type});
    return transform::with_params(*block, slots);
}

void RegionCaptures::add(const Context& region) {
    for (const Context::Capture& c : region.captures()) {
        const std::size_t hash = source_hash(c.outer);
        const auto [first, last] = index_.equal_range(hash);
        if (std::any_of(first, last, [&](const auto& e) { return same_source(outer_[e.second], c.outer); })) continue;
        index_.emplace(hash, outer_.size());
        outer_.push_back(c.outer);
    }
}
ir::Values RegionCaptures::operands(Context& parent) const {
    ir::Values out;
    for (const Value& v : outer_) out.push_back(parent.use(v));
    return out;
}
std::vector<RegionParam> RegionCaptures::params(const Context& region) const {
    std::vector<RegionParam> out;
    for (const Value& v : outer_) {
        const Context::Capture* const c = region.captured(v);
        out.emplace_back(c ? c->param : ir::Value{}, numeric_type(v).type);
    }
    return out;
}

} // namespace pm::stage
