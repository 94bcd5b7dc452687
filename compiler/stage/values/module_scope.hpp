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
    bool unknown = false; ///< true if a check of the program (Host::problem) skipped the statement that defines the
                          ///< name; the name then has no value
    Span donated = {};    ///< the call that the value was donated to; empty if the value was not donated
};

/// A module: its tree and its names.
struct ModuleScope {
    std::uint64_t id = 0; ///< unique within a stager; never reused
    std::string name;
    std::string folder; ///< the folder from which imports in this module resolve relative paths of files
    std::unordered_map<std::string, Cell> names;
    bool prelude = false;
};

} // namespace pm::stage
