#include "compiler/ir/attrs.hpp"

#include <algorithm>
#include <array>

namespace pm::ir {
namespace {

// The enumerators have the same order as the alternatives of AttrValue.
enum Kind : std::size_t { integer, integers, dtype, text, literal };

struct AttrInfo {
    std::string_view name;
    Kind kind;
};

constexpr std::array attr_census = {
#define ATTR(name, kind) AttrInfo{#name, Kind::kind},
#include "compiler/ir/attrs.def"
#undef ATTR
};

static_assert(std::is_same_v<std::variant_alternative_t<integer, AttrValue>, std::int64_t>);
static_assert(std::is_same_v<std::variant_alternative_t<integers, AttrValue>, Integers>);
static_assert(std::is_same_v<std::variant_alternative_t<dtype, AttrValue>, DType>);
static_assert(std::is_same_v<std::variant_alternative_t<text, AttrValue>, std::string>);
static_assert(std::is_same_v<std::variant_alternative_t<literal, AttrValue>, Literal>);

} // namespace

std::string_view name(Attr attr) { return attr_census[static_cast<std::size_t>(attr)].name; }

Attrs& Attrs::set(Attr key, AttrValue value) {
    PM_CHECK(value.index() == attr_census[static_cast<std::size_t>(key)].kind,
             "a value of another kind for attribute " + std::string(name(key)));
    const auto at =
        std::lower_bound(items_.begin(), items_.end(), key, [](const auto& item, Attr k) { return item.first < k; });
    if (at != items_.end() && at->first == key)
        at->second = std::move(value);
    else
        items_.insert(at, {key, std::move(value)});
    return *this;
}

const AttrValue* Attrs::find(Attr key) const {
    for (const auto& [k, value] : items_)
        if (k == key) return &value;
    return nullptr;
}

} // namespace pm::ir
