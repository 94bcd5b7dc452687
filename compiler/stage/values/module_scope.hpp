#pragma once
#include "compiler/base/source.hpp"
#include "compiler/stage/values/value.hpp"

#include <cstdint>
#include <string>
#include <unordered_map>

namespace pm::stage {

/// A name and its value.
struct Cell {
    Value value;
    bool mut = false;
    Span span;
    bool unknown = false; ///< its statement needed values that only a run has; with Host::problem only
    Span donated = {};    ///< the call that used the value up
};

/// A module: its tree and its names.
struct ModuleScope {
    std::uint64_t id = 0; ///< unique within a stager; never reused
    std::string name;
    std::string folder; ///< base of the relative paths of file imports
    std::unordered_map<std::string, Cell> names;
    bool prelude = false;
};

} // namespace pm::stage
