#pragma once
#include "compiler/base/diagnostic.hpp"
#include "compiler/stage/values/function_call.hpp"

#include <string_view>
#include <utility>
#include <vector>

namespace pm::stage {

class Stager;
struct Donation;
struct Native;

/// Calls of functions: binds arguments and selects how the body is run.
class Calls {
  public:
    explicit Calls(Stager& stager) : s_(stager) {}

    /// A call in the text that is being executed.
    Value call(const Value& function, CallArguments given);
    /// A call by the host or by the library. At top level the function is compiled if possible.
    Value call(Call given);
    /// A call in the current context, which was opened for this call. The function is not specialised again.
    Value inside(Call given);
    /// A call of a function of the program that is staged into the current block, without a specialisation.
    Value unstaged(Call given);
    /// The arguments by position: with defaults, and with the items of a rest parameter one by one.
    std::vector<Value> by_position(const Call& call);
    /// Returns the donation of the current call, and clears it. Null if the call donates nothing.
    Donation* take_donation() { return std::exchange(donation_, nullptr); }
    /// With Host::check_nans: raises if `made`, a number computed at once, is a NaN and none of `numbers` is.
    void check_nan(const Value& made, std::string_view name, const std::vector<Value>& numbers, Span span) const;

  private:
    /// The arguments of the call, with their positions if these are known.
    CallArguments given_at(Call call) const;
    /// A call of a function with donated arguments: names that are passed whole lose their values.
    Value donating(const Value& function, CallArguments given);
    /// A call of a function that is not native. The positions of the arguments are available during the call.
    Value placed(const Value& function, CallArguments given);
    /// A call of grad(f), vmap(f) ..., through the cache.
    Value derived(const Value& function, CallArguments given);
    /// Applies the transformation in the current context (transform/transforms.cpp).
    Value transform_now(Call call);
    Value native(const Native& n, CallArguments& given);
    /// Runs the body of a function of the program in the current context.
    Value body(const Function& f, CallArguments given);

    Stager& s_;
    int depth_ = 0;
    Donation* donation_ = nullptr; ///< of the next call
};

} // namespace pm::stage
