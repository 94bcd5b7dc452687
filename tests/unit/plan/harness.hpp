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

/// Pseudorandom arguments for a block. Floats are from -2 to 2, integers are 0 .. 4, bools are 0 or 1.
std::vector<runtime::Array> some_arguments(const ir::Block& block, unsigned seed = 1);

/// Plans a block with and without fusion, and runs both programs. The results of the two programs must have the same
/// bits. They must agree with the evaluator within `tolerance`. If the fused program is printed and read back, the
/// printed text must not change. Returns the fused program.
Program agrees(std::string_view text, const Options& options = {}, double tolerance = 1e-5);

/// The info of a target that has a library for all convolutions.
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
