#pragma once
#include "compiler/stage/core/needs.hpp"
#include "compiler/stage/core/staged_function.hpp"
#include "compiler/stage/values/function_call.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace pm::stage {

class Stager;
struct Cache;
struct Cell;
struct Dependency;
struct Donation;
struct ModuleScope;
struct Recorded;
struct Specialisation;
struct SpecialisationKey;

/// A call with its leaves. `key` is a digest of everything that determines the staged code, except the numbers that
/// must be known.
struct KeyedCall : Call {
    Digest key{};
    std::vector<Value> leaves;
};

/// How a call is staged.
struct StagedAs {
    bool all_known = false; ///< true if all arguments are known numbers
    bool types = false;     ///< true if only the types of the result are needed; the code is then not run
};

/// Calls functions through the cache of specialisations (call/specialise.cpp). A function is staged once for each key.
/// The key has the captured values of the function, the types and structure of the arguments, the known numbers, and
/// the named axes around the call. While a function is staged, the class also records the globals that the function
/// reads.
class Specialiser {
  public:
    explicit Specialiser(Stager& s);
    ~Specialiser();
    Specialiser(const Specialiser&) = delete;
    Specialiser& operator=(const Specialiser&) = delete;

    // -- calls (call/specialise.cpp)
    Value call(Call given);
    KeyedCall keyed(Call given) const;

    // -- the function that is being staged (call/globals.cpp)
    /// Records that the current function reads the name `name` of its module.
    void record_dependency(const std::string& name);
    /// The cell that the current function reads for the global `name`. For a `mut` global it is a copy of `cell` in
    /// which the numbers are parameters or computed numbers. For other globals it is `cell` itself.
    Cell* global_cell(const std::string& name, Cell& cell);
    /// Records that elements of a global array were read during staging. The staged code is then valid only for these
    /// elements.
    void note_value_read();
    /// Records that a loop or a comprehension is unrolled because its index must be known. `loop` is the position of
    /// the pattern of this loop or comprehension.
    void note_unrolled(Span loop);
    /// Passes the warning that `made` returns to Host::warning. Does nothing if the position is in the library, or if a
    /// warning with this id and position was passed before.
    void warn_once(Diag id, Span span, const std::function<Diagnostic()>& made);
    /// Called if a number that must be known is computed from the results of `calls`. Returns the numbers that the
    /// callees must know so that this number is known. Demands that the current function already has are left out.
    Demands demands_of(const std::vector<Context::Callee>& calls) const;
    /// The demands of the current function, which is being staged or interpreted.
    Demands& demands() { return demands_; }

    // -- the cache (call/cache.cpp, call/dropped.cpp)
    /// If an earlier operation at top level had an equal block, returns that block. Otherwise returns `fresh`.
    ir::BlockPtr eager_block(const ir::BlockPtr& fresh);
    /// Drops everything that can be staged again. Does nothing while a function is being staged. Called if memory is
    /// exhausted.
    void clear();
    /// Implements Stager::release_modules.
    std::size_t release(std::vector<std::weak_ptr<ModuleScope>>& dropped);

  private:
    // call/specialise.cpp
    bool is_refused(const HostWork& work) const;
    void warn_if_often(const KeyedCall& call, const StagedFunction& made);
    std::optional<Value> known_call(const KeyedCall& call);
    Recorded stage_recorded(const KeyedCall& call, SpecialisationKey at, bool all_known);
    StagedFunction stage_specialisation(const KeyedCall& call, SpecialisationKey& at, bool all_known);
    Value apply(const Specialisation& made, const KeyedCall& call, Donation* donation = nullptr);

    // call/direct_call.cpp
    void note_direct(const KeyedCall& call, const StagedFunction& staged, std::uint64_t steps);
    std::optional<Value> direct_call(const Call& call);

    // call/specialisation_key.cpp
    SpecialisationKey specialisation_key(const KeyedCall& call, StagedAs how);
    void add_needs(const KeyedCall& call, const Needs& more, SpecialisationKey& at);
    void learn(const KeyedCall& call, const Needs& more, SpecialisationKey& at);
    std::set<std::size_t> know_leaves(const KeyedCall& call, const Reasons& needed, std::vector<Value>& leaves);

    // call/interpreted_call.cpp
    Value interpreted(const KeyedCall& call, bool in_place);
    bool is_known_call(const KeyedCall& call);
    std::vector<Value> interpreted_leaves(const KeyedCall& call, const Specialisation& types, bool written);
    const Specialisation& for_types(const KeyedCall& call, bool all_known);
    std::optional<Value> returned_types(const KeyedCall& call);

    // call/recursion.cpp
    void need_end(const KeyedCall& call, std::size_t outside);
    Value recursive(const KeyedCall& call, std::size_t outside);
    bool end_failed_recursion(const KeyedCall& call, StagedAs how, const Diagnostic& failure);
    void end_recursion(const Value& ending, const std::function<Diagnostic()>& otherwise, Span span);
    void end_recursion_by(const std::vector<Value>& leaves, const std::function<Diagnostic()>& otherwise, Span span);

    // call/globals.cpp
    void record(Dependency dependency);
    void record_all(const std::vector<Dependency>& dependencies);
    Value global_number(const Context::Global& which, const Value& now);
    Value interpreted_global(const std::string& name, const Value& value) const;

    Stager& s_;
    std::unique_ptr<Cache> cache_;
    Demands demands_;
};

} // namespace pm::stage
