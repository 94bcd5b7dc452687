#pragma once
#include "compiler/stage/value.hpp"

namespace pm::stage {

/// A value that holds nothing staged, as print shows it.
std::string printed(const Value& v);

} // namespace pm::stage
