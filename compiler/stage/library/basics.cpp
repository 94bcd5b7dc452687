// Printing, sequences, trees and small conversions.
#include "compiler/stage/index/indexing.hpp"
#include "compiler/stage/known/computed.hpp"
#include "compiler/stage/library/library.hpp"

#include "compiler/base/check.hpp"
#include "compiler/base/count.hpp"
#include "compiler/base/python_format.hpp"
#include "compiler/base/version.hpp"
#include "compiler/stage/index/sequence.hpp"
#include "compiler/stage/known/known.hpp"
#include "compiler/stage/known/known_arithmetic.hpp"
#include "compiler/stage/known/printing.hpp"
#include "compiler/stage/known/text_numbers.hpp"
#include "compiler/stage/transform/devices.hpp"
#include "compiler/stage/values/promotion.hpp"
#include "compiler/stage/values/tree.hpp"

#include <fmt/format.h>

namespace pm::stage::library {
namespace {

Value print(Stager& s, Arguments& a) {
    print_values(s, a[0].tuple()->items, need_text(s, a[1], a.spans[1], "sep"), need_text(s, a[2], a.spans[2], "end"),
                 a.span);
    return None{};
}

Value assert_(Stager& s, Arguments& a) {
    check_holds(s, a[0], a[1], Diag::assertion_failed, a.span);
    return None{};
}

Value fail(Stager& s, Arguments& a) {
    check_holds(s, Value::boolean(false), a[0], Diag::stopped_by_fail, a.span);
    return None{};
}

Value needs_version(Stager& s, Arguments& a) {
    const std::string& version = need_text(s, a[0], a.spans[0], "`needs_version`");
    if (!read_version(version))
        raise(diagnose(Diag::wrong_kind, a.spans[0], "`needs_version`", "a version such as \"0.9\" or \"1.2.3\"",
                       quoted_text(version)));
    if (auto unmet = unmet_version(version, a.spans[0])) raise(std::move(*unmet));
    return None{};
}

/// Marks `length` as a computed number if a bound or the step of `r`, or of a range inside `r`, is a computed number.
void compute_from_bounds(const Stager& s, const Range& r, Number& length) {
    for (const Value& part : r.parts) {
        if (part.range()) compute_from_bounds(s, *part.range(), length);
        if (r.kind != Range::Kind::range) continue;
        Number bound = part.number() ? *part.number() : Number();
        bound.computed |=
            s.as_compiled() && (part.array() || bound.dtype); // a number with a dtype counts as a computed number
        length.computed_from(length, bound);
    }
}

/// The length of a range. If a bound or the step is a computed number, the length is a computed number too. It has 64
/// bits, because the difference of two 32-bit bounds may not fit an i32.
Value length_of_range(Stager& s, const Value& range, Span span) {
    const Sequence q = sequence_of(s, range, span);
    if (q.staged_length && q.length == 0) return *q.staged_length;
    Number length = Number::of(q.length);
    compute_from_bounds(s, *range.range(), length);
    length.wide = length.computed;
    return length;
}

Value len(Stager& s, Arguments& a) {
    const Value& v = a[0];
    if (v.is_numeric()) {
        const Shape& shape = numeric_type(v).type.shape;
        if (shape.empty()) raise(diagnose(Diag::wrong_kind, a.span, "`len`", "something with elements", describe(v)));
        return Value::integer(shape[0]);
    }
    if (v.by_rows) return Value::integer(*rows_of(v, a.span).length);
    if (v.tuple()) return Value::integer(static_cast<std::int64_t>(v.tuple()->items.size()));
    if (v.record()) return Value::integer(static_cast<std::int64_t>(v.record()->fields.size()));
    if (v.text()) return Value::integer(character_count(s, *v.text()));
    if (v.range()) return length_of_range(s, v, a.span);
    raise(diagnose(Diag::wrong_kind, a.span, "`len`", "something with elements", describe(v)));
}

Value range(Stager&, Arguments& a) {
    Range r;
    if (a.given[1])
        r.parts = {a[0], a[1], a[2]};
    else
        r.parts = {Value::integer(0), a[0], a[2]};
    return std::make_shared<const Range>(std::move(r));
}

Value combined(Range::Kind kind, std::vector<Value> parts) {
    Range r;
    r.kind = kind;
    r.parts = std::move(parts);
    return std::make_shared<const Range>(std::move(r));
}

/// The function zip. Known lengths are compared here, so the error has the position of the call. The loop compares the
/// other lengths.
Value zip(Stager& s, Arguments& a) {
    const std::vector<Value>& parts = a[0].tuple()->items;
    std::optional<std::int64_t> first;
    for (const Value& v : parts) {
        const bool bar =
            v.range() && v.range()->kind == Range::Kind::progress; // a progress bar must start only when a loop begins
        const Sequence q = sequence_of(s, bar ? v.range()->parts[0] : v, a.span);
        if (q.staged_length) continue;
        if (first && *first != q.length) raise(different_lengths(a.span, *first, q.length));
        first = q.length;
    }
    return combined(Range::Kind::zip, parts);
}
Value enumerate(Stager&, Arguments& a) { return combined(Range::Kind::enumerate, {a[0]}); }
Value reversed(Stager&, Arguments& a) { return combined(Range::Kind::reversed, {a[0]}); }
Value each(Stager&, Arguments& a) {
    rows_of(a[0], a.span);
    return with_rows(a[0], a[0].tuple() || a[0].record());
}
Value tuple(Stager& s, Arguments& a) { return Value::tuple(known_elements(s, a[0], a.span)); }

Value keys(Stager&, Arguments& a) {
    if (!a[0].record()) raise(diagnose(Diag::wrong_kind, a.span, "`keys`", "a record", describe(a[0])));
    std::vector<Value> names;
    for (const auto& [name, value] : a[0].record()->fields) names.emplace_back(name);
    return Value::tuple(std::move(names));
}

Value values(Stager&, Arguments& a) {
    if (!a[0].record()) raise(diagnose(Diag::wrong_kind, a.span, "`values`", "a record", describe(a[0])));
    std::vector<Value> list;
    for (const auto& [name, value] : a[0].record()->fields) list.push_back(value);
    return Value::tuple(std::move(list));
}

Value without(Stager& s, Arguments& a) {
    if (!a[0].record()) raise(diagnose(Diag::wrong_kind, a.span, "`without`", "a record", describe(a[0])));
    std::set<std::string> gone;
    for (const Value& v : a[1].tuple()->items) {
        gone.insert(need_text(s, v, a.spans[1], "the name of a field"));
        if (!a[0].record()->find(*v.text())) field(s, a[0], {*v.text(), a.spans[1]}); // raises
    }
    std::vector<std::pair<std::string, Value>> fields;
    for (const auto& field : a[0].record()->fields)
        if (gone.count(field.first) == 0) fields.push_back(field);
    return Value::record(std::move(fields));
}

/// Whether `v` is a scalar that compiled code would compute at run time. `float` and `int` convert such a scalar to a
/// computed number. They convert other scalars to a literal.
bool is_computed_number(const Stager& s, const Value& v) {
    const Number* n = v.number();
    return s.as_compiled() && v.is_numeric() && (!n || n->computed) && numeric_type(v).type.rank() == 0;
}
/// If `v` is a computed number that compiled code knows, this number. Null otherwise.
const Number* number_known_in_code(const Stager& s, const Value& v) {
    const Number* n = v.number();
    return n && known_in_code(s, *n) ? n : nullptr;
}
/// The dtype that the literal `number` has in an operation on the data of the current function.
DType own_dtype(Stager& s, const Value& number) { return s.here().type_of(number).type.dtype; }

Value float_(Stager& s, Arguments& a) {
    if (const std::string* text = a[0].text()) return number_of_text("float", *text, DType::f64, a.span);
    if (const Number* n = number_known_in_code(s, a[0]); n && !n->is_complex()) {
        Number made = Number::of(n->as_f64()).as_computed(n->wide);
        made.specialised = n->specialised;
        return made;
    }
    if (is_computed_number(s, a[0]))
        return s.array_work(a.span, [&] {
            const bool wide = float_of(numeric_type(a[0]).type.dtype) == DType::f64;
            return s.wrap(s.use(a[0], wide ? DType::f64 : own_dtype(s, Value::floating(0))), true);
        });
    const Number n = need_number(s, a[0], a.span, "`float`");
    if (n.is_complex()) require_complex(DType::c64, DType::f64, a.span);
    return with_type(Number::of(n.as_f64()), {float_of(n.default_dtype()), true});
}

Value int_(Stager& s, Arguments& a) {
    if (const std::string* text = a[0].text()) return number_of_text("int", *text, DType::i64, a.span);
    const bool whole = a[0].is_numeric() && runtime::is_integer(numeric_type(a[0]).type.dtype);
    if (is_computed_number(s, a[0]) && a[0].number() && whole)
        return a[0]; // the number may be a size, so it keeps all bits
    if (is_computed_number(s, a[0]) && !number_known_in_code(s, a[0]))
        return s.array_work(a.span, [&] {
            const DType given = numeric_type(a[0]).type.dtype;
            const bool wide = given == DType::i64 || given == DType::u64 || given == DType::f64;
            return s.wrap(s.use(a[0], wide ? DType::i64 : own_dtype(s, Value::integer(0))), true);
        });
    const Number n = need_number(s, a[0], a.span, "`int`");
    if (n.is_complex()) require_complex(DType::c64, DType::i64, a.span);
    const auto result = [&](std::int64_t i) {
        Number made = with_type(Number::of(i), {is_wide(n.default_dtype()) ? DType::i64 : DType::i32, true});
        if (n.computed) made = made.as_computed(n.wide);
        made.specialised = made.computed && n.specialised;
        return made;
    };
    if (n.kind != Number::Kind::floating) return result(n.i);
    if (!(n.f > -9.2e18 && n.f < 9.2e18))
        raise(diagnose(Diag::wrong_kind, a.span, "`int`", "a number that fits 64 bits", fmt::format("{}", n.f)));
    return result(static_cast<std::int64_t>(n.f));
}

Value str(Stager&, Arguments& a) { return text_of(a[0], {}, a.span); }

// ---- trees

/// Where the structures of two trees differ first: "the first has a field `b` in `layers[0]`, the second has not".
std::string first_difference(const Value& a, const Value& b, const std::string& path) {
    const std::string in = path.empty() ? "" : fmt::format(" in `{}`", path);
    if (a.tuple() && b.tuple()) {
        const auto& x = a.tuple()->items;
        const auto& y = b.tuple()->items;
        if (x.size() != y.size()) return fmt::format("the first has {} parts{}, the second {}", x.size(), in, y.size());
        for (std::size_t i = 0; i < x.size(); ++i)
            if (!same_structure(x[i], y[i])) return first_difference(x[i], y[i], fmt::format("{}[{}]", path, i));
    }
    if (a.record() && b.record()) {
        for (const auto& [name, value] : a.record()->fields) {
            const Value* const other = b.record()->find(name);
            if (!other) return fmt::format("the first has a field `{}`{}, the second has not", name, in);
            if (!same_structure(value, *other))
                return first_difference(value, *other, path.empty() ? name : fmt::format("{}.{}", path, name));
        }
        for (const auto& [name, value] : b.record()->fields)
            if (!a.record()->find(name))
                return fmt::format("the second has a field `{}`{}, the first has not", name, in);
    }
    return fmt::format("the first has {}{}, the second {}", describe(a), in, describe(b));
}

/// The function tree_map. Calls a function on corresponding leaves of several trees. `by_rows` is false in the result,
/// because the function may change axis 0.
Value tree_map(Stager& s, Arguments& a) {
    const auto& trees = a[1].tuple()->items;
    if (trees.empty())
        raise(diagnose(Diag::wrong_argument_count, a.span, "tree_map", "at least 2 arguments", 1)
                  .fix("give the trees after the function: tree_map(f, tree)"));
    std::vector<std::vector<Value>> columns;
    for (const Value& tree : trees) {
        if (!same_structure(tree, trees[0]))
            raise(diagnose(Diag::trees_differ, a.span, "tree_map", tree_text(trees[0]), tree_text(tree))
                      .note(first_difference(trees[0], tree, "")));
        columns.push_back(leaves(tree));
    }
    std::size_t next = 0;
    return map_leaves(without_rows(trees[0]), [&](const Value&) {
        std::vector<Value> arguments;
        for (const auto& column : columns) arguments.push_back(column[next]);
        ++next;
        return s.calls().call({a[0], std::move(arguments), {}, a.span});
    });
}

Value tree_leaves(Stager&, Arguments& a) { return Value::tuple(leaves(a[0])); }

Value tree_unflatten(Stager&, Arguments& a) {
    const std::vector<Value> list = a[1].tuple() ? a[1].tuple()->items : std::vector<Value>{};
    if (list.size() != leaves(a[0]).size())
        raise(diagnose(Diag::pattern_mismatch, a.span, fmt::format("{:leaf|leaves}", Count{leaves(a[0]).size()}),
                       fmt::format("{}", list.size())));
    std::size_t next = 0;
    return map_leaves(without_rows(a[0]), [&](const Value&) { return list[next++]; });
}

Value tree_reduce(Stager& s, Arguments& a) {
    std::vector<Value> list = leaves(a[1]);
    std::size_t from = 0;
    Value all = a[2];
    if (!a.given[2]) {
        if (list.empty())
            raise(diagnose(Diag::wrong_kind, a.span, "`tree_reduce`", "a tree with leaves, or an initial value",
                           tree_text(a[1])));
        all = list[from++];
    }
    for (; from < list.size(); ++from) all = s.calls().call({a[0], {all, list[from]}, {}, a.span});
    return all;
}

Value device_count(Stager& s, Arguments&) { return Value::integer(s.host().devices); }
Value process_count(Stager& s, Arguments&) {
    return Value::integer(s.host().processes == nullptr ? 1 : s.host().processes->count());
}
Value process_index(Stager& s, Arguments&) {
    return Value::integer(s.host().processes == nullptr ? 0 : s.host().processes->index());
}
Value devices(Stager& s, Arguments&) {
    std::vector<Value> list;
    for (int d = 0; d < s.host().devices; ++d) list.emplace_back(device_name(s, d));
    return Value::tuple(std::move(list));
}
/// The function shard. The devices of this process share memory, so no data is moved. The size of the axis must be
/// divisible by the number of devices.
Value shard(Stager& s, Arguments& a) {
    const std::vector<Value> arrays = leaves(a[0]);
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        const Type type = numeric_type(arrays[i]).type;
        const int axis = axis_of(s, a[1], type, a.spans[1]);
        const std::int64_t n = type.shape[static_cast<std::size_t>(axis)];
        if (divides_evenly(n, s.host().devices)) continue;
        const std::string path = leaf_path(a[0], i);
        raise(indivisible(s, a.spans[0],
                          axis_text(axis, fmt::format("{}{}", path.empty() ? "" : path + ", ", ir::to_string(type)), n),
                          {n, s.host().devices, Parts::Kind::of_engine, axis}));
    }
    return a[0];
}
Value block_until_ready(Stager&, Arguments& a) {
    for_each_leaf(a[0], [](const Value& leaf) {
        if (leaf.array()) leaf.array()->wait();
    });
    return a[0];
}

using K = Native::Kind;
constexpr Native basics_natives[] = {
    {"print", "*values, sep=\" \", end=\"\\n\"", K::known, print,
     "print(a, b, ...): writes values; in compiled code when it runs, in order.", Native::takes_text | Native::acts},
    {"assert", "condition, text=none", K::known, assert_,
     "assert(c, text): stops the program with its place unless every element of c is true.",
     Native::takes_text | Native::looks_at_condition | Native::acts},
    {"fail", "text", K::known, fail, "fail(text): stops the program with its place.",
     Native::takes_text | Native::acts},
    {"needs_version", "version", K::known, needs_version,
     "needs_version(\"0.9\"): stops the program unless Polymap has this version or a newer one.", Native::acts},
    {"len", "x", K::known, len,
     "len(x): the number of elements of a tuple, record, string or range, or the size of axis 0."},
    {"range", "first, last=none, step=1", K::known, range,
     "range(n), range(a, b), range(a, b, step): integers from a up to but not b."},
    {"zip", "*sources", K::known, zip, "zip(a, b, ...): tuples of matching elements; the lengths are equal."},
    {"each", "tree", K::known, each,
     "each(tree): the tree; a `for` over it runs along axis 0 of its arrays, which have one length."},
    {"enumerate", "source", K::known, enumerate, "enumerate(x): tuples (index, element)."},
    {"reversed", "source", K::known, reversed, "reversed(x): the elements from the last to the first."},
    {"tuple", "source", K::known, tuple, "tuple(x): the elements of anything a `for` can run over."},
    {"keys", "record", K::known, keys, "keys(r): the names of the fields, a tuple of strings."},
    {"values", "record", K::known, values, "values(r): the values of the fields, a tuple."},
    {"without", "record, *names", K::known, without, "without(r, \"f\", ...): r without these fields."},
    {"float", "x", K::known, float_, "float(x): a number or the text of one as a weak float."},
    {"int", "x", K::known, int_, "int(x): a number (rounded to zero) or the text of one as a weak integer."},
    {"str", "x", K::known, str, "str(x): the text of a value, as print writes it.", Native::takes_text},
    {"tree_map", "f, *trees", K::known, tree_map, "tree_map(f, a, b, ...): the tree of f(leaf of a, leaf of b, ...)."},
    {"tree_leaves", "tree", K::known, tree_leaves, "tree_leaves(t): the leaves as a tuple, fields by sorted name."},
    {"tree_unflatten", "like, leaves", K::known, tree_unflatten,
     "tree_unflatten(like, leaves): a tree of like's structure with these leaves."},
    {"tree_reduce", "f, tree, initial=none", K::known, tree_reduce,
     "tree_reduce(f, t): f over the leaves from the left."},
    {"device_count", "", K::known, device_count, "device_count(): the number of devices."},
    {"devices", "", K::known, devices, "devices(): the names of the devices."},
    {"process_count", "", K::known, process_count, "process_count(): the number of processes that run this program."},
    {"process_index", "", K::known, process_index,
     "process_index(): the number of this process, from 0. Only process 0 prints and writes files."},
    {"shard", "x, axis=0", K::known, shard,
     "shard(x): x, laid over the devices along an axis: nothing is moved where they share memory. Refused where pmap "
     "could not cut it. Trees are taken."},
    {"block_until_ready", "x", K::known, block_until_ready,
     "block_until_ready(x): x, when a GPU has computed it; results of the CPU are always ready.", Native::acts},
};

} // namespace

std::span<const Native> basics() { return basics_natives; }

} // namespace pm::stage::library
