#pragma once
#include "compiler/stage/core/call.hpp"
#include "compiler/stage/core/context.hpp"
#include "compiler/stage/core/staged_function.hpp"

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

/// A call with its leaves, and the key of everything that decides how it is staged but the numbers that must be known.
struct KeyedCall : Call {
    Digest key{};
    std::vector<Value> leaves;
};

/// Calls functions through the cache of specialisations: each function is staged once per types of its arguments.
/// Records the globals that functions read while they are staged.
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
    /// It reads this name of its module.
    void record_dependency(const std::string& name);
    /// The global as the code has it.
    Cell* global_cell(const std::string& name, Cell& cell);
    /// Elements of an array were read, which the code now depends on.
    void note_value_read();
    /// The loop with the pattern, or the comprehension, at this place is unrolled, to know its index.
    void note_unrolled(Span loop);
    /// This number of a global must be known.
    void know_global(const Context::Global& which);
    /// The callees return a number that must be known: marks the arguments that it depends on as to be known. False if
    /// they all are already. Changes nothing unless `keep`.
    bool learn(const std::vector<Context::Callee>& calls, bool keep);

    // -- the cache (call/cache.cpp, call/dropped.cpp)
    /// The block of an earlier statement with the same operations, or `fresh`.
    ir::BlockPtr eager_block(const ir::BlockPtr& fresh);
    /// Drops everything that can be made again, unless a function is being staged. Called if memory is exhausted.
    void clear();
    /// As Stager::release_modules.
    std::size_t release(std::vector<std::weak_ptr<ModuleScope>>& dropped);

  private:
    // call/specialise.cpp
    Digest key_with_numbers(const KeyedCall& call);
    Digest key_of_numbers(const KeyedCall& call) const;
    std::set<std::size_t> know_leaves(const KeyedCall& call, std::vector<Value>& leaves);
    std::optional<Value> known_call(const KeyedCall& call);
    Recorded stage_recorded(const KeyedCall& call, const Digest& full, bool all_known);
    StagedFunction stage_specialisation(const KeyedCall& call, bool all_known);
    Value apply(const Specialisation& made, const KeyedCall& call, Donation* donation = nullptr);

    // call/interpreted_call.cpp
    Value interpreted(const KeyedCall& call);
    bool is_known_call(const KeyedCall& call);
    Digest types_key(const KeyedCall& call, bool all_known);
    std::vector<Value> interpreted_leaves(const KeyedCall& call, bool written);
    const Specialisation& for_types(const KeyedCall& call, bool all_known);
    std::optional<Value> returned_types(const KeyedCall& call);

    // call/recursion.cpp
    void need_end(const KeyedCall& call, std::size_t outside);
    Value recursive(const KeyedCall& call, std::size_t outside);
    bool end_failed_recursion(const KeyedCall& call, const Diagnostic& failure);
    void end_recursion(const Value& ending, const std::function<Diagnostic()>& otherwise, Span span);
    void end_recursion_by(const std::vector<Value>& leaves, const std::function<Diagnostic()>& otherwise, Span span);

    // call/globals.cpp
    void record(Dependency dependency);
    void record_all(const Specialisation& made);
    Value global_number(const Context::Global& which, const Value& now);
    Value interpreted_global(const std::string& name, const Value& value) const;

    Stager& s_;
    std::unique_ptr<Cache> cache_;
};

} // namespace pm::stage
