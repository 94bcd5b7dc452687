#pragma once
#include "compiler/ir/ir.hpp"
#include "compiler/ops/linear/convolution.hpp"

namespace pm::optimize {

/// The block with sums of products for the convolutions that no library computes: before the passes, which have much to
/// do on them. plan/prepare/prepare.cpp asks again for those that are left, when it is known how large lanes make them.
ir::BlockPtr with_sums(const ir::BlockPtr& block, const ops::LibraryConvolutions& library);

} // namespace pm::optimize
