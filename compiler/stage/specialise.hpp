#pragma once
#include "compiler/ir/text.hpp"
#include "compiler/stage/stager.hpp"
#include "runtime/failure.hpp"

#include <map>

namespace pm::stage {

/// A global that a specialisation has read, and what it was as far as the code depends on it.
struct Dependency {
    std::shared_ptr<ModuleScope> scope;
    std::string name;
    std::string key;    ///< its type and known numbers; "absent" when the module had no such name
    bool exact = false; ///< elements of an array were read while staging: the very array must still be there
    Value seen;         ///< of an exact one; holding it keeps its memory from being used again

    /// Null when the module has no such name.
    const Cell* cell() const;
    bool still_holds() const;
    void make_exact();
};

/// What one function being staged has read.
struct Recorder {
    std::vector<Dependency> dependencies;
    bool values_read = false;
};
void append_dependency_key(std::string& key, const Value& v, std::vector<Value>& leaves);

/// A function compiled for types, structure and known values.
struct Specialisation {
    Stager::StagedFunction function;
    std::vector<Dependency> dependencies;
    std::vector<std::pair<std::int64_t, std::int64_t>> sources; ///< per capture: the dependency and its leaf, or -1
    /// Captured arrays are read anew at each call: a global may have got another value of the same type.
    Value current_capture(std::size_t c) const;
};

struct Stager::Cache {
    struct Knowns {
        std::set<std::int64_t> leaves; ///< that must be known for this key
        bool interpreted = false;      ///< it does host work
    };
    std::unordered_map<std::string, Knowns> knowns;
    std::unordered_map<std::string, std::unique_ptr<Specialisation>> entries;
    std::unordered_map<std::string, ir::BlockPtr> eager;
    std::map<std::string, std::size_t>
        in_progress;                 ///< keys of what is being staged now, and how many conditions stood around it
    std::vector<Recorder> recorders; ///< one per function being staged

    Specialisation* find(const std::string& key);
    Specialisation& add(const std::string& key, StagedFunction function, std::vector<Dependency> dependencies);
    ir::BlockPtr eager_block(const ir::BlockPtr& fresh);
};

/// A failure of the runtime as a diagnostic.
Diagnostic failure_diagnostic(const runtime::Failure& failure, Span span);

} // namespace pm::stage
