#pragma once
#include "compiler/ir/ir.hpp"

#include <string_view>

namespace pm::ops {

/// The precision of a product: a word of ir/precision.hpp. Empty if the precision is unspecified.
inline std::string_view precision_of(const ir::Inst& inst) {
    return inst.attrs.has(ir::Attr::precision) ? std::string_view(inst.attrs.text(ir::Attr::precision))
                                               : std::string_view();
}

} // namespace pm::ops
