#pragma once
#include "compiler/ir/text.hpp"
#include "compiler/stage/core/stager.hpp"
#include "runtime/failure.hpp"

#include <algorithm>
#include <map>

namespace pm::stage {

/// A global that a specialisation has read, and what it was as far as the code depends on it. Numbers of a `mut` global
/// are parameters of the code until one must be known; those of a `let` do not change and stand in the code.
struct Dependency {
    std::shared_ptr<ModuleScope> scope;
    std::string name;
    Digest key{};                ///< its type and known numbers; zero when the module had no such name
    std::set<std::size_t> known; ///< leaves of a `mut` global that must be known
    bool exact = false;          ///< elements of an array were read while staging: the very array must still be there
    Value seen;                  ///< of an exact one; holding it keeps its memory from being used again

    /// Null when the module has no such name.
    const Cell* cell() const;
    bool still_holds() const;
    void make_exact();
};
inline bool still_hold(const std::vector<Dependency>& all) {
    return std::all_of(all.begin(), all.end(), [](const Dependency& d) { return d.still_holds(); });
}

/// What one function being staged has read.
struct Recorder {
    std::vector<Dependency> dependencies;
    std::map<std::pair<const ModuleScope*, std::string>, std::size_t> place; ///< of each in `dependencies`
    bool values_read = false;
    std::vector<Context::Global> known; ///< numbers of `mut` globals that must be known
    std::shared_ptr<Context> context;   ///< of the function; its parameters stand for numbers of `mut` globals
    /// What such globals are in `context`.
    std::map<std::pair<const ModuleScope*, std::string>, Cell> views;

    bool must_know(const Context::Global& which) const;
    /// What has been recorded of a global; null for nothing.
    Dependency* find(const ModuleScope* scope, const std::string& name);

    /// Where elements were read while staging, the very arrays must still be there.
    void settle() {
        if (values_read)
            for (Dependency& d : dependencies) d.make_exact();
    }
};

/// The trees of all functions in a value, or in a call: what a key of the cache names.
using Trees = std::vector<std::weak_ptr<const syntax::Module>>;
void collect_trees(const Value& v, Trees& trees);
Trees trees_of(const Value& function, const std::vector<Value>& arguments,
               const std::vector<std::pair<std::string, Value>>& named);

/// A function compiled for types, structure and known values.
struct Specialisation {
    Stager::StagedFunction function;
    std::vector<Dependency> dependencies;
    std::vector<std::pair<std::int64_t, std::int64_t>> sources; ///< per capture: the dependency and its leaf, or -1
    /// Of the functions that its key and its dependencies name. When one is gone, nothing can ask for this code again.
    Trees trees;
    std::uint64_t used = 0; ///< when it was last asked for, in calls
    /// Captures are read anew at each call: a global may have got another value of the same type.
    std::vector<Value> current_captures() const;
};

/// A function just staged.
struct Stager::Recorded {
    StagedFunction function;
    std::vector<Dependency> dependencies;
};

struct Stager::Cache {
    struct Knowns {
        Stager::Reasons leaves;               ///< that must be known for this key
        std::vector<Context::Global> globals; ///< the same of globals
        /// It does host work, as long as the globals it read until then are what they were.
        std::optional<std::vector<Dependency>> interpreted;
        bool in_place = false;     ///< it is interpreted for what its result holds, in compiled code too
        bool makes_arrays = false; ///< known numbers alone do not make its result known
        /// The types of its result, whichever `return` ends it; nothing in them where they cannot be told.
        struct Returned {
            std::optional<Value> types;
            std::vector<Dependency> dependencies;
        };
        std::optional<Returned> returned;
        std::set<Digest> failed; ///< keys of known numbers for which it is an error; staged ones it may take

        /// Calls visit for each list of what it holds of modules.
        template <class Visit>
        void each_list(const Visit& visit) const {
            visit(globals);
            if (interpreted) visit(*interpreted);
            if (returned) visit(returned->dependencies);
        }
        bool stays_interpreted() {
            if (interpreted && !still_hold(*interpreted)) interpreted.reset();
            return interpreted.has_value();
        }
    };
    /// A program decides how many there are.
    std::unordered_map<Digest, Knowns, DigestHash, std::equal_to<>, Counted<std::pair<const Digest, Knowns>, 64>>
        knowns;
    std::unordered_map<Digest, std::unique_ptr<Specialisation>, DigestHash> entries;
    std::unordered_map<Digest, ir::BlockPtr, DigestHash> eager; ///< programs of single statements, by their key
    /// Keys of what is being staged now, and how many conditions stood around it.
    std::map<Digest, std::size_t> in_progress;
    std::vector<Recorder> recorders; ///< one per function being staged
    /// Ends the recording of the innermost of them.
    Recorder end_recorder() {
        Recorder ended = std::move(recorders.back());
        recorders.pop_back();
        return ended;
    }
    std::vector<Dependency> read_before_host_work; ///< by the function that was given up last
    /// For each block made for a function: its key, and the leaves that its first parameters are.
    struct Made {
        Digest key{};
        std::vector<std::int64_t> leaves;
        std::vector<std::optional<Context::Global>> globals; ///< per parameter after those
    };
    std::unordered_map<const ir::Block*, Made> made;

    Specialisation* find(const Digest& key);
    Specialisation& add(const Digest& key, const Digest& type_key, Recorded recorded, Trees trees);
    void forget(const ir::Block* block);
    /// Drops all that can be made again, unless a function is being staged: where there is no memory left it gives way.
    void clear();
    /// Drops what nothing can ask for again, and of the rest the least recently used beyond a bound. Called when no
    /// function is being staged: their callers hold parts of the cache.
    void sweep();
    static constexpr std::size_t most = 2048;
    std::size_t sweep_at = 64;
    std::uint64_t clock = 0;
    ir::BlockPtr eager_block(const ir::BlockPtr& fresh);
};

/// A leaf that is known, as part of a key.
inline void append_leaf(Digester& key, std::size_t leaf, const Number& n) {
    key.add(std::uint64_t{leaf});
    append_number(key, n);
}

/// A failure of the runtime as a diagnostic.
Diagnostic failure_diagnostic(const runtime::Failure& failure, Span span);
/// The text of a check names its repair behind a `|`: makes it the help.
void split_repair(Diagnostic& d);

} // namespace pm::stage
