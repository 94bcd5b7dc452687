#pragma once
#include "compiler/base/digest.hpp"
#include "compiler/ir/ir.hpp"

namespace pm::ir {

/// A digest of the block. Equal blocks have equal keys; the source places of instructions do not matter. Blocks that
/// number their values differently have different keys, even if their texts are equal.
Digest block_key(const Block& block);

} // namespace pm::ir
