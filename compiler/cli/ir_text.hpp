#pragma once
#include "compiler/api/session.hpp"

#include <string>
#include <string_view>

namespace pm::cli {

/// Whether `after` is a stage of `pm ir --after`.
bool is_stage(std::string_view after);
/// Raises Diag::bad_option unless `after` is a stage of `pm ir --after`.
void check_stage(const std::string& after);
/// The text of a block after a stage of the compiler (`pm ir --after`). If the stage is PTX, the text is for the GPU
/// architecture `architecture`. Raises Diag::bad_option if there is no such stage.
std::string ir_text(api::Session& session, const ir::BlockPtr& block, const std::string& after,
                    const std::string& architecture);

} // namespace pm::cli
