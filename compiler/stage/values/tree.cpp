#include "compiler/stage/values/tree.hpp"

#include "compiler/base/check.hpp"
#include "compiler/base/stop.hpp"
#include "compiler/stage/values/module_scope.hpp"
#include "compiler/stage/values/native.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <numeric>

namespace pm::stage {

bool same_source(const Value& a, const Value& b) {
    if (a.staged() && b.staged())
        return a.staged()->context == b.staged()->context && a.staged()->value == b.staged()->value;
    if (a.array() && b.array())
        return a.array()->same_memory(*b.array()) && a.array()->dtype() == b.array()->dtype() &&
               a.array()->shape() == b.array()->shape();
    return false;
}

std::size_t source_hash(const Value& v) {
    if (const Staged* s = v.staged())
        return std::hash<const void*>()(s->context.get()) * 31 + std::hash<std::uint32_t>()(s->value.id);
    const Array* a = v.array();
    if (!a) return 0;
    // Two views of one array share its memory, but may begin at different positions. The position is known only if the
    // array is in CPU memory.
    const void* place = a->memory();
    try {
        if (a->on_host()) place = a->data();
    } catch (const runtime::AbstractRead&) { // an abstract array has no memory
    }
    return std::hash<const void*>()(place);
}

std::vector<std::size_t> sorted_fields(const Record& r) {
    std::vector<std::size_t> order(r.fields.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return r.fields[a].first < r.fields[b].first; });
    return order;
}

void for_each_leaf(const Value& tree, const std::function<void(const Value&)>& visit) {
    poll_stop(); // a tuple may contain the same tuple many times, so a few objects may have many leaves
    if (tree.is_numeric()) return visit(tree);
    if (const Tuple* t = tree.tuple())
        for (const Value& item : t->items) for_each_leaf(item, visit);
    if (const Record* r = tree.record())
        for (const std::size_t i : sorted_fields(*r)) for_each_leaf(r->fields[i].second, visit);
}

bool may_have_leaves(const Value& v) {
    poll_stop();
    if (const Tuple* t = v.tuple()) return std::ranges::any_of(t->items, may_have_leaves);
    if (const Record* r = v.record())
        return std::ranges::any_of(r->fields, [](const auto& field) { return may_have_leaves(field.second); });
    return v.is_numeric() || v.range() || v.function() || v.text_template();
}

namespace {

/// A tuple or record with some of its parts replaced. `replacement` returns nullopt for a part that stays. Nullopt if
/// all parts stay, or if the value is neither a tuple nor a record.
template <class Replacement>
std::optional<Value> with_parts(const Value& tree, const Replacement& replacement) {
    if (const Tuple* t = tree.tuple()) {
        std::vector<Value> items;
        bool changed = false;
        for (std::size_t i = 0; i < t->items.size(); ++i) {
            std::optional<Value> made = replacement(t->items[i]);
            if (made && !changed) {
                changed = true;
                items.reserve(t->items.size());
                items.assign(t->items.begin(), t->items.begin() + static_cast<std::ptrdiff_t>(i));
            }
            if (made)
                items.push_back(std::move(*made));
            else if (changed)
                items.push_back(t->items[i]);
        }
        if (changed) return Value::tuple(std::move(items), tree.by_rows);
    }
    if (const Record* r = tree.record()) {
        std::optional<std::vector<std::pair<std::string, Value>>> fields;
        for (const std::size_t i : sorted_fields(*r)) {
            std::optional<Value> made = replacement(r->fields[i].second);
            if (!made) continue;
            if (!fields) fields = r->fields;
            (*fields)[i].second = std::move(*made);
        }
        if (fields) return Value::record(std::move(*fields), tree.by_rows);
    }
    return {};
}

/// As map_leaves, but nullopt if the tree has no leaves.
std::optional<Value> mapped(const Value& tree, const std::function<Value(const Value&)>& map) {
    poll_stop();
    if (tree.is_numeric()) return map(tree);
    return with_parts(tree, [&](const Value& part) { return mapped(part, map); });
}

/// As without_rows, but nullopt if no part has a mark.
std::optional<Value> unmarked(const Value& tree) {
    poll_stop();
    std::optional<Value> made = with_parts(tree, unmarked);
    if (!made && tree.by_rows) made = tree;
    if (made) made->by_rows = false;
    return made;
}

} // namespace

Value map_leaves(const Value& tree, const std::function<Value(const Value&)>& map) {
    return mapped(tree, map).value_or(tree);
}

Value with_rows(Value tree, bool by_rows) {
    tree.by_rows = by_rows;
    return tree;
}

Value without_rows(const Value& tree) { return unmarked(tree).value_or(tree); }

std::vector<Value> leaves(const Value& tree) {
    std::vector<Value> found;
    for_each_leaf(tree, [&](const Value& leaf) { found.push_back(leaf); });
    return found;
}

Value type_of_leaf(const Value& leaf) {
    if (leaf.number()) return leaf;
    const NumericType t = numeric_type(leaf);
    return {Array::abstract(t.type.dtype, t.type.shape), t.weak};
}

bool same_structure(const Value& a, const Value& b) {
    poll_stop();
    if (a.is_numeric() || b.is_numeric()) return a.is_numeric() && b.is_numeric();
    if (a.tuple() && b.tuple()) {
        if (a.tuple() == b.tuple()) return true;
        const auto& x = a.tuple()->items;
        const auto& y = b.tuple()->items;
        if (x.size() != y.size()) return false;
        for (std::size_t i = 0; i < x.size(); ++i)
            if (!same_structure(x[i], y[i])) return false;
        return true;
    }
    if (a.record() && b.record()) {
        const auto& x = a.record()->fields;
        const auto& y = b.record()->fields;
        if (x.size() != y.size()) return false;
        const std::vector<std::size_t> of_x = sorted_fields(*a.record());
        const std::vector<std::size_t> of_y = sorted_fields(*b.record());
        for (std::size_t i = 0; i < x.size(); ++i)
            if (x[of_x[i]].first != y[of_y[i]].first || !same_structure(x[of_x[i]].second, y[of_y[i]].second))
                return false;
        return true;
    }
    Digester ka, kb;
    std::vector<Value> ignored;
    append_key(ka, a, ignored);
    append_key(kb, b, ignored);
    return ka.end() == kb.end();
}

std::string tree_text(const Value& v) {
    poll_stop();
    if (v.by_rows) return fmt::format("each({})", tree_text(with_rows(v, false)));
    constexpr std::size_t most = 3;
    const auto list = [&](std::size_t count, auto&& item, std::string_view open, std::string_view close,
                          bool one_comma) {
        std::string out(open);
        for (std::size_t i = 0; i < count; ++i) {
            if (i == most && count > most + 1) {
                out += fmt::format(", ... {} more", count - most);
                break;
            }
            out += (i ? ", " : "") + item(i);
        }
        if (one_comma && count == 1) out += ",";
        return out + std::string(close);
    };
    if (const Tuple* t = v.tuple())
        return list(t->items.size(), [&](std::size_t i) { return tree_text(t->items[i]); }, "(", ")", true);
    if (const Record* r = v.record())
        return list(
            r->fields.size(), [&](std::size_t i) { return r->fields[i].first + ": " + tree_text(r->fields[i].second); },
            "{", "}", false);
    if (v.is_numeric()) return ir::to_string(numeric_type(v).type);
    return kind_name(v);
}

// ---- keys

namespace {

/// A key is a sequence of parts. This is the kind of a part. The upper byte of the part's first word is its kind, so no
/// part is a prefix of another part.
enum class Part : std::uint8_t {
    none = 1,
    numeric,
    text,
    dtype,
    tuple,
    record,
    native,
    transformed,
    linear,
    function,
    range,
    computed_text,
    module,
    number,
};

void append_part(Digester& key, Part part, std::uint64_t what = 0) {
    key.add((static_cast<std::uint64_t>(part) << 56) | what);
}

std::uint64_t address(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }

void append_option_key(Digester& key, const Value& v) {
    std::vector<Value> numbers;
    append_key(key, v, numbers);
    for (const Value& leaf : numbers)
        if (const Number* n = leaf.number())
            append_number(key, *n);
        else
            append_part(key, Part::none);
}

void append_type_key(Digester& key, const Value& v) {
    const auto type = [&](DType dtype, bool weak, const Shape& shape) {
        append_part(key, Part::numeric,
                    (static_cast<std::uint64_t>(dtype) << 33) | (static_cast<std::uint64_t>(weak) << 32) |
                        shape.size());
        for (const std::int64_t size : shape) key.add(size);
    };
    if (const Number* n = v.number())
        type(n->default_dtype(), n->weak(), {});
    else if (const Array* a = v.array())
        type(a->dtype(), v.weak, a->shape());
    else
        type(v.staged()->type.dtype, v.staged()->weak, v.staged()->type.shape);
}

void append_function_key(Digester& key, const Function& f, std::vector<Value>& leaves) {
    if (f.native()) return append_part(key, Part::native, address(f.native()));
    if (const Transformed* t = f.transformed()) {
        append_part(key, Part::transformed, t->functions.size());
        key.add(std::uint64_t{static_cast<std::uint8_t>(t->kind)});
        for (const Value& v : t->functions) append_key(key, v, leaves);
        // Options (axes, names, bools) are part of the structure.
        key.add(std::uint64_t{t->options.size()});
        for (const auto& [name, v] : t->options) {
            key.add(name);
            append_option_key(key, v);
        }
        return;
    }
    if (const LinearMap* map = f.linear()) {
        append_part(key, Part::linear, map->residuals.size());
        key.add(std::uint64_t{map->reverse});
        key.add(address(map->block.get()));
        for (const Value& v : map->residuals) append_key(key, v, leaves);
        return;
    }
    // The key has the number of the source, not the address of the tree, because a new tree may get the address of a
    // freed tree.
    const Closure& closure = *f.closure();
    append_part(key, Part::function, closure.captured.size());
    key.add((std::uint64_t{closure.module->source()} << 32) | closure.id.value);
    for (const auto& [name, v] : closure.captured) {
        key.add(name);
        append_key(key, v, leaves);
    }
}

} // namespace

void append_number(Digester& key, const Number& n) {
    const auto kind = static_cast<std::uint64_t>(n.kind);
    append_part(key, Part::number, kind << 2 | std::uint64_t{n.computed} << 1 | std::uint64_t{n.wide});
    const bool whole = n.kind == Number::Kind::boolean || n.kind == Number::Kind::integer;
    if (whole)
        key.add(n.i);
    else
        key.add(n.f);
    if (n.is_complex()) key.add(n.imaginary);
}

void append_key(Digester& key, const Value& v, std::vector<Value>& leaves) {
    poll_stop();
    if (v.is_numeric()) {
        append_type_key(key, v);
        leaves.push_back(v);
    } else if (const std::string* s = v.text()) {
        append_part(key, Part::text);
        key.add(*s);
    } else if (const DType* d = v.dtype()) {
        append_part(key, Part::dtype, static_cast<std::uint64_t>(*d));
    } else if (const Tuple* t = v.tuple()) {
        append_part(key, Part::tuple, std::uint64_t{v.by_rows} << 32 | t->items.size());
        for (const Value& item : t->items) append_key(key, item, leaves);
    } else if (const Record* r = v.record()) {
        // The source order of the fields is part of the key too, because a record is printed in this order.
        append_part(key, Part::record, std::uint64_t{v.by_rows} << 32 | r->fields.size());
        for (const auto& [name, value] : r->fields) key.add(name);
        for (const std::size_t i : sorted_fields(*r)) append_key(key, r->fields[i].second, leaves);
    } else if (const Function* f = v.function()) {
        append_function_key(key, *f, leaves);
    } else if (const Range* range = v.range()) {
        append_part(key, Part::range, (static_cast<std::uint64_t>(range->kind) << 32) | range->parts.size());
        for (const Value& part : range->parts) append_key(key, part, leaves);
    } else if (const Template* text = v.text_template()) {
        append_part(key, Part::computed_text, text->pieces.size());
        for (const Template::Piece& piece : text->pieces) {
            key.add(piece.text);
            key.add(piece.format);
            key.add(std::uint64_t{piece.has_value});
            if (piece.has_value) append_key(key, piece.value, leaves);
        }
    } else if (const ModuleValue* m = v.module()) {
        append_part(key, Part::module, m->scope->id);
    } else {
        append_part(key, Part::none);
    }
}

std::vector<Value> all_leaves(const Value& v) {
    Digester key;
    std::vector<Value> found;
    append_key(key, v, found);
    return found;
}

std::string quoted_text(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        if (c == '\n')
            out += "\\n";
        else if (c == '\t')
            out += "\\t";
        else
            out += c;
    }
    return out + "\"";
}

std::string field_text(const std::string& name) {
    const auto word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    const bool plain = !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
                       std::all_of(name.begin(), name.end(), word);
    return plain ? name : quoted_text(name);
}

std::string step_text(const std::string& field) {
    const std::string name = field_text(field);
    return name.front() == '"' ? fmt::format("[{}]", name) : "." + name;
}

std::string leaf_path(const Value& tree, std::size_t leaf) {
    const auto within = [&](const std::string& name, const Value& part) -> std::optional<std::string> {
        const std::size_t count = all_leaves(part).size();
        if (leaf < count) return name + leaf_path(part, leaf);
        leaf -= count;
        return {};
    };
    if (const Tuple* t = tree.tuple())
        for (std::size_t i = 0; i < t->items.size(); ++i)
            if (auto path = within(fmt::format(".{}", i), t->items[i])) return *path;
    if (const Record* r = tree.record())
        for (const std::size_t i : sorted_fields(*r))
            if (auto path = within(step_text(r->fields[i].first), r->fields[i].second)) return *path;
    return {};
}

bool same_leaves(const Value& a, const Value& b) {
    Digester ka, kb;
    std::vector<Value> la, lb;
    append_key(ka, a, la);
    append_key(kb, b, lb);
    if (ka.end() != kb.end()) return false;
    for (std::size_t i = 0; i < la.size(); ++i) {
        const Number* x = la[i].number();
        const Number* y = lb[i].number();
        if (x && y ? !x->same_as(*y) : !same_source(la[i], lb[i])) return false;
    }
    return true;
}

namespace {

/// As replace_leaves, but nullopt if the value has no parts that may be leaves.
std::optional<Value> replaced(const Value& v, const std::vector<Value>& leaves, std::size_t& next) {
    poll_stop();
    if (v.is_numeric()) return leaves.at(next++);
    if (v.tuple() || v.record()) return with_parts(v, [&](const Value& part) { return replaced(part, leaves, next); });
    const auto replace = [&](Value& part) { part = replace_leaves(part, leaves, next); };
    if (const Range* range = v.range()) {
        Range made = *range;
        for (Value& part : made.parts) replace(part);
        return std::make_shared<const Range>(std::move(made));
    }
    if (const Template* text = v.text_template()) {
        Template made = *text;
        for (Template::Piece& piece : made.pieces)
            if (piece.has_value) replace(piece.value);
        return made;
    }
    if (const Function* f = v.function(); f && !f->native()) {
        Function made = *f;
        if (auto* t = std::get_if<Transformed>(&made.kind))
            for (Value& inner : t->functions) replace(inner);
        if (auto* map = std::get_if<LinearMap>(&made.kind))
            for (Value& inner : map->residuals) replace(inner);
        if (auto* closure = std::get_if<Closure>(&made.kind))
            for (auto& [name, inner] : closure->captured) replace(inner);
        return std::make_shared<const Function>(std::move(made));
    }
    return {};
}

} // namespace

Value replace_leaves(const Value& v, const std::vector<Value>& leaves, std::size_t& next) {
    return replaced(v, leaves, next).value_or(v);
}

} // namespace pm::stage
