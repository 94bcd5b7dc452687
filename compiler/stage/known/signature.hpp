#pragma once
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

/// The parameters of a native, parsed from its text once per thread.
struct Signature {
    struct Parameter {
        std::string name;
        std::optional<Value> otherwise; ///< the default
        bool rest = false;
    };
    std::vector<Parameter> parameters;
    std::size_t rest = 0; ///< index of the rest parameter; the number of parameters if there is none
};
const Signature& signature_of(const Native& n);
Arguments bind_native(const Native& n, const Signature& signature, CallArguments& given);

} // namespace pm::stage
