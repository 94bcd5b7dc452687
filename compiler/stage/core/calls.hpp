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

/// Runs calls of functions: binds the arguments, and selects how the body is run.
class Calls {
  public:
    explicit Calls(Stager& stager) : s_(stager) {}

    /// Runs a call that is written in the source text being executed.
    Value call(const Value& function, CallArguments given);
    /// Runs a call that the host or the library makes. At top level the call is compiled if possible.
    Value call(Call given);
    /// Runs a call in the current context, which was opened for this call. If the function is a function of the
    /// program, it is not specialised again.
    Value inside(Call given);
    /// Runs a call directly in the current context. If no context is open, interprets the call. The function is not
    /// specialised.
    Value inline_call(Call given);
    /// The arguments of `call` in the order of the parameters, including default values. Each item of a rest parameter
    /// is a separate argument.
    std::vector<Value> by_position(const Call& call);
    /// Returns the donation of the current call, and resets `donation_`. Null if the call has no donated argument.
    Donation* take_donation() { return std::exchange(donation_, nullptr); }
    /// If Host::check_nans is set, checks the result `made` of an operation on the known operands `numbers`. Raises if
    /// `made` is a NaN and no operand is a NaN.
    void check_nan(const Value& made, std::string_view name, const std::vector<Value>& numbers, Span span) const;

  private:
    /// The arguments of the call. They have positions if the positions are known.
    CallArguments given_at(Call call) const;
    /// Runs a call of a function with donated arguments. If a donated argument is only a name, this name has no value
    /// after the call.
    Value donating(const Value& function, CallArguments given);
    /// Runs a call of a function that is not native. During the call, Places has the positions of the arguments.
    Value placed(const Value& function, CallArguments given);
    /// Runs a call of grad(f), vmap(f) ..., through the cache.
    Value call_transformed(const Value& function, CallArguments given);
    /// Runs a call of grad(f), vmap(f) ... in the current context, without the cache (transform/transforms.cpp).
    Value transform_now(Call call);
    Value native(const Native& n, CallArguments& given);
    /// The tree `v` converted to the dtype: numbers are converted, and strings are parsed as numbers of the dtype.
    Value converted(const Value& v, DType dtype, Span span);
    /// Runs the body of a function of the program in the current context.
    Value body(const Function& f, CallArguments given);

    Stager& s_;
    int depth_ = 0;
    Donation* donation_ = nullptr; ///< the donation of the next call; null if this call has no donated argument
};

} // namespace pm::stage
