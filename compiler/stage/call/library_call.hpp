#pragma once
#include "compiler/stage/call/call_arguments.hpp"

#include <optional>
#include <string>
#include <vector>

namespace pm::stage {

/// The name of a library function in programs, as its documentation begins: `percentile`, `special.logit`. A function
/// that another returns has the name of that one: the result of `jacrev(f)` is `jacrev`. The plain name, perhaps empty,
/// if neither is documented.
std::string library_name(const Function& f);
/// "it is nn.relu(x): x where it is positive, else 0": the call and the first sentence. Empty if the documentation has
/// none.
std::string library_form(const Function& f);

/// Puts the name of the called function in place of an anonymous subject: "this needs numbers".
void name_subject(Diagnostic& d, std::string_view name);
/// Puts the name of a native into messages about its arguments: "the `dtype` of `zeros` needs ...", "`zeros`: a shape
/// needs ...".
void name_native(Diagnostic& d, const Native& native);

/// True if `caller` called its argument `parameter`, a function of the program, with a wrong number of arguments. Then
/// the message says so, and its position is `span`, that of the argument.
bool speak_of_arity(Diagnostic& d, std::string_view caller, std::string_view parameter, const syntax::Function& given,
                    Span span);

/// A program's call of a library function. It restates an error from within as one of the call. The message names the
/// function and the argument that does not fit, instead of lines of the library.
class LibraryCall {
  public:
    /// Tests as false if the call is not in the program, or the function is not in the library.
    LibraryCall(const Stager& stager, const Value& function, const CallArguments& given);

    explicit operator bool() const { return function_ != nullptr; }
    /// Rewrites an error of the call. `inside`: it was raised in the library, not in a function of the program that the
    /// library called.
    void speak(Diagnostic& d, bool inside) const;

  private:
    /// An argument. Only texts about its value are kept, so that the value does not live longer.
    struct Argument {
        std::string name; ///< of the parameter; empty if that has none, as a rest parameter's items
        Span span;
        std::vector<std::string> said; ///< descriptions of the value in messages
        bool numeric = false;
        std::optional<std::int64_t> integer;        ///< the value, if it is a known integer
        const syntax::Function* function = nullptr; ///< the value, if it is a function of the program
        bool captured = false;                      ///< not of this call, but captured by the function when it was made
        std::string chain;                          ///< of a function: how it was derived from others
    };
    struct Need; ///< the requirement of one argument

    void argument(std::string name, const Value& value, Span span, bool captured = false);
    /// The argument with this description. Null if there is none. If several have it: the first if
    /// it is not numeric, else null.
    const Argument* only(const std::string& said) const;
    const Argument* named(const std::string& name) const;
    std::string title(const Argument& argument) const;
    std::optional<Need> need(const Diagnostic& d) const;
    std::optional<Need> need_of_number(const Diagnostic& d) const;
    /// The only argument that is the integer of this text. Null if none or several are.
    const Argument* integer(const std::string& text) const;
    bool speak_of_argument(Diagnostic& d) const;
    bool speak_of_arity(Diagnostic& d) const;
    /// Moves an error about an axis or size to the argument with that value, if only one has it.
    void point_at_number(Diagnostic& d) const;
    /// Whether the argument at `place` is of a parameter with default `none`.
    bool given_for_none(Span place) const;
    void speak_of_function(Diagnostic& d) const;
    /// Replaces the notes about transformations within the library by one for this call.
    void speak_of_transformation(Diagnostic& d) const;
    /// Names `nn.conv` in a refusal for a call of `nn.conv`, which may be an alias or be built on `windows.conv`.
    void speak_as_written(Diagnostic& d) const;

    const Stager& stager_;
    const Function* function_ = nullptr;
    std::string name_;
    Span span_;
    bool of_function_ = false; ///< some arguments are functions, which may have failed
    bool with_dtype_ = false;
    std::vector<Argument> arguments_;
};

} // namespace pm::stage
