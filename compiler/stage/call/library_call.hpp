#pragma once
#include "compiler/stage/core/call_arguments.hpp"

#include <optional>
#include <string>
#include <vector>

namespace pm::stage {

/// What the program calls a function of the library, as its documentation begins: `percentile`, `special.logit`. A
/// function that another returns is called by that one's name: what `jacrev(f)` gives is `jacrev`. Empty where neither
/// is documented.
std::string library_name(const Function& f);
/// "it is nn.relu(x): x where it is positive, else 0": the call and the first sentence; empty without documentation.
std::string library_form(const Function& f);

/// "this needs numbers" speaks of no function: it is the one that was called.
void name_subject(Diagnostic& d, std::string_view name);
/// Lets what a native needs be told of it by its name: "the `dtype` of `zeros` needs ...", "`zeros`: a shape needs
/// ...".
void name_native(Diagnostic& d, const Native& native);

/// Where `caller` gave a function of the program, its argument `parameter` that stands at `span`, more arguments than
/// it takes, or fewer: says so and answers true.
bool speak_of_arity(Diagnostic& d, std::string_view caller, std::string_view parameter, const syntax::Function& given,
                    Span span);

/// A call of a function of the library by the program. An error from within is told as one of this call: by the name of
/// the function and of the argument that does not fit, not by the lines of the library that met it.
class LibraryCall {
  public:
    /// Of no function where the call is none of the program's, or the function none of the library's.
    LibraryCall(const Stager& stager, const Value& function, const Stager::CallArguments& given);

    explicit operator bool() const { return function_ != nullptr; }
    /// `inside`: the error was met in the library, not in a function of the program that the library called.
    void speak(Diagnostic& d, bool inside) const;

  private:
    /// An argument; of its value what messages say, so that nothing of it lives longer than without this.
    struct Argument {
        std::string name; ///< of the parameter; empty for one of many
        Span span;
        std::vector<std::string> said; ///< what messages call the value
        bool numeric = false;
        std::optional<std::int64_t> integer;        ///< where it is a known one
        const syntax::Function* function = nullptr; ///< the value, where the program declares it
        bool captured = false;                      ///< not of this call, but of the one that made the function
        std::string chain;                          ///< of a function: how it was made of others
    };
    struct Need; ///< what is said of one argument

    void argument(std::string name, const Value& value, Span span, bool captured = false);
    /// The only argument that messages call so; of several that are no numbers the first.
    const Argument* only(const std::string& said) const;
    const Argument* named(const std::string& name) const;
    std::string title(const Argument& argument) const;
    std::optional<Need> need(const Diagnostic& d) const;
    std::optional<Need> need_of_number(const Diagnostic& d) const;
    /// The only argument that is the integer of this text.
    const Argument* integer(const std::string& text) const;
    bool speak_of_argument(Diagnostic& d) const;
    bool speak_of_arity(Diagnostic& d) const;
    /// An axis or size out of range: the place is the argument of that value, where only one has it.
    void point_at_number(Diagnostic& d) const;
    /// Whether the argument at `place` is given for a parameter that is `none` without it.
    bool given_for_none(Span place) const;
    void speak_of_function(Diagnostic& d) const;
    /// What the library went through is this call.
    void speak_of_transformation(Diagnostic& d) const;
    /// A refusal for a call of `nn.conv`, which is `windows.conv` or is made of it, speaks of `nn.conv`.
    void speak_as_written(Diagnostic& d) const;

    const Stager& stager_;
    const Function* function_ = nullptr;
    std::string name_;
    Span span_;
    bool of_function_ = false; ///< it is given functions, which may be what failed
    bool with_dtype_ = false;
    std::vector<Argument> arguments_;
};

} // namespace pm::stage
