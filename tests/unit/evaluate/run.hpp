#pragma once
#include "compiler/evaluate/evaluate.hpp"
#include "compiler/ir/text.hpp"
#include "compiler/ir/verify.hpp"
#include "compiler/ops/core/rules.hpp"

/// Reads, verifies and evaluates programs in IR text.
namespace pm::evaluate::test {

inline std::vector<Array> run(std::string_view text, std::vector<Array> arguments, const Options& options = {}) {
    const ir::BlockPtr block = ir::read(text);
    ir::verify(*block, ops::result_types, "read");
    return evaluate::evaluate(block, std::move(arguments), options);
}

inline std::vector<float> floats(const Array& x) {
    const auto values = x.values<float>();
    return {values.begin(), values.end()};
}

} // namespace pm::evaluate::test
