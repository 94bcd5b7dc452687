#pragma once
#include "compiler/stage/call/call_arguments.hpp"

#include <optional>
#include <string>
#include <vector>

namespace pm::stage {

/// The name by which programs call a library function: `percentile`, `special.logit`. The function's documentation
/// begins with this name. For a function that a library function returns, this is the name of the library function. For
/// example, the result of `jacrev(f)` has the name `jacrev`. For a function without documentation, this is its name in
/// the source, which may be empty.
std::string library_name(const Function& f);
/// The call form and the first sentence of the function's documentation, as a note: "it is nn.relu(x): x where it is
/// positive, else 0". Empty if the function has no documentation.
std::string library_form(const Function& f);

/// Replaces the subject "this" of a message, as in "this needs numbers", by the name of the called function.
void name_subject(Diagnostic& d, std::string_view name);
/// Puts the name of a native into messages about its arguments: "the `dtype` of `zeros` needs ...", "`zeros`: a shape
/// needs ...".
void name_native(Diagnostic& d, const Native& native);

/// `given` is the function that the program passed for `parameter` of the library function `caller`. `span` is the
/// position of this argument. Returns true if the error `d` is that `caller` called `given` with a wrong number of
/// arguments. In this case the function rewrites the message to say this, and sets the position of the error to `span`.
bool name_arity(Diagnostic& d, std::string_view caller, std::string_view parameter, const syntax::Function& given,
                Span span);

/// A program's call of a library function. An error that is raised in the function is rewritten as an error of the
/// call. The new message names the function and the wrong argument, and shows no lines of the library.
class LibraryCall {
  public:
    /// The object converts to false if the call is not in the program, or if the function is not in the library.
    LibraryCall(const Stager& stager, const Value& function, const CallArguments& given);

    explicit operator bool() const { return function_ != nullptr; }
    /// Rewrites an error of the call. `inside`: true if the error was raised in the library. It is false if the error
    /// was raised in a function of the program that the library called.
    void rewrite(Diagnostic& d, bool inside) const;

  private:
    /// An argument. The object has only descriptions of the argument's value, so it does not extend the lifetime of the
    /// value.
    struct Argument {
        std::string
            name; ///< name of the parameter; empty if the parameter has no name, and for the items of a rest parameter
        Span span;
        std::vector<std::string> said; ///< descriptions of the value in messages
        bool numeric = false;
        std::optional<std::int64_t> integer;        ///< the value if the value is a known integer
        const syntax::Function* function = nullptr; ///< the value if the value is a function of the program
        bool captured = false; ///< true for a value that the called function has captured; such a value is not an
                               ///< argument of this call
        std::string chain;     ///< for a derived function: its transformations, as in "grad(vmap(f))"
    };
    struct Need; ///< the requirement that an argument does not meet

    void argument(std::string name, const Value& value, Span span, bool captured = false);
    /// The argument with this description. Null if no argument has the description. If several arguments have the
    /// description, returns the first of them; but if they are numeric, returns null.
    const Argument* only(const std::string& said) const;
    const Argument* named(const std::string& name) const;
    std::string title(const Argument& argument) const;
    std::optional<Need> need(const Diagnostic& d) const;
    std::optional<Need> need_of_number(const Diagnostic& d) const;
    /// The only argument whose value is the integer in `text`. Null if no argument or several arguments have this
    /// value.
    const Argument* integer(const std::string& text) const;
    bool name_argument(Diagnostic& d) const;
    bool name_arity(Diagnostic& d) const;
    /// Changes an error about an axis or size. If the value of exactly one argument is this axis or size, sets the
    /// position of the error to this argument.
    void point_at_number(Diagnostic& d) const;
    /// Whether the argument at `place` is passed for a parameter whose default is `none`.
    bool given_for_none(Span place) const;
    void name_function(Diagnostic& d) const;
    /// Replaces the notes about transformations within the library by one note for this call.
    void name_transformation(Diagnostic& d) const;
    /// The message of an error that the library raises may name another function than the call does. Replaces this name
    /// by the name in the call. The names differ if, for example, `nn.conv` is an alias of `windows.conv` or calls
    /// `windows.conv`.
    void name_as_written(Diagnostic& d) const;

    const Stager& stager_;
    const Function* function_ = nullptr;
    std::string name_;
    Span span_;
    bool of_function_ =
        false; ///< true if some arguments are functions; the error may then be in one of these functions
    bool with_dtype_ = false;
    std::vector<Argument> arguments_;
};

} // namespace pm::stage
