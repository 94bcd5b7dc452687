#pragma once
#include "compiler/stage/call/call_arguments.hpp"

#include <optional>
#include <string>
#include <vector>

namespace pm::stage {

/// The name by which programs call a library function, from the start of its documentation: `percentile`,
/// `special.logit`. A function returned by another has the name of the other: the result of `jacrev(f)` is `jacrev`. If
/// neither is documented, the plain name, which may be empty.
std::string library_name(const Function& f);
/// "it is nn.relu(x): x where it is positive, else 0": the call form and the first sentence of the documentation. Empty
/// if there is no documentation.
std::string library_form(const Function& f);

/// Replaces an anonymous subject of the message, as in "this needs numbers", by the name of the called function.
void name_subject(Diagnostic& d, std::string_view name);
/// Puts the name of a native into messages about its arguments: "the `dtype` of `zeros` needs ...", "`zeros`: a shape
/// needs ...".
void name_native(Diagnostic& d, const Native& native);

/// Whether the error is that `caller` called its argument `parameter`, a function of the program, with a wrong number
/// of arguments. If so, the message says this, and its position becomes `span`, that of the argument.
bool name_arity(Diagnostic& d, std::string_view caller, std::string_view parameter, const syntax::Function& given,
                Span span);

/// A program's call of a library function. Rewrites an error raised in the function as an error of the call: the
/// message names the function and the argument that does not fit, instead of lines of the library.
class LibraryCall {
  public:
    /// The object converts to false if the call is not in the program, or if the function is not in the library.
    LibraryCall(const Stager& stager, const Value& function, const CallArguments& given);

    explicit operator bool() const { return function_ != nullptr; }
    /// Rewrites an error of the call. `inside`: the error was raised in the library, not in a function of the program
    /// that the library called.
    void rewrite(Diagnostic& d, bool inside) const;

  private:
    /// An argument. Keeps only texts about its value, so that the value does not live longer.
    struct Argument {
        std::string name; ///< of the parameter; empty if there is none, as for the items of a rest parameter
        Span span;
        std::vector<std::string> said; ///< descriptions of the value in messages
        bool numeric = false;
        std::optional<std::int64_t> integer;        ///< the value, if it is a known integer
        const syntax::Function* function = nullptr; ///< the value, if it is a function of the program
        bool captured = false;                      ///< not an argument of this call: captured by the called function
        std::string chain;                          ///< for a function: the transformations that it was derived by
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
    /// The only argument whose value is the integer in `text`. Null if there is none, or if there are several.
    const Argument* integer(const std::string& text) const;
    bool name_argument(Diagnostic& d) const;
    bool name_arity(Diagnostic& d) const;
    /// Moves an error about an axis or size to the argument with that value, if only one has it.
    void point_at_number(Diagnostic& d) const;
    /// Whether the argument at `place` belongs to a parameter whose default is `none`.
    bool given_for_none(Span place) const;
    void name_function(Diagnostic& d) const;
    /// Replaces the notes about transformations within the library by one note for this call.
    void name_transformation(Diagnostic& d) const;
    /// Names the function of a refusal as the call writes it: `nn.conv` may be an alias of `windows.conv`, or call it.
    void name_as_written(Diagnostic& d) const;

    const Stager& stager_;
    const Function* function_ = nullptr;
    std::string name_;
    Span span_;
    bool of_function_ = false; ///< some arguments are functions, which may have failed
    bool with_dtype_ = false;
    std::vector<Argument> arguments_;
};

} // namespace pm::stage
