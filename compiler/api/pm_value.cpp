// Views and values of pm.hpp.
#include "compiler/api/pm_core.hpp"

#include "compiler/base/count.hpp"
#include "compiler/stage/known/printing.hpp"
#include "compiler/stage/values/tree.hpp"
#include "runtime/element.hpp"
#include "runtime/failure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace pm {

using detail::Node;
using runtime::Array;

inline namespace host {

namespace {

/// Whether a DType is valid. A host may have converted any number to a DType.
bool is_named(DType dtype) { return static_cast<int>(dtype) < runtime::named_dtype_count; }

} // namespace

std::string_view dtype_name(DType dtype) {
    return is_named(dtype) ? runtime::name(static_cast<runtime::DType>(dtype)) : "no dtype";
}
std::size_t dtype_bytes(DType dtype) {
    return is_named(dtype) ? runtime::size_of(static_cast<runtime::DType>(dtype)) : 0;
}

} // namespace host

namespace detail {
namespace {

static_assert(static_cast<int>(DType::boolean) == static_cast<int>(runtime::DType::b1) &&
              static_cast<int>(DType::i8) == static_cast<int>(runtime::DType::i8) &&
              static_cast<int>(DType::u8) == static_cast<int>(runtime::DType::u8) &&
              static_cast<int>(DType::f16) == static_cast<int>(runtime::DType::f16) &&
              static_cast<int>(DType::f32) == static_cast<int>(runtime::DType::f32) &&
              static_cast<int>(DType::key) == static_cast<int>(runtime::DType::key));

std::string shape_text(const Sizes& shape) {
    return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

[[noreturn]] void misuse(const std::string& text) { raise(diagnose(Diag::host_misuse, {}, text)); }

/// The array that view() shows for a value.
Array memory_of(const stage::Value& v) {
    if (const Array* a = v.array()) return *a;
    const stage::Number* n = v.number();
    if (!n) return {};
    const runtime::DType dtype = n->default_dtype();
    return n->array(dtype);
}

bool is_bound(const stage::Value& v) {
    if (v.function() || v.module()) return true;
    if (const stage::Tuple* t = v.tuple()) return std::any_of(t->items.begin(), t->items.end(), is_bound);
    if (const stage::Record* r = v.record())
        return std::any_of(r->fields.begin(), r->fields.end(),
                           [](const auto& field) { return is_bound(field.second); });
    return false;
}

int depth_of(const stage::Value& v) {
    int deepest = -1;
    if (const stage::Tuple* t = v.tuple())
        for (const stage::Value& item : t->items) deepest = std::max(deepest, depth_of(item));
    if (const stage::Record* r = v.record())
        for (const auto& [name, item] : r->fields) deepest = std::max(deepest, depth_of(item));
    return v.tuple() || v.record() ? deepest + 1 : 0;
}

/// A part of a tree. If the part has functions, the part is bound to the same engine as the tree.
Value part(const Node& whole, const stage::Value& v) {
    Node made;
    made.value = v;
    made.bound = whole.bound && is_bound(v);
    if (made.bound) made.engine = whole.engine;
    made.depth = std::max(0, whole.depth - 1);
    made.memory = memory_of(v);
    return Access::wrap(std::make_shared<const Node>(std::move(made)));
}

Value make(stage::Value value) {
    if (value.is_none()) return {};
    Node made;
    made.memory = memory_of(value);
    made.value = std::move(value);
    return Access::wrap(std::make_shared<const Node>(std::move(made)));
}

/// Merges the properties of an item into the properties of the tree that contains the item.
void join(Node& tree, const Node* item) {
    if (!item) return;
    tree.depth = std::max(tree.depth, item->depth + 1);
    if (tree.bad.empty()) tree.bad = item->bad;
    if (!item->bound) return;
    if (tree.bound && (tree.engine.owner_before(item->engine) || item->engine.owner_before(tree.engine)))
        tree.bad = "it holds functions of two engines";
    tree.bound = true;
    tree.engine = item->engine;
}

template <class Byte>
Value borrow(const BasicView<Byte>& v) {
    Node made;
    try {
        check_view(v.data, v.shape, v.strides, v.dtype, v.limit);
        static const char nothing[16] = {};
        made.memory =
            Array::gather(v.data ? v.data : nothing, static_cast<runtime::DType>(v.dtype), v.shape, v.strides, v.owner);
        made.value = made.memory;
    } catch (const Error& e) {
        made.bad = e.diagnostic().message;
    } catch (const std::exception& e) {
        made.bad = e.what();
    }
    return Access::wrap(std::make_shared<const Node>(std::move(made)));
}

} // namespace

std::string type_text(DType dtype, const Sizes& shape) {
    return fmt::format("{}[{}]", dtype_name(dtype), fmt::join(shape, ", "));
}

void check_view(const void* data, const Sizes& shape, const Sizes& strides, DType dtype, std::int64_t limit) {
    constexpr std::size_t most_axes = 32;
    if (!is_named(dtype)) misuse("its dtype is none");
    if (shape.size() > most_axes)
        misuse(fmt::format("it has {:axis|axes}; at most {} are taken", Count{shape.size()}, most_axes));
    for (const std::int64_t size : shape)
        if (size < 0) misuse(fmt::format("its shape {} holds a negative size", shape_text(shape)));
    if (!strides.empty() && strides.size() != shape.size())
        misuse(fmt::format("it has {:stride|strides} for {:axis|axes}", Count{strides.size()}, Count{shape.size()}));
    runtime::Reach reach;
    try {
        const std::int64_t count = runtime::checked_elements(shape, dtype_bytes(dtype));
        if (count == 0) return;
        if (!data) misuse(fmt::format("it has no memory for its shape {}", shape_text(shape)));
        if (strides.empty())
            reach.last = count - 1;
        else
            reach = runtime::checked_reach(shape, strides, dtype_bytes(dtype));
    } catch (const runtime::Failure& f) {
        misuse(f.message());
    }
    if (limit >= 0 && (reach.first < 0 || reach.last >= limit))
        misuse(fmt::format("its shape {} needs elements {} to {}, but its memory has {}", shape_text(shape),
                           reach.first, reach.last, limit));
}

Value to_host(stage::Value value, const std::shared_ptr<Core>& engine) {
    if (value.is_none()) return {};
    if (engine->job) // the host may read the value in one process only, so all processes bring its parts now
        for (const stage::Value& leaf : stage::all_leaves(value))
            if (const Array* a = leaf.array(); a != nullptr && a->is_divided()) a->data();
    Node made;
    made.bound = is_bound(value);
    if (made.bound) made.engine = engine;
    made.depth = depth_of(value);
    made.memory = memory_of(value);
    made.value = std::move(value);
    return Access::wrap(std::make_shared<const Node>(std::move(made)));
}

const stage::Value& from_host(const Value& value, const Core& engine, const std::string& what) {
    static const stage::Value none;
    const Node* node = Access::node(value).get();
    if (!node) return none;
    if (!node->bad.empty()) misuse(fmt::format("{}: {}", what, node->bad));
    if (node->depth > max_tree_depth)
        misuse(fmt::format("{} is a tree of {:level|levels}; at most {} are taken", what, Count{node->depth},
                           max_tree_depth));
    if (node->bound && node->engine.lock().get() != &engine)
        misuse(fmt::format("{} holds a function of another engine", what));
    return node->value;
}

} // namespace detail

inline namespace host {

Value::Value() = default;
Value::Value(std::string_view text) : Value(detail::make(std::string(text))) {}
Value::Value(const View& v) : Value(detail::borrow(v)) {}
Value::Value(const MutableView& v) : Value(detail::borrow(v)) {}
Value Value::make_boolean(bool value) { return detail::make(stage::Value::boolean(value)); }
Value Value::make_integer(std::int64_t value) { return detail::make(stage::Value::integer(value)); }
Value Value::make_floating(double value) { return detail::make(stage::Value::floating(value)); }

Value Value::copy_of(const View& view) {
    Value borrowed(view);
    const Node& node = *borrowed.node_;
    if (!node.bad.empty()) return borrowed;
    return detail::make(node.memory.clone());
}

Value Value::tuple(const std::vector<Value>& items) {
    Node made;
    std::vector<stage::Value> values;
    for (const Value& item : items) {
        detail::join(made, item.node_.get());
        values.push_back(item.node_ ? item.node_->value : stage::Value());
    }
    made.value = stage::Value::tuple(std::move(values));
    return Value(std::make_shared<const Node>(std::move(made)));
}

Value Value::record(const std::vector<std::pair<std::string, Value>>& fields) {
    Node made;
    std::vector<std::pair<std::string, stage::Value>> values;
    for (const auto& [name, item] : fields) {
        detail::join(made, item.node_.get());
        for (const auto& [other, value] : values)
            if (other == name) made.bad = fmt::format("it has the field `{}` twice", name);
        values.emplace_back(name, item.node_ ? item.node_->value : stage::Value());
    }
    made.value = stage::Value::record(std::move(values));
    return Value(std::make_shared<const Node>(std::move(made)));
}

Kind Value::kind() const {
    if (!node_) return Kind::none;
    const stage::Value& v = node_->value;
    if (v.number()) return Kind::number;
    if (const Array* a = v.array()) return a->rank() == 0 ? Kind::number : Kind::array;
    if (v.text()) return Kind::text;
    if (v.tuple()) return Kind::tuple;
    if (v.record()) return Kind::record;
    if (v.function()) return Kind::function;
    return v.is_none() ? Kind::none : Kind::other;
}

std::string Value::describe() const {
    if (!node_) return "`none`";
    return node_->bad.empty() ? stage::describe(node_->value) : "a value that cannot be used: " + node_->bad;
}

namespace {

/// A misuse of a value as a problem.
Problem misused(const std::string& text) { return detail::to_problem(diagnose(Diag::host_misuse, {}, text), nullptr); }

Problem wrong_value(const Value& v, std::string_view needs) {
    return detail::to_problem(diagnose(Diag::wrong_kind, {}, "the host", needs, v.describe()), nullptr);
}

} // namespace

std::string Value::to_text() const {
    try {
        return node_ ? stage::printed(node_->value) : "none";
    } catch (const runtime::Failure& f) {
        return "a value that cannot be read: " + f.message();
    } catch (const runtime::JobFailure& f) {
        return "a value that cannot be read: " + f.message();
    }
}

DType Value::dtype() const { return node_ && node_->memory ? static_cast<DType>(node_->memory.dtype()) : DType::f32; }
Sizes Value::shape() const { return node_ && node_->memory ? node_->memory.shape() : Sizes(); }
View Value::view() const {
    if (!node_ || !node_->memory) return {};
    try {
        View shown(node_->memory.data(), dtype(), shape());
        shown.owner = node_;
        return shown;
    } catch (const runtime::Failure&) { // the data cannot be copied from the device
        return {};
    }
}

Result<double> Value::number() const try {
    if (node_ && node_->memory && node_->memory.elements() == 1) {
        if (const stage::Number* n = node_->value.real_number()) return n->as_f64();
        const runtime::DType d = node_->memory.dtype();
        if (runtime::is_integer(d) || runtime::is_float(d) || d == runtime::DType::b1) return node_->memory.as_f64();
    }
    return wrong_value(*this, "one number");
} catch (...) {
    return detail::current_problem(nullptr);
}

Result<std::int64_t> Value::integer() const try {
    if (node_ && node_->memory && node_->memory.elements() == 1) {
        const stage::Number* n = node_->value.number();
        const runtime::DType d = node_->memory.dtype();
        const bool fits = d != runtime::DType::u64 || node_->memory.as_u64() <= INT64_MAX;
        const bool whole = n && (n->kind == stage::Number::Kind::integer || n->kind == stage::Number::Kind::boolean);
        if (whole && fits) return n->i;
        if (!n && (runtime::is_integer(d) || d == runtime::DType::b1) && fits) return node_->memory.as_i64();
    }
    return wrong_value(*this, "one integer of 64 bits");
} catch (...) {
    return detail::current_problem(nullptr);
}

Result<bool> Value::boolean() const try {
    if (node_ && node_->memory && node_->memory.elements() == 1 && node_->memory.dtype() == runtime::DType::b1)
        return node_->memory.as_bool();
    return wrong_value(*this, "one bool");
} catch (...) {
    return detail::current_problem(nullptr);
}

Problem Value::wrong_elements(DType wanted) const {
    return wrong_value(*this, fmt::format("an array of {}", dtype_name(wanted)));
}

Result<std::string> Value::text() const {
    if (const std::string* text = node_ ? node_->value.text() : nullptr) return *text;
    return wrong_value(*this, "text");
}

namespace {

/// Copies dense elements to memory with strides (in elements), axis by axis.
void scatter_axis(const char*& from, char* to, const Sizes& shape, const Sizes& strides, std::size_t axis,
                  std::int64_t width) {
    if (axis == shape.size()) {
        std::memcpy(to, from, static_cast<std::size_t>(width));
        from += width;
        return;
    }
    for (std::int64_t i = 0; i < shape[axis]; ++i)
        scatter_axis(from, to + i * strides[axis] * width, shape, strides, axis + 1, width);
}

} // namespace

Result<void> Value::copy_to(const MutableView& to) const {
    try {
        if (!node_ || !node_->memory) return wrong_value(*this, "a number or an array");
        const Array& from = node_->memory;
        if (static_cast<DType>(from.dtype()) != to.dtype || from.shape() != to.shape)
            return misused(fmt::format("the host's memory is {}, but the value is {}",
                                       detail::type_text(to.dtype, to.shape), detail::type_text(dtype(), shape())));
        detail::check_view(to.data, to.shape, to.strides, to.dtype, to.limit);
        if (from.elements() == 0) return {};
        if (to.strides.empty()) {
            std::memcpy(to.data, from.data(), static_cast<std::size_t>(from.bytes()));
        } else {
            const auto* bytes = static_cast<const char*>(from.data());
            scatter_axis(bytes, static_cast<char*>(to.data), to.shape, to.strides, 0,
                         static_cast<std::int64_t>(dtype_bytes(to.dtype)));
        }
        return {};
    } catch (...) {
        return detail::current_problem(nullptr);
    }
}

std::size_t Value::size() const {
    if (!node_) return 0;
    if (const stage::Tuple* t = node_->value.tuple()) return t->items.size();
    if (const stage::Record* r = node_->value.record()) return r->fields.size();
    return 0;
}

Value Value::at(std::size_t index) const {
    if (!node_ || index >= size()) return {};
    if (const stage::Tuple* t = node_->value.tuple()) return detail::part(*node_, t->items[index]);
    return detail::part(*node_, node_->value.record()->fields[index].second);
}

Value Value::at(std::string_view field) const {
    const stage::Record* r = node_ ? node_->value.record() : nullptr;
    const stage::Value* found = r ? r->find(std::string(field)) : nullptr;
    return found ? detail::part(*node_, *found) : Value();
}

std::vector<std::string> Value::fields() const {
    std::vector<std::string> names;
    if (const stage::Record* r = node_ ? node_->value.record() : nullptr)
        for (const auto& [name, value] : r->fields) names.push_back(name);
    return names;
}

std::vector<Value> Value::leaves() const {
    std::vector<Value> found;
    if (node_)
        stage::for_each_leaf(node_->value,
                             [&](const stage::Value& leaf) { found.push_back(detail::part(*node_, leaf)); });
    return found;
}

} // namespace host
} // namespace pm
