#pragma once
#include "compiler/base/check.hpp"
#include "compiler/ir/type.hpp"

#include <string_view>
#include <utility>
#include <variant>

namespace pm::ir {

enum class Attr : std::uint8_t {
#define ATTR(name, kind) name,
#include "compiler/ir/attrs.def"
#undef ATTR
};

/// The elements of a constant, in row-major order and little-endian. If all elements are equal, the literal can have a
/// single element instead.
struct Literal {
    std::vector<std::uint8_t> bytes;
    bool operator==(const Literal&) const = default;
};

using Integers = std::vector<std::int64_t>;
using AttrValue = std::variant<std::int64_t, Integers, DType, std::string, Literal>;

std::string_view name(Attr attr);

/// The attributes of one instruction, ordered by Attr.
class Attrs {
  public:
    Attrs() = default;
    Attrs(std::initializer_list<std::pair<Attr, AttrValue>> list) {
        for (const auto& [key, value] : list) set(key, value);
    }

    Attrs& set(Attr key, AttrValue value);
    bool has(Attr key) const { return find(key) != nullptr; }

    std::int64_t integer(Attr key) const { return get<std::int64_t>(key); }
    std::int64_t integer(Attr key, std::int64_t otherwise) const { return has(key) ? integer(key) : otherwise; }
    const Integers& integers(Attr key) const { return get<Integers>(key); }
    DType dtype(Attr key) const { return get<DType>(key); }
    const std::string& text(Attr key) const { return get<std::string>(key); }
    const Literal& literal(Attr key) const { return get<Literal>(key); }

    const std::vector<std::pair<Attr, AttrValue>>& items() const { return items_; }
    bool operator==(const Attrs&) const = default;

  private:
    const AttrValue* find(Attr key) const;
    template <class T>
    const T& get(Attr key) const {
        const AttrValue* value = find(key);
        PM_CHECK(value != nullptr, std::string("no attribute ") + std::string(name(key)));
        PM_CHECK(std::holds_alternative<T>(*value));
        return std::get<T>(*value);
    }

    std::vector<std::pair<Attr, AttrValue>> items_;
};

} // namespace pm::ir
