#pragma once
#include "compiler/base/diagnostic.hpp"
#include "compiler/stage/core/context.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

/// The needs of a function that is being staged. Each is thrown where it is found, and ends the round. The function is
/// then staged again in another round, or is interpreted.
namespace pm::stage {

/// The message if a need cannot be met. Null: there is no specific message.
using Reason = std::shared_ptr<const Diagnostic>;
/// Leaves that must be known.
using Reasons = std::map<std::int64_t, Reason>;

/// The numbers that a callee must know, because its caller needs a number that it returns.
struct Demand {
    Reasons leaves;
    std::vector<Context::Global> globals;
};
/// By the key of the call.
using Demands = std::map<Digest, Demand>;

/// The numbers that a function must know, and those that its callees must.
struct Needs {
    Reasons leaves;
    std::vector<Context::Global> globals; ///< numbers of `mut` globals
    Demands demands;

    void add(const Needs& more);
};
/// Adds the demands that are not among them.
void add_demands(Demands& to, const Demands& more);

/// Thrown to stage a function again with these leaves known (numbered as in Context::Origin), and with these demands.
struct NeedKnown {
    const Context* owner;
    std::set<std::int64_t> leaves;
    Reason otherwise = nullptr;
    Demands demands = {};
};
/// Thrown to stage a function's body again with the types of its result known. It joins the values of several returns,
/// and with two at a time a value would be converted to a dtype that is not the common one of all.
struct NeedResult {
    const Context* owner;
    ResultKey key;
    Value types;
};
/// Thrown to stage a loop again, unrolled.
struct NeedUnroll {
    int loop;
    Span why;
    std::string reason = "the loop's variable must be known here";
};
/// Thrown when a function that is being staged meets host work: it is interpreted instead.
struct HostWork {
    std::string what;
    Span span;
    bool in_place = false; ///< no host work: the call only cannot have a block of its own
    /// The message if the function cannot be interpreted. Null: one made of `what`.
    Reason otherwise = {};
};

} // namespace pm::stage
