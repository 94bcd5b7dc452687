#pragma once
#include "compiler/base/diagnostic.hpp"
#include "compiler/codegen/options.hpp"
#include "compiler/ir/precision.hpp"
#include "compiler/plan/options.hpp"
#include "compiler/stage/core/host.hpp"
#include "runtime/processes/processes.hpp"

#include <cstddef>
#include <functional>
#include <string>

namespace pm::api {

/// Options of the stages of the compiler.
struct CompileOptions {
    plan::Options plan;
    codegen::Options codegen;
    std::function<void(bool)> compiling = {}; ///< called with true when a compilation begins, with false when it ends
};

/// Options of a session, grouped by the part of the compiler that uses them.
struct SessionOptions {
    stage::Options stage;
    CompileOptions compile;
    bool evaluate = false;         ///< true: the reference interpreter runs instead of compiled code
    bool flush_subnormals = false; ///< true: a processor replaces subnormal numbers by 0
    int workers = 0;               ///< 0: one per core
    std::size_t memory_limit = 0;  ///< in bytes; 0: 7/8 of the available memory
    /// The processes of the job, whose devices the program uses; null: this process alone. `compile.plan.devices` is
    /// the number of devices of each process.
    runtime::Processes* processes = nullptr;
    /// Called with each error. If this function is set, programs are checked and not run
    /// (stage/check/module_check.hpp).
    std::function<void(const Diagnostic&)> problem;

    /// The defaults of a session. In a session, passes verify their results only on request. In the tests of a layer,
    /// passes always verify their results. The precision is set, because a planner without a default precision also
    /// ignores the `precision` of products.
    SessionOptions() {
        compile.plan.precision = ir::precision::standard;
        compile.plan.passes.verify = false;
    }
    /// Makes every stage verify its results.
    void verify() { stage.verify = compile.plan.verify = compile.plan.passes.verify = true; }
};

} // namespace pm::api
