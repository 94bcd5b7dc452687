#include "tests/gpu/driver/operations.hpp"

#include <unordered_map>

namespace pm::ptx {
namespace {

std::unordered_map<std::string_view, Encoder> table() {
    std::unordered_map<std::string_view, Encoder> all;
    for (const auto list :
         {integer_operations(), logic_operations(), float_operations(), compare_operations(), convert_operations(),
          move_operations(), memory_operations(), atomic_operations(), control_operations(), warp_operations()})
        for (const Operation& operation : list) all.emplace(operation.name, operation.encode);
    return all;
}

} // namespace

void encode(Body& body) {
    static const auto all = table();
    if (encode_float(body)) return;
    const auto found = all.find(body.current().operation);
    if (found == all.end()) body.error("no operation of this name");
    found->second(body);
}

} // namespace pm::ptx
