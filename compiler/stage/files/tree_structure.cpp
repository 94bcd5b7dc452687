#include "compiler/stage/files/tree_structure.hpp"

#include "compiler/stage/files/files.hpp"
#include "compiler/stage/known/known.hpp"
#include "compiler/stage/values/tree.hpp"
#include "compiler/syntax/kinds.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <set>

namespace pm::stage::files {
namespace {

constexpr const char* number_kinds[] = {"boolean", "integer", "floating", "complex"}; // Number::Kind

[[noreturn]] void malformed_tree(std::string reason) { throw MalformedTree{std::move(reason)}; }

template <class T>
T parsed_number(const std::string& text) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
        malformed_tree(fmt::format("`{}` is not a number", text));
    return value;
}

class TreeWriter {
  public:
    TreeWriter(Span span, runtime::NamedArrays& arrays) : span_(span), arrays_(arrays) {}

    Structure structure(const Value& v, const std::string& path, std::size_t level = 0) {
        if (level > deepest_tree)
            raise(diagnose(Diag::wrong_kind, span_, "`save_tree`", fmt::format("at most {} levels", deepest_tree),
                           "more"));
        if (v.is_none()) return nullptr;
        if (const std::string* text = v.text()) {
            quoted_json(*text, span_); // raises if JSON cannot represent the text
            return {{"text", *text}};
        }
        if (const DType* d = v.dtype()) return {{"dtype", runtime::name(*d)}};
        if (const Number* n = v.number()) return number(*n);
        if (const Array* array = v.array()) return leaf(*array, v.weak, path);
        const auto below = [&](const std::string& step) { return path.empty() ? step : path + "." + step; };
        if (const Tuple* t = v.tuple()) {
            Structure items = Structure::array();
            for (std::size_t i = 0; i < t->items.size(); ++i)
                items.push_back(structure(t->items[i], below(fmt::format("{}", i)), level + 1));
            return marked({{"tuple", std::move(items)}}, v);
        }
        const Record* r = v.record();
        if (!r)
            raise(diagnose(Diag::wrong_kind, span_, "`save_tree`",
                           "arrays, numbers, texts, dtypes, `none`, tuples and records of these", describe(v)));
        Structure fields = Structure::array();
        for (const auto& [name, value] : r->fields) {
            quoted_json(name, span_);
            fields.push_back(Structure::array({name, structure(value, below(field_text(name)), level + 1)}));
        }
        return marked({{"record", std::move(fields)}}, v);
    }

  private:
    static Structure marked(Structure node, const Value& v) {
        if (v.by_rows) node["by_rows"] = true;
        return node;
    }
    static Structure number(const Number& n) {
        Structure node{{"number", number_kinds[static_cast<int>(n.kind)]}, {"value", fmt::format("{}", n.i)}};
        if (n.kind == Number::Kind::floating || n.is_complex()) node["value"] = fmt::format("{}", n.f);
        if (n.is_complex()) node["imaginary"] = fmt::format("{}", n.imaginary);
        if (n.dtype) node["dtype"] = runtime::name(*n.dtype);
        if (n.computed) node["computed"] = true;
        if (n.wide) node["wide"] = true;
        return node;
    }
    Structure leaf(const Array& array, bool weak, const std::string& path) {
        constexpr std::size_t longest = 200; // in bytes; a longer path is replaced by a short name
        std::string name = path.empty() ? "value" : path;
        if (name.size() > longest || name == structure_entry) name = fmt::format("#{}", arrays_.size());
        Structure node{{"array", name}};
        if (weak) node["weak"] = true;
        arrays_.emplace_back(std::move(name), array);
        return node;
    }

    Span span_;
    runtime::NamedArrays& arrays_;
};

class TreeReader {
  public:
    explicit TreeReader(const std::map<std::string, Array>& arrays) : arrays_(arrays) {}

    Value value(const Structure& node, std::size_t level = 0) const {
        if (level > deepest_tree) malformed_tree("it has too many levels");
        if (node.is_null()) return {};
        if (node.contains("text")) return Value(node.at("text").get<std::string>());
        if (node.contains("array")) return {arrays_.at(node.at("array").get<std::string>()), node.value("weak", false)};
        if (node.contains("number")) return number(node);
        if (node.contains("dtype")) return dtype(node);
        const bool by_rows = node.value("by_rows", false);
        if (node.contains("tuple")) {
            std::vector<Value> items;
            for (const Structure& item : node.at("tuple")) items.push_back(value(item, level + 1));
            return Value::tuple(std::move(items), by_rows);
        }
        std::vector<std::pair<std::string, Value>> fields;
        for (const Structure& field : node.at("record"))
            fields.emplace_back(field.at(0).get<std::string>(), value(field.at(1), level + 1));
        std::set<std::string_view> names;
        for (const auto& [name, value] : fields)
            if (!names.insert(name).second) malformed_tree("a field is there twice");
        return Value::record(std::move(fields), by_rows);
    }

  private:
    static DType dtype(const Structure& node) {
        const auto found = syntax::dtype_named(node.at("dtype").get<std::string>());
        if (!found) malformed_tree("a dtype is unknown");
        return *found;
    }
    static Number number(const Structure& node) {
        const std::string kind = node.at("number").get<std::string>();
        const std::string text = node.at("value").get<std::string>();
        Number n;
        const auto* const at = std::find(std::begin(number_kinds), std::end(number_kinds), kind);
        if (at == std::end(number_kinds)) malformed_tree("a kind of number is unknown");
        n.kind = static_cast<Number::Kind>(at - std::begin(number_kinds));
        if (n.kind == Number::Kind::floating || n.is_complex())
            n.f = parsed_number<double>(text);
        else
            n.i = parsed_number<std::int64_t>(text);
        if (n.is_complex()) n.imaginary = parsed_number<double>(node.at("imaginary").get<std::string>());
        if (node.contains("dtype")) n.dtype = dtype(node);
        const bool fits = !n.dtype || (n.is_complex() == runtime::is_complex(*n.dtype) &&
                                       (n.kind == Number::Kind::boolean) == (*n.dtype == DType::b1) &&
                                       (n.kind == Number::Kind::integer) == runtime::is_integer(*n.dtype));
        if (!fits || (n.kind == Number::Kind::boolean && n.i != 0 && n.i != 1))
            malformed_tree("a number does not fit its dtype");
        if (n.kind == Number::Kind::integer && n.dtype) require_fits(n, *n.dtype, {});
        n.computed = node.value("computed", false);
        n.wide = node.value("wide", false);
        return n;
    }

    const std::map<std::string, Array>& arrays_;
};

} // namespace

Structure tree_structure(const Value& tree, Span span, runtime::NamedArrays& arrays) {
    return TreeWriter(span, arrays).structure(tree, "");
}

Value tree_of(const Structure& structure, const std::map<std::string, Array>& arrays) {
    try {
        return TreeReader(arrays).value(structure);
    } catch (const Structure::exception&) {
        malformed_tree("it is not the JSON of a tree");
    } catch (const std::out_of_range&) {
        malformed_tree("an array is missing");
    }
}

} // namespace pm::stage::files
