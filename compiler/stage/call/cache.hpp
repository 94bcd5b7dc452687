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

/// A global that a specialisation has read, with the part of the global's value that the code depends on. A number of a
/// `mut` global is a parameter of the code, unless the number must be known. A number of a `let` global does not
/// change, so it is a constant in the code.
struct Dependency {
    std::shared_ptr<ModuleScope> scope;
    std::string name;
    Digest key{};                ///< digest of its type and known numbers; zero if the module had no such name
    std::set<std::size_t> known; ///< leaves of a `mut` global that must be known
    /// Elements of an array were read during staging, so the code is valid only for the value `seen`.
    bool exact = false;
    Value seen; ///< if exact: the value; this reference prevents reuse of its memory

    /// The cell of the global. Null if the module has no such name.
    const Cell* cell() const;
    bool still_holds() const;
    void make_exact();
};

/// A digest of the parts of a global that the code depends on. An array, or a number that may change, is a parameter of
/// the code unless it must be known. Other numbers are constants in the code.
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
    bool keeps_dependencies = true;
    std::shared_ptr<Context> context; ///< the context of the function; numbers of `mut` globals are its parameters
    /// Copies of the `mut` globals, with their numbers replaced by parameters of `context`.
    std::map<std::pair<const ModuleScope*, std::string>, Cell> views;

    /// Begins to stage the function in this context.
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
    /// The recorded dependency on a global. Null if there is none.
    Dependency* find(const ModuleScope* scope, const std::string& name);

    /// The dependencies. They are exact if elements of arrays were read during staging.
    std::vector<Dependency> final_dependencies() const {
        std::vector<Dependency> all = dependencies;
        if (values_read)
            for (Dependency& d : all) d.make_exact();
        return all;
    }
};

/// The syntax trees of all functions in a value or a call. Keys of the cache contain the numbers of these trees'
/// sources.
using Trees = std::vector<std::weak_ptr<const syntax::Module>>;
void collect_trees(const Value& v, Trees& trees);
Trees trees_of(const Call& call);

/// The code of a function for given types, structure and known values of its arguments.
struct Specialisation {
    /// Has no block if the function is staged only for its types and these cannot be determined.
    StagedFunction function;
    std::vector<Dependency> dependencies;
    std::set<SourcePlace> unrolled; ///< as in Recorded
    /// Per capture: the index of the dependency that the capture is read from, and the index of the leaf in its value.
    /// Both are -1 if the capture is not read from a dependency.
    std::vector<std::pair<std::int64_t, std::int64_t>> sources;
    /// The trees of the functions in the key and in the dependencies. If one of these trees is freed, no later call can
    /// find this code.
    Trees trees;
    std::uint64_t used = 0; ///< `clock` of the cache at the last use
    bool for_types = false; ///< staged only to find its types; its code is not run
    Needs needs;            ///< the needs for which it was staged
    /// Reads the current values of the captures. Must be done for each call, because a global may have a new value of
    /// the same type.
    std::vector<Value> current_captures() const;
};

/// A call, and the numbers that must be known to stage it. The needs of a function are found one after another, and a
/// need may depend on the numbers that are already known. The key is therefore a digest of the call and then of the
/// numbers of each need, in the order in which the needs were found.
struct SpecialisationKey {
    Digest key{};
    Needs needs;
};

/// The result of staging a function, before it is added to the cache.
struct Recorded {
    SpecialisationKey call;
    StagedFunction function; ///< as in Specialisation
    std::vector<Dependency> dependencies;
    std::set<SourcePlace> unrolled; ///< unrolled loops, by the position of their pattern
};

/// A finding about a call, and the globals that had been read when it was found. If one of them changes, the finding is
/// invalid.
template <class T>
struct Finding {
    T found;
    std::vector<Dependency> dependencies;
};
/// Findings by SpecialisationKey::key. Their memory counts in the engine's account, because the program determines
/// their number.
template <class T>
using Findings = std::unordered_map<Digest, Finding<T>, DigestHash, std::equal_to<>,
                                    Counted<std::pair<const Digest, Finding<T>>, 64>>;

struct Cache {
    Findings<Needs> needs;           ///< the next needs of a call whose key has the needs that were found before
    Findings<HostWork> not_compiled; ///< the host work because of which a call cannot be compiled
    Findings<None> not_known;        ///< calls with known arguments whose result is not known or is an error
    /// The finding for this key. Null if there is none, or if a global that the finding depends on has changed.
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
    /// The keys of the calls being staged, each with the number of conditions around the call.
    std::map<Digest, std::size_t> in_progress;
    std::vector<Recorder> recorders; ///< one per function being staged
    /// Whether a function is being staged whose dependencies are recorded.
    bool records() const { return !recorders.empty() && recorders.back().keeps_dependencies; }
    Recorder abandoned; ///< the recorder of the last function whose staging ended with an exception
    Recorder take_abandoned() { return std::exchange(abandoned, {}); }
    /// The origin of a block that was staged for a function. `key` is the key of the call. The first parameters of the
    /// block are leaves of the call; `leaves` has their indices.
    struct Made {
        Digest key{};
        std::vector<std::int64_t> leaves;
        /// The further parameters are captures. Per capture: the global, if the capture is a number of a global.
        std::vector<std::optional<Context::Global>> globals;
    };
    std::unordered_map<const ir::Block*, Made> made;
    std::unordered_set<std::uint64_t> direct; ///< direct functions, by the number of their text (call/direct_call.cpp)
    const Context* direct_context =
        nullptr; ///< the context of the direct call that is being run; null if there is none

    Specialisation* find(const Digest& key);
    Specialisation& add(const Digest& key, const Digest& type_key, Recorded recorded, Trees trees);
    /// Drops everything that can be staged again, unless a function is being staged. Called if memory is exhausted.
    void clear();
    /// Drops entries that no call can find again. If more than `most` entries remain, also drops the least recently
    /// used ones. Called only if no function is being staged, because code that stages functions has references to
    /// entries.
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

/// Appends the index and the number of a known leaf to a key.
inline void append_leaf(Digester& key, std::size_t leaf, const Number& n) {
    key.add(std::uint64_t{leaf});
    append_number(key, n);
}

} // namespace pm::stage
