#pragma once
#include "compiler/base/diagnostic.hpp"
#include "compiler/stage/core/context.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

/// The needs of a function that is being staged: numbers or types that must be known. A need is thrown as an exception,
/// which ends the attempt to stage the function. The function is then staged again, or is interpreted.
namespace pm::stage {

/// The error message for a need that cannot be satisfied. Null if the need has no specific message.
using Reason = std::shared_ptr<const Diagnostic>;
/// The indices of the leaves that must be known, each with its reason.
using Reasons = std::map<std::int64_t, Reason>;

/// The numbers that a callee must know, because its caller must know a number that the callee returns.
struct Demand {
    Reasons leaves;
    std::vector<Context::Global> globals;
};
/// The demands for callees. The key is the key of the call.
using Demands = std::map<Digest, Demand>;

/// The numbers that a function must know, and the demands for the functions that it calls.
struct Needs {
    Reasons leaves;
    std::vector<Context::Global> globals; ///< numbers of `mut` globals
    Demands demands;

    void add(const Needs& more);
};
/// Adds the demands of `more` that `to` does not have.
void add_demands(Demands& to, const Demands& more);

/// Thrown to stage the function `owner` again with the leaves `leaves` known and with the demands `demands`. The leaves
/// are numbered as in Context::Origin.
struct NeedKnown {
    const Context* owner;
    std::set<std::int64_t> leaves;
    Reason otherwise = nullptr;
    Demands demands = {};
};
/// Thrown to stage a function's body again with the types of its result known. The reason is that the first attempt
/// joined the values of several returns two at a time. So it may have converted a value to a dtype that is not the
/// common dtype of all returns.
struct NeedResult {
    const Context* owner;
    ResultKey key;
    Value types;
};
/// Thrown to stage a loop again and unroll it.
struct NeedUnroll {
    int loop;
    Span why;
    std::string reason = "the loop's variable must be known here";
    /// The change that the iterations make: of the dtype of an array, of a text, or another one. Interpreted code can
    /// run a loop that changes a text.
    enum class Changes : std::uint8_t { other, dtype, text } changes = Changes::other;
};
/// Thrown when a function that is being staged does host work. The function is then interpreted.
struct HostWork {
    std::string what;
    Span span;
    bool in_place = false; ///< true if the function does no host work, but its call cannot have a separate block
    /// The error message if the function cannot be interpreted. If null, the message is about `what`.
    Reason otherwise = {};
};

} // namespace pm::stage
