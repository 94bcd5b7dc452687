#pragma once
#include "compiler/ir/ir.hpp"
#include "compiler/plan/options.hpp"
#include "compiler/plan/program/program.hpp"

namespace pm::plan {

/// Plans an optimised block that verifies. Handles every construct of the IR. A pmap becomes `lanes` steps between
/// collectives. The parameters of the block are the arguments of the program; its results are the results of the
/// program. `donated` has a flag per parameter; empty: no parameter is donated. A result of the same type may use the
/// memory of a donated parameter (Program::overwritten), if that needs no copy.
Program plan(const ir::BlockPtr& block, const Options& options, const std::vector<bool>& donated = {});

} // namespace pm::plan
