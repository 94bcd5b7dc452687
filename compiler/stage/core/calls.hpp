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

    /// Runs a call that is written in the text being executed.
    Value call(const Value& function, CallArguments given);
    /// Runs a call that the host or the library makes. At top level the call is compiled if possible.
    Value call(Call given);
    /// Runs a call in the current context, which was opened for this call. A function of the program is not specialised
    /// again.
    Value inside(Call given);
    /// Runs a call directly in the current context, or interprets it if there is none. The function is not specialised.
    Value inline_call(Call given);
    /// The arguments in the order of the parameters, including defaults. Each item of a rest parameter is a separate
    /// argument.
    std::vector<Value> by_position(const Call& call);
    /// Returns the donation of the current call, and clears it. Null if the call has no donated argument.
    Donation* take_donation() { return std::exchange(donation_, nullptr); }
    /// With Host::check_nans, raises if the result `made` of a known operation is a NaN and none of its operands
    /// `numbers` is a NaN.
    void check_nan(const Value& made, std::string_view name, const std::vector<Value>& numbers, Span span) const;

  private:
    /// The arguments of the call, with their positions if these are known.
    CallArguments given_at(Call call) const;
    /// Runs a call of a function with donated arguments. A name that is itself a donated argument loses its value.
    Value donating(const Value& function, CallArguments given);
    /// Runs a call of a function that is not native, and keeps the positions of the arguments during the call.
    Value placed(const Value& function, CallArguments given);
    /// Runs a call of grad(f), vmap(f) ..., through the cache.
    Value call_transformed(const Value& function, CallArguments given);
    /// Applies the transformation in the current context (transform/transforms.cpp).
    Value transform_now(Call call);
    Value native(const Native& n, CallArguments& given);
    /// Runs the body of a function of the program in the current context.
    Value body(const Function& f, CallArguments given);

    Stager& s_;
    int depth_ = 0;
    Donation* donation_ = nullptr; ///< the donation of the next call; null if there is none
};

} // namespace pm::stage
