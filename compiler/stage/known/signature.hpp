#pragma once
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

/// The parameters of a native. They are parsed from Native::signature, once per thread.
struct Signature {
    struct Parameter {
        std::string name;
        std::optional<Value> otherwise; ///< the default value; empty if the parameter has no default
        bool rest = false;
    };
    std::vector<Parameter> parameters;
    std::size_t rest = 0; ///< index of the rest parameter; the number of parameters if no parameter is a rest parameter
};
const Signature& signature_of(const Native& n);
/// The number of arguments for messages: "1 to 3 arguments". `rest`: true if there is no upper limit.
std::string argument_count(std::size_t least, std::size_t most, bool rest);
/// Raises the error that `callee` has no parameter with the name of named argument number `at`. If no parameter has a
/// similar name, `otherwise` completes the error.
[[noreturn]] void refuse_name(std::string_view callee, const std::vector<std::string>& parameters,
                              const CallArguments& given, std::size_t at,
                              const std::function<Diagnostic(Diagnostic)>& otherwise);
Arguments bind_native(const Native& n, const Signature& signature, CallArguments& given);

} // namespace pm::stage
