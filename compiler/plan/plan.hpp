#pragma once
#include "compiler/ir/ir.hpp"
#include "compiler/plan/options.hpp"
#include "compiler/plan/program/program.hpp"

namespace pm::plan {

/// Plans an optimised block. The block must be valid (ir::verify). Every construct of the IR is supported. A pmap
/// becomes `lanes` steps between collectives. The parameters of the block are the arguments of the program. The results
/// of the block are the results of the program. `donated` has a flag per parameter. If it is empty, no parameter is
/// donated. A result may use the memory of a donated parameter of the same type (Program::overwritten). This happens
/// only if the result needs no copy.
Program plan(const ir::BlockPtr& block, const Options& options, const std::vector<bool>& donated = {});

} // namespace pm::plan
