#pragma once
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

/// The parameters of a native, read from its text once.
struct Signature {
    struct Parameter {
        std::string name;
        std::optional<Value> otherwise; ///< the default
        bool rest = false;
    };
    std::vector<Parameter> parameters;
    std::size_t rest = 0; ///< the rest parameter; the number of parameters where there is none
};
const Signature& signature_of(const Native& n);
Arguments bind_native(const Native& n, const Signature& signature, Stager::CallArguments& given);
/// Raises what a call with these arguments would of their number and names, whatever their values are. Of what
/// transformations make nothing is said.
void require_arguments(const Stager& stager, const Value& function, Stager::CallArguments given);

} // namespace pm::stage
