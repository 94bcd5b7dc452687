#include "compiler/stage/values/value.hpp"

#include "compiler/base/check.hpp"
#include "compiler/base/diagnostic.hpp"
#include "compiler/stage/values/native.hpp"

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
    if (!weak() || (computed && (wide || !is_wide))) return *this;
    Number made = *this;
    made.i = data();
    made.wide = wide || is_wide;
    if (stays_known()) return made;
    made.computed = true;
    if (made.wide) return made;
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
           dtype == other.dtype && computed == other.computed && wide == other.wide;
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

namespace {

std::uint64_t hash_of(const std::string& name) { return std::hash<std::string>()(name); }

} // namespace

std::size_t Record::Index::find(const Fields& fields, const std::string& name) const {
    if (places_ && covered_ == fields.size()) {
        const auto at = places_->find(hash_of(name));
        if (at == places_->end()) return fields.size();
        if (fields[at->second].first == name) return at->second; // two names may have the same hash
    }
    const auto found = std::ranges::find(fields, name, [](const auto& field) -> const auto& { return field.first; });
    return static_cast<std::size_t>(found - fields.begin());
}

void Record::Index::cover(const Fields& fields) {
    constexpr std::size_t few = 32;
    if (fields.size() < few) return;
    if (!places_ || covered_ > fields.size()) {
        places_ = std::make_unique<Places>();
        covered_ = 0;
    }
    for (; covered_ < fields.size(); ++covered_)
        places_->try_emplace(hash_of(fields[covered_].first), static_cast<std::uint32_t>(covered_));
}

const Value* Record::find(const std::string& name) const {
    const std::size_t at = index_.find(fields, name);
    return at == fields.size() ? nullptr : &fields[at].second;
}

void Record::append(std::string name, Value value) {
    fields.emplace_back(std::move(name), std::move(value));
    index_.cover(fields);
}

namespace {

/// Allocates an object with the value `made`. The memory of the object and of its content is charged to the account of
/// the thread.
template <class T>
std::shared_ptr<T> counted(T made) {
    return std::allocate_shared<T>(Counted<T>(), std::move(made));
}

} // namespace

Value::Value(std::string text, runtime::Charge paid) {
    paid.resize(runtime::bytes_elsewhere(text));
    node = std::shared_ptr<const Text>(counted(Text{std::move(text), std::move(paid), {}}));
}
Value::Value(std::string text) : Value() {
    const std::size_t bytes = runtime::bytes_elsewhere(text);
    runtime::Charge paid = bytes == 0 ? runtime::Charge() : charged(bytes);
    node = std::shared_ptr<const Text>(counted(Text{std::move(text), std::move(paid), {}}));
}
Value::Value(runtime::ChargedText text) : Value() {
    auto [bytes, paid] = std::move(text).take();
    *this = Value(std::move(bytes), std::move(paid));
}
Value::Value(Template text)
    : node(std::make_shared<const Text>(Text{{}, {}, std::make_shared<const Template>(std::move(text))})) {}

Value Value::tuple(std::vector<Value> items, bool by_rows) {
    Value v;
    v.by_rows = by_rows;
    v.node = std::shared_ptr<const Tuple>(counted(Tuple{std::move(items)})); // see parts_of
    return v;
}

Value Value::record(std::vector<std::pair<std::string, Value>> fields, bool by_rows) {
    return of_record(Record{std::move(fields)}, by_rows);
}
Value Value::of_record(Record record, bool by_rows) {
    Value v;
    v.by_rows = by_rows;
    v.node = std::shared_ptr<const Record>(counted(std::move(record))); // see parts_of
    return v;
}

Value Value::staged(std::shared_ptr<Context> context, ir::Value value, Type type, bool weak) {
    return std::make_shared<const Staged>(Staged{std::move(context), value, std::move(type), weak});
}

NumericType numeric_type(const Value& v) {
    if (const Number* n = v.number()) return {{n->default_dtype(), {}}, n->weak()};
    if (const Array* a = v.array()) return {{a->dtype(), a->shape()}, v.weak};
    if (const Staged* s = v.staged()) return {s->type, s->weak};
    // This error has no position. The caller adds the position of the call. Some callers replace the subject "this" by
    // the name of the argument.
    raise(diagnose(Diag::wrong_kind, {}, "this", "a number or an array", describe(v)));
}

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

namespace {

constexpr std::array<std::string_view, 9> transformation_names = {
    "jit", "grad", "value_and_grad", "vmap", "pmap", "checkpoint", "custom_jvp", "custom_vjp", "_linear_call"};
static_assert(transformation_names.size() == static_cast<std::size_t>(Transformation::linear_call) + 1);

} // namespace

std::string_view name(Transformation kind) { return transformation_names.at(static_cast<std::size_t>(kind)); }

std::optional<Transformation> transformation_named(std::string_view text) {
    const auto* at = std::find(transformation_names.begin(), transformation_names.end(), text);
    if (at == transformation_names.end()) return {};
    return static_cast<Transformation>(at - transformation_names.begin());
}

std::string_view builtin_name(const Function& f) {
    PM_CHECK(!f.closure());
    if (f.native()) return f.native()->name;
    if (f.transformed()) return name(f.transformed()->kind);
    return f.linear()->reverse ? "pullback" : "pushforward";
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

} // namespace pm::stage
