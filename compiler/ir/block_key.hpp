#pragma once
#include "compiler/base/digest.hpp"
#include "compiler/ir/ir.hpp"

namespace pm::ir {

/// A digest of the block. Equal blocks have equal keys. The spans of instructions are not part of the key. The ids of
/// values are: blocks with different ids have different keys, even if their texts are equal.
Digest block_key(const Block& block);

} // namespace pm::ir
