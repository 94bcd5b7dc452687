#pragma once
#include "compiler/ir/text.hpp"
#include "compiler/stage/stager.hpp"
#include "runtime/failure.hpp"

#include <map>

namespace pm::stage {

/// A global that a specialisation has read, and what it was as far as the code depends on it. Numbers of a `mut` global
/// are parameters of the code until one must be known; those of a `let` do not change and stand in the code.
struct Dependency {
    std::shared_ptr<ModuleScope> scope;
    std::string name;
    std::string key;             ///< its type and known numbers; "absent" when the module had no such name
    std::set<std::size_t> known; ///< leaves of a `mut` global that must be known
    bool exact = false;          ///< elements of an array were read while staging: the very array must still be there
    Value seen;                  ///< of an exact one; holding it keeps its memory from being used again

    /// Null when the module has no such name.
    const Cell* cell() const;
    bool still_holds() const;
    void make_exact();
};

/// What one function being staged has read.
struct Recorder {
    std::vector<Dependency> dependencies;
    bool values_read = false;
    std::vector<Context::Global> known; ///< numbers of `mut` globals that must be known
    std::shared_ptr<Context> context;   ///< of the function; its parameters stand for numbers of `mut` globals
    /// What such globals are in `context`.
    std::map<std::pair<const ModuleScope*, std::string>, Cell> views;

    bool must_know(const Context::Global& which) const;
};

/// A function compiled for types, structure and known values.
struct Specialisation {
    Stager::StagedFunction function;
    std::vector<Dependency> dependencies;
    std::vector<std::pair<std::int64_t, std::int64_t>> sources; ///< per capture: the dependency and its leaf, or -1
    /// Captures are read anew at each call: a global may have got another value of the same type.
    Value current_capture(std::size_t c) const;
};

/// A function just staged.
struct Stager::Recorded {
    StagedFunction function;
    std::vector<Dependency> dependencies;
};

struct Stager::Cache {
    struct Knowns {
        std::set<std::int64_t> leaves;        ///< that must be known for this key
        std::vector<Context::Global> globals; ///< the same of globals
        bool interpreted = false;             ///< it does host work
        bool makes_arrays = false;            ///< known numbers alone do not make its result known
    };
    std::unordered_map<std::string, Knowns> knowns;
    std::unordered_map<std::string, std::unique_ptr<Specialisation>> entries;
    std::unordered_map<std::string, ir::BlockPtr> eager;
    std::map<std::string, std::size_t>
        in_progress;                 ///< keys of what is being staged now, and how many conditions stood around it
    std::vector<Recorder> recorders; ///< one per function being staged
    /// For each block made for a function: its key, and the leaves that its first parameters are.
    struct Made {
        std::string key;
        std::vector<std::int64_t> leaves;
        std::vector<std::optional<Context::Global>> globals; ///< per parameter after those
    };
    std::unordered_map<const ir::Block*, Made> made;

    Specialisation* find(const std::string& key);
    Specialisation& add(const std::string& key, const std::string& type_key, Recorded recorded);
    void forget(const ir::Block* block);
    ir::BlockPtr eager_block(const ir::BlockPtr& fresh);
};

/// A known bool is a switch, not data; an integer that i32 cannot hold has no parameter to go into.
bool stays_known(const Number& n);
/// The value of a leaf that is known, as part of a key.
void append_number(std::string& key, std::size_t leaf, const Number& n);

/// A failure of the runtime as a diagnostic.
Diagnostic failure_diagnostic(const runtime::Failure& failure, Span span);

} // namespace pm::stage
