#pragma once
#include "runtime/processes/processes.hpp"

#include <string>

namespace pm::runtime {

/// Loads the library of an engine and joins the job of the launcher that has started this process. `file` is a path, or
/// a name that the system's dynamic linker searches for. The engine lives until the process ends. Throws
/// JobFailure(engine) if the library is missing, is of another release, or finds no job. Throws JobFailure(lost) if the
/// processes of the job have not all joined within the patience; a thread of the library may then wait without end.
const PmEngine& open_engine(const std::string& file, const ProcessesOptions& options);

} // namespace pm::runtime
