#pragma once
#include "compiler/ir/ir.hpp"

#include <string>
#include <string_view>

namespace pm::ir {

struct PrintOptions {
    /// Returns the comment that follows an instruction on its line. If the function returns an empty string, the line
    /// has no comment.
    std::string (*comment)(const Block&, const Inst&) = nullptr;
};

/// The canonical text of a block. Equal blocks have equal texts. The text does not contain spans:
///
///   fn f(%0: f32[3], %1: f32) -> (f32[3]) {
///     %2: f32[3] = broadcast(%1) shape=[3] dims=[]
///     %3: f32[3] = mul(%0, %2)
///     return %3
///   }
///
/// Values are numbered in the order of their definitions, from 0 in each block. Regions follow the attributes, in
/// braces:
///
///   %4: f32 = scan(%0, %1) whole=0 carried=1 length=3 { (%0: i32, %1: f32, %2: f32) { ... return %3 } }
///
/// Equal callees are printed once. Such a callee is printed as `fn @name` before the first block that calls it.
std::string print(const Block& block, const PrintOptions& options = {});

/// Reads the text that print() returns. Throws pm::Error (Diag::ir_text) for any other text. The function does not
/// check the types in the text against the rules of the operations; verify() does.
BlockPtr read(std::string_view text);

} // namespace pm::ir
