#pragma once
#include "compiler/ir/text.hpp"
#include "compiler/ir/verify.hpp"
#include "compiler/ops/core/rules.hpp"
#include "compiler/optimize/pass.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace pm::optimize {

/// Runs passes on IR text. Verifies the IR before and after each pass. Checks that a second run of the last pass
/// changes nothing.
inline std::string after(std::initializer_list<std::string_view> passes, std::string_view text) {
    BlockPtr block = ir::read(text);
    ir::verify(*block, ops::result_types, "read");
    for (const std::string_view name : passes) {
        const Pass* const p = pass_named(name);
        REQUIRE(p != nullptr);
        const BlockPtr made = p->run(block, ops::TargetInfo::none());
        ir::verify(*made, ops::result_types, name);
        if (ir::print(*made) == ir::print(*block)) CHECK_MESSAGE(made == block, "a copy of what did not change");
        block = made;
    }
    return ir::print(*block);
}

/// The IR text in the form in which ir::print() writes it.
inline std::string canonical(std::string_view text) { return ir::print(*ir::read(text)); }

inline void gives(std::initializer_list<std::string_view> passes, std::string_view before, std::string_view due) {
    CHECK(after(passes, before) == canonical(due));
}
inline void keeps(std::initializer_list<std::string_view> passes, std::string_view text) { gives(passes, text, text); }

} // namespace pm::optimize
