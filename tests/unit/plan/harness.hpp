#pragma once
#include "compiler/evaluate/evaluate.hpp"
#include "compiler/ir/text.hpp"
#include "compiler/plan/plan.hpp"
#include "tests/unit/plan/interpret_program.hpp"

#include <string_view>

namespace pm::plan::testing {

inline Program planned(std::string_view text, const Options& options = {}) {
    const Program program = plan(ir::read(text), options);
    verify(program, "plan");
    return program;
}

/// Arguments for a block. They contain small distinct numbers; integers are 0 .. 4.
std::vector<runtime::Array> some_arguments(const ir::Block& block, unsigned seed = 1);

/// Plans a block with and without fusion, prints the programs and reads them back, and runs them. The results of both
/// must have the same bits, and agree with the reference interpreter within `tolerance`. Returns the fused program.
Program agrees(std::string_view text, const Options& options = {}, double tolerance = 1e-5);

/// A target with a library for all convolutions.
inline const ops::TargetInfo& with_convolutions() {
    struct Target : ops::TargetInfo {
        bool convolves(const runtime::ConvolutionSpec&, std::string_view) const override { return true; }
    };
    static const Target target;
    return target;
}

inline std::size_t nests(const Program& program) { return count_steps(program.steps, StepKind::nest); }
inline std::size_t copies(const Program& program) { return count_steps(program.steps, StepKind::copy); }

} // namespace pm::plan::testing
