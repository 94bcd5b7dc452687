#pragma once
#include "compiler/stage/call/call_arguments.hpp"

#include <optional>
#include <string>
#include <vector>

namespace pm::stage {

/// The name by which programs call a library function: `percentile`, `special.logit`. The start of the function's
/// documentation has this name. If a library function returns a function, the returned function has the same name: the
/// name of the result of `jacrev(f)` is `jacrev`. If neither function is documented, the name in the source, which may
/// be empty.
std::string library_name(const Function& f);
/// "it is nn.relu(x): x where it is positive, else 0": the call form and the first sentence of the documentation. Empty
/// if there is no documentation.
std::string library_form(const Function& f);

/// Replaces the subject "this" of a message, as in "this needs numbers", by the name of the called function.
void name_subject(Diagnostic& d, std::string_view name);
/// Puts the name of a native into messages about its arguments: "the `dtype` of `zeros` needs ...", "`zeros`: a shape
/// needs ...".
void name_native(Diagnostic& d, const Native& native);

/// Whether the error is that `caller` called `given`, the function that the program passed for `parameter`, with a
/// wrong number of arguments. If so, changes the message to say this, and its position to `span`, the position of the
/// argument.
bool name_arity(Diagnostic& d, std::string_view caller, std::string_view parameter, const syntax::Function& given,
                Span span);

/// A program's call of a library function. An error that is raised in the function is rewritten as an error of the
/// call: the message names the function and the wrong argument, and shows no lines of the library.
class LibraryCall {
  public:
    /// The object converts to false if the call is not in the program, or if the function is not in the library.
    LibraryCall(const Stager& stager, const Value& function, const CallArguments& given);

    explicit operator bool() const { return function_ != nullptr; }
    /// Rewrites an error of the call. `inside`: the error was raised in the library, not in a function of the program
    /// that the library called.
    void rewrite(Diagnostic& d, bool inside) const;

  private:
    /// An argument. It has only texts about the value, so that it does not extend the lifetime of the value.
    struct Argument {
        std::string name; ///< name of the parameter; empty if it has no name, as for the items of a rest parameter
        Span span;
        std::vector<std::string> said; ///< descriptions of the value in messages
        bool numeric = false;
        std::optional<std::int64_t> integer;        ///< the value, if it is a known integer
        const syntax::Function* function = nullptr; ///< the value, if it is a function of the program
        bool captured = false; ///< not an argument of this call, but a value that the called function has captured
        std::string chain;     ///< for a derived function: its transformations, as in "grad(vmap(f))"
    };
    struct Need; ///< the requirement of one argument

    void argument(std::string name, const Value& value, Span span, bool captured = false);
    /// The argument with this description. Null if there is none. If several arguments have this description: the first
    /// of them, or null if they are numeric.
    const Argument* only(const std::string& said) const;
    const Argument* named(const std::string& name) const;
    std::string title(const Argument& argument) const;
    std::optional<Need> need(const Diagnostic& d) const;
    std::optional<Need> need_of_number(const Diagnostic& d) const;
    /// The only argument whose value is the integer in `text`. Null if there is none, or if there are several.
    const Argument* integer(const std::string& text) const;
    bool name_argument(Diagnostic& d) const;
    bool name_arity(Diagnostic& d) const;
    /// If an error is about an axis or size and exactly one argument has this number as its value, moves the error to
    /// this argument.
    void point_at_number(Diagnostic& d) const;
    /// Whether the argument at `place` is passed for a parameter whose default is `none`.
    bool given_for_none(Span place) const;
    void name_function(Diagnostic& d) const;
    /// Replaces the notes about transformations within the library by one note for this call.
    void name_transformation(Diagnostic& d) const;
    /// Replaces the function's name in an error that the library raises by the name in the call. The names differ if,
    /// for example, `nn.conv` is an alias of `windows.conv` or calls it.
    void name_as_written(Diagnostic& d) const;

    const Stager& stager_;
    const Function* function_ = nullptr;
    std::string name_;
    Span span_;
    bool of_function_ = false; ///< some arguments are functions, so the error may be in one of them
    bool with_dtype_ = false;
    std::vector<Argument> arguments_;
};

} // namespace pm::stage
