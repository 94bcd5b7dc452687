#pragma once
#include "compiler/stage/call/recompilations.hpp"
#include "compiler/stage/core/specialiser.hpp"
#include "compiler/stage/core/stager.hpp"
#include "compiler/stage/values/tree.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

namespace pm::stage {

/// A global that a specialisation has read, with a digest of what the code depends on in the global's value. A number
/// of a `mut` global is a parameter of the code, unless the number must be known. A number of a `let` global does not
/// change, so it is a constant in the code.
struct Dependency {
    std::shared_ptr<ModuleScope> scope;
    std::string name;
    Digest key{};                ///< digest of the global's type and known numbers; zero if the module had no such name
    std::set<std::size_t> known; ///< indices of the leaves of a `mut` global that must be known
    /// True if elements of an array were read during staging. The code is then valid only for the value `seen`.
    bool exact = false;
    Value seen; ///< if `exact`: the value of the global; the copy here ensures that no other array gets the memory of
                ///< the arrays in this value

    /// The cell of the global. Null if the module has no such name.
    const Cell* cell() const;
    bool still_holds() const;
    void make_exact();
};

/// A digest of the type of a global, and of the numbers in it that are constants in the code. `known` has the indices
/// of the leaves that must be known. Arrays, and the other numbers of a `mut` global, are parameters of the code.
Digest dependency_key(const Cell* cell, const std::set<std::size_t>& known);

inline bool still_hold(const std::vector<Dependency>& all) {
    return std::all_of(all.begin(), all.end(), [](const Dependency& d) { return d.still_holds(); });
}

/// The globals that a function being staged has read.
struct Recorder {
    std::vector<Dependency> dependencies;
    std::map<std::pair<const ModuleScope*, std::string>, std::size_t> place; ///< by global: index in `dependencies`
    bool values_read = false;
    std::vector<Context::Global> known; ///< numbers of `mut` globals that must be known
    std::set<SourcePlace> unrolled;     ///< positions of the patterns of the unrolled loops
    bool keeps_dependencies = true;
    std::shared_ptr<Context>
        context; ///< the context of the function; numbers of `mut` globals are parameters of this context
    /// Copies of the `mut` globals, with their numbers replaced by parameters of `context`.
    std::map<std::pair<const ModuleScope*, std::string>, Cell> views;

    /// Called when staging of the function begins in the context `in`.
    void begin(std::shared_ptr<Context> in) {
        context = std::move(in);
        views.clear();
        unrolled.clear();
    }
    /// Frees the context and the copies of globals.
    void let_go() {
        context.reset();
        views.clear();
    }
    bool must_know(const Context::Global& which) const;
    /// The recorded dependency on the global `name`. Null if no such dependency is recorded.
    Dependency* find(const ModuleScope* scope, const std::string& name);

    /// The dependencies. If elements of arrays were read during staging, all dependencies are made exact.
    std::vector<Dependency> final_dependencies() const {
        std::vector<Dependency> all = dependencies;
        if (values_read)
            for (Dependency& d : all) d.make_exact();
        return all;
    }
};

/// The syntax trees of all functions in a value or a call. Keys of the cache contain the numbers of the sources of
/// these trees.
using Trees = std::vector<std::weak_ptr<const syntax::Module>>;
void collect_trees(const Value& v, Trees& trees);
Trees trees_of(const Call& call);

/// The code of a function for given types, structure and known values of its arguments.
struct Specialisation {
    /// `function.block` is null if the function was staged only for its types and these types cannot be determined.
    StagedFunction function;
    std::vector<Dependency> dependencies;
    std::set<SourcePlace> unrolled; ///< as in Recorded
    /// Per capture: the index of the dependency that the capture is read from, and the index of the capture among the
    /// leaves of this dependency's value. Both are -1 if the capture is not read from a dependency.
    std::vector<std::pair<std::int64_t, std::int64_t>> sources;
    /// The trees of the functions in the key and in the dependencies. If one of these trees is freed, no later call has
    /// the key of this specialisation.
    Trees trees;
    std::uint64_t used = 0; ///< `clock` of the cache at the last use
    bool for_types = false; ///< true if the function was staged only to find its types; the code is then not run
    Needs needs;            ///< the needs that were known when the function was staged
    /// Reads the current values of the captures. Must be called for each run of the code, because a global may have a
    /// new value of the same type.
    std::vector<Value> current_captures() const;
};

/// The key of a call in the cache, and the needs of the call. Needs are found one after another, and a need may depend
/// on the numbers that are already known. So `key` is a digest of the call, and then of the numbers of each need in the
/// order in which the needs were found.
struct SpecialisationKey {
    Digest key{};
    Needs needs;
};

/// The result of staging a function, before it is added to the cache.
struct Recorded {
    SpecialisationKey call;
    StagedFunction function; ///< as in Specialisation
    std::vector<Dependency> dependencies;
    std::set<SourcePlace> unrolled; ///< positions of the patterns of the unrolled loops
};

/// A fact that staging has found about a call. `dependencies` has the globals that staging had read before it found the
/// fact. If one of these globals changes, the finding is invalid.
template <class T>
struct Finding {
    T found;
    std::vector<Dependency> dependencies;
};
/// Findings by SpecialisationKey::key. The memory of the findings counts towards the engine's memory limit, because the
/// program determines their number.
template <class T>
using Findings = std::unordered_map<Digest, Finding<T>, DigestHash, std::equal_to<>,
                                    Counted<std::pair<const Digest, Finding<T>>, 64>>;

struct Cache {
    Findings<Needs> needs; ///< the key includes the needs found so far; the finding has the needs that were found next
    Findings<HostWork> not_compiled; ///< for each call that cannot be compiled: the host work that is the reason
    Findings<None> not_known; ///< calls with known arguments for which staging has raised an error or has given a
                              ///< result that is not known
    /// The finding for this key. Null if `findings` has no such finding, or if a global that the finding depends on has
    /// changed.
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
    std::unordered_map<Digest, ir::BlockPtr, DigestHash> eager; ///< blocks of operations at top level, by ir::block_key
    /// The keys of the calls being staged, each with the number of conditions around the call.
    std::map<Digest, std::size_t> in_progress;
    std::vector<Recorder> recorders; ///< one per function being staged
    /// True while a function is staged whose dependencies are recorded.
    bool records() const { return !recorders.empty() && recorders.back().keeps_dependencies; }
    Recorder abandoned; ///< the recorder of the last function whose staging ended with an exception
    Recorder take_abandoned() { return std::exchange(abandoned, {}); }
    /// The origin of a block that was staged for a function. `key` is the key of the call. The first parameters of the
    /// block are leaves of the call. `leaves` has the indices of these leaves.
    struct Made {
        Digest key{};
        std::vector<std::int64_t> leaves;
        /// The other parameters of the block are captures. Per capture: the global whose number the capture is. Empty
        /// for other captures.
        std::vector<std::optional<Context::Global>> globals;
    };
    std::unordered_map<const ir::Block*, Made> made;
    /// True for a direct function (call/direct_call.cpp), whose results are not cached. False for a function that was
    /// direct until one of its calls did other work. Each number identifies the source text of a function.
    std::unordered_map<std::uint64_t, bool> direct;
    /// The context of the direct call that is being run. Null if no direct call is being run.
    const Context* direct_context = nullptr;

    Specialisation* find(const Digest& key);
    Specialisation& add(const Digest& key, const Digest& type_key, Recorded recorded, Trees trees);
    /// Drops everything that can be staged again. Does nothing while a function is being staged. Called if memory is
    /// exhausted.
    void clear();
    /// Drops entries that no call can find again. If more than `most` entries remain, also drops the least recently
    /// used entries. Must not be called while a function is being staged, because the code that stages functions has
    /// references to entries.
    void sweep();
    void drop_oldest(std::size_t bound, bool for_types);
    static constexpr std::size_t most = 2048;
    static constexpr std::size_t most_types = 512; ///< the bound for entries that were staged only to find their types
    std::size_t sweep_at = 64;
    std::uint64_t clock = 0;
    Recompilations recompilations;
    std::set<std::pair<Diag, SourcePlace>> warned; ///< see Specialiser::warn_once
    ir::BlockPtr eager_block(const ir::BlockPtr& fresh);
};

/// Whether a function with these arguments works on data of 64 bits.
Widths widths_of(const std::vector<Value>& leaves);

/// Whether all leaves are literals: known numbers that are not computed numbers.
inline bool all_written(const std::vector<Value>& leaves) {
    return std::ranges::all_of(leaves, [](const Value& v) { return v.number() && !v.number()->computed; });
}

/// Appends to a key the index `leaf` of a known leaf and its number `n`.
inline void append_leaf(Digester& key, std::size_t leaf, const Number& n) {
    key.add(std::uint64_t{leaf});
    append_number(key, n);
}

} // namespace pm::stage
