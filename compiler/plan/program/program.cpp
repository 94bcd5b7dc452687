#include "compiler/plan/program/program.hpp"

namespace pm::plan {

std::int64_t Buffer::elements() const {
    std::int64_t product = 1;
    for (const std::int64_t size : shape) product *= size;
    return product;
}

std::string_view name(Space space) {
    switch (space) {
    case Space::argument: return "argument";
    case Space::result: return "result";
    case Space::constant: return "constant";
    case Space::arena: return "arena";
    case Space::local: return "local";
    }
    return {};
}

} // namespace pm::plan
