#pragma once
#include "compiler/ir/ir.hpp"
#include "compiler/plan/options.hpp"
#include "compiler/plan/program/program.hpp"

namespace pm::plan {

/// Plans an optimised block that verifies. Handles every construct of the IR. A pmap becomes `lanes` steps between
/// collectives. Each parameter of the block is an argument of the program, and each result of the block a result.
/// `donated`, per parameter, empty for none: a result of its type may be in its memory (Program::overwritten). It is
/// where that costs no copy.
Program plan(const ir::BlockPtr& block, const Options& options, const std::vector<bool>& donated = {});

} // namespace pm::plan
