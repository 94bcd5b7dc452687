#include "compiler/stage/core/value.hpp"

#include "compiler/base/check.hpp"
#include "compiler/base/diagnostic.hpp"
#include "compiler/stage/core/stager.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <numeric>

namespace pm::stage {

DType Number::default_dtype() const {
    if (dtype) return *dtype;
    switch (kind) {
    case Kind::boolean: return DType::b1;
    case Kind::integer: return wide ? DType::i64 : DType::i32;
    case Kind::floating: return wide ? DType::f64 : DType::f32;
    case Kind::complex: return wide ? DType::c128 : DType::c64;
    }
    PM_UNREACHABLE();
}

Number Number::as_computed(bool is_wide) const {
    if (computed || !weak() || stays_known()) return *this;
    Number made = *this;
    made.computed = true;
    made.wide = is_wide;
    if (is_wide) return made;
    const auto narrow = [](double x) {
        std::uint64_t bits = 0;
        runtime::write_f64(DType::f32, &bits, 0, x);
        return runtime::read_f64(DType::f32, &bits, 0);
    };
    made.f = narrow(f);
    made.imaginary = narrow(imaginary);
    return made;
}

bool Number::same_as(const Number& other) const {
    const auto bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };
    return kind == other.kind && i == other.i && bits(f) == bits(other.f) && bits(imaginary) == bits(other.imaginary) &&
           dtype == other.dtype && computed == other.computed;
}

Number Number::as_written() const {
    Number made = *this;
    made.computed = made.wide = made.specialised = false;
    return made;
}

void Number::computed_from(const Number& a, const Number& b) {
    const bool all_known = (!a.computed || a.specialised) && (!b.computed || b.specialised);
    computed = a.computed || b.computed; // `a` may be this number
    wide = a.wide || b.wide;
    specialised = computed && all_known;
}

const Value* Record::find(const std::string& name) const {
    for (const auto& [field, value] : fields)
        if (field == name) return &value;
    return nullptr;
}

namespace {

/// Heap bytes of a text; short texts have none.
std::size_t elsewhere(const std::string& text) {
    static const std::size_t within = std::string().capacity();
    return text.capacity() > within ? text.capacity() + 1 : 0;
}

/// An object that counts in the account of the thread, like its content.
template <class T>
std::shared_ptr<T> counted(T made) {
    return std::allocate_shared<T>(Counted<T>(), std::move(made));
}

} // namespace

Value::Value(std::string text, runtime::Charge paid) {
    paid.resize(elsewhere(text));
    node = std::shared_ptr<const Text>(counted(Text{std::move(text), std::move(paid), {}}));
}
Value::Value(std::string text) : Value() {
    runtime::Charge paid = elsewhere(text) == 0 ? runtime::Charge() : charged(elsewhere(text));
    node = std::shared_ptr<const Text>(counted(Text{std::move(text), std::move(paid), {}}));
}
Value::Value(runtime::ChargedText text) : Value() {
    auto [bytes, paid] = std::move(text).take();
    *this = Value(std::move(bytes), std::move(paid));
}
Value::Value(Template text)
    : node(std::make_shared<const Text>(Text{{}, {}, std::make_shared<const Template>(std::move(text))})) {}

Value Value::tuple(std::vector<Value> items) {
    Value v;
    v.node = std::shared_ptr<const Tuple>(counted(Tuple{std::move(items)})); // see parts_of
    return v;
}

Value Value::record(std::vector<std::pair<std::string, Value>> fields) {
    Value v;
    v.node = std::shared_ptr<const Record>(counted(Record{std::move(fields)})); // see parts_of
    return v;
}

Value Value::staged(std::shared_ptr<Context> context, ir::Value value, Type type, bool weak) {
    return std::make_shared<const Staged>(Staged{std::move(context), value, std::move(type), weak});
}

NumericType numeric_type(const Value& v) {
    if (const Number* n = v.number()) return {{n->default_dtype(), {}}, n->weak()};
    if (const Array* a = v.array()) return {{a->dtype(), a->shape()}, v.weak};
    if (const Staged* s = v.staged()) return {s->type, s->weak};
    // Callers that know more name the argument in the message; the position is that of the call.
    raise(diagnose(Diag::wrong_kind, {}, "this", "a number or an array", describe(v)));
}

// ---- promotion

namespace {

/// JAX's lattice: nodes, and the nodes that each yields to directly. Weak numbers are nodes of their own.
enum Node : int {
    n_b1,
    n_iw,
    n_u8,
    n_u16,
    n_u32,
    n_u64,
    n_i8,
    n_i16,
    n_i32,
    n_i64,
    n_fw,
    n_bf16,
    n_f16,
    n_f32,
    n_f64,
    n_cw,
    n_c64,
    n_c128,
    n_count
};

using Set = std::uint32_t;

std::array<Set, n_count> upper_sets() {
    std::array<std::vector<Node>, n_count> above;
    above[n_b1] = {n_iw};
    above[n_iw] = {n_u8, n_i8};
    above[n_u8] = {n_i16, n_u16};
    above[n_u16] = {n_i32, n_u32};
    above[n_u32] = {n_i64, n_u64};
    above[n_u64] = {n_fw};
    above[n_i8] = {n_i16};
    above[n_i16] = {n_i32};
    above[n_i32] = {n_i64};
    above[n_i64] = {n_fw};
    above[n_fw] = {n_bf16, n_f16, n_cw};
    above[n_bf16] = {n_f32};
    above[n_f16] = {n_f32};
    above[n_f32] = {n_f64, n_c64};
    above[n_f64] = {n_c128};
    above[n_cw] = {n_c64};
    above[n_c64] = {n_c128};
    std::array<Set, n_count> sets{};
    for (int round = 0; round < n_count; ++round)
        for (int n = 0; n < n_count; ++n) {
            sets[static_cast<std::size_t>(n)] |= 1U << n;
            for (const Node up : above[static_cast<std::size_t>(n)])
                sets[static_cast<std::size_t>(n)] |= sets[up] | (1U << up);
        }
    return sets;
}

Node node_of(DType d, bool weak) {
    if (weak && runtime::is_integer(d)) return n_iw;
    if (weak && runtime::is_float(d)) return n_fw;
    if (weak && runtime::is_complex(d)) return n_cw;
    switch (d) {
    case DType::b1: return n_b1;
    case DType::i8: return n_i8;
    case DType::i16: return n_i16;
    case DType::i32: return n_i32;
    case DType::i64: return n_i64;
    case DType::u8: return n_u8;
    case DType::u16: return n_u16;
    case DType::u32: return n_u32;
    case DType::u64: return n_u64;
    case DType::f16: return n_f16;
    case DType::bf16: return n_bf16;
    case DType::f32: return n_f32;
    case DType::f64: return n_f64;
    case DType::c64: return n_c64;
    case DType::c128: return n_c128;
    case DType::key:
    case DType::tape: raise(diagnose(Diag::wrong_kind, {}, "this", "numbers", "random keys"));
    }
    PM_UNREACHABLE();
}

Promoted promoted_of(int node, DType a, bool a_weak, DType b, bool b_weak) {
    constexpr DType types[] = {DType::b1,  DType::i32, DType::u8,  DType::u16, DType::u32, DType::u64,
                               DType::i8,  DType::i16, DType::i32, DType::i64, DType::f32, DType::bf16,
                               DType::f16, DType::f32, DType::f64, DType::c64, DType::c64, DType::c128};
    const bool weak = node == n_iw || node == n_fw || node == n_cw;
    if (!weak) return {types[node], false};
    // A weak result keeps the wider of the weak dtypes of its operands (f64 under a cast, say). Integers of 64 bits
    // make a weak float an f64, as in `/`.
    DType best = types[node];
    const auto wide = [](DType d) { return d == DType::i64 || d == DType::u64; };
    if (node == n_fw && (wide(a) || wide(b))) best = DType::f64;
    const auto makes_wide = [&](DType d, bool d_weak) { return wide(d) || (d_weak && d == DType::f64); };
    if (node == n_cw && (makes_wide(a, a_weak) || makes_wide(b, b_weak))) best = DType::c128;
    for (const auto& [d, w] : {std::pair{a, a_weak}, std::pair{b, b_weak}})
        if (w && node_of(d, true) == node && runtime::size_of(d) > runtime::size_of(best)) best = d;
    return {best, true};
}

} // namespace

Promoted promote(DType a, bool a_weak, DType b, bool b_weak) {
    static const std::array<Set, n_count> sets = upper_sets();
    if (a == b && a_weak == b_weak) return {a, a_weak};
    const Set common =
        sets[static_cast<std::size_t>(node_of(a, a_weak))] & sets[static_cast<std::size_t>(node_of(b, b_weak))];
    // The least common node is the one below all other common ones.
    for (int n = 0; n < n_count; ++n)
        if ((common >> n & 1U) != 0 && (sets[static_cast<std::size_t>(n)] & common) == common)
            return promoted_of(n, a, a_weak, b, b_weak);
    PM_UNREACHABLE();
}

DType float_of(DType dtype) {
    if (runtime::is_inexact(dtype)) return dtype;
    return dtype == DType::i64 || dtype == DType::u64 ? DType::f64 : DType::f32;
}

// ---- words

std::string kind_name(const Value& v) {
    if (v.is_none()) return "none";
    if (v.number()) return "number";
    if (v.text() || v.text_template()) return "str";
    if (v.dtype()) return "dtype";
    if (v.array() || v.staged()) return "array";
    if (v.tuple()) return "tuple";
    if (v.record()) return "record";
    if (v.function()) return "function";
    if (const Range* r = v.range()) {
        switch (r->kind) {
        case Range::Kind::range: return "range";
        case Range::Kind::zip: return "zip";
        case Range::Kind::enumerate: return "enumerate";
        case Range::Kind::reversed: return "reversed";
        case Range::Kind::progress: return "progress";
        }
    }
    return "module";
}

std::string name_of(const Value& function) {
    const Function* f = function.function();
    return f && !f->name.empty() ? f->name : "fn";
}

std::string describe(const Value& v) {
    if (v.is_numeric()) {
        const NumericType t = numeric_type(v);
        if (v.number() && t.weak) {
            if (v.number()->is_complex()) return "a complex number";
            return v.number()->kind == Number::Kind::integer ? "an integer" : "a float";
        }
        return ir::to_string(t.type);
    }
    if (v.is_none()) return "`none`";
    if (v.text() || v.text_template()) return "a string";
    if (v.dtype()) return fmt::format("the dtype {}", runtime::name(*v.dtype()));
    if (v.tuple()) return fmt::format("a tuple of {}", v.tuple()->items.size());
    if (v.record()) {
        std::string names;
        for (const auto& [name, value] : v.record()->fields) names += (names.empty() ? "" : ", ") + name;
        return fmt::format("a record {{{}}}", names);
    }
    if (v.function()) return fmt::format("the function `{}`", name_of(v));
    if (v.range()) return v.range()->kind == Range::Kind::range ? "a range" : fmt::format("`{}(...)`", kind_name(v));
    return "a module";
}

std::vector<std::size_t> sorted_fields(const Record& r) {
    std::vector<std::size_t> order(r.fields.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return r.fields[a].first < r.fields[b].first; });
    return order;
}

// ---- trees

void for_each_leaf(const Value& tree, const std::function<void(const Value&)>& visit) {
    if (tree.is_numeric()) return visit(tree);
    if (const Tuple* t = tree.tuple())
        for (const Value& item : t->items) for_each_leaf(item, visit);
    if (const Record* r = tree.record())
        for (const std::size_t i : sorted_fields(*r)) for_each_leaf(r->fields[i].second, visit);
}

Value map_leaves(const Value& tree, const std::function<Value(const Value&)>& map) {
    if (tree.is_numeric()) return map(tree);
    if (const Tuple* t = tree.tuple()) {
        std::vector<Value> items;
        items.reserve(t->items.size());
        for (const Value& item : t->items) items.push_back(map_leaves(item, map));
        return Value::tuple(std::move(items));
    }
    if (const Record* r = tree.record()) {
        auto fields = r->fields;
        for (const std::size_t i : sorted_fields(*r)) fields[i].second = map_leaves(fields[i].second, map);
        return Value::record(std::move(fields));
    }
    return tree;
}

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
    if (a.is_numeric() || b.is_numeric()) return a.is_numeric() && b.is_numeric();
    if (a.tuple() && b.tuple()) {
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

/// The kind of a part of a key. It is in the upper byte of the part's first word, so that no part is a prefix of
/// another.
enum class Part : std::uint8_t {
    none = 1,
    numeric,
    text,
    dtype,
    tuple,
    record,
    native,
    transformed,
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
    if (f.native) return append_part(key, Part::native, address(f.native));
    if (f.transformed) {
        const Transformed& t = *f.transformed;
        append_part(key, Part::transformed, t.values.size());
        key.add(t.kind);
        key.add(address(t.block.get()));
        for (const Value& v : t.values) append_key(key, v, leaves);
        // Options are structure: axes, names, switches.
        key.add(std::uint64_t{t.options.size()});
        for (const auto& [name, v] : t.options) {
            key.add(name);
            append_option_key(key, v);
        }
        return;
    }
    // By source number, not by address: another tree may be allocated at the address of a freed one.
    append_part(key, Part::function, f.captured.size());
    key.add((std::uint64_t{f.module->source()} << 32) | f.id.value);
    for (const auto& [name, v] : f.captured) {
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
    if (v.is_numeric()) {
        append_type_key(key, v);
        leaves.push_back(v);
    } else if (const std::string* s = v.text()) {
        append_part(key, Part::text);
        key.add(*s);
    } else if (const DType* d = v.dtype()) {
        append_part(key, Part::dtype, static_cast<std::uint64_t>(*d));
    } else if (const Tuple* t = v.tuple()) {
        append_part(key, Part::tuple, t->items.size());
        for (const Value& item : t->items) append_key(key, item, leaves);
    } else if (const Record* r = v.record()) {
        // The written order is part of the key too: it decides how the record prints.
        append_part(key, Part::record, r->fields.size());
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

Value replace_leaves(const Value& v, const std::vector<Value>& leaves, std::size_t& next) {
    if (v.is_numeric()) return leaves.at(next++);
    if (const Tuple* t = v.tuple()) {
        std::vector<Value> items;
        items.reserve(t->items.size());
        for (const Value& item : t->items) items.push_back(replace_leaves(item, leaves, next));
        return Value::tuple(std::move(items));
    }
    if (const Record* r = v.record()) {
        auto fields = r->fields;
        for (const std::size_t i : sorted_fields(*r)) fields[i].second = replace_leaves(fields[i].second, leaves, next);
        return Value::record(std::move(fields));
    }
    if (const Range* range = v.range()) {
        Range made = *range;
        for (Value& part : made.parts) part = replace_leaves(part, leaves, next);
        return std::make_shared<const Range>(std::move(made));
    }
    if (const Template* text = v.text_template()) {
        Template made = *text;
        for (Template::Piece& piece : made.pieces)
            if (piece.has_value) piece.value = replace_leaves(piece.value, leaves, next);
        return made;
    }
    if (const Function* f = v.function(); f && !f->native) {
        Function made = *f;
        if (made.transformed) {
            for (Value& inner : made.transformed->values) inner = replace_leaves(inner, leaves, next);
        }
        for (auto& [name, inner] : made.captured) inner = replace_leaves(inner, leaves, next);
        return std::make_shared<const Function>(std::move(made));
    }
    return v;
}

} // namespace pm::stage
