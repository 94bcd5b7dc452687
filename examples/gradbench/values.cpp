#include "values.hpp"

namespace gradbench {
namespace {

/// Appends the numbers of nested lists to `numbers`. `shape` says what each level must have; it grows on the way to the
/// first number.
struct Flattening {
    pm::Sizes shape;
    std::vector<double> numbers;
    bool complete = false; ///< the depth is known

    void add(const Json& json, std::size_t depth, const std::string& where) {
        if (json.is_array()) {
            const auto size = static_cast<std::int64_t>(json.size());
            if (depth == shape.size() && !complete) shape.push_back(size);
            if (depth >= shape.size() || shape[depth] != size)
                throw Refused("`" + where + "` is no array: its lists differ in length or depth");
            for (const Json& item : json) add(item, depth + 1, where);
            if (json.empty()) complete = true;
        } else if (json.is_number()) {
            complete = true;
            if (depth != shape.size())
                throw Refused("`" + where + "` is no array: its lists differ in length or depth");
            numbers.push_back(json.get<double>());
        } else {
            throw Refused("`" + where + "` is no array: it holds " + json.type_name());
        }
    }
};

template <class T>
Json nested(const T* data, const pm::Sizes& shape, std::size_t axis, std::int64_t stride) {
    if (axis == shape.size()) return *data;
    Json list = Json::array();
    const std::int64_t inner = shape[axis] == 0 ? 0 : stride / shape[axis];
    for (std::int64_t i = 0; i < shape[axis]; ++i) list.push_back(nested(data + i * inner, shape, axis + 1, inner));
    return list;
}

template <class T>
Json lists(const pm::View& view) {
    return nested(static_cast<const T*>(view.data), view.shape, 0, view.elements());
}

Json array_to_json(const pm::Value& value) {
    const pm::View view = value.view();
    switch (view.dtype) {
    case pm::DType::boolean: return lists<bool>(view);
    case pm::DType::i8: return lists<std::int8_t>(view);
    case pm::DType::i16: return lists<std::int16_t>(view);
    case pm::DType::i32: return lists<std::int32_t>(view);
    case pm::DType::i64: return lists<std::int64_t>(view);
    case pm::DType::u8: return lists<std::uint8_t>(view);
    case pm::DType::u16: return lists<std::uint16_t>(view);
    case pm::DType::u32: return lists<std::uint32_t>(view);
    case pm::DType::u64: return lists<std::uint64_t>(view);
    case pm::DType::f32: return lists<float>(view);
    case pm::DType::f64: return lists<double>(view);
    case pm::DType::f16:
    case pm::DType::bf16:
    case pm::DType::c64:
    case pm::DType::c128:
    case pm::DType::key: break;
    }
    throw Refused("JSON has no numbers like " + value.describe());
}

} // namespace

pm::Value to_value(const Json& json, const std::string& where) {
    if (json.is_object()) {
        std::vector<std::pair<std::string, pm::Value>> fields;
        for (const auto& [name, field] : json.items()) fields.emplace_back(name, to_value(field, where + "." + name));
        return pm::Value::record(fields);
    }
    if (json.is_array()) {
        Flattening flat;
        flat.add(json, 0, where);
        return pm::Value::copy_of(pm::View(flat.numbers, flat.shape));
    }
    if (json.is_number_float()) return pm::Value::scalar(json.get<double>());
    if (json.is_number_unsigned() && json.get<std::uint64_t>() > INT64_MAX)
        throw Refused("`" + where + "` is too large for an i64");
    if (json.is_number()) return pm::Value::scalar(json.get<std::int64_t>());
    if (json.is_boolean()) return json.get<bool>();
    if (json.is_string()) return json.get<std::string>();
    return {};
}

Json to_json(const pm::Value& value) {
    switch (value.kind()) {
    case pm::Kind::none: return nullptr;
    case pm::Kind::text: return value.text().value();
    case pm::Kind::number:
    case pm::Kind::array: return array_to_json(value);
    case pm::Kind::tuple: {
        Json list = Json::array();
        for (std::size_t i = 0; i < value.size(); ++i) list.push_back(to_json(value.at(i)));
        return list;
    }
    case pm::Kind::record: {
        Json object = Json::object();
        for (const std::string& name : value.fields()) object[name] = to_json(value.at(name));
        return object;
    }
    case pm::Kind::function:
    case pm::Kind::other: break;
    }
    throw Refused("JSON cannot hold " + value.describe());
}

} // namespace gradbench
