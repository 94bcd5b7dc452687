#pragma once
#include "compiler/stage/core/specialiser.hpp"
#include "compiler/stage/core/stager.hpp"
#include "compiler/stage/values/tree.hpp"

#include <algorithm>
#include <map>

namespace pm::stage {

/// A global that a specialisation has read, with the part of its value that the code depends on. Numbers of a `mut`
/// global are parameters of the code until one must be known. Numbers of a `let` global do not change and are constants
/// in the code.
struct Dependency {
    std::shared_ptr<ModuleScope> scope;
    std::string name;
    Digest key{};                ///< its type and known numbers; zero if the module had no such name
    std::set<std::size_t> known; ///< leaves of a `mut` global that must be known
    bool exact = false;          ///< elements of the array were read while staging: the code is for this array only
    Value seen;                  ///< the value, if exact; holding it prevents reuse of its memory

    /// Null if the module has no such name.
    const Cell* cell() const;
    bool still_holds() const;
    void make_exact();
};

/// The parts of a global that the code depends on. Arrays, and numbers that may change, are parameters unless they must
/// be known. Other numbers are constants in the code.
Digest dependency_key(const Cell* cell, const std::set<std::size_t>& known);

inline bool still_hold(const std::vector<Dependency>& all) {
    return std::all_of(all.begin(), all.end(), [](const Dependency& d) { return d.still_holds(); });
}

/// The globals that a function being staged has read.
struct Recorder {
    std::vector<Dependency> dependencies;
    std::map<std::pair<const ModuleScope*, std::string>, std::size_t> place; ///< index of each global in `dependencies`
    bool values_read = false;
    std::vector<Context::Global> known; ///< numbers of `mut` globals that must be known
    std::set<SourcePlace> unrolled;     ///< unrolled loops, by the position of their pattern
    std::shared_ptr<Context> context;   ///< of the function; numbers of `mut` globals are parameters of it
    /// The `mut` globals as seen in `context`.
    std::map<std::pair<const ModuleScope*, std::string>, Cell> views;

    /// Begins to stage the function in this context.
    void begin(std::shared_ptr<Context> in) {
        context = std::move(in);
        views.clear();
        unrolled.clear();
    }
    /// Frees the context and the views of globals.
    void let_go() {
        context.reset();
        views.clear();
    }
    bool must_know(const Context::Global& which) const;
    /// The recorded dependency on a global. Null if there is none.
    Dependency* find(const ModuleScope* scope, const std::string& name);

    /// The dependencies; they are exact if elements of arrays were read while staging.
    std::vector<Dependency> final_dependencies() const {
        std::vector<Dependency> all = dependencies;
        if (values_read)
            for (Dependency& d : all) d.make_exact();
        return all;
    }
};

/// The syntax trees of all functions in a value or a call. Keys of the cache name these trees.
using Trees = std::vector<std::weak_ptr<const syntax::Module>>;
void collect_trees(const Value& v, Trees& trees);
Trees trees_of(const Call& call);

/// A function compiled for types, structure and known values.
struct Specialisation {
    StagedFunction function; ///< without a block if the function cannot be staged for its types
    std::vector<Dependency> dependencies;
    std::set<SourcePlace> unrolled;                             ///< as in Recorded
    std::vector<std::pair<std::int64_t, std::int64_t>> sources; ///< per capture: its dependency and leaf, or -1
    /// The trees of the functions in its key and its dependencies. If one is freed, no later call can find this code.
    Trees trees;
    std::uint64_t used = 0; ///< `clock` of the cache at the last use
    bool for_types = false; ///< staged for its types alone; its code is not run
    Needs needs;            ///< the needs for which it was staged
    /// Reads the captures. Called for each call, because a global may have a new value of the same type.
    std::vector<Value> current_captures() const;
};

/// A call with the numbers that must be known for it. The needs of a function are found one after another, and a need
/// may depend on the numbers that are known already. The key therefore consists of the call, then the numbers of each
/// need.
struct Specific {
    Digest key{};
    Needs needs;
};

/// A function just staged.
struct Recorded {
    Specific call;
    StagedFunction function; ///< as in Specialisation
    std::vector<Dependency> dependencies;
    std::set<SourcePlace> unrolled; ///< unrolled loops, by the position of their pattern
};

/// A finding about a call, and the globals that were read before it was found.
template <class T>
struct Finding {
    T found;
    std::vector<Dependency> dependencies;
};
/// Findings by Specific::key. Their memory counts in the account, because the program decides their number.
template <class T>
using Findings = std::unordered_map<Digest, Finding<T>, DigestHash, std::equal_to<>,
                                    Counted<std::pair<const Digest, Finding<T>>, 64>>;

struct Cache {
    Findings<Needs> needs;           ///< needs of a call that are not in the key yet
    Findings<HostWork> not_compiled; ///< the host work that prevents compilation of a call
    Findings<None> not_known;        ///< calls with known numbers whose result is not known or is an error
    /// The finding for this key. Null if there is none, or if a global that it depends on has changed.
    template <class T>
    static const Finding<T>* finding(Findings<T>& findings, const Digest& key) {
        const auto at = findings.find(key);
        if (at == findings.end()) return nullptr;
        if (still_hold(at->second.dependencies)) return &at->second;
        findings.erase(at);
        return nullptr;
    }
    template <class Visit>
    void each_findings(const Visit& visit) {
        visit(needs);
        visit(not_compiled);
        visit(not_known);
    }
    std::unordered_map<Digest, std::unique_ptr<Specialisation>, DigestHash> entries;
    std::unordered_map<Digest, ir::BlockPtr, DigestHash> eager; ///< blocks of statements at top level, by ir::block_key
    /// Keys of the functions being staged, with the number of conditions around each call.
    std::map<Digest, std::size_t> in_progress;
    std::vector<Recorder> recorders; ///< one per function being staged
    Recorder abandoned;              ///< of the last function whose staging ended with an exception
    Recorder take_abandoned() { return std::exchange(abandoned, {}); }
    /// For a block of a staged function: the key, and the leaf of each of the first parameters.
    struct Made {
        Digest key{};
        std::vector<std::int64_t> leaves;
        std::vector<std::optional<Context::Global>> globals; ///< per further parameter: its global
    };
    std::unordered_map<const ir::Block*, Made> made;

    Specialisation* find(const Digest& key);
    Specialisation& add(const Digest& key, const Digest& type_key, Recorded recorded, Trees trees);
    /// Drops everything that can be staged again, unless a function is being staged. Called if memory is exhausted.
    void clear();
    /// Drops entries that no call can find again, then the least recently used entries above a bound. Called only if no
    /// function is being staged, because callers of staging hold references to entries.
    void sweep();
    void drop_oldest(std::size_t bound, bool for_types);
    static constexpr std::size_t most = 2048;
    static constexpr std::size_t most_types = 512; ///< of the entries that were staged for their types alone
    std::size_t sweep_at = 64;
    std::uint64_t clock = 0;
    ir::BlockPtr eager_block(const ir::BlockPtr& fresh);
};

/// Whether a function with these arguments works on data of 64 bits.
Widths widths_of(const std::vector<Value>& leaves);

/// Whether all leaves are numbers written in the program.
inline bool all_written(const std::vector<Value>& leaves) {
    return std::ranges::all_of(leaves, [](const Value& v) { return v.number() && !v.number()->computed; });
}

/// Appends a known leaf to a key.
inline void append_leaf(Digester& key, std::size_t leaf, const Number& n) {
    key.add(std::uint64_t{leaf});
    append_number(key, n);
}

} // namespace pm::stage
