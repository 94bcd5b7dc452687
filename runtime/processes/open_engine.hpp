#pragma once
#include "runtime/processes/engine.h"

#include <string>

namespace pm::runtime {

/// Loads the library of an engine and joins the job of the launcher that has started this process. `file` is a path, or
/// a name that the system's dynamic linker searches for. The engine lives until the process ends. Throws
/// JobFailure(engine) if the library is missing, is of another release, or finds no job.
const PmEngine& open_engine(const std::string& file);

} // namespace pm::runtime
