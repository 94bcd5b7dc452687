#pragma once
#include "compiler/base/digest.hpp"
#include "compiler/ir/ir.hpp"

namespace pm::ir {

/// A key of the program that a block is: equal blocks have equal keys, but for the places of their instructions. Blocks
/// that number their values differently have different keys, though they may print alike.
Digest block_key(const Block& block);

} // namespace pm::ir
